//! Root: how the simulations of one decision are shared among its moves. One file per policy; the list is at the end.

use crate::family::members;
use crate::spec::{Options, Spec};
use crate::tree::{EdgeId, Tree};
use crate::types::{Result, Rng};

pub mod halving;
pub mod plain;

/// The search around a root policy: what it must be able to do with, or refuse.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Of each decision; None: some other limit.
    pub simulations: Option<u64>,
    pub threads: usize,
    /// The search stops once the most visited move cannot be caught.
    pub stops_early: bool,
    /// Nodes offer only some of their moves at first.
    pub widens: bool,
    /// The final rule is the usual one.
    pub plays_most_visited: bool,
}

/// Chooses at the root, in the place of the selection formula, which chooses below it as usual.
pub trait Root: Send {
    /// The edge of the root, tried or untried, that the next simulation begins with; None: the root is a node like any
    /// other. `left`: simulations of this decision that are still to come, this one included, where that is known.
    fn choose(&mut self, tree: &Tree, left: Option<u64>, rng: &mut Rng) -> Option<EdgeId>;
    /// The edge that is played in the end, if it is for this policy to say.
    fn best(&self, tree: &Tree) -> Option<EdgeId>;
    /// The search has another root or begins anew.
    fn new_root(&mut self);
    /// Refuses a search that it cannot serve.
    fn check(&self, _plan: &Plan) -> Result<()> {
        Ok(())
    }
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
