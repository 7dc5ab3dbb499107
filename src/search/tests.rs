//! Threats, priors, early stops and the shared tree, in real searches.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Report, Search};
use crate::catalogue;
use crate::forcing::Forcing;
use crate::game::{AmafExempt, FastPlay, Offers, Present, Rules, Threat, Variant};
use crate::games::havannah::{Havannah, State};
use crate::player::Request;
use crate::prior::PRIOR;
use crate::session::{self, check_player};
use crate::solver;
use crate::spec::Family;
use crate::tree::{Proof, ROOT, Tree};
use crate::types::{Limit, Move, Outcome, Rng, Side};

const SOLVER: &str = "rave(tactics=solver+threats)";

pub(super) fn variant(size: usize) -> Arc<Variant<Havannah>> {
    Arc::new(Variant { game: Havannah::new(size, false), misere: false })
}

fn thinking(variant: &Arc<Variant<Havannah>>, state: &State, player: &str, seed: u64) -> Search<Havannah> {
    let spec = catalogue::read(Family::Player, player).unwrap();
    catalogue::build_player(&spec, variant).unwrap().think(variant, state, Rng::new(seed)).unwrap()
}

pub(super) fn searched(
    variant: &Arc<Variant<Havannah>>,
    state: &State,
    player: &str,
    simulations: u64,
) -> Search<Havannah> {
    let mut search = thinking(variant, state, player, 1);
    search.run(&Limit::simulations(simulations), &Arc::new(AtomicBool::new(false)));
    search
}

pub(super) fn after(game: &Havannah, cells: &[u32]) -> State {
    let mut state = game.initial_state(&mut Rng::new(0));
    cells.iter().for_each(|&cell| game.play(&mut state, Move(cell)));
    state
}

/// A random position with `stones` stones in which the game is not over.
fn random_position(variant: &Variant<Havannah>, stones: usize, rng: &mut Rng) -> State {
    loop {
        let mut state = variant.game.initial_state(rng);
        for _ in 0..stones {
            if variant.outcome(&state).is_some() {
                break;
            }
            let mv = variant.game.random_move(&state, rng);
            variant.game.play(&mut state, mv);
        }
        if variant.outcome(&state).is_none() {
            return state;
        }
    }
}

#[test]
fn a_win_in_one_move_is_played_without_a_search() {
    // White holds 0, 1, 2 of the first row of size 4: 3 completes a bridge.
    let variant = variant(4);
    let search = searched(&variant, &after(&variant.game, &[0, 20, 1, 22, 2, 24]), SOLVER, 1000);
    assert_eq!(search.root_proof(), Proof::Win);
    assert_eq!((search.report().best, search.report().simulations), (Move(3), 1));
}

#[test]
fn a_single_threat_is_answered() {
    let variant = variant(4);
    let state = after(&variant.game, &[0, 20, 1, 22, 2]);
    let search = searched(&variant, &state, SOLVER, 200);
    let moves: Vec<Move> = search.report().moves.iter().map(|stat| stat.mv).collect();
    assert_eq!(moves, [Move(3)]);
    // Without the look at threats every move is searched.
    assert!(searched(&variant, &state, "rave(tactics=solver)", 200).report().moves.len() > 1);
}

#[test]
fn one_of_two_threats_is_still_answered_at_the_root() {
    let variant = variant(4);
    let mut rng = Rng::new(3);
    let mut seen = 0;
    for _ in 0..3000 {
        let state = random_position(&variant, 16, &mut rng);
        let completions = variant.completions().unwrap();
        let side = variant.game.side_to_move(&state);
        let (mut own, mut other) = (Vec::new(), Vec::new());
        completions.completing(&state, side, None, &mut own);
        completions.completing(&state, side.other(), None, &mut other);
        if !own.is_empty() || other.len() < 2 {
            continue;
        }
        seen += 1;
        let report = searched(&variant, &state, SOLVER, 50).report();
        assert!(other.contains(&report.best), "one of the threats is answered");
    }
    assert!(seen > 20, "{seen}");
}

/// Searches random late positions with proofs and compares every proven move with the exact solver. Says what it
/// rested on, for docs/measured/proofs.md.
pub(super) fn compare_with_the_solver(
    size: usize,
    stones: std::ops::Range<usize>,
    positions: usize,
    player: &str,
) {
    let variant = variant(size);
    let stop = Arc::new(AtomicBool::new(false));
    let mut rng = Rng::new(size as u64);
    let (mut proven, mut values, mut deep) = (0, [0; 3], 0);
    for _ in 0..positions {
        let state = random_position(&variant, stones.start + rng.below(stones.len()), &mut rng);
        let search = searched(&variant, &state, player, 300);
        let found = search.report().moves;
        if found.iter().all(|stat| stat.proof == Proof::None) {
            continue;
        }
        let exact = solver::solve(&variant, &state, &Limit::default(), 1 << 24, &stop, &mut |_| {}).unwrap();
        for stat in found.iter().filter(|stat| stat.proof != Proof::None) {
            let (_, value) = exact.moves.iter().find(|(mv, _)| *mv == stat.mv).unwrap();
            assert_eq!(stat.proof, *value, "{:?} in {}", stat.mv, variant.game.state_text(&state));
            proven += 1;
        }
        if search.root_proof() != Proof::None {
            assert_eq!(search.root_proof(), exact.value, "{}", variant.game.state_text(&state));
            let kinds = [Proof::Win, Proof::Draw, Proof::Loss];
            values[kinds.iter().position(|&kind| kind == exact.value).unwrap()] += 1;
            let mut wins = Vec::new();
            let side = variant.game.side_to_move(&state);
            variant.completions().unwrap().completing(&state, side, None, &mut wins);
            deep += usize::from(wins.is_empty());
        }
    }
    let [won, drawn, lost] = values;
    println!(
        "size {size}, {player}: {positions} positions of {stones:?} stones; {proven} moves and {} positions proven \
         ({won} won, {drawn} drawn, {lost} lost), {deep} of them without a win in one move",
        won + drawn + lost
    );
    assert!(proven > positions / 4, "{proven} proofs in {positions} positions");
}

#[test]
fn proofs_agree_with_the_solver() {
    compare_with_the_solver(4, 20..34, 150, SOLVER);
    compare_with_the_solver(5, 47..58, 50, SOLVER);
    compare_with_the_solver(
        4,
        16..30,
        60,
        "strong(tactics=solver(play_on_when_lost=true)+threats(doubles=true)+forcing(at=20, tries=1000))",
    );
}

#[test]
#[ignore = "evidence: minutes"]
fn proofs_agree_with_the_solver_on_many_positions() {
    for player in [SOLVER, "strong"] {
        compare_with_the_solver(4, 18..34, 5000, player);
        compare_with_the_solver(5, 45..58, 5000, player);
    }
}

#[test]
fn wins_by_threats_alone_are_proven_at_once() {
    let variant = variant(5);
    let mut rng = Rng::new(11);
    let (mut at_the_root, mut fewer) = (0, 0);
    for _ in 0..60 {
        let state = random_position(&variant, 22, &mut rng);
        let plain = searched(&variant, &state, SOLVER, 3000);
        let forcing =
            searched(&variant, &state, "rave(tactics=solver+threats+forcing(at=30, tries=500))", 3000);
        let line = Forcing::default().win(&variant, &state, 500);
        if let Some(mv) = line.as_ref().and_then(|line| line.first()) {
            let report = forcing.report();
            assert_eq!((forcing.root_proof(), report.best, report.simulations), (Proof::Win, *mv, 1));
            at_the_root += (plain.simulations() > 1) as u32;
        } else {
            // The sequences begin below the root.
            fewer += (forcing.simulations() < plain.simulations()) as u32;
        }
    }
    assert!(at_the_root > 3 && fewer > 3, "{at_the_root} {fewer}");
}

#[test]
fn two_threats_are_made_or_met() {
    const DOUBLES: &str = "rave(tactics=solver+threats(doubles=true))";
    let variant = variant(5);
    let completions = variant.completions().unwrap();
    let mut rng = Rng::new(13);
    let (mut won, mut met, mut fewer) = (0, 0, 0);
    for _ in 0..200 {
        let state = random_position(&variant, 20, &mut rng);
        let side = variant.game.side_to_move(&state);
        let mut completing = Vec::new();
        Side::BOTH.iter().for_each(|&side| completions.completing(&state, side, None, &mut completing));
        if !completing.is_empty() {
            continue;
        }
        let doubles_of = |side| {
            let mut threats = Vec::new();
            completions.threatening(&state, side, &mut threats);
            threats.retain(Threat::is_double);
            threats
        };
        let search = searched(&variant, &state, DOUBLES, 400);
        let (own, theirs) = (doubles_of(side), doubles_of(side.other()));
        if let Some(double) = own.first() {
            let report = search.report();
            assert_eq!((search.root_proof(), report.best, report.simulations), (Proof::Win, double.mv, 1));
            won += 1;
        } else if !theirs.is_empty() {
            let best = search.report().best;
            met += theirs.iter().all(|double| double.is_met_by(best)) as u32;
            let edges = |tree: &Tree| tree.children(ROOT).len() + tree.untried(ROOT).len();
            fewer += (edges(search.tree()) < edges(searched(&variant, &state, SOLVER, 400).tree())) as u32;
        }
    }
    assert!(won > 5 && met > 5 && fewer > 5, "{won} {met} {fewer}");
}

/// A position of size 4 in which the side to move has lost, which a search with proofs finds.
fn lost_position(variant: &Arc<Variant<Havannah>>) -> State {
    let mut rng = Rng::new(29);
    loop {
        let state = random_position(variant, 16, &mut rng);
        let search = searched(variant, &state, SOLVER, 2000);
        if search.root_proof() == Proof::Loss && search.simulations() > 50 {
            return state;
        }
    }
}

#[test]
fn a_lost_position_is_searched_to_the_end_of_the_budget() {
    let variant = variant(4);
    let state = lost_position(&variant);
    let plain = searched(&variant, &state, SOLVER, 5000);
    assert!(plain.simulations() < 2000);
    for player in ["", ", threads=2, parallel=tree"] {
        let player = format!("rave(tactics=solver(play_on_when_lost=true)+threats{player})");
        let mut search = searched(&variant, &state, &player, 5000);
        let report = search.report();
        assert_eq!((search.root_proof(), report.simulations), (Proof::Loss, 5000), "{player}");
        assert!(report.moves.iter().all(|stat| stat.proof == Proof::Loss));
        // The new tree has what was not needed for the proof.
        let visits: u64 = report.moves.iter().map(|stat| stat.visits).sum();
        assert!((2000..5000).contains(&visits), "{player}: {visits}");
        assert_eq!(report.best, report.moves[0].mv);
        assert!(
            report.notes.iter().any(|note| note.starts_with("the position is lost")),
            "{:?}",
            report.notes
        );
        let mut next = state.clone();
        variant.game.play(&mut next, report.best);
        assert!(!search.advance(&[report.best], next, Rng::new(1)), "proofs must come back");
    }
}

#[test]
fn learnt_patterns_count_where_a_lost_position_is_searched_on() {
    let variant = variant(4);
    let state = lost_position(&variant);
    let expected = |player: &str| -> Vec<(Move, f32)> {
        let search = searched(&variant, &state, player, 3000);
        assert_eq!(search.root_proof() == Proof::Loss, player.contains("play_on"));
        let tree = search.tree();
        let mut priors: Vec<_> =
            tree.children(ROOT).map(|edge| (tree.mv(edge), tree.of_edge(&PRIOR, edge))).collect();
        priors.sort_by_key(|&(mv, _)| mv);
        priors
    };
    for prior in
        ["patterns(weight=0.5)", "knowledge(weight=0.3)+patterns(weight=0.5)", "knowledge(weight=0.3)"]
    {
        let stubborn =
            expected(&format!("rave(tactics=solver(play_on_when_lost=true)+threats, prior={prior})"));
        assert_eq!(stubborn, expected(&format!("rave(prior={prior})")), "{prior}");
        assert!(stubborn.iter().any(|&(_, value)| value != 0.0), "{prior}");
    }
}

// On the smallest board a stone on a corner has two corners beside it; the other side may still take it over.
#[test]
fn a_stone_that_may_be_taken_over_threatens_nothing() {
    let variant = Arc::new(Variant { game: Havannah::new(2, true), misere: false });
    let state = after(&variant.game, &[0]);
    let mut legal = Vec::new();
    variant.game.legal_moves(&state, &mut legal);
    let search = searched(&variant, &state, "rave(tactics=solver+threats(doubles=true))", 200);
    let moves: Vec<Move> = search.report().moves.iter().map(|stat| stat.mv).collect();
    assert!(legal.iter().all(|mv| moves.contains(mv)), "{moves:?}");
}

#[test]
fn other_games_see_a_win_in_one_move() {
    let game = catalogue::read(Family::Game, "breakthrough(rows=5, columns=5)").unwrap();
    let player = catalogue::read(Family::Player, "uct(tactics=solver+threats)").unwrap();
    assert!(check_player(&game, &player).is_ok());
    // Three men in a row are one move away on the first line.
    let game = catalogue::read(Family::Game, "tic_tac_toe").unwrap();
    let mut state = session::start(&game, None, 1).unwrap();
    for name in ["a1", "a2", "b1", "b2"] {
        state.play(name, "standard").unwrap();
    }
    let stop = Arc::new(AtomicBool::new(false));
    let report = state.search(&player, Some(Limit::simulations(100)), 1, &stop).unwrap();
    assert_eq!((report.best.as_str(), report.simulations), ("c1", 1));
}

#[test]
fn stopping_early_never_changes_the_move() {
    let variant = variant(4);
    let mut rng = Rng::new(7);
    let mut saved = 0;
    for _ in 0..20 {
        let state = random_position(&variant, 10, &mut rng);
        let whole = searched(&variant, &state, "rave", 2000).report();
        let short = searched(&variant, &state, "rave(stop_early=true)", 2000).report();
        assert_eq!(whole.best, short.best);
        saved += whole.simulations - short.simulations;
    }
    assert!(saved > 1000, "{saved}");
}

fn played(player: &str, limit: Limit) -> Report {
    let variant = variant(5);
    let state = variant.game.initial_state(&mut Rng::new(0));
    let spec = catalogue::read(Family::Player, player).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let request = Request {
        variant: &variant,
        state: &state,
        moves: &[],
        rng: Rng::new(5),
        limit: Some(limit),
        stop: &stop,
    };
    catalogue::build_player(&spec, &variant).unwrap().choose(&request).unwrap()
}

#[test]
fn a_shared_tree_counts_every_simulation_once() {
    for threads in [2, 3] {
        let player = format!("rave(threads={threads}, parallel=tree)");
        let report = played(&player, Limit::simulations(5000));
        assert_eq!(report.simulations, 5000);
        assert_eq!(report.moves.iter().map(|stat| stat.visits).sum::<u64>(), 5000);
        let score: f64 = report.moves.iter().map(|stat| stat.score).sum();
        assert!(score > 0.0 && score < 5000.0);
    }
    let timed = played("strong(threads=2, parallel=tree)", Limit { seconds: Some(0.05), ..Limit::default() });
    assert!(timed.simulations > 0 && timed.seconds >= 0.05);
}

#[test]
fn a_shared_tree_stops_when_it_is_told_to() {
    let variant = variant(5);
    let state = variant.game.initial_state(&mut Rng::new(0));
    let spec = catalogue::read(Family::Player, "rave(threads=2, parallel=tree)").unwrap();
    let stop = Arc::new(AtomicBool::new(true));
    let limit = Some(Limit::simulations(1 << 40));
    let request =
        Request { variant: &variant, state: &state, moves: &[], rng: Rng::new(5), limit, stop: &stop };
    let report = catalogue::build_player(&spec, &variant).unwrap().choose(&request).unwrap();
    assert_eq!(report.simulations, 0);
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    let refused = |game: &str, player: &str| {
        let game = catalogue::read(Family::Game, game).unwrap();
        let player = catalogue::read(Family::Player, player).unwrap();
        check_player(&game, &player).unwrap_err().to_string()
    };
    assert_eq!(
        refused("havannah", "rave(tactics=threats)"),
        "tactics=threats needs the solver, solver+threats: what it finds is proven"
    );
    assert_eq!(
        refused("havannah", "rave(tactics=solver+forcing(at=10))"),
        "tactics=forcing needs solver+threats before it: it begins where no threat is open"
    );
    assert_eq!(
        refused("misere(havannah)", "rave(tactics=solver+threats(doubles=true))"),
        "threats(doubles=true) needs completing cells, which misere havannah does not offer"
    );
    assert_eq!(
        refused("nogo", "uct(tactics=solver+threats+forcing(at=10))"),
        "forcing needs completing cells, which nogo does not offer"
    );
    assert_eq!(
        refused("havannah", "rave(stop_early=true, final=score)"),
        "stop_early=true does not go with final=score: a score can always be caught; allowed: final=visits"
    );
    assert_eq!(
        refused("domineering", "uct(prior=knowledge(weight=1))"),
        "prior knowledge needs a game that knows its good moves, which domineering does not"
    );
    assert_eq!(
        refused("misere(havannah)", "uct(prior=knowledge(weight=1))"),
        "prior knowledge needs a game that knows its good moves, which misere havannah does not"
    );
    assert_eq!(
        refused("domineering", "uct(prior=patterns)"),
        "prior patterns needs small patterns, which domineering does not offer"
    );
    assert_eq!(
        refused("misere(havannah)", "mcts(playout=patterns)"),
        "playout patterns needs small patterns, which misere havannah does not offer"
    );
    assert_eq!(
        refused("havannah", "uct(prior=patterns, candidates=widening)"),
        "prior=patterns does not go with candidates=widening, with which nodes grow child by child: it is \
         asked of all moves of a node; allowed: prior=none"
    );
    assert_eq!(
        refused("domineering", "mcts(playout=bridge)"),
        "playout bridge needs bridges, which domineering does not offer"
    );
}

#[test]
fn learnt_patterns_are_added_to_what_the_game_expects() {
    let variant = variant(4);
    let state = variant.game.initial_state(&mut Rng::new(0));
    let patterns = variant.patterns().unwrap();
    let file: serde_json::Value = serde_json::from_str(patterns.shipped()).unwrap();
    let logarithm = |name: &str| file["patterns"][name][1].as_f64().unwrap().clamp(0.02, 50.0).ln() as f32;
    let expected = |player: &str| -> Vec<f32> {
        let search = searched(&variant, &state, player, 10);
        let mut edges: Vec<_> = search.tree().children(ROOT).collect();
        edges.sort_by_key(|&edge| search.tree().mv(edge));
        edges.into_iter().map(|edge| search.tree().of_edge(&PRIOR, edge)).collect()
    };
    let by_both = expected("rave(expansion=all(at=0), prior=knowledge(weight=0.3)+patterns(weight=0.5))");
    let by_game = expected("rave(expansion=all(at=0), prior=knowledge(weight=0.3))");
    let by_patterns = expected("rave(expansion=all(at=0), prior=patterns(weight=0.5))");
    for cell in 0..37 {
        let name = match variant.game.board().cells[cell].kind.name() {
            "corner" => "...###",
            _ if patterns.code(&state, Side::First, Move(cell as u32)).unwrap() >= 729 => "....##",
            _ => "......",
        };
        assert!((by_patterns[cell] - 0.5 * logarithm(name)).abs() < 1e-5, "{cell} {name}");
        assert!((by_both[cell] - by_game[cell] - by_patterns[cell]).abs() < 1e-5, "{cell}");
    }
    assert!(by_patterns[0] != by_patterns[18]);
}

#[test]
fn bridges_are_answered_in_the_other_cell() {
    // On size 4 the centre is 18; its neighbours 11, 12 above and 17, 19 beside.
    let game = Havannah::new(4, false);
    let (distances, bridges) = (game.distances().unwrap(), game.bridges().unwrap());
    let name = |text: &str| game.parse_move(&game.initial_state(&mut Rng::new(0)), text).unwrap();
    let mut answered = 0;
    // Every pair of cells with two common neighbours, and an intrusion into each of them.
    for one in 0..37 {
        for two in 0..one {
            let around = |cell: u32| distances.around(Move(cell), 1).to_vec();
            if around(one).contains(&Move(two)) {
                continue;
            }
            let common: Vec<Move> = around(one).into_iter().filter(|mv| around(two).contains(mv)).collect();
            let [first, second] = common[..] else { continue };
            for (intrusion, reply) in [(first, second), (second, first)] {
                let far = (0..37).find(|&cell| ![one, two, first.0, second.0].contains(&cell)).unwrap();
                let state = after(&game, &[one, far, two, intrusion.0]);
                let mut moves = Vec::new();
                bridges.bridge_replies(&state, Side::First, intrusion, &mut moves);
                assert_eq!(moves, [reply], "{one} {two}");
                answered += 1;
            }
        }
    }
    // 37 cells with at most six bridges each, every bridge once, two intrusions.
    assert_eq!(answered, 2 * BRIDGES);
    let taken = after(&game, &[name("a1").0, 20, 22, 24]);
    let mut moves = Vec::new();
    bridges.bridge_replies(&taken, Side::First, Move(24), &mut moves);
    assert!(moves.is_empty());
}

/// Pairs of cells with two common neighbours on size 4: in each of three directions the pairs that lie
/// two diagonal steps apart.
const BRIDGES: usize = 72;

#[test]
fn a_prior_knows_neighbours_joined_sides_and_replies() {
    let game = Havannah::new(4, false);
    let distances = game.distances().unwrap();
    let mut values = Vec::new();
    let empty = game.initial_state(&mut Rng::new(0));
    let all: Vec<Move> = (0..37).map(Move).collect();
    game.priors().unwrap().priors(&empty, None, &all, &mut values);
    // On the empty board a corner is worth two sides, a side one, the rest nothing.
    let corners = game.corners().unwrap();
    for (mv, &value) in all.iter().zip(&values) {
        let neighbours = distances.around(*mv, 1).len();
        let expected = match neighbours {
            3 => 2.0 / 3.0,
            4 => 1.0 / 3.0,
            _ => 0.0,
        };
        assert_eq!(neighbours == 3, corners.contains(mv));
        assert!((value - expected).abs() < 1e-6, "{mv:?}: {value}");
    }
    // A stone in the middle: its neighbours and bridges are near.
    let state = after(&game, &[18, 0]);
    game.priors().unwrap().priors(&state, Some(Move(0)), &all, &mut values);
    let near = distances.around(Move(18), 1);
    assert!(near.iter().all(|mv| (values[mv.0 as usize] - 1.0 / 3.0).abs() < 1e-6), "{values:?}");
    // A cell that answers an intrusion into a bridge stands out by 2 from the same position without the answer.
    let common: Vec<Move> = distances.around(Move(18), 2)[6..]
        .iter()
        .find_map(|end| {
            let between = distances.around(*end, 1).iter().filter(|mv| near.contains(mv)).copied();
            let between: Vec<Move> = between.collect();
            (between.len() == 2).then(|| [vec![*end], between].concat())
        })
        .unwrap();
    let [end, intrusion, reply] = common[..] else { panic!("{common:?}") };
    let state = after(&game, &[18, 0, end.0, intrusion.0]);
    let mut forgotten = Vec::new();
    game.priors().unwrap().priors(&state, Some(intrusion), &[reply], &mut values);
    game.priors().unwrap().priors(&state, None, &[reply], &mut forgotten);
    assert!((values[0] - forgotten[0] - 2.0).abs() < 1e-6, "{values:?} {forgotten:?}");
}

#[test]
fn outcomes_of_proven_roots_are_reported() {
    let variant = variant(4);
    let report = searched(&variant, &after(&variant.game, &[0, 20, 1, 22, 2, 24]), SOLVER, 10).report();
    assert_eq!(report.moves[0].proof, Proof::Win);
    let mut state = after(&variant.game, &[0, 20, 1, 22, 2, 24]);
    variant.game.play(&mut state, report.best);
    assert_eq!(variant.outcome(&state), Some(Outcome::Win(Side::First)));
}

#[test]
fn a_run_in_parts_says_when_the_rest_would_change_nothing() {
    let variant = variant(4);
    let stop = Arc::new(AtomicBool::new(false));
    let limit = |simulations| Limit { simulations: Some(simulations), ..Limit::default() };
    let parts = |state: &State, spec: &str, whole: u64| {
        let mut search = searched(&variant, state, spec, 0);
        let mut goes_on = true;
        while goes_on && search.simulations() < whole {
            goes_on = search.run_part(&limit(50), &limit(whole - search.simulations()), &stop);
        }
        (search.simulations(), goes_on)
    };
    let empty = variant.game.initial_state(&mut Rng::new(0));
    assert_eq!(parts(&empty, "strong", 2000), (2000, true));
    // Decided before the end, by what is left of the whole and not of a part: half of it at least was made.
    let (made, goes_on) = parts(&empty, "strong(stop_early=true)", 20_000);
    assert!(!goes_on && (10_000..20_000).contains(&made), "{made}");
    // A single answer, and a proven win, need no second part.
    let (made, goes_on) = parts(&after(&variant.game, &[0, 20, 1, 22, 2]), "strong(stop_early=true)", 20_000);
    assert!(!goes_on && made <= 64, "{made}");
    let (made, goes_on) = parts(&after(&variant.game, &[0, 20, 1, 22, 2, 24]), "strong", 20_000);
    assert!(!goes_on && made <= 50, "{made}");
}

#[test]
fn a_swap_is_heard_and_an_opening_is_judged_by_itself() {
    let variant = Arc::new(Variant { game: Havannah::new(4, true), misere: false });
    let empty = variant.game.initial_state(&mut Rng::new(0));
    assert_eq!(variant.game.amaf_exempt(&empty), AmafExempt::All);
    let opened = after(&variant.game, &[0]);
    assert_eq!(variant.game.amaf_exempt(&opened), AmafExempt::One(Move(37)));
    assert_eq!(variant.game.amaf_exempt(&after(&variant.game, &[0, 37])), AmafExempt::None);
    assert_eq!(variant.game.amaf_exempt(&after(&variant.game, &[0, 1])), AmafExempt::None);
    assert_eq!(Havannah::new(4, false).amaf_exempt(&empty), AmafExempt::None);
    // The least share of the swap, whatever the cell, with a selection that never explores.
    for cell in [0, 12, 18] {
        let report = searched(&variant, &after(&variant.game, &[cell]), "strong", 2500).report();
        let swap = report.moves.iter().find(|stat| stat.mv == Move(37)).unwrap();
        assert!(swap.visits >= 190, "{cell}: {}", swap.visits);
    }
    // Every opening has been tried more than once.
    let report = searched(&variant, &empty, "strong", 2500).report();
    assert!(report.moves.len() == 37 && report.moves.iter().all(|stat| stat.visits > 1));
}
