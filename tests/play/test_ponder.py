"""Searches that go on to the next position, and players that think on the other side's time."""

from __future__ import annotations

import pytest
from patience import wait_for

import coppice
from coppice import Limit
from coppice.play.opponent import KeptSearch, Opponent
from coppice.protocols.gtp import Server

ENDLESS = "strong(simulations=1000000000)"


def start(spec: str = "havannah(size=5)") -> coppice.State:
    return coppice.game(spec).start()


def visits(report: coppice.Report) -> int:
    return sum(stat.visits for stat in report.moves)


# A search that goes on


def test_a_search_goes_on_with_what_it_knows_of_the_next_position() -> None:
    thinking = coppice.player("strong").think(start(), seed=1)
    report = thinking.run(Limit(simulations=5000))
    line = report.line[:2]
    child = {child.name: child.visits for child in thinking.explore(*line)}
    assert sum(child.values()) > 50
    assert thinking.advance(*line)
    after = thinking.report()
    assert after.simulations == 0
    assert {stat.name: stat.visits for stat in after.moves} == child
    assert after.side == "first"
    more = thinking.run(Limit(simulations=100))
    assert more.simulations == 100
    assert visits(more) == sum(child.values()) + 100


def test_going_on_is_repeatable() -> None:
    reports = []
    for _ in range(2):
        thinking = coppice.player("strong").think(start(), seed=7)
        line = thinking.run(Limit(simulations=2000)).line[:2]
        thinking.advance(*line)
        reports.append(thinking.run(Limit(simulations=500)))
    assert reports[0].moves == reports[1].moves


def test_a_position_that_the_tree_does_not_know_changes_nothing() -> None:
    thinking = coppice.player("uct").think(start(), seed=1)
    before = thinking.run(Limit(simulations=30))
    assert thinking.advance() is True
    assert thinking.advance(*before.line, "a1" if "a1" not in before.line else "b1") is False
    assert thinking.report().moves == before.moves
    thinking.advance(*before.line[:1])


def test_what_cannot_be_gone_on_to_is_told() -> None:
    thinking = coppice.player("uct").think(start(), seed=1)
    thinking.run(Limit(simulations=10))
    with pytest.raises(ValueError, match="illegal move 'z9'"):
        thinking.advance("z9")
    with pytest.raises(ValueError, match="illegal move 'a1'"):
        thinking.advance("a1", "a1")
    domineering = coppice.player("uct").think(start("domineering(rows=2, columns=2)"))
    with pytest.raises(ValueError, match=r"there is nothing to search: .* ends the game"):
        domineering.advance(domineering.report().best)
    jack = coppice.player("jack_v3").think(start("mr_jack"))
    with pytest.raises(ValueError, match="cannot go on to another position"):
        jack.advance(jack.report().best)
    thinking.start()
    with pytest.raises(ValueError, match="already running"):
        thinking.advance("a1")
    thinking.stop()


def test_a_log_belongs_to_one_position() -> None:
    thinking = coppice.player("strong").think(start(), seed=1)
    thinking.keep_log()
    line = thinking.run(Limit(simulations=500)).line[:1]
    assert thinking.advance(*line)
    assert thinking.log() == []
    thinking.run(Limit(simulations=20))
    assert len(thinking.log()) == 20


@pytest.mark.timeout(60)
def test_a_run_ends_when_there_is_nothing_more_to_find_out() -> None:
    """Without this a proven position, or a decided one, would be looked at for ever."""
    won = start("havannah(size=4)").play("a1", "d4", "b1", "d5", "c1", "e5")
    report = coppice.player("strong").think(won).run(Limit(simulations=10**9))
    assert report.best == "d1"
    early = coppice.player("strong(stop_early=true)").think(start("havannah(size=4)"), seed=2)
    whole = coppice.player("strong").think(start("havannah(size=4)"), seed=2)
    stopped, full = early.run(Limit(simulations=20000)), whole.run(Limit(simulations=20000))
    assert stopped.best == full.best
    assert stopped.simulations < 20000 == full.simulations


def test_threads_that_share_a_tree_share_it_in_a_search_that_goes_on() -> None:
    thinking = coppice.player("strong(threads=2, parallel=tree)").think(start(), seed=1)
    report = thinking.run(Limit(simulations=3000))
    assert report.simulations == 3000 == visits(report)
    assert thinking.advance(*report.line[:2])
    assert thinking.run(Limit(seconds=0.05)).simulations > 0


def test_threads_that_share_a_tree_learn_replies_together() -> None:
    player = coppice.player("strong(playout=last_good_reply, threads=2, parallel=tree)")
    thinking = player.think(start(), seed=1)
    thinking.run(Limit(simulations=2000))
    replies = [table for table in thinking.tables() if table.name.startswith("reply")]
    assert len(replies) == 2
    assert all(any(value is not None for value in table.values) for table in replies)


# An opponent


def test_without_book_and_pondering_a_decision_is_the_players_own() -> None:
    player = coppice.player("strong(simulations=300)")
    state = start().play("e5")
    opponent = Opponent(player, seed=5)
    own = player.search(state, seed=5)
    assert opponent.decide(state).moves == own.moves
    assert opponent.decide(state).moves == own.moves
    opponent.wait(state.play(own.best))
    assert not opponent.pondering


def test_pondering_goes_on_until_it_is_told_to_stop_and_what_it_found_is_kept() -> None:
    opponent = Opponent(coppice.player("strong(simulations=2000)"), seed=1, ponder=True)
    state = start()
    report = opponent.decide(state)
    assert report.simulations == 2000
    opponent.wait(state.play(report.best))
    assert opponent.pondering
    thinking = opponent._kept.thinking
    assert thinking
    begun = thinking.report().simulations
    wait_for(lambda: thinking.report().simulations > begun + 2000)
    opponent.pause()
    assert not opponent.pondering
    expected = thinking.report()
    assert visits(expected) > 2000
    # The reply that was expected: the search of the answer begins with what is known of it.
    state.play(expected.best)
    answer = opponent.decide(state)
    assert answer.simulations == 2000
    assert visits(answer) > 2000


def test_pondering_is_resumed_only_where_the_game_stands() -> None:
    opponent = Opponent(coppice.player("strong(simulations=200)"), seed=1, ponder=True)
    state = start()
    opponent.resume(state)
    assert not opponent.pondering
    opponent.wait(state.play(opponent.decide(state).best))
    opponent.pause()
    opponent.resume(state)
    assert opponent.pondering
    opponent.pause()
    opponent.resume(state.copy().play(state.legal_moves[0]))
    assert not opponent.pondering
    # Another game, or moves taken back: nothing of the old tree is used.
    other = start().play("a1")
    if state.moves[0] != "a1":
        assert visits(opponent.decide(other)) == 200


def test_a_search_that_knows_nothing_of_a_position_is_stopped_and_given_up() -> None:
    kept, state = KeptSearch(), start()
    thinking = coppice.player("uct").think(state.copy().play("a1"))
    kept.keep(thinking, state.copy().play("a1"))
    thinking.start(Limit(seconds=600))
    assert kept.take(state.copy().play("b1")) is None
    assert not thinking.running
    assert kept.thinking is None


def test_nobody_ponders_when_the_game_is_over() -> None:
    opponent = Opponent(coppice.player("strong(simulations=50)"), ponder=True)
    state = start("havannah(size=4)").play("a1", "d4", "b1", "d5", "c1", "e5")
    opponent.wait(state.play(opponent.decide(state).best))
    assert state.outcome == "first"
    assert not opponent.pondering


# The server


def test_the_server_ponders_only_when_asked_and_stops_for_every_command() -> None:
    quiet = Server("havannah(size=5)", "strong(simulations=100)", seed=1)
    quiet.respond("genmove w")
    assert not quiet.opponent.pondering
    served = Server("havannah(size=5)", "strong(simulations=100)", seed=1, ponder=True)
    served.respond("genmove w")
    assert served.opponent.pondering
    served.respond("time_left w 100 0")
    assert served.opponent.pondering, "a question does not end it"
    move = next(name for name in served.state.legal_moves)
    served.respond(f"play b {move}")
    assert not served.opponent.pondering
    served.respond("genmove w")
    assert served.opponent.pondering
    served.respond("undo")
    assert not served.opponent.pondering
    served.respond("genmove w")
    served.respond("clear_board")
    assert not served.opponent.pondering
    served.respond("genmove_analyze w 1")
    assert served.opponent.pondering
    served.respond("quit")
    assert not served.opponent.pondering


def test_the_end_of_the_input_ends_pondering() -> None:
    class Script:
        lines = iter(["genmove w", "showboard"])

        def next(self) -> str | None:
            return next(self.lines, None)

        def waiting(self, seconds: float) -> bool:
            return True

    served = Server("havannah(size=5)", "strong(simulations=100)", ponder=True)
    served.serve(Script(), lambda text: None)
    assert not served.opponent.pondering


def test_a_player_without_a_tree_cannot_ponder() -> None:
    with pytest.raises(ValueError, match="does not think step by step: only mcts players do"):
        Server("havannah(size=5)", "random", ponder=True)
    served = Server("havannah(size=5)", "strong(simulations=10)", ponder=True)
    assert "only mcts players do" in served.respond("params random")
    assert served.player.spec.startswith("mcts")
