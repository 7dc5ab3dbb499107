//! Uniform playouts: every legal move with the same probability. It is what every chain ends with.

use crate::spec::PartInfo;
use crate::types::Error;

pub const NAME: &str = "uniform";

pub const INFO: PartInfo = PartInfo {
    name: NAME,
    options: &[],
    positional: None,
    doc: "Every legal move with the same probability; the end of every chain",
};

pub fn must_be_last() -> Error {
    Error::new("uniform never passes, so it must be the last policy of its chain")
}
