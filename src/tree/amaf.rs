//! AMAF: one entry of its tables, and what the parts of a search ask of them.

use crate::spec::{OptionInfo, Options};
use crate::types::{Error, Result};

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

/// What the policies of a search read, so that nothing else is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    pub amaf: AmafNeed,
    /// None where AMAF is not read.
    pub amaf_from: Option<AmafFrom>,
    /// The moves of each playout.
    pub moves: bool,
}

impl Needs {
    /// Of AMAF alone.
    pub fn amaf(amaf: AmafNeed, from: AmafFrom) -> Needs {
        Needs { amaf, amaf_from: (amaf != AmafNeed::None).then_some(from), moves: false }
    }

    pub fn and(self, other: Needs) -> Needs {
        let amaf_from = match (self.amaf_from, other.amaf_from) {
            (Some(one), Some(another)) if one != another => Some(AmafFrom::Disputed),
            (one, another) => one.or(another),
        };
        Needs { amaf: self.amaf.max(other.amaf), amaf_from, moves: self.moves || other.moves }
    }

    /// Refuses parts that want AMAF from different moves.
    pub fn agreed(self) -> Result<Needs> {
        match self.amaf_from {
            Some(AmafFrom::Disputed) => Err(Error::new(
                "the policies of a search share one AMAF table, learnt from whole simulations or from the moves made \
                 in the tree: give all that read it the same learn=simulation or learn=tree",
            )),
            _ => Ok(self),
        }
    }

    /// Whether anybody reads the moves of a simulation.
    pub fn records_moves(self) -> bool {
        self.moves || self.amaf != AmafNeed::None
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
