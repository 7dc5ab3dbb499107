//! The plain backup: the mean result of the simulations, and nothing beside it.

use super::Built;
use crate::family::Context;
use crate::game::Game;
use crate::spec::{Options, PartInfo};
use crate::types::Result;

pub const INFO: PartInfo = PartInfo {
    name: "mean",
    options: &[],
    positional: None,
    doc: "The mean result of the simulations alone",
};

pub fn build<G: Game>(_: &Options, _: &Context<G>) -> Result<Built<G>> {
    Ok(None)
}
