//! Domineering: the first side places dominoes upright, the second lying; who cannot move loses.
//!
//! Cell (row, column) is bit `row * columns + column` of a 128-bit word, row 0 at the bottom ("1").
//! A move is the domino's lower or left cell; moves are listed by that cell.

use crate::game::{Board, Cell, Game, Piece, Shape, Trace};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Error, Move, Outcome, Result, Rng, Side, mix};

pub struct Domineering {
    rows: usize,
    columns: usize,
    /// Cells that can be the lower-left half of a domino of each side on an empty board.
    anchors: [u128; 2],
    /// From a domino's anchor to its other half.
    step: [u32; 2],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Cells covered by each side's dominoes.
    covered: [u128; 2],
    side: Side,
}

impl Domineering {
    pub fn new(rows: usize, columns: usize) -> Domineering {
        let mut anchors = [0u128; 2];
        for row in 0..rows {
            for column in 0..columns {
                let bit = 1u128 << (row * columns + column);
                if row + 1 < rows {
                    anchors[0] |= bit;
                }
                if column + 1 < columns {
                    anchors[1] |= bit;
                }
            }
        }
        Domineering { rows, columns, anchors, step: [columns as u32, 1] }
    }

    /// Anchors of the dominoes that `side` can place.
    #[inline]
    fn open(&self, state: &State, side: Side) -> u128 {
        let free = !(state.covered[0] | state.covered[1]);
        let (anchors, step) = (self.anchors[side.index()], self.step[side.index()]);
        anchors & free & (free >> step)
    }

    fn cell_name(&self, cell: usize) -> String {
        format!("{}{}", (b'a' + (cell % self.columns) as u8) as char, cell / self.columns + 1)
    }
}

/// The position of the k-th set bit.
#[inline]
fn nth_bit(mut bits: u128, mut k: u32) -> u32 {
    let low = (bits as u64).count_ones();
    let (mut word, base) = if k < low {
        (bits as u64, 0)
    } else {
        k -= low;
        bits >>= 64;
        (bits as u64, 64)
    };
    for _ in 0..k {
        word &= word - 1;
    }
    base + word.trailing_zeros()
}

impl Game for Domineering {
    const INFO: PartInfo = PartInfo {
        name: "domineering",
        options: &[
            OptionInfo::int("rows", 1, 10, "5", "rows of the board"),
            OptionInfo::int("columns", 1, 10, "5", "columns of the board"),
        ],
        positional: None,
        doc: "Upright against lying dominoes; who cannot place one loses",
    };
    const SIDES: [&'static str; 2] = ["Vertical", "Horizontal"];

    type State = State;

    fn from_options(options: &Options) -> Result<Domineering> {
        Ok(Domineering::new(options.size("rows"), options.size("columns")))
    }

    fn initial_state(&self, _rng: &mut Rng) -> State {
        State { covered: [0; 2], side: Side::First }
    }

    fn side_to_move(&self, state: &State) -> Side {
        state.side
    }

    fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
        let mut open = self.open(state, state.side);
        while open != 0 {
            moves.push(Move(open.trailing_zeros()));
            open &= open - 1;
        }
    }

    fn is_legal(&self, state: &State, mv: Move) -> bool {
        mv.0 < 128 && self.open(state, state.side) >> mv.0 & 1 == 1
    }

    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        let open = self.open(state, state.side);
        Move(nth_bit(open, rng.below(open.count_ones() as usize) as u32))
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        let side = state.side.index();
        state.covered[side] |= 1 << mv.0 | 1 << (mv.0 + self.step[side]);
        state.side = state.side.other();
    }

    #[inline]
    fn outcome(&self, state: &State) -> Option<Outcome> {
        (self.open(state, state.side) == 0).then(|| Outcome::Win(state.side.other()))
    }

    fn end_kind(&self, state: &State) -> &'static str {
        if self.outcome(state).is_some() { "no_moves" } else { "" }
    }

    fn key(&self, state: &State) -> u64 {
        state
            .covered
            .iter()
            .fold(state.side as u64, |key, &word| mix(mix(key ^ word as u64) ^ (word >> 64) as u64))
    }

    fn move_name(&self, state: &State, mv: Move) -> String {
        let other = mv.0 + self.step[state.side.index()];
        format!("{}{}", self.cell_name(mv.0 as usize), self.cell_name(other as usize))
    }

    fn state_text(&self, state: &State) -> String {
        let mut lines: Vec<String> = Vec::new();
        for row in (0..self.rows).rev() {
            let cell = |column| {
                let bit = row * self.columns + column;
                match (state.covered[0] >> bit & 1, state.covered[1] >> bit & 1) {
                    (1, _) => 'v',
                    (_, 1) => 'h',
                    _ => '.',
                }
            };
            lines.push((0..self.columns).map(cell).collect());
        }
        format!("{} {}", lines.join("/"), state.side)
    }

    /// Rows from the top, `/` between them: `.` free, `v` and `h` covered; then the side to move.
    fn parse_state(&self, text: &str) -> Result<State> {
        let form = || {
            Error::new(format!(
                "a domineering position is {} rows of {} characters . v h joined by '/', then first or second",
                self.rows, self.columns
            ))
        };
        let (rows, side) = text.trim().split_once(' ').ok_or_else(form)?;
        let side = Side::parse(side.trim())?;
        let rows: Vec<&str> = rows.split('/').collect();
        if rows.len() != self.rows || rows.iter().any(|row| row.chars().count() != self.columns) {
            return Err(form());
        }
        let mut covered = [0u128; 2];
        for (i, row) in rows.iter().enumerate() {
            for (column, c) in row.chars().enumerate() {
                let bit = 1u128 << ((self.rows - 1 - i) * self.columns + column);
                match c {
                    '.' => {}
                    'v' => covered[0] |= bit,
                    'h' => covered[1] |= bit,
                    _ => return Err(form()),
                }
            }
        }
        Ok(State { covered, side })
    }

    fn diagram(&self, state: &State) -> String {
        let text = self.state_text(state);
        let rows = text.split(' ').next().unwrap_or_default().split('/');
        let mut out = String::new();
        for (i, row) in rows.enumerate() {
            let cells: Vec<String> = row.chars().map(String::from).collect();
            out.push_str(&format!("{:>2} {}\n", self.rows - i, cells.join(" ")));
        }
        let letters: Vec<String> =
            (0..self.columns).map(|c| ((b'a' + c as u8) as char).to_string()).collect();
        out + &format!("   {}", letters.join(" "))
    }

    fn board(&self) -> Board {
        let cell = |i: usize| Cell {
            name: self.cell_name(i),
            x: (i % self.columns) as f32,
            y: (self.rows - 1 - i / self.columns) as f32,
            kind: "plain",
        };
        Board { shape: Shape::Square, cells: (0..self.rows * self.columns).map(cell).collect() }
    }

    fn pieces(&self, state: &State) -> Vec<Piece> {
        let kinds = ["domino_vertical", "domino_horizontal"];
        let cells = (0..self.rows * self.columns).filter_map(|cell| {
            let side = *Side::BOTH.iter().find(|side| state.covered[side.index()] >> cell & 1 == 1)?;
            Some(Piece { cell, side: Some(side), kind: kinds[side.index()] })
        });
        cells.collect()
    }

    fn move_cells(&self, state: &State, mv: Move) -> Vec<usize> {
        vec![mv.0 as usize, (mv.0 + self.step[state.side.index()]) as usize]
    }

    fn slots(&self) -> usize {
        self.rows * self.columns
    }

    fn slot_cells(&self, slot: usize) -> Vec<usize> {
        vec![slot]
    }

    fn uniform_playout(&self, state: &mut State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        loop {
            let side = state.side;
            let open = self.open(state, side);
            if open == 0 {
                return Outcome::Win(side.other());
            }
            let mv = Move(nth_bit(open, rng.below(open.count_ones() as usize) as u32));
            trace.push(mv, side);
            self.play(state, mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_move_loses() {
        let game = Domineering::new(1, 2);
        let state = game.initial_state(&mut Rng::new(0));
        assert_eq!(game.outcome(&state), Some(Outcome::Win(Side::Second)));
        assert_eq!(game.end_kind(&state), "no_moves");
    }

    #[test]
    fn names_show_both_halves() {
        let game = Domineering::new(3, 3);
        let mut state = game.initial_state(&mut Rng::new(0));
        let mv = game.parse_move(&state, "B2B3").unwrap();
        game.play(&mut state, mv);
        assert_eq!(game.state_text(&state), ".v./.v./... second");
        assert_eq!(
            game.parse_move(&state, "b2b3").unwrap_err().to_string(),
            "illegal move 'b2b3': legal are a1b1, b1c1"
        );
        assert_eq!(game.parse_state(&game.state_text(&state)).unwrap(), state);
    }

    #[test]
    fn the_nth_bit_crosses_the_word() {
        let bits = 0b1011u128 << 62;
        assert_eq!((0..3).map(|k| nth_bit(bits, k)).collect::<Vec<_>>(), [62, 63, 65]);
    }
}
