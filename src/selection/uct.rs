//! UCT: mean result plus an exploration term that shrinks with visits (spec section 1).

use super::{Child, Choice, Context, FirstPlay, Picker, SelectionPolicy};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::EdgeId;
use crate::types::{Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "uct",
    options: &[
        OptionInfo::real("k", 0.0, 100.0, "0.25", "exploration constant for results in 0..1"),
        OptionInfo::twice("c", "k", "the same for results in -1..1, as Fossel counts them"),
    ],
    positional: None,
    doc: "Mean result plus k * sqrt(ln(visits of the parent) / visits)",
};

pub fn build(options: &Options, context: &Context) -> Result<Box<dyn SelectionPolicy>> {
    Ok(Box::new(Uct::new(options, context.first_play, context.picker())))
}

pub struct Uct {
    k: f32,
    first_play: FirstPlay,
    picker: Picker,
}

impl Uct {
    pub fn new(options: &Options, first_play: FirstPlay, picker: Picker) -> Uct {
        Uct { k: options.real("k"), first_play, picker }
    }

    fn formula(&self) -> impl Fn(Child) -> f32 + use<> {
        let (k, first_play) = (self.k, self.first_play);
        move |child| match first_play.mean_and_visits(&child) {
            Some((mean, visits)) => mean + k * (child.log_parent / visits).sqrt(),
            None => f32::INFINITY,
        }
    }
}

impl SelectionPolicy for Uct {
    fn select(&mut self, choice: &Choice, rng: &mut Rng) -> EdgeId {
        let formula = self.formula();
        self.picker.best(choice, rng, formula)
    }

    fn values(&mut self, choice: &Choice) -> &mut [f32] {
        let formula = self.formula();
        self.picker.values(choice, formula)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::Open;
    use crate::tree::{Layout, ROOT, Tree};
    use crate::types::{Move, Side};

    /// A root visited ten times with children 6 of 8 won, 1 of 2 won and never visited.
    fn hand_made() -> Tree {
        let mut tree = Tree::new(0, Layout::default(), 1 << 20, || 0);
        tree.add_edges(ROOT, &[Move(0), Move(1), Move(2)], |_| 0, true);
        for (edge, score, times) in [(0, 1.0, 6), (0, 0.0, 2), (1, 1.0, 1), (1, 0.0, 1)] {
            for _ in 0..times {
                tree.add_result(edge, score);
                tree.add_visit(ROOT);
            }
        }
        tree
    }

    fn values(urgency: Option<f32>, stays: bool) -> Vec<f32> {
        let tree = hand_made();
        let mut uct = Uct { k: 0.5, first_play: FirstPlay { urgency, stays }, picker: Picker::default() };
        uct.values(&Choice {
            tree: &tree,
            path: &[],
            node: ROOT,
            side: Side::First,
            open: Open::All,
            backed: None,
            prior: None,
        })
        .to_vec()
    }

    #[test]
    fn the_formula_by_hand() {
        let explore = |n: f32| 0.5 * (std::f32::consts::LN_10 / n).sqrt();
        let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(x, y)| x == y || (x - y).abs() < 1e-6);
        let plain = values(None, false);
        assert!(close(&plain, &[0.75 + explore(8.0), 0.5 + explore(2.0), f32::INFINITY]), "{plain:?}");
        let urgency = values(Some(1.0), false);
        assert!(
            close(&urgency, &[0.75 + explore(8.0), 0.5 + explore(2.0), 1.0 + explore(1.0)]),
            "{urgency:?}"
        );
        let stays = values(Some(1.0), true);
        let kept = [7.0 / 9.0 + explore(9.0), 2.0 / 3.0 + explore(3.0), 1.0 + explore(1.0)];
        assert!(close(&stays, &kept), "{stays:?}");
    }

    #[test]
    fn a_child_is_compared_with_how_often_it_was_there() {
        let tree = hand_made();
        let mut uct =
            Uct { k: 0.5, first_play: FirstPlay { urgency: None, stays: false }, picker: Picker::default() };
        // The first child was open 9 times, the second 4 times, the third is not open now.
        let open = [(0, 9), (1, 4)];
        let choice = Choice {
            tree: &tree,
            path: &[],
            node: ROOT,
            side: Side::First,
            open: Open::Some(&open),
            backed: None,
            prior: None,
        };
        let explore = |available: f32, visits: f32| 0.5 * (available.ln() / visits).sqrt();
        let values = uct.values(&choice).to_vec();
        assert_eq!(values.len(), 2);
        assert!((values[0] - (0.75 + explore(9.0, 8.0))).abs() < 1e-6, "{values:?}");
        assert!((values[1] - (0.5 + explore(4.0, 2.0))).abs() < 1e-6, "{values:?}");
        assert_eq!(uct.select(&choice, &mut Rng::new(1)), 0);
        // Once the second has been open often enough it is its turn.
        let open = [(0, 9), (1, 400)];
        let choice = Choice {
            tree: &tree,
            path: &[],
            node: ROOT,
            side: Side::First,
            open: Open::Some(&open),
            backed: None,
            prior: None,
        };
        assert_eq!(uct.select(&choice, &mut Rng::new(1)), 1);
    }
}
