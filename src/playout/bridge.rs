//! Bridge replies: a playout that is cut between two stones joins them on the other side.

use super::{Answer, Built, PlayoutPolicy, Turn, offered};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::Layout;
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "bridge",
    options: &[OptionInfo::real("p", 0.0, 1.0, "1", "probability of a reply where there is one")],
    positional: None,
    doc: "Answers a move between two own stones in the other cell that both touch",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Bridge::new(options, context.variant)?)
}

pub struct Bridge {
    p: f32,
    replies: Vec<Move>,
}

impl Bridge {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<Bridge> {
        offered("bridge", "bridges", variant, variant.bridges())?;
        Ok(Bridge { p: options.real("p"), replies: Vec::new() })
    }
}

impl<G: Game> PlayoutPolicy<G> for Bridge {
    fn layout(&self) -> Layout {
        Layout::moves()
    }

    #[inline]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(&(last, mover)) = turn.moves.last() else { return Answer::Pass };
        if mover == turn.side {
            return Answer::Pass;
        }
        let Some(bridges) = turn.variant.bridges() else { return Answer::Pass };
        self.replies.clear();
        bridges.bridge_replies(turn.state, turn.side, last, &mut self.replies);
        if self.replies.is_empty() || !rng.chance(self.p) {
            return Answer::Pass;
        }
        Answer::Move(self.replies[rng.below(self.replies.len())])
    }
}
