//! Havannah-Mate: playouts complete a figure where they can, and end where it cannot be prevented (spec section 5.1).
//!
//! Fossel's text speaks of two different completing cells, and so does the default. With `min=1, block=true, shortcut=false,
//! turns=playout` it is Lorentz's rule, from which Fossel's comes.
//!
//! Without the force to inline, searches take up to 1.02 times the instructions (bench/inlining.txt).

use super::{Answer, Built, Leaf, PlayoutPolicy, Role, Turn, Turns, offered};
use crate::family::Context;
use crate::game::{Completions, Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::Layout;
use crate::types::{Move, Outcome, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "mate",
    options: &[
        OptionInfo::real("c", 1.0, 1e6, "3", "active in the first (largest number of moves)/c turns"),
        OptionInfo::choice("turns", &["game", "playout"], "game", "turns of the game or of the playout"),
        OptionInfo::int("min", 1, 2, "2", "completing cells that a side must have to play one"),
        OptionInfo::flag("block", "false", "whether a side plays where the other could complete a figure"),
        OptionInfo::flag(
            "played",
            "true",
            "whether the completing stone is played, so that other policies learn it, or the win just counted",
        ),
        OptionInfo::flag("shortcut", "true", "whether two completing cells at once end the playout"),
    ],
    positional: None,
    doc: "Completes a winning figure where possible; two ways to do so at once decide the game",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Mate::new(options, context.variant)?)
}

/// Completing cells of one side, next to the group of its last stone (or of all), at a turn of the playout.
#[derive(Default)]
struct Found {
    moves: Vec<Move>,
    /// Moves of the simulation when they were found; none before.
    at: Option<usize>,
}

pub struct Mate {
    c: f32,
    by_playout: bool,
    min: usize,
    block: bool,
    played: bool,
    shortcut: bool,
    found: [Found; 2],
    /// Moves of the simulation when the policy was active and left the move to others.
    passed_at: Option<usize>,
}

impl Mate {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<Mate> {
        offered("mate", "completing cells", variant, variant.completions())?;
        Ok(Mate {
            c: options.real("c"),
            by_playout: options.choice("turns") == "playout",
            min: options.size("min"),
            block: options.flag("block"),
            played: options.flag("played"),
            shortcut: options.flag("shortcut"),
            found: Default::default(),
            passed_at: None,
        })
    }

    /// Finds the completing cells of `side` that are there now, unless the turn before found them: then only the
    /// stone set since can have taken one.
    fn find<G: Game>(&mut self, completions: &dyn Completions<G>, turn: &Turn<G>, side: Side) {
        let now = turn.moves.len();
        // In the first turn of each side all its groups count: this playout has not looked at them yet.
        let first = now - turn.tree_moves < 2 && side == turn.side;
        let found = &mut self.found[side.index()];
        if !first && now > 0 && found.at == Some(now - 1) && turn.moves[now - 1].1 != side {
            let taken = turn.moves[now - 1].0;
            found.moves.retain(|&mv| mv != taken);
        } else {
            let own = turn.moves.iter().rev().take(2).find(|&&(_, mover)| mover == side).map(|&(mv, _)| mv);
            found.moves.clear();
            let near = if first { None } else { own };
            completions.completing(turn.state, side, near, &mut found.moves);
        }
        found.at = Some(now);
    }
}

impl<G: Game> PlayoutPolicy<G> for Mate {
    fn role(&self) -> Role {
        // A side completes a figure as soon as it can, to the end of the playout.
        let completes = self.min == 1 && self.c == 1.0;
        let takes = if completes { Turns::WIN } else { Turns::default() };
        Role { only: Turns::COMPLETING, takes, trusts_rings: Some(INFO.name), ..Role::default() }
    }

    fn layout(&self) -> Layout {
        Layout::moves()
    }

    fn begin(&mut self, _leaf: &Leaf<G>, _rng: &mut Rng) {
        PlayoutPolicy::<G>::begin_again(self);
    }

    fn begin_again(&mut self) {
        self.found.iter_mut().for_each(|found| found.at = None);
        self.passed_at = None;
    }

    #[inline(always)]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(completions) = turn.variant.completions() else { return Answer::Pass };
        let now = turn.moves.len();
        let turns = if self.by_playout { now - turn.tree_moves } else { completions.stones(turn.state) };
        let most = turn.variant.game.longest().map_or(f32::INFINITY, |longest| longest as f32);
        let active = (turns as f32) < most / self.c;
        let ends = self.shortcut && now > 0 && self.passed_at == Some(now - 1);
        if !active && !ends {
            return Answer::Rest;
        }
        let (own, other) = (turn.side.index(), turn.side.other().index());
        self.find(completions, turn, turn.side);
        if active && self.found[own].moves.len() >= self.min {
            if !self.played {
                return Answer::Stop(Outcome::Win(turn.side));
            }
            return Answer::Move(self.found[own].moves[rng.below(self.found[own].moves.len())]);
        }
        if ends || (active && self.block) {
            self.find(completions, turn, turn.side.other());
            if ends && self.found[other].moves.len() >= 2 && self.has_none(completions, turn) {
                return Answer::Stop(Outcome::Win(turn.side.other()));
            }
            if active && self.block && !self.found[other].moves.is_empty() {
                return Answer::Move(self.found[other].moves[rng.below(self.found[other].moves.len())]);
            }
        }
        self.passed_at = active.then_some(now);
        Answer::Pass
    }
}

impl Mate {
    /// Whether the side to move has no completing cell. With `min=1` it would have played one at any group but its
    /// last; with `min=2` there may be one left elsewhere.
    fn has_none<G: Game>(&mut self, completions: &dyn Completions<G>, turn: &Turn<G>) -> bool {
        let found = &mut self.found[turn.side.index()];
        if self.min > 1 && found.moves.is_empty() {
            completions.completing(turn.state, turn.side, None, &mut found.moves);
        }
        found.moves.is_empty()
    }
}
