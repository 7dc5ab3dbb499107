//! Openings: how the games of a match begin.

use crate::spec::{OptionInfo, Options, PartInfo, Spec};

/// How the games of a match begin.
#[derive(Clone, Debug, PartialEq)]
pub enum Openings {
    None,
    /// So many uniformly random moves, the same for both games of a pair.
    Random {
        plies: usize,
    },
    /// Pair k starts with line k (modulo their number).
    Lines(Vec<Vec<String>>),
}

const OPENINGS: &[PartInfo] = &[
    PartInfo { name: "none", options: &[], positional: None, doc: "Games start from the initial position" },
    PartInfo {
        name: "random",
        options: &[OptionInfo::int("plies", 1, 100, "2", "how many random moves")],
        positional: Some("plies"),
        doc: "Random first moves, the same for both games of a pair",
    },
];

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    OPENINGS.to_vec()
}

impl Openings {
    /// `spec` is resolved.
    pub fn from_spec(spec: &Spec) -> Openings {
        let options = Options::new(&spec.parts[0]);
        match options.name() {
            "none" => Openings::None,
            "random" => Openings::Random { plies: options.size("plies") },
            other => unreachable!("{other} was resolved but is not in the list of openings"),
        }
    }
}
