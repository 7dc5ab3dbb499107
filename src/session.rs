//! A session: one game in play, whatever game it is; what the notebook, the protocols and the app hold on to.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::catalogue;
use crate::forcing::Forcing;
use crate::game::{Board, Game, Piece, Rules, View};
use crate::games::{Visitor, with_game};
use crate::perft::{Count, perft};
use crate::player::{Player, Request};
use crate::scripts::{self, PlayerFiles};
use crate::search::{Logged, LoggedWorld, Report, Search, random_game};
use crate::solver::{self, Progress};
use crate::spec::Spec;
use crate::tree::{Holds, MoveTable, Proof};
use crate::types::{Error, Limit, Move, Outcome, Result, Rng, Side, thread_cpu_seconds};

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
    /// Moves are the cells that they are played on.
    pub holds: Holds,
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

/// One game in play.
pub trait Session: Send + Sync {
    fn copy(&self) -> Box<dyn Session>;
    fn side_names(&self) -> [&'static str; 2];
    fn is_hidden(&self) -> bool;
    fn notations(&self) -> &'static [&'static str];
    fn board(&self) -> Board;
    fn side_to_move(&self) -> Side;
    fn outcome(&self) -> Option<Outcome>;
    fn end_kind(&self) -> &'static str;
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
    /// The symmetries of the board: of each, where a cell goes.
    fn symmetries(&self) -> Vec<Vec<usize>>;
    /// Sequences of legal moves by length.
    fn perft(&self, depth: usize) -> Vec<Count>;
}

/// Starts the game that a resolved spec names: from its beginning (chance drawn from `seed`) or from a position.
pub fn start(game: &Spec, position: Option<&str>, seed: u64) -> Result<Box<dyn Session>> {
    struct Start<'a> {
        position: Option<&'a str>,
        seed: u64,
    }
    impl Visitor for Start<'_> {
        type Out = Result<Box<dyn Session>>;
        fn visit<G: Game>(self, rules: Rules<G>) -> Self::Out {
            let state = match self.position {
                Some(text) => rules.game.parse_state(text)?,
                None => rules.game.initial_state(&mut Rng::stream(&[self.seed])),
            };
            let (rules, books) = (Arc::new(rules), Arc::default());
            Ok(Box::new(InPlay { rules, states: vec![state], moves: Vec::new(), books }))
        }
    }
    with_game(game, Start { position, seed })?
}

/// Refuses players that the game cannot serve, without playing.
pub fn check_player(game: &Spec, player: &Spec) -> Result<()> {
    struct Check<'a>(&'a Spec);
    impl Visitor for Check<'_> {
        type Out = Result<()>;
        fn visit<G: Game>(self, rules: Rules<G>) -> Self::Out {
            catalogue::build_player(self.0, &Arc::new(rules)).map(|_| ())
        }
    }
    with_game(game, Check(player))?
}

/// The same for a player at a board where somebody looks on: it must not be told what its side may not see.
pub fn check_at_board(game: &Spec, player: &Spec) -> Result<()> {
    struct Check<'a>(&'a Spec);
    impl Visitor for Check<'_> {
        type Out = Result<()>;
        fn visit<G: Game>(self, rules: Rules<G>) -> Self::Out {
            build_at_board(self.0, &Arc::new(rules)).map(|_| ())
        }
    }
    with_game(game, Check(player))?
}

/// Builds a player whose thoughts somebody may read.
fn build_at_board<G: Game>(player: &Spec, rules: &Arc<Rules<G>>) -> Result<Box<dyn Player<G>>> {
    let player = catalogue::build_player(player, rules)?;
    match player.is_told() {
        Some(what) => Err(Error::new(format!(
            "{what}, so it plays in matches only (coppice match, tournament, sweep, tune, run): nobody may look at it \
             at a board, in an analysis or through GTP"
        ))),
        None => Ok(player),
    }
}

/// File names and texts of the rule scripts that the package brings for a game.
pub fn rule_scripts(game: &Spec) -> Result<Vec<(String, String)>> {
    struct Shipped;
    impl Visitor for Shipped {
        type Out = Result<Vec<(String, String)>>;
        fn visit<G: Game>(self, rules: Rules<G>) -> Self::Out {
            scripts::shipped(&rules.game)
        }
    }
    with_game(game, Shipped)?
}

/// Runs the rule scripts of a folder (None: those of the package) against many positions; the number of
/// questions that they answered.
pub fn check_rules(game: &Spec, folder: Option<&str>, positions: usize, seed: u64) -> Result<usize> {
    struct Check<'a>(Option<&'a str>, usize, u64);
    impl Visitor for Check<'_> {
        type Out = Result<usize>;
        fn visit<G: Game>(self, rules: Rules<G>) -> Self::Out {
            scripts::check(&rules.game, self.0, self.1, self.2)
        }
    }
    with_game(game, Check(folder, positions, seed))?
}

struct InPlay<G: Game> {
    rules: Arc<Rules<G>>,
    /// Every state from the start; the last is the present one.
    states: Vec<G::State>,
    moves: Vec<Move>,
    /// The rule scripts that were asked.
    books: Arc<PlayerFiles>,
}

impl<G: Game> InPlay<G> {
    fn state(&self) -> &G::State {
        self.states.last().expect("a game has a state")
    }

    fn check_notation(&self, notation: &str) -> Result<()> {
        if G::NOTATIONS.contains(&notation) {
            return Ok(());
        }
        Err(Error::new(format!(
            "unknown notation '{notation}' for {}: {}",
            G::INFO.name,
            G::NOTATIONS.join(", ")
        )))
    }
}

impl<G: Game> Session for InPlay<G> {
    fn copy(&self) -> Box<dyn Session> {
        let (rules, books) = (self.rules.clone(), self.books.clone());
        Box::new(InPlay { rules, states: self.states.clone(), moves: self.moves.clone(), books })
    }

    fn side_names(&self) -> [&'static str; 2] {
        G::SIDES
    }

    fn is_hidden(&self) -> bool {
        G::HIDDEN
    }

    fn notations(&self) -> &'static [&'static str] {
        G::NOTATIONS
    }

    fn board(&self) -> Board {
        self.rules.game.board()
    }

    fn side_to_move(&self) -> Side {
        self.rules.game.side_to_move(self.state())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.rules.outcome(self.state())
    }

    fn end_kind(&self) -> &'static str {
        self.rules.game.end_kind(self.state())
    }

    fn winning_cells(&self) -> Vec<usize> {
        self.rules.game.winning_cells(self.state())
    }

    fn pieces(&self) -> Vec<Piece> {
        self.rules.game.pieces(self.state())
    }

    fn legal_moves(&self, notation: &str) -> Result<Vec<String>> {
        self.check_notation(notation)?;
        let mut moves = Vec::new();
        self.rules.game.legal_moves(self.state(), &mut moves);
        Ok(moves.iter().map(|&mv| self.rules.game.move_name_in(self.state(), mv, notation)).collect())
    }

    fn move_cells(&self, name: &str) -> Result<Vec<usize>> {
        let mv = self.rules.game.parse_move(self.state(), name)?;
        Ok(self.rules.game.move_cells(self.state(), mv))
    }

    fn legal_move_cells(&self) -> Vec<(String, Vec<usize>)> {
        let (game, state) = (&self.rules.game, self.state());
        let mut moves = Vec::new();
        game.legal_moves(state, &mut moves);
        moves.iter().map(|&mv| (game.move_name(state, mv), game.move_cells(state, mv))).collect()
    }

    fn play(&mut self, name: &str, notation: &str) -> Result<()> {
        self.check_notation(notation)?;
        let mv = self.rules.game.parse_move_in(self.state(), name, notation)?;
        let mut state = self.state().clone();
        self.rules.game.play(&mut state, mv);
        self.states.push(state);
        self.moves.push(mv);
        Ok(())
    }

    fn undo(&mut self) -> Result<()> {
        if self.moves.pop().is_none() {
            return Err(Error::new("there is no move to take back"));
        }
        self.states.pop();
        Ok(())
    }

    fn moves(&self, notation: &str) -> Result<Vec<String>> {
        self.check_notation(notation)?;
        let named = self.states.iter().zip(&self.moves);
        Ok(named.map(|(state, &mv)| self.rules.game.move_name_in(state, mv, notation)).collect())
    }

    fn key(&self) -> u64 {
        self.rules.game.key(self.state())
    }

    fn completing(&self, side: Side) -> Vec<String> {
        let mut moves = Vec::new();
        if let Some(knowledge) = self.rules.knowledge() {
            knowledge.completing(self.state(), side, None, &mut moves);
        }
        moves.iter().map(|&mv| self.rules.game.move_name(self.state(), mv)).collect()
    }

    fn forced_win(&self, tries: usize) -> Option<Vec<String>> {
        if self.rules.outcome(self.state()).is_some() {
            return None;
        }
        let line = Forcing::default().win(&self.rules, self.state(), tries)?;
        Some(line.iter().map(|&mv| self.rules.game.move_name(self.state(), mv)).collect())
    }

    fn estimate(&self) -> Option<f32> {
        self.rules.game.stages().map(|stages| stages.estimate(self.state()))
    }

    fn scripted(&self, name: &str, folder: Option<&str>) -> Result<(Vec<String>, f32)> {
        let (game, state) = (&self.rules.game, self.state());
        let mv = game.parse_move(state, name)?;
        let (moves, worth) = scripts::left(game, state, mv, &self.books, folder)?;
        Ok((moves.iter().map(|&mv| game.move_name(state, mv)).collect(), worth))
    }

    fn state_text(&self) -> String {
        self.rules.game.state_text(self.state())
    }

    fn diagram(&self) -> String {
        self.rules.game.diagram(self.state())
    }

    fn view(&self, side: Side) -> View {
        self.rules.game.view(self.state(), side)
    }

    fn search(
        &self,
        player: &Spec,
        limit: Option<Limit>,
        seed: u64,
        stop: &Arc<AtomicBool>,
    ) -> Result<TextReport> {
        if self.outcome().is_some() {
            return Err(Error::new("there is nothing to search: the game is over"));
        }
        let mut player = build_at_board(player, &self.rules)?;
        let rng = Rng::stream(&[seed, self.moves.len() as u64]);
        let request =
            Request { rules: &self.rules, state: self.state(), moves: &self.moves, rng, limit, stop };
        let report = player.choose(&request)?;
        Ok(text_report(&self.rules, self.state(), report))
    }

    fn think(&self, player: &Spec, seed: u64) -> Result<Box<dyn Thinking>> {
        let player = build_at_board(player, &self.rules)?;
        let ply = self.moves.len() as u64;
        let rng = Rng::stream(&[seed, ply]);
        let search = player.think(&self.rules, self.state(), rng)?;
        Ok(Box::new(Thought { rules: self.rules.clone(), search, seed, ply }))
    }

    fn solve(
        &self,
        limit: &Limit,
        memory: usize,
        stop: &Arc<AtomicBool>,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<SolveReport> {
        let found = solver::solve(&self.rules, self.state(), limit, memory, stop, tell)?;
        let name = |(mv, proof)| (self.rules.game.move_name(self.state(), mv), proof);
        Ok(SolveReport {
            value: found.value,
            side: self.side_to_move(),
            moves: found.moves.into_iter().map(name).collect(),
            nodes: found.nodes,
            states: found.states,
            seconds: found.seconds,
            bytes: found.bytes,
        })
    }

    fn random_games(&self, games: u64, seed: u64) -> PlayoutStatistics {
        let mut rng = Rng::stream(&[seed]);
        let mut scratch = self.state().clone();
        let mut sum = PlayoutStatistics { games, ..PlayoutStatistics::default() };
        let started = thread_cpu_seconds();
        for _ in 0..games {
            let (outcome, length) = random_game(&self.rules, self.state(), &mut scratch, &mut rng);
            sum.first_wins += u64::from(outcome == Outcome::Win(Side::First));
            sum.draws += u64::from(outcome == Outcome::Draw);
            sum.length_sum += length;
            sum.length_square_sum += length * length;
        }
        sum.cpu_seconds = thread_cpu_seconds() - started;
        sum
    }

    fn symmetries(&self) -> Vec<Vec<usize>> {
        self.rules.game.symmetries()
    }

    fn perft(&self, depth: usize) -> Vec<Count> {
        perft(&self.rules, self.state(), depth)
    }
}

/// A search that thinks, with the rules it thinks by.
struct Thought<G: Game> {
    rules: Arc<Rules<G>>,
    search: Search<G>,
    seed: u64,
    /// Moves from the start of the game to the root.
    ply: u64,
}

impl<G: Game> Thought<G> {
    /// Visits and values of the root's moves on a board of so many cells.
    fn tables_of_moves(&self, cells: usize) -> Vec<CellTable> {
        let (game, root) = (&self.rules.game, self.search.root());
        let (mut visits, mut value) = (vec![None; cells], vec![None; cells]);
        // Where several moves end on a cell, the most visited speaks for it, which comes first.
        for stat in self.search.report().moves.iter().filter(|stat| stat.visits > 0) {
            let Some(&cell) = game.move_cells(root, stat.mv).last() else { continue };
            if visits[cell].is_none() {
                visits[cell] = Some(stat.visits as f32);
                value[cell] = stat.mean().map(|mean| mean as f32);
            }
        }
        let side = Some(game.side_to_move(root));
        vec![
            CellTable { name: "visits", side, holds: Holds::Count, values: visits },
            CellTable { name: "value", side, holds: Holds::Rate, values: value },
        ]
    }
}

impl<G: Game> Thinking for Thought<G> {
    fn run(&mut self, limit: &Limit, rest: &Limit, stop: &Arc<AtomicBool>) -> bool {
        self.search.run_part(limit, rest, stop)
    }

    fn advance(&mut self, moves: &[String]) -> Result<bool> {
        if self.search.worlds().is_some() {
            return Err(Error::new(
                "a search in sampled worlds, or with candidates other than full, cannot go on to another position",
            ));
        }
        let game = &self.rules.game;
        let mut state = self.search.root().clone();
        let mut path = Vec::with_capacity(moves.len());
        for name in moves {
            let mv = game.parse_move(&state, name)?;
            game.play(&mut state, mv);
            path.push(mv);
        }
        if self.rules.outcome(&state).is_some() {
            return Err(Error::new(format!("there is nothing to search: {} ends the game", moves.join(" "))));
        }
        let ply = self.ply + path.len() as u64;
        // The stream that a new search of this position would have.
        let known = path.is_empty() || self.search.advance(&path, state, Rng::stream(&[self.seed, ply]));
        if known {
            self.ply = ply;
        }
        Ok(known)
    }

    fn report(&self) -> TextReport {
        let mut report = self.search.report();
        self.search.draw_best(&mut report);
        text_report(&self.rules, self.search.root(), report)
    }

    fn counts(&self) -> (u64, u64) {
        (self.search.simulations(), self.search.states())
    }

    fn tables(&self) -> Vec<CellTable> {
        let (game, root) = (&self.rules.game, self.search.root());
        let cells = game.board().cells.len();
        if cells == 0 {
            return Vec::new();
        }
        if game.slots() == 0 {
            return self.tables_of_moves(cells);
        }
        let cell_of = |slot: usize| game.slot_cells(root, slot).last().copied();
        let on_board = |table: MoveTable| {
            let mut values: Vec<Option<f32>> = vec![None; cells];
            for (slot, value) in table.values.iter().enumerate() {
                let Some(value) = value else { continue };
                let Some(cell) = cell_of(slot) else { continue };
                let value = match table.holds {
                    Holds::Move => match cell_of(*value as usize) {
                        Some(reply) => reply as f32,
                        None => continue,
                    },
                    _ => *value,
                };
                values[cell] = Some(values[cell].map_or(value, |known| known.max(value)));
            }
            CellTable { name: table.name, side: table.side, holds: table.holds, values }
        };
        self.search.tables().into_iter().map(on_board).collect()
    }

    fn explore(&self, moves: &[String], most: usize) -> Result<Vec<TextChild>> {
        let game = &self.rules.game;
        let mut state = self.search.root().clone();
        let mut path = Vec::with_capacity(moves.len());
        for name in moves {
            let mv = game.parse_move(&state, name)?;
            game.play(&mut state, mv);
            path.push(mv);
        }
        let found = self.search.explore(&path, most).unwrap_or_default();
        let named = found.into_iter().map(|(stat, line)| TextChild {
            name: game.move_name(&state, stat.mv),
            visits: stat.visits,
            value: stat.mean(),
            proof: stat.proof,
            line: names(game, &state, line),
        });
        Ok(named.collect())
    }

    fn keep_log(&mut self) {
        self.search.keep_log();
    }

    fn log(&self) -> Vec<TextLogged> {
        let named = |logged: &Logged| {
            // Names depend on nothing that is hidden, so the world of the simulation is not needed for them.
            let mut state = self.search.root().clone();
            let mut names = Vec::new();
            for &(mv, _) in &logged.moves {
                names.push(self.rules.game.move_name(&state, mv));
                self.rules.game.play(&mut state, mv);
            }
            let Logged { tree_moves, value, world, .. } = logged.clone();
            TextLogged { moves: names, tree_moves, value, world }
        };
        self.search.log().iter().map(named).collect()
    }
}

/// The names of moves that are played one after the other.
fn names<G: Game>(game: &G, state: &G::State, moves: Vec<Move>) -> Vec<String> {
    let mut after = state.clone();
    let mut names = Vec::with_capacity(moves.len());
    for mv in moves {
        names.push(game.move_name(&after, mv));
        game.play(&mut after, mv);
    }
    names
}

fn text_report<G: Game>(rules: &Rules<G>, state: &G::State, report: Report) -> TextReport {
    let game = &rules.game;
    let line = names(game, state, report.line);
    let stats = report.moves.iter().map(|stat| TextStat {
        name: game.move_name(state, stat.mv),
        visits: stat.visits,
        value: stat.mean(),
        proof: stat.proof,
        amaf: stat.amaf.map(|amaf| (amaf.visits as f64, amaf.mean().map(f64::from))),
    });
    TextReport {
        best: game.move_name(state, report.best),
        moves: stats.collect(),
        line,
        side: game.side_to_move(state),
        simulations: report.simulations,
        states: report.states,
        seconds: report.seconds,
        nodes: report.nodes,
        bytes: report.bytes,
        full_at: report.full_at,
        notes: report.notes,
    }
}
