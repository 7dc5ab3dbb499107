//! Worlds: which hidden world a simulation plays in. One file per policy; the list is at the end.

use crate::family::{Context, members};
use crate::game::Game;
use crate::spec::{Options, Spec};
use crate::types::Result;

pub mod sampled;

/// How a search deals with what it does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Every simulation uses the observer's true secret, as if the other side knew it; else half of them do.
    pub informed: bool,
    /// What is still to be drawn is left to who moves then, instead of being sampled.
    pub free_choice: bool,
    /// The observer is told the other side's secret. Who is told may play in matches only.
    pub told: bool,
}

/// What a resolved spec says; refuses what the game cannot serve.
pub fn build<G: Game>(spec: &Spec, context: &Context<G>) -> Result<Hidden> {
    build_one(&Options::new(&spec.parts[0]), context)
}

members! {
    fn build_one<G>(context: &Context<G>) -> Result<Hidden>;
    sampled,
}
