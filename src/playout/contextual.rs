//! Contextual Monte Carlo: playouts choose a move by how well it went together with the side's move before it.
//!
//! Rimmel and Teytaud, "Multiple overlapping tiles for contextual Monte Carlo tree search", 2010: a tile is a pair
//! of moves of one side, worth the mean result of the simulations in which that side played both.

use super::{Answer, Built, PlayoutPolicy, Turn, slots_of};
use crate::family::Context;
use crate::game::{Game, Here, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::{Amaf, Layout, MoveTable, Scale, Simulation, Tree};
use crate::types::{Move, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "contextual",
    options: &[
        OptionInfo::real("p", 0.0, 1.0, "0.35", "how often a move is chosen by its tile"),
        OptionInfo::int("seen", 1, 1_000_000, "10", "simulations that a tile must have been in to count"),
        OptionInfo::real("bound", 0.0, 1.0, "0.5", "a tile must be worth more than this"),
    ],
    positional: None,
    doc: "Chooses the move that has gone best together with the side's last move",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Contextual::new(options, context.variant)?)
}

pub struct Contextual {
    p: f32,
    seen: f32,
    bound: f32,
    slots: usize,
    /// By side and by both slots of a tile, in either order.
    tiles: [Vec<Amaf>; 2],
    by_side: [Vec<u16>; 2],
    moves: Vec<Move>,
}

impl Contextual {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<Contextual> {
        let slots = slots_of("contextual", variant)?;
        Ok(Contextual {
            p: options.real("p"),
            seen: options.int("seen") as f32,
            bound: options.real("bound"),
            slots,
            tiles: [vec![Amaf::default(); slots * slots], vec![Amaf::default(); slots * slots]],
            by_side: Default::default(),
            moves: Vec::new(),
        })
    }
}

impl<G: Game> PlayoutPolicy<G> for Contextual {
    fn layout(&self) -> Layout {
        Layout::moves()
    }

    #[inline]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let own = turn.moves.iter().rev().find(|&&(_, side)| side == turn.side);
        let Some(&(own, _)) = own else { return Answer::Pass };
        if !rng.chance(self.p) {
            return Answer::Pass;
        }
        let game = &turn.variant.game;
        let begin = game.slot(own) * self.slots;
        let row = &self.tiles[turn.side.index()][begin..begin + self.slots];
        self.moves.clear();
        game.legal_moves(turn.state, &mut self.moves);
        let (mut best, mut top, mut equals) = (None, self.bound, 0);
        for &mv in &self.moves {
            let tile = row[game.slot(mv)];
            if tile.visits < self.seen {
                continue;
            }
            let mean = tile.score / tile.visits;
            if mean > top {
                (best, top, equals) = (Some(mv), mean, 1);
            } else if mean == top && equals > 0 {
                equals += 1;
                // The last of m equals replaces the choice once in m times: all are equally likely.
                if rng.below(equals) == 0 {
                    best = Some(mv);
                }
            }
        }
        best.map_or(Answer::Pass, Answer::Move)
    }

    fn observe(&mut self, _root: &Here<G>, simulation: &Simulation) {
        self.by_side.iter_mut().for_each(Vec::clear);
        for (&slot, &(_, side)) in simulation.slots.iter().zip(simulation.moves) {
            self.by_side[side.index()].push(slot);
        }
        for side in Side::BOTH {
            let score = simulation.score(side);
            let (tiles, played) = (&mut self.tiles[side.index()], &self.by_side[side.index()]);
            for &a in played {
                let row = &mut tiles[a as usize * self.slots..(a as usize + 1) * self.slots];
                for &b in played {
                    row[b as usize].visits += 1.0;
                    row[b as usize].score += score;
                }
            }
        }
    }

    fn new_root(&mut self) {
        self.tiles.iter_mut().for_each(|tiles| tiles.fill(Amaf::default()));
    }

    /// For each move the best tile it is in.
    fn tables(&self, _tree: &Tree) -> Vec<MoveTable> {
        let table = |side: Side| {
            let best = |slot: usize| {
                let row = &self.tiles[side.index()][slot * self.slots..(slot + 1) * self.slots];
                let known = row.iter().enumerate().filter(|&(b, tile)| b != slot && tile.visits >= self.seen);
                known.map(|(_, tile)| tile.score / tile.visits).max_by(f32::total_cmp)
            };
            MoveTable {
                name: "tile",
                side: Some(side),
                scale: Scale::Rate,
                doc: "mean result of the best pair that the move belongs to",
                values: (0..self.slots).map(best).collect(),
            }
        };
        Side::BOTH.map(table).to_vec()
    }
}
