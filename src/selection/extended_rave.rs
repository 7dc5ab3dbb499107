//! Extended RAVE: UCT plus AMAF values of the node and of its parent, fading with losses (spec section 3).

use super::progressive_history::fading;
use super::{Child, Choice, Context, FirstPlay, Picker, SelectionPolicy};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::{Amaf, AmafFrom, AmafNeed, EdgeId, Layout};
use crate::types::{Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "extended_rave",
    options: &[
        OptionInfo::real("r", 0.001, 1e9, "50", "the larger, the longer the parent's AMAF counts"),
        OptionInfo::real("k", 0.0, 100.0, "0.2", "exploration constant for results in 0..1"),
        OptionInfo::twice("c", "k", "the same for results in -1..1, as Fossel counts them"),
        OptionInfo::real("w", 0.0, 1e6, "10", "weight of AMAF"),
        AmafFrom::OPTION,
    ],
    positional: None,
    doc: "UCT on results in -1..1 plus AMAF of the node and of its parent, fading with losses",
};

pub fn build(options: &Options, context: &Context) -> Result<Box<dyn SelectionPolicy>> {
    context.facts.with_slots(INFO.name)?;
    Ok(Box::new(ExtendedRave::new(options, context.first_play, context.picker())))
}

pub struct ExtendedRave {
    r: f32,
    c: f32,
    w: f32,
    learn: AmafFrom,
    first_play: FirstPlay,
    picker: Picker,
}

/// AMAF mean in -1..1; 0 if unseen.
#[inline]
fn mean(amaf: Amaf) -> f32 {
    if amaf.visits > 0.0 { 2.0 * amaf.score / amaf.visits - 1.0 } else { 0.0 }
}

impl ExtendedRave {
    pub fn new(options: &Options, first_play: FirstPlay, picker: Picker) -> ExtendedRave {
        ExtendedRave {
            r: options.real("r"),
            c: 2.0 * options.real("k"),
            w: options.real("w"),
            learn: AmafFrom::read(options),
            first_play,
            picker,
        }
    }
}

/// q + C sqrt(ln n_p / n) + (b r' + (1 - b) r) W / (n - v + 1), b = R / (R + n): few visits lean on the parent's
/// values r', read for the side that decides here; at the root r' is r (Fossel 4.3).
fn formula<'a>(
    (r, c, w): (f32, f32, f32),
    first_play: FirstPlay,
    choice: &Choice<'a>,
) -> impl Fn(Child) -> f32 + use<'a> {
    let tree = choice.tree;
    let here = tree.amaf(choice.node);
    let above = match choice.path.last() {
        Some(step) if step.side == choice.side => tree.amaf(step.node),
        Some(step) => tree.amaf_other(step.node),
        None => here,
    };
    move |child| {
        let Some((mean_result, visits)) = first_play.mean_and_visits(&child) else { return f32::INFINITY };
        let weight = r / (r + child.visits);
        let later = weight * mean(above[child.slot]) + (1.0 - weight) * mean(here[child.slot]);
        2.0 * mean_result - 1.0 + c * (child.log_parent / visits).sqrt() + later * fading(w, &child)
    }
}

impl SelectionPolicy for ExtendedRave {
    fn layout(&self) -> Layout {
        Layout::amaf(AmafNeed::Both, self.learn)
    }

    fn select(&mut self, choice: &Choice, rng: &mut Rng) -> EdgeId {
        let formula = formula((self.r, self.c, self.w), self.first_play, choice);
        self.picker.best(choice, rng, formula)
    }

    fn values(&mut self, choice: &Choice) -> &mut [f32] {
        let formula = formula((self.r, self.c, self.w), self.first_play, choice);
        self.picker.values(choice, formula)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::Open;
    use crate::selection::tests::{close, hand_made, values_at_root};
    use crate::tree::{ROOT, Step};
    use crate::types::{Move, Side};

    fn policy() -> ExtendedRave {
        ExtendedRave {
            r: 50.0,
            c: 0.4,
            w: 10.0,
            learn: AmafFrom::Simulation,
            first_play: FirstPlay { urgency: Some(1.0), stays: false },
            picker: Picker::default(),
        }
    }

    #[test]
    fn the_formula_by_hand_at_the_root() {
        let explore = |n: f32| 0.4 * (std::f32::consts::LN_10 / n).sqrt();
        let values = values_at_root(&mut policy(), &hand_made(AmafNeed::Both));
        // Means in -1..1: AMAF 0.4, -1/3, 0.5, unseen; losses 2, 1, 0, 0.
        let expected = [
            0.5 + explore(8.0) + 0.4 * 10.0 / 5.0,
            explore(2.0) - 1.0 / 3.0 * 10.0 / 3.0,
            1.0 + explore(1.0) + 0.5 * 10.0,
            1.0 + explore(1.0),
        ];
        assert!(close(&values, &expected), "{values:?}");
    }

    #[test]
    fn below_the_root_the_parent_counts_while_visits_are_few() {
        let mut tree = hand_made(AmafNeed::Both);
        let node = tree.add_node(1).unwrap();
        tree.set_node_behind(0, node);
        let first = tree.children(ROOT).end;
        tree.add_edges(node, &[Move(1)], |mv| mv.0 as usize, true);
        tree.add_visit(node);
        tree.add_result(first, 1.0);
        // The second side decides here. Slot 1: in the node it has won 3 of 3, in the root 0 of 2.
        for _ in 0..3 {
            tree.add_amaf(node, true, &[1], 1.0);
        }
        tree.add_amaf(ROOT, false, &[1, 1], 0.0);
        let path = [Step { node: ROOT, edge: 0, side: Side::First }];
        let choice = Choice {
            tree: &tree,
            path: &path,
            node,
            side: Side::Second,
            open: Open::All,
            backed: None,
            prior: None,
        };
        let weight = 50.0 / 51.0;
        let expected = 1.0 + 0.4 * std::f32::consts::LN_2.sqrt() + (1.0 - 2.0 * weight) * 10.0;
        let values = policy().values(&choice).to_vec();
        assert!(close(&values, &[expected]), "{values:?}");
    }
}
