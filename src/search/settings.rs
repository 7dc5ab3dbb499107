//! The closed choices of a search, and the part of `mcts`'s options that the loop itself reads.

use super::Widen;

/// When a leaf gets children, and how many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expansion {
    /// Visits after which a leaf becomes a node, so that the next visit gives it children.
    pub at: u32,
    pub growth: Growth,
}

/// How many children a visit gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// One child per simulation; the formula decides once all have been tried (PPR, Mr Jack).
    One(Order),
    /// All children at once (Fossel).
    All,
    /// All at once, but a node offers only some of them until it has visits enough.
    Progressive(Widen),
}

impl Expansion {
    /// The order in which untried moves are tried where each is tried once.
    pub fn order(&self) -> Order {
        if let Growth::One(order) = self.growth { order } else { Order::Random }
    }

    pub fn widen(&self) -> Option<Widen> {
        if let Growth::Progressive(widen) = self.growth { Some(widen) } else { None }
    }
}

/// In which order `Growth::One` tries moves.
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
    /// In a node with fewer visits the playout policy decides instead of the formula.
    pub playout_until: u32,
    pub final_move: Final,
    /// Whether positions that differ only in the order of moves share a node.
    pub transpositions: bool,
    /// Bytes.
    pub memory: usize,
    /// Whether proven results are backed up and never searched again.
    pub solve: bool,
    /// Whether a search whose position is proven lost goes on without proofs.
    pub play_on_when_lost: bool,
    /// Whether to stop when the most visited move can no longer be caught.
    pub stop_early: bool,
}
