//! Playouts: what they ask of a game at every move, and what a game may do faster than move by move.
//!
//! Without the force to inline, searches take up to 1.01 times the instructions (bench/inlining.txt).

use super::Rules;
use crate::types::{Move, Outcome, Rng, Side};

/// Shortcuts through the rules, each with a plain way by default. A game that does one faster must make the same of the
/// same random numbers.
pub trait FastPlay: Rules {
    /// A uniformly random legal move, or one drawn stage by stage where there are `stages`. The game must not be over.
    fn random_move(&self, state: &Self::State, rng: &mut Rng) -> Move {
        let mut moves = Vec::new();
        self.legal_moves(state, &mut moves);
        moves[rng.below(moves.len())]
    }

    /// Plays `random_move` and returns it: playouts that leave most moves to chance spend their time here. The move must be
    /// the one that `random_move` makes of the same random numbers.
    #[inline]
    fn play_random(&self, state: &mut Self::State, rng: &mut Rng) -> Move {
        let mv = self.random_move(state, rng);
        self.play(state, mv);
        mv
    }

    /// Plays `mv` if it is legal, else what `play_random` makes of the same random numbers, and returns what was played.
    /// Where `mv` is legal, random numbers may be drawn and thrown away.
    #[inline]
    fn play_preferred(&self, state: &mut Self::State, mv: Move, rng: &mut Rng) -> Move {
        if !self.is_legal(state, mv) {
            return self.play_random(state, rng);
        }
        self.play(state, mv);
        mv
    }

    /// How many moves are legal.
    fn count_moves(&self, state: &Self::State) -> usize {
        let mut moves = Vec::new();
        self.legal_moves(state, &mut moves);
        moves.len()
    }

    /// The legal move that has `k` others before it in the order of `legal_moves`; `k` is below `count_moves`.
    fn nth_move(&self, state: &Self::State, k: usize) -> Move {
        let mut moves = Vec::new();
        self.legal_moves(state, &mut moves);
        moves[k]
    }

    /// Plays uniformly random moves to the end, none if the game is over. Games override it where they can do it faster;
    /// the moves must be those that repeated `random_move` would make of the same random numbers.
    fn uniform_playout(&self, state: &mut Self::State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        loop {
            if let Some(outcome) = self.outcome(state) {
                return outcome;
            }
            let mv = self.random_move(state, rng);
            trace.push(mv, self.side_to_move(state));
            self.play(state, mv);
        }
    }

    /// Plays to the end: what `reply` says to the last move, given the side to move, where that is legal, and a random
    /// move where it is not. Games override it where they can do it faster; the moves must be those that repeated
    /// `play_preferred` would make of the same random numbers.
    #[inline]
    fn reply_playout(
        &self,
        state: &mut Self::State,
        last: Move,
        reply: impl Fn(Side, Move) -> Move,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        replies_by_turns(self, state, last, reply, rng, trace)
    }

    /// Plays the legal move given, if any, and then `uniform_playout`, of the same random numbers. What `scratch` is
    /// afterwards does not matter: games that need no copy leave it alone.
    fn playout_from(
        &self,
        state: &Self::State,
        first: Option<Move>,
        scratch: &mut Self::State,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        scratch.clone_from(state);
        if let Some(mv) = first {
            trace.push(mv, self.side_to_move(state));
            self.play(scratch, mv);
        }
        self.uniform_playout(scratch, rng, trace)
    }

    /// Makes one `playout_from` with each of `moves`, all legal, until `judge` says that it has seen enough: it is told
    /// the move, the outcome and the number of states. With `shuffled` the moves are drawn from those that are left, and
    /// stand in that order afterwards. What is faster must make the same of the same random numbers.
    #[inline]
    fn scan(
        &self,
        state: &Self::State,
        moves: &mut [Move],
        shuffled: bool,
        scratch: &mut Self::State,
        rng: &mut Rng,
        judge: impl FnMut(Move, Outcome, u64) -> bool,
    ) {
        let playout = |mv, rng: &mut Rng| {
            let mut trace = Trace::default();
            let outcome = self.playout_from(state, Some(mv), scratch, rng, &mut trace);
            (outcome, trace.states)
        };
        scan_with(moves, shuffled, rng, playout, judge);
    }
}

/// The moves of a playout, kept only if they are `wanted`; always counted.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub wanted: bool,
    pub moves: Vec<(Move, Side)>,
    /// States visited: one per move.
    pub states: u64,
}

impl Trace {
    #[inline]
    pub fn push(&mut self, mv: Move, side: Side) {
        self.states += 1;
        if self.wanted {
            self.moves.push((mv, side));
        }
    }

    /// The last move, where moves are written down.
    #[inline]
    pub fn last(&self) -> Option<Move> {
        self.moves.last().map(|&(mv, _)| mv)
    }

    /// Forgets the moves and the count.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.states = 0;
    }
}

/// What [`FastPlay::reply_playout`] does, move by move: for games that have nothing faster, and for states that ask for more
/// than a faster way can give.
#[inline(never)]
pub fn replies_by_turns<G: FastPlay>(
    game: &G,
    state: &mut G::State,
    mut last: Move,
    reply: impl Fn(Side, Move) -> Move,
    rng: &mut Rng,
    trace: &mut Trace,
) -> Outcome {
    loop {
        if let Some(outcome) = game.outcome(state) {
            return outcome;
        }
        let side = game.side_to_move(state);
        last = game.play_preferred(state, reply(side, last), rng);
        trace.push(last, side);
    }
}

/// What [`FastPlay::scan`] does, given how a move is played out: to which outcome, and in how many states.
#[inline(always)]
pub fn scan_with(
    moves: &mut [Move],
    shuffled: bool,
    rng: &mut Rng,
    mut playout: impl FnMut(Move, &mut Rng) -> (Outcome, u64),
    mut judge: impl FnMut(Move, Outcome, u64) -> bool,
) {
    let count = moves.len();
    for i in 0..count {
        if shuffled {
            moves.swap(i, i + rng.below(count - i));
        }
        let (outcome, states) = playout(moves[i], rng);
        if judge(moves[i], outcome, states) {
            break;
        }
    }
}
