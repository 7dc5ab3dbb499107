//! The solver: the exact value of a position and of each of its moves.
//!
//! It asks "does the first side reach at least this?", in turns with two searches that share one table: proof numbers
//! go straight to what is forced, depth first goes through what has many ways to the same positions. Each gets
//! a share of the work that grows from turn to turn, so the better one is never far from having worked alone.
//!
//! Positions that a symmetry joins are one; a game may know at a glance who wins (`Exact::settled`) and which move is
//! likely to (`Exact::promise`). Positions are told apart by 64 bits.

mod depth_first;
mod proof_number;
mod table;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::table::ProofTable;
use crate::game::{Game, Variant};
use crate::tree::Proof;
use crate::types::{Clock, Error, Limit, Move, Outcome, Result, Side, mix};

pub use self::table::LEAST_MEMORY;

/// What has been found out; `Proof::None` where the limit came first.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The value of the position for the side to move.
    pub value: Proof,
    /// The value of each move, for the side that plays it, in the game's order.
    pub moves: Vec<(Move, Proof)>,
    /// Positions whose successors were looked at.
    pub nodes: u64,
    /// Successors looked at.
    pub states: u64,
    pub seconds: f64,
    /// Bytes that the table has grown to.
    pub bytes: u64,
}

/// How far a solver has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    pub nodes: u64,
    pub seconds: f64,
    /// Bytes that the table has grown to.
    pub bytes: u64,
    /// The value of the position for the side to move, once it is known.
    pub value: Proof,
    /// Moves whose value is known, and how many there are.
    pub moves: (usize, usize),
}

/// Seconds between two reports of progress.
const REPORT_EVERY: f64 = 0.5;
/// Nodes between two looks at the clock.
const LOOK_EVERY: u64 = 256;

/// What the first side is asked to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Win,
    Draw,
}

impl Goal {
    fn is_reached(self, outcome: Outcome) -> bool {
        match self {
            Goal::Win => outcome == Outcome::Win(Side::First),
            Goal::Draw => outcome != Outcome::Win(Side::Second),
        }
    }

    /// The two questions about one position are two entries.
    fn key(self, key: u64) -> u64 {
        mix(key ^ (self as u64) << 63)
    }
}

/// Small enough that two such numbers and what they cost fit a word.
const INFINITE: u32 = (1 << 28) - 1;

/// How many positions at least must still be proven to answer yes, and to answer no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

impl Numbers {
    const YES: Numbers = Numbers { proof: 0, disproof: INFINITE };
    const NO: Numbers = Numbers { proof: INFINITE, disproof: 0 };

    fn of(yes: bool) -> Numbers {
        if yes { Numbers::YES } else { Numbers::NO }
    }

    /// The answer, if it is known.
    fn answer(self) -> Option<bool> {
        match self {
            Numbers::YES => Some(true),
            Numbers::NO => Some(false),
            _ => None,
        }
    }

    /// (the number that the side to move wants to be zero, the other one).
    fn for_side(self, side: Side) -> (u32, u32) {
        if side == Side::First { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    fn from_side(side: Side, own: u32, other: u32) -> Numbers {
        if side == Side::First {
            Numbers { proof: own, disproof: other }
        } else {
            Numbers { proof: other, disproof: own }
        }
    }
}

#[derive(Clone, Copy)]
struct Child {
    mv: Move,
    key: u64,
    numbers: Numbers,
    promise: i32,
}

/// One position on the way from the root; its memory is used again.
struct Frame<G: Game> {
    state: G::State,
    moves: Vec<Move>,
    children: Vec<Child>,
}

/// Which of the two searches is at work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    ProofNumber,
    DepthFirst,
}

/// Nodes of the first turn of proof numbers: small positions need no more.
const FIRST_SHARE: u64 = 1 << 18;
/// How many times as much depth first gets in the same turn, and both in the next one.
const SHARE_GROWTH: u64 = 4;

struct Solver<'a, G: Game> {
    variant: &'a Variant<G>,
    clock: Clock,
    limit: &'a Limit,
    table: ProofTable,
    frames: Vec<Frame<G>>,
    goal: Goal,
    /// Nodes of the first turn.
    share: u64,
    /// How many nodes there are when the present share is used up.
    share_end: u64,
    /// The limit has come.
    over: bool,
    /// A finished game that was a draw has been seen: "no win" need not mean "a loss".
    drawn: bool,
    nodes: u64,
    states: u64,
    next_look: u64,
    next_report: f64,
    progress: Progress,
    tell: &'a mut dyn FnMut(&Progress),
}

/// Solves `state`: first the position, then each of its moves.
pub fn solve<G: Game>(
    variant: &Variant<G>,
    state: &G::State,
    limit: &Limit,
    memory: usize,
    stop: &Arc<AtomicBool>,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Solution> {
    let mut solver = Solver::new(variant, limit, memory, stop, tell)?;
    if variant.outcome(state).is_some() {
        return Err(Error::new("there is nothing to solve: the game is over"));
    }
    Ok(solver.solution(state))
}

impl<'a, G: Game> Solver<'a, G> {
    fn new(
        variant: &'a Variant<G>,
        limit: &'a Limit,
        memory: usize,
        stop: &Arc<AtomicBool>,
        tell: &'a mut dyn FnMut(&Progress),
    ) -> Result<Solver<'a, G>> {
        if G::HIDDEN {
            return Err(Error::new(format!(
                "only games without hidden information can be solved, not {}",
                G::INFO.name
            )));
        }
        let table = ProofTable::new(memory)?;
        if limit.simulations.is_some() {
            return Err(Error::new("the solver makes no simulations: limit states, seconds or cpu_seconds"));
        }
        Ok(Solver {
            variant,
            clock: Clock::start(limit, stop.clone()),
            limit,
            table,
            frames: Vec::new(),
            goal: Goal::Win,
            share: FIRST_SHARE,
            share_end: 0,
            over: false,
            drawn: false,
            nodes: 0,
            states: 0,
            next_look: LOOK_EVERY,
            next_report: REPORT_EVERY,
            progress: Progress { nodes: 0, seconds: 0.0, bytes: 0, value: Proof::None, moves: (0, 0) },
            tell,
        })
    }

    fn solution(&mut self, state: &G::State) -> Solution {
        let side = self.variant.game.side_to_move(state);
        let mut moves = Vec::new();
        self.variant.game.legal_moves(state, &mut moves);
        self.progress.moves.1 = moves.len();
        let value = self.value(state, side);
        self.progress.value = value;
        let mut solved = Vec::new();
        for mv in moves {
            let mut next = state.clone();
            self.variant.game.play(&mut next, mv);
            let value = self.value(&next, side);
            self.progress.moves.0 += usize::from(value != Proof::None);
            solved.push((mv, value));
        }
        Solution {
            value,
            moves: solved,
            nodes: self.nodes,
            states: self.states,
            seconds: self.clock.elapsed(),
            bytes: self.table.bytes(),
        }
    }

    /// The value of `state` for `side`; none if the limit came first.
    fn value(&mut self, state: &G::State, side: Side) -> Proof {
        let outcome = match self.variant.outcome(state).or_else(|| self.variant.settled(state)) {
            Some(outcome) => Some(outcome),
            None => match self.reaches(state, Goal::Win) {
                Some(true) => Some(Outcome::Win(Side::First)),
                // The second side can stop the first from winning, and no draw was met on the way: it wins.
                Some(false) if !self.drawn => Some(Outcome::Win(Side::Second)),
                Some(false) => match self.reaches(state, Goal::Draw) {
                    Some(true) => Some(Outcome::Draw),
                    Some(false) => Some(Outcome::Win(Side::Second)),
                    None => None,
                },
                None => None,
            },
        };
        outcome.map_or(Proof::None, |outcome| Proof::of(outcome, side))
    }

    /// Whether the first side reaches the goal from `state`; none if the limit came first.
    fn reaches(&mut self, state: &G::State, goal: Goal) -> Option<bool> {
        self.goal = goal;
        self.frame(0, state);
        self.frames[0].state.clone_from(state);
        let key = goal.key(self.variant.game.class_key(state));
        let mut answer = self.table.get(key).and_then(Numbers::answer);
        let mut share = self.share;
        while answer.is_none() && !self.over {
            self.share_end = self.nodes.saturating_add(share);
            answer = self.search(0, key, INFINITE, INFINITE).answer();
            share = share.saturating_mul(SHARE_GROWTH);
            if answer.is_none() && !self.over {
                self.share_end = self.nodes.saturating_add(share);
                answer = self.decide(0, key);
            }
        }
        answer
    }

    fn frame(&mut self, depth: usize, like: &G::State) {
        while self.frames.len() <= depth {
            let frame = Frame { state: like.clone(), moves: Vec::new(), children: Vec::new() };
            self.frames.push(frame);
        }
    }

    /// Lists the children of frame `depth` that are not refuted, with what is known about them and what `way` asks for
    /// besides. A move that decides the node is its only child.
    fn expand(&mut self, depth: usize, side: Side, way: Way) {
        self.nodes += 1;
        if self.frames.len() < depth + 2 {
            let like = self.frames[depth].state.clone();
            self.frame(depth + 1, &like);
        }
        let (variant, game) = (self.variant, &self.variant.game);
        let (here, below) = self.frames.split_at_mut(depth + 1);
        let (here, below) = (&mut here[depth], &mut below[0]);
        here.moves.clear();
        here.children.clear();
        game.legal_moves(&here.state, &mut here.moves);
        for &mv in &here.moves {
            below.state.clone_from(&here.state);
            game.play(&mut below.state, mv);
            self.states += 1;
            let outcome = variant.outcome(&below.state).or_else(|| variant.settled(&below.state));
            if let Some(outcome) = outcome {
                self.drawn |= outcome == Outcome::Draw;
                let numbers = Numbers::of(self.goal.is_reached(outcome));
                if numbers.for_side(side).0 == 0 {
                    here.children.clear();
                    here.children.push(Child { mv, key: 0, numbers, promise: 0 });
                    return;
                }
                continue;
            }
            let key = self.goal.key(game.class_key(&below.state));
            let (numbers, promise) = match way {
                // The fewer moves the replier has, the fewer must be refuted.
                Way::ProofNumber => {
                    let replies = game.count_moves(&below.state) as u32;
                    (Numbers::from_side(game.side_to_move(&below.state), 1, replies), 0)
                }
                Way::DepthFirst => {
                    (Numbers { proof: 1, disproof: 1 }, variant.promise(&here.state, mv, &below.state))
                }
            };
            here.children.push(Child { mv, key, numbers, promise });
        }
        // In a loop of its own, in which the processor waits for all these places of the table at once.
        let mut decisive = None;
        here.children.retain_mut(|child| {
            if let Some(numbers) = self.table.get(child.key) {
                child.numbers = numbers;
            }
            let (own, other) = child.numbers.for_side(side);
            if own == 0 {
                decisive = Some(*child);
            }
            other != 0
        });
        if let Some(child) = decisive {
            here.children.clear();
            here.children.push(child);
        }
    }

    /// Brings frame `depth + 1` to the position after this move; returns its side to move.
    fn descend(&mut self, depth: usize, mv: Move) -> Side {
        let (here, below) = self.frames.split_at_mut(depth + 1);
        below[0].state.clone_from(&here[depth].state);
        self.variant.game.play(&mut below[0].state, mv);
        self.variant.game.side_to_move(&below[0].state)
    }

    /// Whether the search at work must stop here, at the end of its share or for good.
    fn must_stop(&mut self) -> bool {
        self.look();
        self.over || self.nodes >= self.share_end
    }

    /// Looks at the limits, and reports from time to time.
    fn look(&mut self) {
        if self.limit.states.is_some_and(|states| self.states >= states) {
            self.over = true;
        }
        if self.nodes < self.next_look {
            return;
        }
        self.next_look = self.nodes + LOOK_EVERY;
        let seconds = self.clock.elapsed();
        if seconds >= self.next_report {
            self.next_report = seconds + REPORT_EVERY;
            (self.progress.nodes, self.progress.seconds) = (self.nodes, seconds);
            self.progress.bytes = self.table.bytes();
            (self.tell)(&self.progress);
        }
        self.over |= self.clock.is_over();
    }
}

#[cfg(test)]
mod tests;
