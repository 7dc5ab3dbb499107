//! What one simulation was, and the update of the AMAF tables from it.

use super::{AmafFrom, AmafNeed, EdgeId, NodeId, Tree};
use crate::types::{Move, Side};

/// One decision inside the tree.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub node: NodeId,
    pub edge: EdgeId,
    /// Who decided.
    pub side: Side,
}

/// One finished simulation, as policies that learn from it see it.
pub struct Simulation<'a> {
    /// The decisions in the tree, from the root; the last edge leads to the leaf.
    pub path: &'a [Step],
    /// The node of the leaf, if it has one by now.
    pub leaf: Option<NodeId>,
    /// Every move from the root to the end; the first `path.len()` were made in the tree.
    pub moves: &'a [(Move, Side)],
    /// Their slots; empty if the game has none.
    pub slots: &'a [u16],
    /// The result for the first side, in 0..1.
    pub value: f32,
    /// The side to move at the root.
    pub root_side: Side,
}

impl Simulation<'_> {
    #[inline]
    pub fn score(&self, side: Side) -> f32 {
        if side == Side::First { self.value } else { 1.0 - self.value }
    }
}

/// Scratch memory for the AMAF update: the slots of a simulation, by side.
#[derive(Default)]
pub struct AmafUpdate {
    by_side: [Vec<u16>; 2],
    /// How many moves of each side came before each step of the path and before the leaf.
    before: Vec<[u32; 2]>,
    seen: Vec<u32>,
    stamp: u32,
}

impl AmafUpdate {
    /// Counts, in every node of the path and in the leaf, the moves that were played after it; of a move
    /// that occurs twice only the first time (spec section 2: the colour to move at the node).
    pub fn apply(&mut self, tree: &mut Tree, simulation: &Simulation, from: Option<AmafFrom>) {
        let Some(from) = from else { return };
        let learnt = if from == AmafFrom::Tree { simulation.path.len() } else { simulation.slots.len() };
        let repeats = self.split(tree.width, simulation, learnt);
        let nodes = simulation.path.iter().map(|step| (step.node, step.side));
        let leaf_side = simulation.moves.get(simulation.path.len()).map(|&(_, side)| side);
        let leaf = simulation.leaf.zip(leaf_side);
        for (depth, (node, mover)) in nodes.chain(leaf).enumerate() {
            for side in [mover, mover.other()] {
                if side != mover && tree.layout.amaf != AmafNeed::Both {
                    continue;
                }
                let start = self.before[depth][side.index()] as usize;
                let score = simulation.score(side);
                if repeats {
                    let once = self.first_times(side, start);
                    tree.add_amaf(node, side == mover, &once, score);
                } else {
                    tree.add_amaf(node, side == mover, &self.by_side[side.index()][start..], score);
                }
            }
        }
    }

    /// Sorts the slots of the first `learnt` moves by side; true if a side has played one of them twice.
    fn split(&mut self, width: usize, simulation: &Simulation, learnt: usize) -> bool {
        let AmafUpdate { by_side, before, seen, stamp } = self;
        by_side.iter_mut().for_each(Vec::clear);
        before.clear();
        seen.resize(2 * width, 0);
        *stamp = stamp.wrapping_add(1);
        if *stamp == 0 {
            seen.fill(0);
            *stamp = 1;
        }
        let mut repeats = false;
        let moves = simulation.slots.iter().zip(simulation.moves).take(learnt);
        for (k, (&slot, &(_, side))) in moves.enumerate() {
            if k <= simulation.path.len() {
                before.push([by_side[0].len() as u32, by_side[1].len() as u32]);
            }
            let mark = &mut seen[side.index() * width + slot as usize];
            repeats |= *mark == *stamp;
            *mark = *stamp;
            by_side[side.index()].push(slot);
        }
        // A simulation that ends in the tree, or is learnt from no further, has no move after its leaf.
        before.push([by_side[0].len() as u32, by_side[1].len() as u32]);
        repeats
    }

    fn first_times(&mut self, side: Side, start: usize) -> Vec<u16> {
        let mut once: Vec<u16> = Vec::new();
        for &slot in &self.by_side[side.index()][start..] {
            if !once.contains(&slot) {
                once.push(slot);
            }
        }
        once
    }
}
