//! NAST: playouts prefer moves that have done well after the one or two moves before them (spec section 4.5).
//!
//! Without the force to inline, searches take up to 1.01 times the instructions (bench/inlining.txt).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::move_means::{KEEP, MoveMean, Rule, SELECT, TAU, draw, eps, keeps};
use super::{Answer, Built, PlayoutPolicy, Role, Turn, Turns, slots_of};
use crate::family::Context;
use crate::game::{Game, Here, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::terms::Terms;
use crate::tree::{Layout, MoveTable, Scale, Simulation, Tree};
use crate::types::{Error, Move, Result, Rng, Side, mix};

pub const INFO: PartInfo = PartInfo {
    name: "nast",
    options: &[
        OptionInfo::int("n", 2, 3, "2", "length of the sequences; 3 falls back to 2 where it knows nothing"),
        OptionInfo::int("seen", 0, 1_000_000, "0", "times that a sequence must have been seen to count"),
        SELECT,
        TAU,
        eps("0.2"),
        KEEP,
        OptionInfo::flag(
            "published",
            "false",
            "as the PPR authors' program: only pairs in the tree that end with a move of the root's side",
        ),
    ],
    positional: None,
    doc: "Prefers moves by their mean result after the same last move or two, by side",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Nast::new(options, context.variant)?)
}

/// For keys that are mixed already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = mix(self.0 ^ byte as u64));
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

pub struct Nast {
    rule: Rule,
    keep: bool,
    published: bool,
    triples_too: bool,
    seen: f32,
    slots: usize,
    /// By side, last slot, slot; as published only the first side's are used.
    pairs: Vec<MoveMean>,
    /// By side and three slots. Only looked up, never gone through.
    triples: HashMap<u64, MoveMean, BuildHasherDefault<AsIs>>,
    moves: Vec<Move>,
}

impl Nast {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<Nast> {
        let slots = slots_of("nast", variant)?;
        let rule = Rule::new(options)?;
        let published = options.flag("published");
        if published && options.int("n") == 3 {
            return Err(Error::new("nast: published=true knows pairs only, so there can be no n=3"));
        }
        Ok(Nast {
            rule,
            keep: options.flag("keep"),
            published,
            triples_too: options.int("n") == 3,
            seen: options.int("seen") as f32,
            slots,
            pairs: vec![MoveMean::unseen(rule); if published { 1 } else { 2 } * slots * slots],
            triples: HashMap::default(),
            moves: Vec::new(),
        })
    }

    #[inline]
    fn pair(&self, side: Side, last: usize, slot: usize) -> usize {
        let side = if self.published { 0 } else { side.index() };
        (side * self.slots + last) * self.slots + slot
    }

    #[inline]
    fn triple(&self, side: Side, before: usize, last: usize, slot: usize) -> u64 {
        mix(((before * self.slots + last) * self.slots + slot) as u64 * 2 + side.index() as u64)
    }
}

impl<G: Game> PlayoutPolicy<G> for Nast {
    fn role(&self) -> Role {
        // It has seen every pair of moves that another policy could have learnt as a reply.
        let whole = !self.published && self.seen <= 1.0;
        let kept = if self.keep { Turns::KEPT_REPLY } else { Turns::default() };
        let takes = if whole { Turns::REPLY.and(kept) } else { Turns::default() };
        Role { takes, ..Role::default() }
    }

    fn terms(&self) -> Terms {
        keeps(self.keep)
    }

    fn layout(&self) -> Layout {
        Layout::moves()
    }

    fn never_passes(&self) -> bool {
        self.rule.never_passes()
    }

    #[inline(always)]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let game = &turn.variant.game;
        let Some(&(last, _)) = turn.moves.last() else { return Answer::Pass };
        let last = game.slot(last);
        let before = turn.moves.len().checked_sub(2).map(|at| game.slot(turn.moves[at].0));
        let unseen = MoveMean::unseen(self.rule);
        let mut moves = std::mem::take(&mut self.moves);
        let counts = |entry: &MoveMean| entry.visits > 0.0 && entry.visits >= self.seen;
        let known = |mv: Move| {
            let slot = game.slot(mv);
            if self.triples_too
                && let Some(before) = before
                && let Some(entry) = self.triples.get(&self.triple(turn.side, before, last, slot))
                && counts(entry)
            {
                return *entry;
            }
            let entry = self.pairs[self.pair(turn.side, last, slot)];
            if self.seen <= 1.0 || counts(&entry) { entry } else { unseen }
        };
        let drawn = draw(self.rule, turn, &mut moves, rng, known);
        self.moves = moves;
        drawn.map_or(Answer::Pass, Answer::Move)
    }

    fn observe(&mut self, _root: &Here<G>, simulation: &Simulation) {
        let scores = Side::BOTH.map(|side| simulation.score(side));
        let end = if self.published { simulation.path.len() } else { simulation.moves.len() };
        for k in 1..end.min(simulation.slots.len()) {
            let side = simulation.moves[k].1;
            if self.published && side != simulation.root_side {
                continue;
            }
            let (last, slot) = (simulation.slots[k - 1] as usize, simulation.slots[k] as usize);
            let pair = self.pair(side, last, slot);
            self.pairs[pair].add(scores[side.index()], self.rule);
            if self.triples_too && k >= 2 {
                let key = self.triple(side, simulation.slots[k - 2] as usize, last, slot);
                let unseen = MoveMean::unseen(self.rule);
                self.triples.entry(key).or_insert(unseen).add(scores[side.index()], self.rule);
            }
        }
    }

    fn new_root(&mut self) {
        if !self.keep {
            self.pairs.fill(MoveMean::unseen(self.rule));
            self.triples.clear();
        }
    }

    /// For each move its mean over all last moves.
    fn tables(&self, _tree: &Tree) -> Vec<MoveTable> {
        let table = |side: Side| {
            let over_all = |slot: usize| {
                let entries = (0..self.slots).map(|last| self.pairs[self.pair(side, last, slot)]);
                let (score, visits) = entries.fold((0.0, 0.0), |(s, v), e| (s + e.score, v + e.visits));
                (visits > 0.0).then(|| score / visits)
            };
            let means = (0..self.slots).map(over_all).collect();
            MoveTable {
                name: "nast",
                side: (!self.published).then_some(side),
                scale: Scale::Rate,
                doc: "mean result of the move over all moves before it",
                values: means,
            }
        };
        if self.published { vec![table(Side::First)] } else { Side::BOTH.map(table).to_vec() }
    }
}
