//! Playouts for games whose moves are made in stages: decisive moves, rule scripts, and an end before the end.

use super::{Answer, PlayoutPolicy, Turn};
use crate::game::{Game, Rules, Stages};
use crate::scripts::{self, Asker, PlayerFiles};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Error, Result, Rng};

pub const SCRIPTED: PartInfo = PartInfo {
    name: "scripted",
    options: &[scripts::OPTION],
    positional: Some("rules"),
    doc: "As decisive, with the use of the power chosen by a rule script",
};

pub const CUTOFF: PartInfo = PartInfo {
    name: "cutoff",
    options: &[OptionInfo::int("n", 0, 1_000_000, "6", "moves of a playout")],
    positional: Some("n"),
    doc: "Ends a playout after n moves with the game's estimate of the result",
};

/// Refuses a game whose moves have no stages.
fn stages_of<'a, G: Game>(policy: &str, rules: &'a Rules<G>) -> Result<&'a dyn Stages<G>> {
    let stages = if rules.misere { None } else { rules.game.stages() };
    let misere = if rules.misere { "misere " } else { "" };
    stages.ok_or_else(|| {
        Error::new(format!(
            "playout {policy} needs moves made in stages, which {misere}{} does not have",
            G::INFO.name
        ))
    })
}

/// A side that can win for certain does so; nobody runs a risk. In a game with hidden information a side wins
/// for certain only by what it can see: this is the game's own notion.
pub struct Decisive;

impl<G: Game> PlayoutPolicy<G> for Decisive {
    fn never_passes(&self) -> bool {
        true
    }

    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(stages) = turn.rules.game.stages() else { return Answer::Pass };
        if let Some(win) = stages.winning_move(turn.state, rng) {
            return Answer::Move(win);
        }
        let key = stages.safe_key(turn.state, rng);
        Answer::Move(stages.random_use(turn.state, key, rng))
    }
}

/// The same with powers used by rule.
pub struct Scripted {
    asker: Asker,
    failure: Option<Error>,
}

impl Scripted {
    /// `options` are resolved.
    pub fn new<G: Game>(options: &Options, rules: &Rules<G>, books: &PlayerFiles) -> Result<Scripted> {
        let stages = stages_of(SCRIPTED.name, rules)?;
        let asker = books.asker(&rules.game, stages, options.text_or_none("rules"))?;
        Ok(Scripted { asker, failure: None })
    }
}

impl<G: Game> PlayoutPolicy<G> for Scripted {
    fn never_passes(&self) -> bool {
        true
    }

    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(stages) = turn.rules.game.stages() else { return Answer::Pass };
        if let Some(win) = stages.winning_move(turn.state, rng) {
            return Answer::Move(win);
        }
        let key = stages.safe_key(turn.state, rng);
        let question = stages.question(turn.state, key);
        // Where there is nothing to choose nobody needs to be asked.
        if let [only] = question.moves[..] {
            return Answer::Move(only);
        }
        match self.asker.ask(question, || stages.lists(turn.state, key)) {
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

/// A playout of n moves, then an estimate.
pub struct Cutoff {
    n: usize,
    /// Moves before the playout, and moves of it so far.
    done: usize,
}

impl Cutoff {
    /// `options` are resolved.
    pub fn new<G: Game>(options: &Options, rules: &Rules<G>) -> Result<Cutoff> {
        stages_of(CUTOFF.name, rules)?;
        Ok(Cutoff { n: options.size("n"), done: 0 })
    }
}

impl<G: Game> PlayoutPolicy<G> for Cutoff {
    fn begin(&mut self, _leaf: &super::Leaf<G>, _rng: &mut Rng) {
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
        match turn.rules.game.stages() {
            Some(stages) => Answer::Value(stages.estimate(turn.state)),
            None => Answer::Pass,
        }
    }
}
