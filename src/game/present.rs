//! What people see of a game: boards and pieces, the names of moves, positions as text.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Rules;
use crate::types::{Error, Move, Outcome, Result, Side};

/// How a game is shown and read: command line, records, pictures and the app need nothing else of it.
pub trait Present: Rules {
    /// What the two sides are called where people see them, e.g. `["White", "Black"]`.
    const SIDES: [&'static str; 2] = ["First", "Second"];

    /// Ways of writing a move; the first is used everywhere unless another is asked for.
    const NOTATIONS: &'static [&'static str] = &["standard"];

    /// The words for each way to win that `end_kind` names; a plain `win` needs none.
    const ENDINGS: &'static [Ending] = &[];

    /// In what way the game was won, in one word (`ring`, `no_moves`), or `draw`; empty while it goes on.
    fn end_kind(&self, state: &Self::State) -> &'static str {
        match self.outcome(state) {
            None => "",
            Some(Outcome::Win(_)) => "win",
            Some(Outcome::Draw) => "draw",
        }
    }

    /// The cells that show why the game was won (a winning chain); empty if there is nothing to show.
    fn winning_cells(&self, _state: &Self::State) -> Vec<usize> {
        Vec::new()
    }

    fn move_name(&self, state: &Self::State, mv: Move) -> String;

    /// The same in one of `NOTATIONS`.
    fn move_name_in(&self, state: &Self::State, mv: Move, _notation: &str) -> String {
        self.move_name(state, mv)
    }

    /// The legal move with this name. Upper and lower case are the same, unless two names differ in nothing else.
    fn parse_move_in(&self, state: &Self::State, text: &str, notation: &str) -> Result<Move> {
        let wanted = text.trim();
        let mut moves = Vec::new();
        self.legal_moves(state, &mut moves);
        let mut alike = Vec::new();
        for &mv in &moves {
            let name = self.move_name_in(state, mv, notation);
            if name == wanted {
                return Ok(mv);
            }
            if name.eq_ignore_ascii_case(wanted) {
                alike.push((mv, name));
            }
        }
        match alike.as_slice() {
            [] => Err(illegal_move(self, state, wanted, &moves, notation)),
            [(mv, _)] => Ok(*mv),
            [(_, one), (_, other), ..] => {
                Err(Error::new(format!("'{wanted}' could be {one} or {other}: upper and lower case matter")))
            }
        }
    }

    fn parse_move(&self, state: &Self::State, text: &str) -> Result<Move> {
        self.parse_move_in(state, text, Self::NOTATIONS[0])
    }

    /// Any position as text: one or more lines that `parse_state` reads back to an equal position.
    fn state_text(&self, state: &Self::State) -> String;

    fn parse_state(&self, text: &str) -> Result<Self::State>;

    /// The position drawn in characters for a terminal, several lines.
    fn diagram(&self, state: &Self::State) -> String {
        self.state_text(state)
    }

    /// The empty board: what any front draws.
    fn board(&self) -> Board;

    /// What stands on it.
    fn pieces(&self, state: &Self::State) -> Vec<Piece>;

    /// The cells a move touches, in the order in which a person would point at them (from, to).
    fn move_cells(&self, state: &Self::State, mv: Move) -> Vec<usize>;

    /// The moves of one slot, as cells, for showing a table over slots on the board of a position, in which they need
    /// not be legal.
    fn slot_cells(&self, _state: &Self::State, _slot: usize) -> Vec<usize> {
        Vec::new()
    }
}

/// How the game was won: what one side did, or could not do. It does not say who wins: in misère it is the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The word of `end_kind`.
    pub kind: &'static str,
    pub whose: Whose,
    /// `White wins: Black did.`
    pub did: &'static str,
    /// `White wins by doing.`
    pub doing: &'static str,
}

/// The side that an ending is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Who moved last.
    Mover,
    /// Who would move next.
    Next,
    /// Always the same one.
    Always(Side),
}

impl Ending {
    pub const fn of(whose: Whose, kind: &'static str, did: &'static str, doing: &'static str) -> Ending {
        Ending { kind, whose, did, doing }
    }

    /// What who moved last has done.
    pub const fn of_mover(kind: &'static str, did: &'static str, doing: &'static str) -> Ending {
        Ending::of(Whose::Mover, kind, did, doing)
    }

    /// Who has no move left loses.
    pub const NO_MOVES: Ending = Ending::of(Whose::Next, "no_moves", "cannot move", "having no move left");

    /// The side that it is about, given who is to move after the end.
    pub fn side(&self, to_move: Side) -> Side {
        match self.whose {
            Whose::Mover => to_move.other(),
            Whose::Next => to_move,
            Whose::Always(side) => side,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A hexagon with a corner at the top, one unit between opposite sides.
    HexPointy,
    /// A hexagon with a side at the top.
    HexFlat,
    Square,
    /// A crossing of two lines, as on a Go board.
    Point,
}

impl Shape {
    pub fn name(self) -> &'static str {
        match self {
            Shape::HexPointy => "hex_pointy",
            Shape::HexFlat => "hex_flat",
            Shape::Square => "square",
            Shape::Point => "point",
        }
    }
}

/// A list of words with which games name what people see, so that whoever draws knows all of them.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$note:meta])* $variant:ident $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$note])* $variant,)*
            /// A word of a game from elsewhere.
            Other(Arc<str>),
        }

        impl $name {
            /// All words of the games in the catalogue.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            pub fn name(&self) -> &str {
                match self {
                    $($name::$variant => $text,)*
                    $name::Other(word) => word,
                }
            }

            pub fn of(word: &str) -> $name {
                match word {
                    $($text => $name::$variant,)*
                    _ => $name::Other(word.into()),
                }
            }
        }
    };
}

words! {
    /// What a place of a board is.
    CellKind {
        Plain "plain",
        /// A square of the darker colour, on a chequered board.
        Dark "dark",
        Corner "corner",
        Edge "edge",
        Street "street",
        Manhole "manhole",
        Lamp "lamp",
        Building "building",
        Garden "garden",
        Exit "exit",
    }
}

words! {
    /// What stands on a board.
    PieceKind {
        Stone "stone",
        Man "man",
        Knight "knight",
        Cross "cross",
        Nought "nought",
        /// On the two cells that it covers.
        Domino "domino",
        /// A character, by its name; `cleared` when everybody knows it to be innocent.
        Token "token",
        /// A gaslight, `lit` or `out`; its number is the turn after which it goes out.
        Lamp "lamp",
        /// What closes a manhole.
        Cover "cover",
        /// What closes an exit.
        Cordon "cordon",
        /// A light that shines in the direction of its name: from its first cell onto the others.
        Lantern "lantern",
    }
}

/// One place of a board, at (x, y) in cell widths, y growing downward.
#[derive(Clone, Debug)]
pub struct Cell {
    pub name: String,
    pub x: f32,
    pub y: f32,
    pub kind: CellKind,
}

/// The empty board of a game: cells with names, places and one shape.
#[derive(Clone, Debug)]
pub struct Board {
    pub shape: Shape,
    pub cells: Vec<Cell>,
    /// What of its border belongs to a side.
    pub rims: Vec<Rim>,
}

impl Board {
    /// A board whose border belongs to neither side.
    pub fn new(shape: Shape, cells: Vec<Cell>) -> Board {
        Board { shape, cells, rims: Vec::new() }
    }

    /// Cells along a side, as GTP counts them; None where sides differ.
    pub fn size(&self) -> Option<usize> {
        let different = |place: fn(&Cell) -> f32| {
            let places = self.cells.iter().map(|cell| (place(cell) * 1000.0).round() as i64);
            places.collect::<BTreeSet<i64>>().len()
        };
        let (rows, columns) = (different(|cell| cell.y), different(|cell| cell.x));
        let hexagon = rows.div_ceil(2);
        match self.shape {
            // A rhombus has as many cells in every row as there are rows.
            Shape::HexPointy | Shape::HexFlat if self.cells.len() == rows * rows => Some(rows),
            Shape::HexPointy | Shape::HexFlat => {
                (self.cells.len() == 3 * hexagon * hexagon.saturating_sub(1) + 1).then_some(hexagon)
            }
            Shape::Square | Shape::Point => (rows == columns).then_some(rows),
        }
    }
}

/// A part of the border that belongs to a side: a line along the outer cells, as places in cell widths.
#[derive(Clone, Debug)]
pub struct Rim {
    pub side: Side,
    pub line: Vec<(f32, f32)>,
}

/// Something that stands on a board, in words of the game: what it is, whose, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub kind: PieceKind,
    pub side: Option<Side>,
    /// The cells that it covers.
    pub cells: Vec<usize>,
    /// Which one of its kind it is: a character, a direction.
    pub name: &'static str,
    /// The number that is written on it.
    pub number: Option<u8>,
    /// What has become of it, in a word: `cleared`, `lit`.
    pub state: &'static str,
}

impl Piece {
    /// A piece that is like all others of its kind and side.
    pub fn new(kind: PieceKind, side: Option<Side>, cells: Vec<usize>) -> Piece {
        Piece { kind, side, cells, name: "", number: None, state: "" }
    }
}

/// The error for a move that is not one: names a few that are.
pub fn illegal_move<G: Present>(
    game: &G,
    state: &G::State,
    text: &str,
    legal: &[Move],
    notation: &str,
) -> Error {
    if legal.is_empty() {
        return Error::new(format!("illegal move '{text}': the game is over"));
    }
    let some: Vec<String> = legal.iter().take(8).map(|&mv| game.move_name_in(state, mv, notation)).collect();
    let more =
        if legal.len() > some.len() { format!(", ... ({} in all)", legal.len()) } else { String::new() };
    Error::new(format!("illegal move '{text}': legal are {}{more}", some.join(", ")))
}
