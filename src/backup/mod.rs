//! Backup: what goes up the tree beside the mean result. One file per policy; the list is at the end.

use crate::game::{Game, Here, Rules};
use crate::spec::{Options, PartInfo, Spec};
use crate::tree::{Backed, Layout, NodeId, Step, Tree};
use crate::types::{Error, Move, Result};

pub mod implicit_minimax;
pub mod mean;

/// Keeps a value of its own for every edge, which formulas read mixed with the mean. Results are counted as ever.
pub trait Backup<G: Game>: Send {
    /// The column of its values, and whatever else it keeps in the tree.
    fn layout(&self) -> Layout;
    /// How formulas read its values.
    fn backed(&self) -> Backed;
    /// `node` has just got these moves as its edges, in this order.
    fn expand(&mut self, here: &Here<G>, moves: &[Move], node: NodeId, tree: &mut Tree);
    /// A simulation went along `path`, and its result and what it has proven have been counted there.
    fn back_up(&mut self, tree: &mut Tree, path: &[Step]);
}

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    vec![mean::INFO, implicit_minimax::INFO]
}

/// Builds the policy that a resolved spec names; none for the plain one, which costs nothing. Refuses what the game
/// cannot serve.
pub fn build<G: Game>(spec: &Spec, rules: &Rules<G>) -> Result<Option<Box<dyn Backup<G>>>> {
    let options = Options::new(&spec.parts[0]);
    Ok(match options.name() {
        "mean" => None,
        "implicit_minimax" => Some(Box::new(implicit_minimax::ImplicitMinimax::new(&options, rules)?)),
        other => unreachable!("{other} was resolved but is not in the list of backups"),
    })
}

/// Refuses a game that cannot tell what a position is worth.
fn evaluation_of<'a, G: Game>(
    policy: &str,
    rules: &'a Rules<G>,
) -> Result<&'a dyn crate::game::Evaluation<G>> {
    let misere = if rules.misere { "misere " } else { "" };
    rules.evaluation().ok_or_else(|| {
        Error::new(format!(
            "backup {policy} needs a game that says what a position is worth, which {misere}{} does not",
            G::INFO.name
        ))
    })
}
