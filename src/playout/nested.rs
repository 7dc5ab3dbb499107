//! Nested playouts: each move is the one whose playout of the level below ended best (NMCS for two players).
//!
//! `NMC(0)` is the base playout; `NMC(n + 1)` evaluates every successor by one `NMC(n)` playout, goes to the
//! best and repeats to the end (Cazenave, Saffidine, Schofield, Thielscher 2016, algorithm 1; spec section 6).
//! Values are for the first side: +1 its win, 0 a draw, -1 its loss; with discounting divided by the depth,
//! which is 1 where the playout starts and grows by one with every move.

use std::cell::Cell;

use super::{Answer, Built, Chain, Leaf, PlayoutPolicy, Role, Turn, looks_ahead, uniform_playout};
use crate::family::Context;
use crate::game::{Game, Here, Trace, Variant};
use crate::spec::{Family, OptionInfo, Options, PartInfo};
use crate::terms::Terms;
use crate::tree::{Layout, MoveTable, Simulation, Tree};
use crate::types::{Clock, Error, Move, Outcome, Result, Rng, Side};

pub const NAME: &str = "nested";

/// Higher levels would take years.
const MAX_LEVEL: i64 = 5;

pub const LEVEL: OptionInfo =
    OptionInfo::int("level", 0, MAX_LEVEL, "1", "nesting level; 0: the base playout");
pub const DISCOUNT: OptionInfo =
    OptionInfo::flag("discount", "false", "prefer short wins and long losses: results divided by depth");
pub const CUT_ON_WIN: OptionInfo = OptionInfo::int(
    "cut_on_win",
    0,
    MAX_LEVEL + 1,
    "0",
    "highest level at which a won successor ends the scan; safe without discount only",
);
pub const PRUNE_ON_DEPTH: OptionInfo = OptionInfo::int(
    "prune_on_depth",
    0,
    MAX_LEVEL + 1,
    "0",
    "highest level whose best value ends playouts that are too long to beat it; needs discount",
);
pub const POD_MODE: OptionInfo = OptionInfo::choice(
    "pod_mode",
    &["safe", "paper"],
    "safe",
    "whether prune_on_depth looks at every state or as the paper's algorithm 1 at the owner's",
);
pub const ORDER: OptionInfo =
    OptionInfo::choice("order", &["shuffled", "fixed"], "shuffled", "in which order successors are scanned");
pub const BASE: OptionInfo = OptionInfo::spec("base", Family::Playout, "uniform", "the playout of level 0");

pub const INFO: PartInfo = PartInfo {
    name: NAME,
    options: &[LEVEL, DISCOUNT, CUT_ON_WIN, PRUNE_ON_DEPTH, POD_MODE, ORDER, BASE],
    positional: Some("level"),
    doc: "Each move is the one whose playout of the level below ended best; the result is not discounted",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    looks_ahead::<G>(NAME)?;
    let base = super::build_base(options.spec("base"), context)?;
    Built::link(Nested::new(options, base, context.variant)?)
}

/// What `nested` is told besides its level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heuristics {
    pub discount: bool,
    /// Highest level at which a scan ends with the first win.
    pub cut_on_win: usize,
    /// Highest level whose best value bounds the playouts below.
    pub prune_on_depth: usize,
    pub pod_mode: PodMode,
    /// Whether successors are scanned in random order.
    pub shuffled: bool,
}

/// Where pruning on depth is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodMode {
    /// In every state: it cannot end before the next depth.
    Safe,
    /// In the states of the side that owns the bound, at their own depth: line 5 of algorithm 1 with an owner.
    Paper,
}

impl Heuristics {
    /// `options` are resolved; `top`: the highest level that scans successors.
    pub fn new(options: &Options, top: usize) -> Result<Heuristics> {
        let heuristics = Heuristics {
            discount: options.flag("discount"),
            cut_on_win: options.size("cut_on_win"),
            prune_on_depth: options.size("prune_on_depth"),
            pod_mode: if options.choice("pod_mode") == "paper" { PodMode::Paper } else { PodMode::Safe },
            shuffled: options.choice("order") == "shuffled",
        };
        let limits = [("cut_on_win", heuristics.cut_on_win), ("prune_on_depth", heuristics.prune_on_depth)];
        if let Some((name, level)) = limits.into_iter().find(|&(_, level)| level > top) {
            return Err(Error::new(format!(
                "nested: {name}={level} is not allowed: this one scans at levels 1 to {top}, and 0 is never"
            )));
        }
        if heuristics.prune_on_depth > 0 && !heuristics.discount {
            return Err(Error::new(format!(
                "nested: prune_on_depth={} needs discount=true: without it depth decides nothing",
                heuristics.prune_on_depth
            )));
        }
        Ok(heuristics)
    }

    #[inline]
    fn value(&self, outcome: Outcome, depth: u32) -> f32 {
        let points = match outcome {
            Outcome::Win(Side::First) => 1.0,
            Outcome::Draw => 0.0,
            Outcome::Win(Side::Second) => -1.0,
        };
        points * self.win(depth)
    }

    /// What a win at this depth is worth to the winner.
    #[inline]
    fn win(&self, depth: u32) -> f32 {
        if self.discount { 1.0 / depth as f32 } else { 1.0 }
    }
}

/// The first side maximises, the second minimises.
#[inline]
fn sign(side: Side) -> f32 {
    if side == Side::First { 1.0 } else { -1.0 }
}

/// The best value that `owner` has found among the successors it scans.
#[derive(Clone, Copy)]
struct Bound {
    value: f32,
    owner: Side,
}

impl Bound {
    /// Whether a playout that has come to a state of this side and depth cannot beat the bound any more.
    #[inline]
    fn holds(self, mode: PodMode, side: Side, depth: u32) -> bool {
        let best = sign(self.owner) * self.value;
        let earliest = match mode {
            PodMode::Safe => depth + 1,
            PodMode::Paper if side == self.owner => depth,
            PodMode::Paper => return false,
        };
        best > 0.0 && 1.0 / earliest as f32 <= best
    }
}

/// The best successor of a scan.
struct Best {
    /// None: nothing is better than to lose now.
    mv: Option<Move>,
    value: f32,
    sign: f32,
}

impl Best {
    /// A loss now: any longer loss beats it if there is discounting, else only a draw or a win does.
    fn new(heuristics: &Heuristics, side: Side, depth: u32) -> Best {
        let sign = sign(side);
        Best { mv: None, value: -sign * heuristics.win(depth), sign }
    }

    /// Takes a successor into account. Whether the scan ends with it: if it is won and wins `cut`.
    #[inline]
    fn is_cut_by(&mut self, mv: Move, value: f32, cut: bool) -> bool {
        if self.sign * value > self.sign * self.value {
            (self.mv, self.value) = (Some(mv), value);
        }
        cut && self.sign * value > 0.0
    }
}

/// A scan at level 1 under way.
struct Scan<'a> {
    heuristics: Heuristics,
    depth: u32,
    best: Best,
    /// How many more successors may be played out.
    left: usize,
    states: u64,
    /// Where the values are kept, if they are asked for.
    values: Option<&'a mut Vec<f32>>,
}

impl Scan<'_> {
    /// Takes a playout of this many states into account. Whether the scan ends with it; if by a cut, something is left.
    #[inline]
    fn is_over_with(&mut self, mv: Move, outcome: Outcome, states: u64) -> bool {
        let value = self.heuristics.value(outcome, self.depth + states as u32);
        self.states += states;
        if let Some(values) = &mut self.values {
            values.push(value);
        }
        if self.best.is_cut_by(mv, value, self.heuristics.cut_on_win >= 1) {
            return true;
        }
        self.left -= 1;
        self.left == 0
    }
}

/// What one level needs and the next playout can use again.
struct Level<G: Game> {
    /// Where the playout of this level has come to.
    state: G::State,
    moves: Vec<Move>,
    /// Values of the first moves: those that were scanned.
    values: Vec<f32>,
}

/// What a playout is given from outside.
pub struct Around<'a, G: Game> {
    pub variant: &'a Variant<G>,
    pub clock: &'a Clock,
    /// Successors that the highest level may evaluate.
    pub playouts: Option<u64>,
}

/// How many states pass between two looks at the clock: at the beginning, at least and at most.
const LOOK_EVERY: u64 = 512;
const LOOK_BOUNDS: [u64; 2] = [32, 8192];
/// About how many seconds may pass between two looks. To look costs the system's time, and states of one game
/// take a thousand times as long as those of another.
const LOOK_SECONDS: f64 = 1e-4;

/// The algorithm with its scratch memory: the playout policy and the player share it.
pub struct Nest<G: Game> {
    heuristics: Heuristics,
    levels: Vec<Level<G>>,
    base: Chain<G>,
    trace: Trace,
    /// The number of states at which the clock is read next.
    next_look: u64,
    look_every: u64,
    /// The time of the last look.
    looked: f64,
}

impl<G: Game> Nest<G> {
    /// `top`: the highest level that will be asked for.
    pub fn new(top: usize, heuristics: Heuristics, base: Chain<G>, variant: &Variant<G>) -> Nest<G> {
        let state = variant.game.initial_state(&mut Rng::new(0));
        let level = |_| Level { state: state.clone(), moves: Vec::new(), values: Vec::new() };
        let trace = Trace { wanted: base.layout().records_moves(), ..Trace::default() };
        Nest {
            heuristics,
            levels: (0..=top).map(level).collect(),
            base,
            trace,
            next_look: LOOK_EVERY,
            look_every: LOOK_EVERY,
            looked: 0.0,
        }
    }

    pub fn layout(&self) -> Layout {
        self.base.layout()
    }

    /// What a reader of the results should know.
    pub fn notes(&self) -> Vec<String> {
        let unsafe_cut = self.heuristics.discount && self.heuristics.cut_on_win > 0;
        let note = "cut_on_win with discount is unsafe: a shorter win may be overlooked";
        let mut notes = if unsafe_cut { vec![note.to_string()] } else { Vec::new() };
        notes.extend(self.base.notes());
        notes.dedup();
        notes
    }

    pub fn begin(&mut self, leaf: &Leaf<G>, rng: &mut Rng) {
        self.base.begin(leaf, rng);
    }

    /// States visited since the last `step`: one per move played.
    pub fn states(&self) -> u64 {
        self.trace.states
    }

    /// The successors that the last `step` of the highest level evaluated, with their values for the first side.
    pub fn scanned(&self) -> impl Iterator<Item = (Move, f32)> {
        let top = self.levels.last().expect("there is a highest level");
        top.moves.iter().copied().zip(top.values.iter().copied())
    }

    /// The move of `NMC(highest level)` in `state`, which is not over; None if the time was or the states were used up.
    pub fn step(
        &mut self,
        around: &Around<G>,
        state: &G::State,
        before: &[(Move, Side)],
        rng: &mut Rng,
    ) -> Option<Move> {
        let top = self.levels.len() - 1;
        self.trace.clear();
        self.next_look = self.look_every;
        if self.trace.wanted {
            self.trace.moves.extend_from_slice(before);
        }
        self.levels[top].state.clone_from(state);
        self.scan(around, top, 1, rng)
    }

    /// A whole `NMC(highest level)` playout of `state`: its value for the first side; None as for `step`.
    pub fn playout(&mut self, around: &Around<G>, state: &G::State, rng: &mut Rng) -> Option<f32> {
        let top = self.levels.len() - 1;
        self.trace.clear();
        self.next_look = self.look_every;
        self.levels[top].state.clone_from(state);
        self.run(around, top, 1, None, rng)
    }

    fn is_over(&mut self, around: &Around<G>) -> bool {
        if self.trace.states < self.next_look {
            return false;
        }
        let now = around.clock.elapsed();
        let [least, most] = LOOK_BOUNDS;
        self.look_every = if now - self.looked < LOOK_SECONDS / 2.0 {
            most.min(2 * self.look_every)
        } else if now - self.looked > LOOK_SECONDS {
            least.max(self.look_every / 2)
        } else {
            self.look_every
        };
        self.looked = now;
        self.next_look = self.trace.states + self.look_every;
        around.clock.is_over()
    }

    /// One playout of `level` from where that level stands, at this depth.
    fn run(
        &mut self,
        around: &Around<G>,
        level: usize,
        mut depth: u32,
        bound: Option<Bound>,
        rng: &mut Rng,
    ) -> Option<f32> {
        if level == 0 {
            return self.run_base(around, depth, bound, rng);
        }
        let game = &around.variant.game;
        let before = self.trace.moves.len();
        let value = loop {
            let state = &self.levels[level].state;
            if let Some(outcome) = around.variant.outcome(state) {
                break self.heuristics.value(outcome, depth);
            }
            let side = game.side_to_move(state);
            if let Some(bound) = bound
                && bound.holds(self.heuristics.pod_mode, side, depth)
            {
                break bound.value;
            }
            let mv = self.scan(around, level, depth, rng)?;
            if !around.clock.visit(1) {
                return None;
            }
            game.play(&mut self.levels[level].state, mv);
            self.trace.push(mv, side);
            depth += 1;
        };
        self.trace.moves.truncate(before);
        Some(value)
    }

    /// The successor that level `level` goes to: evaluates each by a playout of the level below.
    fn scan(&mut self, around: &Around<G>, level: usize, depth: u32, rng: &mut Rng) -> Option<Move> {
        let game = &around.variant.game;
        if self.is_over(around) {
            return None;
        }
        let here = &mut self.levels[level];
        here.moves.clear();
        here.values.clear();
        game.legal_moves(&here.state, &mut here.moves);
        let side = game.side_to_move(&here.state);
        let count = here.moves.len();
        if level == 1 && self.heuristics.prune_on_depth == 0 && self.base.is_uniform() {
            // The game's own loop counts nothing on the way: only where all of it is sure to be within the limit.
            let most = around.variant.game.longest().map(|longest| longest * count as u64);
            if around.clock.may_visit(most) {
                return self.scan_uniform(around, depth, side, rng);
            }
        }
        let mut best = Best::new(&self.heuristics, side, depth);
        for i in 0..count {
            let top = level + 1 == self.levels.len();
            if top && around.playouts.is_some_and(|playouts| i as u64 >= playouts) {
                return None;
            }
            let (below, here) = self.levels.split_at_mut(level);
            let (below, here) = (&mut below[level - 1], &mut here[0]);
            if self.heuristics.shuffled {
                here.moves.swap(i, i + rng.below(count - i));
            }
            let mv = here.moves[i];
            // No bound before a real successor has set it.
            let bound = (level <= self.heuristics.prune_on_depth && best.mv.is_some())
                .then_some(Bound { value: best.value, owner: side });
            if !around.clock.visit(1) {
                return None;
            }
            below.state.clone_from(&here.state);
            game.play(&mut below.state, mv);
            self.trace.push(mv, side);
            let value = self.run(around, level - 1, depth + 1, bound, rng)?;
            if self.trace.wanted {
                self.trace.moves.pop();
            }
            if top {
                self.levels[level].values.push(value);
            }
            if best.is_cut_by(mv, value, level <= self.heuristics.cut_on_win) {
                break;
            }
        }
        Some(best.mv.unwrap_or_else(|| self.levels[level].moves[rng.below(count)]))
    }

    /// The same at level 1 where all playouts are uniform and run to the end: nearly all time is spent here, so what
    /// a playout costs besides its moves counts.
    fn scan_uniform(&mut self, around: &Around<G>, depth: u32, side: Side, rng: &mut Rng) -> Option<Move> {
        let [below, here, above @ ..] = &mut self.levels[..] else {
            unreachable!("level 1 stands on level 0")
        };
        let Level { state, moves, values } = here;
        let (count, top) = (moves.len(), above.is_empty());
        let allowed = around.playouts.filter(|_| top).map_or(count, |playouts| count.min(playouts as usize));
        if allowed == 0 {
            return None;
        }
        let mut scan = Scan {
            heuristics: self.heuristics,
            depth,
            best: Best::new(&self.heuristics, side, depth),
            left: allowed,
            states: 0,
            values: top.then_some(values),
        };
        let judge = |mv, outcome, states| scan.is_over_with(mv, outcome, states);
        around.variant.scan(state, moves, self.heuristics.shuffled, &mut below.state, rng, judge);
        self.trace.states += scan.states;
        around.clock.visit(scan.states);
        if allowed < count && scan.left == 0 {
            return None;
        }
        Some(scan.best.mv.unwrap_or_else(|| moves[rng.below(count)]))
    }

    /// Level 0.
    fn run_base(
        &mut self,
        around: &Around<G>,
        mut depth: u32,
        bound: Option<Bound>,
        rng: &mut Rng,
    ) -> Option<f32> {
        let variant = around.variant;
        let state = &mut self.levels[0].state;
        if bound.is_none() && self.base.is_uniform() {
            let (states, moves) = (self.trace.states, self.trace.moves.len());
            let outcome = uniform_playout(variant, state, rng, &mut self.trace, around.clock)?;
            self.trace.moves.truncate(moves);
            depth += (self.trace.states - states) as u32;
            return Some(self.heuristics.value(outcome, depth));
        }
        let before = self.trace.moves.len();
        let uniform = self.base.is_uniform();
        self.base.begin_again();
        let looked_at = Cell::new(0);
        let value = loop {
            if let Some(outcome) = variant.outcome(state) {
                break Some(self.heuristics.value(outcome, depth));
            }
            let side = variant.game.side_to_move(state);
            if let Some(bound) = bound
                && bound.holds(self.heuristics.pod_mode, side, depth)
            {
                break Some(bound.value);
            }
            let mv = if uniform {
                variant.game.random_move(state, rng)
            } else {
                let turn = Turn {
                    variant,
                    state,
                    side,
                    moves: &self.trace.moves,
                    tree_moves: before,
                    clock: around.clock,
                    states: &looked_at,
                };
                match self.base.choose(&turn, rng) {
                    Answer::Move(mv) => mv,
                    // It would have ended with the next move at the earliest.
                    Answer::Stop(outcome) => break Some(self.heuristics.value(outcome, depth + 1)),
                    Answer::Value(value) => break Some((2.0 * value - 1.0) * self.heuristics.win(depth + 1)),
                    Answer::Abandon => break None,
                    Answer::Pass | Answer::Rest | Answer::Preferred(_) => {
                        unreachable!("the end of a chain never passes")
                    }
                }
            };
            if !around.clock.visit(1) {
                break None;
            }
            variant.game.play(state, mv);
            self.trace.push(mv, side);
            depth += 1;
        };
        self.trace.states += looked_at.get();
        self.trace.moves.truncate(before);
        value
    }
}

/// The playout policy: plays what `NMC(level)` plays, so that the tree receives the undiscounted result.
pub struct Nested<G: Game> {
    nest: Nest<G>,
}

impl<G: Game> Nested<G> {
    /// `options` are resolved.
    pub fn new(options: &Options, base: Chain<G>, variant: &Variant<G>) -> Result<Nested<G>> {
        let level = options.size("level");
        let heuristics = Heuristics::new(options, level)?;
        Ok(Nested { nest: Nest::new(level, heuristics, base, variant) })
    }
}

impl<G: Game> PlayoutPolicy<G> for Nested<G> {
    fn layout(&self) -> Layout {
        self.nest.layout()
    }

    fn terms(&self) -> Terms {
        self.nest.base.terms().fold(Terms::default(), |terms, (_, more)| terms.and(more.clone()))
    }

    fn role(&self) -> Role {
        Role { trusts_rings: self.nest.base.trusts_rings(), ..Role::default() }
    }

    fn begin(&mut self, leaf: &Leaf<G>, rng: &mut Rng) {
        self.nest.begin(leaf, rng);
    }

    fn begin_again(&mut self) {
        self.nest.base.begin_again();
    }

    fn never_passes(&self) -> bool {
        true
    }

    /// One step of the highest level. Values inside one scan compare alike wherever depth is counted from, so
    /// each turn may start at depth 1.
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        if self.nest.levels.len() == 1 {
            return self.nest.base.choose(turn, rng);
        }
        let around = Around { variant: turn.variant, clock: turn.clock, playouts: None };
        let chosen = self.nest.step(&around, turn.state, turn.moves, rng);
        turn.states.set(turn.states.get() + self.nest.states());
        chosen.map_or(Answer::Abandon, Answer::Move)
    }

    fn observe(&mut self, root: &Here<G>, simulation: &Simulation) {
        self.nest.base.observe(root, simulation);
    }

    fn new_root(&mut self) {
        self.nest.base.new_root();
    }

    fn tables(&self, tree: &Tree) -> Vec<MoveTable> {
        self.nest.base.tables(tree)
    }

    fn notes(&self) -> Vec<String> {
        self.nest.notes()
    }
}

#[cfg(test)]
mod tests;
