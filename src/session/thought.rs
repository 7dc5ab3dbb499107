//! A search that thinks, its moves and tables as texts.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{CellTable, TextChild, TextLogged, TextReport, TextStat, Thinking};
use crate::game::{Game, Variant};
use crate::search::{Logged, Report, Search, VALUE, VISITS};
use crate::tree::{MoveTable, Scale};
use crate::types::{Error, Limit, Move, Result, Rng};

/// A search that thinks, with the rules it thinks by.
pub struct Thought<G: Game> {
    pub variant: Arc<Variant<G>>,
    pub search: Search<G>,
    pub seed: u64,
    /// Moves from the start of the game to the root.
    pub ply: u64,
}

impl<G: Game> Thought<G> {
    /// Visits and values of the root's moves on a board of so many cells.
    fn tables_of_moves(&self, cells: usize) -> Vec<CellTable> {
        let (game, root) = (&self.variant.game, self.search.root());
        let (mut visits, mut value) = (vec![None; cells], vec![None; cells]);
        // Where several moves end on a cell, the most visited speaks for it, which comes first.
        for stat in self.search.report().moves.iter().filter(|stat| stat.visits > 0) {
            let Some(&cell) = game.move_cells(root, stat.mv).last() else { continue };
            if visits[cell].is_none() {
                visits[cell] = Some(stat.visits as f32);
                value[cell] = stat.mean().map(|mean| mean as f32);
            }
        }
        let side = Some(game.side_to_move(root));
        vec![
            CellTable { name: "visits", side, scale: Scale::Count, doc: VISITS, values: visits },
            CellTable { name: "value", side, scale: Scale::Rate, doc: VALUE, values: value },
        ]
    }
}

impl<G: Game> Thinking for Thought<G> {
    fn run(&mut self, limit: &Limit, rest: &Limit, stop: &Arc<AtomicBool>) -> bool {
        self.search.run_part(limit, rest, stop)
    }

    fn advance(&mut self, moves: &[String]) -> Result<bool> {
        if self.search.worlds().is_some() {
            return Err(Error::new(
                "a search in sampled worlds, or with candidates other than full, cannot go on to another position",
            ));
        }
        let game = &self.variant.game;
        let mut state = self.search.root().clone();
        let mut path = Vec::with_capacity(moves.len());
        for name in moves {
            let mv = game.parse_move(&state, name)?;
            game.play(&mut state, mv);
            path.push(mv);
        }
        if self.variant.outcome(&state).is_some() {
            return Err(Error::new(format!("there is nothing to search: {} ends the game", moves.join(" "))));
        }
        let ply = self.ply + path.len() as u64;
        // The stream that a new search of this position would have.
        let known = path.is_empty() || self.search.advance(&path, state, Rng::stream(&[self.seed, ply]));
        if known {
            self.ply = ply;
        }
        Ok(known)
    }

    fn report(&self) -> TextReport {
        let mut report = self.search.report();
        self.search.draw_best(&mut report);
        text_report(&self.variant, self.search.root(), report)
    }

    fn counts(&self) -> (u64, u64) {
        (self.search.simulations(), self.search.states())
    }

    fn tables(&self) -> Vec<CellTable> {
        let (game, root) = (&self.variant.game, self.search.root());
        let cells = game.board().cells.len();
        if cells == 0 {
            return Vec::new();
        }
        if game.slots() == 0 {
            return self.tables_of_moves(cells);
        }
        let cell_of = |slot: usize| game.slot_cells(root, slot).last().copied();
        let on_board = |table: MoveTable| {
            let mut values: Vec<Option<f32>> = vec![None; cells];
            for (slot, value) in table.values.iter().enumerate() {
                let Some(value) = value else { continue };
                let Some(cell) = cell_of(slot) else { continue };
                let value = match table.scale {
                    Scale::Cell => match cell_of(*value as usize) {
                        Some(reply) => reply as f32,
                        None => continue,
                    },
                    _ => *value,
                };
                values[cell] = Some(values[cell].map_or(value, |known| known.max(value)));
            }
            let MoveTable { name, side, scale, doc, .. } = table;
            CellTable { name, side, scale, doc, values }
        };
        self.search.tables().into_iter().map(on_board).collect()
    }

    fn explore(&self, moves: &[String], most: usize) -> Result<Vec<TextChild>> {
        let game = &self.variant.game;
        let mut state = self.search.root().clone();
        let mut path = Vec::with_capacity(moves.len());
        for name in moves {
            let mv = game.parse_move(&state, name)?;
            game.play(&mut state, mv);
            path.push(mv);
        }
        let found = self.search.explore(&path, most).unwrap_or_default();
        let named = found.into_iter().map(|(stat, line)| TextChild {
            name: game.move_name(&state, stat.mv),
            visits: stat.visits,
            value: stat.mean(),
            proof: stat.proof,
            line: names(game, &state, line),
        });
        Ok(named.collect())
    }

    fn keep_log(&mut self) {
        self.search.keep_log();
    }

    fn log(&self) -> Vec<TextLogged> {
        let named = |logged: &Logged| {
            // Names depend on nothing that is hidden, so the world of the simulation is not needed for them.
            let mut state = self.search.root().clone();
            let mut names = Vec::new();
            for &(mv, _) in &logged.moves {
                names.push(self.variant.game.move_name(&state, mv));
                self.variant.game.play(&mut state, mv);
            }
            let Logged { tree_moves, value, world, .. } = logged.clone();
            TextLogged { moves: names, tree_moves, value, world }
        };
        self.search.log().iter().map(named).collect()
    }
}

/// The names of moves that are played one after the other.
fn names<G: Game>(game: &G, state: &G::State, moves: Vec<Move>) -> Vec<String> {
    let mut after = state.clone();
    let mut names = Vec::with_capacity(moves.len());
    for mv in moves {
        names.push(game.move_name(&after, mv));
        game.play(&mut after, mv);
    }
    names
}

pub fn text_report<G: Game>(variant: &Variant<G>, state: &G::State, report: Report) -> TextReport {
    let game = &variant.game;
    let line = names(game, state, report.line);
    let stats = report.moves.iter().map(|stat| TextStat {
        name: game.move_name(state, stat.mv),
        visits: stat.visits,
        value: stat.mean(),
        proof: stat.proof,
        amaf: stat.amaf.map(|amaf| (amaf.visits as f64, amaf.mean().map(f64::from))),
    });
    TextReport {
        best: game.move_name(state, report.best),
        moves: stats.collect(),
        line,
        side: game.side_to_move(state),
        simulations: report.simulations,
        states: report.states,
        seconds: report.seconds,
        nodes: report.nodes,
        bytes: report.bytes,
        full_at: report.full_at,
        notes: report.notes,
    }
}
