//! The search: one loop for every game and every policy, and the report it gives.

mod alone;
mod choose;
mod decided;
mod expand;
mod kept;
mod parallel;
mod report;
mod stubborn;
#[cfg(test)]
mod tests;
mod widen;
mod worlds;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::backup::Backup;
use crate::game::{Game, Here, Rules, Trace};
use crate::playout::{Chain, End, Leaf, Playing};
use crate::prior::Prior;
use crate::root::Root;
use crate::selection::SelectionPolicy;
use crate::tactics::Tactic;
use crate::tree::{AmafUpdate, EdgeId, Layout, NodeId, PRIOR, Proof, ROOT, Simulation, Step, Tree};
use crate::types::{Clock, Error, Limit, Move, Outcome, Result, Rng, Side};
pub use report::{MoveStat, Report, best_of};
pub use widen::Widen;
pub use worlds::{Hidden, LoggedWorld, Worlds};

/// How a leaf gets children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// One child per simulation; the formula decides once all have been tried (PPR, Mr Jack).
    One,
    /// All children at once (Fossel).
    All,
}

/// In which order `Expansion::One` tries moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Random,
    First,
    Last,
}

/// Which move is played in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Final {
    /// The most visited.
    Visits,
    /// The best mean of those with so many visits.
    Score { min_visits: u64 },
}

/// The part of `mcts`'s options that the loop itself reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    pub expansion: Expansion,
    /// Visits after which a leaf becomes a node, so that the next visit gives it children.
    pub expand_at: u32,
    pub order: Order,
    /// In a node with fewer visits the playout policy decides instead of the formula.
    pub threshold: u32,
    pub final_move: Final,
    /// Whether positions that differ only in the order of moves share a node.
    pub transpositions: bool,
    /// Bytes.
    pub memory: usize,
    /// Whether proven results are backed up and never searched again.
    pub solve: bool,
    /// Whether a search whose position is proven lost goes on without proofs.
    pub stubborn: bool,
    /// Whether to stop when the most visited move can no longer be caught.
    pub stop_early: bool,
    /// Whether a node offers only some of its children until it has visits enough; with `Expansion::All`.
    pub widen: Option<Widen>,
}

/// One simulation as the plain Python twin replays it.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    pub moves: Vec<(Move, Side)>,
    /// How many of the moves were made in the tree.
    pub tree_moves: usize,
    /// The result for the first side.
    pub value: f32,
    /// The world it was played in, where something is hidden.
    pub world: Option<LoggedWorld>,
}

/// What a search is made of.
pub struct Parts<G: Game> {
    /// None: the root is a node like any other.
    pub root: Option<Box<dyn Root>>,
    pub selection: Box<dyn SelectionPolicy>,
    pub playout: Chain<G>,
    /// What is expected of new children.
    pub priors: Vec<Box<dyn Prior<G>>>,
    /// What is proven or forced; with `solve`.
    pub tactics: Vec<Box<dyn Tactic<G>>>,
    /// None: the mean alone.
    pub backup: Option<Box<dyn Backup<G>>>,
    pub settings: Settings,
}

impl<G: Game> Parts<G> {
    /// What all of them together keep in the tree.
    fn layout(&self) -> Layout {
        let expects = !self.priors.is_empty();
        let own = Layout {
            // How a move lies to the last one is a part of what is expected of it.
            last_move: expects,
            keys: self.settings.transpositions,
            edges: if expects { vec![&PRIOR] } else { vec![] },
            ..Layout::default()
        };
        let backup = self.backup.as_ref().map(|backup| backup.layout()).unwrap_or_default();
        let layout = self.selection.layout().and(self.playout.layout()).and(own).and(backup);
        self.tactics.iter().fold(layout, |layout, tactic| layout.and(tactic.layout()))
    }
}

/// One search: resumable, readable between runs.
pub struct Search<G: Game> {
    rules: Arc<Rules<G>>,
    root: G::State,
    tree: Tree,
    parts: Parts<G>,
    /// What all parts keep in the tree.
    layout: Layout,
    rng: Rng,
    /// Names the stream that breaks ties of the final move, so that reading a report changes nothing.
    tie_seed: u64,
    simulations: u64,
    /// How many there will be at the end of this run, where that is known.
    planned: Option<u64>,
    states: u64,
    seconds: f64,
    full_at: Option<u64>,
    log: Option<Vec<Logged>>,
    /// Where nodes grow child by child in sampled worlds.
    worlds: Option<Worlds<G>>,
    /// Where nodes widen: the visits at which a node offers one more child.
    schedule: Vec<u32>,
    /// The playout policies of each thread, where several share the tree.
    chains: Vec<Chain<G>>,
    /// How many of them each thread has.
    at_once: usize,
    /// Simulations whose result is still to come, where several threads share the tree.
    under_way: u64,
    /// The position was proven lost, and the tree has begun anew without proofs.
    lost: bool,
    /// The world of the simulation under way.
    logged_world: Option<LoggedWorld>,
    scratch: Scratch<G>,
}

/// Simulations between two looks at whether the move is decided.
const DECIDED_EVERY: u64 = 64;

/// What a simulation needs and the next one can use again.
struct Scratch<G: Game> {
    state: G::State,
    path: Vec<Step>,
    /// Nodes that have widened on the way, and how many children they offered before.
    offered: Vec<(NodeId, usize)>,
    trace: Trace,
    slots: Vec<u16>,
    moves: Vec<Move>,
    amaf: AmafUpdate,
    /// The children that are not proven, where some are.
    open: Vec<(EdgeId, u32)>,
}

impl<G: Game> Scratch<G> {
    /// Where the simulation stands.
    fn here<'a>(&'a self, rules: &'a Rules<G>) -> Here<'a, G> {
        Here { rules, state: &self.state, last: self.trace.moves.last().map(|&(mv, _)| mv) }
    }

    fn new(root: &G::State, records_moves: bool) -> Scratch<G> {
        Scratch {
            state: root.clone(),
            path: Vec::new(),
            offered: Vec::new(),
            trace: Trace { wanted: records_moves, ..Trace::default() },
            slots: Vec::new(),
            moves: Vec::new(),
            amaf: AmafUpdate::default(),
            open: Vec::new(),
        }
    }
}

/// How far a descent has come: a simulation adds at most one node's children and tries at most one new edge.
#[derive(Default)]
struct Descent {
    /// A node has been given its children.
    expanded: bool,
    /// The last edge has just been tried for the first time: the playout starts behind it.
    fresh: bool,
}

/// A simulation whose tree part is done.
struct Descended {
    /// How the game has ended, or would end, where the tree part did.
    outcome: Option<Outcome>,
    /// The key of the position there, where positions share nodes.
    key: Option<u64>,
    tree_moves: usize,
    /// The last edge was tried for the first time.
    fresh: bool,
    /// It belongs to a tree that began anew.
    lost: bool,
    /// The states were used up on the way.
    spent: bool,
}

impl Descended {
    /// How the simulation ends, if no playout decides it.
    fn end(&self) -> Option<End> {
        let decided = self.outcome.map(End::Outcome);
        decided.or(if self.spent { Some(End::Abandoned) } else { None })
    }
}

impl<G: Game> Search<G> {
    pub fn new(rules: Arc<Rules<G>>, root: G::State, parts: Parts<G>, mut rng: Rng) -> Result<Search<G>> {
        if rules.outcome(&root).is_some() {
            return Err(Error::new("there is nothing to search: the game is over"));
        }
        let layout = parts.layout();
        let tree = new_tree(&rules, &root, &layout, parts.settings.memory);
        let tie_seed = rng.next_u64();
        let scratch = Scratch::new(&root, layout.records_moves());
        let schedule = parts.settings.widen.map_or_else(Vec::new, |widen| widen.schedule());
        Ok(Search {
            rules,
            root,
            tree,
            parts,
            layout,
            rng,
            tie_seed,
            simulations: 0,
            planned: None,
            states: 0,
            seconds: 0.0,
            full_at: None,
            log: None,
            worlds: None,
            schedule,
            chains: Vec::new(),
            at_once: 1,
            under_way: 0,
            lost: false,
            logged_world: None,
            scratch,
        })
    }

    /// Begins anew, with an empty tree.
    fn clear_tree(&mut self) {
        self.tree = new_tree(&self.rules, &self.root, &self.layout, self.parts.settings.memory);
        if let Some(root) = &mut self.parts.root {
            root.new_root();
        }
    }

    /// Keeps every simulation from now on, for the plain Python twin.
    pub fn keep_log(&mut self) {
        self.log = Some(Vec::new());
        self.scratch.trace.wanted = true;
    }

    pub fn log(&self) -> &[Logged] {
        self.log.as_deref().unwrap_or(&[])
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    pub fn root(&self) -> &G::State {
        &self.root
    }

    pub fn simulations(&self) -> u64 {
        self.simulations
    }

    /// What is proven about the position that is searched, for the side to move; nothing without `solve`.
    pub fn root_proof(&self) -> Proof {
        if self.lost {
            Proof::Loss
        } else if self.parts.settings.solve {
            self.tree.node_proof(ROOT)
        } else {
            Proof::None
        }
    }

    pub fn states(&self) -> u64 {
        self.states
    }

    /// Adds simulations to the same tree until `limit`, counted from now, or until `stop` is raised.
    pub fn run(&mut self, limit: &Limit, stop: &Arc<AtomicBool>) {
        self.run_part(limit, limit, stop);
    }

    /// A part of a run that is made piece by piece: `rest` is what is left of the whole, this part included. False
    /// if the rest would change nothing, because the result is proven, the move is decided, or something failed.
    pub fn run_part(&mut self, limit: &Limit, rest: &Limit, stop: &Arc<AtomicBool>) -> bool {
        if !self.chains.is_empty() {
            return self.run_shared(limit, rest, stop);
        }
        let (clock, whole) = (Clock::start(limit, stop.clone()), Clock::start(rest, stop.clone()));
        let last = limit.simulations.map(|n| self.simulations + n);
        self.planned = rest.simulations.map(|n| self.simulations + n);
        let begun = self.simulations;
        let mut goes_on = true;
        // How many simulations pass between two looks at the clock: about 50 microseconds' worth.
        let (mut stride, mut until_look, mut looked) = (1u32, 1u32, 0.0f64);
        loop {
            if last.is_some_and(|n| self.simulations >= n) || clock.is_spent() || clock.is_stopped() {
                break;
            }
            self.go_on_if_lost();
            let is_decided = self.parts.settings.stop_early
                && self.simulations % DECIDED_EVERY == 0
                && self.cannot_be_caught(rest, &whole, begun);
            goes_on = !is_decided && !self.is_settled();
            if !goes_on {
                break;
            }
            if clock.is_timed() {
                until_look -= 1;
                if until_look == 0 {
                    if clock.is_over() {
                        break;
                    }
                    let now = clock.elapsed();
                    stride = if now - looked < 50e-6 { (stride * 2).min(256) } else { (stride / 2).max(1) };
                    (until_look, looked) = (stride, now);
                }
            }
            if !self.simulate(last, &clock) {
                break;
            }
        }
        self.seconds += clock.elapsed();
        goes_on && self.failure().is_none()
    }

    /// One simulation; false if it had to be abandoned.
    fn simulate(&mut self, budget: Option<u64>, clock: &Clock) -> bool {
        if let Some(mut worlds) = self.worlds.take() {
            let done = self.simulate_in_world(&mut worlds, budget, clock);
            self.worlds = Some(worlds);
            return done;
        }
        let descended = self.descend(budget, clock);
        let end = match descended.end() {
            Some(end) => end,
            None => self.play_out(descended.tree_moves, budget, clock),
        };
        self.finish(&descended, end)
    }

    /// The tree part of a simulation: until an edge whose position is not a node, or the end of the game.
    fn descend(&mut self, budget: Option<u64>, clock: &Clock) -> Descended {
        let rules = self.rules.clone();
        self.scratch.state.clone_from(&self.root);
        self.scratch.path.clear();
        self.scratch.offered.clear();
        self.scratch.trace.clear();
        let mut node = ROOT;
        let mut descent = Descent::default();
        let mut outcome = None;
        let mut spent = false;
        loop {
            if !self.tree.has_edges(node) {
                if !self.expand(node) {
                    break;
                }
                self.narrow(node);
                descent.expanded = true;
                outcome = self.proven(node);
                if outcome.is_some() {
                    break;
                }
            }
            outcome = self.forced(node);
            if outcome.is_some() {
                break;
            }
            let edge = self.choose(node, budget, clock, &mut descent);
            let scratch = &mut self.scratch;
            let side = rules.game.side_to_move(&scratch.state);
            let mv = self.tree.mv(edge);
            scratch.path.push(Step { node, edge, side });
            if !clock.visit(1) {
                spent = true;
                break;
            }
            scratch.trace.push(mv, side);
            rules.game.play(&mut scratch.state, mv);
            outcome = rules.outcome(&scratch.state);
            if outcome.is_some() {
                break;
            }
            let due = !descent.expanded
                && self.tree.visits(edge) >= self.parts.settings.expand_at
                && !(self.tree.visits(edge) == 0 && self.is_bare(node));
            let key = || rules.game.key(&self.scratch.state);
            let below = match self.tree.behind(edge) {
                None if due => {
                    let key = self.tree.shares_positions().then(key);
                    self.new_node(edge, key)
                }
                below => below,
            };
            match below {
                Some(below) if !descent.fresh => node = below,
                _ => break,
            }
            // Another way to this position may have proven it, or a simulation that is not backed up yet.
            let may_be = self.tree.shares_positions() || self.under_way > 0;
            outcome = if may_be { self.proven(node) } else { None };
            if outcome.is_some() {
                break;
            }
        }
        // Asked now, because the playout moves on from the leaf.
        let key =
            (self.tree.shares_positions() && outcome.is_none()).then(|| rules.game.key(&self.scratch.state));
        if self.parts.settings.solve
            && let Some(outcome) = outcome
            && let Some(step) = self.scratch.path.last()
        {
            self.tree.set_proof(step.edge, Proof::of(outcome, step.side));
        }
        let tree_moves = self.scratch.path.len();
        Descended { outcome, key, tree_moves, fresh: descent.fresh, lost: self.lost, spent }
    }

    /// Whether the edges of `node` come from a simulation that was abandoned: whoever comes next counts as having
    /// made them.
    fn is_bare(&self, node: NodeId) -> bool {
        self.tree.children(node).all(|edge| self.tree.visits(edge) == 0)
    }

    /// Backs up and learns from a simulation; false if it had to be abandoned. Of such a one nothing stays but the
    /// states it has visited, and edges and nodes without visits of their own.
    fn finish(&mut self, descended: &Descended, end: End) -> bool {
        self.states += self.scratch.trace.states;
        let value = match end {
            End::Outcome(outcome) => outcome.score(Side::First),
            End::Value(value) => value,
            End::Abandoned => {
                if let Some(step) = self.scratch.path.last().filter(|_| descended.fresh) {
                    self.tree.untry_edge(step.node, step.edge);
                }
                self.take_back_offers();
                return false;
            }
        };
        self.back_up(value);
        let leaf = if descended.outcome.is_some() { None } else { self.leaf_node(descended.key) };
        self.learn(leaf, value, descended.tree_moves);
        true
    }

    /// How the game ends from `node`, where the simulation stands, if that is proven.
    fn proven(&self, node: NodeId) -> Option<Outcome> {
        if !self.parts.settings.solve {
            return None;
        }
        let side = self.rules.game.side_to_move(&self.scratch.state);
        match self.tree.node_proof(node) {
            Proof::None => None,
            Proof::Draw => Some(Outcome::Draw),
            Proof::Win => Some(Outcome::Win(side)),
            Proof::Loss => Some(Outcome::Win(side.other())),
        }
    }

    /// Backs up on every node of the path, the root included (spec section 1.1, point 3). What gets proven on
    /// the way up counts instead of the playout's result (MCTS-Solver, Winands et al. 2008).
    fn back_up(&mut self, value: f32) {
        let mut value = value;
        for (depth, step) in self.scratch.path.iter().enumerate().rev() {
            if self.parts.settings.solve {
                if let Some(below) = self.scratch.path.get(depth + 1) {
                    let proof = self.tree.node_proof(below.node);
                    self.tree.set_proof(
                        step.edge,
                        if below.side == step.side { proof } else { proof.exchanged() },
                    );
                }
                if let Some(score) = self.tree.proof(step.edge).score() {
                    value = if step.side == Side::First { score } else { 1.0 - score };
                }
            }
            let score = if step.side == Side::First { value } else { 1.0 - value };
            self.tree.add_result(step.edge, score);
            self.tree.add_visit(step.node);
        }
        if let Some(backup) = &mut self.parts.backup {
            backup.back_up(&mut self.tree, &self.scratch.path);
        }
    }

    /// The node of the position in which the tree part ended: made now if its edge has visits enough.
    fn leaf_node(&mut self, key: Option<u64>) -> Option<NodeId> {
        let Some(edge) = self.scratch.path.last().map(|step| step.edge) else {
            self.tree.add_visit(ROOT);
            return Some(ROOT);
        };
        match self.tree.behind(edge) {
            Some(node) => {
                self.tree.add_visit(node);
                Some(node)
            }
            None if self.tree.visits(edge) >= self.parts.settings.expand_at => self.new_node(edge, key),
            None => None,
        }
    }

    /// A node for the position behind `edge`, which has been visited as often as the edge; with transpositions the
    /// one that the position has already.
    fn new_node(&mut self, edge: EdgeId, key: Option<u64>) -> Option<NodeId> {
        let visits = self.tree.visits(edge);
        if let Some(node) = key.and_then(|key| self.tree.node_of(key)) {
            // A position that repeats within a simulation stays a leaf: nodes must form no circle.
            if self.scratch.path.iter().any(|step| step.node == node) {
                return None;
            }
            self.tree.add_visits(node, visits);
            self.tree.set_node_behind(edge, node);
            return Some(node);
        }
        let node = self.tree.add_node(visits);
        match node {
            Some(node) => {
                self.tree.set_node_behind(edge, node);
                if let Some(key) = key {
                    self.tree.set_key(key);
                }
            }
            None => self.full_at = self.full_at.or(Some(self.simulations)),
        }
        node
    }

    fn begin_playout(&mut self, budget: Option<u64>) {
        let leaf = Leaf {
            rules: &self.rules,
            state: &self.scratch.state,
            tree: &self.tree,
            path: &self.scratch.path,
            budget,
            done: self.simulations,
            root_side: self.rules.game.side_to_move(&self.root),
        };
        self.parts.playout.begin(&leaf, &mut self.rng);
    }

    fn play_out(&mut self, tree_moves: usize, budget: Option<u64>, clock: &Clock) -> End {
        self.begin_playout(budget);
        let Scratch { state, trace, .. } = &mut self.scratch;
        let rules = &*self.rules;
        self.parts.playout.run(Playing { rules, state, trace, tree_moves, clock, rng: &mut self.rng })
    }

    /// Hands the finished simulation to everything that learns from it.
    fn learn(&mut self, leaf: Option<NodeId>, value: f32, tree_moves: usize) {
        self.simulations += 1;
        let scratch = &mut self.scratch;
        if self.layout.reads_moves() {
            scratch.slots.clear();
            if self.rules.game.slots() > 0 {
                let game = &self.rules.game;
                scratch.slots.extend(scratch.trace.moves.iter().map(|&(mv, _)| game.slot(mv) as u16));
            }
            let simulation = Simulation {
                path: &scratch.path,
                leaf,
                moves: &scratch.trace.moves,
                slots: &scratch.slots,
                value,
                root_side: self.rules.game.side_to_move(&self.root),
            };
            scratch.amaf.apply(&mut self.tree, &simulation, self.layout.amaf_from);
            self.parts.selection.observe(&self.tree, &simulation);
            self.parts.playout.observe(&simulation);
        }
        if let Some(log) = &mut self.log {
            let world = self.logged_world.take();
            log.push(Logged { moves: scratch.trace.moves.clone(), tree_moves, value, world });
        }
    }
}

fn new_tree<G: Game>(rules: &Rules<G>, root: &G::State, layout: &Layout, memory: usize) -> Tree {
    Tree::new(rules.game.slots(), layout.clone(), memory, || rules.game.key(root))
}

/// The outcome of one uniformly random game from `state`, and its length.
pub fn random_game<G: Game>(
    rules: &Rules<G>,
    state: &G::State,
    scratch: &mut G::State,
    rng: &mut Rng,
) -> (Outcome, u64) {
    let mut trace = Trace::default();
    let outcome = rules.playout_from(state, None, scratch, rng, &mut trace);
    (outcome, trace.states)
}
