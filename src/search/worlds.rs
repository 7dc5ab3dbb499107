//! Simulations in sampled worlds: the descent for games with hidden information and for nodes that grow child by child.
//!
//! Each simulation draws a world that the observer, the side to move at the root, cannot tell from the true one.
//! A node is what the side to move there can tell apart: the *story* (the moves that led to it and the public
//! answers to them) and this side's own secret. So a node of a side without a secret is shared by all worlds, and a side
//! with one has a node for each secret that it may have (in Mr Jack the detective and Jack); what is still to be drawn is
//! part of no node, and a child is open only in the worlds in which it is legal
//! (spec section 9; the formula counts how often it was, after Cowling, Powley and Whitehouse 2012).
//!
//! How a key is completed is decided once for a story, whatever the secret: if each secret had uses of its own, the use
//! that was chosen would tell the simulated other side which secret it is.

use std::collections::HashMap;

use super::core::{Core, Origin, Seat};
use super::drive::Simulate;
use super::{Growing, Report, Search};
use crate::candidates::Candidates;
use crate::game::{Game, Variant};
use crate::playout::End;
use crate::selection::{Choice, Open};
use crate::terms::Terms;
use crate::tree::{EdgeId, NodeId, ROOT, Step, Tree};
use crate::types::{Clock, Error, Move, Rng, Side, mix};
use crate::worlds::{World, Worlds};

/// What one simulation was told about its world.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedWorld {
    /// The world as text.
    pub text: String,
    /// Whether the nodes of the other side have learnt from it.
    pub shared: bool,
}

/// A key of a node and the children that it has borne.
struct Key {
    key: u32,
    /// How often it was open when the node was visited.
    available: u32,
    /// Every move of the key is a child.
    exhausted: bool,
    children: Vec<EdgeId>,
}

/// What grows at a node.
#[derive(Default)]
struct Growth {
    story: Story,
    /// In ascending order.
    keys: Vec<Key>,
}

impl Growth {
    /// Counts a visit in which these keys are open, and tells the places of those that the node has or, if it
    /// may grow, gets now; bytes that were added.
    fn visit(&mut self, open: &[u32], counted: bool, grows: bool, places: &mut Vec<usize>) -> usize {
        let before = self.keys.len();
        let mut at = 0;
        for &key in open {
            while at < self.keys.len() && self.keys[at].key < key {
                at += 1;
            }
            if at == self.keys.len() || self.keys[at].key != key {
                if !grows {
                    continue;
                }
                let new = Key { key, available: 0, exhausted: false, children: Vec::new() };
                self.keys.insert(at, new);
            }
            self.keys[at].available += u32::from(counted);
            places.push(at);
        }
        (self.keys.len() - before) * size_of::<Key>()
    }
}

/// A child that the simulation under way has added.
struct Sprout {
    node: NodeId,
    /// The place of its key among those of the node.
    at: usize,
    /// Whether its move is a new completion of the key.
    completes: bool,
}

/// Moves and public answers so far, mixed into a number.
type Story = u64;

/// The story before the first move.
const BEGINNING: Story = 0;

/// The story that a move and the answer to it go on with.
fn told(story: Story, mv: Move, answer: u32) -> Story {
    mix(story ^ mix((answer as u64) << 32 | mv.0 as u64))
}

/// Bytes of an entry in `nodes`, and of an edge's place among the children of its key with its completion.
const NODE_BYTES: usize = 2 * size_of::<((Story, u64), NodeId)>();
const CHILD_BYTES: usize = 2 * (size_of::<EdgeId>() + size_of::<Move>());

/// What the descent keeps beside the tree.
pub struct InWorlds<G: Game> {
    candidates: Box<dyn Candidates<G>>,
    worlds: Box<dyn Worlds<G>>,
    /// By node.
    growth: Vec<Growth>,
    /// The node of a story and a secret of who is to move. Looked up, never gone through by a search.
    nodes: HashMap<(Story, u64), NodeId>,
    /// The moves with which a key of a story has been completed so far. A node has tried the first of them.
    completed: HashMap<(Story, u32), Vec<Move>>,
    keys: Vec<u32>,
    /// Where the open keys are among those of the node, and those of them that may bear a child.
    places: Vec<usize>,
    untried: Vec<usize>,
    open: Vec<(EdgeId, u32)>,
    /// What the simulation under way has changed, in case it is abandoned: the nodes and places of the keys that it has
    /// counted as open, and its new child.
    opened: Vec<(NodeId, usize)>,
    sprouted: Option<Sprout>,
    /// The world of the simulation under way, where a policy plays it again, and as the log tells it.
    began: Option<G::State>,
    logged: Option<LoggedWorld>,
    /// Bytes of the candidates that the tree has counted.
    counted: usize,
    pub(super) failure: Option<Error>,
}

impl<G: Game> InWorlds<G> {
    /// Nothing of what it gives: its nodes are no positions, and grow child by child.
    pub(super) fn terms() -> Terms {
        Terms::default()
    }

    /// For a search whose root has been drawn by these worlds.
    pub(super) fn new(growing: Growing<G>, variant: &Variant<G>, root: &G::State) -> InWorlds<G> {
        InWorlds {
            candidates: growing.candidates,
            worlds: growing.worlds,
            growth: vec![Growth::default()],
            nodes: HashMap::from([((BEGINNING, own_secret(variant, root)), ROOT)]),
            completed: HashMap::new(),
            keys: Vec::new(),
            places: Vec::new(),
            untried: Vec::new(),
            open: Vec::new(),
            opened: Vec::new(),
            sprouted: None,
            began: None,
            logged: None,
            counted: 0,
            failure: None,
        }
    }

    /// The children of the root of the observer's true secret.
    pub fn root_edges(&self) -> impl Iterator<Item = EdgeId> + '_ {
        self.children(ROOT)
    }

    /// The children of a node by key.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        self.growth[node as usize].keys.iter().flat_map(|key| key.children.iter().copied())
    }

    /// How often a child of `node` was open when the node was visited.
    pub fn available(&self, node: NodeId, edge: EdgeId) -> u32 {
        let keys = &self.growth[node as usize].keys;
        keys.iter().find(|key| key.children.contains(&edge)).map_or(0, |key| key.available)
    }

    /// The nodes behind a move of a node, one for each answer and secret of who is to move; for reading a search.
    pub fn nodes_behind(&self, node: NodeId, mv: Move) -> Vec<(u32, u64, NodeId)> {
        let mut nodes = Vec::new();
        for answer in 0..4 {
            let story = told(self.growth[node as usize].story, mv, answer);
            let here = self.nodes.iter().filter(|&(&(known, _), _)| known == story);
            nodes.extend(here.map(|(&(_, own), &node)| (answer, own, node)));
        }
        nodes.sort_unstable();
        nodes
    }

    /// A node for this story and secret; None at the cap.
    fn new_node(&mut self, story: Story, own: u64, tree: &mut Tree, visits: u32) -> Option<NodeId> {
        let node = tree.add_node_with(visits, NODE_BYTES + size_of::<Growth>())?;
        debug_assert!(self.growth.len() == node as usize);
        self.growth.push(Growth { story, keys: Vec::new() });
        self.nodes.insert((story, own), node);
        Some(node)
    }

    /// An untried child of `node`, if it may have one more: a random open key's.
    fn sprout(
        &mut self,
        game: &G,
        state: &G::State,
        truth: Option<&G::State>,
        node: NodeId,
        tree: &mut Tree,
        rng: &mut Rng,
    ) -> Option<EdgeId> {
        if tree.is_full() {
            return None;
        }
        let most = self.candidates.most_children(tree.node(node).visits);
        let Growth { story, keys } = &mut self.growth[node as usize];
        if most < usize::MAX && self.places.iter().map(|&at| keys[at].children.len()).sum::<usize>() >= most {
            return None;
        }
        self.untried.clear();
        self.untried.extend(self.places.iter().copied().filter(|&at| !keys[at].exhausted));
        while !self.untried.is_empty() {
            let at = rng.below(self.untried.len());
            let key = &mut keys[self.untried[at]];
            let completed = self.completed.entry((*story, key.key)).or_default();
            let known = completed.len();
            let mv = match completed.get(key.children.len()) {
                Some(&mv) => mv,
                None => match self.candidates.complete(game, state, truth, key.key, completed, rng) {
                    Some(mv) => {
                        completed.push(mv);
                        mv
                    }
                    None => {
                        key.exhausted = true;
                        self.untried.swap_remove(at);
                        continue;
                    }
                },
            };
            let slot = if game.slots() > 0 { game.slot(mv) } else { 0 };
            let edge = tree.add_lone_edge(mv, slot, CHILD_BYTES)?;
            key.exhausted = self.candidates.one_per_key();
            key.children.push(edge);
            self.sprouted = Some(Sprout { node, at: self.untried[at], completes: completed.len() > known });
            return Some(edge);
        }
        None
    }

    /// Finds out which keys of `node` are open in this world.
    fn look(&mut self, game: &G, state: &G::State, node: NodeId, counted: bool, tree: &mut Tree) {
        self.keys.clear();
        self.candidates.keys(game, state, node, &mut self.keys);
        self.places.clear();
        let grows = !tree.is_full();
        let more = self.growth[node as usize].visit(&self.keys, counted, grows, &mut self.places);
        tree.use_bytes(more);
        if counted {
            self.opened.extend(self.places.iter().map(|&at| (node, at)));
        }
    }

    /// Forgets the simulation under way. Keys that it was the first to find open stay, without children and counts.
    fn take_back(&mut self, tree: &mut Tree) {
        for (node, at) in self.opened.drain(..) {
            self.growth[node as usize].keys[at].available -= 1;
        }
        let Some(Sprout { node, at, completes }) = self.sprouted.take() else { return };
        let Growth { story, keys } = &mut self.growth[node as usize];
        keys[at].children.pop();
        keys[at].exhausted = false;
        if completes && let Some(completed) = self.completed.get_mut(&(*story, keys[at].key)) {
            completed.pop();
        }
        tree.remove_lone_edge(CHILD_BYTES);
    }

    /// The children that are open, each with the number of times it was.
    fn gather(&mut self, node: NodeId) -> &[(EdgeId, u32)] {
        let keys = &self.growth[node as usize].keys;
        self.open.clear();
        for key in self.places.iter().map(|&at| &keys[at]) {
            self.open.extend(key.children.iter().map(|&edge| (edge, key.available)));
        }
        &self.open
    }
}

impl<G: Game> Search<G> {
    /// Where a child stands for a key and its move is drawn each time it is played: draws the best move of a report.
    /// Reading a report twice gives the same move.
    pub fn draw_best(&self, report: &mut Report) {
        let Some(worlds) = self.worlds() else { return };
        let mut rng = Rng::stream(&[self.tie_seed, self.core.counts.simulations, 1]);
        let redrawn =
            worlds.candidates.redraw(&self.core.variant.game, &self.core.root, report.best, &mut rng);
        let Some(drawn) = redrawn else { return };
        for stat in report.moves.iter_mut().filter(|stat| stat.mv == report.best) {
            stat.mv = drawn;
        }
        (report.best, report.line) = (drawn, vec![drawn]);
    }
}

/// The world that a simulation was drawn into.
#[derive(Clone, Copy)]
struct Drawn {
    /// The side that searches.
    observer: Side,
    /// Whether the nodes of the other side learn from it.
    shared: bool,
    /// The observer has another secret in it than at the root.
    decoy: bool,
    /// Where the descent stands: the story so far and the secret of who is to move.
    here: (Story, u64),
}

impl Drawn {
    fn learns(&self, side: Side) -> bool {
        self.shared || side == self.observer
    }
}

impl<G: Game> Simulate<G> for InWorlds<G> {
    /// One simulation in a sampled world; false if it had to be abandoned.
    fn simulate(
        &mut self,
        core: &mut Core<G>,
        seat: &mut Seat<G>,
        budget: Option<u64>,
        clock: &Clock,
        rng: &mut Rng,
    ) -> bool {
        let mut drawn = self.begin(core, seat, rng);
        let decided = self.descend(core, seat, &mut drawn, clock, rng);
        let leaf = decided.is_none().then_some(drawn.here);
        let end = match decided {
            Some(end) => end,
            None => {
                core.begin_playout(seat, budget, rng);
                let tree_moves = seat.path.len();
                seat.play_out(&core.variant, tree_moves, clock, rng)
            }
        };
        self.finish(core, seat, &drawn, leaf, end)
    }
}

impl<G: Game> InWorlds<G> {
    /// Draws the world of a simulation into the seat.
    fn begin(&mut self, core: &Core<G>, seat: &mut Seat<G>, rng: &mut Rng) -> Drawn {
        let (variant, root) = (&core.variant, &core.root);
        let observer = variant.game.side_to_move(root);
        seat.path.clear();
        seat.trace.clear();
        self.opened.clear();
        self.sprouted = None;
        let World { state, shared } = self.worlds.draw(&variant.game, root, observer, rng);
        seat.state = state;
        self.logged = (core.log.is_some() && G::HIDDEN)
            .then(|| LoggedWorld { text: variant.game.state_text(&seat.state), shared });
        if core.frame.layout.replays {
            self.began = Some(seat.state.clone());
        }
        let own = own_secret(variant, &seat.state);
        Drawn { observer, shared, decoy: own_secret(variant, root) != own, here: (BEGINNING, own) }
    }

    /// The tree part: until a new child, a position that this side has not been in, or the end of the game. How the
    /// simulation ends, if no playout decides it.
    fn descend(
        &mut self,
        core: &mut Core<G>,
        seat: &mut Seat<G>,
        drawn: &mut Drawn,
        clock: &Clock,
        rng: &mut Rng,
    ) -> Option<End> {
        let variant = core.variant.clone();
        let game = &variant.game;
        let mut end = None;
        let mut node = self.nodes.get(&drawn.here).copied();
        while let Some(known) = node {
            let Some((edge, is_new)) = self.choose(core, seat, known, drawn, rng) else { break };
            if !clock.visit(1) {
                end = Some(End::Abandoned);
                break;
            }
            let child = core.tree.mv(edge);
            let mv = self.candidates.redraw(game, &seat.state, child, rng).unwrap_or(child);
            #[cfg(feature = "checked")]
            assert!(game.is_legal(&seat.state, mv), "a candidate is illegal");
            let side = game.side_to_move(&seat.state);
            seat.path.push(Step { node: known, edge, side });
            seat.trace.push(mv, side);
            game.play(&mut seat.state, mv);
            end = variant.outcome(&seat.state).map(End::Outcome);
            if end.is_some() {
                break;
            }
            let state = &seat.state;
            drawn.here = (told(drawn.here.0, child, variant.answer(state)), own_secret(&variant, state));
            node = self.nodes.get(&drawn.here).copied().filter(|_| !is_new);
        }
        let kept = self.candidates.bytes();
        core.tree.use_bytes(kept - self.counted);
        self.counted = kept;
        if core.tree.is_full() {
            core.note_full();
        }
        end
    }

    /// The edge by which the simulation leaves `node`, and whether it is a new child; None where no child is open.
    fn choose(
        &mut self,
        core: &mut Core<G>,
        seat: &Seat<G>,
        node: NodeId,
        drawn: &Drawn,
        rng: &mut Rng,
    ) -> Option<(EdgeId, bool)> {
        let (game, state) = (&core.variant.game, &seat.state);
        let side = game.side_to_move(state);
        self.look(game, state, node, drawn.learns(side), &mut core.tree);
        let truth = (drawn.decoy && side == drawn.observer)
            .then(|| undisguised(game, state, drawn.observer, &core.root))
            .flatten();
        if let Some(edge) = self.sprout(game, state, truth.as_ref(), node, &mut core.tree, rng) {
            return Some((edge, true));
        }
        let open = self.gather(node);
        if open.is_empty() {
            return None;
        }
        let (tree, path, open) = (&core.tree, &seat.path, Open::Some(open));
        let choice = Choice { tree, path, node, side, open, backed: None, prior: None };
        Some((core.parts.selection.select(&choice, rng), false))
    }

    /// Backs up and learns; false if the simulation had to be abandoned or something failed. `leaf` is where the
    /// tree part ended, if a playout began there.
    fn finish(
        &mut self,
        core: &mut Core<G>,
        seat: &mut Seat<G>,
        drawn: &Drawn,
        leaf: Option<(Story, u64)>,
        end: End,
    ) -> bool {
        core.counts.states += seat.trace.states;
        let value = match end {
            End::Outcome(outcome) => outcome.score(Side::First),
            End::Value(value) => value,
            End::Abandoned => {
                self.take_back(&mut core.tree);
                self.failure = self.failure.take().or_else(|| seat.chain.failure());
                return false;
            }
        };
        for step in seat.path.iter().filter(|step| drawn.learns(step.side)) {
            let score = if step.side == Side::First { value } else { 1.0 - value };
            core.tree.add_result(step.edge, score);
            core.tree.add_visit(step.node);
        }
        let leaf = leaf.and_then(|(story, own)| {
            let known = self.nodes.get(&(story, own)).copied();
            known.or_else(|| self.new_node(story, own, &mut core.tree, 1))
        });
        let origin = Origin { state: self.began.as_ref(), world: self.logged.take() };
        core.learn(seat, leaf, value, seat.path.len(), origin);
        self.failure = self.failure.take().or_else(|| self.candidates.failure());
        self.failure.is_none()
    }
}

/// The same position with a side's true secret, which is the root's.
fn undisguised<G: Game>(game: &G, state: &G::State, side: Side, root: &G::State) -> Option<G::State> {
    game.secrets().map(|secrets| secrets.with_own(state, side, secrets.own(root, side)))
}

/// What the side to move knows for itself.
fn own_secret<G: Game>(variant: &Variant<G>, state: &G::State) -> u64 {
    let side = variant.game.side_to_move(state);
    variant.game.secrets().map_or(0, |secrets| secrets.own(state, side))
}
