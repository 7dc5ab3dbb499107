//! Limits of states and of simulations are kept exactly, by every player in every game, and what is cut teaches nothing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::catalogue;
use crate::game::{Game, Variant};
use crate::games::{self, Visitor, with_game};
use crate::player::Request;
use crate::search::Search;
use crate::session::{self, TextReport, check_player};
use crate::spec::{Family, PartInfo, Spec};
use crate::tree::Tree;
use crate::types::{Limit, Move, Rng};

/// Every game of the catalogue, small; and each that can be played for the other goal.
const GAMES: &[&str] = &[
    "tic_tac_toe",
    "domineering(rows=4, columns=4)",
    "havannah(size=3)",
    "havannah(size=4, swap=true)",
    "hex(size=3)",
    "hex(size=4, swap=true)",
    "breakthrough",
    "knightthrough(rows=6, columns=4)",
    "nogo(rows=4, columns=4)",
    "atari_go(rows=4, columns=4)",
    "mr_jack",
    "misere(tic_tac_toe)",
    "misere(domineering(rows=4, columns=4))",
    "misere(havannah(size=3))",
    "misere(hex(size=3))",
    "misere(breakthrough)",
    "misere(knightthrough(rows=6, columns=4))",
    "misere(nogo(rows=4, columns=4))",
    "misere(atari_go(rows=4, columns=4))",
];

/// Playouts that look ahead, alone and in chains, besides each policy of the catalogue as it is.
const PLAYOUTS: &[&str] = &[
    "minimax(depth=2)",
    "minimax(depth=2, avoid=false)",
    "minimax(depth=2, counted=false)",
    "minimax+nested",
    "minimax(depth=2)+mast",
    "nested(level=0)",
    "nested(level=1, cut_on_win=1)",
    "nested(level=1, discount=true, prune_on_depth=1)",
    "nested(level=1, discount=true, prune_on_depth=1, pod_mode=paper)",
    "nested(level=1, base=minimax(depth=2))",
    "nested(level=1, base=last_good_reply)",
    "nested(level=2)",
    "nested(level=2, cut_on_win=2)",
    "nested(level=2, discount=true, prune_on_depth=2)",
    "rings+last_good_reply",
    "cutoff+decisive",
    "cutoff(n=2)+scripted",
];

/// Players that go about their simulations in another way, besides the named ones.
const PLAYERS: &[&str] = &[
    "uct(expansion=one(at=0))",
    "uct(expansion=all(at=0), fpu=1.0)",
    "uct(playout_until=20, playout=minimax(depth=2))",
    "uct(playout_until=5, playout=nested)",
    "rave(transpositions=true, expansion=all(at=0))",
    "rave(expansion=progressive)",
    "uct(tactics=solver(play_on_when_lost=true)+threats)",
    "rave(tactics=solver+threats(doubles=true)+forcing(at=5))",
    "uct(candidates=widening)",
    "uct(threads=2)",
    "uct(threads=3, playout=nested)",
    "uct(threads=2, parallel=tree)",
    "rave(threads=2, parallel=tree, playout=last_good_reply)",
    "uct(threads=2, parallel=tree, playout=nested(level=2))",
    "uct(threads=2, parallel=tree, playout_until=20, playout=minimax(depth=2))",
    "uct(threads=2, parallel=tree, tactics=solver(play_on_when_lost=true))",
    "nested(level=0)",
    "nested(level=1)",
    "nested(level=2)",
    "nested(level=2, cut_on_win=3)",
    "nested(level=1, discount=true, prune_on_depth=2)",
    "nested(level=1, base=minimax(depth=2))",
    "jack(playout=scripted)",
    "jack(candidates=full, worlds=sampled(opponent=informed))",
    "jack(candidates=widening, worlds=sampled(draw=free_choice))",
    "jack(candidates=plausible)",
    "jack(threads=2)",
];

/// Every player that is tried.
fn players() -> Vec<String> {
    let all = catalogue::catalogue();
    let policies =
        all.parts.iter().filter(|(family, info)| *family == Family::Playout && info.name != "python");
    let playouts = policies.map(|(_, info)| info.name).chain(PLAYOUTS.iter().copied());
    let mut players: Vec<String> = playouts
        .flat_map(|playout| [format!("uct(playout={playout})"), format!("jack(playout={playout})")])
        .collect();
    players.extend(all.named.iter().map(|named| named.name.to_string()));
    players.extend(PLAYERS.iter().map(|player| player.to_string()));
    players
}

/// Players that a game serves, as specs.
fn served(game: &Spec) -> Vec<(String, Spec)> {
    let read = |text: String| {
        let spec = catalogue::read(Family::Player, &text).unwrap();
        (text, spec)
    };
    players().into_iter().map(read).filter(|(_, spec)| check_player(game, spec).is_ok()).collect()
}

fn search(game: &Spec, player: &Spec, limit: Limit, seed: u64) -> TextReport {
    let stop = Arc::new(AtomicBool::new(false));
    let state = session::start(game, None, seed).unwrap();
    let report = state.search(player, Some(limit), seed, &stop).unwrap();
    assert!(state.legal_moves("standard").unwrap().contains(&report.best), "{} is illegal", report.best);
    report
}

fn states(n: u64) -> Limit {
    Limit { states: Some(n), ..Limit::default() }
}

/// Whether the player may stop before its limit because the result is proven.
fn may_prove(game: &Spec, player: &Spec) -> bool {
    catalogue::player_of(game, player).unwrap().to_string().contains("solver")
}

/// No allowance at all: not even the last move of a playout, nor the last look ahead, goes beyond the limit. What is
/// allowed is used: a player that proves nothing stops at the limit and not before.
#[test]
fn no_player_visits_more_states_than_it_may_or_fewer() {
    let mut seen = BTreeSet::new();
    for game in GAMES {
        let spec = catalogue::read(Family::Game, game).unwrap();
        for (text, player) in served(&spec) {
            let may_prove = may_prove(&spec, &player);
            for (seed, limit) in [1, 2, 3, 10, 41, 100, 777, 3000].into_iter().enumerate() {
                let used = search(&spec, &player, states(limit), seed as u64).states;
                assert!(used <= limit, "{text} in {game}: {used} states of {limit}");
                assert!(used == limit || may_prove, "{text} in {game}: only {used} states of {limit}");
            }
            seen.insert(text);
        }
    }
    let unseen: Vec<String> = players().into_iter().filter(|text| !seen.contains(text)).collect();
    // Mr Jack refuses many playouts: those that know other games, and those that try moves out in its world.
    assert!(unseen.iter().all(|text| text.starts_with("jack(playout=")), "no game serves {unseen:?}");
    let is_there = |info: &PartInfo| GAMES.iter().any(|game| game.contains(info.name));
    let missing: Vec<&str> =
        games::infos().iter().filter(|info| !is_there(info)).map(|info| info.name).collect();
    assert!(missing.iter().all(|&name| name == games::guest::INFO.name), "no test with {missing:?}");
}

#[test]
fn no_player_makes_more_simulations_than_it_may_or_fewer() {
    for game in GAMES {
        let spec = catalogue::read(Family::Game, game).unwrap();
        for (text, player) in served(&spec).into_iter().filter(|(text, _)| !text.contains("level=2")) {
            for limit in [1, 2, 7, 20] {
                // The bound on states is for nested playouts, which take long.
                let both = Limit { simulations: Some(limit), states: Some(20_000), ..Limit::default() };
                let report = search(&spec, &player, both, limit);
                assert!(report.simulations <= limit, "{text} in {game}: {} of {limit}", report.simulations);
                // Each of three trees has a third of it.
                let ended = report.states >= 20_000 / 3 || may_prove(&spec, &player);
                assert!(report.simulations == limit || ended, "{text} in {game}: {}", report.simulations);
            }
        }
    }
}

/// All that a search would read again: statistics, proofs and AMAF of the nodes that have been visited.
fn statistics(tree: &Tree) -> Vec<String> {
    let of_edge = |edge| (tree.mv(edge), tree.visits(edge), tree.score(edge), tree.proof(edge));
    let of_node = |node: u32| {
        let edges: Vec<_> = tree.children(node).filter(|&edge| tree.visits(edge) > 0).map(of_edge).collect();
        format!("{node}: {} {edges:?} {:?}", tree.node(node).visits, tree.amaf(node))
    };
    let nodes = (0..tree.node_count() as u32).filter(|&node| tree.node(node).visits > 0);
    nodes.map(of_node).collect()
}

struct CutShort {
    player: Spec,
    text: String,
}

impl Visitor for CutShort {
    type Out = ();

    /// A search that was cut in its last simulation is the one that was never begun on it.
    fn visit<G: Game>(self, variant: Variant<G>) {
        let CutShort { player, text } = self;
        let variant = Arc::new(variant);
        let stop = Arc::new(AtomicBool::new(false));
        for seed in 0..12 {
            let think = || -> Search<G> {
                let state = variant.game.initial_state(&mut Rng::new(seed));
                let player = catalogue::build_player(&player, &variant).unwrap();
                player.think(&variant, &state, Rng::new(seed)).unwrap()
            };
            let (mut cut, mut whole) = (think(), think());
            cut.run(&states(400 + 31 * seed), &stop);
            whole.run(&Limit::simulations(cut.simulations()), &stop);
            if cut.simulations() == 0 {
                continue;
            }
            let name = G::INFO.name;
            assert_eq!(statistics(cut.tree()), statistics(whole.tree()), "{text} in {name}");
            assert_eq!(format!("{:?}", cut.tables()), format!("{:?}", whole.tables()), "{text} in {name}");
            assert!(cut.states() >= whole.states(), "{text} in {name}: the states that were cut count");
            let Some((one, other)) = cut.worlds().zip(whole.worlds()) else { continue };
            for node in 0..whole.tree().node_count() as u32 {
                let grown = |search: &Search<G>, worlds: &crate::search::InWorlds<G>| -> Vec<(Move, u32)> {
                    let edges = worlds.children(node);
                    edges.map(|edge| (search.tree().mv(edge), worlds.available(node, edge))).collect()
                };
                assert_eq!(grown(&cut, one), grown(&whole, other), "{text} in {name}, node {node}");
            }
        }
    }
}

#[test]
fn a_simulation_that_is_cut_teaches_nothing() {
    for game in GAMES {
        let spec = catalogue::read(Family::Game, game).unwrap();
        let mut tried = 0;
        for (text, player) in served(&spec) {
            let player = catalogue::player_of(&spec, &player).unwrap();
            let full = player.to_string();
            // The share of simulations that ppr looks at is one of all that are allowed: another limit, another share.
            // Several trees have limits of their own, and proofs end a search before its limit.
            let differs = ["nested(", "random"].iter().any(|name| full.starts_with(name))
                || full.contains("ppr(")
                || full.contains("solver")
                || !full.contains("threads=1");
            if !differs {
                with_game(&spec, CutShort { player, text }).unwrap();
                tried += 1;
            }
        }
        assert!(tried > 5, "{game}: {tried}");
    }
}

struct WholeGame {
    player: Spec,
    text: &'static str,
}

impl Visitor for WholeGame {
    type Out = ();

    fn visit<G: Game>(self, variant: Variant<G>) {
        let variant = Arc::new(variant);
        let stop = Arc::new(AtomicBool::new(false));
        let mut player = catalogue::build_player(&self.player, &variant).unwrap();
        let mut state = variant.game.initial_state(&mut Rng::new(1));
        let mut moves = Vec::new();
        while variant.outcome(&state).is_none() {
            let rng = Rng::new(moves.len() as u64);
            let request =
                Request { variant: &variant, state: &state, moves: &moves, rng, limit: None, stop: &stop };
            let report = player.choose(&request).unwrap();
            assert_eq!(report.states, 1234, "{} in {} at move {}", self.text, G::INFO.name, moves.len());
            assert!(variant.game.is_legal(&state, report.best));
            variant.game.play(&mut state, report.best);
            moves.push(report.best);
        }
    }
}

#[test]
fn a_kept_tree_has_the_whole_limit_for_every_move_and_no_more() {
    for game in ["havannah(size=4)", "misere(breakthrough)", "domineering"] {
        let game = catalogue::read(Family::Game, game).unwrap();
        for text in [
            "uct(reuse=true, states=1234)",
            "rave(reuse=true, expansion=all(at=0), transpositions=true, states=1234)",
            "uct(reuse=true, playout=nested, states=1234)",
            "rave(reuse=true, playout=last_good_reply(keep=true), states=1234)",
            "uct(reuse=true, threads=2, states=1234)",
            "uct(reuse=true, threads=2, parallel=tree, states=1234)",
        ] {
            let player = catalogue::read(Family::Player, text).unwrap();
            if check_player(&game, &player).is_ok() {
                with_game(&game, WholeGame { player, text }).unwrap();
            }
        }
    }
}

/// It was 9,858 states with cut on win and 201,590 without, of 4,090.
#[test]
fn misere_breakthrough_with_nested_playouts_keeps_to_4090_states() {
    let game = catalogue::read(Family::Game, "misere(breakthrough)").unwrap();
    for text in [
        "uct_nested2_cow(states=4090)",
        "uct(playout=nested(level=2), states=4090)",
        "nested(level=2, states=4090)",
    ] {
        let player = catalogue::read(Family::Player, text).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let state = session::start(&game, None, 1).unwrap();
        let report = state.search(&player, None, 1, &stop).unwrap();
        println!("{text}: {} states, {} simulations, {}", report.states, report.simulations, report.best);
        assert_eq!(report.states, 4090, "{text}");
    }
}

/// As when the clock is over at once: a uniformly random move.
#[test]
fn a_player_that_finishes_no_simulation_plays_any_move() {
    let game = catalogue::read(Family::Game, "breakthrough").unwrap();
    let state = session::start(&game, None, 1).unwrap();
    let legal = state.legal_moves("standard").unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    for text in ["uct(states=1)", "uct(seconds=0)", "nested(states=1)", "nested(seconds=0)"] {
        let player = catalogue::read(Family::Player, text).unwrap();
        let report = |seed| state.search(&player, None, seed, &stop).unwrap();
        assert_eq!(report(1).simulations, 0, "{text}");
        let played: BTreeSet<String> = (0..200).map(|seed| report(seed).best).collect();
        assert_eq!(played, legal.iter().cloned().collect(), "{text}");
    }
}
