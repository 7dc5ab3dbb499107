//! Mate and anti-mate over the whole playout: wins are counted, threats answered (Lorentz 2010).
//!
//! The same that the tactic `threats` does where the tree gets a node, at every move below it. The completing moves of both
//! sides are kept up to date from stone to stone instead of being looked for.

use super::{Answer, Built, Leaf, PlayoutPolicy, Role, Turn, Turns, offered};
use crate::family::Context;
use crate::game::{Game, Variant, Watch};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::Layout;
use crate::types::{Move, Outcome, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "threats",
    options: &[OptionInfo::int(
        "moves",
        0,
        1_000_000,
        "0",
        "moves of the playout in which it is active; 0: all",
    )],
    positional: None,
    doc: "Ends a playout where a side can complete a figure or has two ways to; answers a single threat",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Threats::new(options, context.variant)?)
}

pub struct Threats<G: Game> {
    moves: usize,
    watch: Box<dyn Watch<G>>,
    /// The completing moves of each side.
    completing: [Vec<Move>; 2],
    /// Moves of the simulation when they were up to date; none before.
    at: Option<usize>,
}

impl<G: Game> Threats<G> {
    pub fn new(options: &Options, variant: &Variant<G>) -> Result<Threats<G>> {
        let completions = offered("threats", "completing cells", variant, variant.completions())?;
        let moves = match options.size("moves") {
            0 => usize::MAX,
            moves => moves,
        };
        Ok(Threats { moves, watch: completions.watch(), completing: Default::default(), at: None })
    }

    /// Whether it is asked at every move of a playout.
    pub(super) fn never_rests(&self) -> bool {
        self.moves == usize::MAX
    }

    /// Brings the lists up to date: one move on, or from nothing where another policy has moved in between.
    #[inline]
    fn look(&mut self, turn: &Turn<G>) {
        let now = turn.moves.len();
        let game = &turn.variant.game;
        match turn.moves.last() {
            Some(&(mv, side)) if self.at == Some(now - 1) => {
                self.watch.played(game, turn.state, side, mv, &mut self.completing);
            }
            _ => self.watch.start(game, turn.state, &mut self.completing),
        }
        self.at = Some(now);
    }
}

impl<G: Game> PlayoutPolicy<G> for Threats<G> {
    fn role(&self) -> Role {
        // The completing moves of both sides: what a search of two plies could find is among them.
        let all = Turns::WIN.and(Turns::THREAT).and(Turns::COMPLETING);
        let takes = if self.never_rests() { all } else { Turns::default() };
        Role { takes, once: true, trusts_rings: Some(INFO.name), ..Role::default() }
    }

    fn layout(&self) -> Layout {
        Layout::moves()
    }

    fn begin(&mut self, _leaf: &Leaf<G>, _rng: &mut Rng) {
        self.begin_again();
    }

    fn begin_again(&mut self) {
        self.at = None;
    }

    #[inline]
    fn choose(&mut self, turn: &Turn<G>, _rng: &mut Rng) -> Answer {
        if turn.moves.len() - turn.tree_moves >= self.moves {
            return Answer::Rest;
        }
        self.look(turn);
        let (own, other) = (turn.side.index(), turn.side.other().index());
        if !self.completing[own].is_empty() {
            return Answer::Stop(Outcome::Win(turn.side));
        }
        match self.completing[other][..] {
            [] => Answer::Pass,
            [mv] => Answer::Move(mv),
            _ => Answer::Stop(Outcome::Win(turn.side.other())),
        }
    }
}
