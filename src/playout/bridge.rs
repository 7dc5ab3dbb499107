//! Bridge replies: a playout that is cut between two stones joins them on the other side.

use super::{Answer, PlayoutPolicy, Turn, knowledge_of};
use crate::game::{Game, Rules};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::Layout;
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "bridge",
    options: &[OptionInfo::real("p", 0.0, 1.0, "1", "probability of a reply where there is one")],
    positional: None,
    doc: "Answers a move between two own stones in the other cell that both touch",
};

pub struct Bridge {
    p: f32,
    replies: Vec<Move>,
}

impl Bridge {
    pub fn new<G: Game>(options: &Options, rules: &Rules<G>) -> Result<Bridge> {
        knowledge_of("bridge", "bridges", rules)?;
        Ok(Bridge { p: options.real("p"), replies: Vec::new() })
    }
}

impl<G: Game> PlayoutPolicy<G> for Bridge {
    fn layout(&self) -> Layout {
        Layout::moves()
    }

    #[inline(always)]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(&(last, mover)) = turn.moves.last() else { return Answer::Pass };
        if mover == turn.side {
            return Answer::Pass;
        }
        let Some(knowledge) = turn.rules.knowledge() else { return Answer::Pass };
        self.replies.clear();
        knowledge.bridge_replies(turn.state, turn.side, last, &mut self.replies);
        if self.replies.is_empty() || !rng.chance(self.p) {
            return Answer::Pass;
        }
        Answer::Move(self.replies[rng.below(self.replies.len())])
    }
}
