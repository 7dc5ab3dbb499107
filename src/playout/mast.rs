//! MAST: playouts prefer moves that have done well anywhere in this search (spec section 4.4).
//!
//! Without the force to inline, searches take up to 1.06 times the instructions (bench/inlining.txt).

use super::move_means::{KEEP, MoveMean, Rule, SELECT, TAU, draw, eps, keeps};
use super::{Answer, Built, PlayoutPolicy, Turn, slots_of};
use crate::family::Context;
use crate::game::{Game, Here, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::terms::Terms;
use crate::tree::{Layout, MoveTable, Scale, Simulation, Tree};
use crate::types::{Move, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "mast",
    options: &[
        SELECT,
        TAU,
        eps("0.4"),
        KEEP,
        OptionInfo::flag(
            "published",
            "false",
            "as the PPR authors' program: only moves of the root's side are learnt, for both sides",
        ),
    ],
    positional: None,
    doc: "Prefers moves by their mean result in all simulations, by side",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Mast::new(options, context.variant)?)
}

pub struct Mast {
    rule: Rule,
    keep: bool,
    published: bool,
    /// By side and slot; as published only the first is used.
    tables: [Vec<MoveMean>; 2],
    moves: Vec<Move>,
}

impl Mast {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<Mast> {
        let slots = slots_of("mast", variant)?;
        let rule = Rule::new(options)?;
        Ok(Mast {
            rule,
            keep: options.flag("keep"),
            published: options.flag("published"),
            tables: [vec![MoveMean::unseen(rule); slots], vec![MoveMean::unseen(rule); slots]],
            moves: Vec::new(),
        })
    }

    fn table_of(&self, side: Side) -> usize {
        if self.published { 0 } else { side.index() }
    }
}

impl<G: Game> PlayoutPolicy<G> for Mast {
    fn terms(&self) -> Terms {
        keeps(self.keep)
    }

    fn layout(&self) -> Layout {
        Layout::moves()
    }

    fn never_passes(&self) -> bool {
        true
    }

    #[inline(always)]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let table = &self.tables[self.table_of(turn.side)];
        let game = &turn.variant.game;
        let drawn = draw(self.rule, turn, &mut self.moves, rng, |mv| table[game.slot(mv)]);
        // One simulation tells something of half the moves: to pass before it would leave the rest of a chain nothing.
        Answer::Move(drawn.unwrap_or_else(|| game.random_move(turn.state, rng)))
    }

    fn observe(&mut self, _root: &Here<G>, simulation: &Simulation) {
        let scores = Side::BOTH.map(|side| simulation.score(side));
        for (&slot, &(_, side)) in simulation.slots.iter().zip(simulation.moves) {
            if !self.published || side == simulation.root_side {
                let table = self.table_of(side);
                self.tables[table][slot as usize].add(scores[side.index()], self.rule);
            }
        }
    }

    fn new_root(&mut self) {
        if !self.keep {
            self.tables.iter_mut().for_each(|table| table.fill(MoveMean::unseen(self.rule)));
        }
    }

    fn tables(&self, _tree: &Tree) -> Vec<MoveTable> {
        let table = |side: Side| {
            let means = self.tables[side.index()].iter().map(MoveMean::mean).collect();
            MoveTable {
                name: "mast",
                side: (!self.published).then_some(side),
                scale: Scale::Rate,
                doc: "mean result of the move in all simulations",
                values: means,
            }
        };
        if self.published { vec![table(Side::First)] } else { Side::BOTH.map(table).to_vec() }
    }
}
