//! The loop of a search from top to bottom: down the tree, a playout, and what is learnt from it.
//!
//! `Core` is the tree side, which threads share one at a time. `Seat` is one simulation under way, with its own playout
//! policies. How simulations follow each other is `drive`'s matter.

use std::sync::Arc;

use super::settings::Settings;
use super::worlds::LoggedWorld;
use super::{Frame, Logged, Parts};
use crate::game::{Game, Here, Trace, Variant};
use crate::playout::{Chain, End, Leaf, Playing};
use crate::prior::PRIOR;
use crate::tree::{AmafUpdate, Column, EdgeId, NodeId, Proof, ROOT, Simulation, Step, Tree};
use crate::types::{Clock, Move, Outcome, Rng, Side};

/// The tree and everything that is decided in it.
pub(super) struct Core<G: Game> {
    pub variant: Arc<Variant<G>>,
    pub root: G::State,
    pub tree: Tree,
    pub parts: Parts<G>,
    pub frame: Frame,
    /// Whether a tactic is asked at every visit of a node.
    pub asks_at_visits: bool,
    /// Where it is kept what is expected of moves, if anything is.
    pub prior: Option<&'static Column>,
    pub counts: Counts,
    /// A node that a simulation comes to may have been proven on another way than its own, so that each is looked at.
    pub proven_elsewhere: bool,
    /// The position was proven lost, and the tree has begun anew without proofs.
    pub lost: bool,
    pub log: Option<Vec<Logged>>,
}

/// What a search has done since it has this root.
#[derive(Default)]
pub(super) struct Counts {
    pub simulations: u64,
    /// How many there will be at the end of this run, where that is known.
    pub planned: Option<u64>,
    pub states: u64,
    pub seconds: f64,
    /// The simulation at which the memory was full.
    pub full_at: Option<u64>,
}

/// One simulation under way: what it needs and the next one can use again.
pub(super) struct Seat<G: Game> {
    pub state: G::State,
    pub path: Vec<Step>,
    pub trace: Trace,
    pub chain: Chain<G>,
    /// Nodes that have widened on the way, and how many children they offered before.
    pub offered: Vec<(NodeId, usize)>,
    pub slots: Vec<u16>,
    pub moves: Vec<Move>,
    pub amaf: AmafUpdate,
    /// The children that are not proven, where some are.
    pub open: Vec<(EdgeId, u32)>,
}

impl<G: Game> Seat<G> {
    pub fn new(root: &G::State, chain: Chain<G>, records_moves: bool) -> Seat<G> {
        Seat {
            state: root.clone(),
            path: Vec::new(),
            trace: Trace { wanted: records_moves, ..Trace::default() },
            chain,
            offered: Vec::new(),
            slots: Vec::new(),
            moves: Vec::new(),
            amaf: AmafUpdate::default(),
            open: Vec::new(),
        }
    }

    /// Where the simulation stands.
    pub fn here<'a>(&'a self, variant: &'a Variant<G>) -> Here<'a, G> {
        Here { variant, state: &self.state, last: self.trace.last() }
    }

    /// Plays on from the leaf, at which the playout has begun.
    pub fn play_out(&mut self, variant: &Variant<G>, tree_moves: usize, clock: &Clock, rng: &mut Rng) -> End {
        let Seat { state, trace, chain, .. } = self;
        chain.run(Playing { variant, state, trace, tree_moves, clock, rng })
    }
}

/// Where a simulation began, if not at the root.
pub(super) struct Origin<'a, G: Game> {
    /// For policies that play it again.
    pub state: Option<&'a G::State>,
    /// For the log.
    pub world: Option<LoggedWorld>,
}

impl<G: Game> Default for Origin<'_, G> {
    fn default() -> Self {
        Origin { state: None, world: None }
    }
}

/// How far a descent has come: a simulation adds at most one node's children and tries at most one new edge.
#[derive(Default)]
pub(super) struct Descent {
    /// A node has been given its children.
    pub expanded: bool,
    /// The last edge has just been tried for the first time: the playout starts behind it.
    pub fresh: bool,
}

/// A simulation whose tree part is done.
pub(super) struct Descended {
    /// How the game has ended, or would end, where the tree part did.
    pub outcome: Option<Outcome>,
    /// The key of the position there, where positions share nodes.
    key: Option<u64>,
    pub tree_moves: usize,
    /// The last edge was tried for the first time.
    fresh: bool,
    /// It belongs to a tree that began anew.
    pub lost: bool,
    /// The states were used up on the way.
    spent: bool,
}

impl Descended {
    /// How the simulation ends, if no playout decides it.
    pub fn end(&self) -> Option<End> {
        let decided = self.outcome.map(End::Outcome);
        decided.or(if self.spent { Some(End::Abandoned) } else { None })
    }
}

impl<G: Game> Core<G> {
    pub fn new(variant: Arc<Variant<G>>, root: G::State, parts: Parts<G>, frame: Frame) -> Core<G> {
        let tree = new_tree(&variant, &root, &frame, parts.settings.memory);
        let asks_at_visits = parts.tactics.iter().any(|tactic| tactic.visits());
        let proven_elsewhere = parts.settings.transpositions;
        let prior = (!parts.priors.is_empty()).then_some(&PRIOR);
        Core {
            variant,
            root,
            tree,
            parts,
            frame,
            asks_at_visits,
            prior,
            counts: Counts::default(),
            proven_elsewhere,
            lost: false,
            log: None,
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.parts.settings
    }

    /// Begins anew, with an empty tree.
    pub fn clear_tree(&mut self) {
        self.tree = new_tree(&self.variant, &self.root, &self.frame, self.parts.settings.memory);
        if let Some(root) = &mut self.parts.root {
            root.new_root();
        }
    }

    /// The memory is full from this simulation on.
    pub fn note_full(&mut self) {
        self.counts.full_at = self.counts.full_at.or(Some(self.counts.simulations));
    }

    /// One simulation; false if it had to be abandoned.
    pub fn simulate(
        &mut self,
        seat: &mut Seat<G>,
        budget: Option<u64>,
        clock: &Clock,
        rng: &mut Rng,
    ) -> bool {
        let descended = self.descend(seat, budget, clock, rng);
        let end = match descended.end() {
            Some(end) => end,
            None => {
                self.begin_playout(seat, budget, rng);
                seat.play_out(&self.variant, descended.tree_moves, clock, rng)
            }
        };
        self.finish(seat, &descended, end)
    }

    /// The tree part of a simulation: until an edge whose position is not a node, or the end of the game.
    pub fn descend(
        &mut self,
        seat: &mut Seat<G>,
        budget: Option<u64>,
        clock: &Clock,
        rng: &mut Rng,
    ) -> Descended {
        seat.state.clone_from(&self.root);
        seat.path.clear();
        seat.offered.clear();
        seat.trace.clear();
        let mut node = ROOT;
        let mut descent = Descent::default();
        let mut outcome = None;
        let mut spent = false;
        loop {
            if !self.tree.has_edges(node) {
                if !self.expand(seat, node) {
                    break;
                }
                self.narrow(seat, node, rng);
                descent.expanded = true;
                outcome = self.proven(seat, node);
                if outcome.is_some() {
                    break;
                }
            }
            outcome = self.forced(seat, node);
            if outcome.is_some() {
                break;
            }
            let side = self.variant.game.side_to_move(&seat.state);
            let edge = self.choose(seat, (node, side), budget, clock, &mut descent, rng);
            let mv = self.tree.mv(edge);
            seat.path.push(Step { node, edge, side });
            if !clock.visit(1) {
                spent = true;
                break;
            }
            seat.trace.push(mv, side);
            self.variant.game.play(&mut seat.state, mv);
            outcome = self.variant.outcome(&seat.state);
            if outcome.is_some() {
                break;
            }
            let below = match self.tree.behind(edge) {
                None if !descent.expanded && self.is_due(node, edge) => {
                    let key = self.tree.shares_positions().then(|| self.variant.game.key(&seat.state));
                    self.new_node(seat, edge, key)
                }
                below => below,
            };
            match below {
                Some(below) if !descent.fresh => node = below,
                _ => break,
            }
            outcome = if self.proven_elsewhere { self.proven(seat, node) } else { None };
            if outcome.is_some() {
                break;
            }
        }
        // Asked now, because the playout moves on from the leaf.
        let key =
            (self.tree.shares_positions() && outcome.is_none()).then(|| self.variant.game.key(&seat.state));
        if self.parts.settings.solve
            && let Some(outcome) = outcome
            && let Some(step) = seat.path.last()
        {
            self.tree.set_proof(step.edge, Proof::of(outcome, step.side));
        }
        let tree_moves = seat.path.len();
        Descended { outcome, key, tree_moves, fresh: descent.fresh, lost: self.lost, spent }
    }

    /// Whether the position behind an edge of `node` becomes a node now. Not where no edge has been visited, because the
    /// simulation that made them was abandoned: this one counts as having made them.
    #[inline]
    fn is_due(&self, node: NodeId, edge: EdgeId) -> bool {
        let visits = self.tree.visits(edge);
        let is_bare = || self.tree.children(node).all(|edge| self.tree.visits(edge) == 0);
        visits >= self.parts.settings.expansion.at && !(visits == 0 && is_bare())
    }

    /// How the game ends from `node`, where the simulation stands, if that is proven.
    pub fn proven(&self, seat: &Seat<G>, node: NodeId) -> Option<Outcome> {
        if !self.parts.settings.solve {
            return None;
        }
        let side = self.variant.game.side_to_move(&seat.state);
        match self.tree.node_proof(node) {
            Proof::None => None,
            Proof::Draw => Some(Outcome::Draw),
            Proof::Win => Some(Outcome::Win(side)),
            Proof::Loss => Some(Outcome::Win(side.other())),
        }
    }

    /// Lets the playout policies look at the path.
    pub fn begin_playout(&self, seat: &mut Seat<G>, budget: Option<u64>, rng: &mut Rng) {
        let leaf = Leaf {
            variant: &self.variant,
            state: &seat.state,
            tree: &self.tree,
            path: &seat.path,
            budget,
            done: self.counts.simulations,
            root_side: self.variant.game.side_to_move(&self.root),
        };
        seat.chain.begin(&leaf, rng);
    }

    /// Backs up and learns from a simulation; false if it had to be abandoned. Of such a one nothing stays but the
    /// states it has visited, and edges and nodes without visits of their own.
    pub fn finish(&mut self, seat: &mut Seat<G>, descended: &Descended, end: End) -> bool {
        self.counts.states += seat.trace.states;
        let value = match end {
            End::Outcome(outcome) => outcome.score(Side::First),
            End::Value(value) => value,
            End::Abandoned => {
                if let Some(step) = seat.path.last().filter(|_| descended.fresh) {
                    self.tree.untry_edge(step.node, step.edge);
                }
                self.take_back_offers(seat);
                return false;
            }
        };
        self.back_up(&seat.path, value);
        let leaf = if descended.outcome.is_some() { None } else { self.leaf_node(seat, descended.key) };
        self.learn(seat, leaf, value, descended.tree_moves, Origin::default());
        true
    }

    /// Backs up on every node of the path, the root included (spec section 1.1, point 3). What gets proven on
    /// the way up counts instead of the playout's result (MCTS-Solver, Winands et al. 2008).
    fn back_up(&mut self, path: &[Step], value: f32) {
        let mut value = value;
        for (depth, step) in path.iter().enumerate().rev() {
            if self.parts.settings.solve {
                if let Some(below) = path.get(depth + 1) {
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
            backup.back_up(&mut self.tree, path);
        }
    }

    /// The node of the position in which the tree part ended: made now if its edge has visits enough.
    fn leaf_node(&mut self, seat: &Seat<G>, key: Option<u64>) -> Option<NodeId> {
        let Some(edge) = seat.path.last().map(|step| step.edge) else {
            self.tree.add_visit(ROOT);
            return Some(ROOT);
        };
        match self.tree.behind(edge) {
            Some(node) => {
                self.tree.add_visit(node);
                Some(node)
            }
            None if self.tree.visits(edge) >= self.parts.settings.expansion.at => {
                self.new_node(seat, edge, key)
            }
            None => None,
        }
    }

    /// A node for the position behind `edge`, which has been visited as often as the edge; with transpositions the
    /// one that the position has already.
    fn new_node(&mut self, seat: &Seat<G>, edge: EdgeId, key: Option<u64>) -> Option<NodeId> {
        let visits = self.tree.visits(edge);
        if let Some(node) = key.and_then(|key| self.tree.node_of(key)) {
            // A position that repeats within a simulation stays a leaf: nodes must form no circle.
            if seat.path.iter().any(|step| step.node == node) {
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
            None => self.note_full(),
        }
        node
    }

    /// Hands the finished simulation to everything that learns from it.
    pub fn learn(
        &mut self,
        seat: &mut Seat<G>,
        leaf: Option<NodeId>,
        value: f32,
        tree_moves: usize,
        origin: Origin<G>,
    ) {
        self.counts.simulations += 1;
        if self.frame.layout.reads_moves() {
            seat.slots.clear();
            if self.variant.game.slots() > 0 {
                let game = &self.variant.game;
                seat.slots.extend(seat.trace.moves.iter().map(|&(mv, _)| game.slot(mv) as u16));
            }
            let simulation = Simulation {
                path: &seat.path,
                leaf,
                moves: &seat.trace.moves,
                slots: &seat.slots,
                value,
                root_side: self.variant.game.side_to_move(&self.root),
            };
            seat.amaf.apply(&mut self.tree, &simulation, self.frame.layout.amaf_from);
            self.parts.selection.observe(&self.tree, &simulation);
            let state = origin.state.unwrap_or(&self.root);
            seat.chain.observe(&Here { variant: &self.variant, state, last: None }, &simulation);
        }
        if let Some(log) = &mut self.log {
            log.push(Logged { moves: seat.trace.moves.clone(), tree_moves, value, world: origin.world });
        }
    }
}

fn new_tree<G: Game>(variant: &Variant<G>, root: &G::State, frame: &Frame, memory: usize) -> Tree {
    Tree::new(variant.game.slots(), frame.layout.clone(), memory, || variant.game.key(root))
}
