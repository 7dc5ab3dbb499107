//! The choice of an edge in the tree: the playout policy's in a node with few visits, an untried one, or the selection's.

use std::cell::Cell;

use super::Order;
use super::core::{Core, Descent, Seat};
use crate::game::Game;
use crate::playout::{Answer, Turn};
use crate::selection::{Choice, Open};
use crate::tree::{EdgeId, NodeId, Proof, ROOT};
use crate::types::{Clock, Rng, Side};

impl<G: Game> Core<G> {
    /// The edge by which the simulation leaves `node`, which has edges and at which `side` is to move.
    pub(super) fn choose(
        &mut self,
        seat: &mut Seat<G>,
        (node, side): (NodeId, Side),
        budget: Option<u64>,
        clock: &Clock,
        descent: &mut Descent,
        rng: &mut Rng,
    ) -> EdgeId {
        if self.parts.root.is_some()
            && let Some(edge) = self.choose_by_plan(node, descent, rng)
        {
            return edge;
        }
        // Read once: a move that the playout policy tries is taken, so nothing below sees it changed.
        let here = *self.tree.node(node);
        if here.visits < self.parts.settings.playout_until {
            let edge = self.choose_as_playout(seat, node, budget, clock, descent, rng);
            if let Some(edge) = edge.filter(|&edge| self.tree.proof(edge) == Proof::None) {
                return edge;
            }
        }
        let untried = here.untried();
        if untried > 0
            && let Some(widen) = self.parts.settings.expansion.widen()
        {
            self.widen(seat, node, widen, rng);
        } else if untried > 0 {
            let offset =
                if self.parts.settings.expansion.order() == Order::Random { rng.below(untried) } else { 0 };
            descent.fresh = true;
            return self.tree.try_edge(node, offset);
        }
        if let Some(edge) = self.choose_exempt(seat, node, rng) {
            return edge;
        }
        let open = self.open_children(seat, node);
        let choice = Choice {
            tree: &self.tree,
            path: &seat.path,
            node,
            side,
            open: if open { Open::All } else { Open::Some(&seat.open) },
            backed: self.parts.backup.as_ref().map(|backup| backup.backed()),
            prior: self.prior,
        };
        self.parts.selection.select(&choice, rng)
    }

    /// The edge of the root that a plan for the whole decision has next.
    #[cold]
    fn choose_by_plan(&mut self, node: NodeId, descent: &mut Descent, rng: &mut Rng) -> Option<EdgeId> {
        if node != ROOT {
            return None;
        }
        let left = self.counts.planned.map(|planned| planned.saturating_sub(self.counts.simulations));
        let edge = self.parts.root.as_mut()?.choose(&self.tree, left, rng)?;
        let tried = self.tree.children(ROOT).end;
        if edge < tried {
            return Some(edge);
        }
        descent.fresh = true;
        Some(self.tree.try_edge(ROOT, (edge - tried) as usize))
    }

    /// Whether all children may be selected; if not, gathers those that are not proven. There is one: a node
    /// whose children are all proven is proven itself, and no simulation enters it.
    fn open_children(&self, seat: &mut Seat<G>, node: NodeId) -> bool {
        if !self.parts.settings.solve {
            return true;
        }
        let children = self.tree.children(node);
        if children.clone().all(|edge| self.tree.proof(edge) == Proof::None) {
            return true;
        }
        let visits = self.tree.node(node).visits;
        let open = children.filter(|&edge| self.tree.proof(edge) == Proof::None).map(|edge| (edge, visits));
        seat.open.clear();
        seat.open.extend(open);
        false
    }

    /// Below `playout_until` visits the playout policy draws the move (Fossel, section 2.2 of his report).
    fn choose_as_playout(
        &mut self,
        seat: &mut Seat<G>,
        node: NodeId,
        budget: Option<u64>,
        clock: &Clock,
        descent: &mut Descent,
        rng: &mut Rng,
    ) -> Option<EdgeId> {
        self.begin_playout(seat, budget, rng);
        let states = Cell::new(0);
        let turn = Turn {
            variant: &self.variant,
            state: &seat.state,
            side: self.variant.game.side_to_move(&seat.state),
            moves: &seat.trace.moves,
            tree_moves: seat.path.len(),
            clock,
            states: &states,
        };
        let mv = match seat.chain.choose(&turn, rng) {
            Answer::Move(mv) => mv,
            // A policy that would end the playout here has nothing to say about a move.
            _ => self.variant.game.random_move(&seat.state, rng),
        };
        seat.trace.states += states.get();
        if let Some(edge) = self.tree.children(node).find(|&edge| self.tree.mv(edge) == mv) {
            return Some(edge);
        }
        // A node that widens has not offered the move, and one that must answer a threat has no edge for it.
        if self.parts.settings.expansion.widen().is_some() {
            return None;
        }
        let offset = self.tree.untried(node).position(|edge| self.tree.mv(edge) == mv)?;
        descent.fresh = true;
        Some(self.tree.try_edge(node, offset))
    }
}
