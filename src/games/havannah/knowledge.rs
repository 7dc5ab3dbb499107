//! What Havannah knows beyond its rules: completing cells, distances, corners.

use super::Havannah;
use super::geometry::{ROWS, STRIDE, Stones};
use super::state::{State, would_complete};
use crate::game::Knowledge;
use crate::types::{Move, Side};

/// The cells next to the stones of a set, and some of the set itself; the margin is not cut off.
#[inline]
fn beside(set: &Stones, row: usize) -> u32 {
    let (above, level, below) = (set[row - 1], set[row], set[row + 1]);
    above | above << 1 | level << 1 | level >> 1 | below | below >> 1
}

/// The group of the stone at `position`, with the first and last padded row it reaches.
fn group(stones: &Stones, position: usize) -> (Stones, usize, usize) {
    let mut set = [0; ROWS];
    let row = position / STRIDE + 1;
    set[row] = 2 << (position % STRIDE);
    let (mut low, mut high) = (row, row);
    loop {
        let mut changed = false;
        // Once down and once up, each row filled sideways: few rounds are needed for any shape.
        let down = low.max(2) - 1..=(high + 1).min(ROWS - 2);
        for row in down.clone().chain(down.rev()) {
            let old = set[row];
            let mut new = old | (beside(&set, row) & stones[row]);
            loop {
                let wider = new | ((new << 1 | new >> 1) & stones[row]);
                if wider == new {
                    break;
                }
                new = wider;
            }
            if new != old {
                set[row] = new;
                changed = true;
                (low, high) = (low.min(row), high.max(row));
            }
        }
        if !changed {
            return (set, low, high);
        }
    }
}

impl Havannah {
    /// Tests the empty cells next to a set of stones that reaches from padded row `low` to `high`.
    #[inline]
    fn complete_beside(
        &self,
        state: &State,
        side: Side,
        set: &Stones,
        (low, high): (usize, usize),
        moves: &mut Vec<Move>,
    ) {
        let geometry = &self.geometry;
        let stones = &state.stones[side.index()];
        for row in (low - 1).max(1)..=(high + 1).min(geometry.width) {
            let mut open = beside(set, row) & state.open(geometry, row);
            while open != 0 {
                let position = (row - 1) * STRIDE + open.trailing_zeros() as usize - 1;
                if would_complete(geometry, stones, &state.nodes, position) {
                    moves.push(Move(geometry.cell[position] as u32));
                }
                open &= open - 1;
            }
        }
    }
}

impl Knowledge<Havannah> for Havannah {
    /// In board order. Nothing completes a figure once the game is over, or next to a stone that is not `side`'s.
    fn completing(&self, state: &State, side: Side, near: Option<Move>, moves: &mut Vec<Move>) {
        let stones = &state.stones[side.index()];
        if state.end.is_some() {
            return;
        }
        let Some(near) = near else {
            return self.complete_beside(state, side, stones, (1, self.geometry.width), moves);
        };
        let Some(&position) = self.geometry.position.get(near.0 as usize) else {
            return;
        };
        let position = position as usize;
        if !super::has(stones, position) {
            return;
        }
        let (set, low, high) = group(stones, position);
        self.complete_beside(state, side, &set, (low, high), moves);
    }

    /// Nearest first, then in board order; any range.
    fn around(&self, mv: Move, range: usize) -> &[Move] {
        self.geometry.around(mv.0 as usize, range)
    }

    fn corners(&self) -> &[Move] {
        &self.geometry.corners
    }

    fn stones(&self, state: &State) -> usize {
        self.geometry.cells - state.empty as usize
    }

    fn max_moves(&self) -> usize {
        self.geometry.cells + self.swap as usize
    }
}
