//! Tests of the search with hidden information, on Mr Jack.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use crate::candidates;
use crate::catalogue;
use crate::family::Context;
use crate::game::{Decisive, Rules, Secrets, Stages, Variant};
use crate::games::mr_jack::MrJack;
use crate::games::mr_jack::moves::{ACCUSE, destination_of};
use crate::games::mr_jack::state::{DETECTIVE, JACK, State};
use crate::player;
use crate::search::{Report, Search};
use crate::session::check_player;
use crate::spec::Family;
use crate::tree::{NodeId, ROOT};
use crate::types::{Limit, Move, Rng, Side};

fn variant() -> Arc<Variant<MrJack>> {
    let game = MrJack::new("first_2006", true, false, false).unwrap();
    Arc::new(Variant { game, misere: false })
}

fn search(variant: &Arc<Variant<MrJack>>, state: &State, spec: &str, simulations: u64) -> Search<MrJack> {
    let spec = catalogue::read(Family::Player, spec).unwrap();
    let player = player::build(&spec, variant).unwrap();
    let mut search = player.think(variant, state, Rng::new(3)).unwrap();
    search.run(&Limit::simulations(simulations), &Arc::new(AtomicBool::new(false)));
    assert!(search.failure().is_none(), "{:?}", search.failure());
    search
}

/// A state after so many random moves that end nothing, or after the next at which `side` is to move.
fn state_for(variant: &Variant<MrJack>, side: Side, seed: u64, moves: usize) -> State {
    let game = &variant.game;
    let mut rng = Rng::stream(&[seed]);
    loop {
        let mut state = game.initial_state(&mut rng);
        let mut done = 0;
        while game.outcome(&state).is_none() {
            if done >= moves && game.side_to_move(&state) == side {
                return state;
            }
            let key = game.safe_key(&state, &mut rng);
            let mv = Stages::random_use(game, &state, key, &mut rng);
            game.play(&mut state, mv);
            done += 1;
        }
    }
}

/// The visits of the root's moves, most visited first.
fn visits(report: &Report) -> Vec<u64> {
    report.moves.iter().map(|stat| stat.visits).collect()
}

/// Visits and summed results of accusations at the detective's nodes of Jack's search: of Jack, of the others.
fn accusations(opponent: &str) -> [(f64, f64); 2] {
    let variant = variant();
    let mut sums = [(0.0, 0.0); 2];
    // After Jack's second move of the first turn the detective has one card left.
    let states = (0..20).map(|seed| state_for(&variant, JACK, seed, 2));
    for state in states.filter(|state| variant.game.suspects(state) == 0xFF).take(8) {
        let spec = format!("jack(candidates=random_power, worlds=sampled(opponent={opponent}), k_jack=5)");
        let search = search(&variant, &state, &spec, 12_000);
        let (tree, worlds) = (search.tree(), search.worlds().unwrap());
        // Nodes of the first turn only: later ones have fewer suspects.
        let mut nodes: Vec<(NodeId, State)> = vec![(0, *search.root())];
        while let Some((node, state)) = nodes.pop() {
            for edge in worlds.children(node) {
                let mv = tree.mv(edge);
                if let Some(accused) = destination_of(mv).checked_sub(ACCUSE) {
                    let sum = &mut sums[usize::from(accused != state.jack as usize)];
                    sum.0 += tree.visits(edge) as f64;
                    sum.1 += tree.score(edge);
                    continue;
                }
                let mut after = state;
                variant.game.play(&mut after, mv);
                if after.turn == 1 {
                    for (_, own, below) in worlds.nodes_behind(node, mv) {
                        // Through the nodes of the true Jack to those of the detective.
                        if variant.game.side_to_move(&after) == DETECTIVE || own == state.jack as u64 {
                            nodes.push((below, after));
                        }
                    }
                }
            }
        }
    }
    sums
}

#[test]
fn an_accusation_is_worth_an_eighth_to_the_detective_in_jacks_search() {
    let [of_jack, of_others] = accusations("fair");
    for (visits, score) in [of_jack, of_others] {
        // Each visit is right with probability 1/8: at 300 visits the standard deviation is 0.019.
        assert!(visits >= 300.0, "only {visits} visits");
        assert!((score / visits - 0.125).abs() < 0.07, "{score} of {visits}");
    }
    let [of_jack, of_others] = accusations("informed");
    assert_eq!(of_jack.1, of_jack.0, "who knows the truth accuses nobody in vain");
    assert_eq!(of_others.1, 0.0);
}

#[test]
fn jacks_nodes_are_kept_by_identity_and_the_detectives_are_shared() {
    let variant = variant();
    let state = state_for(&variant, DETECTIVE, 5, 0);
    let search = search(&variant, &state, "jack_v2", 3000);
    let behind = |search: &Search<MrJack>| -> Vec<Vec<u64>> {
        let worlds = search.worlds().unwrap();
        let moves = worlds.root_edges().map(|edge| search.tree().mv(edge));
        moves.map(|mv| worlds.nodes_behind(ROOT, mv).iter().map(|&(_, own, _)| own).collect()).collect()
    };
    assert!(behind(&search).iter().any(|own| *own == [0, 1, 2, 3, 4, 5, 6, 7]), "every suspect was Jack");
    // Behind the second of Jack's moves the detective is to move.
    let state = state_for(&variant, JACK, 5, 2);
    let search = self::search(&variant, &state, "jack_v2", 3000);
    assert_eq!((state.turn, state.step), (1, 2));
    assert!(behind(&search).iter().all(|own| *own == [0]));
    // Every move of the truth has been met by simulations with decoys too: both go to the same node.
    let worlds = search.worlds().unwrap();
    let met = worlds.root_edges().any(|edge| {
        let nodes = worlds.nodes_behind(ROOT, search.tree().mv(edge));
        nodes.iter().any(|&(_, _, node)| search.tree().node(node).visits > search.tree().visits(edge))
    });
    assert!(met);
}

#[test]
fn the_witnesses_answer_keeps_nodes_apart_and_the_deal_does_not() {
    let variant = variant();
    // The last activation of turn 2 is Jack's, so the first of turn 3, whose cards nobody knows, is his rival's.
    let state = state_for(&variant, JACK, 8, 7);
    assert_eq!((state.turn, state.step), (2, 3));
    let search = search(&variant, &state, "jack_v2", 6000);
    let worlds = search.worlds().unwrap();
    let mut answers = [false; 3];
    let mut partly = false;
    for edge in worlds.root_edges() {
        for (answer, own, node) in worlds.nodes_behind(ROOT, search.tree().mv(edge)) {
            assert_eq!(own, 0, "the detective has no secret that keeps his nodes apart");
            answers[answer as usize] = true;
            let visits = search.tree().node(node).visits;
            partly |= worlds.children(node).any(|edge| {
                let available = worlds.available(node, edge);
                available > 0 && available + 1 < visits
            });
        }
    }
    assert!(!answers[0] && (answers[1] || answers[2]), "{answers:?}");
    assert!(partly, "a card is not in every hand");
}

const V3: &str = "jack_v3";

/// A player, one that differs from it in one thing, and the side that they play.
const ALIVE: &[(&str, &str, Side)] = &[
    (V3, "jack_v3(worlds=sampled(opponent=informed))", JACK),
    (V3, "jack_v3(worlds=sampled(draw=free_choice))", JACK),
    (V3, "jack_v3(worlds=sampled(draw=free_choice))", DETECTIVE),
    (V3, "jack_v3(k_detective=0.2)", DETECTIVE),
    (V3, "jack_v3(k_jack=0.2)", JACK),
    (V3, "jack_v3(detective=informed)", DETECTIVE),
    ("jack_v2", "jack_v2(candidates=random_power(drawn=played))", DETECTIVE),
    ("jack_v2", "jack_v2(candidates=random_power(drawn=played))", JACK),
    (V3, "jack_v2", DETECTIVE),
    (V3, "jack_v1", DETECTIVE),
    ("jack_v1", "jack(candidates=widening)", JACK),
    ("jack(candidates=widening)", "jack(candidates=widening(c=4))", JACK),
    ("jack(candidates=widening)", "jack(candidates=widening(a=0.6))", JACK),
    (V3, "jack(candidates=plausible)", DETECTIVE),
    ("jack(candidates=plausible)", "jack(candidates=plausible(5))", JACK),
    (V3, "jack_v3(playout=uniform)", DETECTIVE),
    (V3, "jack_v3(playout=scripted)", JACK),
    (V3, "jack_v3(playout=cutoff(4)+decisive)", DETECTIVE),
    ("jack_v3(playout=cutoff(4)+decisive)", "jack_v3(playout=cutoff(8)+decisive)", DETECTIVE),
];

#[test]
fn every_option_is_alive() {
    let variant = variant();
    for &(one, other, side) in ALIVE {
        let state = state_for(&variant, side, 2, 6);
        let [one_visits, other_visits] =
            [one, other].map(|spec| visits(&search(&variant, &state, spec, 500).report()));
        assert_ne!(one_visits, other_visits, "{one} and {other}");
    }
    // The constant of the side that it does not play is not used.
    let state = state_for(&variant, JACK, 2, 6);
    let plain = visits(&search(&variant, &state, V3, 300).report());
    assert_eq!(plain, visits(&search(&variant, &state, "jack_v3(k_detective=0.2)", 300).report()));
}

/// The eight largest root visits after 400 simulations with fixed seeds.
const GOLDEN: &[(&str, Side, &[u64])] = &[
    ("jack_v1", DETECTIVE, &[1, 1, 1, 1, 1, 1, 1, 1]),
    ("jack_v2", DETECTIVE, &[27, 24, 23, 20, 19, 19, 16, 16]),
    ("jack_v3", DETECTIVE, &[26, 23, 22, 20, 20, 18, 17, 16]),
    ("jack(candidates=widening)", DETECTIVE, &[40, 38, 32, 32, 30, 29, 29, 24]),
    ("jack(candidates=plausible)", DETECTIVE, &[71, 70, 70, 55, 35, 34, 23, 17]),
    ("jack_v1", JACK, &[1, 1, 1, 1, 1, 1, 1, 1]),
    ("jack_v2", JACK, &[10, 10, 10, 10, 9, 7, 7, 7]),
    ("jack_v3", JACK, &[13, 9, 8, 8, 6, 6, 6, 6]),
    ("jack(candidates=widening)", JACK, &[32, 26, 24, 22, 19, 15, 13, 11]),
    ("jack(candidates=plausible)", JACK, &[53, 51, 37, 23, 11, 9, 7, 5]),
];

#[test]
fn every_model_plays_as_it_did() {
    let variant = variant();
    let mut changed = String::new();
    for side in [DETECTIVE, JACK] {
        for spec in
            ["jack_v1", "jack_v2", "jack_v3", "jack(candidates=widening)", "jack(candidates=plausible)"]
        {
            let state = state_for(&variant, side, 4, 10);
            let mut visits = visits(&search(&variant, &state, spec, 400).report());
            visits.truncate(8);
            let golden = GOLDEN.iter().find(|(name, of, _)| *name == spec && *of == side);
            if golden.is_none_or(|(_, _, golden)| *golden != visits) {
                changed.push_str(&format!("    (\"{spec}\", {side:?}, &{visits:?}),\n"));
            }
        }
    }
    assert!(changed.is_empty(), "play has changed:\n{changed}");
}

#[test]
fn what_candidates_keep_counts_as_memory() {
    let variant = variant();
    let state = state_for(&variant, DETECTIVE, 4, 10);
    let bytes = |spec: &str| search(&variant, &state, spec, 400).report().bytes;
    // Both make the same nodes; plausible has asked about every key of each of them.
    assert!(bytes("jack(candidates=plausible(10000))") > bytes(V3) + 50_000);
    let full_at = |spec: &str| search(&variant, &state, spec, 400).report().full_at;
    assert_eq!(full_at(V3), None);
    assert!(full_at("jack(candidates=plausible(10000), memory=100000)").is_some());
}

#[test]
fn every_model_of_candidates_yields_legal_moves_and_no_child_twice() {
    let variant = variant();
    let game = &variant.game;
    for spec in
        ["full", "random_power", "random_power(drawn=played)", "scripted_power", "widening", "plausible(12)"]
    {
        let resolved = catalogue::read(Family::Candidates, spec).unwrap();
        let mut model = candidates::build(
            &resolved,
            &Context { variant: &variant, files: &Default::default(), game_seed: 0 },
        )
        .unwrap();
        for seed in 0..12 {
            let mut rng = Rng::stream(&[seed]);
            let state = state_for(&variant, Side::BOTH[seed as usize % 2], seed, 2 * seed as usize);
            let mut keys = Vec::new();
            model.keys(game, &state, seed as NodeId, &mut keys);
            assert!(keys.is_sorted() && !keys.is_empty());
            assert!(spec != "plausible(12)" || keys.len() <= 12);
            for &key in &keys {
                let mut tried = Vec::new();
                while tried.len() < if model.one_per_key() { 1 } else { 40 } {
                    let Some(mv) = model.complete(game, &state, None, key, &tried, &mut rng) else { break };
                    assert!(game.is_legal(&state, mv) && !tried.contains(&mv), "{spec}");
                    assert_eq!(game.slot(mv) as u32, key);
                    tried.push(mv);
                }
                let mut uses: Vec<Move> = Vec::new();
                Stages::uses(game, &state, key, &mut uses);
                let expected = if model.one_per_key() { 1 } else { uses.len().min(40) };
                assert_eq!(tried.len(), expected, "{spec} of {}", uses.len());
            }
            assert!(model.failure().is_none());
        }
        let asks = ["scripted_power", "plausible(12)"].contains(&spec);
        assert_eq!(model.bytes() > 0, asks, "{spec} keeps what scripts have said");
    }
}

/// By key of the root: the different moves of its simulations.
fn uses_at_the_root(spec: &str) -> Vec<(usize, usize)> {
    let variant = variant();
    let state = state_for(&variant, DETECTIVE, 4, 10);
    let built = catalogue::read(Family::Player, spec).unwrap();
    let mut search = player::build(&built, &variant).unwrap().think(&variant, &state, Rng::new(3)).unwrap();
    search.keep_log();
    search.run(&Limit::simulations(600), &Arc::new(AtomicBool::new(false)));
    let mut uses: std::collections::BTreeMap<usize, Vec<Move>> = Default::default();
    for logged in search.log() {
        uses.entry(variant.game.slot(logged.moves[0].0)).or_default().push(logged.moves[0].0);
    }
    let counted = uses.into_values().map(|mut moves| {
        let all = moves.len();
        moves.sort();
        moves.dedup();
        (all, moves.len())
    });
    counted.collect()
}

#[test]
fn a_power_is_drawn_once_or_each_time_it_is_played() {
    let made = uses_at_the_root("jack_v2");
    assert!(made.iter().any(|&(all, _)| all > 5) && made.iter().all(|&(_, uses)| uses == 1), "{made:?}");
    let played = uses_at_the_root("jack_v2(candidates=random_power(drawn=played))");
    assert!(played.iter().any(|&(all, uses)| all > 5 && uses > 3), "{played:?}");
}

#[test]
fn the_power_that_is_played_in_the_end_is_drawn_anew() {
    let variant = variant();
    let state = state_for(&variant, DETECTIVE, 4, 10);
    for threads in [1, 2] {
        let spec =
            format!("jack_v2(candidates=random_power(drawn=played), threads={threads}, k_detective=0.1)");
        let mut best: Vec<(usize, Move)> = Vec::new();
        for seed in 0..12 {
            let spec = catalogue::read(Family::Player, &spec).unwrap();
            let stop = Arc::new(AtomicBool::new(false));
            let limit = Some(Limit::simulations(400));
            let (rng, moves) = (Rng::new(seed), &[][..]);
            let request =
                player::Request { variant: &variant, state: &state, moves, rng, limit, stop: &stop };
            let report = player::build(&spec, &variant).unwrap().choose(&request).unwrap();
            assert!(variant.game.is_legal(&state, report.best));
            assert_eq!(report.line, [report.best]);
            // The trees of several threads are added by key.
            let mut keys: Vec<usize> = report.moves.iter().map(|stat| variant.game.slot(stat.mv)).collect();
            keys.sort();
            keys.dedup();
            assert_eq!(keys.len(), report.moves.len());
            assert_eq!(report.moves.iter().map(|stat| stat.visits).sum::<u64>(), 400);
            assert_eq!(report.moves[0].mv, report.best, "the most visited is played");
            best.push((variant.game.slot(report.best), report.best));
        }
        best.sort();
        best.dedup();
        let same_key = |pair: &[(usize, Move)]| pair[0].0 == pair[1].0;
        assert!(best.windows(2).any(same_key), "no key was played with two uses: {best:?}");
    }
}

#[test]
fn an_informed_detective_accuses_nobody_in_vain() {
    let variant = variant();
    let mut accused = [0, 0];
    for seed in 0..40 {
        let state = state_for(&variant, DETECTIVE, seed, 4);
        let report = search(&variant, &state, "jack_v2(detective=informed, k_detective=2)", 300).report();
        for stat in report.moves.iter().filter(|stat| stat.visits > 0) {
            let Some(suspect) = destination_of(stat.mv).checked_sub(ACCUSE) else { continue };
            let is_jack = suspect == state.jack as usize;
            assert_eq!(stat.mean(), Some(if is_jack { 1.0 } else { 0.0 }));
            accused[usize::from(is_jack)] += 1;
        }
        // Jack's own search knows no such thing.
        let jacks = state_for(&variant, JACK, seed, 4);
        let plain = visits(&search(&variant, &jacks, "jack_v2", 60).report());
        assert_eq!(visits(&search(&variant, &jacks, "jack_v2(detective=informed)", 60).report()), plain);
    }
    assert!(accused[0] > 0 && accused[1] > 0, "{accused:?}");
}

/// Told who Jack is, the detective still does not know the cards to come nor Jack's alibis.
#[test]
fn an_informed_detective_is_told_nothing_else() {
    let variant = variant();
    let game = &variant.game;
    for seed in 0..8 {
        let state = state_for(&variant, DETECTIVE, seed, 8);
        let twin = game.with_identity(
            &game.determinize(&state, DETECTIVE, &mut Rng::new(seed + 50)),
            state.jack as usize,
        );
        let spec = "jack_v2(detective=informed)";
        let [one, two] = [&state, &twin].map(|state| search(&variant, state, spec, 100).report());
        assert_eq!(one.moves, two.moves);
    }
}

#[test]
fn an_informed_detective_plays_in_matches_only() {
    use crate::session;
    let game = catalogue::read(Family::Game, "mr_jack").unwrap();
    let told = catalogue::read(Family::Player, "jack_v2(detective=informed)").unwrap();
    let message = "jack with detective=informed is told who Jack is, so it plays in matches only (coppice match, \
                   tournament, sweep, tune, run): nobody may look at it at a board, in an analysis or through GTP";
    assert!(check_player(&game, &told).is_ok());
    assert_eq!(session::game(&game).unwrap().check_at_board(&told).unwrap_err().to_string(), message);
    let state = session::start(&game, None, 1).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let limit = Some(Limit::simulations(1));
    assert_eq!(state.search(&told, limit, 1, &stop).unwrap_err().to_string(), message);
    assert_eq!(state.think(&told, 1).err().unwrap().to_string(), message);
    let fair = catalogue::read(Family::Player, "jack_v2").unwrap();
    assert!(session::game(&game).unwrap().check_at_board(&fair).is_ok() && state.think(&fair, 1).is_ok());
}

#[test]
fn widening_lets_nodes_grow_slowly() {
    let variant = variant();
    let state = state_for(&variant, DETECTIVE, 3, 0);
    let children = |spec: &str| {
        search(&variant, &state, spec, 2000).report().moves.iter().filter(|s| s.visits > 0).count()
    };
    let narrow = children("jack(candidates=widening(c=2, a=0.4))");
    assert!((35..=42).contains(&narrow), "2 * 2000^0.4 is 41.8, not {narrow}");
    assert!(children("jack_v1") > narrow);
}

#[test]
fn the_whole_memory_is_not_exceeded() {
    let variant = variant();
    let state = state_for(&variant, DETECTIVE, 3, 0);
    let report = search(&variant, &state, "jack_v2(memory=64KiB)", 3000).report();
    assert!(report.full_at.is_some() && report.bytes <= 68 * 1024, "{} bytes", report.bytes);
    assert_eq!(report.simulations, 3000);
}

#[test]
fn what_cannot_be_is_refused() {
    let game = |text: &str| catalogue::read(Family::Game, text).unwrap();
    for (on, player, message) in [
        ("havannah", "jack_v2", "player jack needs a game with hidden information, which havannah is not"),
        (
            "havannah",
            "mcts(candidates=random_power)",
            "candidates random_power needs moves made in stages, which havannah does not have",
        ),
        (
            "havannah",
            "mcts(candidates=scripted_power)",
            "candidates scripted_power needs moves made in stages, which havannah does not have",
        ),
        (
            "havannah",
            "mcts(candidates=plausible)",
            "candidates plausible needs moves made in stages, which havannah does not have",
        ),
        (
            "havannah",
            "mcts(playout=scripted)",
            "playout scripted needs rule scripts, which havannah does not offer",
        ),
        (
            "havannah",
            "mcts(playout=cutoff)",
            "playout cutoff needs an evaluation of positions, which havannah does not offer",
        ),
        (
            "havannah",
            "mcts(candidates=widening, reuse=true)",
            "reuse=true does not go with candidates=widening, with which nodes grow child by child: it \
             goes on from the node of another position; allowed: reuse=false",
        ),
        (
            "mr_jack",
            "mcts(expansion=all)",
            "expansion=all does not go with mr_jack, a game with hidden information, where nodes grow \
             child by child: it is about nodes that have all their moves; allowed: expansion=one",
        ),
        (
            "mr_jack",
            "uct(playout_until=5)",
            "playout_until=5 does not go with mr_jack, a game with hidden information, where nodes grow \
             child by child: the playout policy chooses among all moves of a node; allowed: playout_until=0",
        ),
        (
            "mr_jack",
            "rave",
            "selection=rave does not go with mr_jack, a game with hidden information, where nodes grow \
             child by child: it reads AMAF, and moves do not permute there; allowed: selection=uct",
        ),
        (
            "mr_jack",
            "mcts(playout=minimax)",
            "playout minimax needs a game without hidden information, which mr_jack is not",
        ),
    ] {
        let player = catalogue::read(Family::Player, player).unwrap();
        assert_eq!(check_player(&game(on), &player).unwrap_err().to_string(), message);
    }
    for (spec, message) in [
        ("jack(k_jack=-1)", "jack: k_jack=-1 is not allowed: a number from 0 to 100"),
        (
            "jack(worlds=sampled(opponent=blind))",
            "jack: worlds: sampled: opponent=blind is not allowed: fair, informed",
        ),
        (
            "jack(worlds=sampled(draw=none))",
            "jack: worlds: sampled: draw=none is not allowed: sampled, free_choice",
        ),
        ("jack(detective=blind)", "jack: detective=blind is not allowed: fair, informed"),
        (
            "jack(candidates=random_power(drawn=never))",
            "jack: candidates: random_power: drawn=never is not allowed: made, played",
        ),
        ("jack(candidates=plausible(0))", "jack: candidates: plausible: n=0 is not allowed"),
        (
            "jack(candidates=widening(a=2))",
            "jack: candidates: widening: a=2 is not allowed: a number from 0 to 1",
        ),
    ] {
        let error = catalogue::read(Family::Player, spec).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Two states that a side cannot tell apart: the same view, the same legal moves, the same search.
    #[test]
    fn a_side_is_told_nothing_that_it_cannot_see(seed in 0u64..1000, moves in 0usize..24, other in 1u64..1000) {
        let variant = variant();
        let game = &variant.game;
        for side in Side::BOTH {
            let state = state_for(&variant, side, seed, moves);
            let twin = game.determinize(&state, side, &mut Rng::new(other));
            prop_assert_eq!(game.view(&state, side), game.view(&twin, side));
            let mut legal = [Vec::new(), Vec::new()];
            game.legal_moves(&state, &mut legal[0]);
            game.legal_moves(&twin, &mut legal[1]);
            prop_assert_eq!(&legal[0], &legal[1]);
            for spec in ["jack_v3", "jack_v1(playout=uniform)", "uct"] {
                let [one, two] = [&state, &twin].map(|state| search(&variant, state, spec, 60).report());
                prop_assert_eq!(one.best, two.best);
                prop_assert_eq!(&one.moves, &two.moves);
                prop_assert_eq!((one.states, one.nodes, one.line), (two.states, two.nodes, two.line));
            }
        }
    }
}
