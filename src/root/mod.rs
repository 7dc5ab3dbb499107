//! Root: how the simulations of one decision are shared among its moves. One file per policy; the list is at the end.

use crate::family::members;
use crate::spec::{Options, Spec};
use crate::terms::{POSITIONS, Terms};
use crate::tree::{EdgeId, Layout, Tree};
use crate::types::Rng;

pub mod halving;
pub mod plain;

/// Chooses at the root, in the place of the selection formula, which chooses below it as usual.
pub trait Root: Send {
    /// What it keeps in the tree.
    fn layout(&self) -> Layout {
        Layout::default()
    }
    /// What it needs of the search around it.
    fn terms(&self) -> Terms {
        Terms::default().needs(&POSITIONS, "it chooses among all moves of the root")
    }
    /// The edge of the root, tried or untried, that the next simulation begins with; None: the root is a node like any
    /// other. `left`: simulations of this decision that are still to come, this one included, where that is known.
    fn choose(&mut self, tree: &Tree, left: Option<u64>, rng: &mut Rng) -> Option<EdgeId>;
    /// The edge that is played in the end, if it is for this policy to say.
    fn best(&self, tree: &Tree) -> Option<EdgeId>;
    /// The search has another root or begins anew.
    fn new_root(&mut self);
    /// What a reader of the results should know.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// None for the plain one, which costs nothing.
pub type Built = Option<Box<dyn Root>>;

/// Builds the policy that a resolved spec names.
pub fn build(spec: &Spec) -> Built {
    build_one(&Options::new(&spec.parts[0]))
}

members! {
    fn build_one() -> Built;
    plain,
    halving,
}
