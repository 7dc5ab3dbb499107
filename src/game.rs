//! What a game is: one trait for each of those who read it.
//!
//! - [`Rules`]: what a search needs to play it
//! - [`Present`]: what people see of it
//! - [`FastPlay`]: what playouts do with it, and may do faster; everything has a default
//! - [`Exact`]: what helps the solver; everything has a default
//! - [`Offers`]: what it knows beyond its rules; nothing by default
//!
//! A new game fills the first two, leaves the others empty (`impl FastPlay for X {}`), and is named once in the list of
//! games. Then it works everywhere.

mod completions;
mod exact;
mod fast_play;
mod offers;
mod patterns;
mod present;
mod rules;
mod scripts;
mod secrets;
mod stages;
#[cfg(test)]
mod tests;
mod variant;

pub use completions::{Completions, Threat, Watch};
pub use exact::Exact;
pub use fast_play::{FastPlay, Trace, replies_by_turns, scan_with};
pub use offers::{AmafExempt, AskRings, Bridges, Distances, Evaluation, Offers, Priors};
pub use patterns::{NEARNESS, Patterns};
pub use present::{
    Board, Cell, CellKind, Ending, Piece, PieceKind, Present, Rim, Shape, Whose, illegal_move,
};
pub use rules::Rules;
pub use scripts::{Fact, Lists, Question, Scripts};
pub use secrets::{Secrets, View};
pub use stages::{Decisive, Stages};
pub use variant::{Here, Variant};

/// All that a game is: what code asks for that works with every game.
pub trait Game: Rules + Present + FastPlay + Exact + Offers {}

impl<G: Rules + Present + FastPlay + Exact + Offers> Game for G {}
