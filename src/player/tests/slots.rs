//! The slots `root` and `backup` in real searches: alive, neutral where they should be, refused where they cannot work,
//! and in company of every member of the other slots.

use super::*;
use crate::search::Report;
use crate::spec::PartInfo;

const MEN: &str = "breakthrough(rows=5, columns=5)";

fn rules() -> Arc<Rules<Havannah>> {
    Arc::new(Rules { game: Havannah::new(4, false), misere: false })
}

fn report(game: &str, player: &str, simulations: u64) -> session::TextReport {
    let game = catalogue::read(Family::Game, game).unwrap();
    let player = catalogue::read(Family::Player, player).unwrap();
    let state = session::start(&game, None, 1).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    state.search(&player, Some(Limit::simulations(simulations)), 1, &stop).unwrap()
}

#[test]
fn halving_gives_the_visits_of_its_plan_on_every_game() {
    for game in
        ["havannah(size=3)", "breakthrough", "domineering", "nogo", "atari_go", "misere(knightthrough)"]
    {
        for player in ["mcts(root=halving)", "rave(root=halving, expansion=all, transpositions=true)"] {
            let found = report(game, player, 500);
            let (moves, mut target) = (found.moves.len() as u64, 0);
            let rounds = u64::from(moves.next_power_of_two().trailing_zeros());
            // By hand: the targets of the rounds, and how many moves are left in each.
            let (mut expected, mut left) = (Vec::new(), moves);
            for _ in 0..rounds {
                target += 500 / (left * rounds);
                let stay = left.div_ceil(2).max(2);
                expected.extend(std::iter::repeat_n(target, (left - stay) as usize));
                left = stay;
                if left == 2 {
                    break;
                }
            }
            let visits: Vec<u64> = found.moves.iter().rev().map(|stat| stat.visits).collect();
            assert_eq!(visits[..expected.len()], expected, "{player} in {game}");
            assert_eq!(visits.iter().sum::<u64>(), 500);
            let last = &found.moves[..2];
            assert!(
                last[0].visits - last[1].visits <= 1,
                "{player} in {game}: {} {}",
                last[0].visits,
                last[1].visits
            );
            let best = last.iter().max_by(|one, other| one.value.partial_cmp(&other.value).unwrap()).unwrap();
            assert_eq!(found.best, best.name, "{player} in {game}");
        }
    }
}

#[test]
fn halving_is_alive() {
    assert_ne!(visits("mcts(root=halving)"), visits("mcts"));
    // Piece by piece it is the same plan.
    let rules = rules();
    let spec = catalogue::read(Family::Player, "mcts(root=halving)").unwrap();
    let player = catalogue::build_player(&spec, &rules).unwrap();
    let state = rules.game.initial_state(&mut Rng::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let whole = |pieces: &[u64]| -> Report {
        let mut search = player.think(&rules, &state, Rng::new(7)).unwrap();
        let mut rest = pieces.iter().sum::<u64>();
        for &piece in pieces {
            search.run_part(&Limit::simulations(piece), &Limit::simulations(rest), &stop);
            rest -= piece;
        }
        search.report()
    };
    let seen = |report: Report| report.moves.iter().map(|stat| (stat.mv, stat.visits)).collect::<Vec<_>>();
    assert_eq!(seen(whole(&[600])), seen(whole(&[1, 99, 500])));
}

#[test]
fn a_search_without_a_number_says_that_halving_cannot_plan() {
    let rules = rules();
    let spec = catalogue::read(Family::Player, "mcts(root=halving)").unwrap();
    let player = catalogue::build_player(&spec, &rules).unwrap();
    let state = rules.game.initial_state(&mut Rng::new(0));
    let mut search = player.think(&rules, &state, Rng::new(7)).unwrap();
    let limit = Limit { states: Some(2000), ..Limit::default() };
    search.run(&limit, &Arc::new(AtomicBool::new(false)));
    let notes = search.report().notes;
    assert!(notes[0].starts_with("root=halving needs a number of simulations"), "{notes:?}");
}

#[test]
fn a_kept_tree_is_planned_anew_and_its_visits_are_spent() {
    let rules = rules();
    let spec = catalogue::read(Family::Player, "mcts(root=halving, reuse=true)").unwrap();
    let player = catalogue::build_player(&spec, &rules).unwrap();
    let state = rules.game.initial_state(&mut Rng::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let mut search = player.think(&rules, &state, Rng::new(7)).unwrap();
    search.run(&Limit::simulations(2000), &stop);
    let line = search.report().line;
    let mut next = state.clone();
    line[..2].iter().for_each(|&mv| rules.game.play(&mut next, mv));
    assert!(search.advance(&line[..2], next, Rng::new(8)));
    let brought: u64 = search.report().moves.iter().map(|stat| stat.visits).sum();
    search.run(&Limit::simulations(2000), &stop);
    let visits: Vec<u64> = search.report().moves.iter().map(|stat| stat.visits).collect();
    assert_eq!((brought > 0, visits.iter().sum::<u64>()), (true, brought + 2000));
    assert!(visits[0] - visits[1] <= 1 && visits[1] > 2 * visits[3], "{visits:?}");
}

#[test]
fn implicit_minimax_is_alive_and_nothing_without_its_weight() {
    for player in
        ["mcts", "rave", "mcts(solve=true, expansion=all, fpu=0.5)", "mcts(selection=progressive_history)"]
    {
        let with = |more: &str| {
            let name = player.split('(').next().unwrap();
            let rest = player.strip_prefix(name).unwrap().trim_start_matches('(').trim_end_matches(')');
            let comma = if rest.is_empty() { "" } else { ", " };
            visits_after(MEN, &format!("{name}({more}{comma}{rest})"), 400)
        };
        let plain = with("backup=mean");
        assert_eq!(with("backup=implicit_minimax(alpha=0)"), plain, "{player}");
        assert_ne!(with("backup=implicit_minimax"), plain, "{player}");
        assert_ne!(with("backup=implicit_minimax(fade=10)"), with("backup=implicit_minimax"), "{player}");
    }
}

/// With alpha = 1, no exploration and all children at once it is a best-first search on the evaluation: a man that can
/// be taken for nothing is taken.
#[test]
fn the_evaluation_alone_chooses_where_it_has_all_the_weight() {
    let game = catalogue::read(Family::Game, MEN).unwrap();
    let state = session::start(&game, Some("bbbbb/bb.bb/...../..b../wwwww first"), 1).unwrap();
    let player =
        "mcts(selection=uct(k=0), expansion=all, expand_at=0, fpu=1, backup=implicit_minimax(alpha=1))";
    let player = catalogue::read(Family::Player, player).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let report = state.search(&player, Some(Limit::simulations(200)), 1, &stop).unwrap();
    assert!(report.best.contains('x'), "{}", report.best);
}

#[test]
fn what_cannot_be_planned_or_valued_is_refused() {
    let refused = |game: &str, player: &str| {
        let game = catalogue::read(Family::Game, game).unwrap();
        let player = catalogue::read(Family::Player, player).unwrap();
        check_player(&game, &player).unwrap_err().to_string()
    };
    for (game, player, message) in [
        (
            BOARD,
            "mcts(root=halving, seconds=1)",
            "root=halving needs a number of simulations, such as simulations=1000",
        ),
        (
            BOARD,
            "mcts(root=halving, threads=2)",
            "root=halving does not go with threads: it plans for one tree",
        ),
        (
            BOARD,
            "mcts(root=halving, stop_early=true)",
            "root=halving does not go with stop_early=true: its plan ends with the last simulation",
        ),
        (
            BOARD,
            "rave(root=halving, expansion=all, widen=3)",
            "root=halving does not go with widen: it begins with all moves",
        ),
        (
            BOARD,
            "mcts(root=halving, final=score)",
            "root=halving does not go with another final than visits: its plan says what is played",
        ),
        (
            "mr_jack",
            "mcts(root=halving)",
            "mr_jack has hidden information, so there can be no root other than plain",
        ),
        (
            MEN,
            "mcts(candidates=widening, backup=implicit_minimax)",
            "candidates=widening grows nodes child by child, so there can be no backup other than mean",
        ),
        (
            BOARD,
            "mcts(backup=implicit_minimax)",
            "backup implicit_minimax needs a game that says what a position is worth, which havannah does not",
        ),
    ] {
        assert_eq!(refused(game, player), message);
    }
}

/// Every pair of members of different slots either searches or is refused with a reason, on every game.
#[test]
fn members_of_different_slots_search_together_or_refuse() {
    let families =
        [Family::Root, Family::Selection, Family::Playout, Family::Candidates, Family::Backup, Family::Final];
    let members = |family: Family| -> Vec<&'static PartInfo> {
        let all = catalogue::catalogue().parts.iter().filter(move |(of, _)| *of == family);
        all.map(|(_, info)| info).collect()
    };
    let (mut searched, mut refusals) = (0, 0);
    for game in [
        "havannah(size=3)",
        MEN,
        "knightthrough(rows=5, columns=5)",
        "tic_tac_toe",
        "nogo(rows=4, columns=4)",
        "mr_jack",
    ] {
        for (at, &one) in families.iter().enumerate() {
            for &other in &families[at + 1..] {
                for first in members(one) {
                    for second in members(other) {
                        let player =
                            format!("mcts({}={}, {}={})", one.name(), first.name, other.name(), second.name);
                        let (game, spec) = (
                            catalogue::read(Family::Game, game).unwrap(),
                            catalogue::read(Family::Player, &player).unwrap(),
                        );
                        match check_player(&game, &spec) {
                            Err(error) => {
                                assert!(error.to_string().len() > 20, "{player}: {error}");
                                refusals += 1;
                            }
                            Ok(()) => {
                                let state = session::start(&game, None, 1).unwrap();
                                let stop = Arc::new(AtomicBool::new(false));
                                let limit = Limit { states: Some(600), ..Limit::simulations(6) };
                                let report = state.search(&spec, Some(limit), 1, &stop).unwrap();
                                assert!(report.simulations <= 6, "{player}");
                                searched += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(searched > 800 && refusals > 200, "{searched} searched, {refusals} refused");
}
