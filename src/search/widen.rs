//! Progressive widening: a node offers its most promising children first and the others one by one.
//!
//! The k-th child, k > first, is offered once the node has at * by^(k - first) visits (Chaslot, Winands, van den
//! Herik, Uiterwijk and Bouzy, "Progressive strategies for Monte-Carlo tree search", 2008, section 4.2: progressive
//! unpruning; Coulom, "Computing Elo ratings of move patterns in the game of Go", 2007, section 4.3, has the same
//! law). Children come in the order of their prior plus, where AMAF statistics are kept, their AMAF value in the node.
//!
//! A node whose offered children are all proven offers another one at once. What is not offered is untried, and a node
//! with untried edges is never proven lost or drawn, so that widening cannot make a false proof.

use super::core::{Core, Seat};
use crate::game::{AmafExempt, Game};
use crate::prior::PRIOR;
use crate::tree::{EdgeId, NodeId, Proof, Tree};
use crate::types::Rng;

/// When a node offers how many children.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Widen {
    /// Children that a node offers from the start.
    pub first: usize,
    pub at: f32,
    pub by: f32,
    /// Whether the first of equals is offered instead of a random one.
    pub ties_first: bool,
}

impl Widen {
    /// The visits from which a node offers one, two, ... children more than the first, as far as visits can be counted.
    pub(super) fn schedule(&self) -> Vec<u32> {
        let mut due = f64::from(self.at);
        let mut visits = Vec::new();
        loop {
            due *= f64::from(self.by);
            if due > f64::from(u32::MAX) {
                return visits;
            }
            visits.push(due.ceil() as u32);
        }
    }
}

impl<G: Game> Core<G> {
    /// Lets `node`, where the simulation stands and which has just got all its children, offer the first of them.
    pub(super) fn narrow(&mut self, seat: &Seat<G>, node: NodeId, rng: &mut Rng) {
        let Some(widen) = self.parts.settings.expansion.widen() else { return };
        let exempt = self.variant.game.amaf_exempt(&seat.state);
        // Where each move is judged by its own results nothing orders them.
        if let AmafExempt::All = exempt {
            return;
        }
        let count = self.tree.children(node).len();
        self.tree.untry_all(node);
        // Such a move is due a number of visits whatever is expected of it.
        if let AmafExempt::One(mv) = exempt
            && let Some(offset) = self.tree.untried(node).position(|edge| self.tree.mv(edge) == mv)
        {
            self.tree.try_edge(node, offset);
        }
        while self.tree.children(node).len() < widen.first.min(count) {
            self.offer(node, widen.ties_first, rng);
        }
    }

    /// Lets `node`, which has untried edges, offer what it owes.
    pub(super) fn widen(&mut self, seat: &mut Seat<G>, node: NodeId, widen: Widen, rng: &mut Rng) {
        let offered = self.tree.children(node).len();
        let visits = self.tree.node(node).visits;
        // The schedule counts children beyond the first; the last entry that visits have reached tells how many.
        let due = widen.first + self.frame.schedule.partition_point(|&at| at <= visits);
        let most = offered + self.tree.untried(node).len();
        for _ in offered..due.min(most) {
            self.offer(node, widen.ties_first, rng);
        }
        let mut children = self.tree.children(node);
        if !self.tree.untried(node).is_empty() && children.all(|edge| self.tree.proof(edge) != Proof::None) {
            self.offer(node, widen.ties_first, rng);
        }
        if self.tree.children(node).len() > offered {
            seat.offered.push((node, offered));
        }
    }

    /// Takes back what nodes have offered in a simulation that was abandoned, but for what has been visited or proven since.
    pub(super) fn take_back_offers(&mut self, seat: &Seat<G>) {
        for &(node, offered) in &seat.offered {
            let is_new =
                |tree: &Tree, edge: &EdgeId| tree.visits(*edge) == 0 && tree.proof(*edge) == Proof::None;
            while let Some(last) =
                self.tree.children(node).skip(offered).last().filter(|e| is_new(&self.tree, e))
            {
                self.tree.untry_edge(node, last);
            }
        }
    }

    /// Offers the untried edge of which most is expected.
    fn offer(&mut self, node: NodeId, ties_first: bool, rng: &mut Rng) {
        let amaf = self.tree.amaf(node);
        let priors = self.tree.untried_column(&PRIOR, node);
        let (mut best, mut most, mut equals) = (0, f32::NEG_INFINITY, 0);
        for (offset, edge) in self.tree.untried(node).enumerate() {
            let later = amaf.get(self.tree.slot(edge)).map_or(0.0, |amaf| amaf.smoothed());
            let value = priors.map_or(0.0, |priors| priors[offset]) + later;
            if value > most {
                (best, most, equals) = (offset, value, 1);
            } else if value == most && !ties_first {
                // Each of the equals seen so far is kept with the same probability.
                equals += 1;
                if rng.below(equals) == 0 {
                    best = offset;
                }
            }
        }
        self.tree.try_edge(node, best);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::catalogue;
    use crate::game::{Offers, Variant};
    use crate::games::havannah::Havannah;
    use crate::search::tests::{after, compare_with_the_solver, searched, variant};
    use crate::session::{self, check_player};
    use crate::spec::Family;
    use crate::tree::ROOT;
    use crate::types::{Limit, Move, Rng};

    #[test]
    fn the_schedule_by_hand() {
        let widen = Widen { first: 5, at: 50.0, by: 1.3, ties_first: false };
        // 50 * 1.3 = 65, * 1.3 = 84.5, * 1.3 = 109.85: the sixth child at 65 visits, the seventh at 85, then 110.
        assert_eq!(widen.schedule()[..3], [65, 85, 110]);
        let doubling = Widen { at: 10.0, by: 2.0, ..widen }.schedule();
        // 10 * 2^28 is the last that a u32 can count.
        assert_eq!((doubling.len(), doubling[0], doubling[27]), (28, 20, 10 << 28));
    }

    /// Root visits after 400 simulations, seed 1, in the order of the legal moves.
    fn visits(player: &str) -> Vec<u64> {
        let game = catalogue::read(Family::Game, "havannah(size=4)").unwrap();
        let player = catalogue::read(Family::Player, player).unwrap();
        let state = session::start(&game, None, 1).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let report = state.search(&player, Some(Limit::simulations(400)), 1, &stop).unwrap();
        let names = state.legal_moves("standard").unwrap();
        let stat = |name: &String| report.moves.iter().find(|stat| stat.name == *name).unwrap();
        names.iter().map(|name| stat(name).visits).collect()
    }

    #[test]
    fn widening_is_alive_and_plays_as_it_did() {
        let visits = |expansion: &str| {
            visits(&format!(
                "mcts(selection=rave(schedule=linear, r=3000), expansion={expansion}, fpu=0.5, transpositions=true, \
                 tactics=solver+threats, prior=knowledge)"
            ))
        };
        let widened = visits("progressive(first=8, leaf_at=8)");
        assert_eq!(
            widened,
            [
                13, 4, 0, 29, 4, 0, 0, 0, 2, 0, 0, 0, 0, 0, 76, 63, 0, 0, 0, 0, 0, 37, 5, 0, 0, 0, 0, 0, 4,
                0, 0, 0, 19, 82, 6, 11, 45
            ]
        );
        let sooner = visits("progressive(first=8, at=10, leaf_at=8)");
        assert_eq!(
            sooner,
            [
                24, 5, 3, 104, 11, 0, 0, 0, 6, 3, 0, 0, 0, 0, 11, 54, 0, 0, 0, 0, 0, 21, 10, 17, 0, 0, 0, 3,
                3, 0, 0, 0, 10, 77, 10, 3, 25
            ]
        );
        let faster = visits("progressive(first=8, by=1.05, leaf_at=8)");
        let without = visits("all(at=8)");
        assert!(faster != widened && without != widened && without != sooner);
    }

    #[test]
    fn a_node_offers_as_many_children_as_its_visits_allow() {
        let variant = variant(4);
        let state = after(&variant.game, &[18, 3]);
        for (simulations, offered) in [(1, 2), (20, 2), (21, 3), (40, 3), (41, 4), (321, 7), (330, 7)] {
            for player in [
                "mcts(prior=knowledge, expansion=progressive(first=2, at=10, by=2), fpu=0.5)",
                "mcts(selection=rave, expansion=progressive(first=2, at=10, by=2), fpu=0.5)",
            ] {
                let search = searched(&variant, &state, player, simulations);
                let root = search.tree().children(ROOT).len();
                assert_eq!(root, offered, "{player}, {simulations} simulations");
                assert_eq!(root + search.tree().untried(ROOT).len(), 35);
                // What is not offered has never been visited, and is reported all the same.
                assert!(search.tree().untried(ROOT).all(|edge| search.tree().visits(edge) == 0));
                assert_eq!(search.report().moves.len(), 35);
            }
        }
    }

    #[test]
    fn the_most_promising_come_first() {
        let variant = variant(4);
        let player = "mcts(prior=knowledge, expansion=progressive(first=4, at=100), fpu=0.5, ties=first)";
        let search = searched(&variant, &after(&variant.game, &[18, 3]), player, 50);
        let tree = search.tree();
        let worst = tree.children(ROOT).map(|edge| tree.of_edge(&PRIOR, edge)).fold(f32::INFINITY, f32::min);
        assert_eq!(tree.children(ROOT).len(), 4);
        assert!(tree.untried(ROOT).all(|edge| tree.of_edge(&PRIOR, edge) <= worst));
        assert!(
            tree.untried(ROOT).any(|edge| tree.of_edge(&PRIOR, edge) < worst),
            "the priors order nothing here"
        );
    }

    #[test]
    fn widening_makes_no_false_proof() {
        for player in [
            "rave(expansion=progressive(first=1), fpu=0.5, tactics=solver+threats)",
            "rave(expansion=progressive(first=2, at=2), fpu=0.5, tactics=solver, transpositions=true)",
        ] {
            compare_with_the_solver(4, 20..34, 80, player);
        }
    }

    /// Nodes that hardly ever widen by their visits are still searched to the end.
    #[test]
    fn a_node_whose_children_are_all_proven_offers_another_one() {
        let variant = variant(3);
        // The solver: one move of this position wins, all others lose.
        let state = after(&variant.game, &[9, 4, 14, 10, 0, 18, 2, 16]);
        let player = "rave(expansion=progressive(first=1, at=1e6), fpu=0.5, tactics=solver)";
        let all = "rave(expansion=all, fpu=0.5, tactics=solver)";
        let proof = searched(&variant, &state, all, 100_000).root_proof();
        let search = searched(&variant, &state, player, 100_000);
        assert!(proof != Proof::None && search.root_proof() == proof, "{:?}", search.root_proof());
    }

    #[test]
    fn a_kept_tree_goes_on_widening() {
        let variant = variant(4);
        let player = "rave(expansion=progressive(at=10, by=1.5), fpu=0.5, transpositions=true)";
        let mut search = searched(&variant, &after(&variant.game, &[18, 3]), player, 2000);
        let mv = search.report().best;
        let below = search.tree().children(ROOT).find(|&edge| search.tree().mv(edge) == mv);
        let node = below.and_then(|edge| search.tree().behind(edge)).unwrap();
        let offered = search.tree().children(node).len();
        assert!(offered > 3);
        let unoffered = search.tree().untried(ROOT).next().map(|edge| search.tree().mv(edge)).unwrap();
        let state = after(&variant.game, &[18, 3, mv.0]);
        // There is no subtree behind a move that was never offered.
        assert!(!search.advance(&[unoffered], state.clone(), Rng::new(2)));
        assert!(search.advance(&[mv], state, Rng::new(2)));
        assert_eq!(search.tree().children(ROOT).len(), offered);
        search.run(&Limit::simulations(2000), &Arc::new(AtomicBool::new(false)));
        assert!(search.tree().children(ROOT).len() > offered);
    }

    #[test]
    fn the_swap_is_always_offered() {
        let variant = Arc::new(Variant { game: Havannah::new(4, true), misere: false });
        let player = "rave(prior=knowledge, expansion=progressive(first=1, at=1e6), fpu=0.5)";
        let search = searched(&variant, &after(&variant.game, &[18]), player, 100);
        let AmafExempt::One(swap) = variant.game.amaf_exempt(&after(&variant.game, &[18])) else {
            panic!("no swap")
        };
        let offered: Vec<Move> = search.tree().children(ROOT).map(|edge| search.tree().mv(edge)).collect();
        assert_eq!(offered, [swap]);
        assert!(searched(&variant, &after(&variant.game, &[]), player, 50).tree().untried(ROOT).is_empty());
    }

    #[test]
    fn widening_is_refused_where_it_cannot_work() {
        let order = "expansion=progressive does not go with prior=none: it offers the most promising moves first; allowed: a \
                     prior, or a policy that keeps AMAF such as selection=rave";
        for (game, player, message) in [
            ("havannah", "mcts(expansion=progressive(first=5))", order),
            ("domineering", "mcts(expansion=progressive(first=5))", order),
            (
                "mr_jack",
                "mcts(expansion=progressive)",
                "expansion=progressive does not go with mr_jack, a game with hidden information, where \
                 nodes grow child by child: it is about nodes that have all their moves; allowed: \
                 expansion=one",
            ),
            (
                "havannah",
                "mcts(candidates=widening, expansion=progressive)",
                "expansion=progressive does not go with candidates=widening, with which nodes grow child \
                 by child: it is about nodes that have all their moves; allowed: expansion=one",
            ),
        ] {
            let game = catalogue::read(Family::Game, game).unwrap();
            let player = catalogue::read(Family::Player, player).unwrap();
            assert_eq!(check_player(&game, &player).unwrap_err().to_string(), message);
        }
    }
}
