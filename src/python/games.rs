//! Matches for Python: records handed out as plain dicts, the GIL free while games are played.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::{CoreError, refused};
use crate::arena::{self, GameRecord, MatchPlan, Next, Openings};
use crate::catalogue;
use crate::spec::Family;
use crate::types::{Outcome, Result};

/// Games under way. Iterating gives lists of records, each as soon as something is finished and at the
/// latest after a fifth of a second, so that whoever waits stays responsive.
#[pyclass(module = "coppice._core")]
pub struct Games {
    games: Mutex<Option<arena::Games>>,
}

/// A batch is handed out when it is this old, however small it is.
const PATIENCE: Duration = Duration::from_millis(200);
/// Quick games come in large batches; larger ones than this would only delay the first.
const BATCH: usize = 4096;

impl Games {
    /// Records that are ready, the error that ended the match, and whether it is over.
    fn wait(&self) -> (Vec<GameRecord>, Option<String>, bool) {
        let guard = self.games.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(games) = guard.as_ref() else { return (Vec::new(), None, true) };
        let started = Instant::now();
        let mut records = Vec::new();
        loop {
            // After the first record only what is already there is added.
            let wait = if records.is_empty() { Duration::from_millis(20) } else { Duration::from_millis(2) };
            match games.next_within(wait) {
                Next::Record(record) => match *record {
                    Ok(record) => records.push(record),
                    Err(error) => return (records, Some(error.to_string()), true),
                },
                Next::NotYet if !records.is_empty() => return (records, None, false),
                Next::NotYet => {}
                Next::Finished => return (records, None, true),
            }
            if records.len() >= BATCH || started.elapsed() > PATIENCE {
                return (records, None, false);
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
        let (records, error, over) = py.detach(|| self.wait());
        py.check_signals()?;
        if records.is_empty() {
            if let Some(error) = error {
                self.stop(py);
                return Err(if error.contains("internal error") {
                    CoreError::new_err(error)
                } else {
                    refused(crate::types::Error::new(error))
                });
            }
            if over {
                self.stop(py);
                return Ok(None);
            }
        } else if let Some(error) = error {
            // Hand out what is finished first; the next call reports the error.
            self.stop(py);
            let list = record_list(py, &records)?;
            list.append(error_entry(py, &error)?)?;
            return Ok(Some(list));
        }
        record_list(py, &records).map(Some)
    }

    /// Ends the games under way; what is finished has been handed out.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| {
            let games = self.games.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
            drop(games);
        });
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
        entry.set_item("note", "")?;
        list.append(entry)?;
    }
    Ok(list)
}

fn error_entry<'py>(py: Python<'py>, error: &str) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("error", error)?;
    Ok(entry)
}

/// Starts the games with these indices. `openings` is a spec (`none`, `random(plies=2)`) or a list of lines,
/// each a list of moves.
#[pyfunction]
#[pyo3(signature = (game, a, b, *, seed, indices, threads, openings))]
pub fn play_games(
    game: &str,
    a: &str,
    b: &str,
    seed: u64,
    indices: Vec<u64>,
    threads: usize,
    openings: OpeningsArgument,
) -> PyResult<Games> {
    let plan = || -> Result<MatchPlan> {
        let player = |name: &str, text: &str| {
            catalogue::read(Family::Player, text).map_err(|e| e.within(format!("player {name}")))
        };
        Ok(MatchPlan {
            game: catalogue::read(Family::Game, game)?,
            players: [player("a", a)?, player("b", b)?],
            seed,
            openings: match openings {
                OpeningsArgument::Spec(text) => {
                    Openings::from_spec(&catalogue::read(Family::Openings, &text)?)
                }
                OpeningsArgument::Lines(lines) => Openings::Lines(lines),
            },
        })
    };
    let games = plan().and_then(|plan| arena::play_games(plan, indices, threads)).map_err(refused)?;
    Ok(Games { games: Mutex::new(Some(games)) })
}

#[derive(FromPyObject)]
pub enum OpeningsArgument {
    Spec(String),
    Lines(Vec<Vec<String>>),
}
