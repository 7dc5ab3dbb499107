//! Havannah in characters: names of cells, positions as text, the diagram, and the board for drawing.

use super::geometry::{Geometry, STRIDE, has};
use super::state::{State, set_stone};
use super::{Havannah, figures};
use crate::game::{Board, Cell, CellKind, Ending, Piece, PieceKind, Present, Shape};
use crate::types::{Error, Move, Outcome, Result, Side};

const SWAP: &str = "swap";
const SIGNS: [char; 2] = ['w', 'b'];

fn letter(index: usize) -> char {
    (b'a' + index as u8) as char
}

/// The column of a row's first cell.
fn first_column(geometry: &Geometry, row: usize) -> usize {
    (row + 1).saturating_sub(geometry.size)
}

/// The cells of a row.
fn row_length(geometry: &Geometry, row: usize) -> usize {
    geometry.board[row + 1].count_ones() as usize
}

/// `standard`: the column's letter and the row's number in the rhombic frame, as OpenSpiel and GTP programs
/// write it. `little_golem`: the row's letter and the number of the cell within its row.
fn move_name(geometry: &Geometry, mv: Move, notation: &str) -> String {
    if mv.0 as usize >= geometry.cells {
        return SWAP.to_string();
    }
    let (column, row) = geometry.place(mv.0 as usize);
    match notation {
        "little_golem" => format!("{}{}", letter(row), column - first_column(geometry, row) + 1),
        _ => format!("{}{}", letter(column), row + 1),
    }
}

fn sign(geometry: &Geometry, state: &State, column: usize, row: usize, signs: [char; 2]) -> char {
    let position = row * STRIDE + column;
    debug_assert!(geometry.cell_at(column as i32, row as i32).is_some());
    match Side::BOTH.iter().find(|side| has(&state.stones[side.index()], position)) {
        Some(side) => signs[side.index()],
        None => '.',
    }
}

/// The signs of a row from its first cell to its last.
fn signs(geometry: &Geometry, state: &State, row: usize, by_side: [char; 2]) -> Vec<String> {
    let first = first_column(geometry, row);
    let columns = first..first + row_length(geometry, row);
    columns.map(|column| sign(geometry, state, column, row, by_side).to_string()).collect()
}

fn write(geometry: &Geometry, state: &State) -> String {
    let rows: Vec<String> =
        (0..geometry.width).map(|row| signs(geometry, state, row, SIGNS).concat()).collect();
    format!("{} {}", rows.join("/"), state.side)
}

fn read(geometry: &Geometry, text: &str) -> Result<State> {
    let lengths = || -> Vec<usize> { (0..geometry.width).map(|row| row_length(geometry, row)).collect() };
    let form = |fault: String| {
        let lengths: Vec<String> = lengths().iter().map(usize::to_string).collect();
        Error::new(format!(
            "{fault}: a havannah position of size {} is rows of {} characters . w b joined by '/', then first or second",
            geometry.size,
            lengths.join(" ")
        ))
    };
    let (rows, side) =
        text.trim().split_once(char::is_whitespace).ok_or_else(|| form("no side to move".to_string()))?;
    let side = Side::parse(side.trim())?;
    let rows: Vec<&str> = rows.split('/').collect();
    if rows.len() != geometry.width {
        return Err(form(format!("{} rows instead of {}", rows.len(), geometry.width)));
    }
    let mut owners: Vec<Option<Side>> = Vec::with_capacity(geometry.cells);
    for (row, (signs, length)) in rows.iter().zip(lengths()).enumerate() {
        let count = signs.chars().count();
        if count != length {
            return Err(form(format!("row {} has {count} characters instead of {length}", row + 1)));
        }
        for c in signs.chars() {
            owners.push(match c.to_ascii_lowercase() {
                '.' => None,
                'w' => Some(Side::First),
                'b' => Some(Side::Second),
                _ => return Err(form(format!("'{c}' in row {}", row + 1))),
            });
        }
    }
    build(geometry, &owners, side)
}

/// The position with these stones, its groups made anew; refused if the game cannot have stopped at it.
fn build(geometry: &Geometry, owners: &[Option<Side>], side: Side) -> Result<State> {
    let mut state = State::new(geometry);
    state.side = side;
    for (cell, owner) in owners.iter().enumerate() {
        if let Some(owner) = owner {
            let position = geometry.position[cell] as usize;
            let (stones, nodes) = (&mut state.stones[owner.index()], &mut state.nodes);
            set_stone(geometry, stones, nodes, position);
            state.take_at(state.index[position] as usize, position);
        }
    }
    let names = Havannah::SIDES;
    let (mover, other) = (names[side.index()], names[side.other().index()]);
    if let Some(figure) = figures::complete(geometry, &state.stones[side.index()]) {
        let figure = figure.name();
        return Err(Error::new(format!(
            "{mover} is to move but already has a {figure}: the game ended before"
        )));
    }
    let stones = &state.stones[side.other().index()];
    if let Some(figure) = figures::complete(geometry, stones) {
        let last = (0..geometry.cells).any(|cell| {
            let mut before = *stones;
            let (column, row) = geometry.place(cell);
            before[row + 1] &= !(2 << column);
            before != *stones && figures::complete(geometry, &before).is_none()
        });
        if !last {
            let figure = figure.name();
            return Err(Error::new(format!(
                "no single stone of {other} can have completed its {figure}: the game ended before"
            )));
        }
        state.end = Some(Outcome::Win(side.other()));
    } else if state.empty == 0 {
        state.end = Some(Outcome::Draw);
    }
    Ok(state)
}

/// The board as it lies: `O` White, `@` Black; the number of each row before it, the letter of each column
/// at its upper end.
fn diagram(geometry: &Geometry, state: &State) -> String {
    let size = geometry.size;
    let letters: Vec<String> = (0..size).map(|column| letter(column).to_string()).collect();
    let mut lines = vec![format!("{}{}", " ".repeat(size + 3), letters.join(" "))];
    for row in 0..geometry.width {
        let indent = if row < size { size - 1 - row } else { row + 1 - size };
        let end = if row + 1 < size { format!(" {}", letter(size + row)) } else { String::new() };
        let signs = signs(geometry, state, row, ['O', '@']).join(" ");
        lines.push(format!("{}{:>2} {signs}{end}", " ".repeat(indent), row + 1));
    }
    lines.join("\n")
}

fn board(geometry: &Geometry) -> Board {
    // Rows of pointed hexagons one cell wide lie sqrt(3) / 2 apart, each half a cell further to the left.
    let cell = |index: usize| {
        let (column, row) = geometry.place(index);
        let touched = geometry.touched(index);
        Cell {
            name: move_name(geometry, Move(index as u32), "standard"),
            x: column as f32 + (geometry.size as f32 - 1.0 - row as f32) / 2.0,
            y: row as f32 * 0.866_025_4,
            kind: match touched {
                0 => CellKind::Plain,
                set if set & 0o77 != 0 => CellKind::Corner,
                _ => CellKind::Edge,
            },
        }
    };
    Board::new(Shape::HexPointy, (0..geometry.cells).map(cell).collect())
}

impl Present for Havannah {
    const SIDES: [&'static str; 2] = ["White", "Black"];
    const NOTATIONS: &'static [&'static str] = &["standard", "little_golem"];
    const ENDINGS: &'static [Ending] = &[
        Ending::of_mover("ring", "closed a ring", "closing a ring"),
        Ending::of_mover("bridge", "built a bridge", "building a bridge"),
        Ending::of_mover("fork", "built a fork", "building a fork"),
    ];

    fn end_kind(&self, state: &State) -> &'static str {
        match state.end {
            None => "",
            Some(Outcome::Draw) => "draw",
            Some(Outcome::Win(side)) => figures::complete(&self.geometry, &state.stones[side.index()])
                .map_or("", |figure| figure.name()),
        }
    }

    /// The shortest ring around one of the enclosed cells, in order; or the chain that makes the bridge or fork.
    fn winning_cells(&self, state: &State) -> Vec<usize> {
        match state.end {
            Some(Outcome::Win(side)) => figures::cells(&self.geometry, &state.stones[side.index()]),
            _ => Vec::new(),
        }
    }

    fn move_name(&self, state: &State, mv: Move) -> String {
        self.move_name_in(state, mv, Self::NOTATIONS[0])
    }

    fn move_name_in(&self, _state: &State, mv: Move, notation: &str) -> String {
        move_name(&self.geometry, mv, notation)
    }

    fn state_text(&self, state: &State) -> String {
        write(&self.geometry, state)
    }

    /// Rows from the top, `/` between them: `.` empty, `w` White's, `b` Black's; then the side to move.
    /// Any number of stones may stand on either side, but the position must be one that play can stop at.
    fn parse_state(&self, text: &str) -> Result<State> {
        read(&self.geometry, text)
    }

    fn diagram(&self, state: &State) -> String {
        diagram(&self.geometry, state)
    }

    fn board(&self) -> Board {
        board(&self.geometry)
    }

    fn pieces(&self, state: &State) -> Vec<Piece> {
        let owner = |cell: usize| {
            let position = self.geometry.position[cell] as usize;
            Side::BOTH.into_iter().find(|side| has(&state.stones[side.index()], position))
        };
        let cells = 0..self.geometry.cells;
        cells
            .filter_map(|cell| owner(cell).map(|side| Piece::new(PieceKind::Stone, Some(side), vec![cell])))
            .collect()
    }

    /// The stone's cell; for `swap` the cell of the stone that changes sides.
    fn move_cells(&self, state: &State, mv: Move) -> Vec<usize> {
        if (mv.0 as usize) < self.geometry.cells {
            return vec![mv.0 as usize];
        }
        self.pieces(state).iter().map(|piece| piece.cells[0]).collect()
    }

    fn slot_cells(&self, _: &State, slot: usize) -> Vec<usize> {
        if slot < self.geometry.cells { vec![slot] } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Havannah;
    use super::*;
    use crate::game::{Present, Rules};
    use crate::types::Rng;

    #[test]
    fn cells_are_named_by_column_and_row_of_the_frame() {
        let game = Havannah::new(3, false);
        let state = game.initial_state(&mut Rng::new(0));
        let all = |notation: &str| -> String {
            (0..19).map(|cell| game.move_name_in(&state, Move(cell), notation)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(all("standard"), "a1 b1 c1 a2 b2 c2 d2 a3 b3 c3 d3 e3 b4 c4 d4 e4 c5 d5 e5");
        assert_eq!(all("little_golem"), "a1 a2 a3 b1 b2 b3 b4 c1 c2 c3 c4 c5 d1 d2 d3 d4 e1 e2 e3");
        for notation in Havannah::NOTATIONS {
            for cell in 0..19 {
                let name = game.move_name_in(&state, Move(cell), notation).to_uppercase();
                assert_eq!(game.parse_move_in(&state, &name, notation).unwrap(), Move(cell));
            }
        }
        for (text, notation) in
            [("a4", "standard"), ("d1", "standard"), ("a4", "little_golem"), ("", "standard")]
        {
            let error = game.parse_move_in(&state, text, notation).unwrap_err().to_string();
            assert!(error.starts_with(&format!("illegal move '{text}': legal are a1, ")), "{error}");
        }
    }

    #[test]
    fn positions_are_read_and_drawn() {
        let game = Havannah::new(3, false);
        let text = "w../.b../..w../..b./... first";
        let state =
            game.parse_state(&format!(" {} ", text.to_uppercase().replace("FIRST", "first"))).unwrap();
        assert_eq!(game.state_text(&state), text);
        let drawn =
            ["      a b c", "   1 O . . d", "  2 . @ . . e", " 3 . . O . .", "  4 . . @ .", "   5 . . ."];
        assert_eq!(game.diagram(&state), drawn.join("\n"));
        let finished = game.parse_state("www/.b../...../..b./... second").unwrap();
        assert_eq!(game.outcome(&finished), Some(Outcome::Win(Side::First)));
        assert_eq!(game.end_kind(&finished), "bridge");
        assert_eq!(game.winning_cells(&finished), [0, 1, 2]);
    }

    #[test]
    fn what_is_no_position_is_refused() {
        let game = Havannah::new(3, false);
        let form = "a havannah position of size 3 is rows of 3 4 5 4 3 characters . w b joined by '/', \
                    then first or second";
        for (text, fault) in [
            ("", format!("no side to move: {form}")),
            (".../..../...../..../...", format!("no side to move: {form}")),
            (".../..../...../..../... third", "unknown side 'third': first, second".to_string()),
            (".../..../..... first", format!("3 rows instead of 5: {form}")),
            (".../..../..../..../... first", format!("row 3 has 4 characters instead of 5: {form}")),
            (".../..../..x../..../... first", format!("'x' in row 3: {form}")),
            (
                "www/..../...../..../... first",
                "White is to move but already has a bridge: the game ended before".to_string(),
            ),
            (
                "bbb/..../...../..../bbb first",
                "no single stone of Black can have completed its bridge: the game ended before".to_string(),
            ),
            (
                ".../.ww./.w.w./.ww./www second",
                "no single stone of White can have completed its ring: the game ended before".to_string(),
            ),
        ] {
            assert_eq!(game.parse_state(text).unwrap_err().to_string(), fault, "{text}");
        }
    }

    #[test]
    fn neighbours_are_drawn_one_width_apart() {
        let game = Havannah::new(5, false);
        let board = game.board();
        for a in 0..game.cells() {
            for b in 0..game.cells() {
                let (dx, dy) = (board.cells[a].x - board.cells[b].x, board.cells[a].y - board.cells[b].y);
                let near = ((dx * dx + dy * dy).sqrt() - 1.0).abs() < 1e-4;
                assert_eq!(near, game.geometry.neighbours(a).any(|n| n == b), "{a} {b}");
            }
        }
        assert!(board.cells.iter().all(|cell| cell.x >= 0.0 && cell.y >= 0.0));
        assert_eq!(board.shape.name(), "hex_pointy");
    }
}
