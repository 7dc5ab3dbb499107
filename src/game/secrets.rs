//! Games with hidden information: what a side sees, and what a search must know about the rest.

use super::Rules;
use crate::types::{Rng, Side};

/// What is hidden in a game with hidden information, and from whom.
pub trait Secrets<G: Rules>: Sync {
    /// All that `side` may know.
    fn view(&self, state: &G::State, side: Side) -> View;
    /// A state drawn uniformly among those that `observer` cannot tell from this one.
    fn determinize(&self, state: &G::State, observer: Side, rng: &mut Rng) -> G::State;
    /// What both sides learn from the last move besides the move itself, such as the answer of Mr Jack's witness.
    fn answer(&self, _state: &G::State) -> u32 {
        0
    }
    /// What `side` knows for itself, as a number: nodes in which it decides are kept apart by it.
    fn own(&self, state: &G::State, side: Side) -> u64;
    /// How many secrets besides its true one `side` might have in this world, for all that the other side knows.
    fn decoys(&self, state: &G::State, side: Side) -> usize;
    /// The same world with the k-th of these.
    fn decoy(&self, state: &G::State, side: Side, k: usize) -> G::State;
    /// The same world in which the own secret of `side` is this one, which the other side cannot rule out.
    fn with_own(&self, state: &G::State, side: Side, own: u64) -> G::State;
    /// Leaves whatever is still to be drawn to the free choice of who moves then.
    fn free_draws(&self, state: &mut G::State);
}

/// All that a side may know, as named facts in a fixed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub facts: Vec<(String, String)>,
}
