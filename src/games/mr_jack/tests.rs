//! The rules of Mr Jack, point by point.

use super::MrJack;
use super::board::*;
use super::moves::{ACCUSE, SWAP, character_of, destination_of};
use super::state::{DETECTIVE, End, JACK, State, names};
use crate::game::{Present, Rules, Secrets};
use crate::types::{Outcome, Rng};

fn game() -> MrJack {
    MrJack::new("first_2006", true, false, false).unwrap()
}

/// The set-up with every card in hand, so that any character may be played; Jack is `jack`.
fn set_up(game: &MrJack, jack: usize) -> State {
    let mut state = game.initial_state(&mut Rng::new(1));
    state.hand = 0xFF;
    game.with_identity(&state, jack)
}

fn street(game: &MrJack, name: &str) -> u8 {
    game.map.street(name).unwrap() as u8
}

fn put(game: &MrJack, state: &mut State, places: &[(usize, &str)]) {
    for &(character, name) in places {
        state.at[character] = street(game, name);
    }
}

/// The state in which it is Jack's turn and the witness card shows Invisible.
fn escaping(game: &MrJack, jack: usize) -> State {
    let mut state = set_up(game, jack);
    (state.turn, state.step, state.seen) = (2, 0, false);
    state
}

fn legal(game: &MrJack, state: &State) -> Vec<String> {
    let mut moves = Vec::new();
    game.legal_moves(state, &mut moves);
    moves.iter().map(|&mv| game.move_name(state, mv)).collect()
}

fn play(game: &MrJack, state: &State, text: &str) -> State {
    let mut next = *state;
    let mv = game.parse_move(state, text).unwrap_or_else(|error| panic!("{error}"));
    game.play(&mut next, mv);
    next
}

fn allows(game: &MrJack, state: &State, text: &str) -> bool {
    game.parse_move(state, text).is_ok()
}

fn sees(game: &MrJack, state: &State, character: usize) -> bool {
    game.visible(state) >> character & 1 == 1
}

/// Everybody far from lamps and from each other, nobody in the beam.
fn in_the_dark(game: &MrJack) -> State {
    let mut state = set_up(game, HOLMES);
    state.tiles = [0; 8];
    put(game, &mut state, &[(HOLMES, "a1"), (WATSON, "a4"), (SMITH, "d7"), (LESTRADE, "e3")]);
    put(game, &mut state, &[(STEALTHY, "g7"), (GOODLEY, "h10"), (GULL, "k9"), (BERT, "m8")]);
    state.facing = 0;
    assert_eq!(game.visible(&state), 0, "{}", game.diagram(&state));
    state
}

// ------------------------------------------------------------------------------------------------ the board

#[test]
fn the_board_has_the_printed_counts() {
    for edition in ["first_2006", "revised"] {
        let map = MrJack::new(edition, true, false, false).unwrap().map;
        let count = |kind| map.hexes.iter().filter(|hex| hex.kind == kind).count();
        assert_eq!(map.hexes.len(), 90);
        assert_eq!(count("street") + count("manhole"), 60);
        assert_eq!((count("lamp"), count("exit"), count("building") + count("garden")), (8, 4, 18));
        assert_eq!(count("manhole"), if edition == "revised" { 9 } else { 8 });
        let mut degrees = [0; 7];
        (0..STREETS).for_each(|s| degrees[map.ring[s][1].count_ones() as usize] += 1);
        assert_eq!(degrees, [0, 2, 14, 32, 12, 0, 0]);
        assert!((0..STREETS).all(|s| map.ball[s][RADII - 1].count_ones() == 60), "streets are connected");
        assert_eq!(map.light[0xFF].count_ones(), 38);
        let lit = (0..LAMPS).filter(|&lamp| map.set_up.tiles[lamp] != 0).fold(0, |set, lamp| set | 1 << lamp);
        assert_eq!(map.light[lit].count_ones(), 28);
    }
}

#[test]
fn four_are_seen_and_four_unseen_at_the_set_up() {
    for edition in ["first_2006", "revised"] {
        let game = MrJack::new(edition, true, false, false).unwrap();
        let state = game.initial_state(&mut Rng::new(0));
        assert_eq!(names(game.visible(&state)), "holmes,smith,lestrade,bert");
    }
}

#[test]
fn destinations_at_the_set_up_are_counted() {
    // Holmes, Watson, Smith, Lestrade, Stealthy, Goodley, Gull, Bert, without accusation or power used first.
    for (edition, counts) in
        [("first_2006", [23, 17, 23, 20, 37, 27, 22, 20]), ("revised", [31, 29, 19, 21, 34, 17, 30, 20])]
    {
        let game = MrJack::new(edition, true, false, false).unwrap();
        let mut state = set_up(&game, HOLMES);
        let open = game.open(&state);
        for (character, count) in counts.into_iter().enumerate() {
            let at = state.at[character] as usize;
            let reached =
                if character == STEALTHY { game.map.stride(at, 4, open) } else { game.map.walk(at, 3, open) };
            assert_eq!(
                (reached & !state.occupied()).count_ones(),
                count,
                "{edition} {}",
                CHARACTERS[character]
            );
            if ![BERT, GOODLEY].contains(&character) {
                let set = game.destinations(&state, character, 0) & ((1 << STREETS) - 1);
                assert_eq!(set.count_ones(), count);
            }
        }
        state.hand = 1 << GULL;
        let mut moves = Vec::new();
        game.legal_moves(&state, &mut moves);
        let quiet = moves.iter().filter(|&&mv| destination_of(mv) < ACCUSE).count();
        assert_eq!(quiet, counts[GULL] as usize + 12, "a swap with six, and with Watson in six directions");
        // Counted once by an independent program: 8,888 whistles blown later and 9,963 blown first give 14,008
        // positions, 5,760 and 5,944 give 7,964.
        state.hand = 1 << GOODLEY;
        moves.clear();
        game.legal_moves(&state, &mut moves);
        let quiet = moves.iter().filter(|&&mv| destination_of(mv) < ACCUSE).count();
        assert_eq!(quiet, if edition == "revised" { 7_964 } else { 14_008 });
    }
}

// ----------------------------------------------------------------------------------------------- the powers

#[test]
fn holmes_takes_an_alibi_card_in_secret() {
    let game = game();
    let state = set_up(&game, BERT);
    let after = play(&game, &state, "holmes g6");
    assert_eq!((after.drawn, after.innocent), (1, 0));
    assert_eq!(after.alibis(DETECTIVE), 1 << state.pile[0]);
    assert_eq!(game.suspects(&after), !(1 << state.pile[0]));
    let mut other = state;
    other.step = 1;
    let after = play(&game, &other, "holmes g6");
    assert_eq!((after.alibis(DETECTIVE), after.alibis(JACK)), (0, 1 << state.pile[0]));
    assert_eq!(game.suspects(&after), 0xFF, "the detective is only deprived of the card");
}

#[test]
fn watson_turns_his_lantern_after_his_move() {
    let game = game();
    let state = set_up(&game, BERT);
    let uses = legal(&game, &state).iter().filter(|name| name.starts_with("watson a5 ")).count();
    assert_eq!(uses, 6);
    assert_eq!(play(&game, &state, "watson a5 facing SE").facing, 2);
    assert!(!allows(&game, &state, "watson a5"));
}

#[test]
fn smith_moves_a_lit_tile_with_its_number() {
    let game = game();
    let state = set_up(&game, BERT);
    let after = play(&game, &state, "smith g9 lamp b2>h4");
    let lamp = |name| game.map.lamp(name).unwrap();
    assert_eq!((after.tiles[lamp("b2")], after.tiles[lamp("h4")]), (0, 1));
    let uses = legal(&game, &state).iter().filter(|name| name.starts_with("smith g9 ")).count();
    assert_eq!(uses, 12);
    assert_eq!(play(&game, &state, "smith lamp b2>h4 g9"), after, "before is the same as after");
    assert!(!allows(&game, &state, "smith g9"));
    assert!(!allows(&game, &state, "smith g9 lamp b2>l11"));
}

#[test]
fn lestrade_moves_a_cordon_to_an_open_exit() {
    let game = game();
    let state = set_up(&game, BERT);
    let after = play(&game, &state, "lestrade cordon NE>SE e6");
    assert_eq!(after.cordons, 0b1100);
    assert_eq!(after, play(&game, &state, "lestrade e6 cordon NE>SE"));
    assert_eq!(legal(&game, &state).iter().filter(|name| name.starts_with("lestrade e6 ")).count(), 4);
    assert!(!allows(&game, &state, "lestrade e6 cordon NE>SW"));
}

#[test]
fn stealthy_crosses_what_others_go_round() {
    let game = game();
    let mut state = in_the_dark(&game);
    put(&game, &mut state, &[(STEALTHY, "c4")]);
    let (open, at) = (game.open(&state), street(&game, "c4") as usize);
    let others = game.map.walk(at, 4, open);
    let hers = game.destinations(&state, STEALTHY, 0) as u64;
    assert!(hers & !others != 0);
    assert!(hers.count_ones() > (others & !state.occupied()).count_ones());
    assert_eq!(hers & state.occupied(), 0);
}

#[test]
fn goodleys_whistle_brings_others_strictly_closer() {
    let game = game();
    let mut state = set_up(&game, BERT);
    state.hand = 1 << GOODLEY;
    let mut moves = Vec::new();
    game.legal_moves(&state, &mut moves);
    for &mv in moves.iter().filter(|&&mv| destination_of(mv) < STREETS).step_by(17) {
        let mut after = state;
        game.play(&mut after, mv);
        let first = game.move_name(&state, mv).starts_with("goodley whistle");
        let from = if first { state.at[GOODLEY] } else { after.at[GOODLEY] } as usize;
        let mut paid = 0;
        for character in (0..8).filter(|&c| c != GOODLEY && state.at[c] != after.at[c]) {
            let (start, end) = (state.at[character] as usize, after.at[character] as usize);
            assert!(game.map.distance[from][end] < game.map.distance[from][start]);
            paid += game.map.distance[start][end];
        }
        assert_eq!(paid, 3);
        assert_eq!(after.occupied().count_ones(), 8);
    }
    let after = play(&game, &state, "goodley m9 whistle watson>b3:S bert>j8 gull>f10");
    assert_eq!((after.facing, after.at[BERT]), (3, street(&game, "j8")));
}

#[test]
fn gull_moves_or_changes_places() {
    let game = game();
    let state = set_up(&game, BERT);
    let after = play(&game, &state, "gull swap watson:S");
    assert_eq!((after.at[GULL], after.at[WATSON], after.facing), (state.at[WATSON], state.at[GULL], 3));
    assert!(allows(&game, &state, "gull swap smith"));
    assert!(!allows(&game, &state, "gull swap watson"));
    assert!(!allows(&game, &state, "gull f10 swap smith"));
    let both = MrJack::new("first_2006", true, false, true).unwrap();
    let after = play(&both, &state, "gull f10 swap smith");
    assert_eq!((after.at[GULL], after.at[SMITH]), (state.at[SMITH], street(&both, "f10")));
    assert!(!allows(&both, &state, "gull swap smith"));
}

#[test]
fn bert_opens_his_way_or_moves_a_cover_afterwards() {
    let game = game();
    let mut state = in_the_dark(&game);
    put(&game, &mut state, &[(BERT, "c3")]);
    // c2 is covered, next to c3; opened first, it leads to every open manhole.
    let names = legal(&game, &state);
    assert!(names.contains(&"bert cover c2>a5 m9".to_string()));
    assert!(!names.contains(&"bert m9 cover c2>a5".to_string()));
    assert!(!names.contains(&"bert cover c2>m9 m9".to_string()));
    let after = play(&game, &state, "bert cover c2>a5 m9");
    assert_eq!(after.covers, 1 << street(&game, "a5") | 1 << street(&game, "l12"));
    assert_eq!(
        play(&game, &state, "bert c2 cover l12>h3"),
        play(&game, &state, "bert cover l12>h3 c2"),
        "both orders lead to the same position"
    );
}

#[test]
fn bert_cannot_pass_a_manhole_that_he_has_covered_first() {
    let game = game();
    let mut state = in_the_dark(&game);
    put(&game, &mut state, &[(BERT, "a5")]);
    assert!(allows(&game, &state, "bert m9 cover c2>a5"));
    assert!(!allows(&game, &state, "bert cover c2>a5 m9"));
}

// ----------------------------------------------------------------------------------------------- visibility

#[test]
fn a_gaslight_shows_its_neighbours() {
    let game = game();
    let mut state = in_the_dark(&game);
    let lamp = game.map.lamp("b2").unwrap();
    state.tiles[lamp] = 1;
    assert_eq!(names(game.visible(&state)), "holmes", "a1 is next to b2");
}

#[test]
fn a_neighbour_is_a_witness_innocent_or_not() {
    let game = game();
    let mut state = in_the_dark(&game);
    put(&game, &mut state, &[(SMITH, "a2")]);
    state.innocent = 1 << SMITH;
    assert_eq!(names(game.visible(&state)), "holmes,smith");
}

#[test]
fn the_beam_shows_everybody_up_to_the_first_obstacle() {
    let game = game();
    let mut state = in_the_dark(&game);
    put(&game, &mut state, &[(HOLMES, "a1"), (SMITH, "a3")]);
    put(&game, &mut state, &[(WATSON, "a5")]);
    assert!(!sees(&game, &state, HOLMES));
    state.facing = 3;
    assert!(sees(&game, &state, SMITH) && sees(&game, &state, HOLMES), "characters do not stop the beam");
    assert!(!sees(&game, &state, WATSON), "he is not lit by his own lantern");
    // South-east of a5 is the building b5.
    state.facing = 2;
    put(&game, &mut state, &[(SMITH, "d5")]);
    assert!(!sees(&game, &state, SMITH));
}

// -------------------------------------------------------------------------------------------- turns and ends

#[test]
fn sides_play_one_two_one() {
    let game = game();
    let mut state = game.initial_state(&mut Rng::new(3));
    let mut order = String::new();
    for _ in 0..8 {
        order.push(if game.side_to_move(&state) == DETECTIVE { 'D' } else { 'J' });
        let mv = game.random_decisive_move(&state, &mut Rng::new(4));
        game.play(&mut state, mv);
    }
    assert_eq!(order, "DJJDJDDJ");
    assert_eq!(state.turn, 3);
}

#[test]
fn every_character_is_played_once_in_two_turns() {
    let game = game();
    let state = game.initial_state(&mut Rng::new(3));
    assert_eq!((state.hand.count_ones(), state.hand | state.next, state.hand & state.next), (4, 0xFF, 0));
    let mut next = state;
    while next.turn == 1 {
        let mv = game.random_decisive_move(&next, &mut Rng::new(4));
        game.play(&mut next, mv);
    }
    assert_eq!((next.hand, next.next), (state.next, 0));
}

#[test]
fn the_call_clears_those_who_are_not_as_jack_is() {
    let game = game();
    for (jack, innocent) in [(HOLMES, !0b1000_1101u8), (GULL, 0b1000_1101)] {
        let mut state = set_up(&game, jack);
        (state.step, state.hand) = (3, 1 << STEALTHY);
        // Stealthy stays unseen.
        let after = play(&game, &state, "stealthy m8");
        assert_eq!(after.innocent, innocent, "{}", game.diagram(&after));
        assert_eq!(after.seen, jack == HOLMES);
        assert_eq!(game.answer(&after), if jack == HOLMES { 1 } else { 2 });
        let lamp = game.map.lamp("b2").unwrap();
        assert_eq!((state.tiles[lamp], after.tiles[lamp]), (1, 0), "tile 1 goes after turn 1");
        assert_eq!(game.answer(&state), 0);
    }
}

#[test]
fn gaslights_go_out_after_the_first_four_turns() {
    let game = game();
    let mut rng = Rng::new(9);
    let mut state = game.initial_state(&mut rng);
    let mut lit = vec![state.lit().count_ones()];
    while state.turn < 7 && state.end == End::None {
        let turn = state.turn;
        let mv = game.random_decision(&state, 0, &mut rng);
        if destination_of(mv) < FIRST_EXIT || destination_of(mv) == SWAP {
            game.play(&mut state, mv);
            if state.turn != turn {
                lit.push(state.lit().count_ones());
            }
        }
    }
    assert_eq!(lit, [6, 5, 4, 3, 2, 2, 2]);
}

#[test]
fn a_right_accusation_is_an_arrest() {
    let game = game();
    let state = set_up(&game, SMITH);
    let after = play(&game, &state, "holmes g8 accuse smith");
    assert_eq!((after.end, game.outcome(&after)), (End::Arrest, Some(Outcome::Win(DETECTIVE))));
    assert_eq!(game.end_kind(&after), "arrest");
    assert_eq!(game.winning_cells(&after), [street(&game, "g8") as usize]);
    assert!(legal(&game, &after).is_empty());
}

#[test]
fn a_wrong_accusation_is_won_by_jack() {
    let game = game();
    let after = play(&game, &set_up(&game, BERT), "holmes g8 accuse smith");
    assert_eq!((game.end_kind(&after), game.outcome(&after)), ("false_accusation", Some(Outcome::Win(JACK))));
    assert_eq!(game.suspects(&after) >> SMITH & 1, 0);
}

#[test]
fn jack_never_accuses_and_nobody_else_ends_on_an_occupied_street() {
    let game = game();
    let mut state = set_up(&game, BERT);
    state.step = 1;
    assert!(legal(&game, &state).iter().all(|name| !name.contains("accuse")));
    assert!(!allows(&game, &state, "holmes g8"));
}

#[test]
fn jack_escapes_through_an_open_exit_when_the_card_says_invisible() {
    let game = game();
    let mut state = escaping(&game, HOLMES);
    put(&game, &mut state, &[(HOLMES, "b7")]);
    let after = play(&game, &state, "holmes exit NW");
    assert_eq!((game.end_kind(&after), game.outcome(&after)), ("escape", Some(Outcome::Win(JACK))));
    assert_eq!(after.drawn, 0, "the game is over before the power");
    assert_eq!(game.winning_cells(&after), [FIRST_EXIT]);
    let exits = |state: &State| legal(&game, state).iter().filter(|name| name.contains("exit")).count();
    assert_eq!(exits(&state), 1);
    for change in [
        |state: &mut State| state.seen = true,
        |state: &mut State| state.cordons = 0b0011,
        |state: &mut State| state.step = 1,
        |state: &mut State| state.jack = BERT as u8,
        |state: &mut State| state.hand &= !1,
    ] {
        let mut other = state;
        change(&mut other);
        assert_eq!(exits(&other), 0);
    }
}

#[test]
fn a_power_used_first_can_open_the_way_out() {
    let game = game();
    let mut state = escaping(&game, LESTRADE);
    put(&game, &mut state, &[(LESTRADE, "b1")]);
    assert!(allows(&game, &state, "lestrade cordon SW>NW exit SW"));
    assert!(!allows(&game, &state, "lestrade exit SW"));
    let mut state = escaping(&game, BERT);
    put(&game, &mut state, &[(BERT, "c3"), (HOLMES, "a4")]);
    // From c2 through the sewers to l12, then out: one step too far; l12 itself must be opened too.
    assert!(legal(&game, &state).iter().all(|name| !name.contains("exit")));
    state.cordons = 0b1100;
    state.covers = 1 << street(&game, "f7") | 1 << street(&game, "l12");
    put(&game, &mut state, &[(BERT, "c2"), (GOODLEY, "h10")]);
    assert!(allows(&game, &state, "bert cover l12>a5 exit NE"));
    assert!(!allows(&game, &state, "bert exit NE"));
}

#[test]
fn eight_turns_without_an_arrest_are_survived() {
    let game = game();
    let mut state = set_up(&game, HOLMES);
    (state.turn, state.step, state.next, state.deals) = (8, 3, 0, [0; 3]);
    state.innocent = !1;
    state.hand = 1 << STEALTHY;
    let after = play(&game, &state, "stealthy m8");
    assert_eq!((game.end_kind(&after), game.outcome(&after)), ("survival", Some(Outcome::Win(JACK))));
    assert_eq!(game.answer(&after), 0);
}

// -------------------------------------------------------- points on which descriptions of the rules differ

#[test]
fn point_1_editions_differ_in_manholes_watson_and_stealthy() {
    let (first, revised) = (game(), MrJack::new("revised", true, false, false).unwrap());
    let manholes =
        |game: &MrJack| bits(game.map.manholes).map(|s| game.map.name(s).to_string()).collect::<Vec<_>>();
    assert_eq!(
        manholes(&first),
        ["a5", "c2", "f7", "f10", "h3", "h6", "l12", "m9"].map(String::from).to_vec()
    );
    assert_eq!(manholes(&revised).len(), 9);
    let (a, b) = (first.map.set_up.at, revised.map.set_up.at);
    assert_eq!((a[WATSON], a[STEALTHY]), (b[STEALTHY], b[WATSON]));
    assert!((0..8).all(|c| c == WATSON || c == STEALTHY || a[c] == b[c]));
    assert_eq!(MrJack::INFO.options[0].default, "first_2006");
    let unknown = MrJack::new("third", true, false, false).err().unwrap();
    assert_eq!(unknown.to_string(), "no edition 'third' of mr_jack: first_2006, revised");
}

#[test]
fn point_2_witnesses_are_called_every_turn_or_after_even_ones() {
    let other = MrJack::new("first_2006", false, false, false).unwrap();
    assert_eq!((1..=8).filter(|&turn| game().is_called(turn)).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!((1..=8).filter(|&turn| other.is_called(turn)).collect::<Vec<_>>(), [2, 4, 6]);
    let mut state = set_up(&other, GULL);
    (state.step, state.hand) = (3, 1 << STEALTHY);
    let after = play(&other, &state, "stealthy m8");
    assert_eq!((after.innocent, after.seen, other.answer(&after)), (0, true, 0));
}

#[test]
fn point_3_everybody_moves_and_uses_a_mandatory_power() {
    let game = game();
    let state = set_up(&game, BERT);
    let mut moves = Vec::new();
    game.legal_moves(&state, &mut moves);
    for mv in moves {
        let (character, destination) = (character_of(mv), destination_of(mv));
        assert_ne!(destination, state.at[character] as usize);
        let mandatory = [WATSON, SMITH, LESTRADE, GOODLEY, BERT].contains(&character);
        assert!(!mandatory || destination >= ACCUSE || mv.0 >> 10 != 0);
    }
}

#[test]
fn point_4_a_whistle_uses_three_points_or_with_loose_at_least_one() {
    let loose = MrJack::new("first_2006", true, true, false).unwrap();
    let state = set_up(&loose, BERT);
    for text in ["goodley m9 whistle bert>j8", "goodley m9 whistle bert>j8 smith>g9"] {
        assert!(allows(&loose, &state, text), "{text}");
        assert!(!allows(&game(), &state, text), "{text}");
    }
    assert!(!allows(&loose, &state, "goodley m9 whistle nobody"));
    assert!(!allows(&loose, &state, "goodley m9"));
    assert!(!allows(&loose, &state, "goodley m9 whistle bert>i9"), "not closer");
}

#[test]
fn point_5_leaving_costs_one_point() {
    let game = game();
    let mut state = escaping(&game, SMITH);
    for (from, leaves) in [("b7", true), ("b6", true), ("a5", true), ("a4", false)] {
        put(&game, &mut state, &[(SMITH, from), (WATSON, "e3")]);
        assert_eq!(allows(&game, &state, "smith exit NW"), leaves, "{from}");
    }
}

#[test]
fn point_6_an_exit_hangs_on_one_street() {
    let game = game();
    let gates: Vec<&str> = game.map.gate.iter().map(|&gate| game.map.name(gate as usize)).collect();
    assert_eq!(gates, ["b7", "l12", "b1", "l6"]);
    // m12 and a1 are next to a gate, not to an exit: from two steps before the gate nobody gets out.
    let mut state = escaping(&game, SMITH);
    state.cordons = 0b1001;
    state.covers = game.map.manholes;
    for (at, gate, exit) in [("m12", "l12", "NE"), ("a1", "b1", "SW")] {
        let (at, gate) = (street(&game, at) as usize, street(&game, gate) as usize);
        assert_eq!(game.map.distance[at][gate], 1);
        for from in (0..STREETS).filter(|&from| state.occupied() >> from & 1 == 0) {
            let mut there = state;
            there.at[SMITH] = from as u8;
            let leaves = allows(&game, &there, &format!("smith exit {exit}"));
            assert_eq!(leaves, game.map.distance[from][gate] <= 2, "{}", game.map.name(from));
        }
    }
}

#[test]
fn point_7_a_gaslight_stops_the_beam_lit_or_not() {
    let game = game();
    let mut state = in_the_dark(&game);
    // South-west of g6 is the gaslight f5, behind it e4.
    put(&game, &mut state, &[(WATSON, "g6"), (STEALTHY, "e4"), (LESTRADE, "m11"), (SMITH, "c6")]);
    state.facing = 4;
    let lamp = game.map.lamp("f5").unwrap();
    let beyond = |state: &State| game.map.beam[state.at[WATSON] as usize][4] >> state.at[STEALTHY] & 1 == 1;
    assert!(!beyond(&state) && !sees(&game, &state, STEALTHY));
    state.tiles[lamp] = UNNUMBERED;
    assert!(!beyond(&state));
}

#[test]
fn point_8_a_whistle_makes_no_accusation() {
    let game = game();
    let mut state = set_up(&game, SMITH);
    state.hand = 1 << GOODLEY;
    let mut moves = Vec::new();
    game.legal_moves(&state, &mut moves);
    for mv in moves {
        let mut after = state;
        game.play(&mut after, mv);
        let alone = after.occupied().count_ones() == 8;
        assert_eq!(alone, destination_of(mv) < ACCUSE);
        if !alone {
            assert_eq!(after.at[GOODLEY], after.at[destination_of(mv) - ACCUSE]);
        }
    }
}

#[test]
fn point_9_who_displaces_watson_turns_his_lantern() {
    let game = game();
    let state = set_up(&game, BERT);
    let swaps = legal(&game, &state).iter().filter(|name| name.starts_with("gull swap watson:")).count();
    let calls = legal(&game, &state)
        .iter()
        .filter(|name| {
            name.starts_with("goodley m9 whistle watson>b3:") && name.ends_with("gull>f10 bert>j8")
        })
        .count();
    assert_eq!((swaps, calls), (6, 6));
}

#[test]
fn point_10_edge_buildings_are_hexes_that_stealthy_crosses() {
    let game = game();
    for name in ["d8", "j5"] {
        assert!(game.map.hexes.iter().any(|hex| hex.name == name && hex.kind == "building"));
        assert!(game.map.street(name).is_none());
    }
    for name in ["j11", "d2"] {
        assert!(game.map.hexes.iter().all(|hex| hex.name != name));
    }
    // Over d8, c7 and d7 are two steps from e9; the way round is longer.
    let (from, to) = (street(&game, "e9") as usize, street(&game, "d7") as usize);
    assert!(game.map.crossing[from][2] >> to & 1 == 1);
}

#[test]
fn point_11_six_gaslights_are_lit_at_the_start() {
    let game = game();
    assert_eq!(game.initial_state(&mut Rng::new(0)).lit().count_ones(), 6);
    assert_eq!(game.map.set_up.tiles[game.map.lamp("h8").unwrap()], UNNUMBERED);
}

#[test]
fn point_12_the_lantern_first_faces_north_east_and_lights_nobody() {
    for edition in ["first_2006", "revised"] {
        let game = MrJack::new(edition, true, false, false).unwrap();
        let state = game.initial_state(&mut Rng::new(0));
        assert_eq!(DIRECTIONS[state.facing as usize], "NE");
        assert_eq!(game.map.beam[state.at[WATSON] as usize][1] & state.occupied(), 0);
    }
}

#[test]
fn point_13_a_whistle_pays_the_shortest_way() {
    let game = game();
    let state = set_up(&game, BERT);
    // One step for Bert leaves two points that must be used too.
    assert!(!allows(&game, &state, "goodley m9 whistle bert>j8"));
    assert!(allows(&game, &state, "goodley m9 whistle bert>j8 gull>f10 watson>b3:NE"));
}

#[test]
fn who_can_go_nowhere_stays_and_uses_his_power() {
    let game = game();
    let mut state = in_the_dark(&game);
    state.covers = 0;
    let corner = (0..STREETS).find(|&s| game.map.ball[s][3].count_ones() == 6).unwrap();
    let around: Vec<usize> = bits(game.map.ball[corner][3] & !(1 << corner)).collect();
    state.covers = game.map.manholes;
    state.at[SMITH] = corner as u8;
    for (character, &place) in [HOLMES, WATSON, LESTRADE, STEALTHY, GULL].into_iter().zip(&around) {
        state.at[character] = place as u8;
    }
    let far = bits(!game.map.ball[corner][5] & ((1 << STREETS) - 1)).collect::<Vec<_>>();
    (state.at[GOODLEY], state.at[BERT]) = (far[0] as u8, far[1] as u8);
    (state.step, state.hand) = (1, 1 << SMITH);
    state.tiles = game.map.set_up.tiles;
    let names = legal(&game, &state);
    assert_eq!(names.len(), 12);
    assert!(names.iter().all(|name| name.starts_with(&format!("smith {} lamp", game.map.name(corner)))));
}
