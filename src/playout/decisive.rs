//! The playout `decisive`: a win is played at once; with hidden information, a win that is certain.

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
    if variant.decisive().is_some() {
        return Built::link(Certain);
    }
    looks_ahead::<G>(INFO.name)?;
    Built::link(Minimax::decisive(variant))
}

/// Wins where the game says that the side to move can be certain of it, and plays no move that may lose at once.
struct Certain;

impl<G: Game> PlayoutPolicy<G> for Certain {
    fn never_passes(&self) -> bool {
        true
    }

    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(decisive) = turn.variant.decisive() else { return Answer::Pass };
        if let Some(win) = decisive.winning_move(turn.state, rng) {
            return Answer::Move(win);
        }
        let key = decisive.safe_key(turn.state, rng);
        Answer::Move(decisive.random_use(turn.state, key, rng))
    }
}
