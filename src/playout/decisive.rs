//! The playout `decisive`: a win is played at once; in games whose moves are made in stages, a win that is certain.

use super::minimax::Minimax;
use super::{Answer, Built, PlayoutPolicy, Turn, looks_ahead};
use crate::family::Context;
use crate::game::Game;
use crate::spec::{Options, PartInfo};
use crate::types::{Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "decisive",
    options: &[],
    positional: None,
    doc: "Plays a move that wins at once and leaves all else to the next policy",
};

pub fn build<G: Game>(_: &Options, context: &Context<G>) -> Result<Built<G>> {
    let variant = context.variant;
    if variant.game.stages().is_some() && !variant.misere {
        return Ok(Some(Box::new(InStages)));
    }
    looks_ahead::<G>(INFO.name)?;
    Ok(Some(Box::new(Minimax::decisive(variant))))
}

/// A side that can win for certain does so; nobody runs a risk. In a game with hidden information a side wins
/// for certain only by what it can see: this is the game's own notion.
struct InStages;

impl<G: Game> PlayoutPolicy<G> for InStages {
    fn never_passes(&self) -> bool {
        true
    }

    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(stages) = turn.variant.game.stages() else { return Answer::Pass };
        if let Some(win) = stages.winning_move(turn.state, rng) {
            return Answer::Move(win);
        }
        let key = stages.safe_key(turn.state, rng);
        Answer::Move(stages.random_use(turn.state, key, rng))
    }
}
