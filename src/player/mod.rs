//! Players: who decides for a side. One file per player; named combinations are in `named.rs`; the list is at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::family::members;
use crate::game::{Game, Variant};
use crate::search::{Report, Search};
use crate::spec::{Options, Spec};
use crate::types::{Error, Limit, Move, Result, Rng};

pub mod expansion;
pub mod final_move;
pub mod gtp;
pub mod jack;
pub mod mcts;
pub mod named;
pub mod nested;
mod process;
pub mod random;
#[cfg(test)]
mod tests;

/// A state in which a player has to decide. The game is not over.
pub struct Request<'a, G: Game> {
    pub variant: &'a Arc<Variant<G>>,
    pub state: &'a G::State,
    /// The moves that led here from the start of the game, for players that keep a tree.
    pub moves: &'a [Move],
    /// The stream for this decision.
    pub rng: Rng,
    /// Instead of the player's own limit.
    pub limit: Option<Limit>,
    /// Raised when the decision is no longer wanted.
    pub stop: &'a Arc<AtomicBool>,
}

pub trait Player<G: Game>: Send {
    /// The report's best move is legal. An error that is a forfeit loses the game.
    fn choose(&mut self, request: &Request<G>) -> Result<Report>;

    /// The same player at the beginning of another game. What it has built and read is not built and read again.
    fn again(&self) -> Box<dyn Player<G>>;

    /// A search of this state that can be run on, read and stopped.
    fn think(&self, variant: &Arc<Variant<G>>, _state: &G::State, _rng: Rng) -> Result<Search<G>> {
        let _ = variant;
        Err(Error::new("this player does not think step by step: only mcts players do"))
    }

    /// Says so if the player is told what its side may not see: then it plays in matches only, and its search is not shown.
    fn is_told(&self) -> Option<&'static str> {
        None
    }
}

static BUILT: AtomicU64 = AtomicU64::new(0);

/// How many players have been built; those that play on as others were built are not counted.
pub fn built() -> u64 {
    BUILT.load(Ordering::Relaxed)
}

/// Builds the player that a resolved spec names; refuses what the game cannot serve.
pub fn build<G: Game>(spec: &Spec, variant: &Arc<Variant<G>>) -> Result<Box<dyn Player<G>>> {
    BUILT.fetch_add(1, Ordering::Relaxed);
    build_one(&Options::new(&spec.parts[0]), variant)
}

members! {
    fn build_one<G>(variant: &Arc<Variant<G>>) -> Result<Box<dyn Player<G>>>;
    mcts,
    jack,
    nested,
    random,
    gtp,
}
