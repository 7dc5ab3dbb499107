//! The tactic `forcing`: nodes that are visited often are searched once for a win by threats alone.

use super::Tactic;
use crate::forcing;
use crate::game::{Game, Here};
use crate::tree::{Column, Layout, NodeId, ROOT, Tree};
use crate::types::Move;

/// By node: whether it has been looked through.
static LOOKED: Column = Column { name: "looked", begins: 0.0 };

pub struct Forcing<G: Game> {
    /// Visits of a node. The root does not wait.
    at: u32,
    /// Threats tried in each node.
    tries: usize,
    search: forcing::Forcing<G>,
}

impl<G: Game> Forcing<G> {
    pub fn new(at: u32, tries: usize) -> Forcing<G> {
        Forcing { at, tries, search: forcing::Forcing::default() }
    }
}

impl<G: Game> Tactic<G> for Forcing<G> {
    fn layout(&self) -> Layout {
        Layout { nodes: vec![&LOOKED], ..Layout::default() }
    }

    fn visit(&mut self, here: &Here<G>, node: NodeId, tree: &mut Tree) -> Option<Move> {
        let is_early = node != ROOT && tree.node(node).visits < self.at;
        if is_early || tree.of_node(&LOOKED, node) != 0.0 {
            return None;
        }
        tree.set_node(&LOOKED, node, 1.0);
        let line = self.search.win(here.rules, here.state, self.tries)?;
        line.first().copied()
    }
}
