//! Games and players for Python: handles to what has been read and built, and the functions that take a text instead.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::sessions::Session;
use super::{family, guarded, raised};
use crate::catalogue;
use crate::session::{self, AnyGame, Seed};
use crate::spec::{Family, Spec};
use crate::types::Side;

/// A built game. With the handle instead of a text nothing is read or built again.
#[pyclass(module = "coppice._core", frozen)]
pub struct Game {
    pub built: Arc<dyn AnyGame>,
}

impl Game {
    /// The same game for what begins now. One from outside the process is looked up again: its source may have changed.
    fn fresh(&self) -> PyResult<Arc<dyn AnyGame>> {
        if catalogue::reaches_outside(self.built.spec()) {
            return guarded(|| session::game(self.built.spec()))?.map_err(raised);
        }
        Ok(self.built.clone())
    }
}

#[pymethods]
impl Game {
    #[new]
    fn new(spec: &str) -> PyResult<Game> {
        Ok(Game { built: guarded(|| session::game_named(spec))?.map_err(raised)? })
    }

    /// The canonical form.
    #[getter]
    fn spec(&self) -> &str {
        self.built.text()
    }

    #[getter]
    fn side_names(&self) -> (&'static str, &'static str) {
        let [first, second] = self.built.side_names();
        (first, second)
    }

    #[getter]
    fn hidden(&self) -> bool {
        self.built.is_hidden()
    }

    #[getter]
    fn notations(&self) -> Vec<&'static str> {
        self.built.notations().to_vec()
    }

    fn board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let board = guarded(|| self.built.board())?;
        let cells = PyList::empty(py);
        for cell in &board.cells {
            cells.append((&cell.name, cell.x, cell.y, cell.kind.name()))?;
        }
        let entry = PyDict::new(py);
        entry.set_item("shape", board.shape.name())?;
        entry.set_item("size", board.size())?;
        entry.set_item("cells", cells)?;
        let rims = board.rims.into_iter().map(|rim| (rim.side.name(), rim.line));
        entry.set_item("rims", rims.collect::<Vec<_>>())?;
        // Where no side is called so, the second one has the black pieces.
        let black = if self.built.side_names()[0] == "Black" { Side::First } else { Side::Second };
        entry.set_item("black", black.name())?;
        Ok(entry)
    }

    /// The symmetries of the board: of each, where a cell goes; the first leaves all as it is.
    fn symmetries(&self) -> PyResult<Vec<Vec<usize>>> {
        guarded(|| self.built.symmetries())
    }

    /// A game in play: from its beginning or from a position. With `hidden` what the first side may not know is drawn
    /// once more, from the first of these words, then what the second may not, from the other.
    #[pyo3(signature = (position=None, *, seed=0, hidden=None))]
    fn start(&self, position: Option<&str>, seed: u64, hidden: Option<[u64; 2]>) -> PyResult<Session> {
        let game = self.fresh()?;
        let seed = Seed { dealt: seed, hidden };
        Ok(Session { session: guarded(|| game.start(position, seed))?.map_err(raised)? })
    }

    /// The player in full: what its name stands for in this game.
    fn in_full(&self, player: &Player) -> PyResult<Player> {
        Ok(Player::of(Arc::new(self.built.in_full(&player.resolved).map_err(raised)?)))
    }

    /// Raises ValueError if the game cannot serve the player or, `at_board`, if its search must not be shown.
    #[pyo3(signature = (player, *, at_board=false))]
    fn check(&self, player: &Player, at_board: bool) -> PyResult<()> {
        check(&*self.built, &player.resolved, at_board)
    }
}

/// A player, read once; the games that it plays in remember what they have built for it.
#[pyclass(module = "coppice._core", frozen)]
pub struct Player {
    pub resolved: Arc<Spec>,
    /// The canonical form.
    #[pyo3(get)]
    spec: String,
}

impl Player {
    fn of(resolved: Arc<Spec>) -> Player {
        Player { spec: resolved.to_string(), resolved }
    }
}

#[pymethods]
impl Player {
    #[new]
    fn new(spec: &str) -> PyResult<Player> {
        session::player_named(spec).map(Player::of).map_err(raised)
    }
}

/// A game by its handle or by a text.
#[derive(FromPyObject)]
pub enum GameLike<'py> {
    Handle(PyRef<'py, Game>),
    Text(String),
}

impl GameLike<'_> {
    pub fn open(&self) -> PyResult<Arc<dyn AnyGame>> {
        match self {
            GameLike::Handle(game) => game.fresh(),
            GameLike::Text(text) => guarded(|| session::game_named(text))?.map_err(raised),
        }
    }

    /// Its resolved spec. A game from elsewhere need not be there to be read.
    pub fn spec(&self) -> PyResult<Spec> {
        match self {
            GameLike::Handle(game) => Ok(game.built.spec().clone()),
            GameLike::Text(text) => catalogue::read(Family::Game, text).map_err(raised),
        }
    }
}

/// A player by its handle or by a text.
#[derive(FromPyObject)]
pub enum PlayerLike<'py> {
    Handle(PyRef<'py, Player>),
    Text(String),
}

impl PlayerLike<'_> {
    pub fn read(&self) -> crate::types::Result<Arc<Spec>> {
        match self {
            PlayerLike::Handle(player) => Ok(player.resolved.clone()),
            PlayerLike::Text(text) => session::player_named(text),
        }
    }
}

fn check(game: &dyn AnyGame, player: &Spec, at_board: bool) -> PyResult<()> {
    guarded(|| if at_board { game.check_at_board(player) } else { game.check(player) })?.map_err(raised)
}

/// The canonical form of a spec: every option written out. A player whose name stands for another one in each game
/// is written out as far as all games agree, and in full where a game is given.
#[pyfunction]
#[pyo3(signature = (family_name, spec, game=None))]
pub fn canonical(family_name: &str, spec: &str, game: Option<GameLike>) -> PyResult<String> {
    let family = family(family_name).map_err(raised)?;
    if family != Family::Player {
        return Ok(catalogue::read(family, spec).map_err(raised)?.to_string());
    }
    let player = session::player_named(spec).map_err(raised)?;
    let Some(game) = game else { return Ok(player.to_string()) };
    // A game from elsewhere need not be there to read a player that is the same in all.
    if !catalogue::depends_on_game(&player) {
        return game.spec().map(|_| player.to_string());
    }
    let in_full = game.open()?.in_full(&player).map_err(raised)?;
    Ok(in_full.to_string())
}

/// Raises ValueError if the game cannot serve the player or, `at_board`, if its search must not be shown.
#[pyfunction]
#[pyo3(signature = (game, player, *, at_board = false))]
pub fn check_player(game: GameLike, player: PlayerLike, at_board: bool) -> PyResult<()> {
    let game = game.open()?;
    check(&*game, &*player.read().map_err(raised)?, at_board)
}

/// Plays random games and checks every position in them against what must hold of every game; raises
/// ValueError with the first thing that does not.
#[pyfunction]
#[pyo3(signature = (game, *, games, seed=0))]
pub fn check_game(py: Python<'_>, game: GameLike, games: u64, seed: u64) -> PyResult<()> {
    let game = game.open()?;
    py.detach(|| guarded(|| game.conforms(games, seed)))?.map_err(raised)
}

/// File names and texts of the rule scripts that the package brings for a game.
#[pyfunction]
pub fn rule_scripts(game: GameLike) -> PyResult<Vec<(String, String)>> {
    game.open()?.scripts().map_err(raised)
}

/// Runs the rule scripts of a folder against many positions; the number of questions that they answered.
#[pyfunction]
#[pyo3(signature = (game, folder, *, positions, seed=0))]
pub fn check_rules(
    py: Python<'_>,
    game: GameLike,
    folder: Option<&str>,
    positions: usize,
    seed: u64,
) -> PyResult<usize> {
    let game = game.open()?;
    py.detach(|| game.check_scripts(folder, positions, seed)).map_err(raised)
}

/// The classes of patterns around moves that a game knows: their names, and each drawn in characters.
#[pyfunction]
pub fn patterns(game: GameLike) -> PyResult<Vec<(String, String)>> {
    game.open()?.patterns().map_err(raised)
}

/// What there was to choose from in the moves of finished games, the first `skip` of each left out.
///
/// `per_game`: how many choices each game had; `chosen`: the kind of the move of each choice; `widths`: how many kinds
/// there were in it; `kinds` and `counts`: these, choice after choice, with how many moves each had. A kind is the
/// number of a class times three, and how the move lay to the last one: far, beside it, in a bridge with it.
#[pyfunction]
#[pyo3(signature = (game, games, *, skip=0))]
pub fn pattern_choices<'py>(
    py: Python<'py>,
    game: GameLike,
    games: Vec<String>,
    skip: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let game = game.open()?;
    let games: Vec<Vec<String>> = games.iter().map(|line| super::games::moves_of(line)).collect();
    let choices = py.detach(|| game.choices(&games, skip)).map_err(raised)?;
    let entry = PyDict::new(py);
    entry.set_item("per_game", choices.per_game)?;
    entry.set_item("chosen", choices.chosen)?;
    entry.set_item("widths", choices.widths)?;
    entry.set_item("kinds", choices.kinds)?;
    entry.set_item("counts", choices.counts)?;
    Ok(entry)
}

/// How many games and players the core has built in this process.
#[pyfunction]
pub fn built() -> (u64, u64) {
    (crate::games::built(), crate::player::built())
}
