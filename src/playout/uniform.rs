//! Uniform playouts: every legal move with the same probability. It is what every chain ends with.

use super::Built;
use crate::family::Context;
use crate::game::Game;
use crate::spec::{Options, PartInfo};
use crate::types::{Error, Result};

pub const NAME: &str = "uniform";

pub const INFO: PartInfo = PartInfo {
    name: NAME,
    options: &[],
    positional: None,
    doc: "Every legal move with the same probability; the end of every chain",
};

/// No link of a chain, but what it ends with.
pub fn build<G: Game>(_: &Options, _: &Context<G>) -> Result<Built<G>> {
    Ok(Built::End)
}

pub fn must_be_last() -> Error {
    Error::new("uniform never passes, so it must be the last policy of its chain")
}
