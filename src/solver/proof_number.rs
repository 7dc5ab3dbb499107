//! Depth-first proof-number search (df-pn): looks next wherever the answer is nearest.
//!
//! Nagai 2002. Where a sum over children would count shared positions again and again, the weak form is used
//! (largest child plus the number of the others; Ueda et al. 2008).

use super::{Child, INFINITE, Numbers, Solver, Way};
use crate::game::Game;
use crate::types::Side;

impl<G: Game> Solver<'_, G> {
    /// Searches below frame `depth` until one of its numbers, as its side to move sees them, reaches its limit, or
    /// until the search must stop. What has been found out by then is in the table.
    pub(super) fn search(&mut self, depth: usize, key: u64, own_limit: u32, other_limit: u32) -> Numbers {
        let side = self.variant.game.side_to_move(&self.frames[depth].state);
        let before = self.nodes;
        self.expand(depth, side, Way::ProofNumber);
        let numbers = loop {
            let children = &self.frames[depth].children;
            let sight = look_over(children, side);
            let numbers = Numbers::from_side(side, sight.own, sight.other);
            if sight.own == 0 || sight.other == 0 || sight.own >= own_limit || sight.other >= other_limit {
                break numbers;
            }
            let child = children[sight.best];
            if self.must_stop() {
                break numbers;
            }
            // A little beyond the second best, so that the search does not jump to and fro (1 + epsilon trick).
            let own = own_limit.min(sight.second.saturating_add(sight.second / 4).saturating_add(1));
            let other = other_limit.saturating_sub(sight.open - 1);
            let child_side = self.descend(depth, child.mv);
            let (own, other) = if child_side == side { (own, other) } else { (other, own) };
            let numbers = self.search(depth + 1, child.key, own, other);
            self.frames[depth].children[sight.best].numbers = numbers;
        };
        self.table.put(key, numbers, self.nodes - before);
        numbers
    }
}

/// The numbers of a node as its side to move sees them, and the child to go to.
struct Sight {
    own: u32,
    other: u32,
    best: usize,
    /// The own number of the second best child.
    second: u32,
    /// Children that are not refuted.
    open: u32,
}

fn look_over(children: &[Child], side: Side) -> Sight {
    let mut sight = Sight { own: INFINITE, other: 0, best: 0, second: INFINITE, open: 0 };
    for (at, child) in children.iter().enumerate() {
        let (own, other) = child.numbers.for_side(side);
        if own < sight.own {
            (sight.second, sight.own, sight.best) = (sight.own, own, at);
        } else if own < sight.second {
            sight.second = own;
        }
        if other > 0 {
            sight.open += 1;
            sight.other = sight.other.max(other);
        }
    }
    if sight.own == 0 {
        sight.other = INFINITE;
    } else if sight.open > 0 {
        // Below infinity as long as nothing is proven.
        sight.other = sight.other.saturating_add(sight.open - 1).min(INFINITE - 1);
    }
    sight
}
