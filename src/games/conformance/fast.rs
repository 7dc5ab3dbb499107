//! Laws of what is fast: every faster way that a game has makes the same of the same random numbers as the plain one.

use super::{demand, legal};
use crate::game::{Game, Trace, scan_with};
use crate::types::{Move, Outcome, Result, Rng, Side, mix};

/// What a way through a playout has made: its moves, where it has come to, whether a move is left there, how the game
/// stands, and the random number after it.
#[derive(PartialEq)]
struct Made {
    moves: Vec<(Move, Side)>,
    text: String,
    is_over: bool,
    outcome: Option<Outcome>,
    next: u64,
}

fn made<G: Game>(
    game: &G,
    state: &G::State,
    rng: &Rng,
    way: impl FnOnce(&mut G::State, &mut Rng, &mut Trace),
) -> Made {
    let (mut state, mut rng) = (state.clone(), rng.clone());
    let mut trace = Trace { wanted: true, ..Trace::default() };
    way(&mut state, &mut rng, &mut trace);
    let (text, outcome) = (game.state_text(&state), game.outcome(&state));
    Made { moves: trace.moves, text, is_over: legal(game, &state).is_empty(), outcome, next: rng.next_u64() }
}

/// Whatever a game does faster must be what the plain way makes of the same random numbers. So it must where the game is
/// asked for more than its rules: that rings hold stones that stand.
pub(super) fn check_fast<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> Result<()> {
    check_fast_from(game, state, rng)?;
    if let Some(ask) = game.rings() {
        let mut asked = state.clone();
        ask(&mut asked, 3);
        check_fast_from(game, &asked, rng).map_err(|e| e.within("with rings that hold standing stones"))?;
    }
    Ok(())
}

/// A position, the random numbers that follow, its legal moves, and a move that is not the first random one if there is
/// another.
struct Trial<'a, G: Game> {
    game: &'a G,
    state: &'a G::State,
    rng: &'a Rng,
    moves: &'a [Move],
    wanted: Move,
}

fn check_fast_from<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> Result<()> {
    let rng = &rng.split();
    let random = made(game, state, rng, |state, rng, trace| {
        let (side, mv) = (game.side_to_move(state), game.random_move(state, rng));
        trace.push(mv, side);
        game.play(state, mv);
    });
    let fast = made(game, state, rng, |state, rng, trace| {
        let side = game.side_to_move(state);
        trace.push(game.play_random(state, rng), side);
    });
    demand(fast == random, "play_random plays another move than random_move")?;

    let (moves, first) = (&legal(game, state)[..], random.moves[0].0);
    let wanted = *moves.iter().rev().find(|&&mv| mv != first).unwrap_or(&moves[0]);
    let trial = Trial { game, state, rng, moves, wanted };
    trial.check_preferred(first)?;
    trial.check_uniform()?;
    trial.check_replies()?;
    trial.check_from()?;
    trial.check_scan()
}

impl<G: Game> Trial<'_, G> {
    /// A preferred move is played where it is legal, and `random`, the first random one, where it is not.
    fn check_preferred(&self, random: Move) -> Result<()> {
        let Trial { game, state, rng, wanted, .. } = *self;
        for (wanted, played) in [(wanted, wanted), (Move(u32::MAX), random)] {
            let mut next = state.clone();
            let mv = game.play_preferred(&mut next, wanted, &mut rng.clone());
            let mut expected = state.clone();
            game.play(&mut expected, played);
            let same = mv == played && game.state_text(&next) == game.state_text(&expected);
            demand(same, format!("play_preferred makes {} of {}, not {}", mv.0, wanted.0, played.0))?;
        }
        Ok(())
    }

    fn check_uniform(&self) -> Result<()> {
        let Trial { game, state, rng, .. } = *self;
        let fast = made(game, state, rng, |state, rng, trace| {
            game.uniform_playout(state, rng, trace);
        });
        // As many moves by turns as the fast way has made, and no more: a faulty game may have none left and go on.
        let by_turns = made(game, state, rng, |state, rng, trace| {
            while game.outcome(state).is_none() && trace.moves.len() < fast.moves.len() {
                let (side, mv) = (game.side_to_move(state), game.random_move(state, rng));
                trace.push(mv, side);
                game.play(state, mv);
            }
        });
        demand(fast.is_over, "uniform_playout stops before the end")?;
        demand(fast == by_turns, "uniform_playout plays other moves than random_move")
    }

    /// Replies of all kinds: legal and not, the same for both sides and not, and none at all.
    fn check_replies(&self) -> Result<()> {
        let Trial { game, state, rng, wanted, .. } = *self;
        let seed = rng.clone().next_u64();
        let slots = game.slots().max(1) as u64;
        let reply = |side: Side, last: Move| {
            let chance = mix(seed ^ u64::from(last.0) ^ (side.index() as u64) << 40);
            if chance % 4 == 0 { Move(u32::MAX) } else { Move((chance >> 8) as u32 % slots as u32) }
        };
        let fast = made(game, state, rng, |state, rng, trace| {
            game.reply_playout(state, wanted, reply, rng, trace);
        });
        let by_turns = made(game, state, rng, |state, rng, trace| {
            let mut last = wanted;
            while game.outcome(state).is_none() && trace.moves.len() < fast.moves.len() {
                let side = game.side_to_move(state);
                last = game.play_preferred(state, reply(side, last), rng);
                trace.push(last, side);
            }
        });
        demand(fast.is_over, "reply_playout stops before the end")?;
        demand(fast == by_turns, "reply_playout plays other moves than play_preferred")
    }

    /// How the game ends, and after how many states, if it goes on by `uniform_playout` after this move.
    fn end_from(&self, first: Option<Move>, rng: &mut Rng) -> (Outcome, u64) {
        let (mut end, mut trace) = (self.state.clone(), Trace::default());
        if let Some(mv) = first {
            trace.push(mv, self.game.side_to_move(&end));
            self.game.play(&mut end, mv);
        }
        (self.game.uniform_playout(&mut end, rng, &mut trace), trace.states)
    }

    fn check_from(&self) -> Result<()> {
        let Trial { game, state, rng, wanted, .. } = *self;
        for first in [None, Some(wanted)] {
            let (mut one, mut other) = (rng.clone(), rng.clone());
            let mut trace = Trace::default();
            let outcome = game.playout_from(state, first, &mut state.clone(), &mut one, &mut trace);
            let same = (outcome, trace.states) == self.end_from(first, &mut other);
            demand(
                same && one.next_u64() == other.next_u64(),
                "playout_from is another playout than uniform_playout",
            )?;
        }
        Ok(())
    }

    fn check_scan(&self) -> Result<()> {
        let Trial { game, state, rng, moves, .. } = *self;
        let moves = &moves[..moves.len().min(4)];
        for (shuffled, most) in [(false, usize::MAX), (true, usize::MAX), (true, 2)] {
            let scan = |fast: bool| {
                let (mut moves, mut rng, mut told) = (moves.to_vec(), rng.clone(), Vec::new());
                let judge = |mv: Move, outcome: Outcome, states: u64| {
                    told.push((mv, outcome, states));
                    told.len() >= most
                };
                if fast {
                    game.scan(state, &mut moves, shuffled, &mut state.clone(), &mut rng, judge);
                } else {
                    let from = |mv, rng: &mut Rng| self.end_from(Some(mv), rng);
                    scan_with(&mut moves, shuffled, &mut rng, from, judge);
                }
                (told, moves, rng.next_u64())
            };
            demand(scan(true) == scan(false), "scan makes other playouts than playout_from")?;
        }
        Ok(())
    }
}
