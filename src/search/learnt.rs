//! What learnt weights of patterns expect of new children, on top of the game's own knowledge.

use super::Search;
use crate::game::Game;
use crate::playout::patterns::Table;
use crate::tree::{NodeId, PRIOR};

/// A bonus for children whose pattern was chosen often in the games that were learnt from: `factor` times the
/// logarithm of its weight. It fades as every prior does.
pub struct Learnt {
    pub factor: f32,
    /// Logarithms of weights.
    pub table: Table,
}

impl<G: Game> Search<G> {
    /// Adds to the priors of the children that `node`, where the simulation stands, has just got.
    pub(super) fn add_learnt_priors(&mut self, node: NodeId) {
        let Some(Learnt { factor, table }) = &self.parts.learnt else { return };
        let Some(patterns) = self.rules.knowledge().and_then(|knowledge| knowledge.patterns()) else {
            return;
        };
        let state = &self.scratch.state;
        let side = self.rules.game.side_to_move(state);
        let last = self.scratch.trace.moves.last().map(|&(mv, _)| mv);
        // The moves are still there in the order of their edges, those that are not tried yet included.
        let Some(priors) = self.tree.edge_column_mut(&PRIOR, node) else { return };
        for (prior, &mv) in priors.iter_mut().zip(&self.scratch.moves) {
            *prior += factor * table.value(patterns, state, side, last, mv);
        }
    }
}
