//! What the solver asks of a game: which positions are alike, which are settled, which moves come first.

use super::{FastPlay, Present};
use crate::types::{Move, Outcome};

/// Help for exact values. The defaults know no symmetry and settle nothing.
pub trait Exact: Present + FastPlay {
    /// The turnings and mirrorings of the board under which the game stays the same: of each, where a cell goes.
    /// The first leaves all as it is.
    fn symmetries(&self) -> Vec<Vec<usize>> {
        vec![(0..self.board().cells.len()).collect()]
    }

    /// A key that positions share which a symmetry takes into each other; others differ with overwhelming probability.
    fn class_key(&self, state: &Self::State) -> u64 {
        self.key(state)
    }

    /// How a game that is not over ends with best play, where a look at the position is enough to know. With `misere`,
    /// who would win loses.
    #[inline]
    fn settled(&self, _state: &Self::State, _misere: bool) -> Option<Outcome> {
        None
    }

    /// Move-ordering score of `mv`, from `state` to `next`, for the solver: highest first.
    #[inline]
    fn promise(&self, _state: &Self::State, _mv: Move, next: &Self::State, _misere: bool) -> i32 {
        -(self.count_moves(next) as i32)
    }
}
