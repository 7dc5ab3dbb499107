"""What a person sees on a board, in a real browser: lines, squares, pieces, marks, and who sits where."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import matplotlib.image
import numpy as np
import numpy.typing as npt
import pytest
from gallery import SEED, all_games, lay_room, played
from playwright.sync_api import Page, expect
from serving import Server, wait_for

from coppice.board.cells import Board, Piece
from coppice.board.scene import SceneOptions
from coppice.board.svg import board_svg
from coppice.web.allowed import game_of
from coppice.web.boards import board_message, plain_game
from coppice.web.levels import games, listed_name
from coppice.web.pictures import picture
from coppice.web.saved_games import SavedGames
from coppice.web.settings import Settings

GAMES = {name: spec for name, spec in all_games().items() if not name.startswith("misere_")}
THEMES = ("light", "dark")
QUIET = 1.15
"""The contrast that a line on its ground and two neighbouring squares need: seen, but quiet."""
PIECE = 1.4
"""The contrast of a piece with its ground: white stones on wood have no more than their rim and body give."""
SIDES_APART = 3.0
"""The contrast of the pieces of both sides where they have one shape, as WCAG asks of graphical objects."""
BLOCKS = ("building", "garden")
"""Kinds of cell on which nobody can stand: neighbours of one kind may run together."""


@pytest.fixture
def saved(server: Server) -> Iterator[SavedGames]:
    """The saved games of the running app: what is put there can be opened in the browser."""
    opened = SavedGames(Settings(store=server.folder / "coppice.db").saved_games)
    yield opened
    opened.close()


def open_board(page: Page, server: Server, address: str, theme: str = "light") -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.goto(server.url + address)
    page.wait_for_selector(".board-frame .cell")
    page.mouse.move(2, 2)


# Pixels


@dataclass
class Photo:
    """A picture of a board: brightness by pixel, and where its cells are."""

    light: npt.NDArray[np.float64]
    """The relative luminance of WCAG, by row and column."""
    middles: dict[str, tuple[float, float]]
    step: float
    """Pixels between the middles of two neighbouring cells."""

    def at(self, x: float, y: float) -> float:
        return float(self.light[round(y), round(x)])

    def patch(self, name: str, reach: float) -> npt.NDArray[np.float64]:
        """What lies around the middle of a cell, as far as `reach` cell widths."""
        (x, y), r = self.middles[name], reach * self.step
        return self.light[round(y - r) : round(y + r) + 1, round(x - r) : round(x + r) + 1]


def photo(page: Page) -> Photo:
    picture = matplotlib.image.imread(io.BytesIO(page.screenshot()), format="png")[..., :3].astype(np.float64)
    linear = np.where(picture <= 0.04045, picture / 12.92, ((picture + 0.055) / 1.055) ** 2.4)
    boxes = page.evaluate(
        """[...document.querySelectorAll('.board-frame .cell')].map((cell) => {
          const box = cell.querySelector('.ground').getBoundingClientRect();
          return [cell.dataset.cell, box.x + box.width / 2, box.y + box.height / 2];
        })"""
    )
    middles = {name: (x, y) for name, x, y in boxes}
    points = list(middles.values())
    step = min(np.hypot(p[0] - q[0], p[1] - q[1]) for p, q in itertools.combinations(points, 2))
    return Photo(linear @ np.array([0.2126, 0.7152, 0.0722]), middles, float(step))


def contrast(one: float, other: float) -> float:
    high, low = max(one, other), min(one, other)
    return (high + 0.05) / (low + 0.05)


def least_line_contrast(seen: Photo, board: Board, empty: set[str]) -> float:
    """The contrast of the faintest line between two empty neighbours, or of the squares themselves."""
    found = []
    kinds = {cell.name: cell.kind for cell in board.cells}
    for one, other in itertools.combinations(sorted(empty), 2):
        (px, py), (qx, qy) = seen.middles[one], seen.middles[other]
        dx, dy = qx - px, qy - py
        if np.hypot(dx, dy) > 1.1 * seen.step or kinds[one] == kinds[other] in BLOCKS:
            continue
        if board.shape == "point":
            # The line joins the two; half a cell aside there is the ground.
            line = [seen.at(px + dx / 2 + s * dy / 90, py + dy / 2 + s * dx / 90) for s in (-1, 0, 1)]
            ground = seen.at(px + dx / 2 + dy / 3, py + dy / 2 + dx / 3)
            found.append(max(contrast(each, ground) for each in line))
        else:
            # On the way from one to the other something changes; names stand in the middles.
            way = [seen.at(px + k / 40 * dx, py + k / 40 * dy) for k in range(12, 29)]
            found.append(contrast(min(way), max(way)))
    assert found, "no two empty cells are neighbours"
    return min(found)


def squares_apart(seen: Photo) -> float:
    """The least contrast of two neighbouring squares in their middles."""
    pairs = itertools.combinations(seen.middles.items(), 2)
    near = [(a, b) for (a, p), (b, q) in pairs if np.hypot(p[0] - q[0], p[1] - q[1]) < 1.1 * seen.step]
    return min(
        contrast(float(np.median(seen.patch(a, 0.3))), float(np.median(seen.patch(b, 0.3)))) for a, b in near
    )


def seen_pieces(spec: str, moves: list[str]) -> list[Piece]:
    """What stands on the board after the moves, without what the mark of the last move lies on."""
    start = game_of(spec).start(seed=SEED)
    marked = start.play(*moves[:-1]).move_cells(moves[-1]) if moves else []
    return [piece for piece in start.play(*moves[-1:]).pieces() if not set(piece.cells) & set(marked)]


def kinds_of(pieces: list[Piece]) -> set[tuple[str | None, str]]:
    return {(piece.side, " ".join([piece.kind, *named(piece), *piece.states])) for piece in pieces}


def named(piece: Piece) -> list[str]:
    """Which character it is; a light that shines elsewhere is of the same kind."""
    return [piece.name] if piece.kind == "token" else []


def outline(board: Board, piece: Piece) -> str:
    """What a piece looks like but for its colours: an upright domino is not taken for a lying one."""
    return f"{piece.kind} {len({board.cells[cell].x for cell in piece.cells})} wide"


def positions_with_all_kinds(spec: str) -> tuple[list[list[str]], set[tuple[str | None, str]]]:
    """Lines of a game to positions in which every kind of piece is seen at least once, and these kinds."""
    moves, state = played(spec), game_of(spec).start(seed=SEED)
    every = kinds_of(state.pieces())
    for move in moves:
        every |= kinds_of(state.play(move).pieces())
    lines: list[list[str]] = []
    missing = set(every)
    # From the middle outward: one position shows nearly all.
    for ply in sorted(range(len(moves) + 1), key=lambda ply: abs(ply - len(moves) // 2)):
        found = kinds_of(seen_pieces(spec, moves[:ply]))
        if missing & found:
            lines.append(moves[:ply])
            missing -= found
        if not missing:
            break
    return lines, every


# What every kind of piece is called, so that a game cannot lose one without anybody knowing.
KINDS = {
    "havannah": {"stone"},
    "breakthrough": {"man"},
    "knightthrough": {"knight"},
    "domineering": {"domino"},
    "nogo": {"stone"},
    "atari_go": {"stone"},
    "tic_tac_toe": {"cross", "nought"},
    "hex": {"stone"},
}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", GAMES)
def test_cells_lines_and_pieces_are_visible_on_every_board(
    page: Page, server: Server, saved: SavedGames, name: str, theme: str
) -> None:
    spec = GAMES[name]
    board = game_of(spec).board()
    lines, every = positions_with_all_kinds(spec)
    if name in KINDS:
        assert {kind for _, kind in every} == KINDS[name]
        assert {side for side, _ in every} == {"first", "second"}
    shown: set[tuple[str | None, str]] = set()
    brightness: dict[str, dict[str | None, float]] = {}
    for moves in lines:
        state = game_of(spec).start(seed=SEED).play(*moves)
        open_board(page, server, lay_room(saved, spec, moves), theme)
        seen = photo(page)
        taken = {board.cells[cell].name for piece in state.pieces() for cell in piece.cells}
        assert least_line_contrast(seen, board, set(seen.middles) - taken) >= QUIET
        for piece in seen_pieces(spec, moves):
            cell = board.cells[piece.cell]
            alike = [c.name for c in board.cells if c.kind == cell.kind and c.name not in taken]
            (x, y), edge = seen.middles[cell.name], 0.47 * seen.step
            # Every gaslight has something on it: there the ground is seen at the edge alone.
            ground = float(np.median(seen.patch(alike[0], 0.34))) if alike else seen.at(x - edge, y)
            patch = seen.patch(cell.name, 0.36)
            clear = np.maximum(patch, ground) + 0.05 >= PIECE * (np.minimum(patch, ground) + 0.05)
            assert clear.mean() > 0.08, f"a {piece.kind} of {piece.side} is not seen on {cell.name}"
            shown |= kinds_of([piece])
            brightness.setdefault(outline(board, piece), {})[piece.side] = float(np.median(patch))
    assert shown == every
    for kind, sides in brightness.items():
        if len(sides) == 2:
            assert contrast(*sides.values()) >= SIDES_APART, f"the {kind}s of both sides look alike"


def test_a_misere_game_has_the_board_of_its_game() -> None:
    found = {name: spec for name, spec in all_games().items() if name.startswith("misere_")}
    assert found
    for name, spec in found.items():
        assert board_message(game_of(spec), SceneOptions()) == board_message(
            game_of(GAMES[name.removeprefix("misere_")]), SceneOptions()
        )


# Squares, marks, dominoes

EMPTY = {"breakthrough": 2, "knightthrough": 2, "domineering": 0}
"""Games whose squares are of two colours, with the rows at each edge that are not empty at the start."""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", EMPTY)
def test_the_squares_of_a_chequered_board_are_of_two_colours(
    page: Page, server: Server, saved: SavedGames, name: str, theme: str
) -> None:
    open_board(page, server, lay_room(saved, GAMES[name], []), theme)
    seen = photo(page)
    rows = range(1 + EMPTY[name], 9 - EMPTY[name])
    seen.middles = {cell: at for cell, at in seen.middles.items() if int(cell[1:]) in rows}
    assert squares_apart(seen) >= QUIET


def test_little_boards_are_chequered_and_noughts_are_not_drawn_as_stones() -> None:
    for name in EMPTY:
        state = game_of(GAMES[name]).start()
        assert picture(state).count('class="cell dark"') == 32
        assert board_svg(state.game.board()).count('fill="#d5bc86"') == 32
    assert 'class="cell dark"' not in picture(game_of("tic_tac_toe").start())
    played_out = game_of("tic_tac_toe").start().play("b2", "a1")
    drawn = board_svg(played_out.game.board(), played_out.pieces())
    assert ">No<" not in drawn
    assert re.search(r'<circle fill="none" [^>]*class="mark-circle"', drawn)


def test_little_boards_show_whole_dominoes_men_and_knights() -> None:
    state = game_of("domineering(rows=4, columns=4)").start().play("a1a2", "b1c1", "a3a4", "b2c2")
    assert [len(piece.cells) for piece in state.pieces()] == [2] * 4
    for drawn in (picture(state), board_svg(state.game.board(), state.pieces())):
        sizes = re.findall(r'<rect (?:[^>]* )?class="domino"[^>]*>', drawn)
        assert len(sizes) == 4
        assert sum('height="1.76"' in size for size in sizes) == 2
        assert sum('width="1.76"' in size for size in sizes) == 2
    for name in ("breakthrough", "knightthrough"):
        men = game_of(GAMES[name]).start()
        assert picture(men).count('class="figure"') == 32
        assert board_svg(men.game.board(), men.pieces()).count('class="figure"') == 32


def test_blacks_stones_are_dark_in_a_drawn_board_whoever_begins() -> None:
    for spec, colour in (("nogo", "#26221f"), ("havannah(size=4)", "#fdfdfb")):
        state = game_of(spec).start()
        drawn = state.play(state.legal_moves[0]).svg()
        assert re.findall(r'<circle [^>]*fill="(#\w+)"[^>]*class="stone"', drawn) == [colour], spec


def test_no_ring_is_drawn_around_a_cross(page: Page, server: Server, saved: SavedGames) -> None:
    open_board(page, server, lay_room(saved, "tic_tac_toe", ["b2"]))
    expect(page.locator("rect.last")).to_have_count(1)
    expect(page.locator("circle.last, circle.winning")).to_have_count(0)
    open_board(page, server, lay_room(saved, "tic_tac_toe", ["a1", "b1", "b2", "b3", "c3"]))
    expect(page.locator("circle.last, circle.winning")).to_have_count(0)
    expect(page.locator(".cell.won")).to_have_count(3)
    # A diagonal is crossed out, too.
    assert (page.locator("path.winning.line").get_attribute("d") or "").count("M") == 2
    won = game_of("tic_tac_toe").start().play(*["a1", "b1", "b2", "b3", "c3"])
    svg = board_svg(won.game.board(), won.pieces(), marks=[8], winning=won.winning_cells)
    for drawn in (picture(won), svg):
        assert drawn.count("won") == 3
        assert drawn.count("<circle") == 2, "only the two noughts are round"
        assert drawn.count("winning line") == 1


def test_the_piece_that_won_wears_one_ring(page: Page, server: Server, saved: SavedGames) -> None:
    spec = GAMES["knightthrough"]
    moves = played(spec)
    assert game_of(spec).start(seed=SEED).play(*moves).end_kind == "crossing"
    open_board(page, server, lay_room(saved, spec, moves))
    expect(page.locator("circle.winning")).to_have_count(1)
    expect(page.locator("circle.last")).to_have_count(0)


def test_the_dot_of_a_player_is_of_the_colour_of_the_pieces(
    page: Page, server: Server, saved: SavedGames
) -> None:
    colour = "e => getComputedStyle(e).{}"
    open_board(page, server, lay_room(saved, GAMES["domineering"], played(GAMES["domineering"])[:2]))
    for side in ("first", "second"):
        dot = page.locator(f".player.{side} .dot").evaluate(colour.format("backgroundColor"))
        assert dot == page.locator(f".piece.{side} .domino").first.evaluate(colour.format("fill"))
    open_board(page, server, lay_room(saved, "tic_tac_toe", ["b2", "a1"]))
    cross = page.locator(".player.first .dot").evaluate(colour.format("backgroundColor"))
    assert cross == page.locator(".mark-cross").evaluate(colour.format("stroke"))
    nought = page.locator(".player.second .dot").evaluate(colour.format("borderTopColor"))
    assert nought == page.locator(".mark-circle").evaluate(colour.format("stroke"))


def test_a_number_of_the_heat_map_is_read_on_a_piece(page: Page, server: Server) -> None:
    # White must capture on d4 (99.9 % of 200,000 simulations): the number of that move stands on a black man.
    moves = "a2-a3 b4xa3 d2-c3 d4-e3 c3-d4"
    page.goto(f"{server.url}/analyse?game=breakthrough(rows=5,columns=5)&moves={moves}")
    # Found and read in one breath: the search draws the numbers anew all the time.
    width, ink, halo = page.wait_for_function(
        """() => {
            const number = document.querySelector(".on-piece .heat-text");
            const style = number && getComputedStyle(number);
            return style && [style.strokeWidth, style.fill, style.stroke];
        }"""
    ).json_value()
    assert float(width.removesuffix("px")) >= 0.2
    assert ink != halo


def test_a_domino_is_shown_as_a_domino_before_it_lies(page: Page, server: Server, saved: SavedGames) -> None:
    spec = "domineering(rows=4, columns=4)"
    open_board(page, server, lay_room(saved, spec, []))
    page.locator("[data-cell='a1']").hover()
    expect(page.locator(".preview .domino")).to_have_count(1)
    expect(page.locator(".preview circle")).to_have_count(0)
    box = page.locator(".preview .domino").bounding_box()
    assert box is not None
    assert box["height"] > 1.8 * box["width"]
    # A line of the search is of dominoes, too.
    page.goto(f"{server.url}/analyse?game={spec}")
    page.wait_for_selector(".candidate")
    page.locator(".candidate").first.hover()
    expect(page.locator(".ghost .domino").first).to_be_visible()
    expect(page.locator(".ghost circle")).to_have_count(0)


def test_a_line_of_crosses_and_noughts_is_drawn_with_them(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/analyse?game=tic_tac_toe")
    page.wait_for_selector(".candidate")
    page.locator(".candidate").first.hover()
    expect(page.locator(".ghost .mark-cross").first).to_be_visible()
    expect(page.locator(".ghost .mark-circle").first).to_be_visible()
    expect(page.locator(".ghost .stone")).to_have_count(0)


# Who sits where


def top_of(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"]


@pytest.mark.parametrize("name", ["breakthrough", "misere_knightthrough"])
def test_who_plays_second_has_their_side_and_plate_at_the_bottom(
    page: Page, server: Server, saved: SavedGames, name: str
) -> None:
    spec = all_games()[name]
    open_board(page, server, lay_room(saved, spec, [], "second"))
    assert top_of(page, "[data-cell='a8']") > top_of(page, "[data-cell='a1']")
    assert top_of(page, ".player.second") > top_of(page, ".board-frame") > top_of(page, ".player.first")
    assert top_of(page, ".steps") > top_of(page, ".player.second")
    # The letters below are those of the row below, from h to a.
    letters = page.locator(".edge-name").evaluate_all(
        "names => names.filter(n => /[a-z]/.test(n.textContent))"
        ".sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x)"
        ".map(n => n.textContent).join('')"
    )
    assert letters == "hgfedcba"
    # Who plays first sits below without being asked.
    open_board(page, server, lay_room(saved, spec, []))
    assert top_of(page, "[data-cell='a8']") < top_of(page, "[data-cell='a1']")
    assert top_of(page, ".player.second") < top_of(page, ".player.first")


def test_a_game_without_a_direction_turns_the_plates_alone(
    page: Page, server: Server, saved: SavedGames
) -> None:
    open_board(page, server, lay_room(saved, GAMES["nogo"], [], "second"))
    assert top_of(page, "[data-cell='a9']") < top_of(page, "[data-cell='a1']")
    assert top_of(page, ".player.second") > top_of(page, ".player.first")


@pytest.mark.parametrize("name", [name for name in GAMES if name != "mr_jack"])
def test_the_board_can_be_flipped_at_any_time(
    page: Page, server: Server, saved: SavedGames, name: str
) -> None:
    moves = played(GAMES[name])[:4]
    open_board(page, server, lay_room(saved, GAMES[name], moves))
    cells = game_of(GAMES[name]).board().cells
    before = photo(page).middles
    page.get_by_role("button", name="Flip the board").click()
    wait_for(lambda: top_of(page, ".player.second") > top_of(page, ".player.first"))
    after = photo(page).middles
    # Half a turn: the first cell has changed places with the one opposite, and so has every other.
    xs, ys = [c.x for c in cells], [c.y for c in cells]
    at = {(round(c.x, 3), round(c.y, 3)): c.name for c in cells}
    for cell in cells:
        other = at[round(min(xs) + max(xs) - cell.x, 3), round(min(ys) + max(ys) - cell.y, 3)]
        # The plates may differ in height by a pixel or two.
        assert after[cell.name] == pytest.approx(before[other], abs=4), cell.name
    assert page.locator(".piece").count() > 0
    page.get_by_role("button", name="Flip the board").click()
    wait_for(lambda: top_of(page, ".player.second") < top_of(page, ".player.first"))


def test_mr_jacks_map_is_not_flipped(page: Page, server: Server, saved: SavedGames) -> None:
    open_board(page, server, lay_room(saved, GAMES["mr_jack"], [], "second"))
    expect(page.get_by_role("button", name="Flip the board")).to_have_count(0)


# Words


def test_a_misere_game_is_called_by_its_name_and_its_rules_are_found(
    page: Page, server: Server, saved: SavedGames
) -> None:
    open_board(page, server, lay_room(saved, all_games()["misere_breakthrough"], []))
    expect(page.locator(".status .panel-title")).to_have_text("Misère Breakthrough")
    page.get_by_role("button", name="More").click()
    page.get_by_text("How to play").click()
    expect(page.locator(".headline")).to_have_text("How to play Breakthrough")
    names = {part.name for part in games()}
    assert {listed_name(spec) for spec in all_games().values()} == names
    assert plain_game("misere(misere(game=nogo))") == "Misère Misère NoGo"


def test_crosses_are_many(page: Page, server: Server, saved: SavedGames) -> None:
    open_board(page, server, lay_room(saved, "tic_tac_toe", [], "second"))
    expect(page.locator(".status-text")).to_have_text("Crosses are thinking.")
    open_board(page, server, lay_room(saved, GAMES["nogo"], [], "second"))
    expect(page.locator(".status-text")).to_have_text("Black is thinking.")


def test_a_number_stands_in_one_line_with_its_move(page: Page, server: Server, saved: SavedGames) -> None:
    address = lay_room(saved, GAMES["breakthrough"], played(GAMES["breakthrough"]))
    # Widths at which the list wraps differently.
    for width in (1280, 390, 360, 330):
        page.set_viewport_size({"width": width, "height": 900})
        open_board(page, server, address)
        alone = page.locator(".moves .number").evaluate_all(
            """numbers => numbers.filter((number) => {
              const move = number.nextElementSibling, low = (it) => it.getBoundingClientRect().bottom;
              return !move || Math.abs(low(move) - low(number)) > 8;
            }).map((number) => number.textContent)"""
        )
        assert alone == [], f"at a width of {width}"
        assert page.locator(".moves .number").count() > 5


def test_the_start_page_offers_to_go_on_with_unfinished_games_only(
    page: Page, server: Server, saved: SavedGames
) -> None:
    over = ["a1", "b1", "a2", "b2", "a3"]
    for moves in (over, over[:4]):
        open_board(page, server, lay_room(saved, "tic_tac_toe", moves))
        wait_for(lambda: bool(page.evaluate("localStorage.getItem('coppice.games')")))
    page.goto(server.url)
    expect(page.locator(".recent-game")).to_have_count(1)
    # The game that goes on is offered until it is over.
    page.locator(".recent-game").click()
    page.wait_for_selector(".board-frame .cell")
    page.locator("[data-cell='a3']").click()
    expect(page.locator(".status-text")).to_have_text("Crosses win by making a line.")
    page.goto(server.url)
    page.wait_for_selector(".card svg")
    expect(page.locator(".recent-game")).to_have_count(0)
