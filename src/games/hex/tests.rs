//! The rules of Hex, its swap, and what it is shown as.

use super::present::SWAP;
use super::*;
use crate::game::Present;
use crate::games::conformance::{check, legal_names, play_all};
use crate::types::Rng;
use proptest::prelude::*;

fn played(game: &Hex, moves: &str) -> State {
    let mut state = game.initial_state(&mut Rng::new(0));
    play_all(game, &mut state, &moves.split_whitespace().collect::<Vec<_>>());
    state
}

#[test]
fn it_keeps_the_laws_of_games() {
    for (size, games) in [(1, 3), (2, 30), (3, 30), (4, 20), (5, 7), (7, 1)] {
        for swap in [false, true] {
            check(&Hex::new(size, swap), games, size as u64).unwrap();
        }
    }
}

/// Whether a side has a chain, found by filling from its first edge over neighbouring cells.
fn has_chain(size: usize, owners: &[Side], side: Side) -> bool {
    let along = |cell: usize| if side == Side::First { cell / size } else { cell % size };
    let own = |cell: usize| owners[cell] == side;
    let mut seen: Vec<usize> = (0..size * size).filter(|&cell| along(cell) == 0 && own(cell)).collect();
    let mut next = 0;
    while next < seen.len() {
        let near = (0..size * size).filter(|&cell| distance(size, seen[next], cell) == 1 && own(cell));
        let fresh: Vec<usize> = near.filter(|cell| !seen.contains(cell)).collect();
        seen.extend(fresh);
        next += 1;
    }
    seen.iter().any(|&cell| along(cell) == size - 1)
}

proptest! {
    #[test]
    fn on_a_full_board_exactly_one_side_has_a_chain(size in 1usize..9, seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let owners: Vec<Side> = (0..size * size).map(|_| Side::BOTH[rng.below(2)]).collect();
        let chains = Side::BOTH.map(|side| has_chain(size, &owners, side));
        prop_assert!(chains[0] != chains[1], "{chains:?}");
        let game = Hex::new(size, false);
        let state = game.build(&owners.iter().map(|&side| Some(side)).collect::<Vec<_>>(), Side::First);
        prop_assert_eq!(state.winner, Some(Side::BOTH[chains[1] as usize]));
    }

    #[test]
    fn what_wins_is_a_chain_from_edge_to_edge(size in 1usize..9, seed in any::<u64>()) {
        let (game, mut rng) = (Hex::new(size, true), Rng::new(seed));
        let mut state = game.initial_state(&mut rng);
        let Outcome::Win(side) = game.uniform_playout(&mut state, &mut rng, &mut Trace::default()) else {
            unreachable!("there are no draws");
        };
        let chain = game.winning_cells(&state);
        let along = |cell: usize| if side == Side::First { cell / size } else { cell % size };
        prop_assert!(chain.iter().all(|&cell| game.owner(&state, cell) == Some(side)));
        prop_assert!(chain.windows(2).all(|two| distance(size, two[0], two[1]) == 1));
        prop_assert_eq!((along(chain[0]), along(chain[chain.len() - 1])), (0, size - 1));
    }
}

#[test]
fn each_side_joins_its_own_edges() {
    let game = Hex::new(3, false);
    let state = played(&game, "b1 a2 b2 a1 b3");
    assert_eq!((state.winner, game.end_kind(&state)), (Some(Side::First), "chain"));
    assert_eq!(game.winning_cells(&state), [1, 4, 7]);
    assert!(legal_names(&game, &state).is_empty());
    assert_eq!(played(&game, "a1 a2 b1 b2 c1").winner, None);
    assert_eq!(played(&game, "a1 a2 b1 b2 c1 c2").winner, Some(Side::Second));
}

#[test]
fn a_swap_takes_the_opening_stone_over_in_the_mirror() {
    let game = Hex::new(4, true);
    let state = played(&game, "c1");
    assert_eq!(game.move_cells(&state, game.swap_move()), [2, 8]);
    let swapped = played(&game, "c1 swap");
    assert_eq!(game.state_text(&swapped), "..../..../w.../.... first");
    assert!(!legal_names(&game, &swapped).contains(&SWAP.to_string()));
    assert_eq!(game.move_cells(&played(&game, "b2"), game.swap_move()), [5]);
    assert!(!legal_names(&game, &played(&game, "c1 swap a1")).contains(&SWAP.to_string()));
    assert!(!legal_names(&Hex::new(4, false), &state).contains(&SWAP.to_string()));
}

#[test]
fn a_bridge_is_kept_to_a_stone_and_to_an_edge() {
    let game = Hex::new(4, false);
    let replies = |position: &str, side: Side, last: &str| {
        let before = game.parse_state(position).unwrap();
        let last = game.parse_move(&before, last).unwrap();
        let mut state = before.clone();
        game.play(&mut state, last);
        let mut moves = Vec::new();
        game.bridge_replies(&state, side, last, &mut moves);
        moves.iter().map(|&mv| game.move_name(&state, mv)).collect::<Vec<_>>().join(" ")
    };
    // c1 and b3 are a bridge over b2 and c2, b2 and the upper edge one over b1 and c1.
    assert_eq!(replies("..b./..../.b../.... second", Side::First, "b2"), "c2");
    assert_eq!(replies("..b./..../.b../.... second", Side::First, "c2"), "b2");
    assert_eq!(replies("..../.b../..../.... second", Side::First, "b1"), "c1");
    assert_eq!(replies("..../.b../..../.... second", Side::First, "a2"), "");
    assert_eq!(replies("..../.w../..../.... first", Side::Second, "a2"), "a3");
}

#[test]
fn positions_are_read_and_drawn() {
    let game = Hex::new(3, false);
    let state = game.parse_state(" B../.w./... first ").unwrap();
    assert_eq!(game.state_text(&state), "b../.w./... first");
    let drawn =
        ["     a b c", "    @@@@@", r" 1 O\@ . .\O", r"  2 O\. O .\O", r"   3 O\. . .\O", "        @@@@@"];
    assert_eq!(game.diagram(&state), drawn.join("\n"));
}

#[test]
fn what_is_no_position_or_move_is_refused() {
    let game = Hex::new(3, false);
    let form = "a position of hex is 3 rows of 3 characters . b w joined by '/', then first or second";
    for text in ["", ".../.../...", ".../... first", "..../.../... first", ".../.x./... first"] {
        assert_eq!(game.parse_state(text).unwrap_err().to_string(), form, "{text}");
    }
    for (text, why) in [
        (".../.../... third", "unknown side 'third': first, second"),
        (
            "b../b../b.. first",
            "no position of hex: Black is to move but has a chain already: the game ended before",
        ),
        (
            "www/bb./... second",
            "no position of hex: White is to move but has a chain already: the game ended before",
        ),
        (
            "bb./bb./bb. second",
            "no position of hex: no single stone of Black can have completed its chain: the game ended before",
        ),
    ] {
        assert_eq!(game.parse_state(text).map(|_| ()).unwrap_err().to_string(), why, "{text}");
    }
    let error = game.parse_move(&game.start, "d1").unwrap_err().to_string();
    assert_eq!(error, "illegal move 'd1': legal are a1, b1, c1, a2, b2, c2, a3, b3, ... (9 in all)");
}

#[test]
fn neighbours_are_drawn_one_width_apart_and_rims_around_them() {
    let board = Hex::new(5, false).board();
    for (a, b) in (0..25).flat_map(|a| (0..25).map(move |b| (a, b))) {
        let (one, other) = (&board.cells[a], &board.cells[b]);
        let near = ((one.x - other.x).hypot(one.y - other.y) - 1.0).abs() < 1e-4;
        assert_eq!(near, distance(5, a, b) == 1, "{a} {b}");
    }
    // Every point of a rim is on a hexagon: no farther than its corner, no nearer than its side.
    for (x, y) in board.rims.iter().flat_map(|rim| rim.line.iter().copied()) {
        let nearest = board.cells.iter().map(|cell| (cell.x - x).hypot(cell.y - y)).fold(9.0, f32::min);
        assert!((0.49..0.58).contains(&nearest), "{x} {y}: {nearest}");
    }
}
