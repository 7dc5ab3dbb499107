//! Every policy in a real search: it is alive, it plays as it did, its tables are right, it refuses what is wrong.

mod budgets;
mod cases;
mod slots;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::cases::CASES;

use crate::catalogue;
use crate::game::{Rules, Variant};
use crate::games::havannah::Havannah;
use crate::search::Search;
use crate::session::{self, check_player};
use crate::spec::Family;
use crate::tree::{Amaf, ROOT};
use crate::types::{Limit, Move, Rng, Side};

const BOARD: &str = "havannah(size=4)";

/// Root visits in the order of the legal moves after so many simulations, seed 1.
fn visits_after(game: &str, player: &str, simulations: u64) -> Vec<u64> {
    let game = catalogue::read(Family::Game, game).unwrap();
    let player = catalogue::read(Family::Player, player).unwrap();
    let state = session::start(&game, None, 1).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let report = state.search(&player, Some(Limit::simulations(simulations)), 1, &stop).unwrap();
    let names = state.legal_moves("standard").unwrap();
    let count = |name: &String| report.moves.iter().find(|stat| stat.name == *name).map_or(0, |s| s.visits);
    names.iter().map(count).collect()
}

fn visits(player: &str) -> Vec<u64> {
    visits_after(BOARD, player, 400)
}

#[test]
fn every_policy_is_alive() {
    let dead = CASES.iter().filter(|case| visits(case.with) == visits(case.without));
    let dead: Vec<&str> = dead.map(|case| case.with).collect();
    assert!(dead.is_empty(), "these do nothing: {dead:?}");
}

#[test]
fn every_policy_plays_as_it_did() {
    let mut changed = String::new();
    for case in CASES {
        let visits = visits(case.with);
        if visits != case.golden {
            changed.push_str(&format!("{}\n            {visits:?}\n", case.with));
        }
    }
    assert!(changed.is_empty(), "play has changed:\n{changed}");
}

// On a larger board no double threat is near the root.
#[test]
fn double_threats_are_alive() {
    let board = "havannah(size=3)";
    let seen = visits_after(board, "rave(tactics=solver+threats(doubles=true))", 400);
    assert_ne!(seen, visits_after(board, "rave(tactics=solver+threats)", 400));
    assert_eq!(seen, [71, 1, 3, 1, 1, 24, 1, 1, 1, 1, 1, 113, 1, 1, 1, 1, 41, 2, 134]);
}

#[test]
fn transpositions_share_nodes() {
    let board = "havannah(size=3)";
    let shared = visits_after(board, "rave(transpositions=true)", 3000);
    assert_ne!(shared, visits_after(board, "rave", 3000));
    assert_eq!(shared.iter().sum::<u64>(), 3000);
    assert_eq!(shared, [89, 1, 28, 1, 1, 11, 1, 3, 1, 1, 1, 40, 1, 1, 1, 11, 43, 5, 2760]);
    let (_, with) = search(3, "rave(transpositions=true)", 3000);
    let (_, without) = search(3, "rave", 3000);
    let edges_to_nodes = |search: &Search<Havannah>| {
        let tree = search.tree();
        let nodes = 0..tree.node_count() as u32;
        nodes.flat_map(|node| tree.children(node)).filter(|&edge| tree.behind(edge).is_some()).count()
    };
    assert_eq!(edges_to_nodes(&without) + 1, without.tree().node_count());
    assert!(edges_to_nodes(&with) + 1 > with.tree().node_count());
    // Every visit of an edge is one of the node behind it, whichever edge it came by.
    let tree = with.tree();
    let mut through = vec![0; tree.node_count()];
    for edge in (0..tree.node_count() as u32).flat_map(|node| tree.children(node)) {
        if let Some(node) = tree.behind(edge) {
            through[node as usize] += tree.visits(edge);
        }
    }
    for (node, &visits) in through.iter().enumerate().skip(1) {
        assert_eq!(tree.node(node as u32).visits, visits, "node {node}");
    }
}

fn search(size: usize, player: &str, simulations: u64) -> (Arc<Variant<Havannah>>, Search<Havannah>) {
    let variant = Arc::new(Variant { game: Havannah::new(size, false), misere: false });
    let spec = catalogue::read(Family::Player, player).unwrap();
    let player = catalogue::build_player(&spec, &variant).unwrap();
    let state = variant.game.initial_state(&mut Rng::new(1));
    let mut search = player.think(&variant, &state, Rng::new(1)).unwrap();
    search.keep_log();
    search.run(&Limit::simulations(simulations), &Arc::new(AtomicBool::new(false)));
    (variant, search)
}

/// AMAF of the node that `line` leads to, counted again from every logged simulation that passed through it after
/// the node was made.
fn recount(search: &Search<Havannah>, line: &[Move], slots: usize, skip: usize) -> [Vec<Amaf>; 2] {
    let mut rows = [vec![Amaf::default(); slots], vec![Amaf::default(); slots]];
    let passing = search.log().iter().filter(|logged| {
        logged.tree_moves >= line.len() && logged.moves.iter().zip(line).all(|((mv, _), at)| mv == at)
    });
    for logged in passing.skip(skip) {
        for &(mv, side) in &logged.moves[line.len()..] {
            let entry = &mut rows[side.index()][mv.0 as usize];
            entry.visits += 1.0;
            entry.score += if side == Side::First { logged.value } else { 1.0 - logged.value };
        }
    }
    rows
}

#[test]
fn amaf_tables_equal_a_recount_from_the_log() {
    for (player, both) in [
        ("rave", false),
        ("mcts(selection=rave(amaf=raw, k=0), expansion=all(at=5), fpu=1.0)", false),
        ("fossel_er", true),
    ] {
        let (variant, search) = search(4, player, 2000);
        let tree = search.tree();
        let slots = variant.game.slots();
        let [first, second] = recount(&search, &[], slots, 0);
        assert_eq!(tree.amaf(ROOT), first, "{player}");
        if both {
            assert_eq!(tree.amaf_other(ROOT), second, "{player}");
        }
        // The nodes below the root; made once the edge has visits enough, they count from that simulation on.
        let skip = if player.contains("all(at=5)") { 4 } else { 0 };
        let mut nodes = 0;
        for edge in tree.children(ROOT) {
            let Some(node) = tree.behind(edge) else { continue };
            let [first, second] = recount(&search, &[tree.mv(edge)], slots, skip);
            assert_eq!(tree.amaf(node), second, "{player}, after {:?}", tree.mv(edge));
            if both {
                assert_eq!(tree.amaf_other(node), first, "{player}, after {:?}", tree.mv(edge));
            }
            nodes += 1;
        }
        assert!(nodes > 1, "{player} has grown no tree");
    }
}

#[test]
fn policies_refuse_games_without_what_they_need() {
    let domineering = catalogue::read(Family::Game, "domineering").unwrap();
    for (player, message) in [
        (
            "mcts(selection=proximity(of=uct))",
            "selection proximity needs distances, which domineering does not offer",
        ),
        ("mcts(playout=mate)", "playout mate needs completing cells, which domineering does not offer"),
        ("mcts(playout=corner_bias)", "playout corner_bias needs corners, which domineering does not offer"),
        ("mcts(playout=proximity)", "playout proximity needs distances, which domineering does not offer"),
        ("mcts(playout=patterns)", "playout patterns needs small patterns, which domineering does not offer"),
    ] {
        let spec = catalogue::read(Family::Player, player).unwrap();
        assert_eq!(check_player(&domineering, &spec).unwrap_err().to_string(), message);
    }
    let misere = catalogue::read(Family::Game, "misere(havannah)").unwrap();
    let mate = catalogue::read(Family::Player, "mcts(playout=mate)").unwrap();
    let error = check_player(&misere, &mate).unwrap_err().to_string();
    assert_eq!(error, "playout mate needs completing cells, which misere havannah does not offer");
    let keep = catalogue::read(Family::Player, "mcts(selection=progressive_history(keep=true))").unwrap();
    let error = check_player(&domineering, &keep).unwrap_err().to_string();
    assert_eq!(
        error,
        "selection=progressive_history does not go with reuse=false: keep=true keeps its table with the \
         tree; allowed: \
         reuse=true"
    );
}

#[test]
fn what_the_authors_program_does_not_do_is_refused_beside_published() {
    let havannah = catalogue::read(Family::Game, "havannah").unwrap();
    let reply = "last_good_reply: published=true is one table learnt from whole simulations, so there can be no \
                 scope=per_node and no learn=playout";
    for (playout, message) in [
        ("last_good_reply(published=true, scope=per_node)", reply),
        ("last_good_reply(published=true, learn=playout)", reply),
        ("nast(published=true, n=3)", "nast: published=true knows pairs only, so there can be no n=3"),
    ] {
        let spec = catalogue::read(Family::Player, &format!("rave(playout={playout})")).unwrap();
        assert_eq!(check_player(&havannah, &spec).unwrap_err().to_string(), message);
    }
}

#[test]
fn parts_that_want_amaf_from_different_moves_are_refused() {
    let havannah = catalogue::read(Family::Game, "havannah").unwrap();
    let checked = |player: &str| {
        let spec = catalogue::read(Family::Player, player).unwrap();
        check_player(&havannah, &spec).map_err(|error| error.to_string())
    };
    let message = "the policies of a search share one AMAF table, learnt from whole simulations or from the moves made in \
                   the tree: give all that read it the same learn=simulation or learn=tree";
    for player in [
        "rave(selection=rave(learn=tree), playout=ppr)",
        "rave(playout=ppr(learn=tree))",
        "mcts(selection=proximity(of=rave(learn=tree)), playout=pool_rave+mast)",
        "mcts(playout=pool_rave+rave_playout(learn=tree))",
        "mcts(playout=nested(base=pool_rave+ppr(learn=tree)))",
        "nested(base=pool_rave+ppr(learn=tree))",
    ] {
        assert_eq!(checked(player), Err(message.to_string()), "{player}");
    }
    for player in [
        "rave(selection=rave(learn=tree), playout=ppr(learn=tree))",
        "mcts(selection=extended_rave(learn=tree), playout=rave_playout(learn=tree))",
        // Without a list the playout reads no AMAF.
        "rave(selection=rave(learn=tree), playout=ppr(list=false))",
        "mcts(selection=uct, playout=pool_rave(learn=tree))",
    ] {
        assert_eq!(checked(player), Ok(()), "{player}");
    }
}

#[test]
fn every_parameter_out_of_range_is_refused_with_its_range() {
    use crate::spec::Kind;
    for (family, info) in &catalogue::catalogue().parts {
        if !matches!(family, Family::Selection | Family::Playout | Family::Candidates) {
            continue;
        }
        for option in info.options {
            let wrong = match option.kind {
                Kind::Int { min, max } => vec![(min - 1).to_string(), (max + 1).to_string()],
                Kind::Real { min, max } => vec![format!("{:?}", min - 1.0), format!("{:?}", max * 2.0 + 1.0)],
                Kind::Choice(_) => vec!["nonsense".to_string()],
                Kind::Bool => vec!["3".to_string()],
                _ => continue,
            };
            for value in wrong {
                let text = format!("{}({}={value})", info.name, option.name);
                let error = catalogue::read(*family, &text).unwrap_err().to_string();
                let expected = format!("{}: {}={value} is not allowed", info.name, option.name);
                assert!(error.starts_with(&expected), "{error}");
                assert!(error.ends_with(&option.allowed()), "{error}");
            }
        }
    }
}

#[test]
fn tables_are_shown_for_what_the_player_uses() {
    let names = |player: &str| -> Vec<&'static str> {
        let (variant, search) = search(3, player, 300);
        let tables = search.tables();
        for table in &tables {
            assert_eq!(table.values.len(), variant.game.slots(), "{player}: {}", table.name);
            assert!(table.values.iter().any(Option::is_some), "{player}: {} is empty", table.name);
        }
        tables.iter().map(|table| table.name).collect()
    };
    assert_eq!(names("uct"), ["visits", "value"]);
    assert_eq!(names("ppr"), ["visits", "value", "amaf", "kept"]);
    assert_eq!(names("pool_rave"), ["visits", "value", "amaf", "pool"]);
    assert_eq!(names("lgrf1"), ["visits", "value", "amaf", "reply", "reply"]);
    assert_eq!(names("mast"), ["visits", "value", "amaf", "mast", "mast"]);
    assert_eq!(names("nast2"), ["visits", "value", "amaf", "nast", "nast"]);
    assert_eq!(names("mast_published"), ["visits", "value", "amaf", "mast"]);
    assert_eq!(names("contextual"), ["visits", "value", "amaf", "tile", "tile"]);
    assert_eq!(names("fossel_ph"), ["visits", "value", "history", "history"]);
    assert_eq!(names("fossel_rave_playout"), ["visits", "value", "amaf", "amaf", "weight"]);
}
