//! The player `jack`: a search in sampled worlds for a game with hidden information, with a constant for each side.
//!
//! What it adds to `mcts`: the exploration constant depends on the side it plays, and the readings of what the
//! Mr Jack paper leaves open (spec section 9) are options.

use std::sync::Arc;

use super::mcts::{self, Mcts};
use super::{Player, Request, expansion};
use crate::game::{Game, Variant};
use crate::search::{Report, Search};
use crate::spec::{Argument, Catalogue, Family, OptionInfo, Options, Part, PartInfo, Spec, Value};
use crate::types::{Error, Result, Rng, Side};
use crate::{backup, root};

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
            "detective",
            &["fair", "informed"],
            "fair",
            "whether it is told who Jack is when it plays the first side; informed is for matches only",
        ),
        mcts::WORLDS,
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

pub fn build<G: Game>(options: &Options, variant: &Arc<Variant<G>>) -> Result<Box<dyn Player<G>>> {
    Ok(Box::new(Jack::new(options, variant)?))
}

pub struct Jack<G: Game> {
    /// By side: each searches with its own constant at all nodes.
    by_side: [Mcts<G>; 2],
    /// As the first side it is told the other's secret.
    told: bool,
}

impl<G: Game> Jack<G> {
    /// `options` are resolved.
    fn new(options: &Options, variant: &Arc<Variant<G>>) -> Result<Jack<G>> {
        if !G::HIDDEN {
            return Err(Error::new(format!(
                "player jack needs a game with hidden information, which {} is not",
                G::INFO.name
            )));
        }
        let told = options.choice("detective") == "informed";
        let for_side = |constant: &str| -> Result<Mcts<G>> {
            let k = Value::Real(options.real_or_none(constant).unwrap_or_default());
            let uct = Spec::single("uct", vec![Argument { key: Some("k".to_string()), value: k }]);
            let part = as_mcts(options.part(), uct)?;
            Mcts::new(&Options::new(&part), variant)
        };
        Ok(Jack { by_side: [for_side("k_detective")?.told(told), for_side("k_jack")?], told })
    }

    fn of_side(&self, side: Side) -> &Mcts<G> {
        &self.by_side[side.index()]
    }
}

/// The part `mcts` with this selection, the options that both players have from `part`, and defaults.
fn as_mcts(part: &Part, selection: Spec) -> Result<Part> {
    // Slots that `jack` leaves alone.
    let slots = [
        (Family::Root, root::infos()),
        (Family::Expansion, expansion::infos()),
        (Family::Backup, backup::infos()),
    ];
    let parts =
        slots.into_iter().flat_map(|(family, infos)| infos.into_iter().map(move |info| (family, info)));
    let defaults = Catalogue { parts: parts.collect(), named: Vec::new() };
    let mut arguments = Vec::new();
    for option in mcts::INFO.options {
        let given = part.arguments.iter().find(|argument| argument.key.as_deref() == Some(option.name));
        let value = match (option.name, given) {
            ("selection", _) => Value::Spec(selection.clone()),
            (_, Some(given)) => given.value.clone(),
            (_, None) => defaults.default_of(mcts::INFO.name, option)?,
        };
        arguments.push(Argument { key: Some(option.name.to_string()), value });
    }
    Ok(Part { name: mcts::INFO.name.to_string(), arguments })
}

impl<G: Game> Player<G> for Jack<G> {
    fn again(&self) -> Box<dyn Player<G>> {
        let [detective, jack] = &self.by_side;
        Box::new(Jack { by_side: [detective.fresh(), jack.fresh()], told: self.told })
    }

    fn choose(&mut self, request: &Request<G>) -> Result<Report> {
        let side = request.variant.game.side_to_move(request.state);
        self.by_side[side.index()].choose(request)
    }

    fn think(&self, variant: &Arc<Variant<G>>, state: &G::State, rng: Rng) -> Result<Search<G>> {
        self.of_side(variant.game.side_to_move(state)).think(variant, state, rng)
    }

    fn is_told(&self) -> Option<&'static str> {
        self.told.then_some("jack with detective=informed is told who Jack is")
    }
}

#[cfg(test)]
mod tests;
