//! A game and a session, one game in play, whatever game it is; what the notebook, the protocols and the app hold on to.

mod built;
mod handles;
mod in_play;
mod thought;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::arena::{Games, MatchPlan};
use crate::game::{Board, Ending, Game, Piece, Variant, View};
use crate::learn::Choices;
use crate::perft::Count;
use crate::search::LoggedWorld;
use crate::solver::Progress;
use crate::spec::Spec;
use crate::tree::{Proof, Scale};
use crate::types::{Limit, Outcome, Result, Rng, Side};
pub use handles::{game, game_named, player_named};

/// What a report says in names instead of packed moves.
#[derive(Clone, Debug)]
pub struct TextReport {
    pub best: String,
    pub moves: Vec<TextStat>,
    pub line: Vec<String>,
    pub side: Side,
    pub simulations: u64,
    pub states: u64,
    pub seconds: f64,
    pub nodes: u64,
    pub bytes: u64,
    pub full_at: Option<u64>,
    /// What a reader of the result should know.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct TextStat {
    pub name: String,
    pub visits: u64,
    /// Mean result for the side to move, in 0..1.
    pub value: Option<f64>,
    /// What is known for certain about the move, for the side to move.
    pub proof: Proof,
    /// AMAF visits and mean, where the search keeps them.
    pub amaf: Option<(f64, Option<f64>)>,
}

/// A child of a node of the search tree, and the moves that the search expects from it on, itself first.
#[derive(Clone, Debug)]
pub struct TextChild {
    pub name: String,
    pub visits: u64,
    /// Mean result for the side that makes the move, in 0..1.
    pub value: Option<f64>,
    /// What is certain, for the side that makes the move.
    pub proof: Proof,
    pub line: Vec<String>,
}

/// What the solver has found out, in names. A proof is for the side to move; none where the limit came first.
#[derive(Clone, Debug)]
pub struct SolveReport {
    pub value: Proof,
    pub side: Side,
    /// Every move with its value, in the game's order.
    pub moves: Vec<(String, Proof)>,
    pub nodes: u64,
    pub states: u64,
    pub seconds: f64,
    pub bytes: u64,
}

/// One logged simulation in names.
#[derive(Clone, Debug)]
pub struct TextLogged {
    pub moves: Vec<String>,
    pub tree_moves: usize,
    pub value: f32,
    /// The world it was played in, where something is hidden.
    pub world: Option<LoggedWorld>,
}

/// One statistic of a search on the board.
#[derive(Clone, Debug, PartialEq)]
pub struct CellTable {
    pub name: &'static str,
    /// Whose moves it is about; None: those of both sides, or of the side to move at the root.
    pub side: Option<Side>,
    pub scale: Scale,
    /// What a value says, for people.
    pub doc: &'static str,
    /// By cell of the board. Where several moves end on a cell, the largest value.
    pub values: Vec<Option<f32>>,
}

/// What uniformly random games from a position gave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayoutStatistics {
    pub games: u64,
    pub first_wins: u64,
    pub draws: u64,
    pub length_sum: u64,
    pub length_square_sum: u64,
    pub cpu_seconds: f64,
}

/// A search that can be run on, read and stopped.
pub trait Thinking: Send {
    /// Runs on until `limit`, a part of `rest`, which is all that is left; false if more would change nothing.
    fn run(&mut self, limit: &Limit, rest: &Limit, stop: &Arc<AtomicBool>) -> bool;
    /// Goes on to the position after `moves` with what is known of it. False if nothing is: then nothing changes.
    fn advance(&mut self, moves: &[String]) -> Result<bool>;
    fn report(&self) -> TextReport;
    /// Simulations and states so far.
    fn counts(&self) -> (u64, u64);
    /// Every statistic that the search and its policies keep, on the board: of a game without slots what is known of
    /// the root's moves, of a game without cells nothing.
    fn tables(&self) -> Vec<CellTable>;
    /// The children of the node after a line of moves; the first `most` with their whole expected line.
    fn explore(&self, moves: &[String], most: usize) -> Result<Vec<TextChild>>;
    fn keep_log(&mut self);
    fn log(&self) -> Vec<TextLogged>;
}

/// A built game, with the players that have been built for it; players are told by their resolved specs.
pub trait AnyGame: Send + Sync {
    /// Resolved.
    fn spec(&self) -> &Spec;
    /// The spec as text.
    fn text(&self) -> &str;
    fn side_names(&self) -> [&'static str; 2];
    fn is_hidden(&self) -> bool;
    fn notations(&self) -> &'static [&'static str];
    fn board(&self) -> Board;
    /// The symmetries of the board: of each, where a cell goes.
    fn symmetries(&self) -> Vec<Vec<usize>>;
    /// A game in play: from its beginning (chance drawn from `seed`) or from a position.
    fn start(self: Arc<Self>, position: Option<&str>, seed: Seed) -> Result<Box<dyn Session>>;
    /// The player that a name stands for in this game.
    fn in_full(&self, player: &Spec) -> Result<Spec>;
    /// Refuses a player that the game cannot serve.
    fn check(&self, player: &Spec) -> Result<()>;
    /// The same where its search is shown to a person: it must not be told what its side may not see.
    fn check_at_board(&self, player: &Spec) -> Result<()>;
    /// Starts the games with these indices on `threads` threads.
    fn play_games(&self, plan: MatchPlan, indices: Vec<u64>, threads: usize) -> Result<Games>;
    /// Plays random games and checks every position in them against what must hold of every game.
    fn conforms(&self, games: u64, seed: u64) -> Result<()>;
    /// File names and texts of the rule scripts that the package brings.
    fn scripts(&self) -> Result<Vec<(String, String)>>;
    /// Runs the rule scripts of a folder (None: those of the package) against many positions; the number of questions
    /// that they answered.
    fn check_scripts(&self, folder: Option<&str>, positions: usize, seed: u64) -> Result<usize>;
    /// The name of each class of patterns around moves, and the class drawn in characters.
    fn patterns(&self) -> Result<Vec<(String, String)>>;
    /// What there was to choose from in the moves of finished games, the first `skip` of each left out.
    fn choices(&self, games: &[Vec<String>], skip: usize) -> Result<Choices>;
}

/// One game in play.
pub trait Session: Send + Sync {
    fn game(&self) -> Arc<dyn AnyGame>;
    fn copy(&self) -> Box<dyn Session>;
    fn side_to_move(&self) -> Side;
    fn outcome(&self) -> Option<Outcome>;
    fn end_kind(&self) -> &'static str;
    /// The words for how the game was won, where it has some.
    fn ending(&self) -> Option<Ending>;
    fn winning_cells(&self) -> Vec<usize>;
    fn pieces(&self) -> Vec<Piece>;
    fn legal_moves(&self, notation: &str) -> Result<Vec<String>>;
    fn move_cells(&self, name: &str) -> Result<Vec<usize>>;
    /// Every legal move by its usual name, with the cells it touches.
    fn legal_move_cells(&self) -> Vec<(String, Vec<usize>)>;
    fn play(&mut self, name: &str, notation: &str) -> Result<()>;
    fn undo(&mut self) -> Result<()>;
    fn moves(&self, notation: &str) -> Result<Vec<String>>;
    fn key(&self) -> u64;
    /// The moves with which a side, if it were to move, would complete a winning figure; none where the game
    /// offers no such knowledge.
    fn completing(&self, side: Side) -> Vec<String>;
    /// A line with which the side to move wins by threats alone, found by trying so many moves.
    fn forced_win(&self, tries: usize) -> Option<Vec<String>>;
    /// The game's estimate of the first side's result in 0..1, without playing on; None where it has none.
    fn estimate(&self) -> Option<f32>;
    /// What the rule scripts of a folder (None: those of the package) leave of the moves that begin as the one named
    /// does and differ in their last stage, and what they are worth to the side to move, in 0..1.
    fn scripted(&self, name: &str, folder: Option<&str>) -> Result<(Vec<String>, f32)>;
    /// The whole state, secrets included.
    fn state_text(&self) -> String;
    fn diagram(&self) -> String;
    fn view(&self, side: Side) -> View;
    fn search(
        &self,
        player: &Spec,
        limit: Option<Limit>,
        seed: u64,
        stop: &Arc<AtomicBool>,
    ) -> Result<TextReport>;
    fn think(&self, player: &Spec, seed: u64) -> Result<Box<dyn Thinking>>;
    /// The exact value of the position and of each move, within `limit` (no simulations) and `memory` bytes;
    /// tells its progress twice a second and ends early when `stop` is raised.
    fn solve(
        &self,
        limit: &Limit,
        memory: usize,
        stop: &Arc<AtomicBool>,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<SolveReport>;
    fn random_games(&self, games: u64, seed: u64) -> PlayoutStatistics;
    /// Sequences of legal moves by length.
    fn perft(&self, depth: usize) -> Vec<Count>;
}

/// Starts the game that a resolved spec names; see [`AnyGame::start`].
pub fn start(spec: &Spec, position: Option<&str>, seed: u64) -> Result<Box<dyn Session>> {
    game(spec)?.start(position, seed.into())
}

/// What a first state is drawn from. A stream of ours has 64 bits of state, which is plenty for play and little for
/// secrets: where people play, what a side may not know is drawn once more, for each side from a word of its own.
/// Then nothing that a side sees comes from the stream of what is hidden from it.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    pub dealt: u64,
    /// For what the first side may not know, then for what the second may not.
    pub hidden: Option<[u64; 2]>,
}

impl From<u64> for Seed {
    fn from(dealt: u64) -> Seed {
        Seed { dealt, hidden: None }
    }
}

fn first_state<G: Game>(variant: &Variant<G>, position: Option<&str>, seed: Seed) -> Result<G::State> {
    let game = &variant.game;
    let dealt = match position {
        Some(text) => return game.parse_state(text),
        None => game.initial_state(&mut Rng::stream(&[seed.dealt])),
    };
    let words = seed.hidden.into_iter().flatten();
    Ok(words
        .zip([Side::First, Side::Second])
        .fold(dealt, |state, (word, side)| variant.determinize(&state, side, &mut Rng::stream(&[word]))))
}

/// Refuses a player that the game of a resolved spec cannot serve.
pub fn check_player(spec: &Spec, player: &Spec) -> Result<()> {
    game(spec)?.check(player)
}
