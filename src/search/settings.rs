//! The closed choices of a search, and the part of `mcts`'s options that the loop itself reads.

use super::Widen;

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
