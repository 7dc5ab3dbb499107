//! Havannah: two sides set stones on a hexagonal board; a ring, a bridge or a fork wins.
//!
//! A *ring* encloses at least one cell, whatever stands there; a *bridge* joins two of the six corners; a
//! *fork* joins three of the six sides, corners not counted. A full board without any of them is a draw.
//! One stone may complete several figures; the game is then named after the first of ring, bridge, fork.
//!
//! A move is the number of its cell in board order: row by row, in each row from the left, the cut corners of
//! the rhombic frame skipped. Legal moves are listed in this order. With the swap rule the second side may
//! answer the first move with `swap`, numbered after the last cell: the opening stone becomes its own.
//!
//! Without the force to inline, searches take up to 1.06 times the instructions (bench/inlining.txt).

/// Element `$i` of a slice that must be there: unchecked, unless the feature `checked` is on.
///
/// The indices used here are positions of stones and cells of the board, or are made from them through the
/// tables of `Geometry`; all slices of a state have the lengths that `State::new` gave them for that board. Checked, searches
/// take up to 1.15 times the instructions (bench/inlining.txt).
macro_rules! at {
    ($slice:expr, $i:expr) => {{
        let (slice, i) = (&$slice, $i);
        debug_assert!(i < slice.len());
        if cfg!(feature = "checked") {
            slice[i]
        } else {
            // SAFETY: see the text above; the assertion holds in every test.
            unsafe { *slice.get_unchecked(i) }
        }
    }};
    ($slice:expr, $i:expr => $value:expr) => {{
        let (value, i) = ($value, $i);
        let slice = &mut $slice;
        debug_assert!(i < slice.len());
        if cfg!(feature = "checked") {
            slice[i] = value;
        } else {
            // SAFETY: as above.
            unsafe { *slice.get_unchecked_mut(i) = value };
        }
    }};
}

mod figures;
mod geometry;
mod knowledge;
mod patterns;
mod ring_rule;
mod state;
mod symmetry;
#[cfg(test)]
mod tests;
mod text;
mod threats;
mod watch;

use crate::game::{FastPlay, Rules, Trace, replies_by_turns};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Move, Outcome, Result, Rng, Side, mix};
use geometry::{Geometry, STRIDE};
pub use state::State;
use state::{TAKEN, set_stone};

pub struct Havannah {
    geometry: Geometry,
    /// By position: which of its neighbours are off the board, for patterns.
    frames: Vec<u8>,
    images: symmetry::Images,
    swap: bool,
}

impl Havannah {
    /// The game on a board with sides of `size` cells, 2 to 13.
    pub fn new(size: usize, swap: bool) -> Havannah {
        assert!((2..=geometry::MAX_SIZE).contains(&size), "havannah has sizes 2..=13, not {size}");
        let geometry = Geometry::new(size);
        Havannah {
            frames: patterns::frames(&geometry),
            images: symmetry::Images::new(&geometry),
            geometry,
            swap,
        }
    }

    /// Cells of the board.
    pub fn cells(&self) -> usize {
        self.geometry.cells
    }

    fn swap_move(&self) -> Move {
        Move(self.geometry.cells as u32)
    }

    /// Whether the side to move may take over the opening stone.
    #[inline]
    fn may_swap(&self, state: &State) -> bool {
        self.swap && state.empty as usize + 1 == self.geometry.cells && state.side == Side::Second
    }

    /// Whether this move or the next may be the swap, which the loops of whole playouts do not know.
    #[inline]
    fn swap_is_near(&self, state: &State) -> bool {
        self.swap && (state.empty as usize == self.geometry.cells || self.may_swap(state))
    }
}

impl Rules for Havannah {
    const INFO: PartInfo = PartInfo {
        name: "havannah",
        options: &[
            OptionInfo::int("size", 2, geometry::MAX_SIZE as i64, "6", "cells along each side of the board"),
            OptionInfo::flag("swap", "false", "whether the second side may take over the first stone"),
        ],
        positional: None,
        doc: "Stones on a hexagonal board; a ring, a bridge or a fork wins",
    };

    type State = State;

    fn from_options(options: &Options) -> Result<Havannah> {
        Ok(Havannah::new(options.size("size"), options.flag("swap")))
    }

    fn initial_state(&self, _rng: &mut Rng) -> State {
        State::new(&self.geometry)
    }

    #[inline]
    fn side_to_move(&self, state: &State) -> Side {
        state.side
    }

    fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
        if state.end.is_some() {
            return;
        }
        moves.reserve(state.empty as usize + 1);
        for row in 1..=self.geometry.width {
            let mut open = state.open(&self.geometry, row);
            while open != 0 {
                let position = (row - 1) * STRIDE + open.trailing_zeros() as usize - 1;
                moves.push(Move(self.geometry.cell[position] as u32));
                open &= open - 1;
            }
        }
        if self.may_swap(state) {
            moves.push(self.swap_move());
        }
    }

    #[inline]
    fn is_legal(&self, state: &State, mv: Move) -> bool {
        if state.end.is_some() {
            return false;
        }
        match self.geometry.position.get(mv.0 as usize) {
            Some(&position) => state.is_empty_at(position as usize),
            None => mv == self.swap_move() && self.may_swap(state),
        }
    }

    #[inline(always)]
    fn play(&self, state: &mut State, mv: Move) {
        let cell = mv.0 as usize;
        if cell >= self.geometry.cells {
            state.stones.swap(0, 1);
            state.side = Side::First;
            return;
        }
        let position = at!(self.geometry.position, cell) as usize;
        state.take_at(at!(state.index, position) as usize, position);
        self.set(state, position);
    }

    #[inline]
    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.end
    }

    fn key(&self, state: &State) -> u64 {
        let rows = 1..=self.geometry.width;
        rows.fold(mix(state.side as u64), |key, row| {
            mix(key ^ (state.stones[0][row] as u64 | (state.stones[1][row] as u64) << 32))
        })
    }

    fn longest(&self) -> Option<u64> {
        Some((self.geometry.cells + self.swap as usize) as u64)
    }

    fn slots(&self) -> usize {
        self.geometry.cells + self.swap as usize
    }
}

impl FastPlay for Havannah {
    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        let choice = rng.below(state.empty as usize + self.may_swap(state) as usize);
        if choice == state.empty as usize {
            return self.swap_move();
        }
        Move(at!(self.geometry.cell, at!(state.order, choice) as usize) as u32)
    }

    #[inline(always)]
    fn play_random(&self, state: &mut State, rng: &mut Rng) -> Move {
        if self.may_swap(state) {
            let mv = self.random_move(state, rng);
            self.play(state, mv);
            return mv;
        }
        let choice = rng.below(state.empty as usize);
        let position = at!(state.order, choice) as usize;
        state.take_at(choice, position);
        self.set(state, position);
        Move(at!(self.geometry.cell, position) as u32)
    }

    #[inline(always)]
    fn play_preferred(&self, state: &mut State, mv: Move, rng: &mut Rng) -> Move {
        if self.may_swap(state) {
            let mv = if self.is_legal(state, mv) { mv } else { self.random_move(state, rng) };
            self.play(state, mv);
            return mv;
        }
        let position = at!(self.geometry.wanted, (mv.0 as usize).min(self.geometry.cells));
        let here = at!(state.index, position as usize);
        // Both are looked up, and one of them taken without a branch: which one is hard to foresee.
        let random = rng.below(state.empty as usize);
        let drawn = at!(state.order, random);
        let taken = here == TAKEN;
        let here = if taken { random } else { here as usize };
        let position = (if taken { drawn } else { position }) as usize;
        state.take_at(here, position);
        self.set(state, position);
        Move(at!(self.geometry.cell, position) as u32)
    }

    fn count_moves(&self, state: &State) -> usize {
        if state.end.is_some() { 0 } else { state.empty as usize + self.may_swap(state) as usize }
    }

    /// Counts bits row by row: no list is made.
    fn nth_move(&self, state: &State, k: usize) -> Move {
        let mut left = k as u32;
        for row in 1..=self.geometry.width {
            let mut open = state.open(&self.geometry, row);
            let count = open.count_ones();
            if left < count {
                for _ in 0..left {
                    open &= open - 1;
                }
                let position = (row - 1) * STRIDE + open.trailing_zeros() as usize - 1;
                return Move(self.geometry.cell[position] as u32);
            }
            left -= count;
        }
        self.swap_move()
    }

    fn uniform_playout(&self, state: &mut State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        while self.swap_is_near(state) {
            let side = state.side;
            trace.push(self.play_random(state, rng), side);
        }
        if let Some(outcome) = state.end {
            return outcome;
        }
        let (begin, first) = (state.empty as usize, state.side);
        let outcome = self.finish(state, rng);
        self.record(state, begin, first, trace);
        outcome
    }

    #[inline]
    fn reply_playout(
        &self,
        state: &mut State,
        last: Move,
        reply: impl Fn(Side, Move) -> Move,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        // The loop below takes every ring for a win.
        if state.ring_rule.needed > 0 {
            return replies_by_turns(self, state, last, reply, rng, trace);
        }
        let mut last = last;
        while self.swap_is_near(state) {
            let side = state.side;
            last = self.play_preferred(state, reply(side, last), rng);
            trace.push(last, side);
        }
        if let Some(outcome) = state.end {
            return outcome;
        }
        let (begin, first) = (state.empty as usize, state.side);
        let outcome = self.finish_with_replies(state, last, reply, rng);
        self.record(state, begin, first, trace);
        outcome
    }
}

impl Havannah {
    /// Sets a stone of the side to move on a position that is out of the empty ones already.
    #[inline(always)]
    fn set(&self, state: &mut State, position: usize) {
        let side = state.side;
        let State { stones, nodes, ring_rule, .. } = state;
        let stones = &mut stones[side.index()];
        if set_stone(&self.geometry, stones, nodes, position)
            && (ring_rule.needed == 0 || ring_rule.wins(&self.geometry, stones, nodes, position))
        {
            state.end = Some(Outcome::Win(side));
        } else if state.empty == 0 {
            state.end = Some(Outcome::Draw);
        }
        state.side = side.other();
    }

    /// Adds the stones of a playout that began with `begin` empty cells and a stone of `first`.
    #[inline]
    fn record(&self, state: &State, begin: usize, first: Side, trace: &mut Trace) {
        trace.states += (begin - state.empty as usize) as u64;
        if trace.wanted {
            // The cells taken stand at the end of `order`, the first one last.
            let sides = [first, first.other()];
            let taken = state.order[state.empty as usize..begin].iter().rev().enumerate();
            trace.moves.extend(taken.map(|(ply, &position)| {
                (Move(at!(self.geometry.cell, position as usize) as u32), sides[ply % 2])
            }));
        }
    }

    /// Plays replies, and random stones where a reply is taken, to the end. No state may ask for more than a plain ring.
    ///
    /// Where a stone goes depends on where the last one went, so that the time from one to the next is what a playout
    /// takes: all that does not lie on this way is looked up beside it.
    #[inline]
    fn finish_with_replies(
        &self,
        state: &mut State,
        last: Move,
        reply: impl Fn(Side, Move) -> Move,
        rng: &mut Rng,
    ) -> Outcome {
        let State { stones, order, index, nodes, .. } = state;
        let (order, index, nodes) = (&mut order[..], &mut index[..], &mut nodes[..]);
        let mut side = state.side;
        let mut empty = state.empty as usize;
        let mut last = last;
        let outcome = loop {
            let choice = rng.below(empty);
            let drawn = at!(order, choice);
            let random = Move(at!(self.geometry.cell, drawn as usize) as u32);
            let wanted = reply(side, last);
            let position = at!(self.geometry.wanted, (wanted.0 as usize).min(self.geometry.cells));
            let here = at!(index, position as usize);
            // One of them is taken without a branch: which one is hard to foresee.
            let taken = here == TAKEN;
            let here = if taken { choice } else { here as usize };
            let position = if taken { drawn } else { position };
            last = if taken { random } else { wanted };
            empty -= 1;
            let moved = at!(order, empty);
            at!(*order, empty => position);
            at!(*order, here => moved);
            at!(*index, moved as usize => here as u16);
            // After the cell that moves up, which may be this one.
            at!(*index, position as usize => TAKEN);
            if set_stone(&self.geometry, &mut stones[side.index()], nodes, position as usize) {
                break Outcome::Win(side);
            }
            side = side.other();
            if empty == 0 {
                break Outcome::Draw;
            }
        };
        state.side = if outcome == Outcome::Draw { side } else { side.other() };
        state.empty = empty as u32;
        state.end = Some(outcome);
        outcome
    }

    /// Plays random stones to the end. `index` is not kept up: nothing can be played afterwards.
    #[inline]
    fn finish(&self, state: &mut State, rng: &mut Rng) -> Outcome {
        let State { stones, order, nodes, ring_rule, .. } = state;
        let (order, nodes) = (&mut order[..], &mut nodes[..]);
        let mut side = state.side;
        let mut empty = state.empty as usize;
        let outcome = loop {
            let choice = rng.below(empty);
            empty -= 1;
            let (position, last) = (at!(order, choice), at!(order, empty));
            at!(*order, empty => position);
            at!(*order, choice => last);
            let (stones, position) = (&mut stones[side.index()], position as usize);
            if set_stone(&self.geometry, stones, nodes, position)
                && (ring_rule.needed == 0 || ring_rule.wins(&self.geometry, stones, nodes, position))
            {
                break Outcome::Win(side);
            }
            side = side.other();
            if empty == 0 {
                break Outcome::Draw;
            }
        };
        state.side = if outcome == Outcome::Draw { side } else { side.other() };
        state.empty = empty as u32;
        state.end = Some(outcome);
        outcome
    }
}
