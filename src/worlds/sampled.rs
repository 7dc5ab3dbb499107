//! The worlds `sampled`: every simulation draws a world that agrees with what its observer knows.

use super::{World, Worlds};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::terms::{Terms, UNTRIED_COMPARED};
use crate::types::{Error, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "sampled",
    options: &[
        OptionInfo::choice(
            "opponent",
            &["fair", "informed"],
            "fair",
            "whether the simulated other side may know this side's secret",
        ),
        OptionInfo::choice(
            "draw",
            &["sampled", "free_choice"],
            "sampled",
            "whether chance to come, such as cards, is drawn, or chosen by who moves then",
        ),
    ],
    positional: None,
    doc: "Every simulation draws a world that agrees with what its observer knows",
};

pub fn build<G: Game>(options: &Options, told: bool, _: &Context<G>) -> Result<Box<dyn Worlds<G>>> {
    let informed = options.choice("opponent") == "informed";
    let free_choice = options.choice("draw") == "free_choice";
    if !G::HIDDEN && (informed || free_choice) {
        return Err(Error::new(format!(
            "worlds=sampled: opponent and draw need a game with hidden information, which {} is not",
            G::INFO.name
        )));
    }
    Ok(Box::new(Sampled { informed, free_choice, told }))
}

struct Sampled {
    /// Every simulation uses the observer's true secret, as if the other side knew it; else half of them do.
    informed: bool,
    /// What is still to be drawn is left to who moves then, instead of being sampled.
    free_choice: bool,
    /// The observer is told the other side's secret.
    told: bool,
}

impl<G: Game> Worlds<G> for Sampled {
    /// Where the other side learns from some worlds only, it compares children that have never been visited.
    fn terms(&self) -> Terms {
        Terms::default().gives(&UNTRIED_COMPARED).only_if(G::HIDDEN && !self.informed)
    }

    fn root(&mut self, variant: &Variant<G>, truth: &G::State, observer: Side, rng: &mut Rng) -> G::State {
        let world = variant.determinize(truth, observer, rng);
        let secrets = variant.game.secrets().filter(|_| self.told);
        let told = secrets.map(|secrets| {
            let other = observer.other();
            secrets.with_own(&world, other, secrets.own(truth, other))
        });
        told.unwrap_or(world)
    }

    /// Half of the simulations use the observer's true secret, because its own moves are about that one, and half
    /// another that the other side cannot rule out. For the other side all of them are alike: to it a world
    /// with the true secret may count only as often as one with any single decoy.
    fn draw(&mut self, game: &G, root: &G::State, observer: Side, rng: &mut Rng) -> World<G::State> {
        let Some(secrets) = game.secrets() else { return World { state: root.clone(), shared: true } };
        let mut state = secrets.determinize(root, observer, rng);
        if self.told {
            state = secrets.with_own(&state, observer.other(), secrets.own(root, observer.other()));
        }
        if self.free_choice {
            secrets.free_draws(&mut state);
        }
        let decoys = secrets.decoys(&state, observer);
        if self.informed || decoys == 0 {
            return World { state, shared: true };
        }
        if rng.next_u32() & 1 == 0 {
            return World { state, shared: rng.below(decoys) == 0 };
        }
        let state = secrets.decoy(&state, observer, rng.below(decoys));
        World { state, shared: true }
    }
}
