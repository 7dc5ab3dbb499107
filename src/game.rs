//! The trait every game implements, what a game tells about itself, and [`Rules`]: a game with its misère flag.

use crate::spec::{Options, PartInfo};
use crate::types::{Error, Move, Outcome, Result, Rng, Side};

/// Rules and constants (size, neighbour tables). What changes during play is `State`: plain, cheap to clone.
///
/// A new game implements the required methods, is named once in `games/mod.rs`, and works everywhere.
pub trait Game: Sized + Send + Sync + 'static {
    /// Name, options and one line of documentation: parser, help and catalogue are made from it.
    const INFO: PartInfo;
    /// What the two sides are called where people see them, e.g. `["White", "Black"]`.
    const SIDES: [&'static str; 2] = ["First", "Second"];
    /// Whether a side may not see all of the state. If false, `view` and `determinize` are trivial.
    const HIDDEN: bool = false;
    /// Whether `random_move` draws a move in stages (a card, then its use), each uniformly, and so not
    /// uniformly over whole moves.
    const STAGED: bool = false;
    /// Ways of writing a move; the first is used everywhere unless another is asked for.
    const NOTATIONS: &'static [&'static str] = &["standard"];

    type State: Clone + Send + Sync + 'static;

    /// `options` are resolved: every option of `INFO` is there and in its range.
    fn from_options(options: &Options) -> Result<Self>;
    /// All chance is drawn here.
    fn initial_state(&self, rng: &mut Rng) -> Self::State;
    fn side_to_move(&self, state: &Self::State) -> Side;

    /// Appends the legal moves in a fixed, documented order; none if the game is over.
    fn legal_moves(&self, state: &Self::State, moves: &mut Vec<Move>);

    fn is_legal(&self, state: &Self::State, mv: Move) -> bool {
        let mut moves = Vec::new();
        self.legal_moves(state, &mut moves);
        moves.contains(&mv)
    }

    /// A uniformly random legal move, or one drawn in stages (`STAGED`). The game must not be over.
    fn random_move(&self, state: &Self::State, rng: &mut Rng) -> Move {
        let mut moves = Vec::new();
        self.legal_moves(state, &mut moves);
        moves[rng.below(moves.len())]
    }

    /// Plays `random_move` and returns it: playouts that leave most moves to chance spend their time here. The move must be
    /// the one that `random_move` makes of the same random numbers.
    #[inline]
    fn play_random(&self, state: &mut Self::State, rng: &mut Rng) -> Move {
        let mv = self.random_move(state, rng);
        self.play(state, mv);
        mv
    }

    /// Plays `mv` if it is legal, else what `play_random` makes of the same random numbers, and returns what was played.
    /// Where `mv` is legal, random numbers may be drawn and thrown away.
    #[inline]
    fn play_preferred(&self, state: &mut Self::State, mv: Move, rng: &mut Rng) -> Move {
        if !self.is_legal(state, mv) {
            return self.play_random(state, rng);
        }
        self.play(state, mv);
        mv
    }

    /// How many moves are legal.
    fn count_moves(&self, state: &Self::State) -> usize {
        let mut moves = Vec::new();
        self.legal_moves(state, &mut moves);
        moves.len()
    }

    /// The legal move that has `k` others before it in the order of `legal_moves`; `k` is below `count_moves`.
    fn nth_move(&self, state: &Self::State, k: usize) -> Move {
        let mut moves = Vec::new();
        self.legal_moves(state, &mut moves);
        moves[k]
    }

    /// Plays a legal move. Legality is the caller's responsibility.
    fn play(&self, state: &mut Self::State, mv: Move);

    /// How the game ended, or None while it goes on. Called after every move of every playout: keep it O(1).
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// In what way the game was won, in one word (`ring`, `no_moves`), or `draw`; empty while it goes on.
    fn end_kind(&self, state: &Self::State) -> &'static str;

    /// The cells that show why the game was won (a winning chain); empty if there is nothing to show.
    fn winning_cells(&self, _state: &Self::State) -> Vec<usize> {
        Vec::new()
    }

    /// Equal positions have equal keys; different ones differ with overwhelming probability.
    fn key(&self, state: &Self::State) -> u64;

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

    /// The turnings and mirrorings of the board under which the game stays the same: of each, where a cell goes.
    /// The first leaves all as it is.
    fn symmetries(&self) -> Vec<Vec<usize>> {
        vec![(0..self.board().cells.len()).collect()]
    }

    /// A key that positions share which a symmetry takes into each other; others differ with overwhelming probability.
    fn class_key(&self, state: &Self::State) -> u64 {
        self.key(state)
    }

    /// How a game that is not over ends with best play, where a look at the position is enough to know. With `misere`,
    /// who would win loses.
    #[inline]
    fn settled(&self, _state: &Self::State, _misere: bool) -> Option<Outcome> {
        None
    }

    /// Move-ordering score of `mv`, from `state` to `next`, for the solver: highest first.
    #[inline]
    fn promise(&self, _state: &Self::State, _mv: Move, next: &Self::State, _misere: bool) -> i32 {
        -(self.count_moves(next) as i32)
    }

    /// The largest number of moves that any position can be followed by; None if nobody knows.
    fn longest(&self) -> Option<u64> {
        None
    }

    /// Size of tables over moves (AMAF, history, replies); 0: this game has none.
    fn slots(&self) -> usize {
        0
    }

    /// The place of a move in such tables, below `slots()`. Must not depend on the state.
    fn slot(&self, mv: Move) -> usize {
        mv.0 as usize
    }

    /// The moves of this position that must be judged by their own results, because later moves with the same slot
    /// are worth something else, or because there are none.
    #[inline]
    fn amaf_exempt(&self, _state: &Self::State) -> AmafExempt {
        AmafExempt::None
    }

    /// The moves of one slot, as cells, for showing a table over slots on the board of a position, in which they need
    /// not be legal.
    fn slot_cells(&self, _state: &Self::State, _slot: usize) -> Vec<usize> {
        Vec::new()
    }

    /// All that `side` may know.
    fn view(&self, state: &Self::State, _side: Side) -> View {
        View { facts: vec![("position".to_string(), self.state_text(state))] }
    }

    /// A state drawn uniformly among those that `observer` cannot tell from this one.
    fn determinize(&self, state: &Self::State, _observer: Side, _rng: &mut Rng) -> Self::State {
        state.clone()
    }

    /// What both sides learn from the last move besides the move itself (a witness's answer).
    fn answer(&self, _state: &Self::State) -> u32 {
        0
    }

    /// What a search must know about what is hidden; something exactly where `HIDDEN`.
    fn secrets(&self) -> Option<&dyn Secrets<Self>> {
        None
    }

    /// The stages of its moves; something exactly where `STAGED`.
    fn stages(&self) -> Option<&dyn Stages<Self>> {
        None
    }

    /// What policies may ask about a position beyond the rules.
    fn knowledge(&self) -> Option<&dyn Knowledge<Self>> {
        None
    }

    /// What is expected of moves that nobody has tried yet.
    fn priors(&self) -> Option<&dyn Priors<Self>> {
        None
    }

    /// What a position is worth without playing on.
    fn evaluation(&self) -> Option<&dyn Evaluation<Self>> {
        None
    }

    /// Plays uniformly random moves to the end, none if the game is over. Games override it where they can do it faster;
    /// the moves must be those that repeated `random_move` would make of the same random numbers.
    fn uniform_playout(&self, state: &mut Self::State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        loop {
            if let Some(outcome) = self.outcome(state) {
                return outcome;
            }
            let mv = self.random_move(state, rng);
            trace.push(mv, self.side_to_move(state));
            self.play(state, mv);
        }
    }

    /// Plays to the end: what `reply` says to the last move, given the side to move, where that is legal, and a random
    /// move where it is not. Games override it where they can do it faster; the moves must be those that repeated
    /// `play_preferred` would make of the same random numbers.
    #[inline]
    fn reply_playout(
        &self,
        state: &mut Self::State,
        last: Move,
        reply: impl Fn(Side, Move) -> Move,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        replies_by_turns(self, state, last, reply, rng, trace)
    }

    /// Plays the legal move given, if any, and then `uniform_playout`, of the same random numbers. What `scratch` is
    /// afterwards does not matter: games that need no copy leave it alone.
    fn playout_from(
        &self,
        state: &Self::State,
        first: Option<Move>,
        scratch: &mut Self::State,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        scratch.clone_from(state);
        if let Some(mv) = first {
            trace.push(mv, self.side_to_move(state));
            self.play(scratch, mv);
        }
        self.uniform_playout(scratch, rng, trace)
    }

    /// Makes one `playout_from` with each of `moves`, all legal, until `judge` says that it has seen enough: it is told
    /// the move, the outcome and the number of states. With `shuffled` the moves are drawn from those that are left, and
    /// stand in that order afterwards. What is faster must make the same of the same random numbers.
    #[inline]
    fn scan(
        &self,
        state: &Self::State,
        moves: &mut [Move],
        shuffled: bool,
        scratch: &mut Self::State,
        rng: &mut Rng,
        judge: impl FnMut(Move, Outcome, u64) -> bool,
    ) {
        let playout = |mv, rng: &mut Rng| {
            let mut trace = Trace::default();
            let outcome = self.playout_from(state, Some(mv), scratch, rng, &mut trace);
            (outcome, trace.states)
        };
        scan_with(moves, shuffled, rng, playout, judge);
    }
}

/// What [`Game::reply_playout`] does, move by move: for games that have nothing faster, and for states that ask for more
/// than a faster way can give.
#[inline(never)]
pub fn replies_by_turns<G: Game>(
    game: &G,
    state: &mut G::State,
    mut last: Move,
    reply: impl Fn(Side, Move) -> Move,
    rng: &mut Rng,
    trace: &mut Trace,
) -> Outcome {
    loop {
        if let Some(outcome) = game.outcome(state) {
            return outcome;
        }
        let side = game.side_to_move(state);
        last = game.play_preferred(state, reply(side, last), rng);
        trace.push(last, side);
    }
}

/// What [`Game::scan`] does, given how a move is played out: to which outcome, and in how many states.
#[inline(always)]
pub fn scan_with(
    moves: &mut [Move],
    shuffled: bool,
    rng: &mut Rng,
    mut playout: impl FnMut(Move, &mut Rng) -> (Outcome, u64),
    mut judge: impl FnMut(Move, Outcome, u64) -> bool,
) {
    let count = moves.len();
    for i in 0..count {
        if shuffled {
            moves.swap(i, i + rng.below(count - i));
        }
        let (outcome, states) = playout(moves[i], rng);
        if judge(moves[i], outcome, states) {
            break;
        }
    }
}

/// Moves for which AMAF is meaningless, such as the swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmafExempt {
    None,
    One(Move),
    All,
}

/// The error for a move that is not one: names a few that are.
pub fn illegal_move<G: Game>(
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

/// The moves of a playout, kept only if somebody reads them; always counted.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub wanted: bool,
    pub moves: Vec<(Move, Side)>,
    /// States visited: one per move.
    pub states: u64,
}

impl Trace {
    #[inline]
    pub fn push(&mut self, mv: Move, side: Side) {
        self.states += 1;
        if self.wanted {
            self.moves.push((mv, side));
        }
    }

    /// Forgets the moves and the count.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.states = 0;
    }
}

/// What a game knows about its positions beyond the rules; policies ask for it and refuse games without it.
pub trait Knowledge<G: Game>: Sync {
    /// Appends the moves with which `side`, if it were to move, would complete a winning figure at once.
    /// With `near`, only those next to the group of the stone that this move placed.
    fn completing(&self, state: &G::State, side: Side, near: Option<Move>, moves: &mut Vec<Move>);
    /// Appends the moves with which `side`, if it were to move and has no completing move, would threaten to complete a
    /// figure. None if an answer may take the threat back otherwise than by playing where it is.
    fn threatening(&self, state: &G::State, side: Side, threats: &mut Vec<Threat>);
    /// Somebody who finds completing moves during a playout, at less cost than a look at the whole board.
    fn watch(&self) -> Box<dyn Watch<G>>;
    /// Appends the moves with which `side` keeps two of its stones joined after the other side's move `last` went
    /// between them: the other of the two cells that both stones touch.
    fn bridge_replies(&self, state: &G::State, side: Side, last: Move, moves: &mut Vec<Move>);
    /// The moves on cells at distance 1..=range of the cell of `mv`, whatever stands there.
    fn around(&self, mv: Move, range: usize) -> &[Move];
    /// The moves on corner cells.
    fn corners(&self) -> &[Move];
    /// Stones or men on the board.
    fn stones(&self, state: &G::State) -> usize;
    /// The largest number of moves a game can have.
    fn max_moves(&self) -> usize;
    /// What tells a state, where a playout starts in it, that from now on rings count only if they hold so many of the
    /// stones that stand. A state that is copied keeps the rule, and one that is overwritten by a copy takes over the
    /// other's.
    fn rings(&self) -> Option<fn(&mut G::State, u32)> {
        None
    }
    /// What the surroundings of moves look like.
    fn patterns(&self) -> Option<&dyn Patterns<G>> {
        None
    }
}

/// A move after which its side could complete a figure with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threat {
    pub mv: Move,
    /// How many moves would complete a figure then; counted up to [`Threat::MANY`].
    pub ways: usize,
    /// The first of them, two at most.
    pub completing: [Move; 2],
}

impl Threat {
    /// So many ways to win are too many to take away, whoever moves first.
    pub const MANY: usize = 3;

    /// Whether the other side cannot answer the threat once it is made, unless it wins at once.
    pub fn is_double(&self) -> bool {
        self.ways > 1
    }

    /// Whether a stone of the other side at `mv`, set before the threat is made, leaves at most one way to win.
    pub fn is_met_by(&self, mv: Move) -> bool {
        mv == self.mv || (self.ways < Threat::MANY && self.completing.contains(&mv))
    }
}

/// Keeps the completing moves of both sides, in the order of [`Knowledge::completing`], while a game goes on.
pub trait Watch<G: Game>: Send {
    /// Forgets what was before and finds the completing moves of a state.
    fn start(&mut self, game: &G, state: &G::State, moves: &mut [Vec<Move>; 2]);
    /// `side` has played `mv`, which led to `state` and did not end the game: brings `moves` up to date.
    fn played(&mut self, game: &G, state: &G::State, side: Side, mv: Move, moves: &mut [Vec<Move>; 2]);
}

/// What a game expects of moves before anybody has tried them: the slot `prior` of a search.
pub trait Priors<G: Game>: Sync {
    /// What is to be expected of each of `moves` for the side to move, after the move `last` of the other side:
    /// 0 for nothing, about 1 for a good sign. `values` is written anew.
    fn priors(&self, state: &G::State, last: Option<Move>, moves: &[Move], values: &mut Vec<f32>);
}

/// What a game makes of a position without playing on: backups and cut playouts read it.
pub trait Evaluation<G: Game>: Sync {
    /// What is to be expected for the first side, in 0..1; the game is not over.
    fn value(&self, state: &G::State) -> f32;
}

/// How a move may lie to the other side's last one: by the numbers that [`Patterns::nearness`] gives.
pub const NEARNESS: [&str; 3] = ["far", "beside", "bridge"];

/// Small patterns around moves: playouts draw by their weights, which learning finds.
pub trait Patterns<G: Game>: Sync {
    /// The classes of patterns, by number; patterns that a symmetry of the board exchanges are one class. The same
    /// for every size of the board.
    fn names(&self) -> &'static [String];
    /// The class of each code; None where no move can have the code.
    fn classes(&self) -> &'static [Option<u16>];
    /// What surrounds a legal move of `side`, as a number below the length of `classes`; None for a move that has
    /// no surroundings. Called several times for every move of a playout.
    fn code(&self, state: &G::State, side: Side, mv: Move) -> Option<usize>;
    /// How `mv` lies to the move `last` of the other side, as a place in [`NEARNESS`].
    fn nearness(&self, mv: Move, last: Move) -> usize;
    /// A class drawn in characters, several lines.
    fn picture(&self, class: usize) -> String;
    /// The weights of the package, as `coppice learn` wrote them.
    fn shipped(&self) -> &'static str;
}

/// What a search must know about the secrets of a game with hidden information.
pub trait Secrets<G: Game>: Sync {
    /// What `side` knows for itself, as a number: nodes in which it decides are kept apart by it.
    fn own(&self, state: &G::State, side: Side) -> u64;
    /// How many secrets besides its true one `side` might have in this world, for all that the other side knows.
    fn decoys(&self, state: &G::State, side: Side) -> usize;
    /// The same world with the k-th of these.
    fn decoy(&self, state: &G::State, side: Side, k: usize) -> G::State;
    /// The same world in which the own secret of `side` is this one, which the other side cannot rule out.
    fn with_own(&self, state: &G::State, side: Side, own: u64) -> G::State;
    /// Leaves whatever is still to be drawn to the free choice of who moves then.
    fn free_draws(&self, state: &mut G::State);
}

/// What a game tells whose moves are made in stages: a *key* is a move without its last stage (which card goes
/// where), its *uses* are the moves that complete it. The key of a move is its slot.
pub trait Stages<G: Game>: Sync {
    /// Appends the keys that are worth a thought of the side to move, in ascending order. Depends on nothing
    /// that this side cannot see, and lists nothing beyond keys.
    fn keys(&self, state: &G::State, keys: &mut Vec<u32>);
    /// Whether a key is one of this state's.
    fn offers(&self, state: &G::State, key: u32) -> bool;
    /// Appends the uses of a key in a fixed order.
    fn uses(&self, state: &G::State, key: u32, moves: &mut Vec<Move>);
    /// One of them, each equally often.
    fn random_use(&self, state: &G::State, key: u32, rng: &mut Rng) -> Move;
    /// A random move of those that win for certain, if there are any.
    fn winning_move(&self, state: &G::State, rng: &mut Rng) -> Option<Move>;
    /// A random key of those that cannot lose at once, each stage drawn uniformly.
    fn safe_key(&self, state: &G::State, rng: &mut Rng) -> u32;
    /// An estimate of the first side's result in 0..1, without playing on.
    fn estimate(&self, state: &G::State) -> f32;
    /// The rule scripts that choose a use, by number: name and shipped text.
    fn scripts(&self) -> &'static [(&'static str, &'static str)];
    /// What scripts are told of the rules: the options of the game by name.
    fn options(&self) -> Vec<(&'static str, &'static str)>;
    /// What the scripts share: name and shipped text.
    fn common_script(&self) -> (&'static str, &'static str);
    /// The number of the script that chooses among the uses of a key.
    fn script_of(&self, key: u32) -> usize;
    /// What the script of this key is asked.
    fn question(&self, state: &G::State, key: u32) -> Question;
    /// What it can read besides.
    fn lists(&self, state: &G::State, key: u32) -> Lists;
}

/// What a rule script is told: facts of the position, then what each use of the power would lead to. The names
/// and kinds of facts and the names of options are always the same for one script.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The script that is asked.
    pub script: usize,
    pub facts: Vec<(&'static str, Fact)>,
    /// The names of an option's facts.
    pub names: &'static [&'static str],
    /// Option after option, each in the order of `names`. Small numbers, because many are handed over.
    pub options: Vec<i16>,
    /// The move that each option stands for.
    pub moves: Vec<Move>,
    /// What a move that ends the game is worth to its side, in 0..1: then no script is asked.
    pub settled: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact {
    Number(i64),
    Word(&'static str),
}

/// Facts of a position that are lists of numbers. Few scripts read them.
pub type Lists = Vec<(&'static str, Vec<i64>)>;

/// All that a side may know, as named facts in a fixed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub facts: Vec<(String, String)>,
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

/// One place of a board, at (x, y) in cell widths, y growing downward.
#[derive(Clone, Debug)]
pub struct Cell {
    pub name: String,
    pub x: f32,
    pub y: f32,
    /// What the cell is, for drawing: `plain` or a word of the game's own (`corner`, `lamp`, `building`).
    pub kind: &'static str,
}

/// The empty board of a game: cells with names, places and one shape.
#[derive(Clone, Debug)]
pub struct Board {
    pub shape: Shape,
    pub cells: Vec<Cell>,
}

/// Something that stands on a cell: a stone, a man, half a domino, a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub cell: usize,
    pub side: Option<Side>,
    /// `stone`, `man`, `knight`, `cross`, `domino_vertical`, a character's name, ...
    pub kind: &'static str,
}

/// A game as it is played here: its rules, and whether who would win loses.
///
/// Misère is read where an outcome is read, so it costs no second compiled search.
pub struct Rules<G: Game> {
    pub game: G,
    pub misere: bool,
}

/// Where a simulation stands when a node gets children or is visited: what parts of a search may look at.
pub struct Here<'a, G: Game> {
    pub rules: &'a Rules<G>,
    pub state: &'a G::State,
    /// The move that led here, where the search writes moves down.
    pub last: Option<Move>,
}

impl<G: Game> Rules<G> {
    #[inline]
    pub fn outcome(&self, state: &G::State) -> Option<Outcome> {
        let outcome = self.game.outcome(state);
        if self.misere { outcome.map(Outcome::exchanged) } else { outcome }
    }

    #[inline]
    pub fn settled(&self, state: &G::State) -> Option<Outcome> {
        self.game.settled(state, self.misere)
    }

    #[inline]
    pub fn promise(&self, state: &G::State, mv: Move, next: &G::State) -> i32 {
        self.game.promise(state, mv, next, self.misere)
    }

    #[inline]
    pub fn uniform_playout(&self, state: &mut G::State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        let outcome = self.game.uniform_playout(state, rng, trace);
        if self.misere { outcome.exchanged() } else { outcome }
    }

    #[inline]
    pub fn reply_playout(
        &self,
        state: &mut G::State,
        last: Move,
        reply: impl Fn(Side, Move) -> Move,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        let outcome = self.game.reply_playout(state, last, reply, rng, trace);
        if self.misere { outcome.exchanged() } else { outcome }
    }

    #[inline]
    pub fn playout_from(
        &self,
        state: &G::State,
        first: Option<Move>,
        scratch: &mut G::State,
        rng: &mut Rng,
        trace: &mut Trace,
    ) -> Outcome {
        let outcome = self.game.playout_from(state, first, scratch, rng, trace);
        if self.misere { outcome.exchanged() } else { outcome }
    }

    #[inline]
    pub fn scan(
        &self,
        state: &G::State,
        moves: &mut [Move],
        shuffled: bool,
        scratch: &mut G::State,
        rng: &mut Rng,
        mut judge: impl FnMut(Move, Outcome, u64) -> bool,
    ) {
        let misere = self.misere;
        self.game.scan(state, moves, shuffled, scratch, rng, |mv, outcome, states| {
            judge(mv, if misere { outcome.exchanged() } else { outcome }, states)
        });
    }

    /// A misère game offers none: what completes a figure would lose it.
    pub fn knowledge(&self) -> Option<&dyn Knowledge<G>> {
        if self.misere { None } else { self.game.knowledge() }
    }

    /// A misère game offers none of these either: what promises to win would lose.
    pub fn priors(&self) -> Option<&dyn Priors<G>> {
        if self.misere { None } else { self.game.priors() }
    }

    /// Nor this: one minus what it says would be a guess.
    pub fn evaluation(&self) -> Option<&dyn Evaluation<G>> {
        if self.misere { None } else { self.game.evaluation() }
    }
}

#[cfg(test)]
mod tests;
