//! Depth-first search for the answer alone, the most promising move first.
//!
//! It counts nothing, so it is not misled where many ways lead to the same positions.

use std::cmp::Reverse;

use super::{Numbers, Solver, Way};
use crate::game::Game;
use crate::types::Side;

/// Games that go on for longer are left to the other search.
const DEEPEST: usize = 1000;

impl<G: Game> Solver<'_, G> {
    /// Whether the goal is reached from frame `depth`; none if the search must stop. Every position that was answered
    /// is in the table, so that the next turn finds its way back quickly.
    pub(super) fn decide(&mut self, depth: usize, key: u64) -> Option<bool> {
        if depth > DEEPEST || self.must_stop() {
            return None;
        }
        let side = self.variant.game.side_to_move(&self.frames[depth].state);
        let before = self.nodes;
        self.expand(depth, side, Way::DepthFirst);
        let wanted = side == Side::First;
        let children = &mut self.frames[depth].children;
        children.sort_by_key(|child| Reverse(child.promise));
        let mut got = children.iter().any(|child| child.numbers.answer() == Some(wanted));
        let mut at = 0;
        while !got && at < self.frames[depth].children.len() {
            let child = self.frames[depth].children[at];
            // The moves before it may have led to the same position.
            let known = if at == 0 { None } else { self.table.get(child.key).and_then(Numbers::answer) };
            let found = match known {
                Some(found) => found,
                None => {
                    self.descend(depth, child.mv);
                    self.decide(depth + 1, child.key)?
                }
            };
            got = found == wanted;
            at += 1;
        }
        let reached = got == wanted;
        self.table.put(key, Numbers::of(reached), self.nodes - before);
        Some(reached)
    }
}
