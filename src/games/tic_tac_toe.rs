//! Tic-tac-toe: three in a row win, a full board without a row is a draw.
//!
//! Moves are cells and listed by cell.

use super::bitset::{Plain, Word, bits};
use super::square::{self, Images, LETTERS, Square, Symmetry};
use crate::game::{Board, Ending, Exact, FastPlay, Offers, Piece, PieceKind, Present, Rules, Shape};
use crate::spec::{Options, PartInfo, Strong};
use crate::types::{Error, Move, Outcome, Result, Rng, Side};

const MARKS: [char; 2] = ['x', 'o'];
const FULL: u128 = 0o777;
/// Rows, columns and diagonals; an octal digit is a row.
const LINES: [u128; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

pub struct TicTacToe {
    square: Square,
    images: Images,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    marks: [u128; 2],
    side: Side,
}

/// All marks that lie on a complete line.
fn lines(marks: u128) -> u128 {
    LINES.iter().filter(|&&line| marks & line == line).fold(0, |all, line| all | line)
}

impl State {
    fn free(&self) -> u128 {
        FULL & !(self.marks[0] | self.marks[1])
    }

    /// The marks with which the last move has won.
    fn won(&self) -> u128 {
        lines(self.marks[self.side.other().index()])
    }
}

impl Rules for TicTacToe {
    const INFO: PartInfo = PartInfo {
        name: "tic_tac_toe",
        options: &[],
        positional: None,
        doc: "Three in a row on 3x3; a full board without one is a draw",
    };

    type State = State;

    fn from_options(_options: &Options) -> Result<TicTacToe> {
        let square = Square::new(3, 3, 0, LETTERS);
        let images = Images::new(&square, &square.symmetries(Symmetry::All));
        Ok(TicTacToe { square, images })
    }

    fn initial_state(&self, _rng: &mut Rng) -> State {
        State { marks: [0; 2], side: Side::First }
    }

    #[inline]
    fn side_to_move(&self, state: &State) -> Side {
        state.side
    }

    fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
        if state.won() == 0 {
            moves.extend(bits(state.free()).map(Move));
        }
    }

    fn is_legal(&self, state: &State, mv: Move) -> bool {
        mv.0 < 9 && state.won() == 0 && state.free() >> mv.0 & 1 == 1
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        state.marks[state.side.index()] |= 1 << mv.0;
        state.side = state.side.other();
    }

    #[inline]
    fn outcome(&self, state: &State) -> Option<Outcome> {
        if state.won() != 0 {
            Some(Outcome::Win(state.side.other()))
        } else {
            (state.free() == 0).then_some(Outcome::Draw)
        }
    }

    fn key(&self, state: &State) -> u64 {
        square::key(&state.marks, state.side)
    }

    fn longest(&self) -> Option<u64> {
        Some(9)
    }

    fn slots(&self) -> usize {
        9
    }
}

impl Present for TicTacToe {
    const SIDES: [&'static str; 2] = ["Crosses", "Noughts"];
    const ENDINGS: &'static [Ending] = &[Ending::of_mover("line", "made a line", "making a line")];

    fn end_kind(&self, state: &State) -> &'static str {
        match self.outcome(state) {
            Some(Outcome::Win(_)) => "line",
            Some(Outcome::Draw) => "draw",
            None => "",
        }
    }

    fn winning_cells(&self, state: &State) -> Vec<usize> {
        self.square.cells_of(state.won())
    }

    fn move_name(&self, _state: &State, mv: Move) -> String {
        self.square.cell_name(mv.0 as usize)
    }

    fn state_text(&self, state: &State) -> String {
        self.square.text(&state.marks, MARKS, state.side)
    }

    fn parse_state(&self, text: &str) -> Result<State> {
        let (marks, side) = self.square.parse(Self::INFO.name, MARKS, text)?;
        let refuse = |why: String| Err(Error::new(format!("no position of tic_tac_toe: {why}")));
        let (crosses, noughts) = (marks[0].count_ones(), marks[1].count_ones());
        if crosses != noughts + side as u32 {
            return refuse(format!("{crosses} x and {noughts} o when {side} is to move"));
        }
        if lines(marks[side.index()]) != 0 {
            return refuse(format!("{side} has a line, but {} moved last", side.other()));
        }
        Ok(State { marks, side })
    }

    fn diagram(&self, state: &State) -> String {
        self.square.diagram(&state.marks, MARKS)
    }

    fn board(&self) -> Board {
        self.square.board(Shape::Square)
    }

    fn pieces(&self, state: &State) -> Vec<Piece> {
        self.square.pieces(&state.marks, [PieceKind::Cross, PieceKind::Nought])
    }

    fn move_cells(&self, _state: &State, mv: Move) -> Vec<usize> {
        vec![mv.0 as usize]
    }

    fn slot_cells(&self, _: &State, slot: usize) -> Vec<usize> {
        vec![slot]
    }
}

impl FastPlay for TicTacToe {
    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        let free = state.free();
        Move(free.nth::<Plain>(rng.below(free.count() as usize) as u32))
    }
}

impl Exact for TicTacToe {
    fn symmetries(&self) -> Vec<Vec<usize>> {
        self.square.symmetries(Symmetry::All)
    }

    fn class_key(&self, state: &State) -> u64 {
        self.images.least_key(&state.marks, state.side)
    }
}

impl Offers for TicTacToe {
    const STRONG: &'static [Strong] = &[Strong::everywhere("mcts(selection=uct(k=0.25), tactics=solver)")];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::conformance::{legal_names, play_all};

    fn game() -> TicTacToe {
        let spec = crate::catalogue::read(crate::spec::Family::Game, "tic_tac_toe").unwrap();
        TicTacToe::from_options(&Options::new(&spec.parts[0])).unwrap()
    }

    #[test]
    fn every_line_wins() {
        for line in [
            "xxx/oo./...",
            "oo./xxx/...",
            "oo./.../xxx",
            "xo./xo./x..",
            "ox./ox./.x.",
            "o.x/o.x/..x",
            "xo./ox./..x",
            "o.x/.x./x.o",
        ] {
            let state = game().parse_state(&format!("{line} second")).unwrap();
            assert_eq!(game().outcome(&state), Some(Outcome::Win(Side::First)), "{line}");
            assert_eq!((game().end_kind(&state), game().winning_cells(&state).len()), ("line", 3));
            assert!(legal_names(&game(), &state).is_empty());
        }
    }

    #[test]
    fn a_full_board_without_line_is_a_draw() {
        let mut state = game().parse_state("xox/xoo/ox. first").unwrap();
        assert_eq!((game().outcome(&state), game().end_kind(&state)), (None, ""));
        play_all(&game(), &mut state, &["C1"]);
        assert_eq!((game().outcome(&state), game().end_kind(&state)), (Some(Outcome::Draw), "draw"));
    }

    #[test]
    fn a_line_on_the_last_cell_is_a_win() {
        let mut state = game().parse_state("xoo/oxx/xo. first").unwrap();
        play_all(&game(), &mut state, &["c1"]);
        assert_eq!((game().end_kind(&state), game().winning_cells(&state)), ("line", vec![2, 4, 6]));
    }

    #[test]
    fn positions_that_cannot_be_are_refused() {
        for (text, why) in [
            ("x../.../... first", "1 x and 0 o when first is to move"),
            ("xoo/.../... second", "1 x and 2 o when second is to move"),
            ("xxx/oo./.o. first", "first has a line, but second moved last"),
        ] {
            let message = game().parse_state(text).unwrap_err().to_string();
            assert_eq!(message, format!("no position of tic_tac_toe: {why}"), "{text}");
        }
    }
}
