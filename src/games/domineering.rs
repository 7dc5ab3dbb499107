//! Domineering: the first side places dominoes upright, the second lying; who cannot move loses.
//!
//! A move is the domino's lower or left cell; moves are listed by that cell.
//!
//! Without the force to inline, searches take up to 1.45 times the instructions (bench/inlining.txt).

use super::bitset::{self, Plain, Record, Select, Start, Word, WordGame, Words, bits};
use super::square::{self, Images, LETTERS, Square, Symmetry};
use crate::game::{Board, Ending, Exact, FastPlay, Offers, Piece, PieceKind, Present, Rules, Trace};
use crate::spec::{OptionInfo, Options, PartInfo, Strong};
use crate::types::{Error, Move, Outcome, Result, Rng, Side};

const MARKS: [char; 2] = ['v', 'h'];

pub struct Domineering {
    /// Without guard bits: a cell and its bit have the same number.
    square: Square,
    /// Cells that can be the lower-left half of a domino of each side on an empty board.
    anchors: [u128; 2],
    /// From a domino's anchor to its other half.
    step: [u32; 2],
    images: Images,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Cells covered by each side's dominoes.
    covered: [u128; 2],
    side: Side,
}

impl Domineering {
    pub fn new(rows: usize, columns: usize) -> Domineering {
        let square = Square::new(rows, columns, 0, LETTERS);
        let (top, right) =
            (square.row(rows - 1), (0..rows).map(|row| square.row(row) & !(square.row(row) >> 1)));
        let anchors = [square.all & !top, right.fold(square.all, |all, corner| all & !corner)];
        let images = Images::new(&square, &square.symmetries(Symmetry::Flips));
        Domineering { square, anchors, step: [columns as u32, 1], images }
    }

    /// Anchors of the dominoes that `side` can place.
    #[inline(always)]
    fn open<W: Word>(&self, covered: &[W; 2], side: Side) -> W {
        let free = !(covered[0] | covered[1]);
        W::narrow(self.anchors[side.index()]) & free & (free >> self.step[side.index()])
    }

    /// The cells that a domino of `side` covers.
    #[inline(always)]
    fn domino<W: Word>(&self, side: Side, anchor: u32) -> W {
        W::bit(anchor) | W::bit(anchor + self.step[side.index()])
    }

    /// The halves of this side's dominoes that have no other half.
    fn halves(&self, covered: u128, side: Side) -> u128 {
        let (anchors, step) = (self.anchors[side.index()], self.step[side.index()]);
        // From below or from the left, dominoes can be taken off in one way only.
        let (mut left, mut odd) = (covered, 0);
        while left != 0 {
            let anchor = left & left.wrapping_neg();
            let domino = anchor | anchor << step;
            if anchors & anchor != 0 && left & domino == domino {
                left &= !domino;
            } else {
                left &= !anchor;
                odd |= anchor;
            }
        }
        odd
    }
}

impl Rules for Domineering {
    const INFO: PartInfo = PartInfo {
        name: "domineering",
        options: &[
            OptionInfo::int("rows", 1, 10, "5", "rows of the board"),
            OptionInfo::int("columns", 1, 10, "5", "columns of the board"),
        ],
        positional: None,
        doc: "Upright against lying dominoes; who cannot place one loses",
    };

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
        moves.extend(bits(self.open(&state.covered, state.side)).map(Move));
    }

    fn is_legal(&self, state: &State, mv: Move) -> bool {
        mv.0 < 128 && self.open(&state.covered, state.side) >> mv.0 & 1 == 1
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        state.covered[state.side.index()] |= self.domino::<u128>(state.side, mv.0);
        state.side = state.side.other();
    }

    #[inline]
    fn outcome(&self, state: &State) -> Option<Outcome> {
        (self.open(&state.covered, state.side) == 0).then(|| Outcome::Win(state.side.other()))
    }

    fn key(&self, state: &State) -> u64 {
        square::key(&state.covered, state.side)
    }

    fn longest(&self) -> Option<u64> {
        Some(self.square.cells() as u64 / 2)
    }

    fn slots(&self) -> usize {
        self.square.cells()
    }
}

impl Present for Domineering {
    const SIDES: [&'static str; 2] = ["Vertical", "Horizontal"];
    const ENDINGS: &'static [Ending] = &[Ending::NO_MOVES];

    fn end_kind(&self, state: &State) -> &'static str {
        if self.outcome(state).is_some() { "no_moves" } else { "" }
    }

    fn move_name(&self, state: &State, mv: Move) -> String {
        let other = mv.0 + self.step[state.side.index()];
        format!("{}{}", self.square.cell_name(mv.0 as usize), self.square.cell_name(other as usize))
    }

    fn state_text(&self, state: &State) -> String {
        self.square.text(&state.covered, MARKS, state.side)
    }

    fn parse_state(&self, text: &str) -> Result<State> {
        let (covered, side) = self.square.parse(Self::INFO.name, MARKS, text)?;
        for owner in Side::BOTH {
            let odd = self.halves(covered[owner.index()], owner);
            if odd != 0 {
                return Err(Error::new(format!(
                    "no position of domineering: '{}' at {} is half a domino",
                    MARKS[owner.index()],
                    self.square.names(odd)
                )));
            }
        }
        Ok(State { covered, side })
    }

    fn diagram(&self, state: &State) -> String {
        self.square.diagram(&state.covered, MARKS)
    }

    fn board(&self) -> Board {
        self.square.chequered_board()
    }

    fn pieces(&self, state: &State) -> Vec<Piece> {
        // In a row of equal halves the pairing from its start is the only one.
        let mut paired = vec![false; self.square.cells()];
        let halves = self.square.pieces(&state.covered, [PieceKind::Domino, PieceKind::Domino]);
        let whole = halves.into_iter().filter_map(|half| {
            let (cell, side) = (half.cells[0], half.side?);
            if paired[cell] {
                return None;
            }
            let other = cell + self.step[side.index()] as usize;
            paired[other] = true;
            Some(Piece { cells: vec![cell, other], ..half })
        });
        whole.collect()
    }

    fn move_cells(&self, state: &State, mv: Move) -> Vec<usize> {
        vec![mv.0 as usize, (mv.0 + self.step[state.side.index()]) as usize]
    }

    fn slot_cells(&self, _: &State, slot: usize) -> Vec<usize> {
        vec![slot]
    }
}

impl FastPlay for Domineering {
    #[inline]
    fn count_moves(&self, state: &State) -> usize {
        self.open(&state.covered, state.side).count_ones() as usize
    }

    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        let open = self.open(&state.covered, state.side);
        Move(open.nth::<Plain>(rng.below(open.count() as usize) as u32))
    }

    fn uniform_playout(&self, state: &mut State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        let start = state.clone();
        bitset::playout(self, (&start, None), Some(state), rng, trace)
    }

    #[inline]
    fn playout_from(
        &self,
        state: &State,
        first: Option<Move>,
        _scratch: &mut State,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        bitset::playout(self, (state, first), None, rng, trace)
    }

    #[inline]
    fn scan(
        &self,
        state: &State,
        moves: &mut [Move],
        shuffled: bool,
        _scratch: &mut State,
        rng: &mut Rng,
        judge: impl FnMut(Move, Outcome, u64) -> bool,
    ) {
        bitset::scan(self, state, moves, shuffled, rng, judge);
    }
}

impl Exact for Domineering {
    fn symmetries(&self) -> Vec<Vec<usize>> {
        self.square.symmetries(Symmetry::Flips)
    }

    #[inline]
    fn class_key(&self, state: &State) -> u64 {
        self.images.least_key(&state.covered, state.side)
    }
}

impl Offers for Domineering {
    const STRONG: &'static [Strong] = super::GRAVE;
}

impl WordGame for Domineering {
    #[inline(always)]
    fn words(&self) -> Words {
        self.square.words
    }

    #[inline(always)]
    fn playout<W: Word, S: Select>(
        &self,
        (state, first): Start<Self>,
        last: Option<&mut State>,
        rng: &mut Rng,
        trace: &mut impl Record,
    ) -> Outcome {
        let mut covered = state.covered.map(W::narrow);
        let mut side = state.side;
        if let Some(mv) = first {
            trace.push(mv, side);
            // By the side's name: a place in memory that is named by a number costs more than the move.
            match side {
                Side::First => covered[0] |= self.domino(side, mv.0),
                Side::Second => covered[1] |= self.domino(side, mv.0),
            }
            side = side.other();
        }
        let loser = 'play: {
            if side == Side::Second && !self.turn::<W, S>(&mut covered, Side::Second, rng, trace) {
                break 'play Side::Second;
            }
            // The sides take turns in one round of the loop, so that nothing in it depends on whose turn it is.
            loop {
                for side in Side::BOTH {
                    if !self.turn::<W, S>(&mut covered, side, rng, trace) {
                        break 'play side;
                    }
                }
            }
        };
        if let Some(last) = last {
            *last = State { covered: covered.map(W::widen), side: loser };
        }
        Outcome::Win(loser.other())
    }
}

impl Domineering {
    /// A random move of a playout; false if there is none.
    #[inline(always)]
    fn turn<W: Word, S: Select>(
        &self,
        covered: &mut [W; 2],
        side: Side,
        rng: &mut Rng,
        trace: &mut impl Record,
    ) -> bool {
        let open = self.open(covered, side);
        if open == W::NONE {
            return false;
        }
        let anchor = open.nth::<S>(rng.below(open.count() as usize) as u32);
        trace.push(Move(anchor), side);
        covered[side.index()] |= self.domino(side, anchor);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::bitset::tests::all_words_play_alike;
    use super::*;
    use crate::types::Rng;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_of_both_widths_play_alike(rows in 1usize..=10, columns in 1usize..=10, seed in any::<u64>()) {
            all_words_play_alike(&Domineering::new(rows, columns), seed);
        }
    }

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
    fn half_a_domino_is_no_position() {
        let game = Domineering::new(3, 3);
        assert!(game.parse_state("v.v/v.v/.hh first").is_ok());
        for (text, cells) in [("v../v../v.. first", "'v' at a3"), ("..h/..h/... first", "'h' at c2, c3")] {
            assert_eq!(
                game.parse_state(text).unwrap_err().to_string(),
                format!("no position of domineering: {cells} is half a domino")
            );
        }
    }
}
