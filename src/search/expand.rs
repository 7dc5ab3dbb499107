//! Children for a node: which moves it gets, what tactics prove there, what is expected of them.

use super::core::{Core, Seat};
use super::{Growth, Order};
use crate::game::{Game, Here};
use crate::prior::PRIOR;
use crate::tactics::Duty;
use crate::tree::{NodeId, Proof, ROOT};
use crate::types::Outcome;

impl<G: Game> Core<G> {
    /// Gives `node`, where the simulation stands, its edges; false at the cap of memory.
    pub(super) fn expand(&mut self, seat: &mut Seat<G>, node: NodeId) -> bool {
        let Seat { state, trace, moves, .. } = seat;
        let here = Here { variant: &self.variant, state, last: trace.last() };
        let mut duties = self.parts.tactics.iter_mut().map(|tactic| tactic.expand(&here, moves));
        let duty = duties.find(|duty| *duty != Duty::Free).unwrap_or(Duty::Free);
        let mut proof = Proof::None;
        match duty {
            Duty::Win(mv) => {
                proof = Proof::Win;
                moves.clear();
                moves.push(mv);
            }
            Duty::Answer => {}
            // At the root one of the threats is answered all the same: the other side may overlook the rest.
            Duty::Lost if node == ROOT && !self.parts.settings.play_on_when_lost => {}
            Duty::Lost => {
                proof = Proof::Loss;
                moves.truncate(1);
            }
            Duty::Free => {
                moves.clear();
                here.variant.game.legal_moves(here.state, moves);
                if self.parts.settings.expansion.order() == Order::Last {
                    moves.reverse();
                }
            }
        }
        let tried = !matches!(self.parts.settings.expansion.growth, Growth::One(_)) || proof != Proof::None;
        let game = &self.variant.game;
        let has_slots = game.slots() > 0;
        let slot = |mv| if has_slots { game.slot(mv) } else { 0 };
        let fits = self.tree.add_edges(node, moves, slot, tried);
        if fits {
            if proof != Proof::None {
                let edge = self.tree.children(node).start;
                self.tree.set_proof(edge, proof);
            }
            if !self.parts.priors.is_empty()
                && let Some(expected) = self.tree.edge_column_mut(&PRIOR, node)
            {
                for prior in &mut self.parts.priors {
                    prior.add(&here, moves, expected);
                }
            }
            if let Some(backup) = &mut self.parts.backup {
                backup.expand(&here, moves, node, &mut self.tree);
            }
        } else {
            self.note_full();
        }
        fits
    }

    /// Who wins from `node`, where the simulation stands, by a move that a tactic finds now; it is then proven.
    #[inline]
    pub(super) fn forced(&mut self, seat: &Seat<G>, node: NodeId) -> Option<Outcome> {
        if !self.asks_at_visits {
            return None;
        }
        let here = seat.here(&self.variant);
        let mut tactics = self.parts.tactics.iter_mut();
        let mv = tactics.find_map(|tactic| tactic.visit(&here, node, &mut self.tree))?;
        // A node that must answer threats has fewer edges, with one of which such a line begins; others have them all.
        let edge = match self.tree.children(node).find(|&edge| self.tree.mv(edge) == mv) {
            Some(edge) => edge,
            None => {
                let offset = self.tree.untried(node).position(|edge| self.tree.mv(edge) == mv)?;
                self.tree.try_edge(node, offset)
            }
        };
        self.tree.set_proof(edge, Proof::Win);
        self.proven(seat, node)
    }
}
