//! What Breakthrough and Knightthrough share: men that only step forward, on 128-bit words.
//!
//! The first side starts at the bottom and steps up the board. The second side's steps are the first's turned
//! by half a turn, so one shift serves both: to the left for the first side, to the right for the second.
//! Moves are listed step by step in the order of `Men::STEPS`, those of one step by the cell they arrive at.
//!
//! Without the force to inline, searches take up to 1.32 times the instructions (bench/inlining.txt).

mod knowledge;

use std::marker::PhantomData;

use super::bitset::{self, Plain, Record, Select, Start, Word, WordGame, Words, bits};
use super::square::{self, Images, LETTERS, Square, Symmetry};
use crate::game::{Board, Ending, FastPlay, Piece, PieceKind, Present, Rules, Trace};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Error, Move, Outcome, Result, Rng, Side};

/// A step of the first side.
pub struct Step {
    pub columns: isize,
    pub rows: isize,
    /// Whether it may end on an enemy man.
    pub captures: bool,
}

/// In what the two games differ.
pub trait Men: Send + Sync + 'static {
    const INFO: PartInfo;
    /// What a man is called where he is drawn.
    const KIND: PieceKind;
    /// At most four.
    const STEPS: &'static [Step];
    /// How many columns a step can go sideways.
    const WIDTH: usize;
    /// How much less a move of the misère game promises for each reply to it. As the solver's nodes have it: with 2 it
    /// needs two thirds of those with 0 for Knightthrough, and more for Breakthrough (docs/measured/proofs.md).
    const MISERE_REPLY: i32;
}

pub const OPTIONS: &[OptionInfo] = &[
    OptionInfo::int("rows", 3, 10, "5", "rows of the board"),
    OptionInfo::int("columns", 3, 10, "5", "columns of the board"),
    OptionInfo::int(
        "ranks",
        1,
        2,
        "none",
        "ranks of men of each side, fewer than half the rows; none: 2, but 1 on three or four rows",
    )
    .or_none(),
];

const MARKS: [char; 2] = ['w', 'b'];

pub struct ForwardMen<M: Men> {
    square: Square,
    ranks: usize,
    /// How far each step goes, in bits.
    shift: [u32; 4],
    /// The row that each side wants to reach.
    goal: [u128; 2],
    /// The cells from which its men reach that row with one step.
    last_step: [u128; 2],
    images: Images,
    /// Whether a man can be without a step before he arrives: a knight on the middle file of three.
    can_be_stuck: bool,
    men: PhantomData<M>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    men: [u128; 2],
    side: Side,
}

impl<M: Men> ForwardMen<M> {
    const STEPS: u32 = M::STEPS.len() as u32;

    pub fn new(rows: usize, columns: usize, ranks: usize) -> ForwardMen<M> {
        let square = Square::new(rows, columns, M::WIDTH, LETTERS);
        let mut shift = [0; 4];
        for (shift, step) in shift.iter_mut().zip(M::STEPS) {
            *shift = (step.rows * square.stride as isize + step.columns) as u32;
        }
        let goal = [square.row(rows - 1), square.row(0)];
        let shifts = || shift.iter().take(M::STEPS.len());
        let last_step = [
            shifts().fold(0, |cells, shift| cells | goal[0] >> shift) & square.all,
            shifts().fold(0, |cells, shift| cells | goal[1] << shift) & square.all,
        ];
        let images = Images::new(&square, &square.symmetries(Symmetry::Sideways));
        let can_be_stuck = M::WIDTH > 1 && columns == 3;
        ForwardMen { square, ranks, shift, goal, last_step, images, can_be_stuck, men: PhantomData }
    }

    /// The bits on which `side` can arrive with each step.
    #[inline(always)]
    fn arrivals<W: Word>(&self, men: &[W; 2], side: Side) -> [W; 4] {
        let (own, enemy) = (men[side.index()], men[side.other().index()]);
        let all = W::narrow(self.square.all);
        let mut arrivals = [W::NONE; 4];
        for (i, step) in M::STEPS.iter().enumerate() {
            let moved = if side == Side::First { own << self.shift[i] } else { own >> self.shift[i] };
            let barred = if step.captures { own } else { own | enemy };
            arrivals[i] = moved & all & !barred;
        }
        arrivals
    }

    /// The bit that a step of `side` to `to` comes from.
    #[inline(always)]
    fn origin(&self, side: Side, step: usize, to: u32) -> u32 {
        if side == Side::First { to - self.shift[step] } else { to + self.shift[step] }
    }

    /// Moves are numbered by cell, side and step, which is one number for each pair (from, to).
    #[inline(always)]
    fn pack(&self, side: Side, step: usize, from: u32) -> Move {
        let cell = self.square.cell(from) as u32;
        Move((cell * 2 + side as u32) * Self::STEPS + step as u32)
    }

    /// Side, step, and the bits (from, to).
    #[inline(always)]
    fn unpack(&self, mv: Move) -> (Side, usize, u32, u32) {
        let step = (mv.0 % Self::STEPS) as usize;
        let side = Side::BOTH[(mv.0 / Self::STEPS % 2) as usize];
        let from = self.square.bit((mv.0 / Self::STEPS / 2) as usize);
        let shift = self.shift[step];
        (side, step, from, if side == Side::First { from + shift } else { from.wrapping_sub(shift) })
    }

    /// One of the arrivals, all equally likely: step and bit. There must be one.
    #[inline(always)]
    fn draw<W: Word, S: Select>(&self, arrivals: &[W; 4], rng: &mut Rng) -> (usize, u32) {
        // The numbers of arrivals with this step and those before it. Chance decides the step, so it is found by
        // adding up comparisons: a branch would be guessed wrong every other time.
        let mut until = [0; 4];
        let mut sum = 0;
        for step in 0..M::STEPS.len() {
            sum += arrivals[step].count();
            until[step] = sum;
        }
        let k = rng.below(sum as usize) as u32;
        let (mut step, mut before) = (0, 0);
        for &until in &until[..M::STEPS.len() - 1] {
            step += usize::from(k >= until);
            before = if k >= until { until } else { before };
        }
        (step, arrivals[step].nth::<S>(k - before))
    }

    #[inline(always)]
    fn step<W: Word>(&self, men: &mut [W; 2], side: Side, from: u32, to: u32) {
        men[side.index()] ^= W::bit(from) | W::bit(to);
        men[side.other().index()] &= !W::bit(to);
    }

    /// Whether the move that `side` has just made won the game: he crossed, or took the last man.
    #[inline(always)]
    fn has_won<W: Word>(&self, men: &[W; 2], side: Side) -> bool {
        men[side.index()] & W::narrow(self.goal[side.index()]) != W::NONE
            || men[side.other().index()] == W::NONE
    }

    #[inline(always)]
    fn is_stuck(&self, men: &[u128; 2], side: Side) -> bool {
        self.can_be_stuck && self.arrivals(men, side) == [0; 4]
    }
}

impl<M: Men> Rules for ForwardMen<M> {
    const INFO: PartInfo = M::INFO;

    type State = State;

    fn from_options(options: &Options) -> Result<ForwardMen<M>> {
        let (rows, columns) = (options.size("rows"), options.size("columns"));
        let most = if rows < 5 { 1 } else { 2 };
        let ranks = options.int_or_none("ranks").map_or(most, |ranks| ranks as usize);
        if ranks > most {
            return Err(Error::new(format!(
                "{}: ranks={ranks} is not allowed on {rows} rows: 1, or none",
                M::INFO.name
            )));
        }
        Ok(ForwardMen::new(rows, columns, ranks))
    }

    fn initial_state(&self, _rng: &mut Rng) -> State {
        let mut men = [0; 2];
        for rank in 0..self.ranks {
            men[0] |= self.square.row(rank);
            men[1] |= self.square.row(self.square.rows - 1 - rank);
        }
        State { men, side: Side::First }
    }

    #[inline]
    fn side_to_move(&self, state: &State) -> Side {
        state.side
    }

    fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
        if self.has_won(&state.men, state.side.other()) {
            return;
        }
        let arrivals = self.arrivals(&state.men, state.side);
        for (step, &arrivals) in arrivals.iter().enumerate().take(M::STEPS.len()) {
            let from = |to| self.origin(state.side, step, to);
            moves.extend(bits(arrivals).map(|to| self.pack(state.side, step, from(to))));
        }
    }

    fn is_legal(&self, state: &State, mv: Move) -> bool {
        let (side, step, from, to) = self.unpack(mv);
        (mv.0 as usize) < self.slots()
            && side == state.side
            && !self.has_won(&state.men, side.other())
            && state.men[side.index()] >> from & 1 == 1
            && to < 128
            && self.arrivals(&state.men, side)[step] >> to & 1 == 1
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        let (side, _, from, to) = self.unpack(mv);
        self.step(&mut state.men, side, from, to);
        state.side = side.other();
    }

    #[inline]
    fn outcome(&self, state: &State) -> Option<Outcome> {
        let winner = state.side.other();
        let over = self.has_won(&state.men, winner) || self.is_stuck(&state.men, state.side);
        over.then_some(Outcome::Win(winner))
    }

    fn key(&self, state: &State) -> u64 {
        square::key(&state.men, state.side)
    }

    /// Every move brings a man at least one row on.
    fn longest(&self) -> Option<u64> {
        Some((self.square.cells() * (self.square.rows - 1)) as u64)
    }

    fn slots(&self) -> usize {
        self.square.cells() * 2 * M::STEPS.len()
    }
}

impl<M: Men> Present for ForwardMen<M> {
    const SIDES: [&'static str; 2] = ["White", "Black"];
    const ENDINGS: &'static [Ending] = &[
        Ending::of_mover("crossing", "reached the last row", "reaching the last row"),
        Ending::of_mover("capture_all", "took every piece", "taking every piece"),
        Ending::NO_MOVES,
    ];

    fn end_kind(&self, state: &State) -> &'static str {
        let winner = state.side.other().index();
        if state.men[winner] & self.goal[winner] != 0 {
            "crossing"
        } else if state.men[state.side.index()] == 0 {
            "capture_all"
        } else if self.is_stuck(&state.men, state.side) {
            "no_moves"
        } else {
            ""
        }
    }

    fn winning_cells(&self, state: &State) -> Vec<usize> {
        let winner = state.side.other().index();
        self.square.cells_of(state.men[winner] & self.goal[winner])
    }

    fn move_name(&self, state: &State, mv: Move) -> String {
        let (side, _, _, to) = self.unpack(mv);
        let sign = if state.men[side.other().index()] >> to & 1 == 1 { 'x' } else { '-' };
        let cells = self.move_cells(state, mv);
        format!("{}{sign}{}", self.square.cell_name(cells[0]), self.square.cell_name(cells[1]))
    }

    fn state_text(&self, state: &State) -> String {
        self.square.text(&state.men, MARKS, state.side)
    }

    fn parse_state(&self, text: &str) -> Result<State> {
        let (men, side) = self.square.parse(M::INFO.name, MARKS, text)?;
        let refuse = |why: String| Err(Error::new(format!("no position of {}: {why}", M::INFO.name)));
        for owner in Side::BOTH {
            let (count, most) = (men[owner.index()].count_ones() as usize, self.ranks * self.square.columns);
            if count > most {
                return refuse(format!("{owner} has {count} men, but starts with {most}"));
            }
            let crossed = men[owner.index()] & self.goal[owner.index()];
            if crossed.count_ones() > 1 {
                return refuse(format!("{owner} has crossed twice, at {}", self.square.names(crossed)));
            }
            if self.has_won(&men, owner) && owner == side {
                return refuse(format!("{owner} has won, so {} is to move", owner.other()));
            }
        }
        Ok(State { men, side })
    }

    fn diagram(&self, state: &State) -> String {
        self.square.diagram(&state.men, MARKS)
    }

    fn board(&self) -> Board {
        self.square.chequered_board()
    }

    fn pieces(&self, state: &State) -> Vec<Piece> {
        self.square.pieces(&state.men, [M::KIND, M::KIND])
    }

    fn move_cells(&self, _state: &State, mv: Move) -> Vec<usize> {
        let (_, _, from, to) = self.unpack(mv);
        vec![self.square.cell(from), self.square.cell(to)]
    }

    /// From and to; nothing for a step off the board.
    fn slot_cells(&self, _: &State, slot: usize) -> Vec<usize> {
        let (_, _, from, to) = self.unpack(Move(slot as u32));
        let on_board = to < 128 && self.square.all >> to & 1 == 1;
        if on_board { vec![self.square.cell(from), self.square.cell(to)] } else { Vec::new() }
    }
}

impl<M: Men> FastPlay for ForwardMen<M> {
    #[inline]
    fn count_moves(&self, state: &State) -> usize {
        if self.has_won(&state.men, state.side.other()) {
            return 0;
        }
        self.arrivals(&state.men, state.side).iter().map(|arrivals| arrivals.count_ones() as usize).sum()
    }

    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        let (step, to) = self.draw::<u128, Plain>(&self.arrivals(&state.men, state.side), rng);
        self.pack(state.side, step, self.origin(state.side, step, to))
    }

    fn uniform_playout(&self, state: &mut State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        if let Some(outcome) = self.outcome(state) {
            return outcome;
        }
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
        if first.is_none()
            && let Some(outcome) = self.outcome(state)
        {
            return outcome;
        }
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

impl<M: Men> WordGame for ForwardMen<M> {
    #[inline(always)]
    fn words(&self) -> Words {
        self.square.words
    }

    /// The game must not be over.
    #[inline(always)]
    fn playout<W: Word, S: Select>(
        &self,
        (state, first): Start<Self>,
        last: Option<&mut State>,
        rng: &mut Rng,
        trace: &mut impl Record,
    ) -> Outcome {
        let mut men = state.men.map(W::narrow);
        let mut side = state.side;
        let winner = 'play: {
            if let Some(mv) = first {
                let (_, _, from, to) = self.unpack(mv);
                trace.push(mv, side);
                self.step(&mut men, side, from, to);
                if self.has_won(&men, side) {
                    break 'play side;
                }
                side = side.other();
            }
            if side == Side::Second
                && let Some(winner) = self.turn::<W, S>(&mut men, Side::Second, rng, trace)
            {
                break 'play winner;
            }
            // The sides take turns in one round of the loop, so that nothing in it depends on whose turn it is.
            loop {
                for side in Side::BOTH {
                    if let Some(winner) = self.turn::<W, S>(&mut men, side, rng, trace) {
                        break 'play winner;
                    }
                }
            }
        };
        if let Some(last) = last {
            *last = State { men: men.map(W::widen), side: winner.other() };
        }
        Outcome::Win(winner)
    }
}

impl<M: Men> ForwardMen<M> {
    /// A random move of a playout. The winner, if the game is over then, or before.
    #[inline(always)]
    fn turn<W: Word, S: Select>(
        &self,
        men: &mut [W; 2],
        side: Side,
        rng: &mut Rng,
        trace: &mut impl Record,
    ) -> Option<Side> {
        let arrivals = self.arrivals(men, side);
        if self.can_be_stuck && arrivals == [W::NONE; 4] {
            return Some(side.other());
        }
        let (step, to) = self.draw::<W, S>(&arrivals, rng);
        let from = self.origin(side, step, to);
        trace.push(self.pack(side, step, from), side);
        self.step(men, side, from, to);
        self.has_won(men, side).then_some(side)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bitset::tests::all_words_play_alike;
    use super::super::breakthrough::Breakthrough;
    use super::super::knightthrough::Knightthrough;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_of_both_widths_play_alike(rows in 3usize..=10, columns in 3usize..=10, seed in any::<u64>()) {
            let ranks = if rows < 5 { 1 } else { 2 };
            all_words_play_alike(&Breakthrough::new(rows, columns, ranks), seed);
            all_words_play_alike(&Knightthrough::new(rows, columns, ranks), seed);
        }
    }
}
