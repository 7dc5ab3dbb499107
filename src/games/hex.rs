//! Hex: two sides set stones on a rhombus of hexagons; who joins the own two of its four edges wins.
//!
//! Black, who begins, joins the upper and the lower edge, White the left and the right one. There are no draws: on a full
//! board exactly one side has a chain. A move is the number of its cell, row by row from the top, and legal moves are
//! listed in this order. With the swap rule the second side may answer the first move with `swap`, numbered after the
//! last cell: the opening stone becomes its own. Since the sides want different edges, it does so in the mirror: from c1
//! to a3, which is worth the same to White as c1 was to Black.

mod present;
#[cfg(test)]
mod tests;

use crate::game::{AmafExempt, Bridges, Distances, Exact, FastPlay, Offers, Rules, Trace};
use crate::spec::{OptionInfo, Options, PartInfo, Strong};
use crate::types::{Move, Outcome, Result, Rng, Side, mix};

const MAX_SIZE: usize = 19;
/// Owners of a spot besides the two sides: no stone yet, and the corners of the frame, which belong to neither.
const EMPTY: u8 = 2;
const NOBODY: u8 = 3;

/// Cells lie in a frame of spots one wide, and the frame belongs to the sides like stones: a chain has won when it joins
/// one edge of the frame with the other, and a bridge to the edge is a bridge to a stone.
pub struct Hex {
    size: usize,
    swap: bool,
    /// From a spot to its six neighbours, each next to the one before it.
    steps: [usize; 6],
    /// Cell to spot and back.
    spot: Vec<u16>,
    cell: Vec<u16>,
    /// A spot on either edge of each side.
    edges: [[usize; 2]; 2],
    /// All other cells of each cell, nearest first, and how many of them are at distance 0..=d.
    others: Vec<Vec<Move>>,
    within: Vec<Vec<usize>>,
    start: State,
}

/// One spot, and at the same place of the list one entry of `order`: a state is a single piece of memory.
#[derive(Clone, Copy, Debug)]
struct Spot {
    owner: u8,
    /// Union-find over the stones of a side: the next spot on the way to the root of the chain.
    parent: u16,
    /// Spots: first the empty ones in any order, then, latest first, those that were taken.
    order: u16,
    /// Where an empty spot stands in `order`.
    index: u16,
}

#[derive(Debug)]
pub struct State {
    spots: Vec<Spot>,
    empty: usize,
    side: Side,
    winner: Option<Side>,
}

impl Clone for State {
    fn clone(&self) -> State {
        State { spots: self.spots.clone(), ..*self }
    }

    /// Allocates nothing between states of one game.
    #[inline]
    fn clone_from(&mut self, source: &State) {
        let mut spots = std::mem::take(&mut self.spots);
        spots.clone_from(&source.spots);
        *self = State { spots, ..*source };
    }
}

impl State {
    /// The root of a chain; the way to it gets shorter each time.
    #[inline]
    fn root(&mut self, mut at: usize) -> usize {
        loop {
            let parent = self.spots[at].parent as usize;
            if parent == at {
                return at;
            }
            let next = self.spots[parent].parent;
            self.spots[at].parent = next;
            at = next as usize;
        }
    }
}

impl Hex {
    pub fn new(size: usize, swap: bool) -> Hex {
        assert!((1..=MAX_SIZE).contains(&size), "hex has sizes 1..=19, not {size}");
        let (cells, stride) = (size * size, size + 2);
        let spot: Vec<u16> = (0..cells).map(|c| ((c / size + 1) * stride + c % size + 1) as u16).collect();
        let mut cell = vec![0; stride * stride];
        let edges = [[1, (size + 1) * stride + 1], [stride, stride + size + 1]];
        let nothing = Spot { owner: NOBODY, parent: 0, order: 0, index: 0 };
        let mut spots = vec![nothing; stride * stride];
        for (side, ends) in edges.iter().enumerate() {
            for &end in ends {
                // Along the edge from its first spot, which is the root of all.
                for at in (0..size).map(|k| end + k * [1, stride][side]) {
                    spots[at] = Spot { owner: side as u8, parent: end as u16, ..nothing };
                }
            }
        }
        for (index, &at) in spot.iter().enumerate() {
            cell[at as usize] = index as u16;
            spots[index].order = at;
            spots[at as usize].owner = EMPTY;
            spots[at as usize].index = index as u16;
        }
        let (mut others, mut within) = (Vec::new(), Vec::new());
        for from in 0..cells {
            let mut all: Vec<(usize, usize)> = (0..cells).map(|to| (distance(size, from, to), to)).collect();
            all.sort_unstable();
            others.push(all[1..].iter().map(|&(_, to)| Move(to as u32)).collect());
            within.push((0..2 * size).map(|d| all.iter().filter(|one| one.0 <= d).count() - 1).collect());
        }
        let back = |step: usize| step.wrapping_neg();
        Hex {
            size,
            swap,
            steps: [1, stride, stride - 1, back(1), back(stride), back(stride - 1)],
            spot,
            cell,
            edges,
            others,
            within,
            start: State { spots, empty: cells, side: Side::First, winner: None },
        }
    }

    fn cells(&self) -> usize {
        self.size * self.size
    }

    fn swap_move(&self) -> Move {
        Move(self.cells() as u32)
    }

    #[inline]
    fn may_swap(&self, state: &State) -> bool {
        self.swap && state.empty + 1 == self.cells() && state.side == Side::Second && state.winner.is_none()
    }

    /// The cell that the opening stone of this one goes to if it is swapped.
    fn mirrored(&self, cell: usize) -> usize {
        cell % self.size * self.size + cell / self.size
    }

    /// The cell of the stone that was set last.
    fn last_cell(&self, state: &State) -> usize {
        self.cell[state.spots[state.empty].order as usize] as usize
    }

    /// The six spots beside one.
    fn beside(&self, at: usize) -> [usize; 6] {
        self.steps.map(|step| at.wrapping_add(step))
    }

    /// Sets a stone of the side to move on the empty spot that stands at `here` in `order`.
    #[inline]
    fn set(&self, state: &mut State, here: usize) {
        let at = state.spots[here].order as usize;
        state.empty -= 1;
        let moved = state.spots[state.empty].order;
        state.spots[state.empty].order = at as u16;
        state.spots[here].order = moved;
        state.spots[moved as usize].index = here as u16;
        let (side, owner) = (state.side, state.side as u8);
        state.spots[at].owner = owner;
        state.spots[at].parent = at as u16;
        // Neighbours that stand side by side are of one chain: one of them is enough.
        let (mut root, mut runs) = (at, 0);
        let mut before = state.spots[at.wrapping_add(self.steps[5])].owner == owner;
        for next in self.beside(at) {
            let own = state.spots[next].owner == owner;
            if own && !before {
                let other = state.root(next);
                state.spots[root].parent = other as u16;
                (root, runs) = (other, runs + 1);
            }
            before = own;
        }
        let [one, other] = self.edges[side.index()];
        if runs > 1 && state.root(one) == state.root(other) {
            state.winner = Some(side);
        }
        state.side = side.other();
    }

    /// The position with these stones, whoever set them first.
    fn build(&self, owners: &[Option<Side>], side: Side) -> State {
        let mut state = self.start.clone();
        for (cell, owner) in owners.iter().enumerate() {
            if let Some(owner) = owner {
                state.side = *owner;
                let here = state.spots[self.spot[cell] as usize].index as usize;
                self.set(&mut state, here);
            }
        }
        state.side = side;
        state
    }

    fn owner(&self, state: &State, cell: usize) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| state.spots[self.spot[cell] as usize].owner == side as u8)
    }

    /// The keys of a position and of its image under half a turn.
    fn keys(&self, state: &State) -> [u64; 2] {
        let mut keys = [mix(!(state.side as u64)); 2];
        for cell in 0..self.cells() {
            let owner = state.spots[self.spot[cell] as usize].owner;
            if owner < EMPTY {
                keys[0] ^= mix((2 * cell + owner as usize) as u64);
                keys[1] ^= mix((2 * (self.cells() - 1 - cell) + owner as usize) as u64);
            }
        }
        keys
    }
}

/// Steps from one cell to another on an empty board.
fn distance(size: usize, from: usize, to: usize) -> usize {
    let down = (to / size) as i32 - (from / size) as i32;
    let right = (to % size) as i32 - (from % size) as i32;
    down.abs().max(right.abs()).max((down + right).abs()) as usize
}

impl Rules for Hex {
    const INFO: PartInfo = PartInfo {
        name: "hex",
        options: &[
            OptionInfo::int("size", 1, MAX_SIZE as i64, "11", "cells along each side of the board"),
            OptionInfo::flag("swap", "false", "whether the second side may take over the first stone"),
        ],
        positional: None,
        doc: "Stones on a rhombus of hexagons; a chain between the own two edges wins",
    };

    type State = State;

    fn from_options(options: &Options) -> Result<Hex> {
        Ok(Hex::new(options.size("size"), options.flag("swap")))
    }

    fn initial_state(&self, _rng: &mut Rng) -> State {
        self.start.clone()
    }

    #[inline]
    fn side_to_move(&self, state: &State) -> Side {
        state.side
    }

    fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
        if state.winner.is_some() {
            return;
        }
        let is_empty = |&cell: &usize| state.spots[self.spot[cell] as usize].owner == EMPTY;
        moves.extend((0..self.cells()).filter(is_empty).map(|cell| Move(cell as u32)));
        if self.may_swap(state) {
            moves.push(self.swap_move());
        }
    }

    #[inline]
    fn is_legal(&self, state: &State, mv: Move) -> bool {
        match self.spot.get(mv.0 as usize) {
            Some(&at) => state.winner.is_none() && state.spots[at as usize].owner == EMPTY,
            None => mv == self.swap_move() && self.may_swap(state),
        }
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        if let Some(&at) = self.spot.get(mv.0 as usize) {
            let here = state.spots[at as usize].index as usize;
            return self.set(state, here);
        }
        let mut owners = vec![None; self.cells()];
        owners[self.mirrored(self.last_cell(state))] = Some(Side::Second);
        *state = self.build(&owners, Side::First);
    }

    #[inline]
    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.winner.map(Outcome::Win)
    }

    fn key(&self, state: &State) -> u64 {
        self.keys(state)[0]
    }

    fn longest(&self) -> Option<u64> {
        Some(self.slots() as u64)
    }

    fn slots(&self) -> usize {
        self.cells() + self.swap as usize
    }
}

impl FastPlay for Hex {
    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        let choice = rng.below(self.count_moves(state));
        if choice == state.empty {
            return self.swap_move();
        }
        Move(self.cell[state.spots[choice].order as usize] as u32)
    }

    #[inline]
    fn play_random(&self, state: &mut State, rng: &mut Rng) -> Move {
        if self.may_swap(state) {
            let mv = self.random_move(state, rng);
            self.play(state, mv);
            return mv;
        }
        let choice = rng.below(state.empty);
        let mv = Move(self.cell[state.spots[choice].order as usize] as u32);
        self.set(state, choice);
        mv
    }

    #[inline]
    fn count_moves(&self, state: &State) -> usize {
        if state.winner.is_some() { 0 } else { state.empty + self.may_swap(state) as usize }
    }

    /// To fill the board and look for the chain afterwards would be no faster: what a playout plays after the chain is
    /// complete would have to be taken back, and its random numbers with it.
    fn uniform_playout(&self, state: &mut State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        loop {
            if let Some(winner) = state.winner {
                return Outcome::Win(winner);
            }
            let side = state.side;
            trace.push(self.play_random(state, rng), side);
        }
    }
}

impl Exact for Hex {
    /// Half a turn. A mirror would exchange the sides, which no symmetry may.
    fn symmetries(&self) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = vec![(0..self.cells()).collect(), (0..self.cells()).rev().collect()];
        all.dedup();
        all
    }

    fn class_key(&self, state: &State) -> u64 {
        let [one, other] = self.keys(state);
        one.min(other)
    }
}

impl Offers for Hex {
    /// GRAVE, and bridges that are kept, which wins 92 of 100 games against the same without (docs/measured/champion_games.md).
    const STRONG: &'static [Strong] = &[Strong::everywhere(
        "mcts(selection=rave(schedule=linear, r=1000, ref=50), playout=bridge, expansion=all(at=8), fpu=0.5, \
         transpositions=true, tactics=solver)",
    )];

    /// A stone that the other side may take over is worth the same to either side; and the swap is never played later.
    #[inline]
    fn amaf_exempt(&self, state: &State) -> AmafExempt {
        if self.may_swap(state) {
            AmafExempt::One(self.swap_move())
        } else if self.swap && state.empty == self.cells() {
            AmafExempt::All
        } else {
            AmafExempt::None
        }
    }

    #[inline]
    fn distances(&self) -> Option<&dyn Distances<Hex>> {
        Some(self)
    }

    #[inline]
    fn bridges(&self) -> Option<&dyn Bridges<Hex>> {
        Some(self)
    }
}

impl Distances<Hex> for Hex {
    /// Nearest first, then in board order; any range. Nothing lies around a swap.
    fn around(&self, mv: Move, range: usize) -> &[Move] {
        let Some(within) = self.within.get(mv.0 as usize) else { return &[] };
        &self.others[mv.0 as usize][..within[range.min(within.len() - 1)]]
    }
}

impl Bridges<Hex> for Hex {
    /// An edge counts as a stone.
    #[inline]
    fn bridge_replies(&self, state: &State, side: Side, last: Move, moves: &mut Vec<Move>) {
        let Some(&at) = self.spot.get(last.0 as usize) else { return };
        let around = self.beside(at as usize);
        let own = around.map(|near| state.spots[near].owner == side as u8);
        for (k, &near) in around.iter().enumerate() {
            if own[(k + 5) % 6] && own[(k + 1) % 6] && state.spots[near].owner == EMPTY {
                moves.push(Move(self.cell[near] as u32));
            }
        }
    }
}
