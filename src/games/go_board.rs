//! What NoGo and AtariGo share: stones on the crossings of a Go board, and which groups have one liberty left.
//!
//! Neither game goes on after a capture, so stones only ever come and a position needs no list of groups: it
//! is enough to know the stones whose group is *in atari* (has exactly one liberty). From them the legal
//! points of the whole board follow in a few operations on words, and a new stone changes the status only of
//! the groups it touches.
//!
//! Without the force to inline, searches take up to 1.21 times the instructions (bench/inlining.txt).

use std::marker::PhantomData;

use super::bitset::{self, Plain, Record, Select, Start, Word, WordGame, Words, bits};
use super::square::{self, GO_LETTERS, Images, Square, Symmetry};
use crate::game::{Board, Ending, Exact, FastPlay, Offers, Piece, PieceKind, Present, Rules, Shape, Trace};
use crate::spec::{OptionInfo, Options, PartInfo, Strong};
use crate::types::{Error, Move, Outcome, Result, Rng, Side};

/// In what the two games differ.
pub trait Capture: Send + Sync + 'static {
    const INFO: PartInfo;
    /// A capture wins, or is illegal. Where it wins, the options say what suicide does and how the game begins.
    const WINS: bool;
}

pub const ROWS: OptionInfo = OptionInfo::int("rows", 2, 10, "5", "rows of the board");
pub const COLUMNS: OptionInfo =
    OptionInfo::int("columns", 2, 10, "5", "columns of the board, lettered without i");

const MARKS: [char; 2] = ['b', 'w'];

/// Stones, what follows from them, and the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Captured stones stay: the game is over.
    stones: [u128; 2],
    /// Stones of groups with one liberty; none after a capture.
    atari: [u128; 2],
    /// The legal points of the side to move; none: the game is over.
    open: u128,
    side: Side,
    /// The last stone left its own group without liberty and took nothing: the side to move has won.
    suicide: bool,
}

/// What one side has on the board.
#[derive(Clone, Copy)]
struct Colour<W> {
    stones: W,
    atari: W,
}

impl State {
    #[inline(always)]
    fn colour<W: Word>(&self, side: Side) -> Colour<W> {
        let i = side.index();
        Colour { stones: W::narrow(self.stones[i]), atari: W::narrow(self.atari[i]) }
    }

    #[inline(always)]
    fn set_colour<W: Word>(&mut self, side: Side, colour: Colour<W>) {
        self.stones[side.index()] = colour.stones.widen();
        self.atari[side.index()] = colour.atari.widen();
    }
}

pub struct GoBoard<C: Capture> {
    square: Square,
    /// The points next to each bit.
    near: [u128; 128],
    images: Images,
    symmetries: Vec<Vec<usize>>,
    /// Suicide is legal and loses.
    suicide_loses: bool,
    /// The stones that a game begins with.
    start: [u128; 2],
    capture: PhantomData<C>,
}

impl<C: Capture> GoBoard<C> {
    pub fn new(rows: usize, columns: usize) -> GoBoard<C> {
        let square = Square::new(rows, columns, 1, GO_LETTERS);
        let symmetries = square.symmetries(Symmetry::All);
        let images = Images::new(&square, &symmetries);
        let mut game = GoBoard {
            square,
            near: [0; 128],
            images,
            symmetries,
            suicide_loses: false,
            start: [0; 2],
            capture: PhantomData,
        };
        for bit in bits(game.square.all) {
            game.near[bit as usize] = game.next_to(1 << bit);
        }
        game
    }

    /// The same with stones of each side crosswise on four points around the middle.
    fn cross_cut(mut self) -> Result<GoBoard<C>> {
        let Square { rows, columns, .. } = self.square;
        let (row, column) = (rows / 2 - 1, columns / 2 - 1);
        let point = |up: usize, right: usize| 1 << self.square.bit((row + up) * columns + column + right);
        self.start = [point(0, 0) | point(1, 1), point(0, 1) | point(1, 0)];
        if self.survey(&self.start).0 != [0; 2] {
            return Err(Error::new(format!(
                "start=cross_cut leaves stones without liberty on {rows}x{columns}: it needs at least 4 rows or 4 columns"
            )));
        }
        // Only what leaves the first position as it is takes games into games.
        let turned = |stones: u128, symmetry: &[usize]| {
            let cells = self.square.cells_of(stones).into_iter();
            cells.map(|cell| 1 << self.square.bit(symmetry[cell])).fold(0, |all, bit: u128| all | bit)
        };
        let start = self.start;
        let keeps = |symmetry: &Vec<usize>| start.iter().all(|&stones| turned(stones, symmetry) == stones);
        let symmetries: Vec<Vec<usize>> = self.symmetries.iter().filter(|s| keeps(s)).cloned().collect();
        self.images = Images::new(&self.square, &symmetries);
        self.symmetries = symmetries;
        Ok(self)
    }

    /// The bits next to these points, off the board too.
    #[inline(always)]
    fn around<W: Word>(&self, points: W) -> W {
        let stride = self.square.stride;
        points << 1 | points >> 1 | points << stride | points >> stride
    }

    /// The points next to these.
    #[inline(always)]
    fn next_to<W: Word>(&self, points: W) -> W {
        self.around(points) & W::narrow(self.square.all)
    }

    #[inline(always)]
    fn near<W: Word>(&self, bit: u32) -> W {
        W::narrow(self.near[(bit & 127) as usize])
    }

    #[inline(always)]
    fn empty<W: Word>(&self, one: W, other: W) -> W {
        W::narrow(self.square.all) & !(one | other)
    }

    /// The points next to at least two of these.
    #[inline(always)]
    fn next_to_two<W: Word>(&self, points: W) -> W {
        let stride = self.square.stride;
        let (left, right, down, up) = (points << 1, points >> 1, points << stride, points >> stride);
        left & right | down & up | (left | right) & (down | up)
    }

    /// The group that `group`, joined stones, is part of among the stones of its colour, and its liberties. With
    /// `two`, stops when it has found two liberties: the group may then be incomplete.
    ///
    /// It grows by `steps` at a time: a wrong guess of the processor whether it grows on costs more than a step.
    #[inline(always)]
    fn group<W: Word>(&self, mut group: W, stones: W, empty: W, two: bool, steps: u32) -> (W, W) {
        loop {
            for _ in 0..steps {
                group |= self.around(group) & stones;
            }
            let near = self.around(group);
            let liberties = near & empty;
            if near & stones & !group == W::NONE || two && liberties.is_many() {
                return (group, liberties);
            }
        }
    }

    /// The legal points, found for the whole board at once. A stone has a liberty if it is next to an empty
    /// point, or to an own group that keeps another one.
    #[inline(always)]
    fn open<W: Word, const LOSES: bool>(&self, own: &Colour<W>, enemy: &Colour<W>) -> W {
        let empty = self.empty(own.stones, enemy.stones);
        if LOSES {
            return empty;
        }
        let breathing = empty & self.next_to(empty | own.stones & !own.atari);
        // The only empty point next to a group in atari is its last liberty.
        let capturing = empty & self.next_to(enemy.atari);
        if C::WINS { breathing | capturing } else { breathing & !capturing }
    }

    /// The legal points of the side to move, unless something has been captured.
    fn find_open(&self, state: &State) -> u128 {
        let (own, enemy) = (state.colour(state.side), state.colour(state.side.other()));
        if self.suicide_loses {
            self.open::<u128, true>(&own, &enemy)
        } else {
            self.open::<_, false>(&own, &enemy)
        }
    }

    /// Whether an own stone on a legal point takes nothing and has no liberty.
    #[inline(always)]
    fn is_suicide<W: Word>(&self, own: &Colour<W>, enemy: &Colour<W>, bit: u32) -> bool {
        let breath = self.empty(own.stones, enemy.stones) | own.stones & !own.atari;
        self.near::<W>(bit) & (breath | enemy.atari) == W::NONE
    }

    /// Puts an own stone on a legal point: the points that are legal for the enemy then, and whether it was suicide.
    #[inline(always)]
    fn put<W: Word, const LOSES: bool>(
        &self,
        own: &mut Colour<W>,
        enemy: &mut Colour<W>,
        bit: u32,
    ) -> (W, bool) {
        if LOSES && self.is_suicide(own, enemy, bit) {
            own.stones |= W::bit(bit);
            (own.atari, enemy.atari) = (W::NONE, W::NONE);
            return (W::NONE, true);
        }
        let near = self.near::<W>(bit);
        if C::WINS && near & enemy.atari != W::NONE {
            own.stones |= W::bit(bit);
            (own.atari, enemy.atari) = (W::NONE, W::NONE);
            return (W::NONE, false);
        }
        self.place(own, enemy, bit, near);
        (self.open::<W, LOSES>(enemy, own), false)
    }

    /// Puts an own stone which captures nothing and has a liberty.
    #[inline(always)]
    fn place<W: Word>(&self, own: &mut Colour<W>, enemy: &mut Colour<W>, bit: u32, near: W) {
        own.stones |= W::bit(bit);
        let empty = self.empty(own.stones, enemy.stones);

        // Only a group in atari that the stone joins has a status to lose: then the whole group is needed.
        let rescues = near & own.atari != W::NONE;
        let joined = W::bit(bit) | near & own.stones;
        let (group, liberties) = self.group(joined, own.stones, empty, !rescues, 1);
        own.atari = if liberties.is_many() { own.atari & !group } else { own.atari | group };

        // The group of a stone with two liberties of its own is out of danger without a look at the rest of it.
        let mut touched = near & enemy.stones & !self.next_to_two(empty);
        while touched != W::NONE {
            let seed = W::bit(touched.lowest());
            let (group, liberties) = self.group(seed, enemy.stones, empty, true, 2);
            enemy.atari |= if liberties.is_many() { W::NONE } else { group };
            touched &= !group;
        }
    }

    /// The stones of each side without and with one liberty, group by group.
    fn survey(&self, stones: &[u128; 2]) -> ([u128; 2], [u128; 2]) {
        let (mut dead, mut atari) = ([0; 2], [0; 2]);
        let empty = self.empty(stones[0], stones[1]);
        for owner in 0..2 {
            let mut left = stones[owner];
            while left != 0 {
                let seed = left & left.wrapping_neg();
                let (group, liberties) = self.group(seed, stones[owner], empty, false, 1);
                match liberties.count_ones() {
                    0 => dead[owner] |= group,
                    1 => atari[owner] |= group,
                    _ => {}
                }
                left &= !group;
            }
        }
        (dead, atari)
    }

    /// The stones that the last move captured, or by suicide lost.
    fn captured(&self, state: &State) -> u128 {
        let whose = if state.suicide { state.side.other() } else { state.side };
        if C::WINS && state.open == 0 { self.survey(&state.stones).0[whose.index()] } else { 0 }
    }

    /// One of the legal points, all equally likely.
    #[inline(always)]
    fn draw<W: Word, S: Select>(open: W, rng: &mut Rng) -> u32 {
        open.nth::<S>(rng.below(open.count() as usize) as u32)
    }

    #[inline(always)]
    fn at(&self, bit: u32) -> Move {
        Move(self.square.cell(bit) as u32)
    }
}

impl<C: Capture> Rules for GoBoard<C> {
    const INFO: PartInfo = C::INFO;

    type State = State;

    fn from_options(options: &Options) -> Result<GoBoard<C>> {
        let mut game = GoBoard::new(options.size("rows"), options.size("columns"));
        if !C::WINS {
            return Ok(game);
        }
        game.suicide_loses = options.choice("suicide") == "loses";
        if options.choice("start") == "cross_cut" { game.cross_cut() } else { Ok(game) }
    }

    fn initial_state(&self, _rng: &mut Rng) -> State {
        let (_, atari) = self.survey(&self.start);
        let mut state = State { stones: self.start, atari, open: 0, side: Side::First, suicide: false };
        state.open = self.find_open(&state);
        state
    }

    #[inline]
    fn side_to_move(&self, state: &State) -> Side {
        state.side
    }

    /// In the order of the cells.
    fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
        moves.extend(bits(state.open).map(|bit| self.at(bit)));
    }

    fn is_legal(&self, state: &State, mv: Move) -> bool {
        let cell = mv.0 as usize;
        cell < self.square.cells() && state.open >> self.square.bit(cell) & 1 == 1
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        let (side, other) = (state.side, state.side.other());
        let (mut own, mut enemy) = (state.colour::<u128>(side), state.colour(other));
        let bit = self.square.bit(mv.0 as usize);
        let (open, suicide) = if self.suicide_loses {
            self.put::<u128, true>(&mut own, &mut enemy, bit)
        } else {
            self.put::<u128, false>(&mut own, &mut enemy, bit)
        };
        (state.open, state.suicide) = (open, suicide);
        state.set_colour(side, own);
        state.set_colour(other, enemy);
        state.side = other;
    }

    /// Without a legal point the side to move has lost, and after a capture it has none; after suicide it has won.
    #[inline]
    fn outcome(&self, state: &State) -> Option<Outcome> {
        (state.open == 0).then(|| Outcome::Win(if state.suicide { state.side } else { state.side.other() }))
    }

    fn key(&self, state: &State) -> u64 {
        square::key(&state.stones, state.side)
    }

    /// Stones stay: the first capture ends the game.
    fn longest(&self) -> Option<u64> {
        Some(self.square.cells() as u64)
    }

    fn slots(&self) -> usize {
        self.square.cells()
    }
}

impl<C: Capture> Present for GoBoard<C> {
    const SIDES: [&'static str; 2] = ["Black", "White"];
    const ENDINGS: &'static [Ending] = &[
        Ending::of_mover("capture", "captured first", "capturing first"),
        Ending::of_mover("suicide", "played suicide", "playing suicide"),
        Ending::NO_MOVES,
    ];

    fn end_kind(&self, state: &State) -> &'static str {
        match (state.open, self.captured(state)) {
            _ if state.suicide => "suicide",
            (0, 0) => "no_moves",
            (0, _) => "capture",
            _ => "",
        }
    }

    /// The captured stones, or those lost by suicide.
    fn winning_cells(&self, state: &State) -> Vec<usize> {
        self.square.cells_of(self.captured(state))
    }

    fn move_name(&self, _state: &State, mv: Move) -> String {
        self.square.cell_name(mv.0 as usize)
    }

    fn state_text(&self, state: &State) -> String {
        self.square.text(&state.stones, MARKS, state.side)
    }

    /// Any number of stones of either colour, so that positions can be set up.
    fn parse_state(&self, text: &str) -> Result<State> {
        let (stones, side) = self.square.parse(C::INFO.name, MARKS, text)?;
        let (dead, atari) = self.survey(&stones);
        if C::WINS && dead[side.index()] != 0 {
            return Ok(State { stones, atari: [0; 2], open: 0, side, suicide: false });
        }
        if self.suicide_loses && dead[side.other().index()] != 0 {
            return Ok(State { stones, atari: [0; 2], open: 0, side, suicide: true });
        }
        if dead != [0; 2] {
            return Err(Error::new(format!(
                "no position of {}: no liberty for {}",
                C::INFO.name,
                self.square.names(dead[0] | dead[1])
            )));
        }
        let mut state = State { stones, atari, open: 0, side, suicide: false };
        state.open = self.find_open(&state);
        Ok(state)
    }

    fn diagram(&self, state: &State) -> String {
        self.square.diagram(&state.stones, MARKS)
    }

    fn board(&self) -> Board {
        self.square.board(Shape::Point)
    }

    fn pieces(&self, state: &State) -> Vec<Piece> {
        self.square.pieces(&state.stones, [PieceKind::Stone, PieceKind::Stone])
    }

    fn move_cells(&self, _state: &State, mv: Move) -> Vec<usize> {
        vec![mv.0 as usize]
    }

    fn slot_cells(&self, _: &State, slot: usize) -> Vec<usize> {
        vec![slot]
    }
}

impl<C: Capture> FastPlay for GoBoard<C> {
    #[inline]
    fn count_moves(&self, state: &State) -> usize {
        state.open.count_ones() as usize
    }

    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        self.at(Self::draw::<u128, Plain>(state.open, rng))
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

impl<C: Capture> Exact for GoBoard<C> {
    fn symmetries(&self) -> Vec<Vec<usize>> {
        self.symmetries.clone()
    }

    #[inline]
    fn class_key(&self, state: &State) -> u64 {
        self.images.least_key(&state.stones, state.side)
    }

    /// Who can take wins; who cannot, and must rescue in two places at once, loses, whether or not suicide is legal.
    #[inline]
    fn settled(&self, state: &State, misere: bool) -> Option<Outcome> {
        if !C::WINS || misere {
            return None;
        }
        let (side, other) = (state.side, state.side.other());
        if state.atari[other.index()] != 0 {
            return Some(Outcome::Win(side));
        }
        // An empty point next to a group in atari is its last liberty.
        let empty = self.empty(state.stones[0], state.stones[1]);
        let last = self.next_to(state.atari[side.index()]) & empty;
        last.is_many().then_some(Outcome::Win(other))
    }

    /// Where a capture wins: many own liberties, fewer of the enemy's, a threat, and a point that has neighbours.
    /// Otherwise few replies.
    #[inline]
    fn promise(&self, state: &State, mv: Move, next: &State, misere: bool) -> i32 {
        if !C::WINS {
            return -(self.count_moves(next) as i32);
        }
        let (side, other) = (state.side.index(), state.side.other().index());
        let empty = self.empty(next.stones[0], next.stones[1]);
        let liberties = |side: usize| (self.next_to(next.stones[side]) & empty).count_ones() as i32;
        let threat = i32::from(next.atari[other] != 0);
        let near = self.near::<u128>(self.square.bit(mv.0 as usize)).count_ones() as i32;
        let promise = liberties(side) - 2 * liberties(other) + 3 * threat + near;
        if misere { -promise } else { promise }
    }
}

impl<C: Capture> Offers for GoBoard<C> {
    const STRONG: &'static [Strong] = super::GRAVE;
}

impl<C: Capture> WordGame for GoBoard<C> {
    #[inline(always)]
    fn words(&self) -> Words {
        self.square.words
    }

    #[inline(always)]
    fn playout<W: Word, S: Select>(
        &self,
        start: Start<Self>,
        last: Option<&mut State>,
        rng: &mut Rng,
        trace: &mut impl Record,
    ) -> Outcome {
        if self.suicide_loses {
            self.play_out::<W, S, true>(start, last, rng, trace)
        } else {
            self.play_out::<W, S, false>(start, last, rng, trace)
        }
    }
}

impl<C: Capture> GoBoard<C> {
    #[inline(always)]
    fn play_out<W: Word, S: Select, const LOSES: bool>(
        &self,
        (state, first): Start<Self>,
        last: Option<&mut State>,
        rng: &mut Rng,
        trace: &mut impl Record,
    ) -> Outcome {
        let mut side = state.side;
        let mut suicide = state.suicide;
        let (mut own, mut enemy) = (state.colour::<W>(side), state.colour::<W>(side.other()));
        let mut open = W::narrow(state.open);
        if let Some(mv) = first {
            trace.push(mv, side);
            (open, suicide) = self.put::<W, LOSES>(&mut own, &mut enemy, self.square.bit(mv.0 as usize));
            std::mem::swap(&mut own, &mut enemy);
            side = side.other();
        }
        while open != W::NONE {
            let bit = Self::draw::<W, S>(open, rng);
            trace.push(self.at(bit), side);
            (open, suicide) = self.put::<W, LOSES>(&mut own, &mut enemy, bit);
            std::mem::swap(&mut own, &mut enemy);
            side = side.other();
        }
        if let Some(last) = last {
            last.set_colour(side, own);
            last.set_colour(side.other(), enemy);
            (last.open, last.side, last.suicide) = (0, side, suicide);
        }
        Outcome::Win(if LOSES && suicide { side } else { side.other() })
    }
}

#[cfg(test)]
pub mod tests {
    use super::super::bitset::tests::all_words_play_alike;
    use super::*;
    use crate::types::Rng;
    use proptest::prelude::*;

    /// The liberties of the group at a point, counted cell by cell on lists.
    fn liberties(colours: &[Option<Side>], rows: usize, columns: usize, start: usize) -> usize {
        let mut seen = vec![false; rows * columns];
        let mut open = vec![start];
        let mut liberties = 0;
        seen[start] = true;
        while let Some(cell) = open.pop() {
            let (row, column) = (cell / columns, cell % columns);
            let mut near = Vec::new();
            if row > 0 {
                near.push(cell - columns);
            }
            if row + 1 < rows {
                near.push(cell + columns);
            }
            if column > 0 {
                near.push(cell - 1);
            }
            if column + 1 < columns {
                near.push(cell + 1);
            }
            for other in near {
                if !seen[other] && colours[other].is_none() {
                    seen[other] = true;
                    liberties += 1;
                } else if !seen[other] && colours[other] == colours[start] {
                    seen[other] = true;
                    open.push(other);
                }
            }
        }
        liberties
    }

    /// What a stone at `cell` does by a count of liberties.
    #[derive(Clone, Copy, PartialEq)]
    struct Judged {
        takes: bool,
        is_suicide: bool,
        is_legal: bool,
    }

    fn judge<C: Capture>(game: &GoBoard<C>, state: &State, cell: usize) -> Judged {
        let (rows, columns) = (game.square.rows, game.square.columns);
        let mut colours = vec![None; rows * columns];
        for piece in game.pieces(state) {
            colours[piece.cells[0]] = piece.side;
        }
        if colours[cell].is_some() {
            return Judged { takes: false, is_suicide: false, is_legal: false };
        }
        colours[cell] = Some(state.side);
        let enemy = Some(state.side.other());
        let takes = (0..colours.len())
            .any(|other| colours[other] == enemy && liberties(&colours, rows, columns, other) == 0);
        let breathes = liberties(&colours, rows, columns, cell) > 0;
        let is_legal = if C::WINS { takes || breathes || game.suicide_loses } else { !takes && breathes };
        Judged { takes, is_suicide: !takes && !breathes, is_legal }
    }

    /// Random games in which every point of every position is judged by counting liberties.
    pub fn agrees_with_counting<C: Capture>(game: &GoBoard<C>, seed: u64) {
        let (rows, columns) = (game.square.rows, game.square.columns);
        let mut rng = Rng::new(seed);
        let mut state = game.initial_state(&mut rng);
        loop {
            let judged: Vec<Judged> = (0..rows * columns).map(|cell| judge(game, &state, cell)).collect();
            for (cell, judged) in judged.iter().enumerate() {
                let place = game.square.cell_name(cell);
                assert_eq!(
                    game.is_legal(&state, Move(cell as u32)),
                    judged.is_legal,
                    "{place} in\n{}",
                    game.diagram(&state)
                );
            }
            if state.open == 0 {
                assert_eq!(game.end_kind(&state), "no_moves");
                return;
            }
            let mv = game.random_move(&state, &mut rng);
            game.play(&mut state, mv);
            assert_eq!(game.parse_state(&game.state_text(&state)).unwrap(), state);
            let Judged { takes, is_suicide, .. } = judged[mv.0 as usize];
            if takes || is_suicide {
                let winner = if takes { state.side.other() } else { state.side };
                let kind = if takes { "capture" } else { "suicide" };
                assert_eq!((game.end_kind(&state), game.outcome(&state)), (kind, Some(Outcome::Win(winner))));
                return;
            }
        }
    }

    struct Any;

    impl Capture for Any {
        const INFO: PartInfo = PartInfo { name: "any", options: &[], positional: None, doc: "" };
        const WINS: bool = true;
    }

    proptest! {
        #[test]
        fn words_of_both_widths_play_alike(rows in 2usize..=10, columns in 2usize..=10, seed in any::<u64>()) {
            all_words_play_alike(&GoBoard::<Any>::new(rows, columns), seed);
            all_words_play_alike(&GoBoard { suicide_loses: true, ..GoBoard::<Any>::new(rows, columns) }, seed);
            all_words_play_alike(&GoBoard::<super::super::nogo::Forbidden>::new(rows, columns), seed);
        }

        #[test]
        fn the_survey_counts_liberties(rows in 2usize..=10, columns in 2usize..=10, seed in any::<u64>()) {
            let game = GoBoard::<Any>::new(rows, columns);
            let mut rng = Rng::new(seed);
            let mut stones = [0; 2];
            for cell in 0..rows * columns {
                match rng.below(3) {
                    2 => {}
                    owner => stones[owner] |= 1 << game.square.bit(cell),
                }
            }
            let state = State { stones, atari: [0; 2], open: 0, side: Side::First, suicide: false };
            let mut colours = vec![None; rows * columns];
            for piece in game.pieces(&state) {
                colours[piece.cells[0]] = piece.side;
            }
            let (dead, atari) = game.survey(&stones);
            for cell in 0..colours.len() {
                let Some(side) = colours[cell] else { continue };
                let bit = game.square.bit(cell);
                let found = (dead[side.index()] >> bit & 1 == 1, atari[side.index()] >> bit & 1 == 1);
                let count = liberties(&colours, rows, columns, cell);
                prop_assert_eq!(found, (count == 0, count == 1));
            }
        }
    }
}
