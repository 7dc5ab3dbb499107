//! Every game keeps the laws, and a game that breaks one is told which.

use super::*;
use crate::game::{Board, Ending, Exact, FastPlay, Offers, Piece, PieceKind, Present, Rules, Variant};
use crate::games::tic_tac_toe::{State, TicTacToe};
use crate::games::{MISERE, Visitor, infos, with_game};
use crate::spec::{Family, Options, PartInfo};
use crate::types::{Outcome, Side};

struct Check(u64);

impl Visitor for Check {
    type Out = Result<()>;

    fn visit<G: Game>(self, variant: Variant<G>) -> Result<()> {
        check(&variant.game, self.0, 1)
    }
}

fn check_spec(text: &str, games: u64) {
    let spec = crate::catalogue::read(Family::Game, text).unwrap();
    if let Err(e) = with_game(&spec, Check(games)).unwrap() {
        panic!("{text}: {e}");
    }
}

#[test]
fn every_game_conforms() {
    for info in infos().iter().filter(|info| info.name != MISERE.name) {
        check_spec(info.name, 10);
    }
}

#[test]
fn every_size_conforms() {
    for name in ["breakthrough", "knightthrough"] {
        for (rows, columns, ranks) in
            [(3, 3, 1), (4, 3, 1), (5, 3, 2), (5, 5, 1), (8, 8, 2), (10, 10, 2), (3, 10, 1), (10, 3, 2)]
        {
            check_spec(&format!("{name}(rows={rows}, columns={columns}, ranks={ranks})"), 3);
        }
    }
    for (name, sizes) in [
        ("domineering", [(1, 1), (1, 2), (1, 10), (10, 1), (3, 4), (10, 10)]),
        ("nogo", [(2, 2), (2, 3), (3, 3), (2, 10), (10, 2), (10, 10)]),
        ("atari_go", [(2, 2), (2, 3), (3, 3), (2, 10), (10, 2), (10, 10)]),
    ] {
        for (rows, columns) in sizes {
            check_spec(&format!("{name}(rows={rows}, columns={columns})"), 3);
        }
    }
    // The first two games look at what is fast from the empty board and from the first stone.
    for (size, games) in [(2, 14), (3, 14), (4, 7), (5, 2), (8, 2)] {
        check_spec(&format!("havannah(size={size}, swap=true)"), games);
    }
    for (rows, columns) in [(2, 2), (3, 3), (4, 4), (5, 5), (4, 7), (10, 10)] {
        check_spec(&format!("atari_go(rows={rows}, columns={columns}, suicide=loses)"), 5);
    }
    for (rows, columns) in [(2, 4), (4, 4), (5, 5), (4, 7), (10, 10)] {
        check_spec(&format!("atari_go(rows={rows}, columns={columns}, start=cross_cut)"), 5);
        check_spec(&format!("atari_go(rows={rows}, columns={columns}, suicide=loses, start=cross_cut)"), 5);
    }
}

/// Tic-tac-toe with one fault.
struct Faulty {
    game: TicTacToe,
    fault: &'static str,
}

impl Faulty {
    fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }
}

impl Rules for Faulty {
    const INFO: PartInfo = TicTacToe::INFO;

    type State = State;

    fn from_options(options: &Options) -> Result<Faulty> {
        Ok(Faulty { game: TicTacToe::from_options(options)?, fault: "" })
    }

    fn initial_state(&self, rng: &mut Rng) -> State {
        self.game.initial_state(rng)
    }

    fn side_to_move(&self, state: &State) -> Side {
        self.game.side_to_move(state)
    }

    fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
        self.game.legal_moves(state, moves);
        if self.has("repeats") {
            moves.extend_from_within(..moves.len().min(1));
        }
    }

    fn is_legal(&self, state: &State, mv: Move) -> bool {
        self.has("lenient") || self.game.is_legal(state, mv)
    }

    fn play(&self, state: &mut State, mv: Move) {
        self.game.play(state, mv);
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        let outcome = self.game.outcome(state);
        if self.has("endless") { outcome.filter(|&outcome| outcome != Outcome::Draw) } else { outcome }
    }

    fn key(&self, state: &State) -> u64 {
        if self.has("keyless") { 0 } else { self.game.key(state) }
    }

    fn longest(&self) -> Option<u64> {
        self.game.longest().map(|longest| longest - self.has("short") as u64)
    }

    fn slots(&self) -> usize {
        if self.has("crowded") { 8 } else { 9 }
    }
}

impl Present for Faulty {
    const ENDINGS: &'static [Ending] = TicTacToe::ENDINGS;

    fn end_kind(&self, state: &State) -> &'static str {
        match (self.fault, self.game.end_kind(state)) {
            ("wordless", _) => "",
            ("inventive", "line") => "glory",
            (_, kind) => kind,
        }
    }

    fn move_name(&self, state: &State, mv: Move) -> String {
        match self.fault {
            "nameless" => "a1".to_string(),
            "punctuated" => format!("a,{}", mv.0),
            _ => self.game.move_name(state, mv),
        }
    }

    fn state_text(&self, state: &State) -> String {
        self.game.state_text(state)
    }

    fn parse_state(&self, text: &str) -> Result<State> {
        let state = self.game.parse_state(text)?;
        if self.has("forgetful") { self.game.parse_state(".../.../... first") } else { Ok(state) }
    }

    fn board(&self) -> Board {
        self.game.board()
    }

    fn pieces(&self, state: &State) -> Vec<Piece> {
        let mut pieces = self.game.pieces(state);
        if self.has("floating") {
            pieces.push(Piece::new(PieceKind::Stone, None, Vec::new()));
        } else if self.has("fallen") {
            pieces.push(Piece::new(PieceKind::Stone, None, vec![9]));
        }
        pieces
    }

    fn move_cells(&self, state: &State, mv: Move) -> Vec<usize> {
        if self.has("misplaced") { vec![9] } else { self.game.move_cells(state, mv) }
    }
}

impl FastPlay for Faulty {
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        let first = legal(self, state)[0];
        if self.has("biased") && rng.chance(0.3) { first } else { self.game.random_move(state, rng) }
    }

    fn count_moves(&self, state: &State) -> usize {
        self.game.count_moves(state) + self.has("miscounting") as usize
    }

    fn nth_move(&self, state: &State, k: usize) -> Move {
        let count = self.game.count_moves(state);
        self.game.nth_move(state, if self.has("backward") { count - 1 - k } else { k })
    }

    fn play_random(&self, state: &mut State, rng: &mut Rng) -> Move {
        if self.has("wasteful") {
            rng.next_u64();
        }
        self.game.play_random(state, rng)
    }

    fn play_preferred(&self, state: &mut State, mv: Move, rng: &mut Rng) -> Move {
        if self.has("stubborn") {
            self.play_random(state, rng)
        } else {
            self.game.play_preferred(state, mv, rng)
        }
    }

    fn reply_playout(
        &self,
        state: &mut State,
        last: Move,
        reply: impl Fn(Side, Move) -> Move,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        if self.has("deaf") {
            return self.uniform_playout(state, rng, trace);
        }
        if self.has("tired") {
            return Outcome::Draw;
        }
        self.game.reply_playout(state, last, reply, rng, trace)
    }

    fn playout_from(
        &self,
        state: &State,
        first: Option<Move>,
        scratch: &mut State,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        let first = first.filter(|_| !self.has("late"));
        self.game.playout_from(state, first, scratch, rng, trace)
    }

    fn scan(
        &self,
        state: &State,
        moves: &mut [Move],
        shuffled: bool,
        scratch: &mut State,
        rng: &mut Rng,
        judge: impl FnMut(Move, Outcome, u64) -> bool,
    ) {
        self.game.scan(state, moves, shuffled && !self.has("orderly"), scratch, rng, judge);
    }

    fn uniform_playout(&self, state: &mut State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        if self.has("drifting") {
            rng.next_u64();
        }
        let outcome = self.game.uniform_playout(state, rng, trace);
        if self.has("lying") { outcome.exchanged() } else { outcome }
    }
}

impl Exact for Faulty {
    fn symmetries(&self) -> Vec<Vec<usize>> {
        self.game.symmetries()
    }

    fn class_key(&self, state: &State) -> u64 {
        if self.has("crooked") { self.game.key(state) } else { self.game.class_key(state) }
    }
}

impl Offers for Faulty {}

#[test]
fn every_fault_is_found() {
    for (fault, what) in [
        ("repeats", "a move is listed twice"),
        ("lenient", "is_legal(0) is not false"),
        ("biased", "random_move is not uniform"),
        ("endless", "the playout reports another outcome"),
        ("wordless", "end_kind and outcome disagree"),
        ("inventive", "ENDINGS has no words for 'glory'"),
        ("keyless", "the same key as"),
        ("nameless", "two moves are called 'a1'"),
        ("punctuated", "a move is called 'a,0': a name holds no comma and no line break"),
        ("forgetful", "the position is read back as another"),
        ("misplaced", "move 0 touches no cell"),
        ("floating", "a piece has no cell"),
        ("fallen", "a piece stands on no cell"),
        ("crowded", "the slot of move 8 is none"),
        ("lying", "the playout reports another outcome"),
        ("miscounting", "count_moves gave 10, not 9"),
        ("backward", "nth_move(0) gave 8, not 0"),
        ("wasteful", "play_random plays another move than random_move"),
        ("stubborn", "play_preferred makes "),
        ("drifting", "uniform_playout plays other moves than random_move"),
        ("tired", "reply_playout stops before the end"),
        ("deaf", "reply_playout plays other moves than play_preferred"),
        ("short", "the playout is longer than the longest game"),
        ("late", "playout_from is another playout than uniform_playout"),
        ("orderly", "scan makes other playouts than playout_from"),
    ] {
        let spec = crate::catalogue::read(Family::Game, "tic_tac_toe").unwrap();
        let game = TicTacToe::from_options(&Options::new(&spec.parts[0])).unwrap();
        let message = check(&Faulty { game, fault }, 20, 1).unwrap_err().to_string();
        assert!(message.starts_with("tic_tac_toe at\n") && message.contains(what), "{fault}: {message}");
    }
    let spec = crate::catalogue::read(Family::Game, "tic_tac_toe").unwrap();
    let game = TicTacToe::from_options(&Options::new(&spec.parts[0])).unwrap();
    let message = check(&Faulty { game, fault: "crooked" }, 20, 1).unwrap_err().to_string();
    assert!(message.ends_with("the image has another class_key"), "{message}");
}
