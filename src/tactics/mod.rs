//! Tactics: what is proven or forced where a node gets children or is visited. One file per policy.

use crate::family::{Context, members};
use crate::game::{Game, Here};
use crate::spec::{Options, Spec};
use crate::terms::{POSITIONS, Terms};
use crate::tree::{Layout, NodeId, Tree};
use crate::types::{Error, Move, Result};

pub mod forcing;
pub mod solver;
pub mod threats;

/// What the threats on the board leave to the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Any move may be the best.
    Free,
    /// This move wins.
    Win(Move),
    /// Every move but those in the list loses.
    Answer,
    /// Whatever is played, the other side wins. The list has moves that answer one threat of several.
    Lost,
}

/// Asked once per expansion and once per visit of a node, never in a playout. Only with proofs that are backed up: what
/// it finds is proven.
pub trait Tactic<G: Game>: Send {
    /// What it keeps in the tree.
    fn layout(&self) -> Layout {
        Layout::default()
    }
    /// What it needs of the search around it, besides proofs.
    fn terms(&self) -> Terms {
        Terms::default()
    }
    /// A node is about to get its children: what the side to move must do. With `Duty::Answer` and `Duty::Lost` it writes
    /// the moves anew; otherwise what it leaves in `moves` means nothing.
    fn expand(&mut self, _here: &Here<G>, _moves: &mut Vec<Move>) -> Duty {
        Duty::Free
    }
    /// Whether `visit` is to be asked: a call for every node of every simulation.
    fn visits(&self) -> bool {
        false
    }
    /// `node`, which has its children, is visited: a move of it that wins, if one is found now.
    fn visit(&mut self, _here: &Here<G>, _node: NodeId, _tree: &mut Tree) -> Option<Move> {
        None
    }
}

/// What the tactics of a search come to.
pub struct Tactics<G: Game> {
    /// Proven results are backed up and never searched again.
    pub solve: bool,
    /// A search whose position is proven lost goes on without proofs.
    pub play_on_when_lost: bool,
    /// Asked in this order.
    pub in_nodes: Vec<Box<dyn Tactic<G>>>,
}

impl<G: Game> Default for Tactics<G> {
    fn default() -> Tactics<G> {
        Tactics { solve: false, play_on_when_lost: false, in_nodes: Vec::new() }
    }
}

/// What these tactics, with proofs or without, need of the search around them.
pub fn terms<G: Game>(solve: bool, in_nodes: &[Box<dyn Tactic<G>>]) -> Terms {
    let proofs = Terms::default().needs(&POSITIONS, "a position is proven by all its moves");
    in_nodes.iter().fold(proofs.only_if(solve), |terms, tactic| terms.and(tactic.terms()))
}

/// Builds those that a resolved spec names, none of them where there is no spec; refuses what the game cannot serve.
pub fn build<G: Game>(spec: Option<&Spec>, context: &Context<G>) -> Result<Tactics<G>> {
    let mut tactics = Tactics::default();
    for part in spec.map_or(&[][..], |spec| &spec.parts) {
        add(&Options::new(part), context, &mut tactics)?;
    }
    Ok(tactics)
}

// In the order in which a node asks them.
members! {
    fn add<G>(context: &Context<G>, tactics: &mut Tactics<G>) -> Result<()>;
    solver,
    threats,
    forcing,
}

fn needs_completing_cells<G: Game>(tactic: &str, context: &Context<G>) -> Result<()> {
    if context.variant.completions().is_some() {
        return Ok(());
    }
    Err(Error::new(format!(
        "{tactic} needs completing cells, which {} does not offer",
        context.variant.name()
    )))
}
