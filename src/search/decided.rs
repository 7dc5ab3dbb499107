//! Stopping early: when the rest of a run cannot change which move is visited most.

use super::core::Core;
use crate::game::Game;
use crate::tree::ROOT;
use crate::types::{Clock, Limit};

impl<G: Game> Core<G> {
    /// Whether what is left of a run, which had `limit` when `clock` was started, at `begun` simulations, cannot
    /// change which move is visited most; `under_way` simulations have begun and are not counted yet. A limit of time is
    /// counted at the best rate so far: a machine that was busy for a moment must not end a search.
    pub(super) fn cannot_be_caught(&self, limit: &Limit, clock: &Clock, begun: u64, under_way: u64) -> bool {
        let done = self.counts.simulations - begun;
        let counted = limit.simulations.map(|n| n.saturating_sub(done));
        let timed = clock.left().filter(|_| done > 0).map(|(left, used)| {
            let before = if self.counts.seconds > 0.0 { begun as f64 / self.counts.seconds } else { 0.0 };
            (left.max(0.0) * before.max(done as f64 / used.max(1e-9))) as u64
        });
        let left = counted.into_iter().chain(timed).min();
        left.is_some_and(|left| self.is_decided(left + under_way))
    }

    /// Whether `left` more simulations cannot change which move is visited most.
    fn is_decided(&self, left: u64) -> bool {
        if self.tree.children(ROOT).len() == 1 && self.tree.untried(ROOT).is_empty() {
            return true;
        }
        let mut best = [0; 2];
        for edge in self.tree.children(ROOT) {
            let visits = self.tree.visits(edge);
            if visits > best[0] {
                best = [visits, best[0]];
            } else if visits > best[1] {
                best[1] = visits;
            }
        }
        u64::from(best[0] - best[1]) > left
    }
}
