//! The worlds `sampled`: every simulation draws a world that agrees with what its observer knows.

use super::Hidden;
use crate::family::Context;
use crate::game::Game;
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Error, Result};

pub const INFO: PartInfo = PartInfo {
    name: "sampled",
    options: &[
        OptionInfo::choice(
            "opponent",
            &["fair", "informed"],
            "fair",
            "whether the simulated other side may know this side's secret",
        ),
        OptionInfo::choice(
            "draw",
            &["sampled", "free_choice"],
            "sampled",
            "whether chance to come, such as cards, is drawn, or chosen by who moves then",
        ),
    ],
    positional: None,
    doc: "Every simulation draws a world that agrees with what its observer knows",
};

pub fn build<G: Game>(options: &Options, _: &Context<G>) -> Result<Hidden> {
    let hidden = Hidden {
        informed: options.choice("opponent") == "informed",
        free_choice: options.choice("draw") == "free_choice",
        told: false,
    };
    if !G::HIDDEN && hidden != Hidden::default() {
        return Err(Error::new(format!(
            "worlds=sampled: opponent and draw need a game with hidden information, which {} is not",
            G::INFO.name
        )));
    }
    Ok(hidden)
}
