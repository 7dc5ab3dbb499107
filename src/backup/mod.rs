//! Backup: what goes up the tree beside the mean result. One file per policy; the list is at the end.

use crate::family::{Context, members};
use crate::game::{Game, Here, Variant};
use crate::spec::{Options, Spec};
use crate::terms::{POSITIONS, Terms};
use crate::tree::{Backed, Layout, NodeId, Step, Tree};
use crate::types::{Error, Move, Result};

pub mod implicit_minimax;
pub mod mean;

/// Keeps a value of its own for every edge, which formulas read mixed with the mean. Results are counted as ever.
pub trait Backup<G: Game>: Send {
    /// The column of its values, and whatever else it keeps in the tree.
    fn layout(&self) -> Layout;
    /// What it needs of the search around it.
    fn terms(&self) -> Terms {
        Terms::default().needs(&POSITIONS, "it values all moves of a node")
    }
    /// How formulas read its values.
    fn backed(&self) -> Backed;
    /// `node` has just got these moves as its edges, in this order.
    fn expand(&mut self, here: &Here<G>, moves: &[Move], node: NodeId, tree: &mut Tree);
    /// A simulation went along `path`, and its result and what it has proven have been counted there.
    fn back_up(&mut self, tree: &mut Tree, path: &[Step]);
}

/// None for the plain one, which costs nothing.
pub type Built<G> = Option<Box<dyn Backup<G>>>;

/// Builds the policy that a resolved spec names; refuses what the game cannot serve.
pub fn build<G: Game>(spec: &Spec, context: &Context<G>) -> Result<Built<G>> {
    build_one(&Options::new(&spec.parts[0]), context)
}

members! {
    fn build_one<G>(context: &Context<G>) -> Result<Built<G>>;
    mean,
    implicit_minimax,
}

/// Refuses a game without an evaluation.
fn evaluation_of<'a, G: Game>(
    policy: &str,
    variant: &'a Variant<G>,
) -> Result<&'a dyn crate::game::Evaluation<G>> {
    variant.evaluation().ok_or_else(|| {
        Error::new(format!(
            "backup {policy} needs an evaluation of positions, which {} does not offer",
            variant.name()
        ))
    })
}
