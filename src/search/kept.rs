//! A tree that is kept: the search goes on from a position that its tree knows.

use super::Search;
use crate::game::Game;
use crate::playout::Chain;
use crate::tree::ROOT;
use crate::types::{Move, Rng};

impl<G: Game> Search<G> {
    /// Makes the position after `moves` the new root and keeps what the tree knows of it. False if the tree
    /// does not know it, in which case nothing has changed. What was logged belongs to the old root and is gone.
    pub fn advance(&mut self, moves: &[Move], state: G::State, rng: Rng) -> bool {
        // What was found without proofs is no start for a search with them.
        if moves.is_empty() || self.worlds.is_some() || self.lost {
            return false;
        }
        let mut edge = None;
        let mut node = ROOT;
        for mv in moves {
            let Some(next) = self.tree.children(node).find(|&e| self.tree.mv(e) == *mv) else { return false };
            edge = Some(next);
            let Some(below) = self.tree.behind(next) else { return false };
            node = below;
        }
        let Some(tree) = edge.and_then(|edge| self.tree.subtree(edge)) else { return false };
        self.tree = tree;
        self.root = state;
        self.rng = rng;
        self.tie_seed = self.rng.next_u64();
        if let Some(root) = &mut self.parts.root {
            root.new_root();
        }
        self.parts.selection.new_root();
        self.parts.playout.new_root();
        self.chains.iter_mut().for_each(Chain::new_root);
        (self.simulations, self.states, self.seconds, self.full_at) = (0, 0, 0.0, None);
        self.log = self.log.take().map(|_| Vec::new());
        true
    }
}
