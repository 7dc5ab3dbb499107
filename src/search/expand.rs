//! Children for a node: which moves it gets, what the threats on the board prove, and what knowledge expects.

use super::{Expansion, Order, Search};
use crate::game::Game;
use crate::tree::{NodeId, Proof, ROOT};
use crate::types::{Move, Outcome};

/// A bonus for children that the game's knowledge likes; it fades with their visits n as weight/sqrt(n+1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    pub weight: f32,
}

/// What the threats on the board leave to the side to move.
enum Duty {
    Free,
    /// This move wins at once.
    Win(Move),
    /// The other side would win at once with this move: every other move loses.
    Answer(Move),
    /// There are two such moves: whatever is played, one remains. The moves are in the scratch list.
    Lost,
}

impl<G: Game> Search<G> {
    /// Gives `node`, where the simulation stands, its edges; false at the cap of memory.
    pub(super) fn expand(&mut self, node: NodeId) -> bool {
        let duty = if self.settings.threats { self.duty() } else { Duty::Free };
        let moves = &mut self.scratch.moves;
        let mut proof = Proof::None;
        match duty {
            Duty::Win(mv) => {
                proof = Proof::Win;
                moves.clear();
                moves.push(mv);
            }
            Duty::Answer(mv) => {
                moves.clear();
                moves.push(mv);
            }
            // At the root one of the threats is answered all the same: the other side may overlook the rest.
            Duty::Lost if node == ROOT => {}
            Duty::Lost => {
                proof = Proof::Loss;
                moves.truncate(1);
            }
            Duty::Free => {
                moves.clear();
                self.rules.game.legal_moves(&self.scratch.state, moves);
                if self.settings.order == Order::Last {
                    moves.reverse();
                }
            }
        }
        let tried = self.settings.expansion == Expansion::All || proof != Proof::None;
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
        if let Some(prior) = self.settings.prior
            && let Some(game) = self.rules.priors()
        {
            let last = self.scratch.trace.moves.last().map(|&(mv, _)| mv);
            game.priors(&self.scratch.state, last, &self.scratch.moves, &mut self.scratch.priors);
            self.tree.set_priors(node, self.scratch.priors.iter().map(|value| prior.weight * value));
        }
        true
    }

    /// Looks for moves that win at once. What the other side threatens is known where the game knows completing
    /// cells; elsewhere moves can be tried, but not passed on.
    fn duty(&mut self) -> Duty {
        let game = &self.rules.game;
        let (state, moves) = (&self.scratch.state, &mut self.scratch.moves);
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
        knowledge.completing(state, side.other(), None, moves);
        match moves[..] {
            [] => Duty::Free,
            [mv] => Duty::Answer(mv),
            _ => Duty::Lost,
        }
    }
}
