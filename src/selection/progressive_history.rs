//! Progressive History: UCT plus how a move has done wherever it was played (spec section 3, Fossel 4.2).

use super::{Child, Choice, Context, FirstPlay, Picker, SelectionPolicy};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::terms::{KEPT_TREE, Terms};
use crate::tree::{EdgeId, Layout, MoveTable, Scale, Simulation, Tree};
use crate::types::{Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "progressive_history",
    options: &[
        OptionInfo::real("k", 0.0, 100.0, "0.15", "exploration constant for results in 0..1"),
        OptionInfo::twice("c", "k", "the same for results in -1..1, as Fossel counts them"),
        OptionInfo::real("w", 0.0, 1e6, "10", "weight of the history"),
        OptionInfo::flag("keep", "false", "keep the history when the tree is kept"),
    ],
    positional: None,
    doc: "UCT on results in -1..1 plus the mean result of the move in all simulations, fading with losses",
};

pub fn build(options: &Options, context: &Context) -> Result<Box<dyn SelectionPolicy>> {
    let slots = context.facts.with_slots(INFO.name)?;
    Ok(Box::new(ProgressiveHistory::new(options, context.first_play, context.picker(), slots)))
}

/// f32 counts are exact up to here; an entry that reaches it is halved, which keeps its mean.
const FULL: f32 = (1 << 23) as f32;

/// Summed results in -1..1 and count of one move of one side.
#[derive(Clone, Copy, Default)]
struct History {
    score: f32,
    count: f32,
}

pub struct ProgressiveHistory {
    c: f32,
    w: f32,
    keep: bool,
    first_play: FirstPlay,
    picker: Picker,
    history: [Vec<History>; 2],
}

/// The weight W of a bias fades with the losses of the child: W / (n - v + 1), v summed in -1..1 (Fossel 4.2).
#[inline]
pub(super) fn fading(w: f32, child: &Child) -> f32 {
    w / (2.0 * (child.visits - child.score) + 1.0)
}

impl ProgressiveHistory {
    pub fn new(options: &Options, first_play: FirstPlay, picker: Picker, slots: usize) -> ProgressiveHistory {
        let history = [vec![History::default(); slots], vec![History::default(); slots]];
        ProgressiveHistory {
            c: 2.0 * options.real("k"),
            w: options.real("w"),
            keep: options.flag("keep"),
            first_play,
            picker,
            history,
        }
    }
}

/// q + C sqrt(ln n_p / n) + (pv / pn) W / (n - v + 1), results in -1..1.
fn formula(c: f32, w: f32, first_play: FirstPlay, history: &[History]) -> impl Fn(Child) -> f32 + use<'_> {
    move |child| {
        let Some((mean, visits)) = first_play.mean_and_visits(&child) else { return f32::INFINITY };
        let History { score, count } = history[child.slot];
        let past = if count > 0.0 { score / count } else { 0.0 };
        2.0 * mean - 1.0 + c * (child.log_parent / visits).sqrt() + past * fading(w, &child)
    }
}

impl SelectionPolicy for ProgressiveHistory {
    fn layout(&self) -> Layout {
        Layout::moves()
    }

    fn terms(&self) -> Terms {
        Terms::default().needs(&KEPT_TREE, "keep=true keeps its table with the tree").only_if(self.keep)
    }

    fn select(&mut self, choice: &Choice, rng: &mut Rng) -> EdgeId {
        let formula = formula(self.c, self.w, self.first_play, &self.history[choice.side.index()]);
        self.picker.best(choice, rng, formula)
    }

    fn values(&mut self, choice: &Choice) -> &mut [f32] {
        let formula = formula(self.c, self.w, self.first_play, &self.history[choice.side.index()]);
        self.picker.values(choice, formula)
    }

    fn observe(&mut self, _tree: &Tree, simulation: &Simulation) {
        let scores = Side::BOTH.map(|side| 2.0 * simulation.score(side) - 1.0);
        for (&slot, &(_, side)) in simulation.slots.iter().zip(simulation.moves) {
            let entry = &mut self.history[side.index()][slot as usize];
            if entry.count >= FULL {
                entry.score *= 0.5;
                entry.count *= 0.5;
            }
            entry.score += scores[side.index()];
            entry.count += 1.0;
        }
    }

    fn new_root(&mut self) {
        if !self.keep {
            self.history.iter_mut().for_each(|row| row.fill(History::default()));
        }
    }

    fn tables(&self) -> Vec<MoveTable> {
        let table = |side: Side| {
            let mean = |h: &History| (h.count > 0.0).then(|| h.score / h.count);
            MoveTable {
                name: "history",
                side: Some(side),
                scale: Scale::Signed,
                doc: "mean result of the move wherever it was played",
                values: self.history[side.index()].iter().map(mean).collect(),
            }
        };
        Side::BOTH.map(table).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::tests::{close, hand_made, values_at_root};
    use crate::tree::AmafNeed;
    use crate::types::Move;

    #[test]
    fn the_formula_by_hand() {
        let first_play = FirstPlay { urgency: Some(1.0), stays: false };
        let mut policy = ProgressiveHistory {
            c: 0.3,
            w: 10.0,
            keep: false,
            first_play,
            picker: Picker::default(),
            history: [vec![History::default(); 4], vec![History::default(); 4]],
        };
        let tree = hand_made(AmafNeed::None);
        let (first, second) = (Side::First, Side::Second);
        for (value, slots) in [(1.0, [0, 3, 2]), (0.0, [0, 3, 1]), (1.0, [0, 1, 1])] {
            let moves = [(Move(slots[0]), first), (Move(slots[1]), second), (Move(slots[2]), first)];
            let slots = slots.map(|s| s as u16);
            let simulation =
                Simulation { path: &[], leaf: None, moves: &moves, slots: &slots, value, root_side: first };
            policy.observe(&tree, &simulation);
        }
        // History of the first side: slot 0 +1 of 3, slot 1 0 of 2, slot 2 1 of 1, slot 3 unseen.
        let explore = |n: f32| 0.3 * (std::f32::consts::LN_10 / n).sqrt();
        let expected = [
            0.5 + explore(8.0) + 1.0 / 3.0 * 10.0 / 5.0,
            explore(2.0),
            1.0 + explore(1.0) + 10.0,
            1.0 + explore(1.0),
        ];
        let values = values_at_root(&mut policy, &tree);
        assert!(close(&values, &expected), "{values:?}");
        assert_eq!(policy.tables()[1].values, [None, Some(-1.0), None, Some(0.0)]);
        policy.new_root();
        assert_eq!(policy.tables()[0].values, [None; 4]);
    }
}
