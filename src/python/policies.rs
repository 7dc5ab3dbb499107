//! Playout policies and selection formulas written in Python, and what they see of a search.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString};

use super::attach::attached;
use super::guest::{told, visible, wrong};
use super::{guarded, raised};
use crate::game::Piece;
use crate::games::guest::State;
use crate::playout::Answer;
use crate::playout::guest::{GuestPlayout, GuestTurn, Position};
use crate::selection::guest::{GuestChild, GuestNode, GuestSelection};
use crate::tree;
use crate::types::{Error, Move, Outcome, Result, Rng, Side};

type Cells = Vec<(String, f32, f32)>;
type Pieces = Vec<(usize, Option<&'static str>, String)>;

fn named(moves: &[(Move, Side)]) -> Vec<(u32, &'static str)> {
    moves.iter().map(|&(mv, side)| (mv.0, side.name())).collect()
}

fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(side) => side.name(),
        Outcome::Draw => "draw",
    }
}

/// The random numbers of a search: what a policy draws here is the same whenever the search is made again.
#[pyclass(module = "coppice._core")]
pub struct Chance {
    rng: Rng,
}

#[pymethods]
impl Chance {
    #[new]
    #[pyo3(signature = (seed=0))]
    fn new(seed: u64) -> Chance {
        Chance { rng: Rng::new(seed) }
    }

    /// A whole number from 0 to n - 1.
    fn below(&mut self, n: u32) -> PyResult<usize> {
        if n == 0 {
            return Err(raised(Error::new("below(0): there is no number below 0 to draw")));
        }
        Ok(self.rng.below(n as usize))
    }

    /// A number from 0 up to but not 1.
    fn unit(&mut self) -> f32 {
        self.rng.unit()
    }

    /// An element of a sequence, each equally likely.
    fn pick<'py>(&mut self, items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match items.len()? {
            0 => Err(PyIndexError::new_err("pick: there is nothing to draw from")),
            count => items.get_item(self.rng.below(count)),
        }
    }
}

/// A position in which a playout needs a move.
#[pyclass(module = "coppice._core", frozen)]
pub struct Turn {
    turn: GuestTurn,
}

impl Turn {
    fn position(&self) -> &dyn Position {
        &*self.turn.position
    }

    /// The move with this number, which must be legal.
    fn legal(&self, number: u32) -> PyResult<Move> {
        let mv = Move(number);
        if guarded(|| self.position().is_legal(mv))? {
            return Ok(mv);
        }
        Err(raised(Error::new(format!("the move {number} is not legal"))))
    }
}

#[pymethods]
impl Turn {
    /// Who is to move.
    #[getter]
    fn side(&self) -> &'static str {
        self.position().side_to_move().name()
    }

    /// `first`, `second`, `draw`, or None while the game goes on.
    #[getter]
    fn outcome(&self) -> Option<&'static str> {
        self.position().outcome().map(outcome_name)
    }

    /// All moves of the simulation so far, from the root, each with the side that made it.
    #[getter]
    fn moves(&self) -> Vec<(u32, &'static str)> {
        named(&self.turn.moves)
    }

    /// How many of them were made before this playout: in the tree or, in the base of `nested`, above it.
    #[getter]
    fn tree_moves(&self) -> usize {
        self.turn.tree_moves
    }

    /// The state of a game written in Python; None for a built-in game.
    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let state = self.position().state().downcast_ref::<State>();
        state.map(|state| visible(py, state.position())).transpose()
    }

    /// The legal moves as numbers, in the game's order.
    fn legal_moves(&self) -> PyResult<Vec<u32>> {
        guarded(|| self.position().legal_moves().iter().map(|mv| mv.0).collect())
    }

    /// The turn after a legal move, for looking ahead; this one stays as it is.
    #[pyo3(name = "play")]
    fn after(&self, mv: u32) -> PyResult<Turn> {
        let mv = self.legal(mv)?;
        let mut moves = self.turn.moves.clone();
        moves.push((mv, self.position().side_to_move()));
        let position = guarded(|| self.position().after(mv))?;
        Ok(Turn { turn: GuestTurn { position, moves, tree_moves: self.turn.tree_moves } })
    }

    /// What people call a legal move.
    fn move_name(&self, mv: u32) -> PyResult<String> {
        let mv = self.legal(mv)?;
        guarded(|| self.position().move_name(mv))
    }

    /// The numbers of the cells that a legal move touches.
    fn move_cells(&self, mv: u32) -> PyResult<Vec<usize>> {
        let mv = self.legal(mv)?;
        guarded(|| self.position().move_cells(mv))
    }

    /// The position as text.
    fn state_text(&self) -> PyResult<String> {
        guarded(|| self.position().state_text())
    }

    /// The board: name and place of each cell, in cell widths, y growing downward.
    fn cells(&self) -> PyResult<Cells> {
        let board = guarded(|| self.position().board())?;
        Ok(board.cells.into_iter().map(|cell| (cell.name, cell.x, cell.y)).collect())
    }

    /// What stands on the board, cell by cell: its number, a side or None, and what it is.
    fn pieces(&self) -> PyResult<Pieces> {
        let pieces = guarded(|| self.position().pieces())?;
        let plain = |piece: Piece| {
            let (side, kind) = (piece.side.map(Side::name), piece.kind.name().to_string());
            piece.cells.into_iter().map(move |cell| (cell, side, kind.clone()))
        };
        Ok(pieces.into_iter().flat_map(plain).collect())
    }
}

/// A finished simulation.
#[pyclass(module = "coppice._core", frozen, get_all)]
pub struct Simulation {
    /// Every move from the root to the end, each with the side that made it.
    moves: Vec<(u32, &'static str)>,
    /// How many of them were made in the tree.
    tree_moves: usize,
    /// The result for the first side, in 0..1.
    value: f32,
}

#[pymethods]
impl Simulation {
    /// The result for a side, in 0..1.
    fn score(&self, side: &str) -> PyResult<f32> {
        let side = Side::parse(side).map_err(raised)?;
        Ok(if side == Side::First { self.value } else { 1.0 - self.value })
    }
}

/// A child of a node, as a formula sees it.
#[pyclass(module = "coppice._core", frozen)]
pub struct Child(GuestChild);

#[pymethods]
impl Child {
    /// The move that leads to it.
    #[getter(r#move)]
    fn mv(&self) -> u32 {
        self.0.mv.0
    }

    /// The place of the move in tables over moves; 0 where the game has none.
    #[getter]
    fn slot(&self) -> usize {
        self.0.slot
    }

    /// Visits, with what first-play urgency adds; 0 for an unvisited child that goes before all others.
    #[getter]
    fn visits(&self) -> f32 {
        self.0.visits
    }

    /// Mean result for the side that decides, in 0..1; infinite for such a child.
    #[getter]
    fn mean(&self) -> f32 {
        self.0.mean
    }

    /// The natural logarithm of the visits of the node (or of the times the child was available), at least 0.
    #[getter]
    fn log_parent(&self) -> f32 {
        self.0.log_parent
    }

    /// Simulations in which the same side made this move here or later; 0 unless the class asks for AMAF.
    #[getter]
    fn amaf_visits(&self) -> f32 {
        self.0.amaf.visits
    }

    /// Their mean result with one win and one loss beforehand: 1/2 when there are none.
    #[getter]
    fn amaf_mean(&self) -> f32 {
        self.0.amaf.smoothed()
    }
}

/// A node at which a simulation has to decide.
#[pyclass(module = "coppice._core", frozen)]
pub struct Node(GuestNode);

#[pymethods]
impl Node {
    /// Who decides.
    #[getter]
    fn side(&self) -> &'static str {
        self.0.side.name()
    }

    #[getter]
    fn visits(&self) -> u32 {
        self.0.visits
    }

    /// Moves from the root to here.
    #[getter]
    fn depth(&self) -> usize {
        self.0.depth
    }

    /// The children that may be chosen.
    #[getter]
    fn children(&self) -> Vec<Child> {
        self.0.children.iter().map(|&child| Child(child)).collect()
    }
}

/// An object of a class of the user's, whose methods are called by name.
struct Policy {
    object: Py<PyAny>,
    /// Whether the class has an `observe` of its own.
    observes: bool,
}

impl Policy {
    /// `coppice.extend` looks and explains; `work` reads what else is needed.
    fn load<T>(
        (base, finder): (&str, &str),
        class: &str,
        options: Option<&str>,
        work: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> Result<(Policy, T)> {
        attached(|py| {
            let found =
                py.import("coppice.core.extend").and_then(|m| m.getattr(finder)?.call1((class, options)));
            let loaded = found.and_then(|object| {
                let more = work(&object)?;
                let observes = writes(&object, base, "observe")?;
                Ok((Policy { object: object.unbind(), observes }, more))
            });
            loaded.map_err(|e| told(py, &e))
        })
    }

    /// Calls a method; what it raises is told with the method's name.
    fn call<T>(
        &self,
        method: &str,
        work: impl for<'py> FnOnce(Python<'py>, &Bound<'py, PyAny>) -> PyResult<T>,
    ) -> Result<T> {
        attached(|py| work(py, self.object.bind(py)).map_err(|e| told(py, &e).within(format!("in {method}"))))
    }

    fn observe(&self, simulation: &tree::Simulation) -> Result<()> {
        if !self.observes {
            return Ok(());
        }
        let simulation = Simulation {
            moves: named(simulation.moves),
            tree_moves: simulation.path.len(),
            value: simulation.value,
        };
        self.call("observe", |_, policy| policy.call_method1("observe", (simulation,)).map(|_| ()))
    }

    fn new_root(&self) -> Result<()> {
        self.call("new_root", |_, policy| policy.call_method0("new_root").map(|_| ()))
    }
}

/// Whether the class of an object has a method of its own instead of that of its base in `coppice.extend`.
fn writes(object: &Bound<'_, PyAny>, base: &str, method: &str) -> PyResult<bool> {
    let base = object.py().import("coppice.core.extend")?.getattr(base)?;
    Ok(!object.get_type().getattr(method)?.is(&base.getattr(method)?))
}

/// A class that follows `coppice.extend.Playout`.
struct WrittenPlayout {
    policy: Policy,
    chance: Py<Chance>,
}

pub fn load_playout(class: &str, options: Option<&str>) -> Result<Box<dyn GuestPlayout>> {
    let (policy, chance) = Policy::load(("Playout", "load_playout"), class, options, |object| {
        Py::new(object.py(), Chance { rng: Rng::new(0) })
    })?;
    Ok(Box::new(WrittenPlayout { policy, chance }))
}

fn answer_of(value: &Bound<'_, PyAny>) -> PyResult<Answer> {
    let refused = || {
        let allowed = "a legal move, None to pass, 'first', 'second' or 'draw' for a decided game, or an \
                       estimate for the first side from 0.0 to 1.0 is allowed";
        wrong("choose", value, allowed)
    };
    if value.is_none() {
        return Ok(Answer::Pass);
    }
    if let Ok(name) = value.cast::<PyString>() {
        return match name.to_str()? {
            "first" => Ok(Answer::Stop(Outcome::Win(Side::First))),
            "second" => Ok(Answer::Stop(Outcome::Win(Side::Second))),
            "draw" => Ok(Answer::Stop(Outcome::Draw)),
            _ => Err(refused()),
        };
    }
    if value.is_instance_of::<PyBool>() {
        return Err(refused());
    }
    if value.is_instance_of::<PyInt>() {
        return value.extract::<u32>().map(|mv| Answer::Move(Move(mv))).map_err(|_| refused());
    }
    if value.is_instance_of::<PyFloat>() {
        return value.extract::<f32>().map(Answer::Value).map_err(|_| refused());
    }
    Err(refused())
}

impl GuestPlayout for WrittenPlayout {
    fn choose(&mut self, turn: GuestTurn, rng: &mut Rng) -> Result<Answer> {
        let chance = &self.chance;
        self.policy.call("choose", |py, policy| {
            // The stream is lent for the call: what is drawn in it, the search has drawn.
            chance.borrow_mut(py).rng = rng.clone();
            let answer = policy.call_method1("choose", (Turn { turn }, chance));
            *rng = chance.borrow(py).rng.clone();
            answer_of(&answer?)
        })
    }

    fn observe(&mut self, simulation: &tree::Simulation) -> Result<()> {
        self.policy.observe(simulation)
    }

    fn new_root(&mut self) -> Result<()> {
        self.policy.new_root()
    }
}

/// A class that follows `coppice.extend.Selection`.
struct WrittenSelection {
    policy: Policy,
    reads_amaf: bool,
    /// The method that the class has written: `value`, or `values` for all children at once.
    formula: &'static str,
}

pub fn load_selection(class: &str, options: Option<&str>) -> Result<Box<dyn GuestSelection>> {
    let (policy, (reads_amaf, formula)) =
        Policy::load(("Selection", "load_selection"), class, options, |object| {
            let formula = if writes(object, "Selection", "values")? { "values" } else { "value" };
            Ok((object.getattr("amaf")?.extract::<bool>()?, formula))
        })?;
    Ok(Box::new(WrittenSelection { policy, reads_amaf, formula }))
}

impl GuestSelection for WrittenSelection {
    fn observes(&self) -> bool {
        self.policy.observes
    }

    fn reads_amaf(&self) -> bool {
        self.reads_amaf
    }

    fn values(&mut self, node: GuestNode, values: &mut Vec<f32>) -> Result<()> {
        let formula = self.formula;
        self.policy.call(formula, |_, policy| {
            let found = policy.call_method1("values", (Node(node),))?;
            let list = found.cast::<PyList>().map_err(|_| wrong("values", &found, "a list is allowed"))?;
            for value in list {
                let number = value.extract::<f32>();
                values.push(number.map_err(|_| wrong(formula, &value, "a number is allowed"))?);
            }
            Ok(())
        })
    }

    fn observe(&mut self, simulation: &tree::Simulation) -> Result<()> {
        self.policy.observe(simulation)
    }

    fn new_root(&mut self) -> Result<()> {
        self.policy.new_root()
    }
}
