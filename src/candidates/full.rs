//! Every legal move is a child (version 1 of the Mr Jack paper).
//!
//! A game with moves in stages lists no uses to pick one: an untried child is a random key's random use, and only
//! where that has been tried already are the uses of this one key gone through.

use super::Candidates;
use crate::family::Context;
use crate::game::Game;
use crate::spec::{Options, PartInfo};
use crate::tree::NodeId;
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo =
    PartInfo { name: "full", options: &[], positional: None, doc: "Every legal move is a child" };

pub fn build<G: Game>(_: &Options, _: &Context<G>) -> Result<Box<dyn Candidates<G>>> {
    Ok(Box::new(Full::default()))
}

#[derive(Default)]
pub struct Full {
    moves: Vec<Move>,
}

impl<G: Game> Candidates<G> for Full {
    fn grows(&self) -> bool {
        false
    }

    fn keys(&mut self, game: &G, state: &G::State, _node: NodeId, keys: &mut Vec<u32>) {
        if let Some(stages) = game.stages() {
            return stages.keys(state, keys);
        }
        self.moves.clear();
        game.legal_moves(state, &mut self.moves);
        keys.extend(self.moves.iter().map(|mv| mv.0));
        keys.sort_unstable();
    }

    fn one_per_key(&self) -> bool {
        false
    }

    fn complete(
        &mut self,
        game: &G,
        state: &G::State,
        _truth: Option<&G::State>,
        key: u32,
        tried: &[Move],
        rng: &mut Rng,
    ) -> Option<Move> {
        let Some(stages) = game.stages() else {
            return tried.is_empty().then_some(Move(key));
        };
        let drawn = stages.random_use(state, key, rng);
        if !tried.contains(&drawn) {
            return Some(drawn);
        }
        self.moves.clear();
        stages.uses(state, key, &mut self.moves);
        self.moves.retain(|mv| !tried.contains(mv));
        (!self.moves.is_empty()).then(|| self.moves[rng.below(self.moves.len())])
    }
}
