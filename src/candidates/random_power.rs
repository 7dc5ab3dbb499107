//! A child is a card and a destination; the use of the power is drawn once, when the child is made (V2).

use super::{Candidates, stages_of};
use crate::game::{Game, Rules};
use crate::spec::PartInfo;
use crate::tree::NodeId;
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "random_power",
    options: &[],
    positional: None,
    doc: "One child per card and destination, the use of the power drawn when it is made",
};

pub struct RandomPower;

impl RandomPower {
    pub fn new<G: Game>(rules: &Rules<G>) -> Result<RandomPower> {
        stages_of(INFO.name, rules).map(|_| RandomPower)
    }
}

impl<G: Game> Candidates<G> for RandomPower {
    fn keys(&mut self, game: &G, state: &G::State, _node: NodeId, keys: &mut Vec<u32>) {
        if let Some(stages) = game.stages() {
            stages.keys(state, keys);
        }
    }

    fn one_per_key(&self) -> bool {
        true
    }

    fn complete(
        &mut self,
        game: &G,
        state: &G::State,
        _truth: Option<&G::State>,
        key: u32,
        _tried: &[Move],
        rng: &mut Rng,
    ) -> Option<Move> {
        game.stages().map(|stages| stages.random_use(state, key, rng))
    }
}
