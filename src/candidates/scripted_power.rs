//! A child is a key, such as a card and a destination in Mr Jack; a rule script chooses its use when the child is made
//! (version 3 of the Mr Jack paper).

use super::{Candidates, scripts_of};
use crate::family::Context;
use crate::game::{Game, Lists, Question, Scripts, Variant};
use crate::scripts::{self, Asker, PlayerFiles};
use crate::spec::{Options, PartInfo};
use crate::tree::NodeId;
use crate::types::{Error, Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "scripted_power",
    options: &[scripts::OPTION],
    positional: Some("rules"),
    doc: "One child for all moves that differ in their last stage alone, which a rule script chooses",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Box<dyn Candidates<G>>> {
    Ok(Box::new(ScriptedPower::new(options, context.variant, context.files)?))
}

pub struct ScriptedPower {
    asker: Asker,
    failure: Option<Error>,
}

impl ScriptedPower {
    /// `options` are resolved.
    pub fn new<G: Game>(
        options: &Options,
        variant: &Variant<G>,
        files: &PlayerFiles,
    ) -> Result<ScriptedPower> {
        ScriptedPower::of(INFO.name, options, variant, files)
    }

    /// The same for a model that goes by another name.
    pub fn of<G: Game>(
        model: &str,
        options: &Options,
        variant: &Variant<G>,
        files: &PlayerFiles,
    ) -> Result<ScriptedPower> {
        let scripts = scripts_of(model, variant)?;
        let asker = files.asker(&variant.game, scripts, options.text_or_none("rules"))?;
        Ok(ScriptedPower { asker, failure: None })
    }

    /// The use that the script of this key chooses, and its worth. If the script fails, any use: the
    /// failure is reported instead of the search.
    pub fn choose<G: Game>(
        &mut self,
        scripts: &dyn Scripts<G>,
        state: &G::State,
        key: u32,
        rng: &mut Rng,
    ) -> (Move, f32) {
        let question = scripts.question(state, key);
        self.answer(question, || scripts.lists(state, key), rng)
    }

    fn answer(&mut self, question: Question, lists: impl FnOnce() -> Lists, rng: &mut Rng) -> (Move, f32) {
        let any = question.moves[rng.below(question.moves.len())];
        if let Some(worth) = question.settled {
            return (any, worth);
        }
        self.asker.ask(question, lists).unwrap_or_else(|error| {
            self.failure.get_or_insert(error);
            (any, 0.0)
        })
    }

    pub fn failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    pub fn bytes(&self) -> usize {
        self.asker.bytes()
    }
}

impl<G: Game> Candidates<G> for ScriptedPower {
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
        truth: Option<&G::State>,
        key: u32,
        _tried: &[Move],
        rng: &mut Rng,
    ) -> Option<Move> {
        let scripts = game.scripts()?;
        // A side plays for its true secret; only what that one cannot do (an escape) is another's own affair.
        let asked = truth.filter(|truth| scripts.offers(truth, key)).unwrap_or(state);
        let question = scripts.question(asked, key);
        // The script is asked only where there is a choice.
        if let [only] = question.moves[..] {
            return Some(only);
        }
        Some(self.answer(question, || scripts.lists(asked, key), rng).0)
    }

    fn bytes(&self) -> usize {
        ScriptedPower::bytes(self)
    }

    fn failure(&mut self) -> Option<Error> {
        ScriptedPower::failure(self)
    }
}
