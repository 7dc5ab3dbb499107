//! The prior `knowledge`: what the game itself expects of its moves.

use super::Prior;
use crate::game::{Game, Here, Rules};
use crate::types::{Error, Move, Result};

pub struct Knowledge {
    weight: f32,
    /// What the game says of each move.
    said: Vec<f32>,
}

impl Knowledge {
    pub fn new<G: Game>(weight: f32, rules: &Rules<G>) -> Result<Knowledge> {
        if rules.priors().is_none() {
            let misere = if rules.misere { "misere " } else { "" };
            return Err(Error::new(format!(
                "prior needs a game that knows its good moves, which {misere}{} does not",
                G::INFO.name
            )));
        }
        Ok(Knowledge { weight, said: Vec::new() })
    }
}

impl<G: Game> Prior<G> for Knowledge {
    fn add(&mut self, here: &Here<G>, moves: &[Move], expected: &mut [f32]) {
        let Some(game) = here.rules.priors() else { return };
        game.priors(here.state, here.last, moves, &mut self.said);
        for (expected, said) in expected.iter_mut().zip(&self.said) {
            *expected += self.weight * said;
        }
    }
}
