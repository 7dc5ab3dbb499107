//! The prior `knowledge`: what the game itself expects of its moves.

use super::Prior;
use crate::family::Context;
use crate::game::{Game, Here};
use crate::spec::{Options, PartInfo};
use crate::types::{Error, Move, Result};

pub const INFO: PartInfo = PartInfo {
    name: "knowledge",
    options: &[super::weight("0.5")],
    positional: Some("weight"),
    doc: "What the game itself expects of its moves; for games that know their good moves",
};

pub struct Knowledge {
    weight: f32,
    /// What the game says of each move.
    said: Vec<f32>,
}

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Box<dyn Prior<G>>> {
    if context.variant.priors().is_none() {
        return Err(Error::new(format!(
            "prior knowledge needs a game that knows its good moves, which {} does not",
            context.variant.name()
        )));
    }
    Ok(Box::new(Knowledge { weight: options.real("weight"), said: Vec::new() }))
}

impl<G: Game> Prior<G> for Knowledge {
    fn add(&mut self, here: &Here<G>, moves: &[Move], expected: &mut [f32]) {
        let Some(game) = here.variant.priors() else { return };
        game.priors(here.state, here.last, moves, &mut self.said);
        for (expected, said) in expected.iter_mut().zip(&self.said) {
            *expected += self.weight * said;
        }
    }
}
