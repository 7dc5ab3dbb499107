//! RAVE: a child's mean mixed with its AMAF value, which counts less the more visits there are (spec section 2).

use super::{Child, Choice, Context, FirstPlay, Picker, SelectionPolicy};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::{Amaf, AmafFrom, AmafNeed, EdgeId, Layout};
use crate::types::{Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "rave",
    options: &[
        OptionInfo::real("r", 0.001, 1e9, "130", "the larger, the longer AMAF counts"),
        OptionInfo::choice(
            "schedule",
            &["sqrt", "linear"],
            "sqrt",
            "weight of AMAF after n visits: sqrt(r/(r+3n)) or r/(r+n)",
        ),
        OptionInfo::choice(
            "amaf",
            &["smoothed", "raw"],
            "smoothed",
            "AMAF value: (1+wins)/(2+visits), or wins/visits, where an unseen and unvisited child is worth fpu",
        ),
        OptionInfo::real("k", 0.0, 100.0, "0", "exploration constant for results in 0..1"),
        OptionInfo::twice("c", "k", "the same for results in -1..1, as Fossel counts them"),
        OptionInfo::int(
            "ref",
            0,
            1_000_000_000,
            "0",
            "below so many visits a node reads the AMAF of the nearest one above, same side to move (GRAVE)",
        ),
        AmafFrom::OPTION,
    ],
    positional: None,
    doc: "Mean result mixed with the result of all simulations that played the move later (AMAF)",
};

pub fn build(options: &Options, context: &Context) -> Result<Box<dyn SelectionPolicy>> {
    context.facts.with_slots(INFO.name)?;
    Ok(Box::new(Rave::new(options, context.first_play, context.picker())))
}

pub struct Rave {
    r: f32,
    sqrt: bool,
    raw: bool,
    k: f32,
    learn: AmafFrom,
    first_play: FirstPlay,
    picker: Picker,
}

impl Rave {
    pub fn new(options: &Options, first_play: FirstPlay, picker: Picker) -> Rave {
        Rave {
            r: options.real("r"),
            sqrt: options.choice("schedule") == "sqrt",
            raw: options.choice("amaf") == "raw",
            k: options.real("k"),
            learn: AmafFrom::read(options),
            first_play,
            picker: Picker { least_visits: options.int("ref") as u32, ..picker },
        }
    }

    /// Without branches, so that it can be vectorised.
    ///
    /// An unvisited child has weight 1 on AMAF (n = 0) and explores as if it had one visit. Where its AMAF is
    /// unseen too, `smoothed` gives 1/2 and `raw` the first-play urgency. Every visit of a child is also an
    /// AMAF visit, so that only unvisited children can be unseen.
    fn formula<const SQRT: bool, const RAW: bool, const EXPLORE: bool>(
        &self,
    ) -> impl Fn(Child, Amaf) -> f32 + use<SQRT, RAW, EXPLORE> {
        let (r, k) = (self.r, self.k);
        let stays = if self.first_play.stays && self.first_play.urgency.is_some() { 1.0 } else { 0.0 };
        let urgency = self.first_play.urgency.unwrap_or(f32::INFINITY);
        let unvisited_first = self.first_play.urgency.is_none();
        let kept = if stays > 0.0 { urgency } else { 0.0 };
        move |child, amaf| {
            let visits = child.visits + stays;
            let at_least_one = visits.max(1.0);
            let mean = (child.score + kept) / at_least_one;
            let weight = if SQRT { (r / (r + 3.0 * visits)).sqrt() } else { r / (r + visits) };
            let later = if RAW { amaf.score / amaf.visits.max(1e-6) } else { amaf.smoothed() };
            let mut value = weight * later + (1.0 - weight) * mean;
            if RAW {
                let alone = if visits > 0.0 { mean } else { urgency };
                value = if amaf.visits > 0.0 { value } else { alone };
            }
            if EXPLORE {
                value += k * (child.log_parent / at_least_one).sqrt();
            }
            if unvisited_first && child.visits == 0.0 { f32::INFINITY } else { value }
        }
    }
}

/// Calls `$then` with the formula that the options ask for.
macro_rules! with_formula {
    ($rave:expr, |$formula:ident| $then:expr) => {{
        macro_rules! then {
            ($s:literal, $r:literal, $e:literal) => {{
                let $formula = $rave.formula::<$s, $r, $e>();
                $then
            }};
        }
        match ($rave.sqrt, $rave.raw, $rave.k > 0.0) {
            (true, true, true) => then!(true, true, true),
            (true, true, false) => then!(true, true, false),
            (true, false, true) => then!(true, false, true),
            (true, false, false) => then!(true, false, false),
            (false, true, true) => then!(false, true, true),
            (false, true, false) => then!(false, true, false),
            (false, false, true) => then!(false, false, true),
            (false, false, false) => then!(false, false, false),
        }
    }};
}

impl SelectionPolicy for Rave {
    fn layout(&self) -> Layout {
        Layout::amaf(AmafNeed::Mover, self.learn)
    }

    fn select(&mut self, choice: &Choice, rng: &mut Rng) -> EdgeId {
        with_formula!(self, |formula| self.picker.best_amaf(choice, rng, formula))
    }

    fn values(&mut self, choice: &Choice) -> &mut [f32] {
        with_formula!(self, |formula| self.picker.values_amaf(choice, formula))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::tests::{EXPECTED, close, hand_made, values_at_root};

    fn values(sqrt: bool, raw: bool, k: f32, first_play: FirstPlay) -> Vec<f32> {
        let picker = Picker::default();
        let mut rave = Rave { r: 130.0, sqrt, raw, k, learn: AmafFrom::Simulation, first_play, picker };
        values_at_root(&mut rave, &hand_made(AmafNeed::Mover))
    }

    fn smoothed(first_play: FirstPlay, picker: Picker) -> Rave {
        let learn = AmafFrom::Simulation;
        Rave { r: 130.0, sqrt: true, raw: false, k: 0.0, learn, first_play, picker }
    }

    // Root visited 10 times. Children: 6 of 8 won, AMAF 7 of 10; 1 of 2 won, AMAF 2 of 6; unvisited, AMAF
    // 3 of 4; unvisited and unseen.
    #[test]
    fn the_formula_by_hand() {
        let first = FirstPlay { urgency: Some(1.0), stays: false };
        let beta = |n: f32| (130.0 / (130.0 + 3.0 * n)).sqrt();
        let mix = |beta: f32, later: f32, mean: f32| beta * later + (1.0 - beta) * mean;
        let smoothed = values(true, false, 0.0, first);
        let expected = [mix(beta(8.0), 8.0 / 12.0, 0.75), mix(beta(2.0), 3.0 / 8.0, 0.5), 4.0 / 6.0, 0.5];
        assert!(close(&smoothed, &expected), "{smoothed:?}");
        let raw = values(true, true, 0.0, first);
        let expected = [mix(beta(8.0), 0.7, 0.75), mix(beta(2.0), 2.0 / 6.0, 0.5), 0.75, 1.0];
        assert!(close(&raw, &expected), "{raw:?}");
        let beta = |n: f32| 130.0 / (130.0 + n);
        let explore = |n: f32| 0.2 * (std::f32::consts::LN_10 / n).sqrt();
        let linear = values(false, true, 0.2, first);
        let expected = [
            mix(beta(8.0), 0.7, 0.75) + explore(8.0),
            mix(beta(2.0), 2.0 / 6.0, 0.5) + explore(2.0),
            0.75 + explore(1.0),
            1.0 + explore(1.0),
        ];
        assert!(close(&linear, &expected), "{linear:?}");
    }

    #[test]
    fn the_first_play_can_stay_or_go_before_all() {
        let beta = |n: f32| 130.0 / (130.0 + n);
        let stays = values(false, true, 0.0, FirstPlay { urgency: Some(1.0), stays: true });
        assert!((stays[0] - (beta(9.0) * 0.7 + (1.0 - beta(9.0)) * 7.0 / 9.0)).abs() < 1e-6, "{stays:?}");
        assert_eq!(stays[3], 1.0);
        let first = values(true, false, 0.0, FirstPlay { urgency: None, stays: false });
        assert!(first[2] == f32::INFINITY && first[3] == f32::INFINITY && first[0] < 1.0, "{first:?}");
    }

    // Spec: GRAVE reads the AMAF of the nearest node above with visits enough and the same side to move.
    #[test]
    fn a_node_with_few_visits_reads_the_amaf_of_one_above() {
        use crate::selection::{Choice, Open};
        use crate::tree::{ROOT, Step};
        use crate::types::{Move, Side};
        let mut tree = hand_made(AmafNeed::Mover);
        let moves: Vec<Move> = (0..4).map(Move).collect();
        let mut path = Vec::new();
        let mut node = ROOT;
        for side in [Side::First, Side::Second] {
            let edge = tree.children(node).start;
            path.push(Step { node, edge, side });
            node = tree.add_node(1).unwrap();
            tree.add_edges(node, &moves, |mv| mv.0 as usize, true);
        }
        let first = FirstPlay { urgency: Some(0.5), stays: false };
        let unvisited = |least_visits: u32| {
            let picker = Picker { least_visits, ..Picker::default() };
            let mut rave = smoothed(first, picker);
            let choice = Choice {
                tree: &tree,
                path: &path,
                node,
                side: Side::First,
                open: Open::All,
                backed: None,
                prior: None,
            };
            rave.values(&choice).to_vec()
        };
        // Its own table is empty; the root's is 7 of 10, 2 of 6, 3 of 4, unseen.
        assert!(close(&unvisited(0), &[0.5; 4]));
        let above = [8.0 / 12.0, 3.0 / 8.0, 4.0 / 6.0, 0.5];
        assert!(close(&unvisited(10), &above));
        // No node has so many: the highest of the same side.
        assert!(close(&unvisited(1000), &above));
    }

    #[test]
    fn a_prior_fades_with_the_visits() {
        let mut tree = hand_made(AmafNeed::Mover);
        let first = FirstPlay { urgency: Some(0.5), stays: false };
        let rave = |tree: &crate::tree::Tree| {
            let picker = Picker::default();
            let mut rave = smoothed(first, picker);
            values_at_root(&mut rave, tree)
        };
        let without = rave(&tree);
        let priors = tree.edge_column_mut(&EXPECTED, crate::tree::ROOT).unwrap();
        priors.copy_from_slice(&[0.9, 0.0, 0.6, 0.3]);
        let with = rave(&tree);
        let expected = [without[0] + 0.3, without[1], without[2] + 0.6, without[3] + 0.3];
        assert!(close(&with, &expected), "{with:?}");
    }
}
