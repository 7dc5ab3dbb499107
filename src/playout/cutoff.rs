//! The playout `cutoff`: an end before the end, with what the game's evaluation expects.

use super::{Answer, Built, Leaf, PlayoutPolicy, Turn, offered};
use crate::family::Context;
use crate::game::Game;
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "cutoff",
    options: &[OptionInfo::int("n", 0, 1_000_000, "6", "moves of a playout")],
    positional: Some("n"),
    doc: "Ends a playout after n moves with the game's estimate of the result",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    offered(INFO.name, "an evaluation of positions", context.variant, context.variant.evaluation())?;
    Built::link(Cutoff { n: options.size("n"), done: 0 })
}

struct Cutoff {
    n: usize,
    /// Moves before the playout, and moves of it so far.
    done: usize,
}

impl<G: Game> PlayoutPolicy<G> for Cutoff {
    fn begin(&mut self, _leaf: &Leaf<G>, _rng: &mut Rng) {
        PlayoutPolicy::<G>::begin_again(self);
    }

    fn begin_again(&mut self) {
        self.done = 0;
    }

    fn never_passes(&self) -> bool {
        self.n == 0
    }

    fn choose(&mut self, turn: &Turn<G>, _rng: &mut Rng) -> Answer {
        if self.done < self.n {
            self.done += 1;
            return Answer::Pass;
        }
        let evaluation = turn.variant.evaluation();
        evaluation.map_or(Answer::Pass, |evaluation| Answer::Value(evaluation.value(turn.state)))
    }
}
