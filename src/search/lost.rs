//! Lost positions: once the root is proven lost, the search restarts without proofs and plays for the best practical
//! chance.
//!
//! Who has proven that it loses has often seen more than the other side has. A search that stops there plays any move; one
//! without proofs finds the move after which the other side goes wrong most often.

use super::core::Core;
use crate::game::Game;
use crate::tree::{Proof, ROOT};

impl<G: Game> Core<G> {
    /// Begins anew without proofs once the root is proven lost.
    #[inline]
    pub(super) fn go_on_if_lost(&mut self) {
        if self.parts.settings.play_on_when_lost && !self.lost && self.root_proof() == Proof::Loss {
            self.begin_without_proofs();
        }
    }

    #[cold]
    fn begin_without_proofs(&mut self) {
        self.lost = true;
        self.parts.settings.solve = false;
        self.parts.tactics.clear();
        self.clear_tree();
    }

    /// What is proven about the position that is searched, for the side to move; nothing without `solve`.
    pub(super) fn root_proof(&self) -> Proof {
        if self.lost {
            Proof::Loss
        } else if self.parts.settings.solve {
            self.tree.node_proof(ROOT)
        } else {
            Proof::None
        }
    }

    /// Whether nothing is left to find out.
    pub(super) fn is_settled(&self) -> bool {
        self.parts.settings.solve && self.tree.node_proof(ROOT) != Proof::None
    }
}
