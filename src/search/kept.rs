//! A tree that is kept: the search goes on from a position that its tree knows.

use super::core::Counts;
use super::{Search, Way};
use crate::game::Game;
use crate::tree::ROOT;
use crate::types::{Move, Rng};

impl<G: Game> Search<G> {
    /// Makes the position after `moves` the new root and keeps what the tree knows of it. False if the tree
    /// does not know it, in which case nothing has changed. What was logged belongs to the old root and is gone.
    pub fn advance(&mut self, moves: &[Move], state: G::State, rng: Rng) -> bool {
        // What was found without proofs is no start for a search with them.
        let core = &mut self.core;
        if moves.is_empty() || matches!(self.way, Way::Worlds(_)) || core.lost {
            return false;
        }
        let mut edge = None;
        let mut node = ROOT;
        for mv in moves {
            let Some(next) = core.tree.children(node).find(|&e| core.tree.mv(e) == *mv) else { return false };
            edge = Some(next);
            let Some(below) = core.tree.behind(next) else { return false };
            node = below;
        }
        let Some(tree) = edge.and_then(|edge| core.tree.subtree(edge)) else { return false };
        core.tree = tree;
        core.root = state;
        self.rng = rng;
        self.tie_seed = self.rng.next_u64();
        if let Some(root) = &mut core.parts.root {
            root.new_root();
        }
        core.parts.selection.new_root();
        self.seat.chain.new_root();
        if let Way::Threads(threads) = &mut self.way {
            threads.seats().for_each(|seat| seat.chain.new_root());
        }
        core.counts = Counts::default();
        core.log = core.log.take().map(|_| Vec::new());
        true
    }
}
