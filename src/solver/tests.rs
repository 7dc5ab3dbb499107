//! Tests of the solver, and of `tactics=solver` in `mcts` against it.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;

use super::*;
use crate::games::{Visitor, with_game};
use crate::player::{self, Request};
use crate::spec::Family;
use crate::types::Rng;
use crate::{catalogue, session};

fn stop() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

fn solve_text(game: &str, position: Option<&str>, memory: usize) -> session::SolveReport {
    let game = catalogue::read(Family::Game, game).unwrap();
    let state = session::start(&game, position, 1).unwrap();
    state.solve(&Limit::default(), memory, &stop(), &mut |_| {}).unwrap()
}

/// Who wins from the start, in one word.
fn winner(game: &str) -> &'static str {
    named(solve_text(game, None, 1 << 28).value)
}

/// Who wins if this is the value of the start.
fn named(value: Proof) -> &'static str {
    match value {
        Proof::Win => "first",
        Proof::Loss => "second",
        Proof::Draw => "draw",
        Proof::None => "unknown",
    }
}

/// Exact results (spec section 8): from the literature or from an independent alpha-beta solver.
#[test]
fn exact_winners_of_small_boards() {
    for (game, normal, misere) in [
        ("domineering(rows=3, columns=3)", "first", "second"),
        ("domineering(rows=4, columns=4)", "first", "first"),
        ("domineering(rows=5, columns=5)", "second", "first"),
        ("nogo(rows=3, columns=3)", "first", "first"),
        ("nogo(rows=4, columns=4)", "second", "first"),
        ("atari_go(rows=3, columns=3)", "first", "second"),
        ("atari_go(rows=4, columns=4)", "second", "first"),
    ] {
        assert_eq!(winner(game), normal, "{game}");
        assert_eq!(winner(&format!("misere({game})")), misere, "misere {game}");
    }
    assert_eq!(winner("tic_tac_toe"), "draw");
}

#[test]
fn knightthrough_is_won_by_six_first_moves() {
    let report = solve_text("knightthrough", None, 1 << 26);
    assert_eq!(report.value, Proof::Win);
    let mut winning: Vec<&str> = report
        .moves
        .iter()
        .filter(|(_, proof)| *proof == Proof::Win)
        .map(|(name, _)| name.as_str())
        .collect();
    winning.sort();
    // As the moves of the forced win in tests/data/perft.json: row * 5 + column, from and to.
    let cells = [[5, 16], [6, 15], [7, 16], [7, 18], [8, 19], [9, 18]];
    let name = |cell: u8| format!("{}{}", (b'a' + cell % 5) as char, cell / 5 + 1);
    for [from, to] in cells {
        let move_name = format!("{}x{}", name(from), name(to));
        assert!(winning.contains(&move_name.as_str()), "{move_name} is not in {winning:?}");
    }
}

#[test]
#[ignore = "evidence: takes minutes"]
fn exact_winners_of_5x5_boards() {
    for (game, first_or_second) in [
        ("breakthrough", "second"),
        ("misere(breakthrough)", "second"),
        ("misere(knightthrough)", "second"),
        ("atari_go", "first"),
    ] {
        let report = solve_text(game, None, 1 << 30);
        let (winner, states) = (named(report.value), report.states);
        println!("{game}: {winner}, {} nodes, {states} states, {:.0} s", report.nodes, report.seconds);
        assert_eq!(winner, first_or_second, "{game}");
        assert!(report.moves.iter().all(|(_, proof)| *proof != Proof::None), "{game}");
    }
}

/// The value for the side to move by plain recursion over all positions.
fn minimax<G: Game>(variant: &Variant<G>, state: &G::State, known: &mut HashMap<u64, Proof>) -> Proof {
    let side = variant.game.side_to_move(state);
    if let Some(outcome) = variant.outcome(state) {
        return Proof::of(outcome, side);
    }
    let key = variant.game.key(state);
    if let Some(&value) = known.get(&key) {
        return value;
    }
    let mut moves = Vec::new();
    variant.game.legal_moves(state, &mut moves);
    let mut best = Proof::Loss;
    for mv in moves {
        let mut next = state.clone();
        variant.game.play(&mut next, mv);
        let value = minimax(variant, &next, known);
        let value = if variant.game.side_to_move(&next) == side { value } else { value.exchanged() };
        if value.score() > best.score() {
            best = value;
        }
    }
    known.insert(key, best);
    best
}

/// A position after so many random moves, or before the one that would have ended the game.
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

/// Every position that can be reached from `state`, before the end of the game, once.
fn all_positions<G: Game>(variant: &Variant<G>, state: &G::State) -> Vec<G::State> {
    let mut seen = BTreeSet::from([variant.game.key(state)]);
    let mut found = vec![state.clone()];
    let mut at = 0;
    let mut moves = Vec::new();
    while at < found.len() {
        moves.clear();
        variant.game.legal_moves(&found[at], &mut moves);
        for &mv in &moves {
            let mut next = found[at].clone();
            variant.game.play(&mut next, mv);
            if variant.outcome(&next).is_none() && seen.insert(variant.game.key(&next)) {
                found.push(next);
            }
        }
        at += 1;
    }
    found
}

/// What a game calls settled, against plain recursion; returns how many positions of how many.
struct Settled;

impl Visitor for Settled {
    type Out = (usize, usize);
    fn visit<G: Game>(self, variant: Variant<G>) -> (usize, usize) {
        let mut known = HashMap::new();
        let positions = all_positions(&variant, &variant.game.initial_state(&mut Rng::new(1)));
        let mut settled = 0;
        for state in &positions {
            let Some(outcome) = variant.settled(state) else { continue };
            settled += 1;
            let value = Proof::of(outcome, variant.game.side_to_move(state));
            assert_eq!(value, minimax(&variant, state, &mut known), "{}", variant.game.state_text(state));
        }
        (settled, positions.len())
    }
}

#[test]
fn what_is_called_settled_is_so_in_every_position() {
    for game in [
        "breakthrough(rows=4, columns=4)",
        "breakthrough(rows=5, columns=3, ranks=1)",
        "breakthrough(rows=3, columns=5)",
        "knightthrough(rows=4, columns=4)",
        "knightthrough(rows=5, columns=3, ranks=1)",
        "atari_go(rows=3, columns=3)",
        "atari_go(rows=2, columns=5)",
        "atari_go(rows=3, columns=3, suicide=loses)",
        "atari_go(rows=3, columns=4, suicide=loses, start=cross_cut)",
    ] {
        let count = |text: &str| {
            let spec = catalogue::read(Family::Game, text).unwrap();
            with_game(&spec, Settled).unwrap()
        };
        let (settled, all) = count(game);
        assert!(settled * 10 >= all, "{game}: {settled} of {all}");
        let (settled, all) = count(&format!("misere({game})"));
        assert!(settled > 0 || game.starts_with("atari_go"), "misere {game}: {settled} of {all}");
    }
}

/// The value by one of the two searches alone, or by both in the smallest turns.
fn value_by<G: Game>(variant: &Variant<G>, state: &G::State, way: Option<Way>) -> Proof {
    let limit = Limit::default();
    let mut tell = |_: &Progress| {};
    let mut solver = Solver::new(variant, &limit, LEAST_MEMORY, &stop(), &mut tell).unwrap();
    solver.share = if way == Some(Way::ProofNumber) { u64::MAX } else { 1 };
    if way != Some(Way::DepthFirst) {
        return solver.value(state, variant.game.side_to_move(state));
    }
    solver.share_end = u64::MAX;
    let mut reaches = |goal: Goal| {
        solver.goal = goal;
        solver.frame(0, state);
        solver.frames[0].state.clone_from(state);
        let key = goal.key(variant.game.class_key(state));
        solver.decide(0, key).unwrap()
    };
    let outcome = match (reaches(Goal::Win), reaches(Goal::Draw)) {
        (true, _) => Outcome::Win(Side::First),
        (false, true) => Outcome::Draw,
        (false, false) => Outcome::Win(Side::Second),
    };
    Proof::of(outcome, variant.game.side_to_move(state))
}

struct Compare {
    plies: usize,
}

/// The solver against plain recursion, and a proving search against the solver, on random positions.
impl Visitor for Compare {
    type Out = ();
    fn visit<G: Game>(self, variant: Variant<G>) {
        let variant = Arc::new(variant);
        let mut rng = Rng::new(5);
        let mut known = HashMap::new();
        let mut proven = 0;
        let spec = "mcts(selection=uct(k=0.4), tactics=solver, simulations=2000)";
        for round in 0..20 {
            let state = random_position(&variant, rng.below(self.plies + 1), &mut rng);
            let found =
                solve(&variant, &state, &Limit::default(), LEAST_MEMORY, &stop(), &mut |_| {}).unwrap();
            assert_eq!(
                found.value,
                minimax(&variant, &state, &mut known),
                "{}",
                variant.game.state_text(&state)
            );
            for way in [Some(Way::ProofNumber), Some(Way::DepthFirst), None] {
                assert_eq!(
                    value_by(&variant, &state, way),
                    found.value,
                    "{}",
                    variant.game.state_text(&state)
                );
            }
            let side = variant.game.side_to_move(&state);
            for &(mv, value) in &found.moves {
                let mut next = state.clone();
                variant.game.play(&mut next, mv);
                let expected = minimax(&variant, &next, &mut known);
                let same = variant.game.side_to_move(&next) == side;
                assert_eq!(value, if same { expected } else { expected.exchanged() });
            }
            let spec = if round % 2 == 0 {
                spec.to_string()
            } else {
                spec.replace("2000", "2000, transpositions=true, expansion=all, playout_until=5")
            };
            let player = catalogue::read(Family::Player, &spec).unwrap();
            let mut player = player::build(&player, &variant).unwrap();
            let stop = stop();
            let request = Request {
                variant: &variant,
                state: &state,
                moves: &[],
                rng: rng.split(),
                limit: None,
                stop: &stop,
            };
            let report = player.choose(&request).unwrap();
            let value_of = |mv: Move| found.moves.iter().find(|(m, _)| *m == mv).unwrap().1;
            for stat in report.moves.iter().filter(|stat| stat.proof != Proof::None) {
                proven += 1;
                assert_eq!(stat.proof, value_of(stat.mv), "{}", variant.game.state_text(&state));
            }
            let proof = |mv| report.moves.iter().find(|stat| stat.mv == mv).unwrap().proof;
            if report.moves.iter().any(|stat| stat.proof == Proof::Win) {
                assert_eq!(proof(report.best), Proof::Win);
            } else if report.moves.iter().any(|stat| stat.proof != Proof::Loss) {
                assert_ne!(proof(report.best), Proof::Loss);
            }
            if report.moves.iter().all(|stat| stat.proof != Proof::None) {
                assert_eq!(value_of(report.best), found.value);
            }
        }
        assert!(proven > 20, "{}: only {proven} moves proven", G::INFO.name);
    }
}

#[test]
fn the_solver_agrees_with_minimax_and_proofs_with_the_solver() {
    for (game, plies) in [
        ("tic_tac_toe", 6),
        ("domineering(rows=4, columns=4)", 5),
        ("breakthrough(rows=4, columns=4, ranks=1)", 8),
        ("knightthrough(rows=5, columns=3)", 6),
        ("nogo(rows=3, columns=3)", 6),
        ("atari_go(rows=3, columns=3)", 6),
        ("atari_go(rows=3, columns=3, suicide=loses)", 6),
        ("atari_go(rows=3, columns=4, start=cross_cut)", 5),
        ("atari_go(rows=3, columns=4, start=cross_cut, suicide=loses)", 5),
        ("havannah(size=2)", 3),
    ] {
        for text in [game.to_string(), format!("misere({game})")] {
            let spec = catalogue::read(Family::Game, &text).unwrap();
            with_game(&spec, Compare { plies }).unwrap();
        }
    }
}

#[test]
fn a_proven_root_ends_the_search() {
    let game = catalogue::read(Family::Game, "knightthrough").unwrap();
    let player = catalogue::read(Family::Player, "uct_solver(simulations=1000000)").unwrap();
    let report = session::start(&game, None, 1).unwrap().search(&player, None, 1, &stop()).unwrap();
    assert!(report.simulations < 1_000_000);
    let best = report.moves.iter().find(|stat| stat.name == report.best).unwrap();
    assert_eq!(best.proof, Proof::Win);
}

#[test]
fn a_limit_leaves_values_open() {
    let game = catalogue::read(Family::Game, "nogo").unwrap();
    let state = session::start(&game, None, 1).unwrap();
    let limit = Limit { states: Some(10_000), ..Limit::default() };
    let report = state.solve(&limit, 1 << 20, &stop(), &mut |_| {}).unwrap();
    assert_eq!(report.value, Proof::None);
    assert!(report.moves.iter().all(|(_, proof)| *proof == Proof::None));
    assert!(report.states < 20_000 && report.bytes <= 1 << 20);
}

#[test]
fn progress_is_told_and_the_flag_stops_it() {
    let game = catalogue::read(Family::Game, "nogo").unwrap();
    let state = session::start(&game, None, 1).unwrap();
    let stop = stop();
    let flag = stop.clone();
    let mut told = 0;
    let mut tell = |progress: &Progress| {
        told += 1;
        assert_eq!(progress.moves, (0, 25));
        assert!(progress.nodes > 0 && progress.bytes <= 1 << 22);
        flag.store(true, Ordering::Relaxed);
    };
    let report = state.solve(&Limit::default(), 1 << 22, &stop, &mut tell).unwrap();
    assert_eq!((told, report.value), (1, Proof::None));
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let game = catalogue::read(Family::Game, "domineering(rows=2, columns=2)").unwrap();
    let mut state = session::start(&game, None, 1).unwrap();
    let refused = |state: &dyn session::Session, limit: &Limit, memory| {
        state.solve(limit, memory, &stop(), &mut |_| {}).unwrap_err().to_string()
    };
    assert_eq!(
        refused(state.as_ref(), &Limit::default(), 1000),
        "memory=1000 is too little for the solver: at least 65536"
    );
    assert_eq!(
        refused(state.as_ref(), &Limit::simulations(1), 1 << 20),
        "the solver makes no simulations: limit states, seconds or cpu_seconds"
    );
    state.play("a1a2", "standard").unwrap();
    assert_eq!(
        refused(state.as_ref(), &Limit::default(), 1 << 20),
        "there is nothing to solve: the game is over"
    );
}

/// What stands behind each `"key": "` of a JSON text.
fn all_behind<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let mark = format!("\"{key}\": \"");
    text.split(&mark).skip(1).map(|rest| rest.split('"').next().unwrap_or_default()).collect()
}

#[test]
fn the_trap_positions_are_what_they_say() {
    let text = include_str!("../../python/coppice/data/traps.json");
    let (games, positions) = (all_behind(text, "game"), all_behind(text, "position"));
    let winning = all_behind(text, "winning_move");
    assert!(games.len() >= 3 && games.len() == positions.len() && games.len() == winning.len());
    let listed: Vec<&str> = text.split("\"moves\": [").skip(1).collect();
    for (i, game) in games.iter().enumerate() {
        let report = solve_text(game, Some(positions[i]), 1 << 26);
        let moves: Vec<&str> = report.moves.iter().map(|(name, _)| name.as_str()).collect();
        let values: Vec<&str> =
            report.moves.iter().map(|(_, proof)| proof.name().unwrap_or_default()).collect();
        let list = listed[i].split(']').next().unwrap_or_default();
        assert_eq!(moves, all_behind(list, "move"), "{}", positions[i]);
        assert_eq!(values, all_behind(list, "value"), "{}", positions[i]);
        let winners: Vec<&str> =
            report.moves.iter().filter(|(_, p)| *p == Proof::Win).map(|(name, _)| name.as_str()).collect();
        assert_eq!(winners, [winning[i]], "{}", positions[i]);
    }
}
