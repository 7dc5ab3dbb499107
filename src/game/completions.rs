//! Moves that complete a winning figure, and moves that threaten to.

use super::Rules;
use crate::types::{Move, Side};

/// Moves that complete a winning figure, and moves that threaten to.
pub trait Completions<G: Rules>: Sync {
    /// Appends the moves with which `side`, if it were to move, would complete a winning figure at once.
    /// With `near`, only those next to the group of the stone that this move placed.
    fn completing(&self, state: &G::State, side: Side, near: Option<Move>, moves: &mut Vec<Move>);
    /// Appends the moves with which `side`, if it were to move and has no completing move, would threaten to complete a
    /// figure. None if an answer may take the threat back otherwise than by playing where it is.
    fn threatening(&self, state: &G::State, side: Side, threats: &mut Vec<Threat>);
    /// Finds completing moves during a playout, at less cost than by looking at the whole board.
    fn watch(&self) -> Box<dyn Watch<G>>;
    /// Stones or men on the board.
    fn stones(&self, state: &G::State) -> usize;
}

/// A move after which its side could complete a figure with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threat {
    pub mv: Move,
    /// How many moves would complete a figure then; counted up to [`Threat::MANY`].
    pub ways: usize,
    /// The first of them, two at most.
    pub completing: [Move; 2],
}

impl Threat {
    /// The other side cannot take away so many ways to win, even if it moves first.
    pub const MANY: usize = 3;

    /// Whether the other side cannot answer the threat once it is made, unless it wins at once.
    pub fn is_double(&self) -> bool {
        self.ways > 1
    }

    /// Whether a stone of the other side at `mv`, set before the threat is made, leaves at most one way to win.
    pub fn is_met_by(&self, mv: Move) -> bool {
        mv == self.mv || (self.ways < Threat::MANY && self.completing.contains(&mv))
    }
}

/// Keeps the completing moves of both sides, in the order of [`Completions::completing`], while a game goes on.
pub trait Watch<G: Rules>: Send {
    /// Forgets what was before and finds the completing moves of a state.
    fn start(&mut self, game: &G, state: &G::State, moves: &mut [Vec<Move>; 2]);
    /// `side` has played `mv`, which led to `state` and did not end the game: brings `moves` up to date.
    fn played(&mut self, game: &G, state: &G::State, side: Side, mv: Move, moves: &mut [Vec<Move>; 2]);
}
