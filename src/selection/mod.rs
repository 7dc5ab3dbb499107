//! Selection: which child a simulation goes to next. One file per policy; the list is at the end.

use std::sync::Arc;

use crate::family::members;
use crate::spec::{Options, PartInfo, Spec};
use crate::terms::Terms;
use crate::tree::{Amaf, Backed, Column, EdgeId, Layout, MoveTable, NodeId, Simulation, Step, Tree};
use crate::types::{Error, Move, Result, Rng, Side};

pub mod extended_rave;
pub mod guest;
pub mod kl_ucb;
pub mod progressive_history;
pub mod proximity;
pub mod rave;
pub mod uct;

/// Which children of the node a simulation may go to.
#[derive(Clone, Copy)]
pub enum Open<'a> {
    All,
    /// Only these, each with the number of times it was available when its node was visited:
    /// with hidden information not every child is legal in every world.
    Some(&'a [(EdgeId, u32)]),
}

/// A node at which a simulation has to decide.
pub struct Choice<'a> {
    pub tree: &'a Tree,
    /// The decisions that led here, from the root.
    pub path: &'a [Step],
    pub node: NodeId,
    /// Who decides.
    pub side: Side,
    pub open: Open<'a>,
    /// What formulas read mixed with the mean, where a backup keeps it.
    pub backed: Option<Backed>,
    /// What is expected of children, where somebody says so: it fades with their visits.
    pub prior: Option<&'static Column>,
}

/// A child as formulas see it. Results are for the side that decides, in 0..1.
#[derive(Clone, Copy)]
pub struct Child {
    pub edge: EdgeId,
    pub visits: f32,
    /// Sum of results.
    pub score: f32,
    pub slot: usize,
    /// ln of the visits of the parent (or of the times the child was available), at least 0.
    pub log_parent: f32,
}

impl Choice<'_> {
    /// An open child that was available so often when its node was visited.
    fn child(&self, edge: EdgeId, available: u32) -> Child {
        let tree = self.tree;
        // Through i32: the conversion that SIMD has.
        let visits = tree.visits(edge) as i32 as f32;
        let score = tree.score(edge) as f32;
        Child {
            edge,
            visits,
            score: self.backed.map_or(score, |backed| backed.score(tree, edge, visits, score)),
            slot: tree.slot(edge),
            log_parent: log_visits(available),
        }
    }

    /// The open children in their order.
    fn children(&self) -> Vec<Child> {
        match self.open {
            Open::All => {
                let visits = self.tree.node(self.node).visits;
                self.tree.children(self.node).map(|edge| self.child(edge, visits)).collect()
            }
            Open::Some(open) => open.iter().map(|&(edge, available)| self.child(edge, available)).collect(),
        }
    }
}

/// One virtual call per node, not per child.
pub trait SelectionPolicy: Send {
    /// What it keeps in the tree and reads of simulations.
    fn layout(&self) -> Layout {
        Layout::default()
    }
    /// What it needs of the search around it, besides what follows from its layout.
    fn terms(&self) -> Terms {
        Terms::default()
    }
    /// `choice` has at least one open child.
    fn select(&mut self, choice: &Choice, rng: &mut Rng) -> EdgeId;
    fn observe(&mut self, _tree: &Tree, _simulation: &Simulation) {}
    /// The tree goes on from another root: forget what was learnt for the old one, unless told to keep it.
    fn new_root(&mut self) {}
    /// The number that `select` maximises, for each open child: what `explain` shows and the tests check.
    fn values(&mut self, choice: &Choice) -> &mut [f32];
    /// What the policy has learnt beyond the tree.
    fn tables(&self) -> Vec<MoveTable> {
        Vec::new()
    }
}

/// What a selection policy may know about the game: it sees moves as slots and edges only.
#[derive(Clone)]
pub struct GameFacts {
    pub game: &'static str,
    /// Size of tables over moves; 0: the game has none.
    pub slots: usize,
    /// Appends the slots of the moves within a range of a move; None if the game knows no distances.
    pub near: Option<Near>,
}

pub type Near = Arc<dyn Fn(Move, usize, &mut Vec<u16>) + Send + Sync>;

impl GameFacts {
    /// Refuses a game without tables over moves.
    fn with_slots(&self, policy: &str) -> Result<usize> {
        if self.slots == 0 {
            return Err(Error::new(format!(
                "selection {policy} needs move tables, which {} does not have",
                self.game
            )));
        }
        Ok(self.slots)
    }
}

/// What `mcts` hands to every selection policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstPlay {
    /// Mean result that an unvisited child is taken to have; None: it goes before all others.
    pub urgency: Option<f32>,
    /// Whether that result stays in the child's mean as one more visit, or goes with its first real one.
    pub stays: bool,
}

impl FirstPlay {
    /// Mean and visits with which `child` enters a formula; None if it goes first.
    #[inline]
    pub fn mean_and_visits(&self, child: &Child) -> Option<(f32, f32)> {
        match self.urgency {
            Some(urgency) if self.stays => {
                let visits = child.visits + 1.0;
                Some(((child.score + urgency) / visits, visits))
            }
            _ if child.visits > 0.0 => Some((child.score / child.visits, child.visits)),
            Some(urgency) => Some((urgency, 1.0)),
            None => None,
        }
    }
}

/// Finds the largest of a formula over the open children; shared by all policies.
#[derive(Default)]
pub struct Picker {
    values: Vec<f32>,
    /// AMAF statistics of the open children, side by side like their other columns.
    amaf: Vec<Amaf>,
    /// Take the first of equals instead of a random one.
    pub ties_first: bool,
    /// Visits that a node needs for its own AMAF statistics to be read.
    pub least_visits: u32,
}

/// ln from libm: the same number on every machine.
#[inline]
fn log_visits(visits: u32) -> f32 {
    libm::logf(visits.max(1) as f32)
}

impl Picker {
    pub fn new(ties_first: bool) -> Picker {
        Picker { ties_first, ..Picker::default() }
    }

    #[inline]
    fn fill(&mut self, choice: &Choice, formula: impl Fn(Child) -> f32) {
        self.values.clear();
        if choice.backed.is_some() {
            return self.fill_backed(choice, formula);
        }
        let tree = choice.tree;
        match choice.open {
            Open::All => {
                let log_parent = log_visits(tree.node(choice.node).visits);
                let first = tree.children(choice.node).start;
                let (visits, scores, slots) = tree.child_columns(choice.node);
                let columns = visits.iter().zip(scores).zip(slots).enumerate();
                self.values.extend(columns.map(|(i, ((&visits, &score), &slot))| {
                    formula(Child {
                        edge: first + i as EdgeId,
                        // Through i32: the conversion that SIMD has.
                        visits: visits as i32 as f32,
                        score: score as f32,
                        slot: slot as usize,
                        log_parent,
                    })
                }));
            }
            Open::Some(open) => self
                .values
                .extend(open.iter().map(|&(edge, available)| formula(choice.child(edge, available)))),
        }
        self.add_priors(choice);
    }

    /// `fill` where a backup changes the scores. A call of its own, so that searches without one pay for one comparison.
    #[inline(never)]
    fn fill_backed(&mut self, choice: &Choice, formula: impl Fn(Child) -> f32) {
        self.values.extend(choice.children().into_iter().map(formula));
        self.add_priors(choice);
    }

    /// Adds what knowledge expects of the children, which counts less the more visits they have.
    #[inline]
    fn add_priors(&mut self, choice: &Choice) {
        if let Some(column) = choice.prior {
            self.add_kept_priors(choice, column);
        }
    }

    /// A call of its own, so that searches without priors pay for one comparison.
    #[inline(never)]
    fn add_kept_priors(&mut self, choice: &Choice, column: &'static Column) {
        let tree = choice.tree;
        let Some(priors) = tree.child_column(column, choice.node) else { return };
        let faded = |prior: f32, visits: u32| prior / (visits as i32 as f32 + 1.0).sqrt();
        match choice.open {
            Open::All => {
                let visits = tree.child_visits(choice.node);
                for ((value, &prior), &visits) in self.values.iter_mut().zip(priors).zip(visits) {
                    *value += faded(prior, visits);
                }
            }
            Open::Some(open) => {
                for (value, &(edge, _)) in self.values.iter_mut().zip(open) {
                    *value += faded(tree.of_edge(column, edge), tree.visits(edge));
                }
            }
        }
    }

    /// The child with the largest value of `formula`; among equals a random one.
    #[inline]
    pub fn best(&mut self, choice: &Choice, rng: &mut Rng, formula: impl Fn(Child) -> f32) -> EdgeId {
        self.fill(choice, formula);
        self.chosen(choice, rng)
    }

    fn chosen(&self, choice: &Choice, rng: &mut Rng) -> EdgeId {
        chosen(choice, &self.values, self.ties_first, rng)
    }

    pub fn values(&mut self, choice: &Choice, formula: impl Fn(Child) -> f32) -> &mut [f32] {
        self.fill(choice, formula);
        &mut self.values
    }

    /// The node whose AMAF statistics speak for the children: the lowest on the way up to the root that has visits
    /// enough and the same side to move (GRAVE, Cazenave 2015); the highest of that side if none has.
    #[inline]
    fn amaf_node(&self, choice: &Choice) -> NodeId {
        let mut node = choice.node;
        if choice.tree.node(node).visits >= self.least_visits {
            return node;
        }
        for step in choice.path.iter().rev().filter(|step| step.side == choice.side) {
            node = step.node;
            if choice.tree.node(node).visits >= self.least_visits {
                break;
            }
        }
        node
    }

    /// `fill` for formulas that read the AMAF statistics of the node.
    #[inline]
    fn fill_amaf(&mut self, choice: &Choice, formula: impl Fn(Child, Amaf) -> f32) {
        let tree = choice.tree;
        let row = tree.amaf(self.amaf_node(choice));
        if matches!(choice.open, Open::Some(_)) || choice.backed.is_some() {
            return self.fill(choice, |child| formula(child, row[child.slot]));
        }
        let log_parent = log_visits(tree.node(choice.node).visits);
        let first = tree.children(choice.node).start;
        let (visits, scores, slots) = tree.child_columns(choice.node);
        // Gathered first, so that the formula runs over plain columns and can be vectorised.
        self.amaf.clear();
        self.amaf.extend(slots.iter().map(|&slot| row[slot as usize]));
        self.values.clear();
        let columns = visits.iter().zip(scores).zip(&self.amaf).enumerate();
        self.values.extend(columns.map(|(i, ((&visits, &score), &amaf))| {
            let child = Child {
                edge: first + i as EdgeId,
                visits: visits as i32 as f32,
                score: score as f32,
                slot: 0,
                log_parent,
            };
            formula(child, amaf)
        }));
        self.add_priors(choice);
    }

    /// `best` for formulas that read the AMAF statistics of the node instead of the child's slot.
    #[inline]
    pub fn best_amaf(
        &mut self,
        choice: &Choice,
        rng: &mut Rng,
        formula: impl Fn(Child, Amaf) -> f32,
    ) -> EdgeId {
        self.fill_amaf(choice, formula);
        self.chosen(choice, rng)
    }

    pub fn values_amaf(&mut self, choice: &Choice, formula: impl Fn(Child, Amaf) -> f32) -> &mut [f32] {
        self.fill_amaf(choice, formula);
        &mut self.values
    }
}

/// The open child with the largest of `values`, which stand in the order of the open children.
fn chosen(choice: &Choice, values: &[f32], ties_first: bool, rng: &mut Rng) -> EdgeId {
    let at = best_index(values, ties_first, rng);
    match choice.open {
        Open::All => choice.tree.children(choice.node).start + at as EdgeId,
        Open::Some(open) => open[at].0,
    }
}

/// The index of the largest value; among equals a random one, or the first.
fn best_index(values: &[f32], ties_first: bool, rng: &mut Rng) -> usize {
    // Eight lanes, because a single running maximum cannot be vectorised.
    let mut lanes = [f32::NEG_INFINITY; 8];
    let chunks = values.chunks_exact(8);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = if value > *lane { value } else { *lane };
        }
    }
    let best = lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |best, &v| if v > best { v } else { best });
    let mut equals = values.iter().enumerate().filter(|&(_, &v)| v == best).map(|(i, _)| i);
    let first = equals.next().expect("a formula gave no number");
    if ties_first {
        return first;
    }
    match equals.count() {
        0 => first,
        more => {
            let skip = rng.below(more + 1);
            values.iter().enumerate().filter(|&(_, &v)| v == best).nth(skip).map_or(first, |(i, _)| i)
        }
    }
}

/// What a policy is built from, besides its own options.
pub struct Context<'a> {
    pub first_play: FirstPlay,
    /// Of equal children the first is taken instead of a random one.
    pub ties_first: bool,
    pub facts: &'a GameFacts,
}

impl Context<'_> {
    fn picker(&self) -> Picker {
        Picker::new(self.ties_first)
    }
}

/// Builds the policy that a resolved spec names; refuses what the game cannot serve.
pub fn build(spec: &Spec, context: &Context) -> Result<Box<dyn SelectionPolicy>> {
    build_one(&Options::new(&spec.parts[0]), context)
}

/// The entries of the catalogue: policies from outside the core only where their host is set.
pub fn infos() -> Vec<PartInfo> {
    let is_there = |info: &PartInfo| info.name != guest::INFO.name || guest::HOST.is_set();
    listed().into_iter().filter(is_there).collect()
}

members! {
    fn build_one(context: &Context) -> Result<Box<dyn SelectionPolicy>>, listed;
    uct,
    kl_ucb,
    rave,
    progressive_history,
    extended_rave,
    proximity,
    guest,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{AmafFrom, AmafNeed, ROOT};

    pub static EXPECTED: Column = Column { name: "expected", begins: 0.0 };

    /// A root visited ten times, the first side to move. Children: 6 of 8 won, AMAF 7 of 10; 1 of 2 won, AMAF 2
    /// of 6; unvisited, AMAF 3 of 4; unvisited and unseen.
    pub fn hand_made(need: AmafNeed) -> Tree {
        let layout = Layout { edges: vec![&EXPECTED], ..Layout::amaf(need, AmafFrom::Simulation) };
        let mut tree = Tree::new(4, layout, 1 << 20, || 0);
        let moves: Vec<Move> = (0..4).map(Move).collect();
        tree.add_edges(ROOT, &moves, |mv| mv.0 as usize, true);
        for (edge, score, times) in [(0, 1.0, 6), (0, 0.0, 2), (1, 1.0, 1), (1, 0.0, 1)] {
            for _ in 0..times {
                tree.add_result(edge, score);
                tree.add_visit(ROOT);
            }
        }
        if need != AmafNeed::None {
            for (slot, wins, losses) in [(0, 7, 3), (1, 2, 4), (2, 3, 1)] {
                tree.add_amaf(ROOT, true, &vec![slot; wins], 1.0);
                tree.add_amaf(ROOT, true, &vec![slot; losses], 0.0);
            }
        }
        tree
    }

    pub fn values_at_root(policy: &mut dyn SelectionPolicy, tree: &Tree) -> Vec<f32> {
        let (open, prior) = (Open::All, Some(&EXPECTED));
        let choice = Choice { tree, path: &[], node: ROOT, side: Side::First, open, backed: None, prior };
        policy.values(&choice).to_vec()
    }

    pub fn close(a: &[f32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y || (x - y).abs() < 1e-5)
    }

    #[test]
    fn ties_are_broken_evenly_or_by_order() {
        let mut values = vec![0.0; 20];
        for i in [3, 9, 17] {
            values[i] = 1.0;
        }
        let mut rng = Rng::new(3);
        let mut seen = [0; 20];
        for _ in 0..3000 {
            seen[best_index(&values, false, &mut rng)] += 1;
        }
        assert_eq!(seen.iter().sum::<i32>(), seen[3] + seen[9] + seen[17]);
        assert!([3, 9, 17].iter().all(|&i| (870..1130).contains(&seen[i])), "{seen:?}");
        assert_eq!(best_index(&values, true, &mut rng), 3);
        assert_eq!(best_index(&[f32::INFINITY, 2.0], false, &mut rng), 0);
    }
}
