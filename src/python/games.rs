//! Matches for Python: records handed out as plain dicts, the GIL free while games are played.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::handles::{GameLike, PlayerLike};
use super::{guarded, raised};
use crate::arena::{self, GameRecord, MatchPlan, Next};
use crate::catalogue;
use crate::openings::Openings;
use crate::spec::Family;
use crate::types::{Error, Outcome, Result};

/// Games under way. Iterating gives lists of records, each as soon as something is finished and at the
/// latest after a fifth of a second, so that the waiting thread stays responsive.
#[pyclass(module = "coppice._core")]
pub struct Games {
    games: Mutex<UnderWay>,
    stop: Arc<AtomicBool>,
}

struct UnderWay {
    games: arena::Games,
    /// What ended the match early; raised once everything finished has been handed out.
    error: Option<Error>,
}

/// A batch is handed out when it is this old, however small it is.
const PATIENCE: Duration = Duration::from_millis(200);
/// Quick games come in large batches; larger ones than this would only delay the first.
const BATCH: usize = 4096;

impl UnderWay {
    /// Records that are ready, and whether there will be no more.
    fn wait(&mut self) -> (Vec<GameRecord>, bool) {
        let started = Instant::now();
        let mut records = Vec::new();
        loop {
            // After the first record only what is already there is added.
            let wait = Duration::from_millis(if records.is_empty() { 20 } else { 2 });
            match self.games.next_within(wait) {
                Next::Record(record) => match *record {
                    Ok(record) => records.push(record),
                    // Other games may have failed in the same way: the first one tells.
                    Err(error) => self.error = self.error.take().or(Some(error)),
                },
                Next::NotYet if !records.is_empty() => return (records, false),
                Next::NotYet => {}
                Next::Finished => return (records, true),
            }
            if records.len() >= BATCH || started.elapsed() > PATIENCE {
                return (records, false);
            }
        }
    }
}

#[pymethods]
impl Games {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let (records, over, error) = py.detach(|| {
            let mut games = self.games.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let (records, over) = games.wait();
            let error = if over && records.is_empty() { games.error.take() } else { None };
            (records, over, error)
        });
        py.check_signals()?;
        match error {
            Some(error) => Err(raised(error)),
            None if over && records.is_empty() => Ok(None),
            None => record_list(py, &records).map(Some),
        }
    }

    /// Ends the games under way at their next simulation; what is finished is still handed out.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Games {
    /// Games written in Python need the GIL to come to their end: the thread that waits for them must not hold it.
    fn drop(&mut self) {
        let games = self.games.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        Python::attach(|py| py.detach(|| games.games.finish()));
    }
}

fn record_list<'py>(py: Python<'py>, records: &[GameRecord]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for record in records {
        let entry = PyDict::new(py);
        entry.set_item("index", record.index)?;
        entry.set_item("first", if record.a_first { "a" } else { "b" })?;
        let winner = match record.outcome {
            Outcome::Win(side) => Some(side.name()),
            Outcome::Draw => None,
        };
        entry.set_item("winner", winner)?;
        entry.set_item("score", record.score_a())?;
        entry.set_item("kind", &record.kind)?;
        let separator = if record.moves.iter().any(|mv| mv.contains(' ')) { ", " } else { " " };
        entry.set_item("moves", record.moves.join(separator))?;
        entry.set_item("length", record.moves.len())?;
        entry.set_item("seconds", record.seconds)?;
        entry.set_item("note", &record.note)?;
        for (name, used) in ["used_a", "used_b"].into_iter().zip(record.used) {
            entry.set_item(name, (used.decisions, used.simulations, used.states))?;
        }
        list.append(entry)?;
    }
    Ok(list)
}

/// Starts the games with these indices. `openings` is a spec (`none`, `random(plies=2)`) or a list of lines,
/// each the moves of an opening.
#[pyfunction]
#[pyo3(signature = (game, a, b, *, seed, indices, threads, openings))]
pub fn play_games(
    game: GameLike,
    a: PlayerLike,
    b: PlayerLike,
    seed: u64,
    indices: Vec<u64>,
    threads: usize,
    openings: OpeningsArgument,
) -> PyResult<Games> {
    let game = game.open()?;
    let plan = || -> Result<MatchPlan> {
        let player = |name: &str, player: PlayerLike| {
            player.read().map(Arc::unwrap_or_clone).map_err(|e| e.within(format!("player {name}")))
        };
        Ok(MatchPlan {
            players: [player("a", a)?, player("b", b)?],
            seed,
            openings: match openings {
                OpeningsArgument::Spec(text) => {
                    Openings::from_spec(&catalogue::read(Family::Openings, &text)?)
                }
                OpeningsArgument::Lines(lines) => {
                    Openings::Lines(lines.iter().map(|line| moves_of(line)).collect())
                }
            },
        })
    };
    let started = guarded(|| plan().and_then(|plan| game.play_games(plan, indices, threads)))?;
    let games = started.map_err(raised)?;
    let stop = games.stop_flag();
    Ok(Games { games: Mutex::new(UnderWay { games, error: None }), stop })
}

/// Moves are separated by commas where a move has words of its own, else by spaces.
pub(super) fn moves_of(line: &str) -> Vec<String> {
    let trimmed =
        |moves: Vec<&str>| moves.iter().map(|mv| mv.trim().to_string()).filter(|mv| !mv.is_empty()).collect();
    if line.contains(',') {
        trimmed(line.split(',').collect())
    } else {
        trimmed(line.split_whitespace().collect())
    }
}

#[derive(FromPyObject)]
pub enum OpeningsArgument {
    Spec(String),
    Lines(Vec<String>),
}
