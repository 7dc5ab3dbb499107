//! KL-UCB: the largest mean that the results of a child do not speak against (Garivier and Cappé 2011).

use super::{Child, Choice, Context, FirstPlay, Open, Picker, SelectionPolicy};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::EdgeId;
use crate::types::{Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "kl_ucb",
    options: &[
        OptionInfo::real(
            "k",
            0.0,
            100.0,
            "none",
            "exploration as in uct, of which the value is then never above; none: as published, like 0.71",
        )
        .or_none(),
        OptionInfo::real("c", 0.0, 100.0, "0", "weight of ln ln(visits of the parent)"),
    ],
    positional: None,
    doc: "The largest q for which visits * relative entropy(mean, q) is at most ln(visits of the parent)",
};

pub fn build(options: &Options, context: &Context) -> Result<Box<dyn SelectionPolicy>> {
    let scale = options.real_or_none("k").map_or(1.0, |k| 2.0 * k * k);
    let c = f64::from(options.real("c"));
    Ok(Box::new(KlUcb { scale, c, first_play: context.first_play, picker: context.picker() }))
}

struct KlUcb {
    /// Of ln n_p: 2 k^2, because the relative entropy of means that lie h apart is at least 2 h^2 (Pinsker).
    scale: f64,
    c: f64,
    first_play: FirstPlay,
    picker: Picker,
}

impl KlUcb {
    /// What `bound` makes of the mean of a child and of the most that its relative entropy may be.
    #[inline]
    fn formula<B: Fn(f64, f64) -> f32>(&self, bound: B) -> impl Fn(Child) -> f32 + use<B> {
        let (scale, c, first_play) = (self.scale, self.c, self.first_play);
        move |child| match first_play.mean_and_visits(&child) {
            Some((mean, visits)) => {
                let log_parent = f64::from(child.log_parent);
                // Up to e visits the second logarithm would be negative.
                let more = if c > 0.0 { c * libm::log(log_parent.max(1.0)) } else { 0.0 };
                bound(f64::from(mean), (scale * log_parent + more) / f64::from(visits))
            }
            None => f32::INFINITY,
        }
    }
}

impl SelectionPolicy for KlUcb {
    /// The same choice as by `values`, most of which are not needed for it: a child that not even a simple bound of its
    /// value lifts to the best so far is left with that bound.
    fn select(&mut self, choice: &Choice, rng: &mut Rng) -> EdgeId {
        let exact = self.formula(value);
        if choice.prior.is_some() {
            return self.picker.best(choice, rng, exact);
        }
        let roughly = self.formula(at_most);
        self.picker.fill(choice, roughly);
        let (start, visits) = (choice.tree.children(choice.node).start, choice.tree.node(choice.node).visits);
        let exact_at = |at: usize| match choice.open {
            Open::All => exact(choice.child(start + at as EdgeId, visits)),
            Open::Some(open) => exact(choice.child(open[at].0, open[at].1)),
        };
        let values = &mut self.picker.values;
        let highest = (1..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best });
        let mut best = exact_at(highest);
        for (at, value) in values.iter_mut().enumerate() {
            if *value >= best {
                *value = exact_at(at);
                best = best.max(*value);
            }
        }
        self.picker.chosen(choice, rng)
    }

    fn values(&mut self, choice: &Choice) -> &mut [f32] {
        let formula = self.formula(value);
        self.picker.values(choice, formula)
    }
}

fn value(x: f64, most: f64) -> f32 {
    upper(x, most) as f32
}

/// Never below `upper`: d(x, q) is at least (q - x)^2 / 2v, v the largest variance of a mean from x to q.
#[inline]
fn at_most(x: f64, most: f64) -> f32 {
    let variance = if x > 0.5 { (x * (1.0 - x)).max(0.0) } else { 0.25 };
    // With room for rounding; not below a mean above 1.
    (x + (2.0 * variance * most).sqrt() + 1e-6).min(1.0).max(x) as f32
}

/// The largest q in `x`..1 whose relative entropy d(x, q) = x ln(x/q) + (1-x) ln((1-x)/(1-q)) is at most `most`. A mean
/// above 1, which first-play urgency may ask for, is its own bound.
///
/// By u = -ln(1-q) it is the larger root of g(u) = (1-x) u - x ln q - H(x) - most, which is convex and rises beyond the
/// mean: the first step of Newton's method from there leads to the root or past it, all others down to it.
fn upper(x: f64, most: f64) -> f64 {
    if x >= 1.0 || most <= 0.0 {
        return x;
    }
    let lost = 1.0 - x;
    if x <= 0.0 {
        return 1.0 - libm::exp(-most);
    }
    let enough = most - x * libm::log(x) - lost * libm::log(lost);
    let (mut u, mut q);
    if most < 0.5 * lost {
        // The series of d at x, turned round; below 1 for such bounds.
        q = x + (2.0 * x * lost * most).sqrt() + 2.0 / 3.0 * (lost - x) * most;
        u = -libm::log(1.0 - q);
    } else {
        // As if ln q were 0: beyond the root.
        u = enough / lost;
        q = 1.0 - libm::exp(-u);
    }
    // Three steps have been enough for every mean and bound; so near to x the series alone is as good.
    for _ in 0..32 {
        let above = q - x;
        if above < 1e-7 {
            break;
        }
        let step = (lost * u - x * libm::log(q) - enough) * q / above;
        let moved = step * (1.0 - q);
        u -= step;
        q = 1.0 - libm::exp(-u);
        // What is left is about moved^2 / (2 above): no more than 32 bisections leave.
        if moved * moved < 4e-10 * above {
            break;
        }
    }
    q.clamp(x, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::catalogue;
    use crate::selection::tests::{EXPECTED, close, hand_made, values_at_root};
    use crate::selection::{GameFacts, best_index};
    use crate::spec::Family;
    use crate::tree::{AmafNeed, Layout, ROOT, Tree};
    use crate::types::{Move, Rng, Side};

    fn policy(spec: &str, first_play: FirstPlay) -> Box<dyn SelectionPolicy> {
        let facts = GameFacts { game: "a game", slots: 0, near: None };
        let context = Context { first_play, ties_first: false, facts: &facts };
        super::super::build(&catalogue::read(Family::Selection, spec).unwrap(), &context).unwrap()
    }

    fn values(spec: &str, urgency: Option<f32>, stays: bool, tree: &Tree) -> Vec<f32> {
        values_at_root(&mut *policy(spec, FirstPlay { urgency, stays }), tree)
    }

    /// As the paper has it: d by its definition, and the interval halved.
    fn halved(x: f64, most: f64) -> f64 {
        let term = |p: f64, q: f64| if p > 0.0 { p * libm::log(p / q) } else { 0.0 };
        let (mut low, mut high) = (x, 1.0);
        for _ in 0..60 {
            let q = 0.5 * (low + high);
            if term(x, q) + term(1.0 - x, 1.0 - q) <= most { low = q } else { high = q }
        }
        low
    }

    // Root visited 10 times; children: 6 of 8 won, 1 of 2 won, two unvisited.
    #[test]
    fn the_formula_by_hand() {
        let tree = hand_made(AmafNeed::None);
        // 0.75 ln(0.75/q) + 0.25 ln(0.25/(1-q)) = ln(10)/8; (2q-1)^2 = 1 - 10^(-1) for 1/2 and two visits.
        let half = 0.5 + 0.5 * 0.9f32.sqrt();
        let plain = values("kl_ucb", None, false, &tree);
        assert!((plain[0] - 0.9626).abs() < 5e-5 && (plain[1] - 0.9743).abs() < 5e-5, "{plain:?}");
        assert!(close(&plain, &[halved(0.75, 10f64.ln() / 8.0) as f32, half, f32::INFINITY, f32::INFINITY]));
        // k: ln 10 becomes 2 k^2 ln 10; 0.5 makes half of it, and the closed form another power of 10.
        let scaled = values("kl_ucb(k=0.5)", None, false, &tree);
        let expected = [halved(0.75, 10f64.ln() / 16.0) as f32, 0.5 + 0.5 * (1.0 - 10f32.powf(-0.5)).sqrt()];
        assert!(close(&scaled[..2], &expected), "{scaled:?}");
        assert!(close(&values("kl_ucb(k=0)", None, false, &tree)[..2], &[0.75, 0.5]));
        // c: (ln 10)^3 more.
        let more = values("kl_ucb(c=3)", None, false, &tree);
        let expected = 0.5 + 0.5 * (1.0 - 0.1 / std::f32::consts::LN_10.powi(3)).sqrt();
        assert!((more[1] - expected).abs() < 1e-6, "{more:?}");
    }

    #[test]
    fn an_unvisited_child_goes_first_or_is_worth_its_urgency() {
        let tree = hand_made(AmafNeed::None);
        // One visit of urgency 0: 1 - 1/n_p.
        let nothing = values("kl_ucb", Some(0.0), false, &tree);
        assert!(close(&nothing[2..], &[0.9, 0.9]), "{nothing:?}");
        // A mean of 1 is its own bound, and so is one above it.
        assert_eq!(values("kl_ucb", Some(1.0), false, &tree)[2..], [1.0, 1.0]);
        assert_eq!(values("kl_ucb", Some(1.5), false, &tree)[2..], [1.5, 1.5]);
        let stays = values("kl_ucb", Some(1.0), true, &tree);
        let expected = [(7.0, 9.0), (2.0, 3.0)].map(|(won, n)| halved(won / n, 10f64.ln() / n) as f32);
        assert!(close(&stays[..2], &expected) && stays[2] == 1.0, "{stays:?}");
    }

    #[test]
    fn a_child_is_compared_with_how_often_it_was_there() {
        let tree = hand_made(AmafNeed::None);
        let first_play = FirstPlay { urgency: None, stays: false };
        let mut policy = policy("kl_ucb(c=1)", first_play);
        let mut ask = |open: &[(EdgeId, u32)]| {
            let open = Open::Some(open);
            let choice = Choice {
                tree: &tree,
                path: &[],
                node: ROOT,
                side: Side::First,
                open,
                backed: None,
                prior: None,
            };
            (policy.values(&choice).to_vec(), policy.select(&choice, &mut Rng::new(1)))
        };
        // Once: nothing speaks for more than the mean. Twice: the second logarithm is left out.
        let (values, best) = ask(&[(0, 1), (1, 2)]);
        assert!(close(&values, &[0.75, 0.5 + 0.5 * 0.5f32.sqrt()]), "{values:?}");
        assert_eq!(best, 1);
        assert_eq!(ask(&[(0, 400), (1, 2)]).1, 0);
    }

    #[test]
    fn a_prior_fades_with_the_visits() {
        let mut tree = hand_made(AmafNeed::None);
        let without = values("kl_ucb", Some(0.5), false, &tree);
        tree.edge_column_mut(&EXPECTED, ROOT).unwrap().copy_from_slice(&[0.9, 0.0, 0.6, 0.3]);
        let with = values("kl_ucb", Some(0.5), false, &tree);
        let expected = [without[0] + 0.3, without[1], without[2] + 0.6, without[3] + 0.3];
        assert!(close(&with, &expected), "{with:?}");
    }

    #[test]
    fn the_bound_has_closed_forms() {
        // All lost: 1 - n_p^(-1/n); all won: 1; once visited: the mean.
        assert!((upper(0.0, 10f64.ln() / 2.0) - 0.6838).abs() < 5e-5);
        assert_eq!((upper(1.0, 3.0), upper(0.3, 0.0)), (1.0, 0.3));
        for most in [1e-300, 1e-40, 1e-20, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 10.0, 700.0, 1e6] {
            let even = 0.5 + 0.5 * (1.0 - libm::exp(-2.0 * most)).sqrt();
            assert!((upper(0.5, most) - even).abs() < 1e-7, "{most}: {} {even}", upper(0.5, most));
            for x in [1e-9, 1e-4, 0.2, 0.9, 1.0 - 1e-4, 1.0 - 6e-8] {
                assert!((x..=1.0).contains(&upper(x, most)), "{x} {most}: {}", upper(x, most));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_bound_is_what_halving_finds(won in 0.0..=1.0f64, n in 0.0..14.0f64, parent in 0.0..8.0f64, k in 0.01..2.0f64) {
            // Visits and the parent's are drawn by their logarithms; whole and half wins, as results are.
            let n = n.exp().floor();
            let x = (2.0 * won * n).round() / (2.0 * n);
            let most = 2.0 * k * k * (n * parent.exp()).ln() / n;
            let (q, exact) = (upper(x, most), halved(x, most));
            prop_assert!((q - exact).abs() < 1e-9, "{x} {most}: {q}, not {exact}");
        }

        #[test]
        fn the_bound_follows_visits_and_stays_below_uct(x in 0.0..=1.0f64, n in 1.0..1e6f64, parent in 0.0..14.0f64, more in 1.0..3.0f64, k in 0.0..2.0f64) {
            let bound = |parent: f64, n: f64| upper(x, 2.0 * k * k * parent / n);
            let q = bound(parent, n);
            prop_assert!((x..=1.0).contains(&q));
            prop_assert!(bound(parent * more, n) >= q - 1e-9, "more visits of the parent");
            prop_assert!(bound(parent, n * more) <= q + 1e-9, "more visits");
            // Pinsker.
            prop_assert!(q <= x + k * (parent / n).sqrt() + 1e-9);
            prop_assert!(value(x, 2.0 * k * k * parent / n) <= at_most(x, 2.0 * k * k * parent / n));
        }

        // Few results on many children make ties.
        #[test]
        fn the_largest_value_is_selected(results in prop::collection::vec((0u32..6, 0u32..6), 1..40), k in 0.0..1.0f64, urgency in prop::option::of(0.0..1.2f32), open: bool, seed: u64) {
            let mut tree = Tree::new(0, Layout::default(), 1 << 20, || 0);
            let moves: Vec<Move> = (0..results.len() as u32).map(Move).collect();
            tree.add_edges(ROOT, &moves, |_| 0, true);
            for (edge, &(won, lost)) in results.iter().enumerate() {
                for at in 0..won + lost {
                    tree.add_result(edge as EdgeId, if at < won { 1.0 } else { 0.0 });
                    tree.add_visit(ROOT);
                }
            }
            let some: Vec<(EdgeId, u32)> = (0..results.len() as EdgeId).step_by(2).map(|edge| (edge, 20 + edge)).collect();
            let open = if open { Open::Some(&some) } else { Open::All };
            let choice = Choice { tree: &tree, path: &[], node: ROOT, side: Side::First, open, backed: None, prior: None };
            let mut policy = policy(&format!("kl_ucb(k={k}, c=0.5)"), FirstPlay { urgency, stays: false });
            let at = best_index(policy.values(&choice), false, &mut Rng::new(seed));
            let edge = if let Open::Some(some) = open { some[at].0 } else { at as EdgeId };
            prop_assert_eq!(policy.select(&choice, &mut Rng::new(seed)), edge);
        }
    }
}
