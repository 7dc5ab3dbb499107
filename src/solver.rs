//! The solver: the exact value of a position and of each of its moves, by proof-number search.
//!
//! Df-pn (Nagai 2002) asks "does the first side reach at least this?" and looks next wherever the answer is
//! nearest. Where a sum over children would count shared positions again and again, the weak form is used
//! (largest child plus the number of the others; Ueda et al. 2008). A table of bounded size remembers what was
//! found; positions are told apart by the game's 64-bit key.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::game::{Game, Rules};
use crate::tree::Proof;
use crate::types::{Clock, Error, Limit, Move, Outcome, Result, Side, mix};

/// The least memory that a table can do with.
pub const LEAST_MEMORY: usize = 1 << 16;

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
        match self {
            Goal::Win => key,
            Goal::Draw => mix(key),
        }
    }
}

const INFINITE: u32 = u32::MAX;

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

// ------------------------------------------------------------------------------------------------ the table

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    numbers: Numbers,
    /// Nodes spent on it; 0: the place is free.
    work: u32,
}

const BUCKET: usize = 4;

/// Grows from small to its bound, then forgets what cost least.
struct Table {
    entries: Vec<Entry>,
    used: usize,
    most: usize,
}

impl Table {
    fn new(memory: usize) -> Table {
        let most = (memory / size_of::<Entry>()).max(BUCKET);
        Table { entries: vec![Entry::default(); most.min(1 << 10)], used: 0, most }
    }

    fn bytes(&self) -> u64 {
        (self.entries.len() * size_of::<Entry>()) as u64
    }

    fn bucket(&self, key: u64) -> std::ops::Range<usize> {
        let buckets = self.entries.len() / BUCKET;
        let at = ((key as u128 * buckets as u128) >> 64) as usize * BUCKET;
        at..at + BUCKET
    }

    fn get(&self, key: u64) -> Option<Numbers> {
        let found = self.entries[self.bucket(key)].iter().find(|entry| entry.work > 0 && entry.key == key);
        found.map(|entry| entry.numbers)
    }

    fn put(&mut self, key: u64, numbers: Numbers, work: u64) {
        if self.used * 2 > self.entries.len() && self.entries.len() < self.most {
            self.grow();
        }
        self.insert(Entry { key, numbers, work: work.clamp(1, u32::MAX as u64) as u32 });
    }

    fn insert(&mut self, new: Entry) {
        let range = self.bucket(new.key);
        let bucket = &mut self.entries[range];
        let place = bucket.iter().position(|entry| entry.work > 0 && entry.key == new.key);
        let cheapest = || (0..BUCKET).min_by_key(|&at| bucket[at].work);
        let place = place.or_else(cheapest).expect("a bucket has places");
        self.used += usize::from(bucket[place].work == 0);
        let spent = if bucket[place].key == new.key { bucket[place].work } else { 0 };
        bucket[place] = Entry { work: spent.saturating_add(new.work), ..new };
    }

    fn grow(&mut self) {
        let larger = vec![Entry::default(); (self.entries.len() * 4).min(self.most)];
        let old = std::mem::replace(&mut self.entries, larger);
        self.used = 0;
        for entry in old.into_iter().filter(|entry| entry.work > 0) {
            self.insert(entry);
        }
    }
}

// ------------------------------------------------------------------------------------------------ the search

#[derive(Clone, Copy)]
struct Child {
    mv: Move,
    numbers: Numbers,
}

/// One position on the way from the root; its memory is used again.
struct Frame<G: Game> {
    state: G::State,
    moves: Vec<Move>,
    children: Vec<Child>,
}

struct Solver<'a, G: Game> {
    rules: &'a Rules<G>,
    clock: Clock,
    limit: &'a Limit,
    table: Table,
    frames: Vec<Frame<G>>,
    goal: Goal,
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
    rules: &Rules<G>,
    state: &G::State,
    limit: &Limit,
    memory: usize,
    stop: &Arc<AtomicBool>,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Solution> {
    if G::HIDDEN {
        return Err(Error::new(format!(
            "only games without hidden information can be solved, not {}",
            G::INFO.name
        )));
    }
    if memory < LEAST_MEMORY {
        return Err(Error::new(format!(
            "memory={memory} is too little for the solver: at least {LEAST_MEMORY}"
        )));
    }
    if limit.simulations.is_some() {
        return Err(Error::new("the solver makes no simulations: limit states, seconds or cpu_seconds"));
    }
    if rules.outcome(state).is_some() {
        return Err(Error::new("there is nothing to solve: the game is over"));
    }
    let side = rules.game.side_to_move(state);
    let mut moves = Vec::new();
    rules.game.legal_moves(state, &mut moves);
    let mut solver = Solver {
        rules,
        clock: Clock::start(limit, stop.clone()),
        limit,
        table: Table::new(memory),
        frames: Vec::new(),
        goal: Goal::Win,
        drawn: false,
        nodes: 0,
        states: 0,
        next_look: LOOK_EVERY,
        next_report: REPORT_EVERY,
        progress: Progress { nodes: 0, seconds: 0.0, bytes: 0, value: Proof::None, moves: (0, moves.len()) },
        tell,
    };
    let value = solver.value(state, side);
    solver.progress.value = value;
    let mut solved = Vec::new();
    for mv in moves {
        let mut next = state.clone();
        rules.game.play(&mut next, mv);
        let value = solver.value(&next, side);
        solver.progress.moves.0 += usize::from(value != Proof::None);
        solved.push((mv, value));
    }
    Ok(Solution {
        value,
        moves: solved,
        nodes: solver.nodes,
        states: solver.states,
        seconds: solver.clock.elapsed(),
        bytes: solver.table.bytes(),
    })
}

impl<G: Game> Solver<'_, G> {
    /// The value of `state` for `side`; none if the limit came first.
    fn value(&mut self, state: &G::State, side: Side) -> Proof {
        let outcome = match self.rules.outcome(state) {
            Some(outcome) => Some(outcome),
            None => match self.reaches(state, Goal::Win) {
                Some(true) => Some(Outcome::Win(Side::First)),
                // Whoever stopped the first side from winning did it without a draw.
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

    fn reaches(&mut self, state: &G::State, goal: Goal) -> Option<bool> {
        self.goal = goal;
        self.frame(0, state);
        self.frames[0].state.clone_from(state);
        let key = goal.key(self.rules.game.key(state));
        let mut numbers = self.table.get(key).unwrap_or(Numbers { proof: 1, disproof: 1 });
        while numbers != Numbers::YES && numbers != Numbers::NO {
            numbers = self.search(0, INFINITE, INFINITE)?;
        }
        Some(numbers == Numbers::YES)
    }

    fn frame(&mut self, depth: usize, like: &G::State) {
        while self.frames.len() <= depth {
            let frame = Frame { state: like.clone(), moves: Vec::new(), children: Vec::new() };
            self.frames.push(frame);
        }
    }

    /// Searches below frame `depth` until one of its numbers, as its side to move sees them, reaches its limit.
    fn search(&mut self, depth: usize, own_limit: u32, other_limit: u32) -> Option<Numbers> {
        let side = self.rules.game.side_to_move(&self.frames[depth].state);
        let before = self.nodes;
        self.expand(depth, side);
        if self.is_over() {
            return None;
        }
        let numbers = loop {
            let children = &self.frames[depth].children;
            let sight = look_over(children, side);
            if sight.own == 0 || sight.other == 0 || sight.own >= own_limit || sight.other >= other_limit {
                break Numbers::from_side(side, sight.own, sight.other);
            }
            let child = children[sight.best];
            // A little beyond the second best, so that the search does not jump to and fro (1 + epsilon trick).
            let own = own_limit.min(sight.second.saturating_add(sight.second / 4).saturating_add(1));
            let other = other_limit.saturating_sub(sight.open - 1);
            let (here, below) = self.frames.split_at_mut(depth + 1);
            below[0].state.clone_from(&here[depth].state);
            self.rules.game.play(&mut below[0].state, child.mv);
            let child_side = self.rules.game.side_to_move(&below[0].state);
            let (own, other) = if child_side == side { (own, other) } else { (other, own) };
            let numbers = self.search(depth + 1, own, other)?;
            self.frames[depth].children[sight.best].numbers = numbers;
        };
        let key = self.goal.key(self.rules.game.key(&self.frames[depth].state));
        self.table.put(key, numbers, self.nodes - before);
        Some(numbers)
    }

    /// Lists the children of frame `depth` with what is known about them.
    fn expand(&mut self, depth: usize, side: Side) {
        self.nodes += 1;
        if self.frames.len() < depth + 2 {
            let like = self.frames[depth].state.clone();
            self.frame(depth + 1, &like);
        }
        let game = &self.rules.game;
        let (here, below) = self.frames.split_at_mut(depth + 1);
        let (here, below) = (&mut here[depth], &mut below[0]);
        here.moves.clear();
        here.children.clear();
        game.legal_moves(&here.state, &mut here.moves);
        for &mv in &here.moves {
            below.state.clone_from(&here.state);
            game.play(&mut below.state, mv);
            self.states += 1;
            let numbers = match self.rules.outcome(&below.state) {
                Some(outcome) => {
                    self.drawn |= outcome == Outcome::Draw;
                    Numbers::of(self.goal.is_reached(outcome))
                }
                None => match self.table.get(self.goal.key(game.key(&below.state))) {
                    Some(numbers) => numbers,
                    // The fewer moves the replier has, the fewer must be refuted.
                    None => {
                        below.moves.clear();
                        game.legal_moves(&below.state, &mut below.moves);
                        Numbers::from_side(game.side_to_move(&below.state), 1, below.moves.len() as u32)
                    }
                },
            };
            let decided = numbers.for_side(side).0 == 0;
            if decided {
                here.children.clear();
            }
            here.children.push(Child { mv, numbers });
            if decided {
                return;
            }
        }
    }

    fn is_over(&mut self) -> bool {
        if self.limit.states.is_some_and(|states| self.states >= states) {
            return true;
        }
        if self.nodes < self.next_look {
            return false;
        }
        self.next_look = self.nodes + LOOK_EVERY;
        let seconds = self.clock.elapsed();
        if seconds >= self.next_report {
            self.next_report = seconds + REPORT_EVERY;
            (self.progress.nodes, self.progress.seconds) = (self.nodes, seconds);
            self.progress.bytes = self.table.bytes();
            (self.tell)(&self.progress);
        }
        self.clock.is_over()
    }
}

/// The numbers of a node as its side to move sees them, and the child to go to.
struct Sight {
    own: u32,
    other: u32,
    best: usize,
    /// The own number of the second best child.
    second: u32,
    /// Children that are not refuted.
    open: u32,
}

fn look_over(children: &[Child], side: Side) -> Sight {
    let mut sight = Sight { own: INFINITE, other: 0, best: 0, second: INFINITE, open: 0 };
    for (at, child) in children.iter().enumerate() {
        let (own, other) = child.numbers.for_side(side);
        if own < sight.own {
            (sight.second, sight.own, sight.best) = (sight.own, own, at);
        } else if own < sight.second {
            sight.second = own;
        }
        if other > 0 {
            sight.open += 1;
            sight.other = sight.other.max(other);
        }
    }
    if sight.own == 0 {
        sight.other = INFINITE;
    } else if sight.open > 0 {
        // Below infinity as long as nothing is proven.
        sight.other = sight.other.saturating_add(sight.open - 1).min(INFINITE - 1);
    }
    sight
}

#[cfg(test)]
mod tests;
