//! Prior: what is expected of a new child before anybody has tried it. One file per policy; the list is at the end.
//!
//! A prior is a bonus that formulas add to the value of a child and that fades with its visits n as 1 / sqrt(n + 1).

use std::sync::Arc;

use crate::game::{Game, Here, Rules};
use crate::scripts::PlayerFiles;
use crate::types::{Move, Result};

pub mod knowledge;
pub mod patterns;

/// Asked once for each node that gets children; what several of them expect is added.
pub trait Prior<G: Game>: Send {
    /// Adds what it expects of `moves`, for the side to move, to `expected`.
    fn add(&mut self, here: &Here<G>, moves: &[Move], expected: &mut [f32]);
}

/// The weights of the policies; 0: there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    pub knowledge: f32,
    pub patterns: f32,
}

/// Builds those that have a weight; refuses what the game cannot serve.
pub fn build<G: Game>(
    weights: Weights,
    rules: &Arc<Rules<G>>,
    books: &PlayerFiles,
) -> Result<Vec<Box<dyn Prior<G>>>> {
    let mut priors: Vec<Box<dyn Prior<G>>> = Vec::new();
    if weights.knowledge > 0.0 {
        priors.push(Box::new(knowledge::Knowledge::new(weights.knowledge, rules)?));
    }
    if weights.patterns > 0.0 {
        priors.push(Box::new(patterns::Patterns::new(weights.patterns, rules, books)?));
    }
    Ok(priors)
}
