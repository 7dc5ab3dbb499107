//! Tactics: what is proven or forced where a node gets children or is visited. One file per policy.

use crate::game::{Game, Here};
use crate::tree::{Layout, NodeId, Tree};
use crate::types::Move;

pub mod forcing;
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
    /// A node is about to get its children: what the side to move must do. With `Duty::Answer` and `Duty::Lost` it writes
    /// the moves anew; otherwise what it leaves in `moves` means nothing.
    fn expand(&mut self, _here: &Here<G>, _moves: &mut Vec<Move>) -> Duty {
        Duty::Free
    }
    /// `node`, which has its children, is visited: a move of it that wins, if one is found now.
    fn visit(&mut self, _here: &Here<G>, _node: NodeId, _tree: &mut Tree) -> Option<Move> {
        None
    }
}
