//! The core of Coppice: rules and search, generic over the game, everything else chosen at run time.
//!
//! From the lowest level to the highest; each module uses only those above it:
//! - `types`: sides, moves, outcomes, limits, chance
//! - `spec`: the text in which everything is named
//! - `guest`: what lives outside the core, and how it fails
//! - `game`: what a game is
//! - `games`: the games, one file or folder each
//! - `learn`: what moves of finished games looked like
//! - `perft`: the number of games of each length, which pins the rules down
//! - `tree`: the search tree and what one simulation was
//! - `terms`: what parts of a search need of each other
//! - `scripts`: Lua scripts that choose how a move is completed
//! - `family`: the macro that makes a family of parts of the list of its members
//! - `root`: how the simulations of a decision are shared among its moves
//! - `selection`: which child a simulation goes to
//! - `playout`: how it goes on below the tree
//! - `prior`: what is expected of a new child
//! - `candidates`: which moves a node considers
//! - `backup`: what goes up the tree beside the mean result
//! - `worlds`: which hidden world a simulation plays in
//! - `forcing`: wins by threats that must be answered
//! - `tactics`: what is proven or forced in a node
//! - `solver`: exact values
//! - `search`: the loop, written once
//! - `player`: who decides for a side
//! - `openings`: how the games of a match begin
//! - `catalogue`: everything that a spec can name
//! - `arena`: one game, many games
//! - `session`: the handle of a built game, and one game in play
//! - `fingerprints`: what every player finds in every game, one hash each
//! - `python`: the only folder that knows PyO3

pub mod arena;
pub mod backup;
pub mod candidates;
pub mod catalogue;
mod family;
pub mod fingerprints;
pub mod forcing;
pub mod game;
pub mod games;
pub mod guest;
pub mod learn;
pub mod openings;
pub mod perft;
pub mod player;
pub mod playout;
pub mod prior;
#[cfg(feature = "python")]
mod python;
pub mod root;
pub mod scripts;
pub mod search;
pub mod selection;
pub mod session;
pub mod solver;
pub mod spec;
pub mod tactics;
pub mod terms;
pub mod tree;
pub mod types;
pub mod worlds;
