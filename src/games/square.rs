//! What games on a rectangle share: cells as bits of a 128-bit word, their names, position texts and diagrams.
//!
//! Cell (row, column) has the number `row * columns + column`, row 0 at the bottom ("1"), and the bit
//! `row * stride + column`. A stride above the columns leaves guard bits at the end of every row: they are
//! never set, so that a step sideways off the board falls on one and is masked away with a single `and`.

use super::bitset::{Words, bits};
use crate::game::{Board, Cell, CellKind, Piece, PieceKind, Shape};
use crate::types::{Error, Result, Side, mix};

/// Letters of the columns.
pub const LETTERS: &str = "abcdefghij";
/// The same as Go players write them: without i, which looks like 1.
pub const GO_LETTERS: &str = "abcdefghjk";

pub struct Square {
    pub rows: usize,
    pub columns: usize,
    /// Bits from a cell to the one above it.
    pub stride: u32,
    /// The bits of all cells.
    pub all: u128,
    /// On which words a playout is fastest.
    pub words: Words,
    letters: &'static str,
    cell_of: [u8; 128],
    bit_of: [u8; 128],
}

impl Square {
    /// At most 10 x 10 cells and two guard columns: 120 bits.
    pub fn new(rows: usize, columns: usize, guard: usize, letters: &'static str) -> Square {
        let stride = columns + guard;
        assert!(rows * stride <= 128 && columns <= letters.len(), "the board must fit a word of 128 bits");
        let (mut all, mut cell_of, mut bit_of) = (0, [0; 128], [0; 128]);
        for row in 0..rows {
            for column in 0..columns {
                let (cell, bit) = (row * columns + column, row * stride + column);
                all |= 1u128 << bit;
                cell_of[bit] = cell as u8;
                bit_of[cell] = bit as u8;
            }
        }
        let words = Words::of_board(rows * stride);
        Square { rows, columns, stride: stride as u32, all, words, letters, cell_of, bit_of }
    }

    pub fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// The cell of a bit, which must be one of the board's.
    #[inline]
    pub fn cell(&self, bit: u32) -> usize {
        self.cell_of[(bit & 127) as usize] as usize
    }

    #[inline]
    pub fn bit(&self, cell: usize) -> u32 {
        self.bit_of[cell & 127] as u32
    }

    /// The bits of one row.
    pub fn row(&self, row: usize) -> u128 {
        ((1 << self.columns) - 1) << (row as u32 * self.stride)
    }

    pub fn cell_name(&self, cell: usize) -> String {
        format!("{}{}", &self.letters[cell % self.columns..][..1], cell / self.columns + 1)
    }

    /// The names of the cells in a word, for messages.
    pub fn names(&self, word: u128) -> String {
        self.cells_of(word).into_iter().map(|cell| self.cell_name(cell)).collect::<Vec<_>>().join(", ")
    }

    pub fn cells_of(&self, word: u128) -> Vec<usize> {
        bits(word).map(|bit| self.cell(bit)).collect()
    }

    fn mark(&self, words: &[u128; 2], marks: [char; 2], row: usize, column: usize) -> char {
        let bit = row as u32 * self.stride + column as u32;
        match words.iter().position(|word| word >> bit & 1 == 1) {
            Some(side) => marks[side],
            None => '.',
        }
    }

    /// Rows from the top, `/` between them: `.` free, the mark of the side that holds the cell; then the side
    /// to move.
    pub fn text(&self, words: &[u128; 2], marks: [char; 2], side: Side) -> String {
        let row = |row| (0..self.columns).map(|column| self.mark(words, marks, row, column)).collect();
        let rows: Vec<String> = (0..self.rows).rev().map(row).collect();
        format!("{} {side}", rows.join("/"))
    }

    /// Reads what `text` writes, upper and lower case alike.
    pub fn parse(&self, game: &str, marks: [char; 2], text: &str) -> Result<([u128; 2], Side)> {
        let form = || {
            Error::new(format!(
                "a position of {game} is {} rows of {} characters . {} {} joined by '/', then first or second",
                self.rows, self.columns, marks[0], marks[1]
            ))
        };
        let (rows, side) = text.trim().split_once(' ').ok_or_else(form)?;
        let side = Side::parse(side.trim())?;
        let rows: Vec<&str> = rows.split('/').collect();
        if rows.len() != self.rows || rows.iter().any(|row| row.chars().count() != self.columns) {
            return Err(form());
        }
        let mut words = [0u128; 2];
        for (i, row) in rows.iter().enumerate() {
            for (column, c) in row.chars().enumerate() {
                let bit = (self.rows - 1 - i) as u32 * self.stride + column as u32;
                let c = c.to_ascii_lowercase();
                match marks.iter().position(|&mark| mark == c) {
                    Some(holder) => words[holder] |= 1 << bit,
                    None if c == '.' => {}
                    None => return Err(form()),
                }
            }
        }
        Ok((words, side))
    }

    /// The board with its coordinates at the left and below.
    pub fn diagram(&self, words: &[u128; 2], marks: [char; 2]) -> String {
        let mut out = String::new();
        for row in (0..self.rows).rev() {
            out.push_str(&format!("{:>2}", row + 1));
            for column in 0..self.columns {
                out.push(' ');
                out.push(self.mark(words, marks, row, column));
            }
            out.push('\n');
        }
        out.push_str("  ");
        for letter in self.letters.chars().take(self.columns) {
            out.push(' ');
            out.push(letter);
        }
        out
    }

    /// The empty board, all cells alike.
    pub fn board(&self, shape: Shape) -> Board {
        let cell = |i: usize| Cell {
            name: self.cell_name(i),
            x: (i % self.columns) as f32,
            y: (self.rows - 1 - i / self.columns) as f32,
            kind: CellKind::Plain,
        };
        Board::new(shape, (0..self.cells()).map(cell).collect())
    }

    /// The empty board in squares of two colours, the first corner dark as in chess.
    pub fn chequered_board(&self) -> Board {
        let mut board = self.board(Shape::Square);
        for (i, cell) in board.cells.iter_mut().enumerate() {
            if (i / self.columns + i % self.columns) % 2 == 0 {
                cell.kind = CellKind::Dark;
            }
        }
        board
    }

    /// What each side has on the board, by cell.
    pub fn pieces(&self, words: &[u128; 2], kinds: [PieceKind; 2]) -> Vec<Piece> {
        let cells = (0..self.cells()).filter_map(|cell| {
            let side = *Side::BOTH.iter().find(|side| words[side.index()] >> self.bit(cell) & 1 == 1)?;
            Some(Piece::new(kinds[side.index()].clone(), Some(side), vec![cell]))
        });
        cells.collect()
    }
}

/// Which turnings and mirrorings of the board leave a game as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Left and right may be exchanged.
    Sideways,
    /// And top and bottom.
    Flips,
    /// And, if there are as many rows as columns, the two directions.
    All,
}

impl Square {
    /// Where each cell goes, all different; the first leaves all as it is.
    pub fn symmetries(&self, kind: Symmetry) -> Vec<Vec<usize>> {
        let count = match kind {
            Symmetry::Sideways => 2,
            Symmetry::All if self.rows == self.columns => 8,
            Symmetry::Flips | Symmetry::All => 4,
        };
        let image = |k: usize, cell: usize| {
            let (mut row, mut column) = (cell / self.columns, cell % self.columns);
            if k & 1 != 0 {
                column = self.columns - 1 - column;
            }
            if k & 2 != 0 {
                row = self.rows - 1 - row;
            }
            if k & 4 != 0 {
                (row, column) = (column, row);
            }
            row * self.columns + column
        };
        let mut symmetries: Vec<Vec<usize>> = Vec::new();
        for k in 0..count {
            let symmetry = (0..self.cells()).map(|cell| image(k, cell)).collect();
            if !symmetries.contains(&symmetry) {
                symmetries.push(symmetry);
            }
        }
        symmetries
    }
}

/// The keys of a position's images under the symmetries, found together.
pub struct Images {
    /// What a stone adds to the key of each image, by side and bit.
    parts: Vec<[u64; 8]>,
}

impl Images {
    pub fn new(square: &Square, symmetries: &[Vec<usize>]) -> Images {
        let mut parts = vec![[0; 8]; 256];
        for owner in 0..2 {
            // Where there is a bit for every stone that can be, no two positions have the same key.
            let part = |cell: usize| {
                let number = (owner * square.cells() + cell) as u64;
                if square.cells() * 2 <= 62 { 1 << number } else { mix(number) }
            };
            for cell in 0..square.cells() {
                for (k, key) in parts[owner * 128 + square.bit(cell) as usize].iter_mut().enumerate() {
                    *key = part(symmetries[k % symmetries.len()][cell]);
                }
            }
        }
        Images { parts }
    }

    /// The least of the images' keys; up to 31 cells the highest bit is free.
    #[inline]
    pub fn least_key(&self, words: &[u128; 2], side: Side) -> u64 {
        let mut keys = [0; 8];
        for (owner, &word) in words.iter().enumerate() {
            for bit in bits(word) {
                for (key, part) in keys.iter_mut().zip(&self.parts[owner * 128 + bit as usize]) {
                    *key ^= part;
                }
            }
        }
        keys.into_iter().fold(u64::MAX, u64::min) ^ (side as u64) << 62
    }
}

/// A key of two words and the side to move.
#[inline]
pub fn key(words: &[u128; 2], side: Side) -> u64 {
    // The side is mixed first: as a plain bit it would cancel against a stone on the first cell.
    words.iter().fold(mix(side as u64), |key, &word| mix(mix(key ^ word as u64) ^ (word >> 64) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_boards_have_no_column_i() {
        let square = Square::new(10, 10, 1, GO_LETTERS);
        assert_eq!(square.cell_name(8), "j1");
        assert_eq!(square.cell_name(99), "k10");
        assert_eq!(Square::new(10, 10, 1, LETTERS).cell_name(98), "i10");
    }

    #[test]
    fn neighbouring_squares_of_a_chequered_board_differ() {
        for (rows, columns) in [(8, 8), (5, 4), (4, 5)] {
            let cells = Square::new(rows, columns, 1, LETTERS).chequered_board().cells;
            assert_eq!(cells[0].kind, CellKind::Dark);
            for (a, b) in (1..cells.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let far = (cells[a].x - cells[b].x).abs() + (cells[a].y - cells[b].y).abs();
                assert_eq!(cells[a].kind == cells[b].kind, far % 2.0 == 0.0, "{rows} x {columns}: {a}, {b}");
            }
        }
    }

    #[test]
    fn guard_bits_belong_to_no_cell() {
        let square = Square::new(3, 4, 2, LETTERS);
        assert_eq!(square.all, 0b1111_001111_001111);
        assert_eq!(square.row(1), 0b1111 << 6);
        assert!((0..12).all(|cell| square.cell(square.bit(cell)) == cell));
    }

    #[test]
    fn boards_have_the_symmetries_of_their_form() {
        let square = |rows, columns| Square::new(rows, columns, 1, LETTERS);
        assert_eq!(square(2, 3).symmetries(Symmetry::Sideways), [[0, 1, 2, 3, 4, 5], [2, 1, 0, 5, 4, 3]]);
        for (rows, columns, kind, count) in [
            (5, 5, Symmetry::Sideways, 2),
            (5, 5, Symmetry::Flips, 4),
            (5, 5, Symmetry::All, 8),
            (4, 5, Symmetry::All, 4),
            (1, 5, Symmetry::Flips, 2),
            (1, 1, Symmetry::All, 1),
        ] {
            let symmetries = square(rows, columns).symmetries(kind);
            assert_eq!(symmetries.len(), count, "{rows} x {columns} {kind:?}");
            for symmetry in symmetries {
                let mut cells = symmetry.clone();
                cells.sort_unstable();
                assert!(cells.into_iter().eq(0..rows * columns), "{symmetry:?}");
            }
        }
    }

    #[test]
    fn positions_have_one_key_exactly_if_a_symmetry_joins_them() {
        // All positions of 2 x 2: 3^4 and the side, in 21 classes each (Burnside: (81 + 2 * 3 + 3 * 9 + 2 * 27) / 8).
        let square = Square::new(2, 2, 1, LETTERS);
        let symmetries = square.symmetries(Symmetry::All);
        let images = Images::new(&square, &symmetries);
        let mut keys = std::collections::BTreeSet::new();
        for number in 0..81usize {
            let holders: Vec<usize> = (0..4).map(|cell| number / 3usize.pow(cell) % 3).collect();
            for side in Side::BOTH {
                let key = |symmetry: &[usize]| {
                    let mut words = [0; 2];
                    for (cell, &holder) in holders.iter().enumerate().filter(|(_, holder)| **holder < 2) {
                        words[holder] |= 1 << square.bit(symmetry[cell]);
                    }
                    images.least_key(&words, side)
                };
                let expected = key(&symmetries[0]);
                assert!(symmetries.iter().all(|symmetry| key(symmetry) == expected), "{holders:?}");
                keys.insert(expected);
            }
        }
        assert_eq!(keys.len(), 2 * 21);
    }

    #[test]
    fn a_position_that_is_none_is_refused() {
        let square = Square::new(2, 3, 1, LETTERS);
        let parse = |text| square.parse("test", ['x', 'o'], text);
        let form = "a position of test is 2 rows of 3 characters . x o joined by '/', then first or second";
        for text in ["", "x../...", "x../.../... first", "x.../... first", "x../..y first"] {
            assert_eq!(parse(text).unwrap_err().to_string(), form, "{text}");
        }
        assert_eq!(parse("x../... black").unwrap_err().to_string(), "unknown side 'black': first, second");
        let (words, side) = parse(" x.O/..X  second ").unwrap();
        assert_eq!(square.text(&words, ['x', 'o'], side), "x.o/..x second");
        assert_eq!(square.diagram(&words, ['x', 'o']), " 2 x . o\n 1 . . x\n   a b c");
    }
}
