//! A child is a card and a destination; a rule script chooses the use of the power when the child is made (V3).

use super::{Candidates, stages_of};
use crate::game::{Game, Rules, Stages};
use crate::rules::{self, Asker, Book};
use crate::spec::{Options, PartInfo};
use crate::tree::NodeId;
use crate::types::{Error, Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "scripted_power",
    options: &[rules::OPTION],
    positional: Some("rules"),
    doc: "One child per card and destination, the use of the power chosen by a rule script",
};

pub struct ScriptedPower {
    asker: Asker,
    failure: Option<Error>,
}

impl ScriptedPower {
    /// `options` are resolved.
    pub fn new<G: Game>(options: &Options, rules: &Rules<G>) -> Result<ScriptedPower> {
        ScriptedPower::of(INFO.name, options, rules)
    }

    /// The same for a model that goes by another name.
    pub fn of<G: Game>(model: &str, options: &Options, rules: &Rules<G>) -> Result<ScriptedPower> {
        let stages = stages_of(model, rules)?;
        let book = Book::open(&rules.game, stages, options.text_or_none("rules"))?;
        Ok(ScriptedPower { asker: Asker::new(&book)?, failure: None })
    }

    /// The use that the script of this key chooses, and its worth. If the script fails, any use: the
    /// failure is reported instead of the search.
    pub fn choose<G: Game>(
        &mut self,
        stages: &dyn Stages<G>,
        state: &G::State,
        key: u32,
        rng: &mut Rng,
    ) -> (Move, f32) {
        let question = stages.question(state, key);
        if let Some(worth) = question.settled {
            return (question.moves[rng.below(question.moves.len())], worth);
        }
        match self.asker.ask(&question) {
            Ok((option, worth)) => (question.moves[option], worth),
            Err(error) => {
                self.failure.get_or_insert(error);
                (stages.random_use(state, key, rng), 0.0)
            }
        }
    }

    pub fn failure(&mut self) -> Option<Error> {
        self.failure.take()
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
        let stages = game.stages()?;
        // A side plays for its true secret; only what that one cannot do (an escape) is another's own affair.
        let asked = truth.filter(|truth| stages.offers(truth, key)).unwrap_or(state);
        Some(self.choose(stages, asked, key, rng).0)
    }

    fn failure(&mut self) -> Option<Error> {
        ScriptedPower::failure(self)
    }
}
