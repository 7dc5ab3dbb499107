//! The player `jack`: a search in sampled worlds for a game with hidden information, with a constant for each side.
//!
//! What it adds to `mcts`: the exploration constant depends on the side it plays, and the readings of what the
//! Mr Jack paper leaves open (spec section 9) are options.

use std::sync::Arc;

use super::mcts::{self, Mcts};
use super::{Player, Request};
use crate::game::{Game, Rules};
use crate::search::{Hidden, Report, Search};
use crate::spec::{Argument, Family, OptionInfo, Options, Part, PartInfo, Spec, Value};
use crate::types::{Error, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "jack",
    options: &[
        OptionInfo::spec("candidates", Family::Candidates, "scripted_power", "which moves a node considers"),
        OptionInfo::spec("playout", Family::Playout, "decisive", "how it goes on below the tree"),
        OptionInfo::real(
            "k_detective",
            0.0,
            100.0,
            "0.6",
            "exploration constant when it plays the first side",
        ),
        OptionInfo::real("k_jack", 0.0, 100.0, "0.6", "exploration constant when it plays the second side"),
        OptionInfo::choice(
            "opponent",
            &["fair", "informed"],
            "fair",
            "whether the simulated other side may know this side's secret",
        ),
        OptionInfo::choice(
            "detective",
            &["fair", "informed"],
            "fair",
            "whether it is told who Jack is when it plays the first side; informed is for matches only",
        ),
        OptionInfo::choice(
            "draw",
            &["sampled", "free_choice"],
            "sampled",
            "whether cards to come are drawn, or chosen by who moves then",
        ),
        mcts::TIES,
        mcts::FINAL,
        mcts::THREADS,
        mcts::MEMORY,
        mcts::SIMULATIONS,
        mcts::STATES,
        mcts::SECONDS,
        mcts::CPU_SECONDS,
    ],
    positional: None,
    doc: "Information-set search for games with hidden information such as Mr Jack",
};

pub struct Jack<G: Game> {
    /// By side: each searches with its own constant at all nodes.
    by_side: [Mcts<G>; 2],
    /// As the first side it is told the other's secret.
    told: bool,
}

impl<G: Game> Jack<G> {
    /// `part` is resolved.
    pub fn new(part: &Part, rules: &Arc<Rules<G>>) -> Result<Jack<G>> {
        if !G::HIDDEN {
            return Err(Error::new(format!(
                "player jack needs a game with hidden information, which {} is not",
                G::INFO.name
            )));
        }
        let options = Options::new(part);
        let hidden = Hidden {
            informed: options.choice("opponent") == "informed",
            free_choice: options.choice("draw") == "free_choice",
            told: false,
        };
        let told = options.choice("detective") == "informed";
        let for_side = |constant: &str, hidden: Hidden| -> Result<Mcts<G>> {
            let k = Value::Real(options.real_or_none(constant).unwrap_or_default());
            let uct = Spec::single("uct", vec![Argument { key: Some("k".to_string()), value: k }]);
            let part = as_mcts(part, uct)?;
            Ok(Mcts::new(&Options::new(&part), rules)?.hiding(hidden))
        };
        let detective = for_side("k_detective", Hidden { told, ..hidden })?;
        Ok(Jack { by_side: [detective, for_side("k_jack", hidden)?], told })
    }

    fn of_side(&self, side: Side) -> &Mcts<G> {
        &self.by_side[side.index()]
    }
}

/// The part `mcts` with this selection, the options that both players have from `part`, and defaults.
fn as_mcts(part: &Part, selection: Spec) -> Result<Part> {
    let mut arguments = Vec::new();
    for option in mcts::INFO.options {
        let given = part.arguments.iter().find(|argument| argument.key.as_deref() == Some(option.name));
        let value = match (option.name, given) {
            ("selection", _) => Value::Spec(selection.clone()),
            (_, Some(given)) => given.value.clone(),
            (name, None) => {
                let written = Spec::parse(&format!("mcts({name}={})", option.default))?;
                written.parts[0].arguments[0].value.clone()
            }
        };
        arguments.push(Argument { key: Some(option.name.to_string()), value });
    }
    Ok(Part { name: mcts::INFO.name.to_string(), arguments })
}

impl<G: Game> Player<G> for Jack<G> {
    fn choose(&mut self, request: &Request<G>) -> Result<Report> {
        let side = request.rules.game.side_to_move(request.state);
        self.by_side[side.index()].choose(request)
    }

    fn think(&self, rules: &Arc<Rules<G>>, state: &G::State, rng: Rng) -> Result<Search<G>> {
        self.of_side(rules.game.side_to_move(state)).think(rules, state, rng)
    }

    fn is_told(&self) -> Option<&'static str> {
        self.told.then_some("jack with detective=informed is told who Jack is")
    }
}

#[cfg(test)]
mod tests;
