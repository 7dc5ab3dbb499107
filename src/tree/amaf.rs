//! AMAF: one entry of its tables, and which of them the parts of a search read.

use crate::spec::{OptionInfo, Options};

/// Which AMAF tables the parts of a search read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AmafNeed {
    #[default]
    None,
    /// Moves of the side to move at the node.
    Mover,
    /// Moves of both sides.
    Both,
}

/// Which moves of a simulation AMAF is learnt from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmafFrom {
    /// All of them, in the tree and in the playout.
    Simulation,
    /// Those made in the tree.
    Tree,
    /// Parts of the search want different ones: such a search is never made.
    Disputed,
}

impl AmafFrom {
    /// Of every policy that reads AMAF.
    pub const OPTION: OptionInfo = OptionInfo::choice(
        "learn",
        &["simulation", "tree"],
        "simulation",
        "AMAF is learnt from whole simulations, or from the moves made in the tree only; alike in all parts of a search",
    );

    /// What the option says.
    pub fn read(options: &Options) -> AmafFrom {
        if options.choice(AmafFrom::OPTION.name) == "tree" { AmafFrom::Tree } else { AmafFrom::Simulation }
    }
}

/// Visits and summed results of one move, for the side that plays it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amaf {
    pub visits: f32,
    pub score: f32,
}

impl Amaf {
    /// Mean with one win and one loss beforehand: 1/2 when unseen.
    #[inline]
    pub fn smoothed(self) -> f32 {
        (1.0 + self.score) / (2.0 + self.visits)
    }

    #[inline]
    pub fn mean(self) -> Option<f32> {
        (self.visits > 0.0).then(|| self.score / self.visits)
    }
}
