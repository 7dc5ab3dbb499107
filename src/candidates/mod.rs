//! Candidates: which moves a node considers, one child after the other. One file per model; the list is at the end.

use crate::family::{Context, members};
use crate::game::{Game, Scripts, Stages, Variant};
use crate::spec::{Options, Spec};
use crate::terms::Terms;
use crate::tree::{Layout, NodeId};
use crate::types::{Error, Move, Result, Rng};

pub mod full;
pub mod plausible;
pub mod random_power;
pub mod scripted_power;
pub mod widening;

/// What a node may do in a state, by *keys*: the slots of a game whose moves are made in stages, else its moves.
///
/// Everything here depends on what the side to move can see, so that it says the same in all worlds that this
/// side cannot tell apart.
pub trait Candidates<G: Game>: Send {
    /// What it keeps in the tree.
    fn layout(&self) -> Layout {
        Layout::default()
    }

    /// What it needs of the search around it.
    fn terms(&self) -> Terms {
        Terms::default()
    }

    /// Whether nodes must grow child by child for it, even where nothing is hidden.
    fn grows(&self) -> bool {
        true
    }

    /// Appends the keys of this state in ascending order: asked at every visit, so it must be cheap.
    fn keys(&mut self, game: &G, state: &G::State, node: NodeId, keys: &mut Vec<u32>);

    /// Whether a key has one child, or one for each of its moves.
    fn one_per_key(&self) -> bool;

    /// A move of this key that is not in `tried`; None if there is none. Asked once per child. Where the world is
    /// one in which the side to move has another secret than its true one, `truth` is the same with that.
    fn complete(
        &mut self,
        game: &G,
        state: &G::State,
        truth: Option<&G::State>,
        key: u32,
        tried: &[Move],
        rng: &mut Rng,
    ) -> Option<Move>;

    /// The move that is played where a simulation goes to the child of this one, if that is drawn anew each time. Then
    /// a child stands for its key, and its own move need not be legal in every position of its node.
    fn redraw(&self, _game: &G, _state: &G::State, _child: Move, _rng: &mut Rng) -> Option<Move> {
        None
    }

    /// How many children a node may have after so many visits.
    fn most_children(&self, _visits: u32) -> usize {
        usize::MAX
    }

    /// Bytes kept between two calls, which count against the memory of the search.
    fn bytes(&self) -> usize {
        0
    }

    /// What has gone wrong since the last call; the moves given since then are legal but mean nothing.
    fn failure(&mut self) -> Option<Error> {
        None
    }
}

/// Refuses a game whose moves have no stages.
fn stages_of<'a, G: Game>(model: &str, variant: &'a Variant<G>) -> Result<&'a dyn Stages<G>> {
    variant.game.stages().ok_or_else(|| {
        Error::new(format!(
            "candidates {model} needs moves made in stages, which {} does not have",
            G::INFO.name
        ))
    })
}

/// Refuses a game without rule scripts.
fn scripts_of<'a, G: Game>(model: &str, variant: &'a Variant<G>) -> Result<&'a dyn Scripts<G>> {
    stages_of(model, variant)?;
    variant.game.scripts().ok_or_else(|| {
        Error::new(format!("candidates {model} needs rule scripts, which {} does not have", G::INFO.name))
    })
}

/// Builds the model that a resolved spec names; refuses what the game cannot serve.
pub fn build<G: Game>(spec: &Spec, context: &Context<G>) -> Result<Box<dyn Candidates<G>>> {
    build_one(&Options::new(&spec.parts[0]), context)
}

members! {
    fn build_one<G>(context: &Context<G>) -> Result<Box<dyn Candidates<G>>>;
    full,
    random_power,
    scripted_power,
    widening,
    plausible,
}
