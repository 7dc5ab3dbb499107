//! Candidates: which moves a node considers. The list is at the end.

use crate::spec::PartInfo;

/// Every legal move.
pub const FULL: PartInfo =
    PartInfo { name: "full", options: &[], positional: None, doc: "Every legal move is a child" };

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    vec![FULL]
}
