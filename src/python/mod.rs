//! The Python extension module `coppice._core`: text specs in, plain records out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList};

use crate::game::{Game, Rules};
use crate::games::{Visitor, conformance, with_game};
use crate::guest::Failure;
use crate::spec::{Family, Kind, OptionInfo, StandsFor};
use crate::types::{Error, Result};
use crate::{arena, catalogue, fingerprints, learn, session};

mod attach;
mod games;
mod guest;
mod policies;
mod sessions;

create_exception!(_core, CoreError, PyRuntimeError, "A bug of the core, caught before it could do harm.");

/// What a person got wrong is a ValueError with one clear line.
fn refused(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A panic as an exception: what a guest did wrong is its author's, everything else a bug of ours.
fn panicked(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let error = arena::panic_error(panic);
    if panic.is::<Failure>() { refused(error) } else { CoreError::new_err(error.to_string()) }
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

/// The canonical form of a spec: every option written out. A player whose name stands for another one in each game
/// is written out as far as all games agree, and in full where a game is given.
#[pyfunction]
#[pyo3(name = "canonical", signature = (family_name, spec, game=None))]
fn canonical(family_name: &str, spec: &str, game: Option<&str>) -> PyResult<String> {
    let family = family(family_name).map_err(refused)?;
    let spec = catalogue::read(family, spec).map_err(refused)?;
    let Some(game) = game.filter(|_| family == Family::Player) else { return Ok(spec.to_string()) };
    let game = catalogue::read(Family::Game, game).map_err(refused)?;
    let spec = guarded(|| catalogue::player_of(&game, &spec))?.map_err(refused)?;
    Ok(spec.to_string())
}

/// What a spec names that lives outside the process; it is parsed, and nothing is resolved.
#[pyfunction]
fn outside(spec: &str) -> PyResult<Vec<String>> {
    catalogue::outside(spec).map_err(refused)
}

/// Raises ValueError if the game cannot serve the player or, `at_board`, if nobody may look at it there.
#[pyfunction]
#[pyo3(signature = (game, player, *, at_board = false))]
fn check_player(game: &str, player: &str, at_board: bool) -> PyResult<()> {
    let game = catalogue::read(Family::Game, game).map_err(refused)?;
    let player = catalogue::read(Family::Player, player).map_err(refused)?;
    let check = if at_board { session::check_at_board } else { session::check_player };
    guarded(|| check(&game, &player))?.map_err(refused)
}

/// Plays random games and checks every position in them against what must hold of every game; raises
/// ValueError with the first thing that does not.
#[pyfunction]
#[pyo3(signature = (game, *, games, seed=0))]
fn check_game(py: Python<'_>, game: &str, games: u64, seed: u64) -> PyResult<()> {
    struct Check(u64, u64);
    impl Visitor for Check {
        type Out = Result<()>;
        fn visit<G: Game>(self, rules: Rules<G>) -> Result<()> {
            conformance::check(&rules.game, self.0, self.1)
        }
    }
    let spec = catalogue::read(Family::Game, game).map_err(refused)?;
    let checked = py.detach(|| guarded(|| with_game(&spec, Check(games, seed))))?;
    checked.map_err(refused)?.map_err(refused)
}

/// File names and texts of the rule scripts that the package brings for a game.
#[pyfunction]
fn rule_scripts(game: &str) -> PyResult<Vec<(String, String)>> {
    let game = catalogue::read(Family::Game, game).map_err(refused)?;
    session::rule_scripts(&game).map_err(refused)
}

/// Runs the rule scripts of a folder against many positions; the number of questions that they answered.
#[pyfunction]
#[pyo3(signature = (game, folder, *, positions, seed=0))]
fn check_rules(
    py: Python<'_>,
    game: &str,
    folder: Option<&str>,
    positions: usize,
    seed: u64,
) -> PyResult<usize> {
    let game = catalogue::read(Family::Game, game).map_err(refused)?;
    py.detach(|| session::check_rules(&game, folder, positions, seed)).map_err(refused)
}

/// The classes of patterns around moves that a game knows: their names, and each drawn in characters.
#[pyfunction]
fn patterns(game: &str) -> PyResult<Vec<(String, String)>> {
    let game = catalogue::read(Family::Game, game).map_err(refused)?;
    learn::patterns(&game).map_err(refused)
}

/// What there was to choose from in the moves of finished games, the first `skip` of each left out.
///
/// `per_game`: how many choices each game had; `chosen`: the kind of the move of each choice; `widths`: how many kinds
/// there were in it; `kinds` and `counts`: these, choice after choice, with how many moves each had. A kind is the
/// number of a class times three, and how the move lay to the last one: far, beside it, in a bridge with it.
#[pyfunction]
#[pyo3(signature = (game, games, *, skip=0))]
fn pattern_choices<'py>(
    py: Python<'py>,
    game: &str,
    games: Vec<String>,
    skip: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let game = catalogue::read(Family::Game, game).map_err(refused)?;
    let games: Vec<Vec<String>> = games.iter().map(|line| games::moves_of(line)).collect();
    let choices = py.detach(|| learn::choices(&game, &games, skip)).map_err(refused)?;
    let entry = PyDict::new(py);
    entry.set_item("per_game", choices.per_game)?;
    entry.set_item("chosen", choices.chosen)?;
    entry.set_item("widths", choices.widths)?;
    entry.set_item("kinds", choices.kinds)?;
    entry.set_item("counts", choices.counts)?;
    Ok(entry)
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
    let lines = lines.map_err(refused)?;
    Ok((fingerprints::write(&lines), fingerprints::signature(&lines).to_string()))
}

/// One number over the fingerprints of the parts of a player in a game.
#[pyfunction]
fn play_version(game: &str, player: &str) -> PyResult<String> {
    let game = catalogue::read(Family::Game, game).map_err(refused)?;
    let player = catalogue::read(Family::Player, player).map_err(refused)?;
    fingerprints::play_version_of(&game, &player).map_err(refused)
}

#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    attach::watch_the_end(m.py())?;
    // A panic becomes an exception or an error that names its game; its own words on stderr would be noise.
    std::panic::set_hook(Box::new(|_| {}));
    m.add("PLAY_VERSION", fingerprints::play_version())?;
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("CoreError", m.py().get_type::<CoreError>())?;
    crate::games::guest::HOST.set(guest::load);
    crate::playout::guest::HOST.set(policies::load_playout);
    crate::selection::guest::HOST.set(policies::load_selection);
    m.add_function(wrap_pyfunction!(canonical, m)?)?;
    m.add_function(wrap_pyfunction!(outside, m)?)?;
    m.add_function(wrap_pyfunction!(check_game, m)?)?;
    m.add_function(wrap_pyfunction!(check_player, m)?)?;
    m.add_function(wrap_pyfunction!(rule_scripts, m)?)?;
    m.add_function(wrap_pyfunction!(check_rules, m)?)?;
    m.add_function(wrap_pyfunction!(patterns, m)?)?;
    m.add_function(wrap_pyfunction!(pattern_choices, m)?)?;
    m.add_function(wrap_pyfunction!(describe, m)?)?;
    m.add_function(wrap_pyfunction!(read_fingerprints, m)?)?;
    m.add_function(wrap_pyfunction!(play_version, m)?)?;
    m.add_function(wrap_pyfunction!(games::play_games, m)?)?;
    m.add_class::<games::Games>()?;
    m.add_class::<sessions::Session>()?;
    m.add_class::<sessions::Search>()?;
    m.add_class::<policies::Chance>()?;
    m.add_class::<policies::Turn>()?;
    m.add_class::<policies::Node>()?;
    m.add_class::<policies::Child>()?;
    m.add_class::<policies::Simulation>()?;
    Ok(())
}
