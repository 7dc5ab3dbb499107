//! The search tree in flat arrays, and the AMAF tables that five policies share.
//!
//! A *node* is a position; an *edge* is a move out of it and owns the statistics of that move. In a plain
//! tree every edge leads to a node of its own; with transpositions several edges may share one.

mod amaf;
mod layout;
mod simulation;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::types::{Move, Outcome, Side};
pub use amaf::{Amaf, AmafFrom, AmafNeed};
use layout::Columns;
pub use layout::{Backed, Column, Layout};
pub use simulation::{AmafUpdate, Simulation, Step};

pub type NodeId = u32;
pub type EdgeId = u32;

/// The node of the position that is searched.
pub const ROOT: NodeId = 0;
/// The edge's position has no node (yet).
pub const NO_NODE: NodeId = u32::MAX;

/// What is known for certain about the position behind an edge, for the side that played the edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Proof {
    #[default]
    None,
    Win,
    Draw,
    Loss,
}

impl Proof {
    /// The same for the other side.
    pub fn exchanged(self) -> Proof {
        match self {
            Proof::Win => Proof::Loss,
            Proof::Loss => Proof::Win,
            same => same,
        }
    }

    /// What the end of a game proves for `side`.
    pub fn of(outcome: Outcome, side: Side) -> Proof {
        match outcome {
            Outcome::Draw => Proof::Draw,
            Outcome::Win(winner) if winner == side => Proof::Win,
            Outcome::Win(_) => Proof::Loss,
        }
    }

    /// The result that is proven, in 0..1.
    pub fn score(self) -> Option<f32> {
        match self {
            Proof::None => None,
            Proof::Win => Some(1.0),
            Proof::Draw => Some(0.5),
            Proof::Loss => Some(0.0),
        }
    }

    pub fn name(self) -> Option<&'static str> {
        match self {
            Proof::None => None,
            Proof::Win => Some("win"),
            Proof::Draw => Some("draw"),
            Proof::Loss => Some("loss"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Node {
    first: EdgeId,
    count: u16,
    /// The first `tried` edges are children that may be selected; the rest have never been visited.
    tried: u16,
    /// Simulations that went through or ended in this position.
    pub visits: u32,
    /// The row of the AMAF table.
    row: u32,
}

impl Node {
    /// Untried edges.
    #[inline]
    pub fn untried(&self) -> usize {
        usize::from(self.count - self.tried)
    }
}

/// What the values of a table are: to show them one must know where they begin, end and have their middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Mean results in 0..1; 0.5 is even.
    Rate,
    /// Parts of a whole, or weights, in 0..1.
    Share,
    /// Mean results in -1..1; 0 is even.
    Signed,
    /// 1 for yes, 0 for no.
    Flag,
    /// The cells of other moves, such as replies: by slot in a `MoveTable`, by cell on a board.
    Cell,
    /// How many or how much, from 0.
    Count,
}

impl Scale {
    pub const ALL: [Scale; 6] =
        [Scale::Rate, Scale::Share, Scale::Signed, Scale::Flag, Scale::Cell, Scale::Count];

    pub fn name(self) -> &'static str {
        match self {
            Scale::Rate => "rate",
            Scale::Share => "share",
            Scale::Signed => "signed",
            Scale::Flag => "flag",
            Scale::Cell => "cell",
            Scale::Count => "count",
        }
    }
}

/// Something that a policy has learnt, by slot, for showing it on a board.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveTable {
    pub name: &'static str,
    /// Whose moves the table is about; None: those of both sides, or of the side to move at the root.
    pub side: Option<Side>,
    pub scale: Scale,
    /// What a value says, for people.
    pub doc: &'static str,
    /// None: nothing is known of this slot.
    pub values: Vec<Option<f32>>,
}

/// f32 sums of ones and halves are exact up to here; a row that reaches it is halved.
const ROW_FULL: f32 = (1 << 23) as f32;

/// For keys of positions: they are mixed already.
#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("keys are numbers")
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Which node a position has, so that positions that differ only in the order of moves share one.
#[derive(Default)]
struct Places {
    /// Only looked up, never gone through.
    by_key: HashMap<u64, NodeId, BuildHasherDefault<AsIs>>,
    /// By node.
    keys: Vec<u64>,
}

/// Bytes of a node's key in both.
const PLACE_BYTES: usize = 8 + 2 * 16;

pub struct Tree {
    nodes: Vec<Node>,
    moves: Vec<Move>,
    slots: Vec<u16>,
    visits: Vec<u32>,
    /// Sum of results in 0..1 for the side that plays the move.
    scores: Vec<f64>,
    behind: Vec<NodeId>,
    proofs: Vec<Proof>,
    /// What parts of the search keep by edge and by node.
    edge_columns: Columns,
    node_columns: Columns,
    amaf: Vec<Amaf>,
    layout: Arc<Layout>,
    places: Option<Places>,
    /// Slots of the game: the width of one colour's row.
    width: usize,
    memory: usize,
    /// Bytes that others keep for this tree.
    beside: usize,
    full: bool,
}

/// Bytes of one edge over all arrays but the columns of the parts.
const EDGE_BYTES: usize = 4 + 2 + 4 + 8 + 4 + 1;

impl Tree {
    /// `width`: slots of the game; `memory`: bytes that nodes, edges and AMAF rows may take together; `root_key`: the key of
    /// the root's position, asked where the layout has keys.
    pub fn new(
        width: usize,
        layout: impl Into<Arc<Layout>>,
        memory: usize,
        root_key: impl FnOnce() -> u64,
    ) -> Tree {
        let layout = layout.into();
        let mut tree = Tree {
            nodes: Vec::new(),
            moves: Vec::new(),
            slots: Vec::new(),
            visits: Vec::new(),
            scores: Vec::new(),
            behind: Vec::new(),
            proofs: Vec::new(),
            edge_columns: Columns::new(&layout.edges),
            node_columns: Columns::new(&layout.nodes),
            amaf: Vec::new(),
            places: layout.keys.then(Places::default),
            layout,
            width,
            // The root and its row are always granted, or there would be nothing to search.
            memory: usize::MAX,
            beside: 0,
            full: false,
        };
        tree.add_node(0);
        if tree.shares_positions() {
            tree.set_key(root_key());
        }
        tree.memory = memory;
        tree
    }

    // ------------------------------------------------------------------------------------------ growing

    fn row_length(&self) -> usize {
        match self.layout.amaf {
            AmafNeed::None => 0,
            AmafNeed::Mover => self.width,
            AmafNeed::Both => 2 * self.width,
        }
    }

    /// Bytes of one edge over all arrays.
    fn edge_bytes(&self) -> usize {
        EDGE_BYTES + self.edge_columns.bytes_each()
    }

    /// Bytes of one node without its AMAF row and its key.
    fn node_bytes(&self) -> usize {
        size_of::<Node>() + self.node_columns.bytes_each()
    }

    pub fn bytes(&self) -> usize {
        self.nodes.len() * self.node_bytes()
            + self.moves.len() * self.edge_bytes()
            + self.amaf.len() * size_of::<Amaf>()
            + self.places.as_ref().map_or(0, |places| places.keys.len() * PLACE_BYTES)
            + self.beside
    }

    /// Counts bytes that are kept beside this tree; past the cap the tree is full.
    pub fn use_bytes(&mut self, more: usize) {
        if more > 0 {
            self.beside += more;
            self.grants(0);
        }
    }

    /// Whether a position that has a node already is given that one.
    pub fn shares_positions(&self) -> bool {
        self.places.is_some()
    }

    /// The node of the position with this key.
    pub fn node_of(&self, key: u64) -> Option<NodeId> {
        self.places.as_ref()?.by_key.get(&key).copied()
    }

    /// Gives the newest node its key.
    pub fn set_key(&mut self, key: u64) {
        let newest = (self.nodes.len() - 1) as NodeId;
        let Some(places) = &mut self.places else { return };
        debug_assert!(places.keys.len() == newest as usize);
        places.by_key.insert(key, newest);
        places.keys.push(key);
    }

    /// A column of all edges of a node that has just got them, in their order; none where no part keeps it.
    pub fn edge_column_mut(&mut self, column: &'static Column, node: NodeId) -> Option<&mut [f32]> {
        let Node { first, count, .. } = self.nodes[node as usize];
        let values = self.edge_columns.get_mut(column)?;
        Some(&mut values[first as usize..first as usize + count as usize])
    }

    /// Sets what a part keeps of one edge.
    #[inline]
    pub fn set_edge(&mut self, column: &'static Column, edge: EdgeId, value: f32) {
        if let Some(values) = self.edge_columns.get_mut(column) {
            values[edge as usize] = value;
        }
    }

    /// Sets what a part keeps of one node.
    #[inline]
    pub fn set_node(&mut self, column: &'static Column, node: NodeId, value: f32) {
        if let Some(values) = self.node_columns.get_mut(column) {
            values[node as usize] = value;
        }
    }

    /// Whether `more` bytes fit; once something did not, the tree is full for good, so that it stays regular.
    fn grants(&mut self, more: usize) -> bool {
        self.full = self.full || self.bytes().saturating_add(more) > self.memory;
        !self.full
    }

    pub fn is_full(&self) -> bool {
        self.full
    }

    /// A node without children yet, whose position has been visited `visits` times before; None at the cap.
    pub fn add_node(&mut self, visits: u32) -> Option<NodeId> {
        let length = self.row_length();
        if !self.grants(self.node_bytes() + length * size_of::<Amaf>()) {
            return None;
        }
        let row = (self.amaf.len() / length.max(1)) as u32;
        self.amaf.resize(self.amaf.len() + length, Amaf::default());
        self.nodes.push(Node { first: 0, count: 0, tried: 0, visits, row });
        self.node_columns.grow_to(self.nodes.len());
        Some((self.nodes.len() - 1) as NodeId)
    }

    /// `add_node` where so many bytes are kept beside the node.
    pub fn add_node_with(&mut self, visits: u32, beside: usize) -> Option<NodeId> {
        if !self.grants(beside) {
            return None;
        }
        self.beside += beside;
        self.add_node(visits)
    }

    /// An edge that its node does not list, for who keeps the children of growing nodes; None at the cap.
    pub fn add_lone_edge(&mut self, mv: Move, slot: usize, beside: usize) -> Option<EdgeId> {
        if !self.grants(self.edge_bytes() + beside) {
            return None;
        }
        self.beside += beside;
        self.moves.push(mv);
        self.slots.push(slot as u16);
        self.visits.push(0);
        self.scores.push(0.0);
        self.behind.push(NO_NODE);
        self.proofs.push(Proof::None);
        self.edge_columns.grow_to(self.moves.len());
        Some((self.moves.len() - 1) as EdgeId)
    }

    /// Gives a node its edges, all of them tried or none. False at the cap.
    pub fn add_edges(
        &mut self,
        node: NodeId,
        moves: &[Move],
        slot: impl Fn(Move) -> usize,
        tried: bool,
    ) -> bool {
        debug_assert!(self.nodes[node as usize].count == 0 && moves.len() <= u16::MAX as usize);
        if !self.grants(moves.len() * self.edge_bytes()) {
            return false;
        }
        let first = self.moves.len();
        let end = first + moves.len();
        self.moves.extend_from_slice(moves);
        self.slots.extend(moves.iter().map(|&mv| slot(mv) as u16));
        self.visits.resize(end, 0);
        self.scores.resize(end, 0.0);
        self.behind.resize(end, NO_NODE);
        self.proofs.resize(end, Proof::None);
        self.edge_columns.grow_to(end);
        let node = &mut self.nodes[node as usize];
        node.first = first as EdgeId;
        node.count = moves.len() as u16;
        node.tried = if tried { node.count } else { 0 };
        true
    }

    /// Makes the untried edge at `offset` behind the tried ones the next tried one.
    pub fn try_edge(&mut self, node: NodeId, offset: usize) -> EdgeId {
        let entry = &mut self.nodes[node as usize];
        debug_assert!(entry.tried as usize + offset < entry.count as usize);
        let edge = entry.first as usize + entry.tried as usize;
        entry.tried += 1;
        // Untried edges hold nothing but their move and what parts keep of it.
        if offset > 0 {
            self.moves.swap(edge, edge + offset);
            self.slots.swap(edge, edge + offset);
            self.edge_columns.swap(edge, edge + offset);
        }
        edge as EdgeId
    }

    /// Makes untried all edges of a node that has just got them. An edge that is proven must be the only one and stays.
    pub fn untry_all(&mut self, node: NodeId) {
        let mut children = self.children(node);
        if children.len() > 1 {
            debug_assert!(children.all(|edge| self.visits(edge) == 0 && self.proof(edge) == Proof::None));
            self.nodes[node as usize].tried = 0;
        }
    }

    /// Takes back the `try_edge` of a simulation that was abandoned. Where other threads have tried another edge since, or
    /// are behind this one, it stays.
    pub fn untry_edge(&mut self, node: NodeId, edge: EdgeId) {
        if self.visits(edge) == 0 && self.children(node).next_back() == Some(edge) {
            self.nodes[node as usize].tried -= 1;
            // Untried edges change places, so that a node that was made for it must not stay behind.
            self.behind[edge as usize] = NO_NODE;
        }
    }

    /// Takes back the last `add_lone_edge`: its simulation was abandoned.
    pub fn remove_lone_edge(&mut self, beside: usize) {
        self.beside -= beside;
        self.moves.pop();
        self.slots.pop();
        self.visits.pop();
        self.scores.pop();
        self.behind.pop();
        self.proofs.pop();
        self.edge_columns.pop();
    }

    pub fn set_node_behind(&mut self, edge: EdgeId, node: NodeId) {
        self.behind[edge as usize] = node;
    }

    pub fn set_proof(&mut self, edge: EdgeId, proof: Proof) {
        self.proofs[edge as usize] = proof;
    }

    // ------------------------------------------------------------------------------------------ reading

    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Visits, scores and slots of the edges that may be selected, side by side.
    #[inline]
    pub fn child_columns(&self, node: NodeId) -> (&[u32], &[f64], &[u16]) {
        let range = self.children(node);
        let range = range.start as usize..range.end as usize;
        (&self.visits[range.clone()], &self.scores[range.clone()], &self.slots[range])
    }

    /// Visits of the edges that may be selected.
    #[inline]
    pub fn child_visits(&self, node: NodeId) -> &[u32] {
        let range = self.children(node);
        &self.visits[range.start as usize..range.end as usize]
    }

    /// A column of the edges that may be selected; None where no part keeps it.
    #[inline]
    pub fn child_column(&self, column: &'static Column, node: NodeId) -> Option<&[f32]> {
        let range = self.children(node);
        self.edge_columns.get(column).map(|values| &values[range.start as usize..range.end as usize])
    }

    /// The same of the untried edges.
    pub fn untried_column(&self, column: &'static Column, node: NodeId) -> Option<&[f32]> {
        let range = self.untried(node);
        self.edge_columns.get(column).map(|values| &values[range.start as usize..range.end as usize])
    }

    /// What a part keeps of one edge; what the column begins with where no part keeps it.
    #[inline]
    pub fn of_edge(&self, column: &'static Column, edge: EdgeId) -> f32 {
        self.edge_columns.get(column).map_or(column.begins, |values| values[edge as usize])
    }

    /// What a part keeps of one node; what the column begins with where no part keeps it.
    #[inline]
    pub fn of_node(&self, column: &'static Column, node: NodeId) -> f32 {
        self.node_columns.get(column).map_or(column.begins, |values| values[node as usize])
    }

    /// The edges that may be selected.
    #[inline]
    pub fn children(&self, node: NodeId) -> std::ops::Range<EdgeId> {
        let node = &self.nodes[node as usize];
        node.first..node.first + node.tried as EdgeId
    }

    #[inline]
    pub fn untried(&self, node: NodeId) -> std::ops::Range<EdgeId> {
        let node = &self.nodes[node as usize];
        node.first + node.tried as EdgeId..node.first + node.count as EdgeId
    }

    #[inline]
    pub fn has_edges(&self, node: NodeId) -> bool {
        self.nodes[node as usize].count > 0
    }

    #[inline]
    pub fn mv(&self, edge: EdgeId) -> Move {
        self.moves[edge as usize]
    }

    #[inline]
    pub fn slot(&self, edge: EdgeId) -> usize {
        self.slots[edge as usize] as usize
    }

    #[inline]
    pub fn visits(&self, edge: EdgeId) -> u32 {
        self.visits[edge as usize]
    }

    #[inline]
    pub fn score(&self, edge: EdgeId) -> f64 {
        self.scores[edge as usize]
    }

    /// Mean result for the side that plays the move, in 0..1.
    pub fn mean(&self, edge: EdgeId) -> Option<f64> {
        let visits = self.visits(edge);
        (visits > 0).then(|| self.score(edge) / visits as f64)
    }

    #[inline]
    pub fn behind(&self, edge: EdgeId) -> Option<NodeId> {
        let node = self.behind[edge as usize];
        (node != NO_NODE).then_some(node)
    }

    #[inline]
    pub fn proof(&self, edge: EdgeId) -> Proof {
        self.proofs[edge as usize]
    }

    /// What its edges prove about a node, for the side to move there: a win as soon as one edge wins, anything
    /// else only when every edge is proven.
    pub fn node_proof(&self, node: NodeId) -> Proof {
        let children = self.children(node);
        let proofs = &self.proofs[children.start as usize..children.end as usize];
        if proofs.contains(&Proof::Win) {
            return Proof::Win;
        }
        if proofs.is_empty() || proofs.contains(&Proof::None) || !self.untried(node).is_empty() {
            return Proof::None;
        }
        if proofs.contains(&Proof::Draw) { Proof::Draw } else { Proof::Loss }
    }

    /// AMAF statistics of the side to move at the node, by slot; empty if no part of the search needs them.
    #[inline]
    pub fn amaf(&self, node: NodeId) -> &[Amaf] {
        let start = self.nodes[node as usize].row as usize * self.row_length();
        &self.amaf[start..start + self.row_length().min(self.width)]
    }

    /// The same for the side that is not to move; only with `AmafNeed::Both`.
    pub fn amaf_other(&self, node: NodeId) -> &[Amaf] {
        debug_assert!(self.layout.amaf == AmafNeed::Both);
        let start = self.nodes[node as usize].row as usize * self.row_length() + self.width;
        &self.amaf[start..start + self.width]
    }

    // ------------------------------------------------------------------------------------------ learning

    #[inline]
    pub fn add_result(&mut self, edge: EdgeId, score: f32) {
        self.visits[edge as usize] += 1;
        self.scores[edge as usize] += score as f64;
    }

    /// Virtual loss: a visit with score 0 until the result arrives.
    pub fn add_virtual_loss(&mut self, edge: EdgeId) {
        self.visits[edge as usize] += 1;
    }

    /// The result has arrived, or never will: takes the virtual loss back.
    pub fn remove_virtual_loss(&mut self, edge: EdgeId) {
        self.visits[edge as usize] -= 1;
    }

    #[inline]
    pub fn add_visit(&mut self, node: NodeId) {
        self.nodes[node as usize].visits += 1;
    }

    pub fn add_visits(&mut self, node: NodeId, visits: u32) {
        self.nodes[node as usize].visits += visits;
    }

    /// Counts the moves `slots`, played after `node` by the side `mover` or by the other one, with its result.
    #[inline]
    pub fn add_amaf(&mut self, node: NodeId, by_mover: bool, slots: &[u16], score: f32) {
        let Node { row, visits, .. } = self.nodes[node as usize];
        let start = row as usize * self.row_length() + if by_mover { 0 } else { self.width };
        let row = &mut self.amaf[start..start + self.width];
        for &slot in slots {
            let entry = &mut row[slot as usize];
            entry.visits += 1.0;
            entry.score += score;
        }
        if visits as f32 >= ROW_FULL && row.iter().any(|e| e.visits >= ROW_FULL) {
            for entry in row {
                entry.visits *= 0.5;
                entry.score *= 0.5;
            }
        }
    }

    /// The part of the tree behind `edge`, as a tree of its own; None if there is no node.
    pub fn subtree(&self, edge: EdgeId) -> Option<Tree> {
        let top = self.behind(edge)?;
        let key = || self.places.as_ref().map_or(0, |places| places.keys[top as usize]);
        let mut tree = Tree::new(self.width, self.layout.clone(), self.memory, key);
        let mut placed = vec![NO_NODE; self.nodes.len()];
        placed[top as usize] = ROOT;
        let mut queue = vec![top];
        let mut next = 0;
        while next < queue.len() {
            let old = queue[next];
            next += 1;
            let new = placed[old as usize];
            let node = self.nodes[old as usize];
            tree.nodes[new as usize].visits = node.visits;
            tree.node_columns.copy(new as usize, &self.node_columns, old as usize);
            let length = self.row_length();
            let (from, to) = (node.row as usize * length, tree.nodes[new as usize].row as usize * length);
            tree.amaf[to..to + length].copy_from_slice(&self.amaf[from..from + length]);
            if node.count == 0 {
                continue;
            }
            let (from, to) = (node.first as usize, node.first as usize + node.count as usize);
            let first = tree.moves.len() as EdgeId;
            tree.moves.extend_from_slice(&self.moves[from..to]);
            tree.slots.extend_from_slice(&self.slots[from..to]);
            tree.visits.extend_from_slice(&self.visits[from..to]);
            tree.scores.extend_from_slice(&self.scores[from..to]);
            tree.proofs.extend_from_slice(&self.proofs[from..to]);
            tree.edge_columns.append(&self.edge_columns, from..to);
            for edge in from..to {
                let below = self.behind[edge];
                if below != NO_NODE && placed[below as usize] == NO_NODE {
                    placed[below as usize] =
                        tree.add_node(0).expect("a part of a tree is no larger than the tree");
                    if let Some(places) = &self.places {
                        tree.set_key(places.keys[below as usize]);
                    }
                    queue.push(below);
                }
                tree.behind.push(if below == NO_NODE { NO_NODE } else { placed[below as usize] });
            }
            let copy = &mut tree.nodes[new as usize];
            (copy.first, copy.count, copy.tried) = (first, node.count, node.tried);
        }
        Some(tree)
    }
}

#[cfg(test)]
mod tests;
