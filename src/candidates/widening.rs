//! Progressive widening: a node gets its next child only when it has been visited often enough.
//!
//! After n visits a node has at most c * n^a children (Coulom 2007; Chaslot et al. 2008): future work of the
//! Mr Jack paper. What the next child is, is drawn as in `full`.

use super::Candidates;
use super::full::Full;
use crate::family::Context;
use crate::game::Game;
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::NodeId;
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "widening",
    options: &[
        OptionInfo::real("c", 0.01, 1000.0, "2.0", "children after the first visit"),
        OptionInfo::real("a", 0.0, 1.0, "0.4", "how fast their number grows with visits"),
    ],
    positional: None,
    doc: "Every legal move, but after n visits at most c * n^a children",
};

pub fn build<G: Game>(options: &Options, _: &Context<G>) -> Result<Box<dyn Candidates<G>>> {
    Ok(Box::new(Widening::new(options)))
}

pub struct Widening {
    c: f64,
    a: f64,
    full: Full,
}

impl Widening {
    /// `options` are resolved.
    pub fn new(options: &Options) -> Widening {
        Widening { c: options.real("c") as f64, a: options.real("a") as f64, full: Full::default() }
    }
}

impl<G: Game> Candidates<G> for Widening {
    fn keys(&mut self, game: &G, state: &G::State, node: NodeId, keys: &mut Vec<u32>) {
        self.full.keys(game, state, node, keys);
    }

    fn one_per_key(&self) -> bool {
        false
    }

    fn complete(
        &mut self,
        game: &G,
        state: &G::State,
        truth: Option<&G::State>,
        key: u32,
        tried: &[Move],
        rng: &mut Rng,
    ) -> Option<Move> {
        self.full.complete(game, state, truth, key, tried, rng)
    }

    fn most_children(&self, visits: u32) -> usize {
        (self.c * libm::pow(visits.max(1) as f64, self.a)).max(1.0) as usize
    }
}
