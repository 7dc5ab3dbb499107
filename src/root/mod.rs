//! Root: how the simulations of one decision are shared among its moves. One file per policy; the list is at the end.

use crate::spec::{Options, PartInfo, Spec};
use crate::tree::{EdgeId, Tree};
use crate::types::Rng;

pub mod halving;
pub mod plain;

/// Decides at the root alone, before anybody else is asked. Below the root the search goes on as ever.
pub trait Root: Send {
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

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    vec![plain::INFO, halving::INFO]
}

/// Builds the policy that a resolved spec names; none for the plain one, which costs nothing.
pub fn build(spec: &Spec) -> Option<Box<dyn Root>> {
    match Options::new(&spec.parts[0]).name() {
        "plain" => None,
        "halving" => Some(Box::new(halving::Halving::default())),
        other => unreachable!("{other} was resolved but is not in the list of root policies"),
    }
}
