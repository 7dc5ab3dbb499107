//! The tactic `forcing`: nodes that are visited often are searched once for a win by threats alone.

use super::{Tactic, Tactics};
use crate::family::Context;
use crate::forcing;
use crate::game::{Game, Here};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::{Column, Layout, NodeId, ROOT, Tree};
use crate::types::{Error, Move, Result};

pub const INFO: PartInfo = PartInfo {
    name: "forcing",
    options: &[
        OptionInfo::int(
            "at",
            1,
            1_000_000_000,
            "1000",
            "visits at which a node is searched; the root at once",
        ),
        OptionInfo::int("tries", 1, 1_000_000_000, "300", "threats that such a search tries"),
    ],
    positional: Some("at"),
    doc: "A node that is visited often is searched once for a win by threats alone; for games that know completing cells",
};

/// By node: whether it has been looked through.
static LOOKED: Column = Column { name: "looked", begins: 0.0 };

pub struct Forcing<G: Game> {
    /// Visits of a node. The root does not wait.
    at: u32,
    /// Threats tried in each node.
    tries: usize,
    search: forcing::Forcing<G>,
}

pub fn build<G: Game>(options: &Options, context: &Context<G>, tactics: &mut Tactics<G>) -> Result<()> {
    if tactics.in_nodes.is_empty() {
        return Err(Error::new(
            "tactics=forcing needs solver+threats before it: it begins where no threat is open",
        ));
    }
    super::needs_completing_cells("forcing", context)?;
    let (at, tries) = (options.int("at") as u32, options.size("tries"));
    tactics.in_nodes.push(Box::new(Forcing { at, tries, search: forcing::Forcing::default() }));
    Ok(())
}

impl<G: Game> Tactic<G> for Forcing<G> {
    fn layout(&self) -> Layout {
        Layout { nodes: vec![&LOOKED], ..Layout::default() }
    }

    fn visits(&self) -> bool {
        true
    }

    fn visit(&mut self, here: &Here<G>, node: NodeId, tree: &mut Tree) -> Option<Move> {
        let is_early = node != ROOT && tree.node(node).visits < self.at;
        if is_early || tree.of_node(&LOOKED, node) != 0.0 {
            return None;
        }
        tree.set_node(&LOOKED, node, 1.0);
        let line = self.search.win(here.variant, here.state, self.tries)?;
        line.first().copied()
    }
}
