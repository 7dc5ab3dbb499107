//! Tests of nested playouts: exact cases, the paper's propositions, what the heuristics change and what not.

use crate::game::Rules;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::games::breakthrough::Breakthrough;
use crate::games::domineering::Domineering;
use crate::games::havannah::Havannah;
use crate::games::nogo::NoGo;
use crate::games::tic_tac_toe::TicTacToe;
use crate::types::Limit;
use crate::{catalogue, playout};

fn variant<G: Game>(text: &str, misere: bool) -> Arc<Variant<G>> {
    let spec = catalogue::read(Family::Game, text).unwrap();
    Arc::new(Variant { game: G::from_options(&Options::new(&spec.parts[0])).unwrap(), misere })
}

fn nest<G: Game>(variant: &Arc<Variant<G>>, text: &str) -> Nest<G> {
    let spec = catalogue::read(Family::Playout, text).unwrap();
    let options = Options::new(&spec.parts[0]);
    let base =
        playout::build(options.spec("base"), &Context { variant, files: &Default::default(), game_seed: 0 })
            .unwrap();
    Nested::new(&options, base, variant).unwrap().nest
}

fn clock() -> Clock {
    Clock::start(&Limit::default(), Arc::new(AtomicBool::new(false)))
}

fn around<'a, G: Game>(variant: &'a Variant<G>, clock: &'a Clock) -> Around<'a, G> {
    Around { variant, clock, playouts: None }
}

/// A position after at most `plies` random moves, not over.
fn random_position<G: Game>(variant: &Variant<G>, plies: usize, rng: &mut Rng) -> G::State {
    let mut state = variant.game.initial_state(rng);
    for _ in 0..plies {
        let mut next = state.clone();
        let mv = variant.game.random_move(&state, rng);
        variant.game.play(&mut next, mv);
        if variant.outcome(&next).is_some() {
            break;
        }
        state = next;
    }
    state
}

/// Who wins by force within so many plies, if anybody does.
fn forced<G: Game>(variant: &Variant<G>, state: &G::State, plies: usize) -> Option<Side> {
    if let Some(outcome) = variant.outcome(state) {
        return outcome.winner();
    }
    if plies == 0 {
        return None;
    }
    let side = variant.game.side_to_move(state);
    let mut moves = Vec::new();
    variant.game.legal_moves(state, &mut moves);
    let mut all_lost = true;
    for mv in moves {
        let mut next = state.clone();
        variant.game.play(&mut next, mv);
        match forced(variant, &next, plies - 1) {
            Some(winner) if winner == side => return Some(side),
            Some(_) => {}
            None => all_lost = false,
        }
    }
    all_lost.then(|| side.other())
}

#[test]
fn exact_values_and_states_on_a_tiny_board() {
    // Either of the two upright dominoes wins at once.
    let variant = variant::<Domineering>("domineering(rows=2, columns=2)", false);
    let clock = clock();
    let around = around(&variant, &clock);
    let start = variant.game.initial_state(&mut Rng::new(0));
    for (text, value, step, whole) in [
        ("nested(level=1)", 1.0, 2, 3),
        ("nested(level=1, cut_on_win=1)", 1.0, 1, 2),
        ("nested(level=1, discount=true)", 0.5, 2, 3),
        ("nested(level=2, discount=true, prune_on_depth=2)", 0.5, 2, 3),
        ("nested(level=0)", 1.0, 0, 1),
    ] {
        let mut nest = nest(&variant, text);
        assert_eq!(nest.playout(&around, &start, &mut Rng::new(1)), Some(value), "{text}");
        assert_eq!(nest.states(), whole, "{text}");
        if step > 0 {
            assert!(nest.step(&around, &start, &[], &mut Rng::new(1)).is_some());
            assert_eq!(nest.states(), step, "{text}");
            assert!(nest.scanned().all(|(_, scanned)| scanned == value), "{text}");
        }
    }
}

#[test]
fn every_playout_of_a_scan_has_the_whole_base() {
    // White holds 0, 1 and 2 of the first row, and Black is to move: unless it plays 3, White does.
    let variant = variant::<Havannah>("havannah(size=4)", false);
    let clock = clock();
    let mut state = variant.game.initial_state(&mut Rng::new(0));
    let mut moves = Vec::new();
    for cell in [0, 20, 1, 22, 2] {
        moves.push((Move(cell), variant.game.side_to_move(&state)));
        variant.game.play(&mut state, Move(cell));
    }
    // Each base rests after some moves, which it does in the first playout of the scan, that of 3.
    for base in ["mate(c=5, min=1)", "mate(c=12, min=1, turns=playout)", "threats(moves=1)"] {
        let mut nest = nest(&variant, &format!("nested(level=1, order=fixed, base={base})"));
        nest.step(&around(&variant, &clock), &state, &moves, &mut Rng::new(1)).unwrap();
        let scanned: Vec<(Move, f32)> = nest.scanned().collect();
        assert_eq!((scanned.len(), scanned[0].0), (32, Move(3)), "{base}");
        assert!(scanned[1..].iter().all(|&(_, value)| value == 1.0), "{base}: {scanned:?}");
    }
}

#[test]
fn a_bound_holds_only_for_its_owner_and_only_if_it_wins() {
    let bound = |value, owner| Bound { value, owner };
    let (first, second) = (Side::First, Side::Second);
    // The first side has a win at depth 4: from depth 3 on nothing can end earlier.
    assert!(!bound(0.25, first).holds(PodMode::Safe, second, 2));
    assert!(bound(0.25, first).holds(PodMode::Safe, second, 3));
    assert!(bound(-0.25, second).holds(PodMode::Safe, first, 3));
    assert!(!bound(-0.25, first).holds(PodMode::Safe, first, 9));
    assert!(!bound(0.0, first).holds(PodMode::Safe, first, 9));
    assert!(!bound(0.25, first).holds(PodMode::Paper, first, 3));
    assert!(bound(0.25, first).holds(PodMode::Paper, first, 4));
    assert!(!bound(0.25, first).holds(PodMode::Paper, second, 9));
}

/// Means over about two million visited states each, beside an independent implementation's (spec sections 6.1
/// and 6.2). The standard error of a mean is below 2 %.
#[test]
fn states_visited_on_5x5_breakthrough() {
    let variant = variant::<Breakthrough>("breakthrough", false);
    let clock = clock();
    let around = around(&variant, &clock);
    let mut rng = Rng::new(1);
    let start = variant.game.initial_state(&mut rng);
    for (options, expected) in [
        ("", 19_923.0),
        ("cut_on_win=1", 3_621.0),
        ("cut_on_win=2", 528.0),
        ("discount=true", 11_543.0),
        ("discount=true, prune_on_depth=1", 7_073.0),
        ("discount=true, prune_on_depth=2", 4_733.0),
        ("discount=true, prune_on_depth=1, pod_mode=paper", 7_860.0),
        ("discount=true, prune_on_depth=2, pod_mode=paper", 7_065.0),
    ] {
        let comma = if options.is_empty() { "" } else { ", " };
        let mut nest = nest(&variant, &format!("nested(level=2{comma}{options})"));
        let (mut states, mut steps) = (0, 0);
        while states < 2_000_000 {
            nest.step(&around, &start, &[], &mut rng).unwrap();
            states += nest.states();
            steps += 1;
        }
        let mean = states as f64 / steps as f64;
        assert!((mean / expected - 1.0).abs() < 0.06, "{options}: {mean} against {expected}");
    }
}

/// Propositions 1 and 2 for one game (spec section 6.3): they need discounting; pruning on depth is safe.
fn propositions<G: Game>(game: &str, misere: bool, plies: usize, seed: u64) {
    let variant = variant::<G>(game, misere);
    let clock = clock();
    let around = around(&variant, &clock);
    let mut rng = Rng::new(seed);
    let (mut valued, mut recommended) = (0, 0);
    let specs: Vec<Vec<String>> = (0..=3)
        .map(|level| {
            vec![
                format!("nested(level={level}, discount=true)"),
                format!("nested(level={level}, discount=true, prune_on_depth={level})"),
                format!("nested(level={level}, discount=true, prune_on_depth={level}, pod_mode=paper)"),
            ]
        })
        .collect();
    for _ in 0..60 {
        let length = rng.below(plies + 1);
        let state = random_position(&variant, length, &mut rng);
        let side = variant.game.side_to_move(&state);
        for level in 1..=2 {
            if let Some(winner) = forced(&variant, &state, level) {
                valued += 1;
                for text in &specs[level] {
                    let value = nest(&variant, text).playout(&around, &state, &mut rng).unwrap();
                    assert!(sign(winner) * value > 0.0, "{text} says {value} for {winner}");
                }
            }
            // The player of level n is one step of level n + 1.
            if forced(&variant, &state, level + 1) == Some(side) {
                recommended += 1;
                for text in &specs[level + 1] {
                    let mv = nest(&variant, text).step(&around, &state, &[], &mut rng).unwrap();
                    let mut next = state.clone();
                    variant.game.play(&mut next, mv);
                    assert_eq!(forced(&variant, &next, level), Some(side), "{text} misses a forced win");
                }
            }
        }
    }
    assert!(valued >= 5 && recommended >= 5, "{game}: only {valued} and {recommended} forced positions");
}

#[test]
fn forced_wins_and_losses_are_valued_right_and_found() {
    propositions::<Breakthrough>("breakthrough(rows=4, columns=4, ranks=1)", false, 12, 1);
    propositions::<Breakthrough>("breakthrough(rows=4, columns=3, ranks=1)", true, 12, 2);
    propositions::<Domineering>("domineering(rows=4, columns=4)", false, 6, 3);
    propositions::<Domineering>("domineering(rows=4, columns=4)", true, 6, 4);
    propositions::<NoGo>("nogo(rows=3, columns=3)", false, 5, 5);
    propositions::<TicTacToe>("tic_tac_toe", false, 6, 6);
}

/// How often each successor is chosen.
fn choices<G: Game>(
    variant: &Arc<Variant<G>>,
    state: &G::State,
    text: &str,
    runs: u32,
    seed: u64,
) -> Vec<u32> {
    let clock = clock();
    let around = around(variant, &clock);
    let mut moves = Vec::new();
    variant.game.legal_moves(state, &mut moves);
    let mut counts = vec![0; moves.len()];
    let mut nest = nest(variant, text);
    let mut rng = Rng::new(seed);
    for _ in 0..runs {
        let mv = nest.step(&around, state, &[], &mut rng).unwrap();
        counts[moves.iter().position(|&m| m == mv).unwrap()] += 1;
    }
    counts
}

/// Whether two samples of the same size differ: chi-squared beyond what chance gives once in 10,000 times
/// (Wilson and Hilferty's approximation of its quantile).
fn differ(a: &[u32], b: &[u32]) -> bool {
    let pairs: Vec<(f64, f64)> =
        a.iter().zip(b).filter(|&(x, y)| x + y > 0).map(|(&x, &y)| (x as f64, y as f64)).collect();
    let chi: f64 = pairs.iter().map(|(x, y)| (x - y) * (x - y) / (x + y)).sum();
    let dof = pairs.len() as f64 - 1.0;
    let spread = 2.0 / (9.0 * dof);
    chi > dof * (1.0 - spread + 3.72 * spread.sqrt()).powi(3)
}

fn same_choices<G: Game>(game: &str, misere: bool, plies: usize, level: usize, runs: u32) {
    let variant = variant::<G>(game, misere);
    let state = random_position(&variant, plies, &mut Rng::new(7));
    let choices = |options: &str, seed| {
        choices(&variant, &state, &format!("nested(level={level}, {options})"), runs, seed)
    };
    let plain = choices("discount=false", 1);
    assert!(!differ(&plain, &choices(&format!("cut_on_win={level}"), 2)), "{game}: cut on win changes play");
    let discounted = choices("discount=true", 3);
    for mode in ["safe", "paper"] {
        let pruned = choices(&format!("discount=true, prune_on_depth={level}, pod_mode={mode}"), 4);
        assert!(!differ(&discounted, &pruned), "{game}: pruning on depth ({mode}) changes play");
    }
    // The test can tell distributions apart: discounting changes play.
    assert!(differ(&plain, &discounted), "{game}: the samples are too small to tell anything");
}

#[test]
fn cut_on_win_and_pruning_on_depth_do_not_change_what_is_chosen() {
    same_choices::<Breakthrough>("breakthrough", false, 6, 1, 20_000);
    same_choices::<Breakthrough>("breakthrough(rows=4, columns=4, ranks=1)", false, 2, 2, 4_000);
    same_choices::<Domineering>("domineering(rows=4, columns=4)", true, 1, 2, 4_000);
    same_choices::<NoGo>("nogo(rows=4, columns=4)", false, 4, 1, 10_000);
}

#[test]
fn cut_on_win_with_discounting_is_unsafe_and_says_so() {
    let variant = variant::<Breakthrough>("breakthrough", false);
    let state = random_position(&variant, 6, &mut Rng::new(7));
    let choices = |text: &str, seed| choices(&variant, &state, text, 20_000, seed);
    let plain = choices("nested(level=1, discount=true)", 1);
    let cut = choices("nested(level=1, discount=true, cut_on_win=1)", 2);
    assert!(differ(&plain, &cut), "{plain:?} {cut:?}");
    let notes = |text: &str| nest(&variant, text).notes();
    let note = "cut_on_win with discount is unsafe: a shorter win may be overlooked";
    assert_eq!(notes("nested(level=1, discount=true, cut_on_win=1)"), [note]);
    assert!(notes("nested(level=1, cut_on_win=1)").is_empty());
    assert!(notes("nested(level=1, discount=true)").is_empty());
}

#[test]
fn the_base_is_played_at_level_0() {
    let variant = variant::<Breakthrough>("breakthrough", false);
    let start = variant.game.initial_state(&mut Rng::new(0));
    let uniform = choices(&variant, &start, "nested(level=1, discount=true)", 500, 1);
    let decisive = choices(&variant, &start, "nested(level=1, discount=true, base=decisive)", 500, 1);
    let pruned =
        choices(&variant, &start, "nested(level=1, discount=true, prune_on_depth=1, base=decisive)", 500, 1);
    assert_ne!(uniform, decisive);
    assert_eq!(decisive.iter().sum::<u32>(), pruned.iter().sum::<u32>());
}

#[test]
fn impossible_options_are_refused() {
    let variant = variant::<Breakthrough>("breakthrough", false);
    let refused = |text: &str| match catalogue::read(Family::Playout, text) {
        Err(error) => error.to_string(),
        Ok(spec) => {
            playout::build(&spec, &Context { variant: &variant, files: &Default::default(), game_seed: 0 })
                .err()
                .map(|e| e.to_string())
                .unwrap_or_default()
        }
    };
    assert_eq!(
        refused("nested(level=1, cut_on_win=2)"),
        "nested: cut_on_win=2 is not allowed: this one scans at levels 1 to 1, and 0 is never"
    );
    assert_eq!(
        refused("nested(level=1, prune_on_depth=1)"),
        "nested: prune_on_depth=1 needs discount=true: without it depth decides nothing"
    );
    assert!(refused("nested(level=6)").contains("level=6 is not allowed: a whole number from 0 to 5"));
    assert!(refused("nested(level=-1)").contains("level=-1 is not allowed"));
    assert!(refused("nested(cut_on_win=7)").contains("a whole number from 0 to 6"));
    assert!(refused("nested(prune_on_depth=-1)").contains("a whole number from 0 to 6"));
    assert!(refused("nested(pod_mode=bold)").contains("safe, paper"));
    assert!(refused("nested(order=sideways)").contains("shuffled, fixed"));
    assert!(refused("nested(discount=3)").contains("true or false"));
    assert!(refused("nested(base=uniform+decisive)").contains("nested: base: uniform never passes"));
    assert!(refused("minimax(depth=3)").contains("a whole number from 1 to 2"));
    assert!(refused("minimax(depth=0)").contains("a whole number from 1 to 2"));
}
