//! The playout `scripted`: as `decisive`, with the last stage of a move chosen by rule scripts.

use super::{Answer, Built, PlayoutPolicy, Turn, offered};
use crate::family::Context;
use crate::game::{Game, Scripts, Variant};
use crate::scripts::{self, Asker};
use crate::spec::{Options, PartInfo};
use crate::types::{Error, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "scripted",
    options: &[scripts::OPTION],
    positional: Some("rules"),
    doc: "As decisive, with the last stage of a move chosen by a rule script",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    let scripts = scripts_of(INFO.name, context.variant)?;
    let asker = context.files.asker(&context.variant.game, scripts, options.text_or_none("rules"))?;
    Built::link(Scripted { asker, failure: None })
}

/// Refuses a game without rule scripts.
fn scripts_of<'a, G: Game>(policy: &str, variant: &'a Variant<G>) -> Result<&'a dyn Scripts<G>> {
    offered(policy, "rule scripts", variant, variant.decisive().and(variant.game.scripts()))
}

struct Scripted {
    asker: Asker,
    failure: Option<Error>,
}

impl<G: Game> PlayoutPolicy<G> for Scripted {
    fn never_passes(&self) -> bool {
        true
    }

    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(scripts) = turn.variant.game.scripts() else { return Answer::Pass };
        if let Some(win) = scripts.winning_move(turn.state, rng) {
            return Answer::Move(win);
        }
        let key = scripts.safe_key(turn.state, rng);
        let question = scripts.question(turn.state, key);
        // The script is asked only where there is a choice.
        if let [only] = question.moves[..] {
            return Answer::Move(only);
        }
        match self.asker.ask(question, || scripts.lists(turn.state, key)) {
            Ok((mv, _)) => Answer::Move(mv),
            Err(error) => {
                self.failure.get_or_insert(error);
                Answer::Abandon
            }
        }
    }

    fn failure(&mut self) -> Option<Error> {
        self.failure.take()
    }
}
