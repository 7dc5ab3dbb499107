//! The player that draws its move: the beginner's first opponent and every experiment's floor.

use std::sync::Arc;

use super::{Player, Request};
use crate::game::{Game, Variant};
use crate::search::Report;
use crate::spec::{Options, PartInfo};
use crate::types::Result;

pub const INFO: PartInfo = PartInfo {
    name: "random",
    options: &[],
    positional: None,
    doc: "Draws a move as a uniform playout would",
};

pub fn build<G: Game>(_options: &Options, _variant: &Arc<Variant<G>>) -> Result<Box<dyn Player<G>>> {
    Ok(Box::new(Random))
}

struct Random;

impl<G: Game> Player<G> for Random {
    fn again(&self) -> Box<dyn Player<G>> {
        Box::new(Random)
    }

    fn choose(&mut self, request: &Request<G>) -> Result<Report> {
        let mut rng = request.rng.clone();
        let best = request.variant.game.random_move(request.state, &mut rng);
        Ok(Report {
            best,
            moves: Vec::new(),
            line: vec![best],
            simulations: 0,
            states: 0,
            seconds: 0.0,
            nodes: 0,
            bytes: 0,
            full_at: None,
            notes: Vec::new(),
        })
    }
}
