//! The slots of `mcts` in real searches: `root` and `backup` alive, neutral where they should be, refused where they cannot work,
//! and in company of every member of the other slots.

use std::collections::HashMap;

use super::*;
use crate::game::Rules;
use crate::games;
use crate::player::mcts;
use crate::search::Report;
use crate::spec::{Kind, OptionInfo, PartInfo};

const MEN: &str = "breakthrough(rows=5, columns=5)";

fn variant() -> Arc<Variant<Havannah>> {
    Arc::new(Variant { game: Havannah::new(4, false), misere: false })
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
    let variant = variant();
    let spec = catalogue::read(Family::Player, "mcts(root=halving)").unwrap();
    let player = catalogue::build_player(&spec, &variant).unwrap();
    let state = variant.game.initial_state(&mut Rng::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let whole = |pieces: &[u64]| -> Report {
        let mut search = player.think(&variant, &state, Rng::new(7)).unwrap();
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
    let variant = variant();
    let spec = catalogue::read(Family::Player, "mcts(root=halving)").unwrap();
    let player = catalogue::build_player(&spec, &variant).unwrap();
    let state = variant.game.initial_state(&mut Rng::new(0));
    let mut search = player.think(&variant, &state, Rng::new(7)).unwrap();
    let limit = Limit { states: Some(2000), ..Limit::default() };
    search.run(&limit, &Arc::new(AtomicBool::new(false)));
    let notes = search.report().notes;
    assert!(notes[0].starts_with("root=halving needs a number of simulations"), "{notes:?}");
}

#[test]
fn a_kept_tree_is_planned_anew_and_its_visits_are_spent() {
    let variant = variant();
    let spec = catalogue::read(Family::Player, "mcts(root=halving, reuse=true)").unwrap();
    let player = catalogue::build_player(&spec, &variant).unwrap();
    let state = variant.game.initial_state(&mut Rng::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let mut search = player.think(&variant, &state, Rng::new(7)).unwrap();
    search.run(&Limit::simulations(2000), &stop);
    let line = search.report().line;
    let mut next = state.clone();
    line[..2].iter().for_each(|&mv| variant.game.play(&mut next, mv));
    assert!(search.advance(&line[..2], next, Rng::new(8)));
    let brought: u64 = search.report().moves.iter().map(|stat| stat.visits).sum();
    search.run(&Limit::simulations(2000), &stop);
    let visits: Vec<u64> = search.report().moves.iter().map(|stat| stat.visits).collect();
    assert_eq!((brought > 0, visits.iter().sum::<u64>()), (true, brought + 2000));
    assert!(visits[0] - visits[1] <= 1 && visits[1] > 2 * visits[3], "{visits:?}");
}

#[test]
fn implicit_minimax_is_alive_and_nothing_without_its_weight() {
    for player in [
        "mcts",
        "rave",
        "mcts(tactics=solver, expansion=all, fpu=0.5)",
        "mcts(selection=progressive_history)",
    ] {
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
    let player = "mcts(selection=uct(k=0), expansion=all(at=0), fpu=1, backup=implicit_minimax(alpha=1))";
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
            "root=halving does not go with simulations=none: it shares out a number of simulations; allowed: \
             simulations=1000 or another number",
        ),
        (
            BOARD,
            "mcts(root=halving, threads=2)",
            "root=halving does not go with threads=2: it plans for one tree; allowed: threads=1",
        ),
        (
            BOARD,
            "mcts(root=halving, stop_early=true)",
            "root=halving does not go with stop_early=true: its plan ends with the last simulation; allowed: \
             stop_early=false",
        ),
        (
            BOARD,
            "rave(root=halving, expansion=progressive)",
            "root=halving does not go with expansion=progressive: it begins with all moves; allowed: \
             expansion=one or expansion=all",
        ),
        (
            BOARD,
            "mcts(root=halving, final=score)",
            "root=halving does not go with final=score: its plan says what is played; allowed: final=visits",
        ),
        (
            "mr_jack",
            "mcts(root=halving)",
            "root=halving does not go with mr_jack, a game with hidden information, where nodes grow \
             child by child: it begins with all moves of the root; allowed: root=plain",
        ),
        (
            MEN,
            "mcts(candidates=widening, backup=implicit_minimax)",
            "backup=implicit_minimax does not go with candidates=widening, with which nodes grow child by \
             child: it values all moves of a node; allowed: backup=mean",
        ),
        (
            BOARD,
            "mcts(backup=implicit_minimax)",
            "backup implicit_minimax needs an evaluation of positions, which havannah does not offer",
        ),
    ] {
        assert_eq!(refused(game, player), message);
    }
}

#[test]
fn options_without_effect_are_refused() {
    let refused = |game: &str, player: &str| {
        let game = catalogue::read(Family::Game, game).unwrap();
        let player = catalogue::read(Family::Player, player).unwrap();
        check_player(&game, &player).err().map(|error| error.to_string())
    };
    let tried_first = "fpu=0.5 does not go with expansion=one(order=random, at=1): no child is compared there before it has \
                       been tried; allowed: fpu=none, expansion=all or expansion=progressive";
    for (game, player, message) in [
        (BOARD, "mcts(fpu=0.5)", tried_first),
        (MEN, "mcts(candidates=widening, fpu=0.5)", tried_first),
        ("mr_jack", "mcts(worlds=sampled(opponent=informed), fpu=0.5)", tried_first),
        (
            BOARD,
            "mcts(expansion=all, fpu_mode=virtual_win)",
            "fpu_mode=virtual_win does not go with fpu=none: it says how long the value of an unvisited \
             child counts; allowed: a number such as fpu=1",
        ),
        (
            BOARD,
            "mcts(parallel=tree)",
            "parallel=tree does not go with threads=1: it says how several threads search; allowed: \
             threads=2 or more",
        ),
        (
            BOARD,
            "mcts(playout=nested(base=last_good_reply(keep=true)))",
            "playout=nested does not go with reuse=false: keep=true keeps its table with the tree; \
             allowed: reuse=true",
        ),
    ] {
        assert_eq!(refused(game, player).as_deref(), Some(message));
    }
    // What has an effect is not: a value that stays is in every mean, and where the other side learns from some worlds only,
    // it compares children that have never been visited. In Mr Jack only the second side has a secret.
    for (at, player, with) in [
        ((BOARD, 0), "mcts(simulations=3000", "mcts(simulations=3000, fpu=0.5, fpu_mode=virtual_win"),
        (
            ("mr_jack", 2),
            "mcts(candidates=random_power, playout=cutoff",
            "mcts(fpu=0.5, candidates=random_power, playout=cutoff",
        ),
    ] {
        let [with, without] = [with, player].map(|text| seen(at, &format!("{text})"), 3000));
        assert!(with.is_some() && with != without, "{player} in {at:?}");
    }
}

/// Every slot of `mcts` with the ways to fill it, each as `slot=member`, with what a member cannot do without; the plain
/// member of a slot comes first where there is one.
fn slots() -> Vec<Vec<String>> {
    let filled = |slot: &OptionInfo, family: Family| -> Vec<String> {
        let all = catalogue::catalogue().parts.iter().filter(|(of, _)| *of == family);
        let text = |info: &PartInfo| {
            let before = match (family, info.name) {
                (Family::Tactics, "threats") => "solver+",
                (Family::Tactics, "forcing") => "solver+threats+",
                _ => "",
            };
            // The default waits longer than these searches last.
            let name = if before.contains("threats") { "forcing(at=20)" } else { info.name };
            format!("{}={before}{name}", slot.name)
        };
        all.map(|(_, info)| text(info)).collect()
    };
    let slots = mcts::INFO.options.iter().filter_map(|option| match option.kind {
        Kind::Spec(family) => Some(filled(option, family)),
        _ => None,
    });
    slots.collect()
}

/// All pairs of ways to fill different slots.
fn pairs(slots: &[Vec<String>]) -> Vec<(&String, &String)> {
    let mut pairs = Vec::new();
    for (at, one) in slots.iter().enumerate() {
        for other in &slots[at + 1..] {
            pairs.extend(one.iter().flat_map(|first| other.iter().map(move |second| (first, second))));
        }
    }
    pairs
}

/// Every game of the list, small, and the plies after which it is searched. Early and late in Havannah: threats are there late,
/// what is near and what has been learnt counts early. In Mr Jack when one character is left in the turn: before that there
/// are more uses than simulations, so that every child has one visit.
const BOARDS: [(&str, &[usize]); 9] = [
    ("havannah(size=4)", &[0, 8, 12]),
    (MEN, &[0, 6]),
    ("knightthrough(rows=5, columns=5)", &[0, 2]),
    ("domineering(rows=4, columns=4)", &[0, 3]),
    ("nogo(rows=4, columns=4)", &[0, 4, 8]),
    ("atari_go(rows=4, columns=4)", &[0, 4]),
    ("tic_tac_toe", &[0, 2]),
    ("hex(size=4)", &[0, 4]),
    ("mr_jack", &[3]),
];

#[test]
fn every_game_of_the_list_is_searched_with_every_pair() {
    let names: Vec<&str> = BOARDS.iter().map(|(game, _)| game.split('(').next().unwrap()).collect();
    let listed: Vec<&str> =
        games::infos().iter().map(|info| info.name).filter(|name| *name != "misere").collect();
    assert_eq!(names, listed);
}

/// Every pair of members of different slots either searches or is refused with a reason, on every game.
#[test]
fn members_of_different_slots_search_together_or_refuse() {
    let slots = slots();
    assert_eq!(slots.len(), 10);
    let (mut searched, mut refusals) = (0, 0);
    let games = BOARDS.iter().map(|(game, _)| *game).chain(["misere(domineering(rows=4, columns=4))"]);
    for game in games {
        let game = catalogue::read(Family::Game, game).unwrap();
        for (first, second) in pairs(&slots) {
            let player = format!("mcts({first}, {second})");
            let spec = catalogue::read(Family::Player, &player).unwrap();
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
    assert!(searched > 2000 && refusals > 800, "{searched} searched, {refusals} refused");
}

/// What is seen of a search: its move, the visits and the states. None where the game refuses the player.
type Seen = Option<(String, Vec<(String, u64)>, u64)>;

fn seen((game, plies): (&str, usize), player: &str, simulations: u64) -> Seen {
    let game = catalogue::read(Family::Game, game).unwrap();
    let player = catalogue::read(Family::Player, player).unwrap();
    check_player(&game, &player).ok()?;
    let mut state = session::start(&game, None, 1).unwrap();
    for ply in 0..plies {
        let moves = state.legal_moves("standard").unwrap();
        state.play(&moves[(11 * ply + 3) % moves.len()], "standard").unwrap();
    }
    let stop = Arc::new(AtomicBool::new(false));
    let limit = Limit { states: Some(150 * simulations), ..Limit::simulations(simulations) };
    let report = state.search(&player, Some(limit), 1, &stop).unwrap();
    let moves = report.moves.iter().map(|stat| (stat.name.clone(), stat.visits)).collect();
    Some((report.best, moves, report.states))
}

/// Pairs that these searches do not show in a game, although both have a say: a nested playout uses the states up before a
/// tactic finds anything, and by the mean result another move is played only now and then. Exactly these: what is shown again
/// must go from the list.
const NOT_SHOWN: [[&str; 3]; 16] = [
    ["havannah", "tactics=solver", "playout=bridge"],
    ["havannah", "tactics=solver", "playout=ppa"],
    ["havannah", "tactics=solver", "playout=nested"],
    ["havannah", "tactics=solver+threats", "playout=nested"],
    ["havannah", "tactics=solver+threats+forcing(at=20)", "playout=nested"],
    ["breakthrough", "prior=knowledge", "final=score"],
    ["knightthrough", "tactics=solver+threats", "final=score"],
    ["knightthrough", "playout=nast", "final=score"],
    ["hex", "playout=bridge", "final=score"],
    ["mr_jack", "selection=kl_ucb", "final=score"],
    ["mr_jack", "playout=last_good_reply", "final=score"],
    ["mr_jack", "playout=mast", "final=score"],
    ["mr_jack", "playout=nast", "final=score"],
    ["mr_jack", "playout=contextual", "final=score"],
    ["mr_jack", "playout=decisive", "final=score"],
    ["mr_jack", "playout=scripted", "final=score"],
];

/// No member that a game accepts beside one of another slot is silently dead there: without it some position of that game is
/// searched otherwise.
#[test]
fn members_of_different_slots_are_alive_together() {
    // What `mcts` does unless told otherwise.
    const PLAIN: [&str; 8] = [
        "root=plain",
        "selection=uct",
        "candidates=full",
        "expansion=one",
        "playout=uniform",
        "backup=mean",
        "worlds=sampled",
        "final=visits",
    ];
    // Most show soon; some only where the tree is deep, and the final rule only now and then.
    const SIMULATIONS: [u64; 11] = [150, 25, 60, 10, 15, 40, 90, 250, 400, 600, 1000];
    let mut slots = slots();
    for slot in &mut slots {
        slot.retain(|text| !PLAIN.contains(&text.as_str()));
    }
    let (mut tried, mut dead) = (0, Vec::new());
    for (game, plies) in BOARDS {
        let mut known: HashMap<(String, usize, u64), Seen> = HashMap::new();
        let mut look = |ply: usize, player: String, simulations: u64| -> Seen {
            let key = (player, ply, simulations);
            known.entry(key).or_insert_with_key(|(player, ply, n)| seen((game, *ply), player, *n)).clone()
        };
        for (first, second) in pairs(&slots) {
            let both = format!("mcts({first}, {second})");
            if look(plies[0], both.clone(), 1).is_none() {
                continue;
            }
            tried += 1;
            let mut shows = |alone: &str| {
                let alone = format!("mcts({alone})");
                SIMULATIONS.iter().any(|&simulations| {
                    let mut differs =
                        |ply| look(ply, alone.clone(), simulations) != look(ply, both.clone(), simulations);
                    plies.iter().any(|&ply| differs(ply))
                })
            };
            if !(shows(first) && shows(second)) {
                dead.push([game.split('(').next().unwrap(), first, second]);
            }
        }
    }
    assert!(tried > 1000, "{tried}");
    assert_eq!(dead, NOT_SHOWN);
}
