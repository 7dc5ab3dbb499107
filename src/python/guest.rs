//! Games written in Python: objects that take the GIL for each call, and compiled functions that do not.

use std::cell::RefCell;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::attach::attached;
use super::{kind_of, speaks_for_itself};
use crate::game::{Board, Cell, CellKind, Piece, PieceKind, Shape};
use crate::games::guest::{GuestRules, Position};
use crate::types::{Error, Move, Outcome, Result, Rng, Side, mix};

/// Finds a class by its import path: `coppice.extend.load` does the looking and the explaining.
pub fn load(class: &str, options: Option<&str>) -> Result<Arc<dyn GuestRules>> {
    attached(|py| {
        let found = py.import("coppice.core.extend").and_then(|m| m.getattr("load")?.call1((class, options)));
        let object = found.map_err(|e| told(py, &e))?;
        let variant = Written::new(&object).map_err(|e| told(py, &e))?;
        let compiled = object.getattr("compiled").map_err(|e| told(py, &e))?;
        if compiled.is_none() {
            return Ok(Arc::new(variant) as Arc<dyn GuestRules>);
        }
        let functions = Functions::new(&compiled).map_err(|e| told(py, &e))?;
        Ok(Arc::new(Compiled { functions, variant }) as Arc<dyn GuestRules>)
    })
}

/// An exception in one line: its words if they are meant for people, else with its type and place.
pub fn told(py: Python<'_>, error: &PyErr) -> Error {
    let words = error.value(py).to_string();
    let class = error.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
    let line = match (speaks_for_itself(py, error), words.is_empty()) {
        (true, false) => words,
        (false, false) => format!("{class}: {words}{}", place(py, error).unwrap_or_default()),
        (_, true) => format!("{class}{}", place(py, error).unwrap_or_default()),
    };
    Error::of(kind_of(py, error), line.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The line that raised an exception, if it is one of Python.
fn place(py: Python<'_>, error: &PyErr) -> PyResult<String> {
    let Some(traceback) = error.traceback(py) else { return Ok(String::new()) };
    let mut at = traceback.into_any();
    loop {
        let next = at.getattr("tb_next")?;
        if next.is_none() {
            break;
        }
        at = next;
    }
    let path = at.getattr("tb_frame")?.getattr("f_code")?.getattr("co_filename")?.extract::<String>()?;
    let file = path.rsplit(['/', '\\']).next().unwrap_or(&path);
    Ok(format!(" (line {} of {file})", at.getattr("tb_lineno")?.extract::<usize>()?))
}

/// A cell of a guest's board: its name and place, and what it is, where that is said.
fn cell(told: &Bound<'_, PyAny>) -> PyResult<Cell> {
    if let Ok((name, x, y, kind)) = told.extract::<(String, f32, f32, String)>() {
        return Ok(Cell { name, x, y, kind: CellKind::of(&kind) });
    }
    match told.extract::<(String, f32, f32)>() {
        Ok((name, x, y)) => Ok(Cell { name, x, y, kind: CellKind::Plain }),
        Err(_) => Err(wrong("cells", told, "(name, x, y) or (name, x, y, kind) is allowed")),
    }
}

/// A piece of a guest: its cell and side, and what it is, where that is said.
fn piece(told: &Bound<'_, PyAny>) -> PyResult<(usize, Option<String>, PieceKind)> {
    if let Ok((cell, side, kind)) = told.extract::<(usize, Option<String>, String)>() {
        return Ok((cell, side, PieceKind::of(&kind)));
    }
    match told.extract::<(usize, Option<String>)>() {
        Ok((cell, side)) => Ok((cell, side, PieceKind::Stone)),
        Err(_) => Err(wrong("pieces", told, "(cell, side) or (cell, side, kind) is allowed")),
    }
}

/// An object of a class that follows `coppice.extend.Game`.
struct Written {
    object: Py<PyAny>,
    board: Board,
    slots: usize,
}

impl Written {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Written> {
        let cells = object.call_method0("cells")?.try_iter()?.map(|told| cell(&told?));
        let cells = cells.collect::<PyResult<Vec<Cell>>>()?;
        let shape = match object.getattr("shape")?.extract::<String>()?.as_str() {
            "hex_pointy" => Shape::HexPointy,
            "hex_flat" => Shape::HexFlat,
            "point" => Shape::Point,
            _ => Shape::Square,
        };
        let slots = object.getattr("slots")?.extract()?;
        Ok(Written { object: object.clone().unbind(), board: Board::new(shape, cells), slots })
    }

    /// Calls a method of the class; what it raises is told with the method's name.
    fn call<T>(
        &self,
        method: &str,
        work: impl for<'py> FnOnce(Python<'py>, &Bound<'py, PyAny>) -> PyResult<T>,
    ) -> Result<T> {
        attached(|py| work(py, self.object.bind(py)).map_err(|e| told(py, &e).within(format!("in {method}"))))
    }
}

fn object<'a, 'py>(py: Python<'py>, position: &'a Position) -> &'a Bound<'py, PyAny> {
    match position {
        Position::Shared(value) => {
            value.downcast_ref::<Py<PyAny>>().expect("a guest's own position").bind(py)
        }
        Position::Words(_) => unreachable!("words belong to compiled games"),
    }
}

fn shared(value: Bound<'_, PyAny>) -> Position {
    Position::Shared(Arc::new(value.unbind()))
}

pub fn wrong(what: &str, got: &Bound<'_, PyAny>, allowed: &str) -> PyErr {
    let got = got.repr().map(|text| text.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!("{what} gave {got}: {allowed}"))
}

fn side_of(value: &Bound<'_, PyAny>) -> PyResult<Side> {
    match value.extract::<String>().as_deref() {
        Ok("first") => Ok(Side::First),
        Ok("second") => Ok(Side::Second),
        _ => Err(wrong("side_to_move", value, "'first' or 'second' is allowed")),
    }
}

fn move_of(value: &Bound<'_, PyAny>) -> PyResult<Move> {
    let number = value.extract::<u32>();
    number.map(Move).map_err(|_| wrong("legal_moves", value, "moves are whole numbers from 0 to 4294967295"))
}

impl GuestRules for Written {
    fn initial_state(&self, seed: u64) -> Result<Position> {
        self.call("initial_state", |_, game| Ok(shared(game.call_method1("initial_state", (seed,))?)))
    }

    fn side_to_move(&self, position: &Position) -> Result<Side> {
        self.call("side_to_move", |py, game| {
            side_of(&game.call_method1("side_to_move", (object(py, position),))?)
        })
    }

    fn legal_moves(&self, position: &Position, moves: &mut Vec<Move>) -> Result<()> {
        self.call("legal_moves", |py, game| {
            let found = game.call_method1("legal_moves", (object(py, position),))?;
            let list =
                found.cast::<PyList>().map_err(|_| wrong("legal_moves", &found, "a list is allowed"))?;
            for value in list {
                moves.push(move_of(&value)?);
            }
            Ok(())
        })
    }

    fn play(&self, position: &mut Position, mv: Move) -> Result<()> {
        let next = self.call("play", |py, game| {
            let next = game.call_method1("play", (object(py, position), mv.0))?;
            if next.is_none() {
                return Err(wrong("play", &next, "the state after the move, a new one, is allowed"));
            }
            Ok(shared(next))
        })?;
        *position = next;
        Ok(())
    }

    fn outcome(&self, position: &Position) -> Result<Option<Outcome>> {
        self.call("outcome", |py, game| {
            let found = game.call_method1("outcome", (object(py, position),))?;
            if found.is_none() {
                return Ok(None);
            }
            match found.extract::<String>().as_deref() {
                Ok("first") => Ok(Some(Outcome::Win(Side::First))),
                Ok("second") => Ok(Some(Outcome::Win(Side::Second))),
                Ok("draw") => Ok(Some(Outcome::Draw)),
                _ => Err(wrong("outcome", &found, "None, 'first', 'second' or 'draw' is allowed")),
            }
        })
    }

    fn key(&self, position: &Position) -> Result<u64> {
        self.call("key", |py, game| game.call_method1("key", (object(py, position),))?.extract())
    }

    fn move_name(&self, position: &Position, mv: Move) -> Result<String> {
        self.call("move_name", |py, game| {
            game.call_method1("move_name", (object(py, position), mv.0))?.extract()
        })
    }

    fn state_text(&self, position: &Position) -> Result<String> {
        self.call("state_text", |py, game| {
            game.call_method1("state_text", (object(py, position),))?.extract()
        })
    }

    fn parse_state(&self, text: &str) -> Result<Position> {
        self.call("parse_state", |_, game| Ok(shared(game.call_method1("parse_state", (text,))?)))
    }

    fn diagram(&self, position: &Position) -> Result<String> {
        self.call("diagram", |py, game| game.call_method1("diagram", (object(py, position),))?.extract())
    }

    fn pieces(&self, position: &Position) -> Result<Vec<Piece>> {
        let pieces = self.call("pieces", |py, game| {
            let told = game.call_method1("pieces", (object(py, position),))?;
            told.try_iter()?.map(|told| piece(&told?)).collect::<PyResult<Vec<_>>>()
        })?;
        pieces
            .into_iter()
            .map(|(cell, side, kind)| {
                let side = side.map(|name| Side::parse(&name)).transpose();
                Ok(Piece::new(kind, side.map_err(|e| e.within("in pieces"))?, vec![cell]))
            })
            .collect()
    }

    fn move_cells(&self, position: &Position, mv: Move) -> Result<Vec<usize>> {
        self.call("move_cells", |py, game| {
            game.call_method1("move_cells", (object(py, position), mv.0))?.extract()
        })
    }

    fn board(&self) -> Board {
        self.board.clone()
    }

    fn slots(&self) -> usize {
        self.slots
    }
}

/// A position as methods of a class see it: a compiled game's is a tuple of its words.
pub fn visible(py: Python<'_>, position: &Position) -> PyResult<Py<PyAny>> {
    match position {
        Position::Shared(_) => Ok(object(py, position).clone().unbind()),
        Position::Words(words) => Ok(PyTuple::new(py, words.iter())?.into_any().unbind()),
    }
}

/// The addresses of compiled functions; `coppice.extend.Compiled` tells what each must do.
struct Functions {
    words: usize,
    most_moves: usize,
    initial_state: extern "C" fn(*mut i64, i64),
    side_to_move: extern "C" fn(*const i64) -> i64,
    legal_moves: extern "C" fn(*const i64, *mut i64) -> i64,
    play: extern "C" fn(*mut i64, i64),
    outcome: extern "C" fn(*const i64) -> i64,
    /// Keeps the functions in memory.
    _owner: Py<PyAny>,
}

impl Functions {
    fn new(compiled: &Bound<'_, PyAny>) -> PyResult<Functions> {
        let address = |name: &str| compiled.call_method1("address", (name,))?.extract::<usize>();
        let (initial_state, side_to_move) = (address("initial_state")?, address("side_to_move")?);
        let (legal_moves, play, outcome) = (address("legal_moves")?, address("play")?, address("outcome")?);
        // SAFETY: `address` gives those of functions that were compiled for these very signatures, which
        // coppice.extend.Compiled checks; they live as long as `_owner`. What they do with their pointers is
        // their author's responsibility: a compiled function that misbehaves can end the process.
        unsafe {
            Ok(Functions {
                words: compiled.getattr("words")?.extract()?,
                most_moves: compiled.getattr("most_moves")?.extract()?,
                initial_state: std::mem::transmute::<usize, extern "C" fn(*mut i64, i64)>(initial_state),
                side_to_move: std::mem::transmute::<usize, extern "C" fn(*const i64) -> i64>(side_to_move),
                legal_moves: std::mem::transmute::<usize, extern "C" fn(*const i64, *mut i64) -> i64>(
                    legal_moves,
                ),
                play: std::mem::transmute::<usize, extern "C" fn(*mut i64, i64)>(play),
                outcome: std::mem::transmute::<usize, extern "C" fn(*const i64) -> i64>(outcome),
                _owner: compiled.clone().unbind(),
            })
        }
    }
}

thread_local! {
    /// Where compiled functions write their moves: asked for at every move of every playout.
    static ROOM: RefCell<Vec<i64>> = const { RefCell::new(Vec::new()) };
}

/// Rules in compiled functions on words; names, texts and pictures come from the class.
struct Compiled {
    functions: Functions,
    variant: Written,
}

fn words(position: &Position) -> &[i64] {
    match position {
        Position::Words(words) => words,
        Position::Shared(_) => unreachable!("a compiled game's positions are words"),
    }
}

impl Compiled {
    /// The position as the class's own methods take it: a tuple of numbers.
    fn with<T>(&self, position: &Position, work: impl FnOnce(&Position) -> Result<T>) -> Result<T> {
        let value = attached(|py| visible(py, position).map_err(|e| told(py, &e)))?;
        work(&Position::Shared(Arc::new(value)))
    }

    /// Calls back with the moves that the compiled function writes.
    fn listed<T>(&self, position: &Position, work: impl FnOnce(&[i64]) -> Result<T>) -> Result<T> {
        let most = self.functions.most_moves;
        ROOM.with_borrow_mut(|room| {
            if room.len() < most {
                room.resize(most, 0);
            }
            let count = (self.functions.legal_moves)(words(position).as_ptr(), room.as_mut_ptr());
            match usize::try_from(count).ok().and_then(|count| room[..most].get(..count)) {
                Some(found) => work(found),
                None => Err(Error::new(format!(
                    "legal_moves gave {count} moves: from 0 to most_moves={most} are allowed"
                ))),
            }
        })
    }
}

/// A move as a compiled function writes it.
fn move_from(number: i64) -> Result<Move> {
    u32::try_from(number).map(Move).map_err(|_| {
        Error::new(format!("legal_moves gave {number}: moves are whole numbers from 0 to 4294967295"))
    })
}

impl GuestRules for Compiled {
    fn initial_state(&self, seed: u64) -> Result<Position> {
        let mut words = vec![0; self.functions.words].into_boxed_slice();
        (self.functions.initial_state)(words.as_mut_ptr(), seed as i64);
        Ok(Position::Words(words))
    }

    fn side_to_move(&self, position: &Position) -> Result<Side> {
        match (self.functions.side_to_move)(words(position).as_ptr()) {
            0 => Ok(Side::First),
            1 => Ok(Side::Second),
            other => {
                Err(Error::new(format!("side_to_move gave {other}: 0 (first) or 1 (second) is allowed")))
            }
        }
    }

    fn legal_moves(&self, position: &Position, moves: &mut Vec<Move>) -> Result<()> {
        self.listed(position, |found| {
            moves.reserve(found.len());
            for &mv in found {
                moves.push(move_from(mv)?);
            }
            Ok(())
        })
    }

    /// Only the move that is drawn is looked at.
    fn random_move(&self, position: &Position, rng: &mut Rng, _: &mut Vec<Move>) -> Result<Option<Move>> {
        self.listed(position, |found| match found.len() {
            0 => Ok(None),
            count => move_from(found[rng.below(count)]).map(Some),
        })
    }

    fn play(&self, position: &mut Position, mv: Move) -> Result<()> {
        match position {
            Position::Words(words) => (self.functions.play)(words.as_mut_ptr(), i64::from(mv.0)),
            Position::Shared(_) => unreachable!("a compiled game's positions are words"),
        }
        Ok(())
    }

    fn outcome(&self, position: &Position) -> Result<Option<Outcome>> {
        match (self.functions.outcome)(words(position).as_ptr()) {
            0 => Ok(None),
            1 => Ok(Some(Outcome::Win(Side::First))),
            2 => Ok(Some(Outcome::Win(Side::Second))),
            3 => Ok(Some(Outcome::Draw)),
            other => Err(Error::new(format!(
                "outcome gave {other}: 0 (goes on), 1 (first), 2 (second) or 3 (draw) is allowed"
            ))),
        }
    }

    fn key(&self, position: &Position) -> Result<u64> {
        Ok(words(position).iter().fold(0, |key, &word| mix(key ^ word as u64)))
    }

    fn move_name(&self, position: &Position, mv: Move) -> Result<String> {
        self.with(position, |position| self.variant.move_name(position, mv))
    }

    fn state_text(&self, position: &Position) -> Result<String> {
        self.with(position, |position| self.variant.state_text(position))
    }

    fn parse_state(&self, text: &str) -> Result<Position> {
        let read = self.variant.parse_state(text)?;
        attached(|py| {
            let words: Vec<i64> = object(py, &read).extract().map_err(|e| told(py, &e))?;
            if words.len() != self.functions.words {
                return Err(Error::new(format!(
                    "in parse_state: {} words, but a state has {}",
                    words.len(),
                    self.functions.words
                )));
            }
            Ok(Position::Words(words.into_boxed_slice()))
        })
    }

    fn diagram(&self, position: &Position) -> Result<String> {
        self.with(position, |position| self.variant.diagram(position))
    }

    fn pieces(&self, position: &Position) -> Result<Vec<Piece>> {
        self.with(position, |position| self.variant.pieces(position))
    }

    fn move_cells(&self, position: &Position, mv: Move) -> Result<Vec<usize>> {
        self.with(position, |position| self.variant.move_cells(position, mv))
    }

    fn board(&self) -> Board {
        self.variant.board.clone()
    }

    fn slots(&self) -> usize {
        self.variant.slots
    }
}
