//! The tactic `solver`: proven results are backed up and searched no further. It stands for all others: what they find
//! is proven.

use super::Tactics;
use crate::family::Context;
use crate::game::Game;
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Error, Result};

pub const INFO: PartInfo = PartInfo {
    name: "solver",
    options: &[OptionInfo::flag(
        "play_on_when_lost",
        "false",
        "if proven lost, restart without the solver and play for the best practical chance",
    )],
    positional: None,
    doc: "Back up proven results and search nothing proven again",
};

pub fn build<G: Game>(options: &Options, _: &Context<G>, tactics: &mut Tactics<G>) -> Result<()> {
    if G::HIDDEN {
        return Err(Error::new(format!(
            "tactics need a game without hidden information, which {} is not",
            G::INFO.name
        )));
    }
    tactics.solve = true;
    tactics.play_on_when_lost = options.flag("play_on_when_lost");
    Ok(())
}
