//! Moves for which AMAF is meaningless, such as the swap of the first stone: their own results decide.
//!
//! A selection that trusts AMAF and has no term for exploration never comes back to a move that lost its first
//! simulation, because no other simulation can speak for it; and it opens with the cell that is worth most
//! later on, although the other side would take that stone over.

use super::core::{Core, Seat};
use crate::game::{AmafExempt, Game};
use crate::tree::{AmafNeed, EdgeId, NodeId, Proof};
use crate::types::Rng;

/// A single such move gets at least so many times the square root of its node's visits.
const LEAST: f32 = 4.0;
/// The weight of exploration (UCB1) where all moves are such.
const EXPLORATION: f64 = 0.3;

impl<G: Game> Core<G> {
    /// The child to go to from `node`, whose children have all been tried, if the selection must not decide.
    pub(super) fn choose_exempt(&self, seat: &Seat<G>, node: NodeId, rng: &mut Rng) -> Option<EdgeId> {
        if self.frame.layout.amaf == AmafNeed::None {
            return None;
        }
        let open = |edge: &EdgeId| self.tree.proof(*edge) == Proof::None;
        match self.variant.game.amaf_exempt(&seat.state) {
            AmafExempt::None => None,
            AmafExempt::One(mv) => {
                let edge = self.tree.children(node).find(|&edge| self.tree.mv(edge) == mv).filter(open)?;
                let due = LEAST * (self.tree.node(node).visits as f32).sqrt();
                ((self.tree.visits(edge) as f32) < due).then_some(edge)
            }
            AmafExempt::All => {
                let log = libm::log(f64::from(self.tree.node(node).visits.max(1)));
                let (mut best, mut most) = (Vec::new(), f64::NEG_INFINITY);
                for edge in self.tree.children(node).filter(open) {
                    let visits = self.tree.visits(edge);
                    let bound = match self.tree.mean(edge) {
                        Some(mean) => mean + EXPLORATION * (log / f64::from(visits)).sqrt(),
                        None => f64::INFINITY,
                    };
                    if bound > most {
                        (best, most) = (vec![edge], bound);
                    } else if bound == most {
                        best.push(edge);
                    }
                }
                if best.is_empty() { None } else { Some(best[rng.below(best.len())]) }
            }
        }
    }
}
