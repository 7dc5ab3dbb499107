//! The plain root: a node like any other.

use super::Built;
use crate::spec::{Options, PartInfo};

pub const INFO: PartInfo = PartInfo {
    name: "plain",
    options: &[],
    positional: None,
    doc: "The root is a node like any other: the selection shares the simulations out",
};

pub fn build(_: &Options) -> Built {
    None
}
