//! A child is a key, such as a card and a destination in Mr Jack; its use is drawn when the child is made, or each time
//! it is played (version 2 of the Mr Jack paper).

use super::{Candidates, stages_of};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::NodeId;
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "random_power",
    options: &[OptionInfo::choice(
        "drawn",
        &["made", "played"],
        "made",
        "when the last stage is drawn: once, when the child is made, or each time it is played, in simulations and in the \
         end",
    )],
    positional: None,
    doc: "One child for all moves that differ in their last stage alone, which is drawn at random",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Box<dyn Candidates<G>>> {
    Ok(Box::new(RandomPower::new(options, context.variant)?))
}

/// Draws the move that stands for a child whose use is drawn each time: the same for the same position, so that the
/// reports of several trees can be added.
const STANDS_FOR: u64 = 1;

pub struct RandomPower {
    /// The use is drawn each time the child is played.
    played: bool,
}

impl RandomPower {
    /// `options` are resolved.
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<RandomPower> {
        stages_of(INFO.name, variant)?;
        Ok(RandomPower { played: options.choice("drawn") == "played" })
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
        let stages = game.stages()?;
        Some(match self.played {
            true => stages.random_use(state, key, &mut Rng::new(STANDS_FOR)),
            false => stages.random_use(state, key, rng),
        })
    }

    fn redraw(&self, game: &G, state: &G::State, child: Move, rng: &mut Rng) -> Option<Move> {
        let stages = game.stages().filter(|_| self.played)?;
        Some(stages.random_use(state, game.slot(child) as u32, rng))
    }
}
