//! The search: one loop for every game and every policy, and the report it gives.
//!
//! `core` is the loop; `drive`, `worlds` and `parallel` are the ways to make simulations with it: one after the other,
//! in sampled worlds, by several threads in one tree.

mod choose;
mod core;
mod decided;
mod drive;
mod exempt;
mod expand;
mod kept;
mod lost;
mod parallel;
mod report;
mod settings;
#[cfg(test)]
mod tests;
mod widen;
mod worlds;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::core::{Core, Seat};
use self::drive::{Plain, drive};
use self::parallel::Threads;
use crate::backup::Backup;
use crate::candidates::Candidates;
use crate::game::{Game, Trace, Variant};
use crate::playout::Chain;
use crate::prior::Prior;
use crate::root::Root;
use crate::selection::SelectionPolicy;
use crate::tactics::Tactic;
use crate::terms::Terms;
use crate::tree::{Layout, Proof, Tree};
use crate::types::{Error, Limit, Move, Outcome, Result, Rng, Side};
use crate::worlds::Worlds;
pub use report::{MoveStat, Report, VALUE, VISITS, best_of};
pub use settings::{Expansion, Final, Growth, Order, Settings};
pub use widen::Widen;
pub use worlds::{InWorlds, LoggedWorld};

/// One simulation as the plain Python twin replays it.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    pub moves: Vec<(Move, Side)>,
    /// How many of the moves were made in the tree.
    pub tree_moves: usize,
    /// The result for the first side.
    pub value: f32,
    /// The world it was played in, where something is hidden.
    pub world: Option<LoggedWorld>,
}

/// What a search is made of.
pub struct Parts<G: Game> {
    /// None: the root is a node like any other.
    pub root: Option<Box<dyn Root>>,
    pub selection: Box<dyn SelectionPolicy>,
    /// What is expected of new children.
    pub priors: Vec<Box<dyn Prior<G>>>,
    /// What is proven or forced; with `solve`.
    pub tactics: Vec<Box<dyn Tactic<G>>>,
    /// None: the mean alone.
    pub backup: Option<Box<dyn Backup<G>>>,
    /// None: nodes are positions and get all their moves.
    pub growing: Option<Growing<G>>,
    pub settings: Settings,
}

/// What parts say once for all searches that are made of them.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// What all parts keep in the tree.
    layout: Arc<Layout>,
    /// Where nodes widen: the visits at which a node offers one more child.
    schedule: Arc<[u32]>,
}

/// Nodes grow child by child, in sampled worlds.
pub struct Growing<G: Game> {
    pub candidates: Box<dyn Candidates<G>>,
    pub worlds: Box<dyn Worlds<G>>,
}

impl<G: Game> Parts<G> {
    /// The frame of them and the playout policies together; refuses those that keep what does not go together.
    pub fn frame(&self, playout: &Chain<G>) -> Result<Frame> {
        let schedule = self.settings.expansion.widen().map_or_else(Vec::new, |widen| widen.schedule());
        Ok(Frame { layout: self.layout(playout).agreed()?.into(), schedule: schedule.into() })
    }

    /// What all of them and the playout policies together keep in the tree.
    fn layout(&self, playout: &Chain<G>) -> Layout {
        let always = [self.selection.layout(), playout.layout(), self.settings.layout()].into_iter();
        let growing = self.growing.iter();
        always
            .chain(self.priors.iter().map(|prior| prior.layout()))
            .chain(self.backup.iter().map(|backup| backup.layout()))
            .chain(self.tactics.iter().map(|tactic| tactic.layout()))
            .chain(self.root.iter().map(|root| root.layout()))
            .chain(growing.flat_map(|growing| [growing.candidates.layout(), growing.worlds.layout()]))
            .fold(Layout::default(), Layout::and)
    }
}

/// How the simulations of a search are made.
enum Way<G: Game> {
    Plain,
    /// Nodes grow child by child in sampled worlds.
    Worlds(Box<InWorlds<G>>),
    /// Several threads share the tree.
    Threads(Threads<G>),
}

/// The ways to make simulations, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Plain,
    Worlds,
    Threads,
}

impl Driver {
    /// What parts can count on where simulations are made in this way.
    pub fn terms<G: Game>(self) -> Terms {
        match self {
            Driver::Plain => Plain::terms(),
            Driver::Worlds => InWorlds::<G>::terms(),
            Driver::Threads => Threads::<G>::terms(),
        }
    }
}

/// One search: resumable, readable between runs.
pub struct Search<G: Game> {
    core: Core<G>,
    seat: Seat<G>,
    way: Way<G>,
    rng: Rng,
    /// Names the stream that breaks ties of the final move, so that reading a report changes nothing.
    tie_seed: u64,
}

impl<G: Game> Search<G> {
    /// Where nodes grow child by child, it holds nothing from here on that the side to move cannot see, unless that side is
    /// told.
    pub fn new(
        variant: Arc<Variant<G>>,
        mut root: G::State,
        mut parts: Parts<G>,
        playout: Chain<G>,
        frame: Frame,
        mut rng: Rng,
    ) -> Result<Search<G>> {
        if variant.outcome(&root).is_some() {
            return Err(Error::new("there is nothing to search: the game is over"));
        }
        let tie_seed = rng.next_u64();
        let way = match parts.growing.take() {
            Some(mut growing) => {
                let observer = variant.game.side_to_move(&root);
                root = growing.worlds.root(&variant, &root, observer, &mut rng);
                Way::Worlds(Box::new(InWorlds::new(growing, &variant, &root)))
            }
            None => Way::Plain,
        };
        let seat = Seat::new(&root, playout, frame.layout.records_moves());
        Ok(Search { core: Core::new(variant, root, parts, frame), seat, way, rng, tie_seed })
    }

    /// Keeps every simulation from now on, for the plain Python twin.
    pub fn keep_log(&mut self) {
        self.core.log = Some(Vec::new());
        self.seat.trace.wanted = true;
        if let Way::Threads(threads) = &mut self.way {
            threads.seats().for_each(|seat| seat.trace.wanted = true);
        }
    }

    pub fn log(&self) -> &[Logged] {
        self.core.log.as_deref().unwrap_or(&[])
    }

    pub fn tree(&self) -> &Tree {
        &self.core.tree
    }

    pub fn root(&self) -> &G::State {
        &self.core.root
    }

    pub fn simulations(&self) -> u64 {
        self.core.counts.simulations
    }

    pub fn states(&self) -> u64 {
        self.core.counts.states
    }

    /// What is proven about the position that is searched, for the side to move; nothing without `solve`.
    pub fn root_proof(&self) -> Proof {
        self.core.root_proof()
    }

    /// What the descent in sampled worlds keeps; None in a plain search.
    pub fn worlds(&self) -> Option<&InWorlds<G>> {
        match &self.way {
            Way::Worlds(worlds) => Some(worlds),
            _ => None,
        }
    }

    /// What has gone wrong in a part that can fail.
    pub fn failure(&self) -> Option<&Error> {
        self.worlds()?.failure.as_ref()
    }

    /// Adds simulations to the same tree until `limit`, counted from now, or until `stop` is raised.
    pub fn run(&mut self, limit: &Limit, stop: &Arc<AtomicBool>) {
        self.run_part(limit, limit, stop);
    }

    /// A part of a run that is made piece by piece: `rest` is what is left of the whole, this part included. False
    /// if the rest would change nothing, because the result is proven, the move is decided, or something failed.
    pub fn run_part(&mut self, limit: &Limit, rest: &Limit, stop: &Arc<AtomicBool>) -> bool {
        let Search { core, seat, way, rng, .. } = self;
        core.counts.planned = rest.simulations.map(|n| core.counts.simulations + n);
        let goes_on = match way {
            Way::Plain => drive(core, seat, &mut Plain, (limit, rest), stop, rng),
            Way::Worlds(worlds) => drive(core, seat, &mut **worlds, (limit, rest), stop, rng),
            Way::Threads(threads) => threads.drive(core, (limit, rest), stop, rng),
        };
        goes_on && self.failure().is_none()
    }
}

/// The outcome of one uniformly random game from `state`, and its length.
pub fn random_game<G: Game>(
    variant: &Variant<G>,
    state: &G::State,
    scratch: &mut G::State,
    rng: &mut Rng,
) -> (Outcome, u64) {
    let mut trace = Trace::default();
    let outcome = variant.playout_from(state, None, scratch, rng, &mut trace);
    (outcome, trace.states)
}
