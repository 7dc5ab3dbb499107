//! The board of a size: cells, their neighbours and sides, and the tables that judge a stone in constant time.
//!
//! The hexagon lies in a rhombic frame of `2 * size - 1` rows and columns whose two far corners are cut off:
//! a cell is on the board if |column - row| < size. Its *position* is `row * 32 + column`, so that neighbours
//! lie at constant distances and row and column are read off without a table. Its *cell* is its number in
//! row-major order with the cut corners skipped.

use crate::types::Move;

pub(super) const MAX_SIZE: usize = 13;
/// Board rows of the largest size, an empty one on either side, and one more, so that from every row that stands beside
/// a cell four can be read at once.
pub(super) const ROWS: usize = 2 * MAX_SIZE + 2;
/// Positions per row.
pub(super) const STRIDE: usize = 32;
/// No cell: the place in the table belongs to a cut corner or to the margin.
pub(super) const NONE: u16 = u16::MAX;

/// The six neighbours in cyclic order, each next to the one before it, as (column, row) steps.
pub(super) const STEPS: [(i32, i32); 6] = [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)];
/// The same as steps of positions.
const OFFSETS: [i16; 6] = [1, 33, 32, -1, -33, -32];

/// Stones of one side. Board row r is word r + 1 and column c is bit c + 1, so that every cell has all six
/// neighbours inside the array.
pub(super) type Stones = [u32; ROWS];

/// The seven cells around and at a position as a number: two of the row above, three of its own, two below.
#[inline]
pub(super) fn surroundings(stones: &Stones, position: usize) -> usize {
    let (row, shift) = (position / STRIDE, (position % STRIDE) as u32);
    let above = at!(stones, row).wrapping_shr(shift) & 3;
    let level = at!(stones, row + 1).wrapping_shr(shift) & 7;
    let below = at!(stones, row + 2).wrapping_shr(shift) & 6;
    (above | level << 2 | below << 4) as usize
}

/// `surroundings` when a stone stands there and on all six neighbours.
pub(super) const SURROUNDED: usize = 127;

#[inline]
pub(super) fn has(stones: &Stones, position: usize) -> bool {
    stones[position / STRIDE + 1] >> (position % STRIDE + 1) & 1 == 1
}

/// The runs of own stones among the six neighbours, as `surroundings` finds them.
#[derive(Clone, Copy, Default)]
pub(super) struct Runs {
    /// From the cell to one stone of each run; 0 if there is none.
    pub first: [i16; 3],
    pub count: u8,
    /// Neighbours, by their index in `OFFSETS`, that have an own stone on either side within the run.
    pub middles: u8,
}

/// The bit of each neighbour in `surroundings`, in the order of `STEPS`.
pub(super) const BITS: [usize; 6] = [4, 6, 5, 2, 0, 1];

/// Two cells that are not neighbours and have two neighbours in common, as one of them sees it.
#[derive(Clone, Copy)]
pub(super) struct Bridge {
    pub end: u16,
    pub between: [u16; 2],
}

pub(super) struct Geometry {
    pub size: usize,
    pub cells: usize,
    /// Rows of the board, and columns.
    pub width: usize,
    /// Cell to position.
    pub position: Vec<u16>,
    /// The same, with one more at the end for whatever is no cell: a position that is never empty.
    pub wanted: Vec<u16>,
    /// Position to cell, or `NONE`.
    pub cell: Vec<u16>,
    /// The bridges of each cell.
    pub bridges: Vec<Vec<Bridge>>,
    /// The sides and corners a position belongs to, as they stand in a node (`TOUCH_SHIFT`).
    pub touch: Vec<u32>,
    /// All cells of the board, one word per row.
    pub board: Stones,
    /// Those of them that are corners or lie on a side.
    pub border: Stones,
    pub runs: [Runs; 128],
    /// For each set of six corners (low) and six sides (high): whether a chain touching them has won.
    pub wins: [bool; 4096],
    pub corners: Vec<Move>,
    /// All other cells of each cell, nearest first.
    others: Vec<Move>,
    /// How many of them are at distance 0..=d, for each cell and d.
    within: Vec<u16>,
}

/// Where the sides and corners of a group begin in its node; the bits below hold the parent.
pub(super) const TOUCH_SHIFT: u32 = 10;

/// From `OFFSETS` index to position.
#[inline]
pub(super) fn neighbour(position: usize, direction: usize) -> usize {
    position.wrapping_add_signed(OFFSETS[direction] as isize)
}

fn runs_of(around: usize) -> Runs {
    let own = |direction: usize| around >> BITS[direction % 6] & 1 == 1;
    let mut runs = Runs::default();
    for (direction, &offset) in OFFSETS.iter().enumerate() {
        let (before, here, after) = (own(direction + 5), own(direction), own(direction + 1));
        if here && !before {
            runs.first[runs.count as usize] = offset;
            runs.count += 1;
        }
        if here && before && after {
            runs.middles |= 1 << direction;
        }
    }
    if (0..6).all(own) {
        runs.first[0] = OFFSETS[0];
        runs.count = 1;
    }
    runs
}

/// What of a board lies on its edge; the fields are those of `Geometry`.
struct Edge {
    touch: Vec<u32>,
    corners: Vec<Move>,
    border: Stones,
}

impl Edge {
    /// `position`: of each cell.
    fn of(size: usize, position: &[u16]) -> Edge {
        let width = 2 * size - 1;
        let mut touch = vec![0; width * STRIDE];
        let mut corners = Vec::new();
        let mut border = [0; ROWS];
        for (index, &at) in position.iter().enumerate() {
            let (row, column) = (at as i32 / STRIDE as i32, at as i32 % STRIDE as i32);
            let (last, slant) = (width as i32 - 1, size as i32 - 1);
            let sides = [
                row == 0,
                column - row == slant,
                column == last,
                row == last,
                row - column == slant,
                column == 0,
            ];
            let set = (0..6).filter(|&side| sides[side]).map(|side| 1u32 << side).sum::<u32>();
            if set != 0 {
                border[row as usize + 1] |= 2 << column;
            }
            // A corner lies on two sides and belongs to neither. The sides are listed around the board, so
            // that each corner has the number of the side that ends in it.
            let number = (0..6).find(|&side| sides[side] && sides[(side + 1) % 6]);
            touch[at as usize] = match number {
                Some(corner) => {
                    corners.push(Move(index as u32));
                    1 << corner
                }
                None => set << 6,
            } << TOUCH_SHIFT;
        }
        Edge { touch, corners, border }
    }
}

impl Geometry {
    pub fn new(size: usize) -> Geometry {
        let width = 2 * size - 1;
        let inside = |column: i32, row: i32| {
            let range = 0..width as i32;
            range.contains(&column) && range.contains(&row) && (column - row).abs() < size as i32
        };
        let mut position = Vec::new();
        let mut cell = vec![NONE; width * STRIDE];
        let mut board = [0; ROWS];
        for row in 0..width {
            for column in 0..width {
                if inside(column as i32, row as i32) {
                    cell[row * STRIDE + column] = position.len() as u16;
                    position.push((row * STRIDE + column) as u16);
                    board[row + 1] |= 2 << column;
                }
            }
        }
        let cells = position.len();
        let mut wanted = position.clone();
        wanted.push(STRIDE as u16 - 1);

        let Edge { touch, corners, border } = Edge::of(size, &position);
        let mut wins = [false; 4096];
        for (set, win) in wins.iter_mut().enumerate() {
            *win = (set & 63).count_ones() >= 2 || (set >> 6).count_ones() >= 3;
        }

        let mut geometry = Geometry {
            size,
            cells,
            width,
            position,
            wanted,
            cell,
            touch,
            board,
            border,
            runs: std::array::from_fn(runs_of),
            wins,
            corners,
            bridges: Vec::new(),
            others: Vec::new(),
            within: Vec::new(),
        };
        geometry.bridges = (0..cells).map(|cell| geometry.bridges_of(cell)).collect();
        geometry.measure();
        geometry
    }

    fn bridges_of(&self, cell: usize) -> Vec<Bridge> {
        let (column, row) = self.place(cell);
        let at = |steps: &[(i32, i32)]| {
            let column = column as i32 + steps.iter().map(|step| step.0).sum::<i32>();
            let row = row as i32 + steps.iter().map(|step| step.1).sum::<i32>();
            self.cell_at(column, row).map(|cell| self.position[cell])
        };
        let bridge = |direction: usize| {
            let (one, other) = (STEPS[direction], STEPS[(direction + 1) % 6]);
            Some(Bridge { end: at(&[one, other])?, between: [at(&[one])?, at(&[other])?] })
        };
        (0..6).filter_map(bridge).collect()
    }

    /// Fills the tables of distances.
    fn measure(&mut self) {
        for from in 0..self.cells {
            let mut nearest: Vec<(usize, usize)> =
                (0..self.cells).map(|to| (self.distance(from, to), to)).collect();
            nearest.sort_unstable();
            self.others.extend(nearest[1..].iter().map(|&(_, to)| Move(to as u32)));
            for range in 0..self.width {
                self.within
                    .push(nearest.iter().filter(|&&(distance, _)| distance <= range).count() as u16 - 1);
            }
        }
    }

    /// Steps from one cell to another on an empty board.
    pub fn distance(&self, from: usize, to: usize) -> usize {
        let ((x, y), (u, v)) = (self.place(from), self.place(to));
        let (dx, dy) = (u as i32 - x as i32, v as i32 - y as i32);
        dx.abs().max(dy.abs()).max((dx - dy).abs()) as usize
    }

    /// The cells at distance 1..=range of a cell, nearest first, then in board order; none for what is no cell.
    pub fn around(&self, cell: usize, range: usize) -> &[Move] {
        if cell >= self.cells {
            return &[];
        }
        let begin = cell * (self.cells - 1);
        let count = self.within[cell * self.width + range.min(self.width - 1)];
        &self.others[begin..begin + count as usize]
    }

    /// Column and row of a cell.
    pub fn place(&self, cell: usize) -> (usize, usize) {
        let position = self.position[cell] as usize;
        (position % STRIDE, position / STRIDE)
    }

    /// The cell at this column and row, if there is one.
    pub fn cell_at(&self, column: i32, row: i32) -> Option<usize> {
        let range = 0..self.width as i32;
        if !range.contains(&column) || !range.contains(&row) {
            return None;
        }
        let cell = self.cell[row as usize * STRIDE + column as usize];
        (cell != NONE).then_some(cell as usize)
    }

    /// The neighbours of a cell that are on the board.
    pub fn neighbours(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        let (column, row) = self.place(cell);
        STEPS.iter().filter_map(move |&(dx, dy)| self.cell_at(column as i32 + dx, row as i32 + dy))
    }

    /// The corners (low six bits) and sides (high six bits) a cell belongs to.
    pub fn touched(&self, cell: usize) -> usize {
        (self.touch[self.position[cell] as usize] >> TOUCH_SHIFT) as usize
    }
}
