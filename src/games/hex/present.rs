//! Hex as people see it: names of moves, positions as text, the board and its rims, the chain that has won.

use super::{Hex, State};
use crate::game::{Board, Cell, CellKind, Distances, Ending, Piece, PieceKind, Present, Rim, Shape};
use crate::types::{Error, Move, Result, Side};

pub(super) const SWAP: &str = "swap";
const SIGNS: [char; 2] = ['b', 'w'];

fn letter(column: usize) -> char {
    (b'a' + column as u8) as char
}

impl Hex {
    /// The signs of a row, from its first cell to its last.
    fn signs(&self, state: &State, row: usize, signs: [char; 2]) -> Vec<String> {
        let sign = |cell| self.owner(state, cell).map_or('.', |side: Side| signs[side.index()]).to_string();
        (row * self.size..(row + 1) * self.size).map(sign).collect()
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
            Cell { name: self.move_name(&self.start, Move(cell as u32)), x, y, kind: CellKind::Plain }
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
            |cell| self.owner(state, cell).map(|side| Piece::new(PieceKind::Stone, Some(side), vec![cell]));
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
