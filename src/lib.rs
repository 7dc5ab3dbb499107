//! The core of Coppice: rules and search, generic over the game, everything else chosen at run time.
//!
//! From the lowest level to the highest; each module uses only those above it:
//! - `types`: sides, moves, outcomes, limits, chance
//! - `spec`: the text in which everything is named
//! - `game`: what a game is
//! - `games`: the games, one file or folder each

pub mod game;
pub mod games;
pub mod spec;
pub mod types;
