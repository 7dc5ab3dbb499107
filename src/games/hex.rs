//! Hex: two sides set stones on a rhombus of hexagons; who joins the own two of its four edges wins.
//!
//! Black, who begins, joins the upper and the lower edge, White the left and the right one. There are no draws: on a full
//! board exactly one side has a chain. A move is the number of its cell, row by row from the top, and legal moves are
//! listed in this order. With the swap rule the second side may answer the first move with `swap`, numbered after the
//! last cell: the opening stone becomes its own. Since the sides want different edges, it does so in the mirror: from c1
//! to a3, which is worth the same to White as c1 was to Black.

use crate::game::{
    AmafExempt, Board, Bridges, Cell, Distances, Ending, Exact, FastPlay, Offers, Piece, Present, Rim, Rules,
    Shape, Trace,
};
use crate::spec::{OptionInfo, Options, PartInfo, Strong};
use crate::types::{Error, Move, Outcome, Result, Rng, Side, mix};

const MAX_SIZE: usize = 19;
const SWAP: &str = "swap";
const SIGNS: [char; 2] = ['b', 'w'];
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

    /// The signs of a row, from its first cell to its last.
    fn signs(&self, state: &State, row: usize, signs: [char; 2]) -> Vec<String> {
        let sign = |cell| self.owner(state, cell).map_or('.', |side: Side| signs[side.index()]).to_string();
        (row * self.size..(row + 1) * self.size).map(sign).collect()
    }
}

/// Steps from one cell to another on an empty board.
fn distance(size: usize, from: usize, to: usize) -> usize {
    let down = (to / size) as i32 - (from / size) as i32;
    let right = (to % size) as i32 - (from % size) as i32;
    down.abs().max(right.abs()).max((down + right).abs()) as usize
}

fn letter(column: usize) -> char {
    (b'a' + column as u8) as char
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

impl Present for Hex {
    const SIDES: [&'static str; 2] = ["Black", "White"];
    const ENDINGS: &'static [Ending] =
        &[Ending::of_mover("chain", "joined both edges", "joining both edges")];

    fn end_kind(&self, state: &State) -> &'static str {
        if state.winner.is_some() { "chain" } else { "" }
    }

    /// A shortest chain between the edges, from the upper or left one.
    fn winning_cells(&self, state: &State) -> Vec<usize> {
        let Some(side) = state.winner else { return Vec::new() };
        let is_own = |cell: usize| self.owner(state, cell) == Some(side);
        let along = |cell: usize| if side == Side::First { cell / self.size } else { cell % self.size };
        // Step by step from the first edge; each stone knows from where it was reached first.
        let mut reached: Vec<usize> = (0..self.cells()).filter(|&c| along(c) == 0 && is_own(c)).collect();
        let mut from: Vec<Option<usize>> = vec![None; self.cells()];
        reached.iter().for_each(|&cell| from[cell] = Some(cell));
        let mut next = 0;
        while along(reached[next]) + 1 < self.size {
            for near in self.around(Move(reached[next] as u32), 1).iter().map(|near| near.0 as usize) {
                if is_own(near) && from[near].is_none() {
                    from[near] = Some(reached[next]);
                    reached.push(near);
                }
            }
            next += 1;
        }
        let mut chain = vec![reached[next]];
        while let Some(before) = from[chain[0]].filter(|&before| before != chain[0]) {
            chain.insert(0, before);
        }
        chain
    }

    fn move_name(&self, _state: &State, mv: Move) -> String {
        let cell = mv.0 as usize;
        if cell >= self.cells() {
            return SWAP.to_string();
        }
        format!("{}{}", letter(cell % self.size), cell / self.size + 1)
    }

    fn state_text(&self, state: &State) -> String {
        let rows: Vec<String> = (0..self.size).map(|row| self.signs(state, row, SIGNS).concat()).collect();
        format!("{} {}", rows.join("/"), state.side)
    }

    /// Rows from the top, `/` between them: `.` empty, `b` Black's, `w` White's; then the side to move. Any number of
    /// stones may stand on either side, but the position must be one that play can stop at.
    fn parse_state(&self, text: &str) -> Result<State> {
        let size = self.size;
        let form = || {
            Error::new(format!(
                "a position of hex is {size} rows of {size} characters . b w joined by '/', then first or second"
            ))
        };
        let (rows, side) = text.trim().split_once(char::is_whitespace).ok_or_else(form)?;
        let side = Side::parse(side.trim())?;
        let rows: Vec<&str> = rows.split('/').collect();
        if rows.len() != size || rows.iter().any(|row| row.chars().count() != size) {
            return Err(form());
        }
        let mut owners = Vec::with_capacity(self.cells());
        for sign in rows.concat().chars().map(|sign| sign.to_ascii_lowercase()) {
            let owner = Side::BOTH.into_iter().find(|side| SIGNS[side.index()] == sign);
            if owner.is_none() && sign != '.' {
                return Err(form());
            }
            owners.push(owner);
        }
        let state = self.build(&owners, side);
        let ended = |why: &str| Err(Error::new(format!("no position of hex: {why}: the game ended before")));
        match state.winner {
            Some(winner) if winner == side => {
                ended(&format!("{} is to move but has a chain already", Self::SIDES[side.index()]))
            }
            Some(winner) => {
                let completed = (0..self.cells()).filter(|&cell| owners[cell] == Some(winner)).any(|cell| {
                    let mut before = owners.clone();
                    before[cell] = None;
                    self.build(&before, winner).winner.is_none()
                });
                if completed {
                    return Ok(state);
                }
                let name = Self::SIDES[winner.index()];
                ended(&format!("no single stone of {name} can have completed its chain"))
            }
            None => Ok(state),
        }
    }

    /// The board as it lies: `@` Black, `O` White; each edge drawn with the sign of its side.
    fn diagram(&self, state: &State) -> String {
        let letters: Vec<String> = (0..self.size).map(|column| letter(column).to_string()).collect();
        let edge = "@".repeat(2 * self.size - 1);
        let mut lines = vec![format!("     {}", letters.join(" ")), format!("    {edge}")];
        for row in 0..self.size {
            let signs = self.signs(state, row, ['@', 'O']).join(" ");
            lines.push(format!("{}{:>2} O\\{signs}\\O", " ".repeat(row), row + 1));
        }
        lines.push(format!("{}{edge}", " ".repeat(self.size + 5)));
        lines.join("\n")
    }

    fn board(&self) -> Board {
        let half = 0.75_f32.sqrt();
        let place = |row: usize, column: usize| (column as f32 + row as f32 / 2.0, row as f32 * half);
        let cell = |cell: usize| {
            let (x, y) = place(cell / self.size, cell % self.size);
            Cell { name: self.move_name(&self.start, Move(cell as u32)), x, y, kind: "plain" }
        };
        // Pointed hexagons one wide: corners are so far above the middle. The cells at the blunt corners of the board
        // have a side for both: each gets half of it.
        let (peak, shoulder, slope) = (half * 2.0 / 3.0, half / 3.0, half / 2.0);
        let at = |row: usize, column: usize, dx: f32, dy: f32| {
            let (x, y) = place(row, column);
            (x + dx, y + dy)
        };
        let last = self.size - 1;
        let mut upper: Vec<(f32, f32)> =
            (0..=last).flat_map(|k| [at(0, k, -0.5, -shoulder), at(0, k, 0.0, -peak)]).collect();
        upper.push(at(0, last, 0.25, -slope));
        let mut left: Vec<(f32, f32)> =
            (0..=last).flat_map(|k| [at(k, 0, -0.5, -shoulder), at(k, 0, -0.5, shoulder)]).collect();
        left.push(at(last, 0, -0.25, slope));
        let (right, low) = place(last, last);
        let turned = |line: &[(f32, f32)]| line.iter().map(|&(x, y)| (right - x, low - y)).collect();
        let rim = |side: Side, line: Vec<(f32, f32)>| Rim { side, line };
        let rims = vec![
            rim(Side::First, turned(&upper)),
            rim(Side::Second, turned(&left)),
            rim(Side::First, upper),
            rim(Side::Second, left),
        ];
        Board { rims, ..Board::new(Shape::HexPointy, (0..self.cells()).map(cell).collect()) }
    }

    fn pieces(&self, state: &State) -> Vec<Piece> {
        let piece =
            |cell| self.owner(state, cell).map(|side| Piece { cell, side: Some(side), kind: "stone" });
        (0..self.cells()).filter_map(piece).collect()
    }

    /// The stone's cell; for `swap` where the opening stone stands and, if that is another cell, where it goes.
    fn move_cells(&self, state: &State, mv: Move) -> Vec<usize> {
        if (mv.0 as usize) < self.cells() {
            return vec![mv.0 as usize];
        }
        let from = self.last_cell(state);
        let mut cells = vec![from, self.mirrored(from)];
        cells.dedup();
        cells
    }

    fn slot_cells(&self, _: &State, slot: usize) -> Vec<usize> {
        if slot < self.cells() { vec![slot] } else { Vec::new() }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::conformance::{check, legal_names, play_all};
    use crate::types::Rng;
    use proptest::prelude::*;

    fn played(game: &Hex, moves: &str) -> State {
        let mut state = game.initial_state(&mut Rng::new(0));
        play_all(game, &mut state, &moves.split_whitespace().collect::<Vec<_>>());
        state
    }

    #[test]
    fn it_keeps_the_laws_of_games() {
        for (size, games) in [(1, 3), (2, 30), (3, 30), (4, 20), (5, 7), (7, 1)] {
            for swap in [false, true] {
                check(&Hex::new(size, swap), games, size as u64).unwrap();
            }
        }
    }

    /// Whether a side has a chain, found by filling from its first edge over neighbouring cells.
    fn has_chain(size: usize, owners: &[Side], side: Side) -> bool {
        let along = |cell: usize| if side == Side::First { cell / size } else { cell % size };
        let own = |cell: usize| owners[cell] == side;
        let mut seen: Vec<usize> = (0..size * size).filter(|&cell| along(cell) == 0 && own(cell)).collect();
        let mut next = 0;
        while next < seen.len() {
            let near = (0..size * size).filter(|&cell| distance(size, seen[next], cell) == 1 && own(cell));
            let fresh: Vec<usize> = near.filter(|cell| !seen.contains(cell)).collect();
            seen.extend(fresh);
            next += 1;
        }
        seen.iter().any(|&cell| along(cell) == size - 1)
    }

    proptest! {
        #[test]
        fn on_a_full_board_exactly_one_side_has_a_chain(size in 1usize..9, seed in any::<u64>()) {
            let mut rng = Rng::new(seed);
            let owners: Vec<Side> = (0..size * size).map(|_| Side::BOTH[rng.below(2)]).collect();
            let chains = Side::BOTH.map(|side| has_chain(size, &owners, side));
            prop_assert!(chains[0] != chains[1], "{chains:?}");
            let game = Hex::new(size, false);
            let state = game.build(&owners.iter().map(|&side| Some(side)).collect::<Vec<_>>(), Side::First);
            prop_assert_eq!(state.winner, Some(Side::BOTH[chains[1] as usize]));
        }

        #[test]
        fn what_wins_is_a_chain_from_edge_to_edge(size in 1usize..9, seed in any::<u64>()) {
            let (game, mut rng) = (Hex::new(size, true), Rng::new(seed));
            let mut state = game.initial_state(&mut rng);
            let Outcome::Win(side) = game.uniform_playout(&mut state, &mut rng, &mut Trace::default()) else {
                unreachable!("there are no draws");
            };
            let chain = game.winning_cells(&state);
            let along = |cell: usize| if side == Side::First { cell / size } else { cell % size };
            prop_assert!(chain.iter().all(|&cell| game.owner(&state, cell) == Some(side)));
            prop_assert!(chain.windows(2).all(|two| distance(size, two[0], two[1]) == 1));
            prop_assert_eq!((along(chain[0]), along(chain[chain.len() - 1])), (0, size - 1));
        }
    }

    #[test]
    fn each_side_joins_its_own_edges() {
        let game = Hex::new(3, false);
        let state = played(&game, "b1 a2 b2 a1 b3");
        assert_eq!((state.winner, game.end_kind(&state)), (Some(Side::First), "chain"));
        assert_eq!(game.winning_cells(&state), [1, 4, 7]);
        assert!(legal_names(&game, &state).is_empty());
        assert_eq!(played(&game, "a1 a2 b1 b2 c1").winner, None);
        assert_eq!(played(&game, "a1 a2 b1 b2 c1 c2").winner, Some(Side::Second));
    }

    #[test]
    fn a_swap_takes_the_opening_stone_over_in_the_mirror() {
        let game = Hex::new(4, true);
        let state = played(&game, "c1");
        assert_eq!(game.move_cells(&state, game.swap_move()), [2, 8]);
        let swapped = played(&game, "c1 swap");
        assert_eq!(game.state_text(&swapped), "..../..../w.../.... first");
        assert!(!legal_names(&game, &swapped).contains(&SWAP.to_string()));
        assert_eq!(game.move_cells(&played(&game, "b2"), game.swap_move()), [5]);
        assert!(!legal_names(&game, &played(&game, "c1 swap a1")).contains(&SWAP.to_string()));
        assert!(!legal_names(&Hex::new(4, false), &state).contains(&SWAP.to_string()));
    }

    #[test]
    fn a_bridge_is_kept_to_a_stone_and_to_an_edge() {
        let game = Hex::new(4, false);
        let replies = |position: &str, side: Side, last: &str| {
            let before = game.parse_state(position).unwrap();
            let last = game.parse_move(&before, last).unwrap();
            let mut state = before.clone();
            game.play(&mut state, last);
            let mut moves = Vec::new();
            game.bridge_replies(&state, side, last, &mut moves);
            moves.iter().map(|&mv| game.move_name(&state, mv)).collect::<Vec<_>>().join(" ")
        };
        // c1 and b3 are a bridge over b2 and c2, b2 and the upper edge one over b1 and c1.
        assert_eq!(replies("..b./..../.b../.... second", Side::First, "b2"), "c2");
        assert_eq!(replies("..b./..../.b../.... second", Side::First, "c2"), "b2");
        assert_eq!(replies("..../.b../..../.... second", Side::First, "b1"), "c1");
        assert_eq!(replies("..../.b../..../.... second", Side::First, "a2"), "");
        assert_eq!(replies("..../.w../..../.... first", Side::Second, "a2"), "a3");
    }

    #[test]
    fn positions_are_read_and_drawn() {
        let game = Hex::new(3, false);
        let state = game.parse_state(" B../.w./... first ").unwrap();
        assert_eq!(game.state_text(&state), "b../.w./... first");
        let drawn = [
            "     a b c",
            "    @@@@@",
            r" 1 O\@ . .\O",
            r"  2 O\. O .\O",
            r"   3 O\. . .\O",
            "        @@@@@",
        ];
        assert_eq!(game.diagram(&state), drawn.join("\n"));
    }

    #[test]
    fn what_is_no_position_or_move_is_refused() {
        let game = Hex::new(3, false);
        let form = "a position of hex is 3 rows of 3 characters . b w joined by '/', then first or second";
        for text in ["", ".../.../...", ".../... first", "..../.../... first", ".../.x./... first"] {
            assert_eq!(game.parse_state(text).unwrap_err().to_string(), form, "{text}");
        }
        for (text, why) in [
            (".../.../... third", "unknown side 'third': first, second"),
            (
                "b../b../b.. first",
                "no position of hex: Black is to move but has a chain already: the game ended before",
            ),
            (
                "www/bb./... second",
                "no position of hex: White is to move but has a chain already: the game ended before",
            ),
            (
                "bb./bb./bb. second",
                "no position of hex: no single stone of Black can have completed its chain: the game ended before",
            ),
        ] {
            assert_eq!(game.parse_state(text).map(|_| ()).unwrap_err().to_string(), why, "{text}");
        }
        let error = game.parse_move(&game.start, "d1").unwrap_err().to_string();
        assert_eq!(error, "illegal move 'd1': legal are a1, b1, c1, a2, b2, c2, a3, b3, ... (9 in all)");
    }

    #[test]
    fn neighbours_are_drawn_one_width_apart_and_rims_around_them() {
        let board = Hex::new(5, false).board();
        for (a, b) in (0..25).flat_map(|a| (0..25).map(move |b| (a, b))) {
            let (one, other) = (&board.cells[a], &board.cells[b]);
            let near = ((one.x - other.x).hypot(one.y - other.y) - 1.0).abs() < 1e-4;
            assert_eq!(near, distance(5, a, b) == 1, "{a} {b}");
        }
        // Every point of a rim is on a hexagon: no farther than its corner, no nearer than its side.
        for (x, y) in board.rims.iter().flat_map(|rim| rim.line.iter().copied()) {
            let nearest = board.cells.iter().map(|cell| (cell.x - x).hypot(cell.y - y)).fold(9.0, f32::min);
            assert!((0.49..0.58).contains(&nearest), "{x} {y}: {nearest}");
        }
    }
}
