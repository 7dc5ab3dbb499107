//! Simulations in sampled worlds: the descent for games with hidden information and for nodes that grow child by child.
//!
//! Each simulation draws a world that the observer, the side to move at the root, cannot tell from the true one.
//! A node is what the side to move there can tell apart: the moves that led to it, the public answers to
//! them, and this side's own secret. So a detective's node is shared by all worlds, Jack's nodes are kept
//! by identity; the deal is part of no node, and a child is open only in the worlds in which it is legal (spec
//! section 9; the formula counts how often it was, after Cowling, Powley and Whitehouse 2012).

use std::collections::HashMap;

use super::{End, Search};
use crate::candidates::Candidates;
use crate::game::{Game, Rules};
use crate::selection::{Choice, Open};
use crate::tree::{EdgeId, NodeId, ROOT, Step, Tree};
use crate::types::{Clock, Error, Move, Rng, Side};

/// How a search deals with what it does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Every simulation uses the observer's true secret, as if the other side knew it; else half of them do.
    pub informed: bool,
    /// What is still to be drawn is left to who moves then, instead of being sampled.
    pub free_choice: bool,
}

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
    /// In ascending order.
    keys: Vec<Key>,
}

impl Growth {
    /// Counts a visit in which these keys are open, and tells their places; bytes that were added.
    fn visit(&mut self, open: &[u32], counted: bool, places: &mut Vec<usize>) -> usize {
        let before = self.keys.len();
        let mut at = 0;
        for &key in open {
            while at < self.keys.len() && self.keys[at].key < key {
                at += 1;
            }
            if at == self.keys.len() || self.keys[at].key != key {
                let new = Key { key, available: 0, exhausted: false, children: Vec::new() };
                self.keys.insert(at, new);
            }
            self.keys[at].available += u32::from(counted);
            places.push(at);
        }
        (self.keys.len() - before) * size_of::<Key>()
    }
}

/// What leads from an edge to a node: the public answer to the move, and the own secret of who moves next.
type Observation = (EdgeId, u32, u64);

/// Bytes of an entry in `behind` and of an edge's place among the children of its key.
const LINK_BYTES: usize = 2 * size_of::<(Observation, NodeId)>();
const CHILD_BYTES: usize = 2 * size_of::<EdgeId>();

/// What the descent keeps beside the tree.
pub struct Worlds<G: Game> {
    candidates: Box<dyn Candidates<G>>,
    hidden: Hidden,
    /// By node.
    growth: Vec<Growth>,
    /// Only looked up, never gone through.
    behind: HashMap<Observation, NodeId>,
    /// The root of each secret that the observer might have; the first is the true one's, the tree's own root.
    roots: Vec<(u64, NodeId)>,
    keys: Vec<u32>,
    /// Where the open keys are among those of the node, and those of them that may bear a child.
    places: Vec<usize>,
    untried: Vec<usize>,
    open: Vec<(EdgeId, u32)>,
    tried: Vec<Move>,
    pub(super) failure: Option<Error>,
}

impl<G: Game> Worlds<G> {
    pub fn new(candidates: Box<dyn Candidates<G>>, hidden: Hidden) -> Worlds<G> {
        Worlds {
            candidates,
            hidden,
            growth: vec![Growth::default()],
            behind: HashMap::new(),
            roots: Vec::new(),
            keys: Vec::new(),
            places: Vec::new(),
            untried: Vec::new(),
            open: Vec::new(),
            tried: Vec::new(),
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

    /// The nodes behind an edge, one for each answer and secret of the side to move; for reading a search.
    pub fn nodes_behind(&self, edge: EdgeId) -> Vec<(u32, u64, NodeId)> {
        let here = self.behind.iter().filter(|&(&(from, ..), _)| from == edge);
        let mut nodes: Vec<_> = here.map(|(&(_, answer, own), &node)| (answer, own, node)).collect();
        nodes.sort_unstable();
        nodes
    }

    /// Draws a world into `state`; whether the nodes of the other side may learn from it.
    ///
    /// Half of the simulations use the observer's true secret, because its own moves are about that one, and half
    /// another that the other side cannot rule out. For the other side all of them are alike: to it a world
    /// with the true secret may count only as often as one with any single decoy.
    fn draw(&self, game: &G, root: &G::State, observer: Side, state: &mut G::State, rng: &mut Rng) -> bool {
        *state = game.determinize(root, observer, rng);
        let Some(secrets) = game.secrets() else { return true };
        if self.hidden.free_choice {
            secrets.free_draws(state);
        }
        let decoys = secrets.decoys(state, observer);
        if self.hidden.informed || decoys == 0 {
            return true;
        }
        if rng.next_u32() & 1 == 0 {
            return rng.below(decoys) == 0;
        }
        *state = secrets.decoy(state, observer, rng.below(decoys));
        true
    }

    fn root(&mut self, own: u64, tree: &mut Tree) -> Option<NodeId> {
        if let Some(&(_, node)) = self.roots.iter().find(|&&(known, _)| known == own) {
            return Some(node);
        }
        // The first is the true secret's: see `Search::grow`.
        let node = if self.roots.is_empty() { ROOT } else { self.new_node(tree, 0)? };
        self.roots.push((own, node));
        Some(node)
    }

    fn new_node(&mut self, tree: &mut Tree, visits: u32) -> Option<NodeId> {
        let node = tree.add_node_with(visits, LINK_BYTES + size_of::<Growth>())?;
        self.growth.push(Growth::default());
        debug_assert!(self.growth.len() == node as usize + 1);
        Some(node)
    }

    /// An untried child of `node`, if it may have one more: a random open key's.
    fn sprout(
        &mut self,
        game: &G,
        state: &G::State,
        node: NodeId,
        tree: &mut Tree,
        rng: &mut Rng,
    ) -> Option<EdgeId> {
        if tree.is_full() {
            return None;
        }
        let most = self.candidates.most_children(tree.node(node).visits);
        let keys = &mut self.growth[node as usize].keys;
        if most < usize::MAX && self.places.iter().map(|&at| keys[at].children.len()).sum::<usize>() >= most {
            return None;
        }
        self.untried.clear();
        self.untried.extend(self.places.iter().copied().filter(|&at| !keys[at].exhausted));
        while !self.untried.is_empty() {
            let at = rng.below(self.untried.len());
            let key = &mut keys[self.untried[at]];
            self.tried.clear();
            if !self.candidates.one_per_key() {
                self.tried.extend(key.children.iter().map(|&edge| tree.mv(edge)));
            }
            let Some(mv) = self.candidates.complete(game, state, key.key, &self.tried, rng) else {
                key.exhausted = true;
                self.untried.swap_remove(at);
                continue;
            };
            #[cfg(feature = "checked")]
            assert!(game.is_legal(state, mv), "a candidate is illegal");
            let slot = if game.slots() > 0 { game.slot(mv) } else { 0 };
            let edge = tree.add_lone_edge(mv, slot, CHILD_BYTES)?;
            key.exhausted = self.candidates.one_per_key();
            key.children.push(edge);
            return Some(edge);
        }
        None
    }

    /// Finds out which keys of `node` are open in this world.
    fn look(&mut self, game: &G, state: &G::State, node: NodeId, counted: bool, tree: &mut Tree) {
        self.keys.clear();
        self.candidates.keys(game, state, node, &mut self.keys);
        self.places.clear();
        let more = self.growth[node as usize].visit(&self.keys, counted, &mut self.places);
        tree.use_bytes(more);
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
    /// Makes this a search in sampled worlds. From here on it holds nothing that the side to move cannot see.
    pub fn grow(&mut self, candidates: Box<dyn Candidates<G>>, hidden: Hidden) {
        let rules = self.rules.clone();
        let observer = rules.game.side_to_move(&self.root);
        self.root = rules.game.determinize(&self.root, observer, &mut self.rng);
        self.scratch.state.clone_from(&self.root);
        let mut worlds = Worlds::new(candidates, hidden);
        worlds.root(own_secret(&rules, &self.root), &mut self.tree);
        self.worlds = Some(worlds);
    }

    /// What the descent in sampled worlds keeps; None in a plain search.
    pub fn worlds(&self) -> Option<&Worlds<G>> {
        self.worlds.as_ref()
    }

    /// What has gone wrong in a part that can fail.
    pub fn failure(&self) -> Option<&Error> {
        self.worlds.as_ref()?.failure.as_ref()
    }

    /// One simulation in a sampled world; false if it had to be abandoned.
    pub(super) fn simulate_in_world(
        &mut self,
        worlds: &mut Worlds<G>,
        budget: Option<u64>,
        clock: &Clock,
    ) -> bool {
        let rules = self.rules.clone();
        let game = &rules.game;
        let observer = game.side_to_move(&self.root);
        self.scratch.path.clear();
        self.scratch.trace.clear();
        let shared = worlds.draw(game, &self.root, observer, &mut self.scratch.state, &mut self.rng);
        self.logged_world = (self.log.is_some() && G::HIDDEN)
            .then(|| LoggedWorld { text: game.state_text(&self.scratch.state), shared });
        let learns = |side: Side| shared || side == observer;

        // Descend until a new child, or a position that this side has not been in, or the end of the game.
        let mut node = worlds.root(own_secret(&rules, &self.scratch.state), &mut self.tree);
        let mut last: Option<Observation> = None;
        let mut outcome = None;
        while let Some(here) = node {
            let side = game.side_to_move(&self.scratch.state);
            worlds.look(game, &self.scratch.state, here, learns(side), &mut self.tree);
            let fresh = worlds.sprout(game, &self.scratch.state, here, &mut self.tree, &mut self.rng);
            let edge = match fresh {
                Some(edge) => edge,
                None => {
                    let open = worlds.gather(here);
                    if open.is_empty() {
                        break;
                    }
                    let (tree, path) = (&self.tree, self.scratch.path.as_slice());
                    let choice = Choice { tree, path, node: here, side, open: Open::Some(open) };
                    self.selection.select(&choice, &mut self.rng)
                }
            };
            let mv = self.tree.mv(edge);
            self.scratch.path.push(Step { node: here, edge, side });
            self.scratch.trace.push(mv, side);
            game.play(&mut self.scratch.state, mv);
            outcome = rules.outcome(&self.scratch.state);
            if outcome.is_some() {
                break;
            }
            let state = &self.scratch.state;
            let observation = (edge, game.answer(state), own_secret(&rules, state));
            last = Some(observation);
            node = worlds.behind.get(&observation).copied().filter(|_| fresh.is_none());
        }
        if self.tree.is_full() {
            self.full_at = self.full_at.or(Some(self.simulations));
        }

        let tree_moves = self.scratch.path.len();
        let value = match outcome {
            Some(outcome) => outcome.score(Side::First),
            None => match self.play_out(tree_moves, budget, clock) {
                End::Outcome(outcome) => outcome.score(Side::First),
                End::Value(value) => value,
                End::Abandoned => {
                    worlds.failure = worlds.failure.take().or_else(|| self.playout.failure());
                    return false;
                }
            },
        };
        for step in self.scratch.path.iter().filter(|step| learns(step.side)) {
            let score = if step.side == Side::First { value } else { 1.0 - value };
            self.tree.add_result(step.edge, score);
            self.tree.add_visit(step.node);
        }
        let mut leaf = None;
        if outcome.is_none()
            && let Some(observation) = last
        {
            leaf = worlds.behind.get(&observation).copied();
            if leaf.is_none() {
                leaf = worlds.new_node(&mut self.tree, 1);
                worlds.behind.extend(leaf.map(|node| (observation, node)));
            }
        }
        self.learn(leaf, value, tree_moves);
        worlds.failure = worlds.failure.take().or_else(|| worlds.candidates.failure());
        worlds.failure.is_none()
    }
}

/// What the side to move knows for itself.
fn own_secret<G: Game>(rules: &Rules<G>, state: &G::State) -> u64 {
    let side = rules.game.side_to_move(state);
    rules.game.secrets().map_or(0, |secrets| secrets.own(state, side))
}
