//! A game with its misère flag.

use super::{
    AskRings, Bridges, Completions, Decisive, Distances, Evaluation, Game, Patterns, Priors, Trace, View,
};
use crate::types::{Move, Outcome, Rng, Side};

/// A game as it is played here: its rules, and whether who would win loses.
///
/// Misère is read where an outcome is read, so it costs no second compiled search.
pub struct Variant<G: Game> {
    pub game: G,
    pub misere: bool,
}

/// Where a simulation stands when a node gets children or is visited: what parts of a search may look at.
pub struct Here<'a, G: Game> {
    pub variant: &'a Variant<G>,
    pub state: &'a G::State,
    /// The move that led here, where the search writes moves down.
    pub last: Option<Move>,
}

impl<G: Game> Variant<G> {
    /// What errors call it: `havannah`, `misere havannah`.
    pub fn name(&self) -> String {
        format!("{}{}", if self.misere { "misere " } else { "" }, G::INFO.name)
    }

    #[inline]
    pub fn outcome(&self, state: &G::State) -> Option<Outcome> {
        let outcome = self.game.outcome(state);
        if self.misere { outcome.map(Outcome::exchanged) } else { outcome }
    }

    #[inline]
    pub fn settled(&self, state: &G::State) -> Option<Outcome> {
        self.game.settled(state, self.misere)
    }

    #[inline]
    pub fn promise(&self, state: &G::State, mv: Move, next: &G::State) -> i32 {
        self.game.promise(state, mv, next, self.misere)
    }

    #[inline]
    pub fn uniform_playout(&self, state: &mut G::State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        let outcome = self.game.uniform_playout(state, rng, trace);
        if self.misere { outcome.exchanged() } else { outcome }
    }

    #[inline]
    pub fn reply_playout(
        &self,
        state: &mut G::State,
        last: Move,
        reply: impl Fn(Side, Move) -> Move,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        let outcome = self.game.reply_playout(state, last, reply, rng, trace);
        if self.misere { outcome.exchanged() } else { outcome }
    }

    #[inline]
    pub fn playout_from(
        &self,
        state: &G::State,
        first: Option<Move>,
        scratch: &mut G::State,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        let outcome = self.game.playout_from(state, first, scratch, rng, trace);
        if self.misere { outcome.exchanged() } else { outcome }
    }

    #[inline]
    pub fn scan(
        &self,
        state: &G::State,
        moves: &mut [Move],
        shuffled: bool,
        scratch: &mut G::State,
        rng: &mut Rng,
        mut judge: impl FnMut(Move, Outcome, u64) -> bool,
    ) {
        let misere = self.misere;
        self.game.scan(state, moves, shuffled, scratch, rng, |mv, outcome, states| {
            judge(mv, if misere { outcome.exchanged() } else { outcome }, states)
        });
    }

    /// All that `side` may know: the position, where nothing is hidden.
    pub fn view(&self, state: &G::State, side: Side) -> View {
        let position = || View { facts: vec![("position".to_string(), self.game.state_text(state))] };
        self.game.secrets().map_or_else(position, |secrets| secrets.view(state, side))
    }

    /// A state drawn uniformly among those that `observer` cannot tell from this one: the same, where nothing is hidden.
    pub fn determinize(&self, state: &G::State, observer: Side, rng: &mut Rng) -> G::State {
        self.game.secrets().map_or_else(|| state.clone(), |secrets| secrets.determinize(state, observer, rng))
    }

    /// What both sides learn from the last move besides the move itself.
    #[inline]
    pub fn answer(&self, state: &G::State) -> u32 {
        self.game.secrets().map_or(0, |secrets| secrets.answer(state))
    }

    /// What a misère game does not offer: what helps to win the game would lose it.
    #[inline]
    fn unless_misere<T>(&self, offered: Option<T>) -> Option<T> {
        if self.misere { None } else { offered }
    }

    pub fn decisive(&self) -> Option<&dyn Decisive<G>> {
        self.unless_misere(self.game.decisive())
    }

    #[inline]
    pub fn completions(&self) -> Option<&dyn Completions<G>> {
        self.unless_misere(self.game.completions())
    }

    #[inline]
    pub fn distances(&self) -> Option<&dyn Distances<G>> {
        self.unless_misere(self.game.distances())
    }

    #[inline]
    pub fn corners(&self) -> Option<&[Move]> {
        self.unless_misere(self.game.corners())
    }

    #[inline]
    pub fn bridges(&self) -> Option<&dyn Bridges<G>> {
        self.unless_misere(self.game.bridges())
    }

    pub fn rings(&self) -> Option<AskRings<G>> {
        self.unless_misere(self.game.rings())
    }

    #[inline]
    pub fn patterns(&self) -> Option<&dyn Patterns<G>> {
        self.unless_misere(self.game.patterns())
    }

    pub fn priors(&self) -> Option<&dyn Priors<G>> {
        self.unless_misere(self.game.priors())
    }

    /// One minus what it says would be a guess in the misère game.
    #[inline]
    pub fn evaluation(&self) -> Option<&dyn Evaluation<G>> {
        self.unless_misere(self.game.evaluation())
    }
}
