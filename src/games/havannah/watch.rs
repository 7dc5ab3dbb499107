//! Completing cells found stone by stone: only around the groups that a stone has changed.
//!
//! Whole rows of cells are judged at once, with hardly a branch: the processor cannot predict one in a random playout.

use super::Havannah;
use super::geometry::{Geometry, ROWS, STRIDE, TOUCH_SHIFT, neighbour, surroundings};
use super::state::{State, TOUCH, group_size, look};
use crate::game::Watch;
use crate::types::{Move, Side};

/// Corners, then sides.
const FEATURES: usize = 12;
/// A ring has at least six stones.
const NEARLY_RING: u16 = 5;

/// Cells in the form of `Stones`, a row further down: every row has one above it, and from every row that stands above
/// a cell six can be read.
type Plane = [u32; PLANE];
const PLANE: usize = ROWS + 2;
/// The rows above, at and below a cell, and one more because that many fit a register.
type Four = [u32; 4];

#[derive(Clone, Copy)]
struct Group {
    stones: Plane,
    size: u16,
    /// Corners and sides, a bit for each.
    touch: u16,
    /// The rows of the plane that hold stones.
    low: u16,
    high: u16,
}

/// The groups of both sides, and what each cell would be joined to.
pub(super) struct Groups {
    /// By position: the number of a stone's group.
    name: Vec<u16>,
    groups: Vec<Group>,
    /// By side and feature: the cells at which a new stone touches it or a group that does.
    reach: [[Plane; FEATURES]; 2],
    /// What the groups of each side touch, taken together.
    touched: [u16; 2],
    /// `reach` of an empty board.
    alone: Box<[Plane; FEATURES]>,
}

/// The neighbours of the cell in this column, in the rows above, at and below it.
#[inline]
fn beside(column: usize) -> Four {
    [3u32, 5, 6, 0].map(|bits| bits.wrapping_shl(column as u32))
}

/// The row of a plane in which a position stands.
#[inline]
fn row_of(position: usize) -> usize {
    position / STRIDE + 2
}

/// Rows `row` to `row + 3`.
#[inline]
fn four(rows: &[u32], row: usize) -> Four {
    std::array::from_fn(|k| at!(rows, row + k))
}

/// The empty cells of as many rows of a plane, from `row` on.
#[inline]
fn open<const N: usize>(geometry: &Geometry, state: &State, row: usize) -> [u32; N] {
    let [first, second] = &state.stones;
    std::array::from_fn(|k| {
        let row = row + k - 1;
        at!(geometry.board, row) & !(at!(first, row) | at!(second, row))
    })
}

/// The cells of some rows that have two separate runs of a group around them: the runs are joined elsewhere, and a
/// stone here closes a ring. And the stones that lack one neighbour at most: around these a ring may be closed as well.
#[inline]
fn rings<const N: usize>(above: [u32; N], level: [u32; N], below: [u32; N]) -> ([u32; N], [u32; N]) {
    let (mut closed, mut lacking) = ([0; N], [0; N]);
    for k in 0..N {
        let (above, level, below) = (above[k], level[k], below[k]);
        // In cyclic order.
        let around = [level >> 1, below >> 1, below, level << 1, above << 1, above];
        let (mut one, mut two, mut gap, mut gaps) = (0, 0, 0, 0);
        for direction in 0..6 {
            let here = around[direction];
            let ends = here & !around[(direction + 1) % 6];
            two |= one & ends;
            one |= ends;
            gaps |= gap & !here;
            gap |= !here;
        }
        closed[k] = two;
        lacking[k] = level & !gaps;
    }
    (closed, lacking)
}

/// Whether another corner or side may decide the game.
#[inline]
fn is_near_win(touched: u16) -> bool {
    let (corners, sides) = (touched & 0o77, touched >> 6);
    corners != 0 || sides & sides.wrapping_sub(1) != 0
}

/// The cells of some rows that reach two corners or three sides; `rows` gives those of a feature.
#[inline]
fn winning<const N: usize>(rows: impl Fn(usize) -> [u32; N]) -> [u32; N] {
    let mut wins = [0; N];
    let (mut one, mut two) = ([0; N], [0; N]);
    for feature in 0..6 {
        let corner = rows(feature);
        for k in 0..N {
            wins[k] |= one[k] & corner[k];
            one[k] |= corner[k];
        }
    }
    one = [0; N];
    for feature in 6..FEATURES {
        let side = rows(feature);
        for k in 0..N {
            wins[k] |= two[k] & side[k];
            two[k] |= one[k] & side[k];
            one[k] |= side[k];
        }
    }
    wins
}

/// The corners and sides in a node or at a position of `Geometry::touch`.
#[inline]
fn features(node: u32) -> u16 {
    ((node & TOUCH) >> TOUCH_SHIFT) as u16
}

/// The numbers of the features in a set.
#[inline]
fn each(set: u16) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        let feature = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (feature < FEATURES).then_some(feature)
    })
}

/// Appends cells of as many rows of a plane, from `row` on.
#[inline]
fn append(geometry: &Geometry, row: usize, cells: &[u32], moves: &mut Vec<Move>) {
    if cells.iter().fold(0, |any, cells| any | cells) == 0 {
        return;
    }
    for (row, &cells) in (row..).zip(cells) {
        let mut left = cells;
        while left != 0 {
            let position = (row - 2) * STRIDE + left.trailing_zeros() as usize - 1;
            moves.push(Move(at!(geometry.cell, position) as u32));
            left &= left - 1;
        }
    }
}

impl Groups {
    pub(super) fn new(geometry: &Geometry) -> Groups {
        let mut alone = Box::new([[0; PLANE]; FEATURES]);
        for &position in &geometry.position {
            let position = position as usize;
            for feature in each(features(geometry.touch[position])) {
                alone[feature][row_of(position)] |= 2 << (position % STRIDE);
            }
        }
        Groups {
            name: vec![0; geometry.width * STRIDE],
            groups: Vec::new(),
            reach: [*alone, *alone],
            touched: [0; 2],
            alone,
        }
    }

    /// Appends all cells that close a ring of a group.
    fn append_rings(&self, geometry: &Geometry, state: &State, group: usize, moves: &mut Vec<Move>) {
        let Group { stones, low, high, .. } = &self.groups[group];
        // Beyond the rows of the group a cell touches no two runs of it.
        for row in *low as usize..=*high as usize {
            let at = |row: usize| [at!(stones, row)];
            let ([closed], [lacking]) = rings(at(row - 1), at(row), at(row + 1));
            let [open] = open(geometry, state, row);
            append(geometry, row, &[closed & open], moves);
            self.append_last(geometry, state, row, lacking, moves);
        }
    }

    /// Appends the last empty cell around each of the stones in a row of a plane, all of which lack one neighbour.
    #[inline]
    fn append_last(
        &self,
        geometry: &Geometry,
        state: &State,
        row: usize,
        stones: u32,
        moves: &mut Vec<Move>,
    ) {
        let mut left = stones;
        while left != 0 {
            let position = (row - 2) * STRIDE + left.trailing_zeros() as usize - 1;
            let beside = (0..6).map(|direction| neighbour(position, direction));
            let cells = beside.filter(|&cell| state.is_empty_at(cell));
            moves.extend(cells.map(|cell| Move(geometry.cell[cell] as u32)));
            left &= left - 1;
        }
    }

    /// Appends all cells at which a stone of `side` joins two corners or three sides.
    fn append_joins(&self, geometry: &Geometry, state: &State, side: Side, moves: &mut Vec<Move>) {
        let reach = &self.reach[side.index()];
        for row in (2..geometry.width + 2).step_by(4) {
            let wins = winning(|feature| four(&reach[feature], row));
            let open: Four = std::array::from_fn(|k| {
                // Below the last row of the largest board nothing is open.
                let row = (row + k - 1).min(ROWS - 1);
                state.open(geometry, row)
            });
            append(geometry, row, &std::array::from_fn::<u32, 4, _>(|k| wins[k] & open[k]), moves);
        }
    }

    /// Lets the cells beside the stones of a group reach `touch`.
    fn reach_beside(&mut self, side: Side, group: usize, touch: u16) {
        let Group { stones, low, high, .. } = &self.groups[group];
        let reach = &mut self.reach[side.index()];
        let mut row = *low as usize - 1;
        while row <= *high as usize + 1 {
            let (above, level, below) = (at!(stones, row - 1), at!(stones, row), at!(stones, row + 1));
            let wide = above | above << 1 | level << 1 | level >> 1 | below | below >> 1;
            for feature in each(touch) {
                reach[feature][row] |= wide;
            }
            row += 1;
        }
    }

    /// Reads the groups of a state and appends the completing moves of both sides.
    fn read(&mut self, geometry: &Geometry, state: &State, moves: &mut [Vec<Move>; 2]) {
        self.groups.clear();
        self.reach = [*self.alone, *self.alone];
        self.touched = [0; 2];
        let taken = &state.order[state.empty as usize..];
        // First the stones that stand for their groups, which then have a number.
        for &position in taken {
            let (root, node) = look(&state.nodes, position as usize);
            if root == position as usize {
                self.name[root] = self.groups.len() as u16;
                let row = row_of(root) as u16;
                let (size, touch) = (group_size(node) as u16, features(node));
                self.groups.push(Group { stones: [0; PLANE], size, touch, low: row, high: row });
            }
        }
        for &position in taken {
            let position = position as usize;
            let number = self.name[look(&state.nodes, position).0];
            self.name[position] = number;
            let group = &mut self.groups[number as usize];
            let row = row_of(position);
            group.stones[row] |= 2 << (position % STRIDE);
            (group.low, group.high) = (group.low.min(row as u16), group.high.max(row as u16));
        }
        for number in 0..self.groups.len() {
            let Group { stones, size, touch, low, .. } = &self.groups[number];
            let (size, touch) = (*size, *touch);
            let row = *low as usize;
            let side = if stones[row] & state.stones[0][row - 1] != 0 { Side::First } else { Side::Second };
            self.touched[side.index()] |= touch;
            if touch != 0 {
                self.reach_beside(side, number, touch);
            }
            if size >= NEARLY_RING {
                self.append_rings(geometry, state, number, &mut moves[side.index()]);
            }
        }
        for side in Side::BOTH {
            if is_near_win(self.touched[side.index()]) {
                self.append_joins(geometry, state, side, &mut moves[side.index()]);
            }
        }
    }

    /// A stone of `side` has been set there, after which the game goes on: appends the cells that complete a figure
    /// since then, perhaps some that did before, and perhaps one of them twice.
    ///
    /// A cell that now closes a ring lies beside the stone or beside a neighbour of it, unless that has joined groups;
    /// one that now joins corners or sides lies beside it, unless a group touches more than before.
    #[inline]
    fn add(
        &mut self,
        geometry: &Geometry,
        state: &State,
        side: Side,
        position: usize,
        moves: &mut Vec<Move>,
    ) {
        let runs = &geometry.runs[surroundings(&state.stones[side.index()], position)];
        let (row, column) = (row_of(position), position % STRIDE);
        let mut touch = features(at!(geometry.touch, position));
        let (mut number, mut size) = (self.groups.len(), 1);
        let mut wider = false;
        if runs.count == 0 {
            let (low, high) = (row as u16, row as u16);
            self.groups.push(Group { stones: [0; PLANE], size, touch, low, high });
        } else {
            let names =
                runs.first.map(|step| at!(self.name, position.wrapping_add_signed(step as isize)) as usize);
            let parts = &names[..runs.count as usize];
            number = parts[0];
            for &part in parts {
                touch |= self.groups[part].touch;
                size += self.groups[part].size;
                if self.groups[part].size > self.groups[number].size {
                    number = part;
                }
            }
            for &part in parts {
                let more = touch & !self.groups[part].touch;
                if more != 0 {
                    wider = true;
                    self.reach_beside(side, part, more);
                }
                if part != number {
                    self.rename(part, number);
                }
            }
        }
        at!(self.name, position => number as u16);
        let group = &mut self.groups[number];
        at!(group.stones, row => at!(group.stones, row) | 2u32.wrapping_shl(column as u32));
        (group.size, group.touch) = (size, touch);
        (group.low, group.high) = (group.low.min(row as u16), group.high.max(row as u16));
        let cells = beside(column);
        let mut found: Four = [0; 4];
        if touch != 0 {
            self.touched[side.index()] |= touch;
            let reach = &mut self.reach[side.index()];
            for feature in each(touch) {
                for (k, &cells) in cells.iter().enumerate() {
                    at!(reach[feature], row - 1 + k => at!(reach[feature], row - 1 + k) | cells);
                }
            }
            if is_near_win(self.touched[side.index()]) {
                if wider {
                    self.append_joins(geometry, state, side, moves);
                } else {
                    let reach = &self.reach[side.index()];
                    found = winning(|feature| four(&reach[feature], row - 1));
                }
            }
        }
        if size >= NEARLY_RING {
            if runs.count > 1 {
                self.append_rings(geometry, state, number, moves);
            } else {
                let stones = &self.groups[number].stones;
                let rows = |row| four(stones, row);
                let (closed, lacking) = rings(rows(row - 2), rows(row - 1), rows(row));
                for k in 0..4 {
                    found[k] |= closed[k];
                }
                let near: Four = std::array::from_fn(|k| lacking[k] & cells[k]);
                if near.iter().any(|&stones| stones != 0) {
                    for (k, &stones) in near.iter().enumerate() {
                        self.append_last(geometry, state, row - 1 + k, stones, moves);
                    }
                }
            }
        }
        let open: Four = open(geometry, state, row - 1);
        let found: Four = std::array::from_fn(|k| found[k] & cells[k] & open[k]);
        append(geometry, row - 1, &found, moves);
    }

    /// Gives the stones of a group to a larger one.
    #[inline]
    fn rename(&mut self, part: usize, whole: usize) {
        let Group { low, high, .. } = self.groups[part];
        for row in low as usize..=high as usize {
            let bits = at!(self.groups[part].stones, row);
            let stones = &mut self.groups[whole].stones;
            at!(*stones, row => at!(*stones, row) | bits);
            let mut left = bits;
            while left != 0 {
                let position = (row - 2) * STRIDE + left.trailing_zeros() as usize - 1;
                at!(self.name, position => whole as u16);
                left &= left - 1;
            }
        }
        let group = &mut self.groups[whole];
        (group.low, group.high) = (group.low.min(low), group.high.max(high));
    }
}

impl Watch<Havannah> for Groups {
    fn start(&mut self, game: &Havannah, state: &State, moves: &mut [Vec<Move>; 2]) {
        moves.iter_mut().for_each(Vec::clear);
        if state.end.is_none() {
            self.read(&game.geometry, state, moves);
        }
        moves.iter_mut().for_each(tidy);
    }

    fn played(&mut self, game: &Havannah, state: &State, side: Side, mv: Move, moves: &mut [Vec<Move>; 2]) {
        // The swap takes over a stone.
        let Some(&position) = game.geometry.position.get(mv.0 as usize) else {
            return self.start(game, state, moves);
        };
        for list in moves.iter_mut() {
            if !list.is_empty() {
                list.retain(|&cell| cell != mv);
            }
        }
        let found = &mut moves[side.index()];
        self.add(&game.geometry, state, side, position as usize, found);
        tidy(found);
    }
}

/// In board order, each once.
#[inline]
fn tidy(moves: &mut Vec<Move>) {
    if moves.len() > 1 {
        moves.sort_unstable();
        moves.dedup();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::{Completions, FastPlay, Present, Rules};
    use crate::types::Rng;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        // What is found stone by stone is what a look at the whole board finds, from wherever the watch starts.
        #[test]
        fn stone_by_stone_is_the_whole_board(size in 2usize..14, seed in 0u64..1 << 40, from in 0usize..60, swap: bool) {
            let game = Havannah::new(size, swap);
            let mut rng = Rng::new(seed);
            let mut state = game.initial_state(&mut rng);
            let mut watch = Groups::new(&game.geometry);
            let mut moves = [Vec::new(), Vec::new()];
            let mut started = false;
            for turn in 0.. {
                if game.outcome(&state).is_some() {
                    break;
                }
                if turn >= from {
                    for side in Side::BOTH {
                        let mut all = Vec::new();
                        game.completing(&state, side, None, &mut all);
                        if started {
                            prop_assert_eq!(&moves[side.index()], &all, "{}", game.state_text(&state));
                        }
                    }
                    if !started {
                        watch.start(&game, &state, &mut moves);
                        started = true;
                    }
                }
                let (mv, side) = (game.random_move(&state, &mut rng), state.side);
                game.play(&mut state, mv);
                if started && game.outcome(&state).is_none() {
                    watch.played(&game, &state, side, mv, &mut moves);
                }
            }
        }
    }

    // Six around an own stone: the last cell lies two steps from the stone that makes it complete the ring.
    #[test]
    fn the_last_cell_around_an_own_stone_is_found() {
        let game = Havannah::new(4, false);
        let mut state = game.initial_state(&mut Rng::new(0));
        let mut watch = Groups::new(&game.geometry);
        let mut moves = [Vec::new(), Vec::new()];
        watch.start(&game, &state, &mut moves);
        let centre = game.cells() / 2;
        let around: Vec<usize> = game.geometry.neighbours(centre).collect();
        let far: Vec<usize> =
            (0..game.cells()).filter(|&cell| game.geometry.distance(cell, centre) == 3).collect();
        // First fills centre and ring but for the first cell; the cell opposite to it comes last.
        let order = [around[1], centre, around[2], around[4], around[5], around[3]];
        for (turn, &cell) in order.iter().enumerate() {
            for (cell, side) in [(cell, Side::First), (far[3 * turn], Side::Second)] {
                let mv = Move(cell as u32);
                game.play(&mut state, mv);
                assert_eq!(game.outcome(&state), None);
                watch.played(&game, &state, side, mv, &mut moves);
            }
        }
        assert_eq!(moves[0], [Move(around[0] as u32)]);
    }
}
