//! The closed choices of a search, and the part of `mcts`'s options that the loop itself reads.

use super::Widen;
use crate::terms::{ALL_OFFERED, MOST_VISITED, ORDER, POSITIONS, Terms, UNTRIED_COMPARED, WHOLE_RUN};
use crate::tree::Layout;

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
    /// How nodes that grow child by child get their children.
    const CHILD_BY_CHILD: Expansion = Expansion { at: 1, growth: Growth::One(Order::Random) };

    /// What it needs of the search around it, and gives to it.
    pub fn terms(&self) -> Terms {
        let terms = Terms::default().needs(&POSITIONS, "it is about nodes that have all their moves");
        let terms = terms.only_if(*self != Expansion::CHILD_BY_CHILD);
        match self.growth {
            Growth::One(_) => terms.gives(&ALL_OFFERED),
            Growth::All => terms.gives(&ALL_OFFERED).gives(&UNTRIED_COMPARED),
            Growth::Progressive(_) => {
                terms.needs(&ORDER, "it offers the most promising moves first").gives(&UNTRIED_COMPARED)
            }
        }
    }

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

impl Final {
    /// What it gives to the search around it.
    pub fn terms(&self) -> Terms {
        Terms::default().gives(&MOST_VISITED).only_if(*self == Final::Visits)
    }
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

impl Settings {
    /// What the loop itself keeps in the tree.
    pub fn layout(&self) -> Layout {
        Layout { keys: self.transpositions, ..Layout::default() }
    }

    /// What those that are no parts say of themselves: each with its value.
    pub fn terms(&self) -> [(&'static str, String, Terms); 3] {
        let asks = Terms::default().needs(&POSITIONS, "the playout policy chooses among all moves of a node");
        let stops = Terms::default()
            .needs(&MOST_VISITED, "a score can always be caught")
            .needs(&POSITIONS, "it compares the visits of all moves of the root");
        let stops = if self.stop_early { stops } else { Terms::default().gives(&WHOLE_RUN) };
        [
            ("playout_until", self.playout_until.to_string(), asks.only_if(self.playout_until > 0)),
            ("transpositions", self.transpositions.to_string(), Terms::of_layout(&self.layout())),
            ("stop_early", self.stop_early.to_string(), stops),
        ]
    }
}
