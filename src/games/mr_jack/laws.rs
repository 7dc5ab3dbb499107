//! Laws of Mr Jack that hold in every position, and the statistics of its chance.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::MrJack;
use super::board::*;
use super::moves::{ACCUSE, DESTINATIONS, EVERYBODY, character_of, destination_of, destinations_in};
use super::state::{DETECTIVE, End, JACK, State};
use crate::game::{FastPlay, Present, Rules, Scripts, Secrets, Stages, Trace};
use crate::types::{Move, Outcome, Rng, Side};

fn variant(number: usize) -> MrJack {
    let edition = if number & 1 == 0 { "first_2006" } else { "revised" };
    MrJack::new(edition, number & 2 == 0, number & 4 != 0, number & 8 != 0).unwrap()
}

/// A position after some random decisions; the game may be over.
fn position(game: &MrJack, seed: u64, moves: usize) -> State {
    let mut rng = Rng::new(seed);
    let mut state = game.initial_state(&mut rng);
    for _ in 0..moves {
        if game.outcome(&state).is_none() {
            let mv = game.random_decisive_move(&state, &mut rng);
            game.play(&mut state, mv);
        }
    }
    state
}

fn legal(game: &MrJack, state: &State) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(state, &mut moves);
    moves
}

/// Pearson's statistic, in standard deviations from its mean: about normal for many cells.
fn excess(counts: &[u32]) -> f64 {
    let expected = counts.iter().sum::<u32>() as f64 / counts.len() as f64;
    let statistic: f64 = counts.iter().map(|&n| (n as f64 - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    (statistic - freedom) / (2.0 * freedom).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn names_parse_back(seed in any::<u64>(), moves in 0usize..32, number in 0usize..16) {
        let game = variant(number);
        let state = position(&game, seed, moves);
        let all = legal(&game, &state);
        let step = 1 + all.len() / 60;
        for &mv in all.iter().step_by(step) {
            let name = game.move_name(&state, mv);
            prop_assert_eq!(game.parse_move(&state, &name.to_uppercase()).map_err(|e| e.to_string()), Ok(mv), "{}", name);
            prop_assert!(game.is_legal(&state, mv));
            prop_assert!(game.slot(mv) < game.slots());
            let cells = game.move_cells(&state, mv);
            prop_assert!(cells.iter().all(|&cell| cell < game.board().cells.len()));
        }
    }

    #[test]
    fn legal_is_what_is_listed(seed in any::<u64>(), moves in 0usize..32, number in 0usize..16, noise in any::<u32>()) {
        let game = variant(number);
        let state = position(&game, seed, moves);
        let listed: std::collections::BTreeSet<Move> = legal(&game, &state).into_iter().collect();
        let mut other = position(&game, seed ^ 3, moves);
        other.hand = state.hand;
        for mv in legal(&game, &other).into_iter().chain(listed.iter().copied()) {
            prop_assert_eq!(game.is_legal(&state, mv), listed.contains(&mv));
            let mv = Move(mv.0 ^ 1 << (noise & 31));
            prop_assert_eq!(game.is_legal(&state, mv), listed.contains(&mv));
        }
    }

    #[test]
    fn different_decisions_have_different_names(seed in any::<u64>(), moves in 0usize..32) {
        let game = variant(0);
        let state = position(&game, seed, moves);
        let mut names: Vec<String> = legal(&game, &state).iter().map(|&mv| game.move_name(&state, mv)).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        prop_assert_eq!(names.len(), count);
    }

    #[test]
    fn positions_are_read_back(seed in any::<u64>(), moves in 0usize..33, number in 0usize..16) {
        let game = variant(number);
        let state = position(&game, seed, moves);
        let text = game.state_text(&state);
        prop_assert_eq!(game.parse_state(&text).map_err(|e| e.to_string()), Ok(state), "{}", text);
    }

    #[test]
    fn random_decisions_are_legal(seed in any::<u64>(), moves in 0usize..32, number in 0usize..16) {
        let game = variant(number);
        let state = position(&game, seed, moves);
        if game.outcome(&state).is_none() {
            let mut rng = Rng::new(seed ^ 1);
            for _ in 0..20 {
                let any = game.random_move(&state, &mut rng);
                prop_assert!(game.is_legal(&state, any), "{}", game.move_name(&state, any));
                let decisive = game.random_decisive_move(&state, &mut rng);
                prop_assert!(game.is_legal(&state, decisive));
            }
        }
    }

    #[test]
    fn scripts_are_asked_about_legal_uses(seed in any::<u64>(), moves in 0usize..32, number in 0usize..16) {
        let game = variant(number);
        let state = position(&game, seed, moves);
        if game.outcome(&state).is_none() {
            let mut keys = Vec::new();
            Stages::keys(&game, &state, &mut keys);
            for key in keys.into_iter().step_by(3) {
                let question = game.question(&state, key);
                prop_assert!(!question.moves.is_empty());
                prop_assert_eq!(question.options.len(), question.moves.len() * question.names.len());
                for &mv in &question.moves {
                    prop_assert_eq!(game.slot(mv) as u32, key);
                    prop_assert!(game.is_legal(&state, mv), "{}", game.move_name(&state, mv));
                }
            }
        }
    }

    #[test]
    fn who_could_leave_is_who_has_an_exit_as_jack(seed in any::<u64>(), moves in 0usize..32) {
        let game = variant(0);
        let mut state = position(&game, seed, moves);
        if game.outcome(&state).is_none() {
            // Jack's first activation of an even turn, nobody having been seen.
            (state.turn, state.step, state.hand, state.seen) = (2, 0, 0xFF, false);
            let leavers = game.leavers(&state);
            // Lestrade and Bert can open a way besides.
            for character in (0..8).filter(|&character| character != LESTRADE && character != BERT) {
                let world = State { jack: character as u8, ..state };
                let exits = game.destinations(&world, character, 0) >> FIRST_EXIT & 15;
                prop_assert_eq!(leavers >> character & 1 == 1, exits != 0, "{}", CHARACTERS[character]);
            }
        }
    }

    #[test]
    fn nobody_sees_what_is_hidden(seed in any::<u64>(), moves in 0usize..33, number in 0usize..16) {
        let game = variant(number);
        let state = position(&game, seed, moves);
        let mut rng = Rng::new(seed ^ 2);
        for observer in Side::BOTH {
            let world = game.determinize(&state, observer, &mut rng);
            prop_assert_eq!(game.view(&world, observer), game.view(&state, observer));
            prop_assert_eq!(game.diagram(&world), game.diagram(&state));
            prop_assert_eq!(game.pieces(&world), game.pieces(&state));
            prop_assert_eq!(game.answer(&world), game.answer(&state));
            prop_assert_eq!(game.outcome(&world), game.outcome(&state));
            if game.side_to_move(&state) == observer {
                prop_assert_eq!(legal(&game, &world), legal(&game, &state));
                let drawn = |state: &State| game.random_decisive_move(state, &mut Rng::new(7));
                if game.outcome(&state).is_none() {
                    prop_assert_eq!(drawn(&world), drawn(&state));
                }
            }
            // The world is one that the rules allow.
            prop_assert_eq!(game.parse_state(&game.state_text(&world)).map_err(|e| e.to_string()), Ok(world));
            prop_assert!(game.suspects(&world) >> world.jack & 1 == 1);
            prop_assert_eq!(world.alibis(observer), state.alibis(observer));
        }
        if game.outcome(&state).is_none() {
            for decoy in bits(game.suspects(&state) as u64) {
                let world = game.with_identity(&state, decoy);
                prop_assert_eq!(game.view(&world, DETECTIVE), game.view(&state, DETECTIVE));
                prop_assert_eq!(world.jack as usize, decoy);
                prop_assert!(game.parse_state(&game.state_text(&world)).is_ok());
            }
        }
        prop_assert_eq!(game.determinize(&state, JACK, &mut rng).jack, state.jack);
    }

    #[test]
    fn any_text_is_a_decision_or_an_error(text in "(goodley|bert|gull|smith)( (whistle|cover|swap|lamp|exit|accuse|a5>f7|smith>c6|watson>b3:NE|b2>h4|c3|m9|NW|smith|nobody|é)){0,5}") {
        let game = variant(0);
        let state = position(&game, 5, 0);
        let _ = game.parse_move(&state, &text);
    }
}

#[test]
fn random_games_end_within_eight_turns() {
    for number in 0..16 {
        let game = variant(number);
        let mut rng = Rng::new(number as u64);
        for i in 0..100 {
            let mut state = game.initial_state(&mut rng);
            let mut trace = Trace { wanted: true, ..Trace::default() };
            let outcome = if i % 2 == 0 {
                game.decisive_playout(&mut state, &mut rng, &mut trace)
            } else {
                game.uniform_playout(&mut state, &mut rng, &mut trace)
            };
            assert!(trace.moves.len() <= 32 && state.turn <= 8);
            assert_eq!(game.outcome(&state), Some(outcome));
            assert!(!game.end_kind(&state).is_empty());
        }
    }
}

/// The position after Holmes was played once by each side, with two innocents found.
fn middle(game: &MrJack) -> State {
    let mut state = game.initial_state(&mut Rng::new(11));
    (state.turn, state.step, state.next) = (3, 0, !state.deals[0]);
    state.hand = state.deals[0];
    state.deals[0] = 0;
    (state.drawn, state.takers) = (2, 0b10);
    state.tiles.iter_mut().filter(|tile| **tile <= 2).for_each(|tile| *tile = 0);
    state.innocent = 1 << state.pile[5] | 1 << state.pile[6];
    game.parse_state(&game.state_text(&state)).unwrap()
}

#[test]
fn worlds_of_the_detective_are_drawn_uniformly() {
    let game = variant(0);
    let state = middle(&game);
    let mut rng = Rng::new(12);
    // One own alibi card and two innocents: five identities, then six cards in any order.
    let mut worlds: BTreeMap<(u8, [u8; 7]), u32> = BTreeMap::new();
    let mut deals: BTreeMap<u8, u32> = BTreeMap::new();
    for _ in 0..72_000 {
        let world = game.determinize(&state, DETECTIVE, &mut rng);
        *worlds.entry((world.jack, world.pile)).or_default() += 1;
        *deals.entry(world.deals[1]).or_default() += 1;
        assert_eq!(world.pile[0], state.pile[0]);
        assert_eq!(world.deals[0], 0);
    }
    assert_eq!(worlds.len(), 5 * 720);
    assert_eq!(deals.len(), 70);
    for counts in [worlds.into_values().collect::<Vec<_>>(), deals.into_values().collect()] {
        assert!(excess(&counts).abs() < 4.5, "{}", excess(&counts));
    }
}

#[test]
fn worlds_of_jack_are_drawn_uniformly() {
    let game = variant(0);
    let state = middle(&game);
    let mut rng = Rng::new(13);
    let mut worlds: BTreeMap<[u8; 7], u32> = BTreeMap::new();
    for _ in 0..36_000 {
        let world = game.determinize(&state, JACK, &mut rng);
        *worlds.entry(world.pile).or_default() += 1;
        assert_eq!((world.jack, world.pile[1]), (state.jack, state.pile[1]));
    }
    assert_eq!(worlds.len(), 720);
    let counts: Vec<u32> = worlds.into_values().collect();
    assert!(excess(&counts).abs() < 4.5, "{}", excess(&counts));
}

#[test]
fn the_first_state_is_drawn_uniformly() {
    let game = variant(0);
    let mut rng = Rng::new(14);
    let (mut jacks, mut deals) = ([0; 64], BTreeMap::new());
    for _ in 0..56_000 {
        let state = game.initial_state(&mut rng);
        jacks[(8 * state.jack + state.pile[0]) as usize] += 1;
        *deals.entry((state.hand, state.deals[2])).or_insert(0) += 1;
    }
    let pairs: Vec<u32> = jacks.into_iter().filter(|&n| n > 0).collect();
    assert_eq!((pairs.len(), deals.len()), (56, 4900));
    assert!(excess(&pairs).abs() < 4.5);
    assert!(excess(&deals.into_values().collect::<Vec<_>>()).abs() < 4.5);
}

#[test]
fn a_random_decision_draws_card_then_destination_then_use() {
    for number in [0, 1, 4, 8] {
        let game = variant(number);
        let mut state = game.initial_state(&mut Rng::new(20 + number as u64));
        state.hand = 1 << GOODLEY | 1 << BERT | 1 << GULL | 1 << SMITH;
        // Goodley among others, so that hexes are contested and whistles come twice.
        state.at[GOODLEY] = game.map.street("g6").unwrap() as u8;
        let mut rng = Rng::new(21);
        let (mut cards, mut places) = ([0; 8], BTreeMap::new());
        for _ in 0..40_000 {
            let mv = game.random_move(&state, &mut rng);
            cards[character_of(mv)] += 1;
            *places.entry(game.slot(mv)).or_insert(0) += 1;
        }
        assert!(excess(&cards.into_iter().filter(|&n| n > 0).collect::<Vec<_>>()).abs() < 5.0);
        for character in bits(state.hand as u64) {
            let set = game.destinations(&state, character, EVERYBODY);
            let count = |d| places.get(&(character * DESTINATIONS + d)).copied().unwrap_or(0);
            let counts: Vec<u32> = destinations_in(set).map(count).collect();
            assert_eq!(counts.iter().sum::<u32>(), cards[character]);
            assert!(excess(&counts).abs() < 4.5, "{} {counts:?}", CHARACTERS[character]);
            for destination in destinations_in(set).step_by(7) {
                uses_are_drawn_uniformly(&game, &state, character, destination);
            }
        }
    }
}

fn uses_are_drawn_uniformly(game: &MrJack, state: &State, character: usize, destination: usize) {
    let mut moves = Vec::new();
    game.uses(state, character, destination, &mut moves);
    moves.sort();
    let mut counts = vec![0u32; moves.len()];
    let mut rng = Rng::new(destination as u64);
    for _ in 0..20 * moves.len() {
        let mv = game.random_use(state, character, destination, &mut rng);
        counts[moves.binary_search(&mv).unwrap()] += 1;
    }
    if moves.len() > 1 {
        let place = format!("{} to {destination}: {}", CHARACTERS[character], moves.len());
        assert!(excess(&counts) < 5.0, "{place} {}", excess(&counts));
    }
}

#[test]
fn a_decisive_side_wins_where_it_can() {
    let game = variant(0);
    let mut rng = Rng::new(30);
    let mut state = game.initial_state(&mut rng);
    // Only Smith is left; Holmes can reach him.
    state.hand = 1 << HOLMES | 1 << WATSON;
    let others = !(1u8 << SMITH);
    state.jack = SMITH as u8;
    for _ in 0..50 {
        let mv = game.random_decisive_move(&state, &mut rng);
        assert!(destination_of(mv) < ACCUSE, "eight suspects: no accusation");
    }
    state.innocent = others;
    for _ in 0..50 {
        let mv = game.random_decisive_move(&state, &mut rng);
        assert_eq!(game.move_name(&state, mv), "holmes g8 accuse smith");
    }
    (state.turn, state.seen, state.hand) = (2, false, 0xFF);
    state.at[SMITH] = game.map.street("b6").unwrap() as u8;
    for _ in 0..50 {
        let mv = game.random_decisive_move(&state, &mut rng);
        assert_eq!(game.move_name(&state, mv), "smith exit NW");
    }
}

#[test]
fn random_play_is_won_as_often_as_it_should() {
    let game = variant(0);
    let mut rng = Rng::new(40);
    let games = 6_000;
    let mut wins = [0; 2];
    let mut wrong = 0;
    for _ in 0..games {
        let mut state = game.initial_state(&mut rng);
        let decisive = game.decisive_playout(&mut state, &mut rng, &mut Trace::default());
        assert_ne!(state.end, End::FalseAccusation);
        wins[0] += u32::from(decisive == Outcome::Win(DETECTIVE));
        let mut state = game.initial_state(&mut rng);
        let uniform = game.uniform_playout(&mut state, &mut rng, &mut Trace::default());
        wins[1] += u32::from(uniform == Outcome::Win(DETECTIVE));
        wrong += u32::from(state.end == End::FalseAccusation);
    }
    // Standard deviations 0.6 % and 0.4 %.
    let share = |n: u32| n as f64 / games as f64;

    assert!((0.69..0.75).contains(&share(wins[0])), "{}", share(wins[0]));
    assert!((0.09..0.13).contains(&share(wins[1])), "{}", share(wins[1]));
    assert!((0.73..0.81).contains(&share(wrong)), "{}", share(wrong));
}

#[test]
fn what_is_wrong_in_a_text_is_named() {
    let game = variant(0);
    let mut state = position(&game, 5, 0);
    state.hand = 0xFF;
    let refusal = |text: &str| game.parse_move(&state, text).unwrap_err().to_string();
    for (text, message) in [
        ("", "illegal move '': unknown character '': holmes, watson"),
        ("moriarty c3", "unknown character 'moriarty': holmes, watson"),
        ("smith z9", "illegal move 'smith z9': 'z9' is not a street"),
        ("smith g9 lamp", "'lamp' needs two gaslights behind it"),
        ("smith g9 lamp b2", "'b2' should be two names joined by '>'"),
        ("smith g9 lamp b2>z9", "unknown gaslight 'z9': b2, "),
        ("bert i9 cover a1>a5", "unknown manhole 'a1': a5, c2"),
        ("watson a4 facing up", "unknown direction 'up': N, NE"),
        ("lestrade e6 cordon NE>E", "unknown exit 'E': NW, NE, SW, SE"),
        ("goodley m9 whistle", "'whistle' needs whom it calls"),
        ("goodley m9 whistle bert>j8 bert>j8", "bert is called twice"),
        ("smith g9 lamp b2>h4 lamp b2>h4", "a power is used once"),
        ("gull g9 c3 swap smith", "illegal move 'gull g9 c3 swap smith': legal are holmes"),
    ] {
        assert!(refusal(text).contains(message), "{text}: {}", refusal(text));
    }
}

#[test]
fn positions_that_cannot_be_are_refused() {
    let game = variant(0);
    let text = game.state_text(&position(&game, 5, 0));
    let part = |name: &str| text.split(' ').find(|word| word.starts_with(name)).unwrap().to_string();
    for (name, new, message) in [
        ("turn=", "turn=9", "a number up to 8"),
        ("step=", "step=0 step=0", "has step twice"),
        ("step=", "", "step is missing"),
        ("at=", "at=holmes:g5,smith:g5", "everybody stands alone"),
        ("at=", "at=holmes:NW", "Jack stands on an exit"),
        ("at=", "at=holmes", "two names joined by ':'"),
        ("lamps=", "lamps=b2:1", "lit are the two tiles"),
        ("covers=", "covers=c2", "two manholes are covered"),
        ("cordons=", "cordons=-", "two exits have a cordon"),
        ("deals=", "deals=-/-/-", "the deals of turns to come"),
        ("deals=", "deals=-", "three deals joined by '/'"),
        ("hand=", "hand=-", "the hand has four cards"),
        ("next=", "next=-", "next are four other cards"),
        ("pile=", "pile=holmes", "the seven characters who are not Jack"),
        (
            "innocent=",
            "innocent=holmes,watson,smith,lestrade,stealthy,goodley,gull,bert",
            "Jack is not innocent",
        ),
        ("end=", "end=survival", "the hand has four cards"),
        ("end=", "end=never", "unknown end 'never'"),
        ("witness=", "witness", "name=value"),
        ("witness=", "weather=fog", "unknown part of a mr_jack position 'weather'"),
    ] {
        let error = game.parse_state(&text.replace(&part(name), new)).unwrap_err().to_string();
        assert!(error.contains(message), "{new}: {error}");
    }
}
