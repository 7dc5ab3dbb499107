//! Tests of Havannah: a slow checker written from the rules, stored counts and named positions.

use super::figures::{self, Figure};
use super::geometry::has;
use super::geometry::{ROWS, Stones};
use super::*;
use crate::game::{Completions, Offers, Piece, PieceKind, Present};
use crate::types::Rng;
use proptest::{prop_assert, prop_assert_eq, proptest};
use std::collections::{BTreeMap, BTreeSet};

fn start(game: &Havannah) -> State {
    game.initial_state(&mut Rng::new(0))
}

/// Plays moves by name, the sides in turn.
fn play_all(game: &Havannah, moves: &str) -> State {
    let mut state = start(game);
    for name in moves.split_whitespace() {
        assert_eq!(game.outcome(&state), None, "over before {name}");
        let mv = game.parse_move(&state, name).unwrap();
        game.play(&mut state, mv);
    }
    state
}

fn names(game: &Havannah, cells: &[usize]) -> Vec<String> {
    let state = start(game);
    let mut names: Vec<String> = cells.iter().map(|&c| game.move_name(&state, Move(c as u32))).collect();
    names.sort();
    names
}

fn legal(game: &Havannah, state: &State) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(state, &mut moves);
    moves
}

/// A random game, or its first moves.
fn random_game(game: &Havannah, rng: &mut Rng, longest: usize) -> (Vec<Move>, State) {
    let (mut moves, mut state) = (Vec::new(), start(game));
    while game.outcome(&state).is_none() && moves.len() < longest {
        let mv = game.random_move(&state, rng);
        moves.push(mv);
        game.play(&mut state, mv);
    }
    (moves, state)
}

fn stones_at(geometry: &Geometry, cells: impl Iterator<Item = usize>) -> Stones {
    let mut stones = [0; ROWS];
    for cell in cells {
        let (column, row) = geometry.place(cell);
        stones[row + 1] |= 2 << column;
    }
    stones
}

fn end_of(game: &Havannah, moves: &str) -> (Option<Outcome>, &'static str, Vec<String>) {
    let state = play_all(game, moves);
    (game.outcome(&state), game.end_kind(&state), names(game, &game.winning_cells(&state)))
}

const FIRST: Option<Outcome> = Some(Outcome::Win(Side::First));
const SECOND: Option<Outcome> = Some(Outcome::Win(Side::Second));

#[test]
fn a_ring_may_enclose_an_empty_cell() {
    let game = Havannah::new(4, false);
    let (end, kind, cells) = end_of(&game, "c3 a1 d3 b1 e4 a2 e5 d1 d5 g4 c4");
    assert_eq!((end, kind), (FIRST, "ring"));
    assert_eq!(cells, ["c3", "c4", "d3", "d5", "e4", "e5"]);
}

#[test]
fn a_ring_may_enclose_an_enemy_stone() {
    let game = Havannah::new(4, false);
    let (end, kind, cells) = end_of(&game, "c3 d4 d3 b1 e4 a2 e5 d1 d5 g4 c4");
    assert_eq!((end, kind, cells.len()), (FIRST, "ring", 6));
}

#[test]
fn a_ring_may_enclose_an_own_stone() {
    let game = Havannah::new(4, false);
    // The stone d4 inside makes the six neighbours one run around the last of them.
    let (end, kind, cells) = end_of(&game, "c3 a1 d4 b1 d3 a2 e4 d1 e5 g4 d5 g5 c4");
    assert_eq!((end, kind), (FIRST, "ring"));
    assert_eq!(cells, ["c3", "c4", "d3", "d5", "e4", "e5"]);
    // Filled from outside in, the ring is complete before its middle.
    let (end, kind, _) = end_of(&game, "c3 a1 c4 b1 d3 a2 e4 d1 e5 g4 d5");
    assert_eq!((end, kind), (FIRST, "ring"));
}

#[test]
fn the_ring_shown_is_a_closed_chain_without_spurs() {
    let game = Havannah::new(4, false);
    // A ring of eight around d4 and e4, with the spur d2 outside and no stone inside.
    let (end, kind, cells) = end_of(&game, "d2 a1 d3 b1 e3 a2 f4 d1 f5 g4 e5 g5 d5 a3 c4 b2 c3");
    assert_eq!((end, kind), (FIRST, "ring"));
    assert_eq!(cells, ["c3", "c4", "d3", "d5", "e3", "e5", "f4", "f5"].map(String::from).as_slice());
}

#[test]
fn three_stones_in_a_clump_are_no_ring() {
    let game = Havannah::new(4, false);
    let state = play_all(&game, "d4 a1 e4 b1 e5 a2 d5 d1 c4");
    assert_eq!(game.outcome(&state), None);
    assert_eq!(game.end_kind(&state), "");
    assert!(game.winning_cells(&state).is_empty());
}

#[test]
fn a_bridge_joins_two_corners() {
    let game = Havannah::new(4, false);
    let (end, kind, cells) = end_of(&game, "a1 a2 b1 b2 c1 c2 d1");
    assert_eq!((end, kind), (FIRST, "bridge"));
    assert_eq!(cells, ["a1", "b1", "c1", "d1"]);
}

#[test]
fn a_fork_joins_three_sides() {
    let game = Havannah::new(3, false);
    // b1 lies on the upper side, a2 on the upper left, e4 on the right.
    let (end, kind, cells) = end_of(&game, "b1 c1 b2 a3 a2 c5 c3 e5 d4 c2 e4");
    assert_eq!((end, kind), (FIRST, "fork"));
    assert_eq!(cells, ["a2", "b1", "b2", "c3", "d4", "e4"]);
}

#[test]
fn a_corner_belongs_to_no_side() {
    let game = Havannah::new(3, false);
    // The chain from a1 to e4 would touch three sides if a1 counted for the two it lies between.
    let state = play_all(&game, "a1 c1 b2 a3 c3 c5 d4 e5 e4");
    assert_eq!(game.outcome(&state), None);
    let state = play_all(&game, "a1 c1 b2 a3 c3 c5 d4 e5 e4 c2 a2");
    assert_eq!(game.outcome(&state), None);
    let board = game.board();
    let kinds: Vec<&str> = board.cells.iter().map(|cell| cell.kind.name()).collect();
    for (kind, count) in [("corner", 6), ("edge", 6), ("plain", 7)] {
        assert_eq!(kinds.iter().filter(|&&k| k == kind).count(), count, "{kind}");
    }
}

#[test]
fn the_ring_is_named_before_the_bridge_and_the_bridge_before_the_fork() {
    let game = Havannah::new(2, false);
    let all = stones_at(&game.geometry, 0..7);
    assert_eq!(figures::complete(&game.geometry, &all), Some(Figure::Ring));
    let game = Havannah::new(3, false);
    let geometry = &game.geometry;
    let state = start(&game);
    let cell = |name: &str| game.parse_move(&state, name).unwrap().0 as usize;
    let both = ["a1", "b1", "c1", "a2", "d2"].map(cell);
    let both = stones_at(geometry, both.into_iter());
    assert!(figures::fork(geometry, &both).is_some() && figures::bridge(geometry, &both).is_some());
    assert_eq!(figures::complete(geometry, &both), Some(Figure::Bridge));
}

#[test]
fn a_full_board_without_a_figure_is_a_draw() {
    let game = Havannah::new(3, false);
    let mut rng = Rng::new(5);
    let mut games = (0..200_000).map(|_| random_game(&game, &mut rng, usize::MAX));
    let drawn = games.find(|(_, state)| game.outcome(state) == Some(Outcome::Draw));
    let (moves, state) = drawn.expect("some random game is drawn");
    assert_eq!((moves.len(), game.end_kind(&state)), (19, "draw"));
    assert!(game.winning_cells(&state).is_empty() && legal(&game, &state).is_empty());
    assert!(Side::BOTH.iter().all(|s| figures::complete(&game.geometry, &state.stones[s.index()]).is_none()));
    assert_eq!(game.parse_state(&game.state_text(&state)).unwrap().end, Some(Outcome::Draw));
}

#[test]
fn the_second_side_may_swap_the_first_stone() {
    let game = Havannah::new(3, true);
    let mut state = start(&game);
    assert_eq!((game.slots(), legal(&game, &state).len()), (20, 19));
    assert!(!game.is_legal(&state, Move(19)));
    game.play(&mut state, Move(4));
    assert_eq!(legal(&game, &state).len(), 19);
    assert_eq!((game.count_moves(&state), game.nth_move(&state, 18)), (19, Move(19)));
    let swap = game.parse_move(&state, "Swap").unwrap();
    assert_eq!((swap, game.move_name(&state, swap)), (Move(19), "swap".to_string()));
    assert_eq!(game.move_cells(&state, swap), [4]);
    let declined = game.parse_move(&state, "a1").unwrap();
    let mut other = state.clone();
    game.play(&mut state, swap);
    assert_eq!(game.side_to_move(&state), Side::First);
    assert_eq!(game.pieces(&state), [Piece::new(PieceKind::Stone, Some(Side::Second), vec![4])]);
    assert!(!game.is_legal(&state, swap) && !game.is_legal(&state, Move(4)));
    assert_eq!(game.parse_state(&game.state_text(&state)).unwrap(), state);
    game.play(&mut other, declined);
    assert!(!game.is_legal(&other, swap));
    // The swapped stone counts for its new side.
    let state = play_all(&game, "a1 swap a3 b1 b3 c1");
    assert_eq!((game.outcome(&state), game.end_kind(&state)), (SECOND, "bridge"));
    let plain = Havannah::new(3, false);
    assert_eq!(
        plain.parse_move(&play_all(&plain, "a1"), "swap").unwrap_err().to_string(),
        "illegal move 'swap': legal are b1, c1, a2, b2, c2, d2, a3, b3, ... (18 in all)"
    );
}

#[test]
fn random_play_swaps_as_often_as_any_other_move() {
    let game = Havannah::new(2, true);
    let mut rng = Rng::new(3);
    let (empty, opened) = (start(&game), play_all(&game, "b2"));
    let swap = (Move(7), Side::Second);
    let mut swaps = [0; 5];
    for _ in 0..7_000 {
        swaps[0] += (game.random_move(&opened, &mut rng) == swap.0) as i32;
        for (way, state) in [&opened, &empty].into_iter().enumerate() {
            let mut trace = Trace { wanted: true, ..Trace::default() };
            game.uniform_playout(&mut state.clone(), &mut rng, &mut trace);
            swaps[1 + way] += (trace.moves[way] == swap) as i32;
            assert_eq!(trace.moves.len() as u64, trace.states);
            trace.clear();
            // Nobody knows a reply.
            game.reply_playout(&mut state.clone(), Move(3), |_, _| Move(u32::MAX), &mut rng, &mut trace);
            swaps[3 + way] += (trace.moves[way] == swap) as i32;
            assert_eq!(trace.moves.len() as u64, trace.states);
        }
    }
    // One in seven: 1000 expected, standard deviation 29.3.
    assert!(swaps.iter().all(|&count| (count - 1000).abs() < 120), "{swaps:?}");
}

#[test]
fn figures_agree_with_flood_fill() {
    compare_with_flood_fill(5_000);
}

#[test]
#[ignore = "evidence: takes minutes"]
fn figures_agree_with_flood_fill_on_many_games() {
    compare_with_flood_fill(100_000);
}

fn compare_with_flood_fill(games: usize) {
    for size in [3, 4, 6, 10] {
        let game = Havannah::new(size, false);
        let mut rng = Rng::new(size as u64);
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for _ in 0..games {
            let (moves, state) = random_game(&game, &mut rng, usize::MAX);
            let complete = |side: Side, stones: &[Stones; 2]| {
                figures::complete(&game.geometry, &stones[side.index()]).is_some()
            };
            // Stones only come: a set without a figure had none earlier, so the last two positions tell all.
            let mut before = state.stones;
            let (column, row) = game.geometry.place(moves.last().unwrap().0 as usize);
            before.iter_mut().for_each(|stones| stones[row + 1] &= !(2 << column));
            assert!(Side::BOTH.iter().all(|&side| !complete(side, &before)), "{}", game.state_text(&state));
            let found = Side::BOTH.into_iter().find(|&side| complete(side, &state.stones));
            let end = game.outcome(&state).unwrap();
            assert_eq!(end, found.map_or(Outcome::Draw, Outcome::Win), "{}", game.state_text(&state));
            *kinds.entry(game.end_kind(&state)).or_default() += 1;
        }
        println!("size {size}: {games} games, {kinds:?}");
        assert!(["ring", "bridge", "fork"].iter().all(|kind| kinds[kind] > 10), "size {size}: {kinds:?}");
    }
}

#[test]
fn the_ring_shown_is_closed_and_own() {
    let game = Havannah::new(6, false);
    let mut rng = Rng::new(8);
    let mut rings = 0;
    while rings < 300 {
        let (_, state) = random_game(&game, &mut rng, usize::MAX);
        let Some(Outcome::Win(winner)) = game.outcome(&state) else { continue };
        let cells = game.winning_cells(&state);
        assert!(
            cells.iter().all(|&c| has(&state.stones[winner.index()], game.geometry.position[c] as usize))
        );
        let set = stones_at(&game.geometry, cells.iter().copied());
        if game.end_kind(&state) != "ring" {
            assert_eq!(figures::complete(&game.geometry, &set).unwrap().name(), game.end_kind(&state));
            continue;
        }
        rings += 1;
        assert!(figures::enclosed(&game.geometry, &set).is_some());
        for (i, &cell) in cells.iter().enumerate() {
            let next = cells[(i + 1) % cells.len()];
            assert!(game.geometry.neighbours(cell).any(|n| n == next), "{cell} {next}");
            let without = stones_at(&game.geometry, cells.iter().copied().filter(|&c| c != cell));
            assert!(figures::enclosed(&game.geometry, &without).is_none());
        }
    }
}

/// What stands after these keys in the stored counts.
fn stored(path: &[&str]) -> &'static str {
    let mut text = include_str!("../../../tests/data/perft.json");
    for key in path {
        let label = format!("\"{key}\":");
        let begin = text.find(&label).unwrap_or_else(|| panic!("no {key} in {path:?}")) + label.len();
        text = text[begin..].trim_start();
        if text.starts_with('{') {
            let mut depth = 0;
            let end = text.find(|c| {
                depth += (c == '{') as i32 - (c == '}') as i32;
                depth == 0
            });
            text = &text[..=end.unwrap()];
        }
    }
    text
}

fn stored_number(path: &[&str]) -> u64 {
    let digits: String = stored(path).chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number at {path:?}"))
}

#[derive(Default, Clone)]
struct Counts {
    sequences: u64,
    terminal: u64,
    wins: [u64; 2],
    draws: u64,
    open_positions: BTreeSet<u64>,
}

/// The deepest ply at which positions are told apart; below it the last ply is only counted.
const TOLD_APART: usize = 5;

fn perft(game: &Havannah, state: &State, depth: usize, counts: &mut [Counts]) {
    if depth > TOLD_APART && counts.len() == 1 {
        let mut wins = Vec::new();
        game.completing(state, state.side, None, &mut wins);
        let drawn = (state.empty_cells() == 1 && wins.is_empty()) as u64;
        counts[0].sequences += game.count_moves(state) as u64;
        counts[0].terminal += wins.len() as u64 + drawn;
        counts[0].wins[state.side.index()] += wins.len() as u64;
        counts[0].draws += drawn;
        return;
    }
    for mv in legal(game, state) {
        let mut next = state.clone();
        game.play(&mut next, mv);
        let here = &mut counts[0];
        here.sequences += 1;
        match game.outcome(&next) {
            None => {
                if depth <= TOLD_APART {
                    here.open_positions.insert(game.key(&next));
                }
                if counts.len() > 1 {
                    perft(game, &next, depth + 1, &mut counts[1..]);
                }
            }
            Some(end) => {
                here.terminal += 1;
                match end.winner() {
                    Some(side) => here.wins[side.index()] += 1,
                    None => here.draws += 1,
                }
            }
        }
    }
}

#[test]
fn sequences_are_as_many_as_counted_elsewhere() {
    for (size, deepest) in [(2, 7), (3, 6), (4, 4)] {
        let game = Havannah::new(size, false);
        let mut counts = vec![Counts::default(); deepest];
        perft(&game, &start(&game), 1, &mut counts);
        let base = format!("base{size}");
        for (i, count) in counts.iter().enumerate() {
            let depth = (i + 1).to_string();
            let known = |what: &str| stored_number(&["havannah", &base, "perft", what, &depth]);
            let place = format!("size {size} depth {depth}");
            assert_eq!(count.sequences, known("perft"), "{place}");
            assert_eq!(count.terminal, known("terminal"), "{place}");
            assert_eq!(count.wins, [known("wins_first"), known("wins_second")], "{place}");
            assert_eq!(count.draws, known("draws"), "{place}");
            if i < TOLD_APART {
                assert_eq!(count.open_positions.len() as u64, known("positions"), "{place}");
            }
        }
    }
}

/// Calls back with every set of `count` numbers below `below`.
fn subsets(below: usize, count: usize, chosen: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
    if chosen.len() == count {
        return visit(chosen);
    }
    let from = chosen.last().map_or(0, |&last| last + 1);
    for next in from..=below + chosen.len() - count {
        chosen.push(next);
        subsets(below, count, chosen, visit);
        chosen.pop();
    }
}

#[test]
fn stone_sets_with_figures_are_as_many_as_counted_elsewhere() {
    for (size, most) in [(2, 7), (3, 8), (4, 4)] {
        let game = Havannah::new(size, false);
        let geometry = &game.geometry;
        for stones in 0..=most {
            let mut found = [0u64; 5];
            subsets(geometry.cells, stones, &mut Vec::new(), &mut |cells| {
                let set = stones_at(geometry, cells.iter().copied());
                let has = [
                    figures::enclosed(geometry, &set).is_some(),
                    figures::bridge(geometry, &set).is_some(),
                    figures::fork(geometry, &set).is_some(),
                ];
                let row = [true, has[0], has[1], has[2], has.contains(&true)];
                (0..5).for_each(|i| found[i] += row[i] as u64);
            });
            let (base, stones) = (format!("base{size}"), stones.to_string());
            let known = ["subsets", "ring", "bridge", "fork", "any"]
                .map(|what| stored_number(&["havannah", &base, "subset_win_counts", &stones, what]));
            assert_eq!(found, known, "size {size}, {stones} stones");
        }
    }
}

#[test]
fn boards_have_the_known_numbers_of_cells() {
    for size in 2..=4 {
        let game = Havannah::new(size, false);
        let base = format!("base{size}");
        let known = ["cells", "corners", "side_cells", "inner", "adjacency_pairs"]
            .map(|what| stored_number(&["havannah", &base, what]) as usize);
        let kind = |kind: &str| game.board().cells.iter().filter(|cell| cell.kind.name() == kind).count();
        let pairs: usize = (0..game.cells()).map(|cell| game.geometry.neighbours(cell).count()).sum();
        assert_eq!([game.cells(), kind("corner"), kind("edge"), kind("plain"), pairs / 2], known);
    }
    for (size, cells) in [(5, 61), (6, 91), (7, 127), (8, 169), (9, 217), (10, 271), (13, 469)] {
        assert_eq!(Havannah::new(size, false).cells(), cells);
    }
}

/// Whether the side to move wins against any defence. No position of these sizes is drawn with best play.
fn wins(game: &Havannah, state: &State, known: &mut BTreeMap<u64, bool>) -> bool {
    if let Some(end) = game.outcome(state) {
        return end == Outcome::Win(state.side);
    }
    let key = game.key(state);
    if let Some(&result) = known.get(&key) {
        return result;
    }
    let (mut completing, mut threats) = (Vec::new(), Vec::new());
    game.completing(state, state.side, None, &mut completing);
    game.completing(state, state.side.other(), None, &mut threats);
    // A threat must be met; of two threats one comes true.
    let moves = if threats.is_empty() { legal(game, state) } else { threats };
    let result = !completing.is_empty()
        || moves.into_iter().any(|mv| {
            let mut next = state.clone();
            game.play(&mut next, mv);
            loses(game, &next, known)
        });
    known.insert(key, result);
    result
}

/// Whether the side to move loses whatever it does: a draw is not a loss.
fn loses(game: &Havannah, state: &State, known: &mut BTreeMap<u64, bool>) -> bool {
    game.outcome(state) != Some(Outcome::Draw) && !wins(game, state, known)
}

#[test]
fn on_the_smallest_boards_exactly_the_corners_win() {
    for size in [2, 3] {
        let game = Havannah::new(size, false);
        let mut known = BTreeMap::new();
        for mv in legal(&game, &start(&game)) {
            let mut state = start(&game);
            game.play(&mut state, mv);
            let corner = game.corners().unwrap().contains(&mv);
            assert_eq!(!wins(&game, &state, &mut known), corner, "size {size}, move {}", mv.0);
        }
    }
}

#[test]
fn random_games_have_the_known_length_and_balance() {
    // Mean length and the first side's share, from an independent program.
    for (size, length, share) in [(4, 27.95, 0.554), (6, 68.66, 0.527), (10, 179.8, 0.510)] {
        let game = Havannah::new(size, false);
        let (root, mut rng) = (start(&game), Rng::new(42));
        let mut state = root.clone();
        let n = 100_000;
        let (mut sums, mut squares) = ([0.0f64; 2], [0.0f64; 2]);
        for _ in 0..n {
            state.clone_from(&root);
            let mut trace = Trace::default();
            let end = game.uniform_playout(&mut state, &mut rng, &mut trace);
            for (i, x) in [trace.states as f64, end.score(Side::First) as f64].into_iter().enumerate() {
                sums[i] += x;
                squares[i] += x * x;
            }
        }
        // The last printed digit of the known values is uncertain by half a unit.
        for (i, (known, rounding)) in
            [(length, if size == 10 { 0.05 } else { 0.005 }), (share, 0.0005)].into_iter().enumerate()
        {
            let mean = sums[i] / n as f64;
            let error = ((squares[i] / n as f64 - mean * mean) / n as f64).sqrt();
            assert!(
                (mean - known).abs() < 4.0 * error + rounding,
                "size {size}: {mean} +- {error}, not {known}"
            );
        }
    }
}

#[test]
fn a_playout_is_a_game_of_random_moves() {
    for (size, swap) in [(2, true), (3, false), (5, true), (13, false)] {
        let game = Havannah::new(size, swap);
        let mut rng = Rng::new(9);
        for round in 0..200 {
            let (_, begin) = random_game(&game, &mut rng, round % 9);
            let mut end = begin.clone();
            let mut trace = Trace { wanted: true, ..Trace::default() };
            let outcome = game.uniform_playout(&mut end, &mut rng, &mut trace);
            let mut state = begin;
            for &(mv, side) in &trace.moves {
                assert!(game.is_legal(&state, mv) && state.side == side && state.end.is_none());
                game.play(&mut state, mv);
            }
            assert_eq!(trace.states, trace.moves.len() as u64);
            assert_eq!((game.outcome(&state), &state), (Some(outcome), &end));
            assert_eq!(game.key(&state), game.key(&end));
        }
    }
}

#[test]
fn a_playout_by_replies_is_a_game_of_preferred_moves() {
    for (size, swap) in [(2, true), (3, false), (5, true), (13, false)] {
        let game = Havannah::new(size, swap);
        let mut rng = Rng::new(10);
        let mut replied = 0;
        for round in 0..200 {
            let (moves, begin) = random_game(&game, &mut rng, 1 + round % 9);
            // Cells, the swap, and what is no move.
            let mut table = || (0..game.slots()).map(|_| Move(rng.below(game.slots() + 3) as u32)).collect();
            let replies: [Vec<Move>; 2] = [table(), table()];
            let reply = |side: Side, last: Move| replies[side.index()][game.slot(last)];
            let (mut end, mut state) = (begin.clone(), begin);
            let (mut same, mut last) = (rng.clone(), moves[moves.len() - 1]);
            let mut trace = Trace { wanted: true, ..Trace::default() };
            let outcome = game.reply_playout(&mut end, last, reply, &mut rng, &mut trace);
            for &(mv, side) in &trace.moves {
                assert!(state.end.is_none() && state.side == side);
                let wanted = reply(side, last);
                last = game.play_preferred(&mut state, wanted, &mut same);
                assert_eq!(mv, last);
                replied += (last == wanted) as usize;
            }
            assert_eq!(trace.states, trace.moves.len() as u64);
            assert_eq!((game.outcome(&state), &state), (Some(outcome), &end));
            assert_eq!(rng.next_u64(), same.next_u64());
        }
        assert!(replied > 30, "only {replied} replies were played");
    }
}

#[test]
fn each_cell_opens_a_playout_equally_often() {
    let game = Havannah::new(3, false);
    let (root, mut rng) = (start(&game), Rng::new(4));
    let mut seen = [[0i32; 19]; 2];
    for _ in 0..19_000 {
        let mut trace = Trace { wanted: true, ..Trace::default() };
        game.uniform_playout(&mut root.clone(), &mut rng, &mut trace);
        (0..2).for_each(|ply| seen[ply][trace.moves[ply].0.0 as usize] += 1);
    }
    // 1000 expected, standard deviation 31: five of them on either side.
    assert!(seen.iter().flatten().all(|&n| (n - 1000).abs() < 155), "{seen:?}");
}

proptest! {
    #[test]
    fn states_copy_and_are_read_back(size in 2usize..=13, swap: bool, seed: u64, longest in 0usize..200) {
        let game = Havannah::new(size, swap);
        let mut rng = Rng::new(seed);
        let (_, state) = random_game(&game, &mut rng, longest);
        let (_, mut scratch) = random_game(&game, &mut rng, usize::MAX);
        scratch.clone_from(&state);
        let clone = state.clone();
        prop_assert_eq!(&scratch, &state);
        prop_assert_eq!(&clone, &state);
        prop_assert_eq!((&scratch.nodes, &scratch.order, &scratch.index), (&clone.nodes, &clone.order, &clone.index));
        let read = game.parse_state(&game.state_text(&state)).unwrap();
        prop_assert_eq!(&read, &state);
        prop_assert_eq!(game.key(&read), game.key(&state));
        // From here on both behave alike: the groups were rebuilt as they were.
        let mut pair = [read, scratch];
        while game.outcome(&pair[0]).is_none() {
            let mv = game.random_move(&pair[0], &mut rng);
            pair.iter_mut().for_each(|state| game.play(state, mv));
            prop_assert_eq!(&pair[0], &pair[1]);
        }
    }

    #[test]
    fn moves_are_listed_counted_and_numbered_alike(size in 2usize..=13, swap: bool, seed: u64, longest in 0usize..60) {
        let game = Havannah::new(size, swap);
        let (_, state) = random_game(&game, &mut Rng::new(seed), longest);
        let moves = legal(&game, &state);
        prop_assert_eq!(moves.len(), game.count_moves(&state));
        prop_assert!(moves.is_sorted());
        for (k, &mv) in moves.iter().enumerate() {
            prop_assert_eq!(game.nth_move(&state, k), mv);
        }
        for number in 0..=game.cells() as u32 + 1 {
            prop_assert_eq!(game.is_legal(&state, Move(number)), moves.contains(&Move(number)));
        }
        prop_assert!(game.slots() == game.cells() + swap as usize);
    }
}
