//! The prior `patterns`: how often moves with the same small pattern were chosen in the games that were learnt from.

use super::Prior;
use crate::family::Context;
use crate::game::{Game, Here};
use crate::playout::patterns::PatternWeights;
use crate::spec::{Options, PartInfo};
use crate::types::{Move, Result};

pub const INFO: PartInfo = PartInfo {
    name: "patterns",
    options: &[super::weight("1.0")],
    positional: Some("weight"),
    doc: "What learnt patterns expect of a move: the logarithm of its weight in them",
};

/// Weights beyond this, and below its inverse, count no more: they were learnt from few moves.
const SURE: f32 = 50.0;

/// `weight` times the logarithm of a pattern's own weight.
pub struct Patterns {
    weight: f32,
    /// Logarithms of weights.
    table: PatternWeights,
}

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Box<dyn Prior<G>>> {
    let logarithm = |weight: f32| libm::logf(weight.clamp(1.0 / SURE, SURE));
    let make = || PatternWeights::new("prior patterns", None, true, context, logarithm);
    let table = PatternWeights::clone(&*context.files.made("prior patterns", make)?);
    Ok(Box::new(Patterns { weight: options.real("weight"), table }))
}

impl<G: Game> Prior<G> for Patterns {
    fn add(&mut self, here: &Here<G>, moves: &[Move], expected: &mut [f32]) {
        let Here { variant, state, last } = *here;
        let Some(patterns) = variant.patterns() else { return };
        let side = variant.game.side_to_move(state);
        for (expected, &mv) in expected.iter_mut().zip(moves) {
            *expected += self.weight * self.table.value(patterns, state, side, last, mv);
        }
    }
}
