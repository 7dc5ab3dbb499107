//! Worlds: which hidden world a simulation plays in. One file per policy; the list is at the end.

use crate::family::{Context, members};
use crate::game::{Game, Variant};
use crate::spec::{Options, Spec};
use crate::terms::Terms;
use crate::tree::Layout;
use crate::types::{Result, Rng, Side};

pub mod sampled;

/// A world that a simulation is played in.
pub struct World<S> {
    pub state: S,
    /// Whether the nodes of the side that does not search learn from it, too.
    pub shared: bool,
}

/// Draws the worlds of a search. The *observer* is the side that searches: the one to move at the root.
pub trait Worlds<G: Game>: Send {
    /// What it keeps in the tree.
    fn layout(&self) -> Layout {
        Layout::default()
    }
    /// What it needs of the search around it, and gives to it.
    fn terms(&self) -> Terms {
        Terms::default()
    }
    /// The root of the search in place of the true state: from then on the search holds nothing that the observer may not
    /// know.
    fn root(&mut self, variant: &Variant<G>, truth: &G::State, observer: Side, rng: &mut Rng) -> G::State;
    /// The world of one simulation.
    fn draw(&mut self, game: &G, root: &G::State, observer: Side, rng: &mut Rng) -> World<G::State>;
}

/// Builds the policy that a resolved spec names; refuses what the game cannot serve. `told`: the observer knows the other
/// side's secret.
pub fn build<G: Game>(spec: &Spec, told: bool, context: &Context<G>) -> Result<Box<dyn Worlds<G>>> {
    build_one(&Options::new(&spec.parts[0]), told, context)
}

members! {
    fn build_one<G>(told: bool, context: &Context<G>) -> Result<Box<dyn Worlds<G>>>;
    sampled,
}
