//! Children for a node: which moves it gets, what the threats on the board prove, and what knowledge expects.

use super::{Expansion, Order, Scratch, Search};
use crate::game::{Alone, Game, Threat};
use crate::tree::{NodeId, PRIOR, Proof, ROOT};
use crate::types::{Move, Outcome};

/// What the threats on the board leave to the side to move.
enum Duty {
    Free,
    /// This move wins, at once or with two threats.
    Win(Move),
    /// Every move but those in the scratch list loses.
    Answer,
    /// Whatever is played, the other side wins. The scratch list has moves that answer one threat of two.
    Lost,
}

impl<G: Game> Search<G> {
    /// Gives `node`, where the simulation stands, its edges; false at the cap of memory.
    pub(super) fn expand(&mut self, node: NodeId) -> bool {
        let duty = if self.parts.settings.threats { self.duty() } else { Duty::Free };
        let moves = &mut self.scratch.moves;
        let mut proof = Proof::None;
        match duty {
            Duty::Win(mv) => {
                proof = Proof::Win;
                moves.clear();
                moves.push(mv);
            }
            Duty::Answer => {}
            // At the root one of the threats is answered all the same: the other side may overlook the rest.
            Duty::Lost if node == ROOT && !self.parts.settings.stubborn => {}
            Duty::Lost => {
                proof = Proof::Loss;
                moves.truncate(1);
            }
            Duty::Free => {
                moves.clear();
                self.rules.game.legal_moves(&self.scratch.state, moves);
                if self.parts.settings.order == Order::Last {
                    moves.reverse();
                }
            }
        }
        let tried = self.parts.settings.expansion == Expansion::All || proof != Proof::None;
        let has_slots = self.rules.game.slots() > 0;
        let game = &self.rules.game;
        let slot = |mv| if has_slots { game.slot(mv) } else { 0 };
        if !self.tree.add_edges(node, moves, slot, tried) {
            self.full_at = self.full_at.or(Some(self.simulations));
            return false;
        }
        if proof != Proof::None {
            let edge = self.tree.children(node).start;
            self.tree.set_proof(edge, proof);
        }
        if let Some(expected) = self.tree.edge_column_mut(&PRIOR, node) {
            let last = self.scratch.trace.moves.last().map(|&(mv, _)| mv);
            for prior in &mut self.parts.priors {
                prior.add(&self.rules, &self.scratch.state, last, &self.scratch.moves, expected);
            }
        }
        true
    }

    /// Looks for moves that win at once and, where the game knows completing cells, for what the other side threatens
    /// and for moves that make two threats; elsewhere moves can be tried, but not passed on.
    fn duty(&mut self) -> Duty {
        let game = &self.rules.game;
        let Scratch { state, moves, threats, doubles, .. } = &mut self.scratch;
        let side = game.side_to_move(state);
        moves.clear();
        let Some(knowledge) = self.rules.knowledge() else {
            game.legal_moves(state, moves);
            let wins = |&&mv: &&Move| {
                let mut after = state.clone();
                game.play(&mut after, mv);
                self.rules.outcome(&after) == Some(Outcome::Win(side))
            };
            return moves.iter().find(wins).map_or(Duty::Free, |&mv| Duty::Win(mv));
        };
        knowledge.completing(state, side, None, moves);
        if let Some(&mv) = moves.first() {
            return Duty::Win(mv);
        }
        // A stone that may be taken over threatens nothing.
        if game.judged_alone(state) != Alone::None {
            return Duty::Free;
        }
        knowledge.completing(state, side.other(), None, moves);
        match moves.len() {
            0 => {}
            1 => return Duty::Answer,
            _ => return Duty::Lost,
        }
        if !self.parts.settings.doubles {
            return Duty::Free;
        }
        threats.clear();
        knowledge.threatening(state, side, threats);
        if let Some(double) = threats.iter().find(|threat| threat.is_double()) {
            return Duty::Win(double.mv);
        }
        // Who neither meets every double threat of the other side nor threatens to win first has lost.
        doubles.clear();
        knowledge.threatening(state, side.other(), doubles);
        doubles.retain(Threat::is_double);
        let Some(first) = doubles.first() else { return Duty::Free };
        moves.push(first.mv);
        moves.extend(first.completing);
        moves.retain(|&mv| doubles.iter().all(|double| double.is_met_by(mv)));
        moves.extend(threats.iter().map(|threat| threat.mv));
        if moves.is_empty() {
            moves.push(first.mv);
            return Duty::Lost;
        }
        moves.sort_unstable();
        moves.dedup();
        Duty::Answer
    }
}
