//! Players: who decides for a side. One file per player; named combinations are in `named.rs`; the list is at the end.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::game::{Game, Variant};
use crate::search::{Report, Search};
use crate::spec::{Options, PartInfo, Spec};
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

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    vec![mcts::INFO, jack::INFO, nested::INFO, random::INFO, gtp::INFO]
}

/// Builds the player that a resolved spec names; refuses what the game cannot serve.
pub fn build<G: Game>(spec: &Spec, variant: &Arc<Variant<G>>) -> Result<Box<dyn Player<G>>> {
    let options = Options::new(&spec.parts[0]);
    Ok(match options.name() {
        "jack" => Box::new(jack::Jack::new(&spec.parts[0], variant)?),
        "mcts" => Box::new(mcts::Mcts::new(&options, variant)?),
        "nested" => Box::new(nested::Nested::new(&options, variant)?),
        "random" => Box::new(random::Random),
        "gtp" => Box::new(gtp::Gtp::new(&options, variant)?),
        other => unreachable!("{other} was resolved but is not in the list of players"),
    })
}
