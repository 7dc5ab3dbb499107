//! Prior: what is expected of a new child before its first visit. One file per policy; the list is at the end.
//!
//! A prior is a bonus that formulas add to the value of a child and that fades with its visits n as 1 / sqrt(n + 1).

use crate::family::{Context, members};
use crate::game::{Game, Here};
use crate::spec::{OptionInfo, Options, Spec};
use crate::terms::{ORDER, POSITIONS, Terms};
use crate::tree::{Column, Layout};
use crate::types::{Move, Result};

pub mod knowledge;
pub mod patterns;

/// By edge: what is expected of its move.
pub static PRIOR: Column = Column { name: "prior", begins: 0.0 };

/// Asked once for each node that gets children; what several of them expect is added.
pub trait Prior<G: Game>: Send {
    /// What it keeps in the tree. How a move lies to the last one is a part of what is expected of it.
    fn layout(&self) -> Layout {
        Layout { last_move: true, edges: vec![&PRIOR], ..Layout::default() }
    }
    /// What it needs of the search around it, and gives to it.
    fn terms(&self) -> Terms {
        Terms::default().needs(&POSITIONS, "it is asked of all moves of a node").gives(&ORDER)
    }
    /// Adds what it expects of `moves`, for the side to move, to `expected`.
    fn add(&mut self, here: &Here<G>, moves: &[Move], expected: &mut [f32]);
}

/// How much a prior counts.
const fn weight(default: &'static str) -> OptionInfo {
    OptionInfo::real("weight", 0.001, 100.0, default, "how much it counts")
}

/// Builds those that a resolved spec names, none of them where there is no spec; refuses what the game cannot serve.
pub fn build<G: Game>(spec: Option<&Spec>, context: &Context<G>) -> Result<Vec<Box<dyn Prior<G>>>> {
    let parts = spec.map_or(&[][..], |spec| &spec.parts);
    parts.iter().map(|part| build_one(&Options::new(part), context)).collect()
}

members! {
    fn build_one<G>(context: &Context<G>) -> Result<Box<dyn Prior<G>>>;
    knowledge,
    patterns,
}
