//! The prior `patterns`: how often moves with the same small pattern were chosen in the games that were learnt from.

use super::Prior;
use crate::game::{Game, Here, Rules};
use crate::playout::patterns::PatternWeights;
use crate::scripts::PlayerFiles;
use crate::types::{Move, Result};

/// Weights beyond this, and below its inverse, count no more: they were learnt from few moves.
const SURE: f32 = 50.0;

/// `weight` times the logarithm of a pattern's own weight.
pub struct Patterns {
    weight: f32,
    /// Logarithms of weights.
    table: PatternWeights,
}

impl Patterns {
    pub fn new<G: Game>(weight: f32, rules: &Rules<G>, books: &PlayerFiles) -> Result<Patterns> {
        let logarithm = |weight: f32| libm::logf(weight.clamp(1.0 / SURE, SURE));
        let table = PatternWeights::new("prior_patterns", None, true, rules, books, logarithm)?;
        Ok(Patterns { weight, table })
    }
}

impl<G: Game> Prior<G> for Patterns {
    fn add(&mut self, here: &Here<G>, moves: &[Move], expected: &mut [f32]) {
        let Here { rules, state, last } = *here;
        let Some(patterns) = rules.knowledge().and_then(|knowledge| knowledge.patterns()) else { return };
        let side = rules.game.side_to_move(state);
        for (expected, &mv) in expected.iter_mut().zip(moves) {
            *expected += self.weight * self.table.value(patterns, state, side, last, mv);
        }
    }
}
