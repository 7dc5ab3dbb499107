//! The Python extension module `coppice._core`: text specs in, plain records out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList, PyTuple};

use crate::game::{CellKind, PieceKind};
use crate::spec::{Family, Kind, OptionInfo, StandsFor};
use crate::tree::Scale;
use crate::types::{Error, ErrorKind, Result};
use crate::{arena, catalogue, fingerprints};

mod attach;
mod games;
mod guest;
mod handles;
mod policies;
mod sessions;
mod specs;

// One class for each kind of error. The full name of the module lets workers send them to each other.
create_exception!(
    coppice._core,
    RefusedError,
    PyValueError,
    "What was asked for is not allowed; the message says what is."
);
create_exception!(
    coppice._core,
    ForfeitError,
    PyValueError,
    "A player from elsewhere has lost its game without a move: it crashed, fell silent, resigned."
);
create_exception!(
    coppice._core,
    GuestError,
    PyValueError,
    "A game or policy written in Python has failed; the message names it and what it did."
);
create_exception!(
    coppice._core,
    CoreError,
    PyRuntimeError,
    "A bug of the core, caught before it could do harm."
);

/// An error as the exception of its kind, with the same words.
fn raised(error: Error) -> PyErr {
    let words = error.to_string();
    match error.kind() {
        ErrorKind::Refused => RefusedError::new_err(words),
        ErrorKind::Forfeit => ForfeitError::new_err(words),
        ErrorKind::Guest => GuestError::new_err(words),
        ErrorKind::Internal => CoreError::new_err(words),
    }
}

/// The kind of an exception that came out of a guest. A plain ValueError is how Python code refuses; its subclasses,
/// like those of broken JSON, say that something failed.
fn kind_of(py: Python<'_>, error: &PyErr) -> ErrorKind {
    if error.is_instance_of::<CoreError>(py) {
        ErrorKind::Internal
    } else if error.get_type(py).is(py.get_type::<PyValueError>()) || error.is_instance_of::<RefusedError>(py)
    {
        ErrorKind::Refused
    } else {
        ErrorKind::Guest
    }
}

/// Whether the words of an exception are meant for people: those of the core are, and those of a refusal.
fn speaks_for_itself(py: Python<'_>, error: &PyErr) -> bool {
    kind_of(py, error) == ErrorKind::Refused
        || error.is_instance_of::<ForfeitError>(py)
        || error.is_instance_of::<GuestError>(py)
}

/// A panic as an exception.
fn panicked(panic: &(dyn std::any::Any + Send)) -> PyErr {
    raised(arena::panic_error(panic))
}

/// Runs `work`, in which a guest may fail.
fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panicked(&*panic))
}

fn family(name: &str) -> Result<Family> {
    let found = Family::ALL.into_iter().find(|family| family.name() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
        Error::new(format!("unknown family '{name}': {}", names.join(", ")))
    })
}

/// What a spec names that lives outside the process; it is parsed, and nothing is resolved.
#[pyfunction]
fn outside(spec: &str) -> PyResult<Vec<String>> {
    catalogue::outside(spec).map_err(raised)
}

fn option_dict<'py>(py: Python<'py>, option: &OptionInfo) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("name", option.name)?;
    entry.set_item("default", option.default)?;
    entry.set_item("or_none", option.or_none)?;
    entry.set_item("allowed", option.allowed())?;
    entry.set_item("doc", option.doc)?;
    let (kind, min, max) = match option.kind {
        Kind::Int { min, max } => ("int", Some(min as f64), Some(max as f64)),
        Kind::Real { min, max } => ("real", Some(min), Some(max)),
        Kind::Bool => ("bool", None, None),
        Kind::Choice(_) => ("choice", None, None),
        Kind::Text => ("text", None, None),
        Kind::Spec(_) => ("spec", None, None),
        Kind::Twice(_) => ("twice", None, None),
    };
    entry.set_item("kind", kind)?;
    entry.set_item("min", min)?;
    entry.set_item("max", max)?;
    let choices: Vec<&str> = match option.kind {
        Kind::Choice(choices) => choices.to_vec(),
        _ => Vec::new(),
    };
    entry.set_item("choices", choices)?;
    let of = match option.kind {
        Kind::Spec(family) => Some(family.name()),
        Kind::Twice(of) => Some(of),
        _ => None,
    };
    entry.set_item("of", of)?;
    Ok(entry)
}

/// Everything that a spec can name: one dict per entry, options included.
#[pyfunction]
#[pyo3(name = "catalogue")]
fn describe(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    let all = catalogue::catalogue();
    for (family, info) in &all.parts {
        let entry = PyDict::new(py);
        entry.set_item("family", family.name())?;
        entry.set_item("name", info.name)?;
        entry.set_item("doc", info.doc)?;
        entry.set_item("positional", info.positional)?;
        let options: Vec<Bound<'_, PyDict>> =
            info.options.iter().map(|option| option_dict(py, option)).collect::<PyResult<_>>()?;
        entry.set_item("options", options)?;
        entry.set_item("stands_for", None::<&str>)?;
        entry.set_item("by_game", PyDict::new(py))?;
        list.append(entry)?;
    }
    for named in &all.named {
        let entry = PyDict::new(py);
        entry.set_item("family", named.family.name())?;
        entry.set_item("name", named.name)?;
        entry.set_item("doc", named.doc)?;
        entry.set_item("positional", None::<&str>)?;
        entry.set_item("options", PyList::empty(py))?;
        let (one, games) = match named.stands_for {
            StandsFor::One(spec) => (Some(spec), &[][..]),
            StandsFor::ByGame(games) => (None, games),
        };
        entry.set_item("stands_for", one)?;
        let by_game = games.iter().map(|entry| (entry.title(), entry.spec));
        entry.set_item("by_game", by_game.into_py_dict(py)?)?;
        list.append(entry)?;
    }
    Ok(list)
}

/// The fingerprints that are compiled in, or those of the code itself, made anew on so many threads: the text of the
/// file and the signature.
#[pyfunction]
#[pyo3(name = "fingerprints", signature = (threads=None))]
fn read_fingerprints(py: Python<'_>, threads: Option<usize>) -> PyResult<(String, String)> {
    let lines = match threads {
        None => Ok(fingerprints::kept().to_vec()),
        Some(threads) => py.detach(|| fingerprints::compute(threads)),
    };
    let lines = lines.map_err(raised)?;
    Ok((fingerprints::write(&lines), fingerprints::signature(&lines).to_string()))
}

/// One number over the fingerprints of the parts of a player in a game.
#[pyfunction]
fn play_version(game: handles::GameLike, player: handles::PlayerLike) -> PyResult<String> {
    let (game, player) = (game.spec()?, player.read().map_err(raised)?);
    fingerprints::play_version_of(&game, &player).map_err(raised)
}

#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    attach::watch_the_end(m.py())?;
    // A panic becomes an exception or an error that names its game; its own words on stderr would be noise.
    std::panic::set_hook(Box::new(|_| {}));
    m.add("PLAY_VERSION", fingerprints::play_version())?;
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("PIECE_KINDS", PyTuple::new(m.py(), PieceKind::NAMES)?)?;
    m.add("CELL_KINDS", PyTuple::new(m.py(), CellKind::NAMES)?)?;
    m.add("SCALES", PyTuple::new(m.py(), Scale::ALL.map(Scale::name))?)?;
    m.add("RefusedError", m.py().get_type::<RefusedError>())?;
    m.add("ForfeitError", m.py().get_type::<ForfeitError>())?;
    m.add("GuestError", m.py().get_type::<GuestError>())?;
    m.add("CoreError", m.py().get_type::<CoreError>())?;
    crate::games::guest::HOST.set(guest::load);
    crate::playout::guest::HOST.set(policies::load_playout);
    crate::selection::guest::HOST.set(policies::load_selection);
    m.add_function(wrap_pyfunction!(handles::canonical, m)?)?;
    m.add_function(wrap_pyfunction!(outside, m)?)?;
    m.add_function(wrap_pyfunction!(specs::parse_spec, m)?)?;
    m.add_function(wrap_pyfunction!(handles::check_game, m)?)?;
    m.add_function(wrap_pyfunction!(handles::check_player, m)?)?;
    m.add_function(wrap_pyfunction!(handles::rule_scripts, m)?)?;
    m.add_function(wrap_pyfunction!(handles::check_rules, m)?)?;
    m.add_function(wrap_pyfunction!(handles::patterns, m)?)?;
    m.add_function(wrap_pyfunction!(handles::pattern_choices, m)?)?;
    m.add_function(wrap_pyfunction!(handles::built, m)?)?;
    m.add_function(wrap_pyfunction!(describe, m)?)?;
    m.add_function(wrap_pyfunction!(read_fingerprints, m)?)?;
    m.add_function(wrap_pyfunction!(play_version, m)?)?;
    m.add_function(wrap_pyfunction!(games::play_games, m)?)?;
    m.add_class::<games::Games>()?;
    m.add_class::<handles::Game>()?;
    m.add_class::<handles::Player>()?;
    m.add_class::<sessions::Session>()?;
    m.add_class::<sessions::Search>()?;
    m.add_class::<policies::Chance>()?;
    m.add_class::<policies::Turn>()?;
    m.add_class::<policies::Node>()?;
    m.add_class::<policies::Child>()?;
    m.add_class::<policies::Simulation>()?;
    Ok(())
}
