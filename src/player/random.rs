//! The player that draws its move: the beginner's first opponent and every experiment's floor.

use super::{Player, Request};
use crate::game::Game;
use crate::search::Report;
use crate::spec::PartInfo;
use crate::types::Result;

pub const INFO: PartInfo = PartInfo {
    name: "random",
    options: &[],
    positional: None,
    doc: "Draws a move as a uniform playout would",
};

pub struct Random;

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
