//! Moves that are made in stages, such as Mr Jack's: a card and its destination, then its use.

use super::Rules;
use crate::types::{Move, Rng};

/// What a game tells whose moves are made in stages: a *key* is a move without its last stage, its *uses* are the moves that complete it. The key of a move is its slot.
pub trait Stages<G: Rules>: Sync {
    /// Appends the keys that are worth a thought of the side to move, in ascending order. Depends on nothing
    /// that this side cannot see, and lists nothing beyond keys.
    fn keys(&self, state: &G::State, keys: &mut Vec<u32>);
    /// Whether a key is one of this state's.
    fn offers(&self, state: &G::State, key: u32) -> bool;
    /// Appends the uses of a key in a fixed order.
    fn uses(&self, state: &G::State, key: u32, moves: &mut Vec<Move>);
    /// One of them, each equally often.
    fn random_use(&self, state: &G::State, key: u32, rng: &mut Rng) -> Move;
}

/// What the side to move can be certain of by what it sees alone: the playout `decisive` of a game with hidden
/// information, where trying a move out in one world proves nothing.
pub trait Decisive<G: Rules>: Stages<G> {
    /// A random move of those that win for certain, if there are any.
    fn winning_move(&self, state: &G::State, rng: &mut Rng) -> Option<Move>;
    /// A random key of those that cannot lose at once, each stage drawn uniformly.
    fn safe_key(&self, state: &G::State, rng: &mut Rng) -> u32;
}
