//! Selection: which child a simulation goes to next. One file per policy; the list is at the end.

use crate::spec::{Options, PartInfo, Spec};
use crate::tree::{EdgeId, Needs, NodeId, Simulation, Step, Tree};
use crate::types::{Result, Rng, Side};

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

/// One virtual call per node, not per child.
pub trait SelectionPolicy: Send {
    fn needs(&self) -> Needs {
        Needs::default()
    }
    /// `choice` has at least one open child.
    fn select(&mut self, choice: &Choice, rng: &mut Rng) -> EdgeId;
    fn observe(&mut self, _tree: &Tree, _simulation: &Simulation) {}
    /// The number that `select` maximises, for each open child: what `explain` shows and the tests check.
    fn values(&mut self, choice: &Choice) -> Vec<f32>;
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
    /// Take the first of equals instead of a random one.
    pub ties_first: bool,
}

/// ln from libm: the same number on every machine.
#[inline]
fn log_visits(visits: u32) -> f32 {
    libm::logf(visits.max(1) as f32)
}

impl Picker {
    pub fn new(ties_first: bool) -> Picker {
        Picker { values: Vec::new(), ties_first }
    }

    #[inline]
    fn fill(&mut self, choice: &Choice, formula: impl Fn(Child) -> f32) {
        self.values.clear();
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
            Open::Some(open) => self.values.extend(open.iter().map(|&(edge, available)| {
                formula(Child {
                    edge,
                    visits: tree.visits(edge) as i32 as f32,
                    score: tree.score(edge) as f32,
                    slot: tree.slot(edge),
                    log_parent: log_visits(available),
                })
            })),
        }
    }

    /// The child with the largest value of `formula`; among equals a random one.
    #[inline]
    pub fn best(&mut self, choice: &Choice, rng: &mut Rng, formula: impl Fn(Child) -> f32) -> EdgeId {
        self.fill(choice, formula);
        let at = best_index(&self.values, self.ties_first, rng);
        match choice.open {
            Open::All => choice.tree.children(choice.node).start + at as EdgeId,
            Open::Some(open) => open[at].0,
        }
    }

    pub fn values(&mut self, choice: &Choice, formula: impl Fn(Child) -> f32) -> Vec<f32> {
        self.fill(choice, formula);
        self.values.clone()
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

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    vec![uct::INFO]
}

/// Builds the policy that a resolved spec names.
pub fn build(spec: &Spec, first_play: FirstPlay, ties_first: bool) -> Result<Box<dyn SelectionPolicy>> {
    let options = Options::new(&spec.parts[0]);
    let picker = Picker::new(ties_first);
    Ok(match options.name() {
        "uct" => Box::new(uct::Uct::new(&options, first_play, picker)),
        other => unreachable!("{other} was resolved but is not in the list of selection policies"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
