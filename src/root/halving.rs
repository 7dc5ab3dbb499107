//! Sequential halving (Karnin, Koren and Somekh 2013): all moves get the same number of simulations, the better half of
//! them stays, and so on until two are left.
//!
//! With k moves and N simulations there are R = ceil(log2 k) rounds. In each of them every one of the s moves that are
//! left gets max(1, N / (s R)) further simulations, rounded down; then the best ceil(s / 2) by their mean stay, never
//! fewer than two. What rounding leaves over goes to the last two in turn, and the better mean of them is played.
//! Visits that a kept tree brings along count as spent. A move that is proven leaves, and its share goes to the others.

use super::{Built, Root};
use crate::spec::{Options, PartInfo};
use crate::terms::{ALL_OFFERED, COUNTED, MOST_VISITED, ONE_BY_ONE, POSITIONS, Terms, WHOLE_RUN};
use crate::tree::{EdgeId, Proof, ROOT, Tree};
use crate::types::{Move, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "halving",
    options: &[],
    positional: None,
    doc: "Sequential halving: equal shares for all moves, then for the better half of them, until two are left",
};

pub fn build(_: &Options) -> Built {
    Some(Box::new(Halving::default()))
}

#[derive(Default)]
pub struct Halving {
    /// Visits of the root that the plan is for, those before it included; None: there is no plan yet.
    total: Option<u64>,
    rounds: u64,
    /// The moves that are left, and where they were last seen: untried edges change places.
    left: Vec<(Move, EdgeId)>,
    /// Visits that each of them has at the end of the round.
    target: u64,
    /// The number of simulations was not given.
    unplanned: bool,
}

impl Halving {
    fn plan(&mut self, tree: &Tree, total: u64, rng: &mut Rng) {
        self.total = Some(total);
        self.left.clear();
        self.left
            .extend(edges(tree).map(|edge| (tree.mv(edge), edge)).filter(|&(_, edge)| is_open(tree, edge)));
        // Where there are more moves than simulations, chance says who gets one.
        for at in (1..self.left.len()).rev() {
            self.left.swap(at, rng.below(at + 1));
        }
        self.rounds = u64::from(self.left.len().next_power_of_two().trailing_zeros()).max(1);
        self.target = self.share();
    }

    /// What each of the moves that are left gets in one round.
    fn share(&self) -> u64 {
        let total = self.total.unwrap_or(0);
        (total / (self.left.len().max(1) as u64 * self.rounds)).max(1)
    }

    /// The better half stays.
    fn cut(&mut self, tree: &Tree) {
        self.left.sort_by(|&(_, one), &(_, other)| mean(tree, other).total_cmp(&mean(tree, one)));
        self.left.truncate(self.left.len().div_ceil(2).max(2));
        self.target += self.share();
    }

    /// Finds the edges again, and lets go who is proven.
    fn look(&mut self, tree: &Tree) {
        for (mv, edge) in &mut self.left {
            if tree.mv(*edge) != *mv {
                *edge = edge_of(tree, *mv).expect("a move of the root stays one");
            }
        }
        self.left.retain(|&(_, edge)| is_open(tree, edge));
    }
}

impl Root for Halving {
    /// A plan for the whole decision needs to know how long it is, and the only tree.
    fn terms(&self) -> Terms {
        Terms::default()
            .needs(&POSITIONS, "it begins with all moves of the root")
            .needs(&ALL_OFFERED, "it begins with all moves")
            .needs(&COUNTED, "it shares out a number of simulations")
            .needs(&ONE_BY_ONE, "it plans for one tree")
            .needs(&WHOLE_RUN, "its plan ends with the last simulation")
            .needs(&MOST_VISITED, "its plan says what is played")
    }

    fn choose(&mut self, tree: &Tree, left: Option<u64>, rng: &mut Rng) -> Option<EdgeId> {
        let Some(left) = left else {
            self.unplanned = true;
            return None;
        };
        let spent: u64 = tree.children(ROOT).map(|edge| u64::from(tree.visits(edge))).sum();
        if self.total != Some(spent + left) {
            self.plan(tree, spent + left, rng);
        }
        self.look(tree);
        if self.left.is_empty() {
            // All that were left are proven: those that had been cut are better than nothing.
            self.plan(tree, spent + left, rng);
        }
        loop {
            let visits = |edge: EdgeId| u64::from(tree.visits(edge));
            let due = self.left.iter().map(|&(_, edge)| edge).filter(|&edge| visits(edge) < self.target);
            let due = due.min_by_key(|&edge| visits(edge));
            if due.is_some() || self.left.is_empty() {
                return due;
            }
            self.cut(tree);
        }
    }

    fn best(&self, tree: &Tree) -> Option<EdgeId> {
        self.total?;
        let drawn = edges(tree).filter(|&edge| tree.proof(edge) == Proof::Draw);
        let finalists = self.left.iter().filter_map(|&(mv, _)| edge_of(tree, mv));
        let tried = finalists.filter(|&edge| tree.visits(edge) > 0 && tree.proof(edge) != Proof::Loss);
        // The first of equals: they stand in the order of the last round.
        let better =
            |one: EdgeId, other: EdgeId| if mean(tree, other) > mean(tree, one) { other } else { one };
        tried.chain(drawn).reduce(better)
    }

    fn new_root(&mut self) {
        *self = Halving::default();
    }

    fn notes(&self) -> Vec<String> {
        let told =
            "root=halving needs a number of simulations: without one the root was a node like any other";
        if self.unplanned { vec![told.to_string()] } else { Vec::new() }
    }
}

fn edges(tree: &Tree) -> impl Iterator<Item = EdgeId> + '_ {
    tree.children(ROOT).chain(tree.untried(ROOT))
}

fn edge_of(tree: &Tree, mv: Move) -> Option<EdgeId> {
    edges(tree).find(|&edge| tree.mv(edge) == mv)
}

fn is_open(tree: &Tree, edge: EdgeId) -> bool {
    tree.proof(edge) == Proof::None
}

/// What is proven, or the mean result.
fn mean(tree: &Tree, edge: EdgeId) -> f64 {
    tree.proof(edge).score().map(f64::from).or(tree.mean(edge)).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Layout;

    /// Runs the plan on k moves, the lower numbers of which win more often; visits by move.
    fn visits(moves: u32, simulations: u64, proofs: &[(u32, Proof)]) -> (Vec<u32>, Option<u32>) {
        let mut tree = Tree::new(0, Layout::default(), 1 << 20, || 0);
        let all: Vec<Move> = (0..moves).map(Move).collect();
        tree.add_edges(ROOT, &all, |_| 0, false);
        let (mut halving, mut rng) = (Halving::default(), Rng::new(1));
        for done in 0..simulations {
            let edge = halving.choose(&tree, Some(simulations - done), &mut rng).unwrap();
            let tried = tree.children(ROOT).end;
            let edge = if edge < tried { edge } else { tree.try_edge(ROOT, (edge - tried) as usize) };
            tree.add_result(edge, 1.0 - tree.mv(edge).0 as f32 / moves as f32);
            if let Some((_, proof)) = proofs.iter().find(|(mv, _)| *mv == tree.mv(edge).0) {
                tree.set_proof(edge, *proof);
            }
        }
        let mut seen = vec![0; moves as usize];
        edges(&tree).for_each(|edge| seen[tree.mv(edge).0 as usize] = tree.visits(edge));
        (seen, halving.best(&tree).map(|edge| tree.mv(edge).0))
    }

    // The numbers of the specification.
    #[test]
    fn eight_moves_and_five_by_hand() {
        assert_eq!(visits(8, 96, &[]), (vec![28, 28, 12, 12, 4, 4, 4, 4], Some(0)));
        // 58 are planned; the two that are left over go to the last two in turn.
        assert_eq!(visits(5, 60, &[]), (vec![21, 21, 10, 4, 4], Some(0)));
        assert_eq!(visits(1, 7, &[]), (vec![7], Some(0)));
    }

    #[test]
    fn every_simulation_is_spent_whatever_the_numbers() {
        for moves in 1..40 {
            for simulations in 1..120 {
                let (seen, best) = visits(moves, simulations, &[]);
                assert_eq!(seen.iter().map(|&n| u64::from(n)).sum::<u64>(), simulations);
                assert!(best.is_some());
                if simulations < u64::from(moves) {
                    assert!(seen.iter().all(|&n| n <= 1), "one each before anybody has two: {seen:?}");
                }
            }
        }
    }

    #[test]
    fn a_proven_move_leaves_and_its_share_goes_to_the_others() {
        let (seen, best) = visits(8, 96, &[(0, Proof::Loss), (1, Proof::Loss)]);
        assert_eq!((seen[0], seen[1], best), (1, 1, Some(2)));
        assert_eq!(seen.iter().sum::<u32>(), 96);
        // A draw is worth a half, without visits.
        let (_, best) = visits(4, 40, &[(0, Proof::Draw)]);
        assert_eq!(best, Some(1), "three quarters are better than a draw");
        let (_, best) = visits(4, 40, &[(0, Proof::Loss), (1, Proof::Loss), (2, Proof::Draw)]);
        assert_eq!(best, Some(2), "and a draw is better than a quarter");
    }

    #[test]
    fn without_a_number_the_root_is_a_node_like_any_other() {
        let mut tree = Tree::new(0, Layout::default(), 1 << 20, || 0);
        tree.add_edges(ROOT, &[Move(0), Move(1)], |_| 0, true);
        let mut halving = Halving::default();
        assert_eq!(halving.choose(&tree, None, &mut Rng::new(1)), None);
        assert_eq!((halving.best(&tree), halving.notes().len()), (None, 1));
        halving.new_root();
        assert!(halving.notes().is_empty());
    }
}
