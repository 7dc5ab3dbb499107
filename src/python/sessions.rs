//! Games in play and searches for Python.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::handles::{Game, Player};
use super::{guarded, panicked, raised};
use crate::game::Piece;
use crate::perft::Count;
use crate::session::{self, TextChild, TextReport, Thinking};
use crate::solver::Progress;
use crate::types::{Error, Limit, Outcome, Side};

/// Runs `work` on a thread of its own without the GIL; Ctrl-C raises `stop` and ends it.
fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let thread = scope.spawn(move || {
                let result = work();
                // The receiver waits for this thread whatever happens.
                let _ = sender.send(());
                result
            });
            let mut interrupted = Ok(());
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(Duration::from_millis(30)) {
                if interrupted.is_ok() {
                    interrupted = Python::attach(|py| py.check_signals());
                    if interrupted.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            match thread.join() {
                Ok(result) => interrupted.map(|()| result),
                Err(panic) => Err(panicked(&*panic)),
            }
        })
    })
}

fn side(name: &str) -> PyResult<Side> {
    Side::parse(name).map_err(raised)
}

/// A limit from Python, None if nothing is limited.
fn limit(
    simulations: Option<u64>,
    states: Option<u64>,
    seconds: Option<f64>,
    cpu_seconds: Option<f64>,
) -> PyResult<Option<Limit>> {
    for (name, value) in [("seconds", seconds), ("cpu_seconds", cpu_seconds)] {
        if value.is_some_and(|x| !(0.0..=1e9).contains(&x)) {
            return Err(raised(Error::new(format!(
                "{name}={} is not allowed: a number from 0",
                value.unwrap_or(0.0)
            ))));
        }
    }
    let limit = Limit { simulations, states, seconds, cpu_seconds };
    Ok((!limit.is_unbounded()).then_some(limit))
}

fn report_dict<'py>(py: Python<'py>, report: &TextReport) -> PyResult<Bound<'py, PyDict>> {
    let moves = PyList::empty(py);
    for stat in &report.moves {
        let entry = PyDict::new(py);
        entry.set_item("name", &stat.name)?;
        entry.set_item("visits", stat.visits)?;
        entry.set_item("value", stat.value)?;
        entry.set_item("proof", stat.proof.name())?;
        entry.set_item("amaf_visits", stat.amaf.map(|(visits, _)| visits))?;
        entry.set_item("amaf_value", stat.amaf.and_then(|(_, value)| value))?;
        moves.append(entry)?;
    }
    let entry = PyDict::new(py);
    entry.set_item("best", &report.best)?;
    entry.set_item("side", report.side.name())?;
    entry.set_item("moves", moves)?;
    entry.set_item("line", &report.line)?;
    entry.set_item("simulations", report.simulations)?;
    entry.set_item("states", report.states)?;
    entry.set_item("seconds", report.seconds)?;
    entry.set_item("nodes", report.nodes)?;
    entry.set_item("bytes", report.bytes)?;
    entry.set_item("full_at", report.full_at)?;
    entry.set_item("notes", &report.notes)?;
    Ok(entry)
}

/// One game in play.
#[pyclass(module = "coppice._core")]
pub struct Session {
    pub session: Box<dyn session::Session>,
}

impl Session {
    /// Secrets leave the core only when the game is over or when they are asked for by name.
    fn may_reveal(&self, reveal: bool) -> PyResult<()> {
        if reveal || !self.session.game().is_hidden() || self.session.outcome().is_some() {
            return Ok(());
        }
        Err(raised(Error::new(
            "this game has secrets until it is over: ask for view(side), or say reveal=True",
        )))
    }
}

#[pymethods]
impl Session {
    /// The game that is played, as it was built.
    #[getter]
    fn game(&self) -> Game {
        Game { built: self.session.game() }
    }

    fn copy(&self) -> Session {
        Session { session: self.session.copy() }
    }

    #[getter]
    fn to_move(&self) -> &'static str {
        self.session.side_to_move().name()
    }

    /// `first`, `second`, `draw`, or None while the game goes on.
    #[getter]
    fn outcome(&self) -> Option<&'static str> {
        self.session.outcome().map(|outcome| match outcome {
            Outcome::Win(side) => side.name(),
            Outcome::Draw => "draw",
        })
    }

    #[getter]
    fn end_kind(&self) -> &'static str {
        self.session.end_kind()
    }

    /// The side that did it, what it did and by doing what; None where the game has no words for its end.
    #[getter]
    fn ending(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let ending = self.session.ending()?;
        Some((ending.side(self.session.side_to_move()).name(), ending.did, ending.doing))
    }

    #[getter]
    fn winning_cells(&self) -> Vec<usize> {
        self.session.winning_cells()
    }

    #[getter]
    fn key(&self) -> PyResult<u64> {
        self.may_reveal(false)?;
        guarded(|| self.session.key())
    }

    #[pyo3(signature = (notation="standard"))]
    fn legal_moves(&self, notation: &str) -> PyResult<Vec<String>> {
        guarded(|| self.session.legal_moves(notation))?.map_err(raised)
    }

    #[pyo3(signature = (name, notation="standard"))]
    fn play(&mut self, name: &str, notation: &str) -> PyResult<()> {
        guarded(|| self.session.play(name, notation))?.map_err(raised)
    }

    fn undo(&mut self) -> PyResult<()> {
        self.session.undo().map_err(raised)
    }

    #[pyo3(signature = (notation="standard"))]
    fn moves(&self, notation: &str) -> PyResult<Vec<String>> {
        guarded(|| self.session.moves(notation))?.map_err(raised)
    }

    #[pyo3(signature = (*, reveal=false))]
    fn text(&self, reveal: bool) -> PyResult<String> {
        self.may_reveal(reveal)?;
        guarded(|| self.session.state_text())
    }

    fn diagram(&self) -> PyResult<String> {
        guarded(|| self.session.diagram())
    }

    fn view(&self, side_name: &str) -> PyResult<Vec<(String, String)>> {
        let side = side(side_name)?;
        Ok(guarded(|| self.session.view(side))?.facts)
    }

    fn legal_move_cells(&self) -> PyResult<Vec<(String, Vec<usize>)>> {
        guarded(|| self.session.legal_move_cells())
    }

    fn completing(&self, side_name: &str) -> PyResult<Vec<String>> {
        let side = side(side_name)?;
        self.may_reveal(false)?;
        Ok(self.session.completing(side))
    }

    fn forced_win(&self, tries: usize) -> PyResult<Option<Vec<String>>> {
        self.may_reveal(false)?;
        guarded(|| self.session.forced_win(tries))
    }

    #[pyo3(signature = (*, reveal=false))]
    fn estimate(&self, reveal: bool) -> PyResult<Option<f32>> {
        self.may_reveal(reveal)?;
        guarded(|| self.session.estimate())
    }

    #[pyo3(signature = (name, rules=None, *, reveal=false))]
    fn scripted(&self, name: &str, rules: Option<&str>, reveal: bool) -> PyResult<(Vec<String>, f32)> {
        self.may_reveal(reveal)?;
        guarded(|| self.session.scripted(name, rules))?.map_err(raised)
    }

    fn move_cells(&self, name: &str) -> PyResult<Vec<usize>> {
        guarded(|| self.session.move_cells(name))?.map_err(raised)
    }

    /// Everything on the board: what it is, whose or None, its cells, its name, its number, what has become of it.
    fn pieces(&self) -> PyResult<Vec<PlainPiece>> {
        let pieces = guarded(|| self.session.pieces())?;
        let plain = |piece: Piece| {
            let (kind, side) = (piece.kind.name().to_string(), piece.side.map(Side::name));
            (kind, side, piece.cells, piece.name, piece.number, piece.state)
        };
        Ok(pieces.into_iter().map(plain).collect())
    }

    #[pyo3(signature = (player, *, seed=0, simulations=None, states=None, seconds=None, cpu_seconds=None))]
    #[allow(clippy::too_many_arguments)]
    fn search<'py>(
        &self,
        py: Python<'py>,
        player: &Player,
        seed: u64,
        simulations: Option<u64>,
        states: Option<u64>,
        seconds: Option<f64>,
        cpu_seconds: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let player = &player.resolved;
        let limit = limit(simulations, states, seconds, cpu_seconds)?;
        let stop = Arc::new(AtomicBool::new(false));
        let session = &self.session;
        let report = interruptible(py, &stop, || session.search(player, limit, seed, &stop))?;
        report_dict(py, &report.map_err(raised)?)
    }

    #[pyo3(signature = (player, *, seed=0))]
    fn think(&self, player: &Player, seed: u64) -> PyResult<Search> {
        let search = guarded(|| self.session.think(&player.resolved, seed))?.map_err(raised)?;
        Ok(Search { search: Mutex::new(search), stop: Arc::new(AtomicBool::new(false)) })
    }

    /// Plays uniformly random games from here and sums them up.
    #[pyo3(signature = (games, *, seed=0, reveal=false))]
    fn random_games<'py>(
        &self,
        py: Python<'py>,
        games: u64,
        seed: u64,
        reveal: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.may_reveal(reveal)?;
        let sum = py.detach(|| guarded(|| self.session.random_games(games, seed)))?;
        let entry = PyDict::new(py);
        entry.set_item("games", sum.games)?;
        entry.set_item("first_wins", sum.first_wins)?;
        entry.set_item("draws", sum.draws)?;
        entry.set_item("length_sum", sum.length_sum)?;
        entry.set_item("length_square_sum", sum.length_square_sum)?;
        entry.set_item("cpu_seconds", sum.cpu_seconds)?;
        Ok(entry)
    }

    /// The exact value of the position. `tell` is called with (nodes, seconds, bytes, known moves, all moves)
    /// twice a second; an exception in it ends the work.
    #[pyo3(signature = (*, memory, states=None, seconds=None, cpu_seconds=None, tell=None))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        memory: usize,
        states: Option<u64>,
        seconds: Option<f64>,
        cpu_seconds: Option<f64>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let limit = limit(None, states, seconds, cpu_seconds)?.unwrap_or_default();
        let stop = Arc::new(AtomicBool::new(false));
        let mut failed = None;
        let found = interruptible(py, &stop, || {
            let mut tell_python = |progress: &Progress| {
                let Some(tell) = &tell else { return };
                let Progress { nodes, seconds, bytes, moves: (known, all), .. } = *progress;
                let told =
                    Python::attach(|py| tell.call1(py, (nodes, seconds, bytes, known, all)).map(|_| ()));
                if let Err(error) = told {
                    failed = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
            };
            self.session.solve(&limit, memory, &stop, &mut tell_python)
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        let found = found.map_err(raised)?;
        let entry = PyDict::new(py);
        let moves: Vec<(String, Option<&str>)> =
            found.moves.into_iter().map(|(name, proof)| (name, proof.name())).collect();
        entry.set_item("value", found.value.name())?;
        entry.set_item("side", found.side.name())?;
        entry.set_item("moves", moves)?;
        entry.set_item("nodes", found.nodes)?;
        entry.set_item("states", found.states)?;
        entry.set_item("seconds", found.seconds)?;
        entry.set_item("bytes", found.bytes)?;
        Ok(entry)
    }

    /// (depth, sequences, terminal, wins_first, wins_second, draws) for each depth; secrets are the caller's.
    #[pyo3(signature = (depth, *, reveal=false))]
    fn perft(&self, py: Python<'_>, depth: usize, reveal: bool) -> PyResult<Vec<PerftRow>> {
        self.may_reveal(reveal)?;
        let stop = Arc::new(AtomicBool::new(false));
        let counts = interruptible(py, &stop, || self.session.perft(depth))?;
        let row = |c: Count| (c.depth, c.sequences, c.terminal, c.wins_first, c.wins_second, c.draws);
        Ok(counts.into_iter().map(row).collect())
    }
}

/// Depth, sequences, terminal, wins_first, wins_second, draws.
type PlainPiece = (String, Option<&'static str>, Vec<usize>, &'static str, Option<u8>, &'static str);

type PerftRow = (usize, u64, u64, u64, u64, u64);

/// Name, visits, value, proof and expected line of a child.
type Explored = (String, u64, Option<f64>, Option<&'static str>, Vec<String>);

/// Name, side, scale, doc and values of a table.
type PlainTable = (&'static str, Option<&'static str>, &'static str, &'static str, Vec<Option<f32>>);

/// How long a run holds the search before another thread may read it.
const SLICE: f64 = 0.02;

/// A search that can be run on, read from another thread while it runs, and stopped.
#[pyclass(module = "coppice._core")]
pub struct Search {
    search: Mutex<Box<dyn Thinking>>,
    stop: Arc<AtomicBool>,
}

impl Search {
    fn lock(&self) -> MutexGuard<'_, Box<dyn Thinking>> {
        self.search.lock()
    }

    /// Runs in slices, so that reports can be read in between.
    fn run_slices(&self, limit: &Limit) {
        let started = std::time::Instant::now();
        let (mut simulations, mut states) = (0, 0);
        let mut cpu_used = 0.0;
        while !self.stop.load(Ordering::Relaxed) {
            let left = |bound: Option<f64>, used: f64| bound.map(|bound| (bound - used).max(0.0));
            let slice = Limit {
                simulations: limit.simulations.map(|n| n - simulations),
                states: limit.states.map(|n| n.saturating_sub(states)),
                seconds: Some(
                    left(limit.seconds, started.elapsed().as_secs_f64()).unwrap_or(SLICE).min(SLICE),
                ),
                cpu_seconds: left(limit.cpu_seconds, cpu_used),
            };
            let used_up = slice.simulations == Some(0)
                || slice.states == Some(0)
                || slice.cpu_seconds == Some(0.0)
                || limit.seconds.is_some_and(|bound| started.elapsed().as_secs_f64() >= bound);
            if used_up {
                break;
            }
            let mut search = self.lock();
            let (before, cpu_before) = (search.counts(), crate::types::thread_cpu_seconds());
            let rest = Limit { seconds: left(limit.seconds, started.elapsed().as_secs_f64()), ..slice };
            let goes_on = search.run(&slice, &rest, &self.stop);
            let after = search.counts();
            // Handed to the thread that waits: an unfair lock would be taken again before a reader has woken up.
            MutexGuard::unlock_fair(search);
            cpu_used += crate::types::thread_cpu_seconds() - cpu_before;
            simulations += after.0 - before.0;
            states += after.1 - before.1;
            if !goes_on {
                break;
            }
        }
    }
}

#[pymethods]
impl Search {
    /// Adds simulations until the limit, counted from now; without one, until `stop()`.
    #[pyo3(signature = (*, simulations=None, states=None, seconds=None, cpu_seconds=None))]
    fn run(
        &self,
        py: Python<'_>,
        simulations: Option<u64>,
        states: Option<u64>,
        seconds: Option<f64>,
        cpu_seconds: Option<f64>,
    ) -> PyResult<()> {
        let limit = limit(simulations, states, seconds, cpu_seconds)?.unwrap_or_default();
        self.stop.store(false, Ordering::Relaxed);
        interruptible(py, &self.stop, || self.run_slices(&limit))
    }

    /// Goes on to the position after `moves` with what is known of it; False, and no change, if nothing is.
    fn advance(&self, py: Python<'_>, moves: Vec<String>) -> PyResult<bool> {
        py.detach(|| guarded(|| self.lock().advance(&moves)))?.map_err(raised)
    }

    /// Ends a run that another thread is making.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = py.detach(|| guarded(|| self.lock().report()))?;
        report_dict(py, &report)
    }

    /// (name, visits, value, proof, line) of the children of the node after `moves`, most visited first.
    #[pyo3(signature = (moves, *, most=8))]
    fn explore(&self, py: Python<'_>, moves: Vec<String>, most: usize) -> PyResult<Vec<Explored>> {
        let children = py.detach(|| guarded(|| self.lock().explore(&moves, most)))?.map_err(raised)?;
        let plain =
            |child: TextChild| (child.name, child.visits, child.value, child.proof.name(), child.line);
        Ok(children.into_iter().map(plain).collect())
    }

    /// Keeps every simulation from now on.
    fn keep_log(&self, py: Python<'_>) {
        py.detach(|| self.lock().keep_log());
    }

    /// Every statistic on the board: name, side or None, scale, what a value says, value per cell.
    fn tables(&self, py: Python<'_>) -> PyResult<Vec<PlainTable>> {
        let tables = py.detach(|| guarded(|| self.lock().tables()))?;
        let plain = |table: session::CellTable| {
            (table.name, table.side.map(Side::name), table.scale.name(), table.doc, table.values)
        };
        Ok(tables.into_iter().map(plain).collect())
    }

    /// (world as text, whether the other side's nodes learnt from it) of each kept simulation of a game with
    /// hidden information; None for other games.
    fn worlds(&self, py: Python<'_>) -> Vec<Option<(String, bool)>> {
        let log = py.detach(|| self.lock().log());
        log.into_iter().map(|logged| logged.world.map(|world| (world.text, world.shared))).collect()
    }

    /// (moves, how many of them in the tree, result for the first side) of each kept simulation.
    fn log(&self, py: Python<'_>) -> PyResult<Vec<(Vec<String>, usize, f32)>> {
        let log = py.detach(|| guarded(|| self.lock().log()))?;
        Ok(log.into_iter().map(|logged| (logged.moves, logged.tree_moves, logged.value)).collect())
    }
}
