//! What the parts of a search keep in its tree: each part says what it needs, all needs are merged once, and every tree of
//! the search follows them: a new one, one that begins anew, and a part that is kept.

use std::ops::Range;

use super::{AmafFrom, AmafNeed, EdgeId, Tree};
use crate::types::{Error, Result};

/// A number for every edge, or for every node, of a tree. Parts that name the same column share it. Its address is its
/// identity, so that finding it costs next to nothing: a column is a `static`.
#[derive(Debug)]
pub struct Column {
    pub name: &'static str,
    /// What an edge or a node begins with.
    pub begins: f32,
}

/// A value that is kept for every edge beside its mean result, and how formulas mix the two.
#[derive(Clone, Copy, Debug)]
pub struct Backed {
    /// In 0..1, for the side that plays the edge.
    pub column: &'static Column,
    /// How much it counts instead of the mean, in 0..1.
    pub weight: f32,
    /// Visits of the edge at which it counts half as much; 0: it never fades.
    pub fade: f32,
}

impl Backed {
    /// The sum of results whose mean is the mixture, for an edge with so many visits and such a sum.
    #[inline]
    pub fn score(&self, tree: &Tree, edge: EdgeId, visits: f32, score: f32) -> f32 {
        let fades = if self.fade > 0.0 { self.fade / (self.fade + visits) } else { 1.0 };
        let weight = self.weight * fades;
        (1.0 - weight) * score + weight * tree.of_edge(self.column, edge) * visits
    }
}

/// What the parts of a search need, so that nothing else is kept.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub amaf: AmafNeed,
    /// None where AMAF is not read.
    pub amaf_from: Option<AmafFrom>,
    /// The moves of each simulation, once it is over.
    pub moves: bool,
    /// The state in which each simulation began, once it is over.
    pub replays: bool,
    /// The last move, when a node gets its children.
    pub last_move: bool,
    /// Keys of positions, so that those that differ only in the order of moves share a node.
    pub keys: bool,
    pub edges: Vec<&'static Column>,
    pub nodes: Vec<&'static Column>,
}

impl Layout {
    /// Of AMAF alone.
    pub fn amaf(amaf: AmafNeed, from: AmafFrom) -> Layout {
        Layout { amaf, amaf_from: (amaf != AmafNeed::None).then_some(from), ..Layout::default() }
    }

    /// The moves of each simulation alone.
    pub fn moves() -> Layout {
        Layout { moves: true, ..Layout::default() }
    }

    /// What this part and another one need together.
    pub fn and(mut self, other: Layout) -> Layout {
        self.amaf_from = match (self.amaf_from, other.amaf_from) {
            (Some(one), Some(another)) if one != another => Some(AmafFrom::Disputed),
            (one, another) => one.or(another),
        };
        self.amaf = self.amaf.max(other.amaf);
        self.moves |= other.moves;
        self.replays |= other.replays;
        self.last_move |= other.last_move;
        self.keys |= other.keys;
        unite(&mut self.edges, &other.edges);
        unite(&mut self.nodes, &other.nodes);
        self
    }

    /// Refuses parts that want AMAF from different moves.
    pub fn agreed(self) -> Result<Layout> {
        match self.amaf_from {
            Some(AmafFrom::Disputed) => Err(Error::new(
                "the policies of a search share one AMAF table, learnt from whole simulations or from the moves made \
                 in the tree: give all that read it the same learn=simulation or learn=tree",
            )),
            _ => Ok(self),
        }
    }

    /// Whether a part reads the moves of a simulation that is over.
    pub fn reads_moves(&self) -> bool {
        self.moves || self.amaf != AmafNeed::None
    }

    /// Whether the moves of a simulation are written down.
    pub fn records_moves(&self) -> bool {
        self.reads_moves() || self.last_move
    }
}

/// Adds to one list what only the other one has.
fn unite(one: &mut Vec<&'static Column>, other: &[&'static Column]) {
    for column in other {
        if !one.iter().any(|known| std::ptr::eq(*known, *column)) {
            one.push(column);
        }
    }
}

/// The columns of the edges, or of the nodes, of one tree.
pub(super) struct Columns(Vec<(&'static Column, Vec<f32>)>);

impl Columns {
    pub fn new(columns: &[&'static Column]) -> Columns {
        Columns(columns.iter().map(|&column| (column, Vec::new())).collect())
    }

    /// Bytes of one edge or node.
    pub fn bytes_each(&self) -> usize {
        self.0.len() * size_of::<f32>()
    }

    #[inline]
    pub fn get(&self, column: &'static Column) -> Option<&[f32]> {
        self.0.iter().find(|(known, _)| std::ptr::eq(*known, column)).map(|(_, values)| &values[..])
    }

    #[inline]
    pub fn get_mut(&mut self, column: &'static Column) -> Option<&mut [f32]> {
        self.0.iter_mut().find(|(known, _)| std::ptr::eq(*known, column)).map(|(_, values)| &mut values[..])
    }

    /// Lets the first `length` edges or nodes have a place in every column.
    pub fn grow_to(&mut self, length: usize) {
        for (column, values) in &mut self.0 {
            values.resize(length, column.begins);
        }
    }

    pub fn swap(&mut self, one: usize, other: usize) {
        for (_, values) in &mut self.0 {
            values.swap(one, other);
        }
    }

    pub fn pop(&mut self) {
        for (_, values) in &mut self.0 {
            values.pop();
        }
    }

    /// Appends what another tree of the same layout has there.
    pub fn append(&mut self, other: &Columns, range: Range<usize>) {
        for ((_, values), (_, others)) in self.0.iter_mut().zip(&other.0) {
            values.extend_from_slice(&others[range.clone()]);
        }
    }

    /// Puts what another tree of the same layout has at `from` at `to`.
    pub fn copy(&mut self, to: usize, other: &Columns, from: usize) {
        for ((_, values), (_, others)) in self.0.iter_mut().zip(&other.0) {
            values[to] = others[from];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static ONE: Column = Column { name: "one", begins: 0.0 };
    static TWO: Column = Column { name: "two", begins: 0.5 };
    static OTHER: Column = Column { name: "two", begins: 0.5 };

    #[test]
    fn layouts_add_up_and_columns_are_shared_by_name() {
        let one = Layout { edges: vec![&ONE, &TWO], moves: true, ..Layout::default() };
        let two = Layout { edges: vec![&TWO], nodes: vec![&ONE], keys: true, ..Layout::default() };
        let both = one.and(two);
        assert_eq!(both.edges.iter().map(|column| column.name).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(both.nodes.len(), 1);
        assert!(both.moves && both.keys && !both.last_move && both.amaf == AmafNeed::None);
        assert!(both.reads_moves() && both.records_moves());
        let last = Layout { last_move: true, ..Layout::default() };
        assert!(!last.reads_moves() && last.records_moves());
    }

    #[test]
    fn amaf_is_learnt_from_the_same_moves_by_all() {
        let from = |from| Layout::amaf(AmafNeed::Mover, from);
        assert_eq!(
            from(AmafFrom::Tree).and(Layout::moves()).agreed().unwrap().amaf_from,
            Some(AmafFrom::Tree)
        );
        assert!(from(AmafFrom::Tree).and(from(AmafFrom::Simulation)).agreed().is_err());
        assert_eq!(Layout::amaf(AmafNeed::None, AmafFrom::Tree).amaf_from, None);
    }

    #[test]
    fn every_place_begins_as_its_column_says() {
        let mut columns = Columns::new(&[&ONE, &TWO]);
        columns.grow_to(3);
        columns.get_mut(&TWO).unwrap()[2] = 0.25;
        columns.swap(0, 2);
        assert_eq!(columns.get(&TWO).unwrap(), [0.25, 0.5, 0.5]);
        assert_eq!(columns.get(&ONE).unwrap(), [0.0; 3]);
        assert!(columns.get(&OTHER).is_none());
        let mut other = Columns::new(&[&ONE, &TWO]);
        other.append(&columns, 0..2);
        other.copy(1, &columns, 0);
        assert_eq!(other.get(&TWO).unwrap(), [0.25, 0.25]);
        other.pop();
        assert_eq!((other.get(&TWO).unwrap().len(), other.bytes_each()), (1, 8));
    }
}
