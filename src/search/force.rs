//! Wins by threats alone, looked for in the nodes of the tree that are visited often.

use super::Search;
use crate::game::Game;
use crate::tree::{Column, NodeId, Proof, ROOT};
use crate::types::Outcome;

/// When nodes are searched for wins by threats alone, and how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceAt {
    /// Visits of a node. The root does not wait.
    pub visits: u32,
    /// Threats tried in each node.
    pub tries: usize,
}

/// Whether wins by threats alone have been looked for in a node.
pub(super) static LOOKED: Column = Column { name: "looked", begins: 0.0 };

impl<G: Game> Search<G> {
    /// Who wins by threats alone from `node`, where the simulation stands, if that is found now; it is then proven.
    #[inline]
    pub(super) fn forced(&mut self, node: NodeId) -> Option<Outcome> {
        let force = self.parts.settings.forcing?;
        let is_early = node != ROOT && self.tree.node(node).visits < force.visits;
        if is_early || self.tree.of_node(&LOOKED, node) != 0.0 {
            return None;
        }
        self.tree.set_node(&LOOKED, node, 1.0);
        let line = self.scratch.forcing.win(&self.rules, &self.scratch.state, force.tries)?;
        // A node that must answer threats has fewer edges, with one of which such a line begins; others have them all.
        let mv = *line.first()?;
        let edge = match self.tree.children(node).find(|&edge| self.tree.mv(edge) == mv) {
            Some(edge) => edge,
            None => {
                let offset = self.tree.untried(node).position(|edge| self.tree.mv(edge) == mv)?;
                self.tree.try_edge(node, offset)
            }
        };
        self.tree.set_proof(edge, Proof::Win);
        self.proven(node)
    }
}
