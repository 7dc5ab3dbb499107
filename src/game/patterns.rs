//! Small patterns around moves.

use super::Rules;
use crate::types::{Move, Side};

/// How a move may lie to the other side's last one: by the numbers that [`Patterns::nearness`] gives.
pub const NEARNESS: [&str; 3] = ["far", "beside", "bridge"];

/// Small patterns around moves: playouts draw by their weights, which learning finds.
pub trait Patterns<G: Rules>: Sync {
    /// The classes of patterns, by number; patterns that a symmetry of the board exchanges are one class. The same
    /// for every size of the board.
    fn names(&self) -> &'static [String];
    /// The class of each code; None where no move can have the code.
    fn classes(&self) -> &'static [Option<u16>];
    /// What surrounds a legal move of `side`, as a number below the length of `classes`; None for a move that has
    /// no surroundings. Called several times for every move of a playout.
    fn code(&self, state: &G::State, side: Side, mv: Move) -> Option<usize>;
    /// How `mv` lies to the move `last` of the other side, as a place in [`NEARNESS`].
    fn nearness(&self, mv: Move, last: Move) -> usize;
    /// A class drawn in characters, several lines.
    fn picture(&self, class: usize) -> String;
    /// The weights of the package, as `coppice learn` wrote them.
    fn shipped(&self) -> &'static str;
}
