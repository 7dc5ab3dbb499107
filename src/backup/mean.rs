//! The plain backup: the mean result of the simulations, and nothing beside it.

use crate::spec::PartInfo;

pub const INFO: PartInfo = PartInfo {
    name: "mean",
    options: &[],
    positional: None,
    doc: "The mean result of the simulations alone",
};
