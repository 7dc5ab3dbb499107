//! Breakthrough: men step straight or diagonally forward and take diagonally; who crosses the board, or takes
//! the last enemy man, wins.

use super::forward_men::{ForwardMen, Men, OPTIONS, Step};
use crate::game::PieceKind;
use crate::spec::PartInfo;

pub type Breakthrough = ForwardMen<Pawns>;

/// A side is never without a step: straight ahead of its foremost man there may be an enemy, but diagonally
/// ahead nothing that stops him.
pub struct Pawns;

impl Men for Pawns {
    const INFO: PartInfo = PartInfo {
        name: "breakthrough",
        options: OPTIONS,
        positional: None,
        doc: "Men step forward and take diagonally; who crosses the board or takes all wins",
    };
    const KIND: PieceKind = PieceKind::Man;
    const STEPS: &'static [Step] = &[
        Step { columns: -1, rows: 1, captures: true },
        Step { columns: 0, rows: 1, captures: false },
        Step { columns: 1, rows: 1, captures: true },
    ];
    const WIDTH: usize = 1;
    const MISERE_REPLY: i32 = 0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Offers, Present, Rules};
    use crate::games::conformance::{legal_names, play_all};
    use crate::spec::Family;
    use crate::types::{Outcome, Rng, Side};

    fn five() -> Breakthrough {
        Breakthrough::new(5, 5, 2)
    }

    #[test]
    fn straight_steps_do_not_take_and_diagonal_ones_do() {
        let game = five();
        let state = game.parse_state("...../..b../.bb../..w../..... first").unwrap();
        assert_eq!(legal_names(&game, &state), ["c2xb3", "c2-d3"]);
        let state = game.parse_state("...../...b./.ww../..w../..... second").unwrap();
        assert_eq!(legal_names(&game, &state), ["d4-e3", "d4-d3", "d4xc3"]);
    }

    #[test]
    fn own_men_stop_every_step() {
        let game = five();
        let state = game.parse_state("b..../...../www../.w.../..... first").unwrap();
        assert!(legal_names(&game, &state).iter().all(|name| name.contains('3')));
    }

    #[test]
    fn men_do_not_step_around_the_edge() {
        let game = five();
        let state = game.parse_state("b...b/...../...../w...w/..... first").unwrap();
        assert_eq!(legal_names(&game, &state), ["e2-d3", "a2-a3", "e2-e3", "a2-b3"]);
        let state = game.parse_state("b...b/...../...../w...w/..... second").unwrap();
        assert_eq!(legal_names(&game, &state), ["a5-b4", "a5-a4", "e5-e4", "e5-d4"]);
    }

    #[test]
    fn crossing_wins() {
        let game = five();
        let mut state = game.parse_state("...../..w../...../b..../w.... first").unwrap();
        play_all(&game, &mut state, &["c4-b5"]);
        assert_eq!(game.outcome(&state), Some(Outcome::Win(Side::First)));
        assert_eq!((game.end_kind(&state), game.winning_cells(&state)), ("crossing", vec![21]));
        assert!(legal_names(&game, &state).is_empty());

        let mut state = game.parse_state("...../..w../...../b..../w.... second").unwrap();
        assert_eq!(game.end_kind(&state), "");
        play_all(&game, &mut state, &["a2-b1"]);
        assert_eq!(game.outcome(&state), Some(Outcome::Win(Side::Second)));
    }

    #[test]
    fn taking_the_last_man_wins() {
        let game = five();
        let mut state = game.parse_state("...../...../.b.../w..../..... first").unwrap();
        play_all(&game, &mut state, &["a2xb3"]);
        assert_eq!(game.outcome(&state), Some(Outcome::Win(Side::First)));
        assert_eq!(game.end_kind(&state), "capture_all");
        assert_eq!(game.state_text(&state), "...../...../.w.../...../..... second");
        assert_eq!(game.parse_state(&game.state_text(&state)).unwrap(), state);
    }

    // Ten men against nine, the foremost in their second and first row from home: 12.5 points, tanh(12.5 / 60) = 0.2054.
    #[test]
    fn an_evaluation_counts_men_and_the_foremost() {
        let game = five();
        let value = |text: &str| game.evaluation().unwrap().value(&game.parse_state(text).unwrap());
        assert!((value("bbbb./bbbbb/w..../wwwww/wwww. first") - 0.6027).abs() < 5e-5);
        assert_eq!(value("b..../...../...../...../....w second"), 0.5);
        // No more than a hundred points count: here 9 men and 3 rows are 97.5, on the larger board 11 and 6 are 125.
        let most = value("....b/w..../wwwww/wwww./..... first");
        assert!((most - 0.5 - 0.5 * libm::tanhf(97.5 / 60.0)).abs() < 1e-6);
        let game = Breakthrough::new(8, 8, 2);
        let state =
            game.parse_state("b......./w......./......../......../......../wwwwwwww/www...../........ first");
        let most = game.evaluation().unwrap().value(&state.unwrap());
        assert!((most - 0.5 - 0.5 * libm::tanhf(100.0 / 60.0)).abs() < 1e-6);
    }

    #[test]
    fn a_prior_knows_the_way_what_is_taken_and_what_is_safe() {
        let game = five();
        // The enemy of b4 reaches a3 and c3, the one of b3 a2 and c2.
        let state = game.parse_state("b...b/.b.../.b.../..ww./..... first").unwrap();
        let mut values = Vec::new();
        let expected = |name: &str, values: &mut Vec<f32>| {
            let mv = game.parse_move(&state, name).unwrap();
            game.priors().unwrap().priors(&state, None, &[mv], values);
            assert_eq!(values.len(), 1);
            values[0]
        };
        // Half of the way, where nobody reaches, and where d2 covers what b4 reaches.
        assert_eq!(expected("d2-e3", &mut values), 0.25);
        assert_eq!(expected("c2-d3", &mut values), 0.25);
        assert_eq!(expected("c2-c3", &mut values), 0.25);
        // From c2 nobody covers c3: men take diagonally.
        assert_eq!(expected("d2-c3", &mut values), 0.25 - 1.0);
        // The man taken on b3 had half of his way behind him; b4 does not take straight ahead.
        assert_eq!(expected("c2xb3", &mut values), 0.25 + 0.5 + 0.5);
        // With one man only the square is exposed, for the second side as for the first.
        let state = game.parse_state("b...b/.b.../...../..w../..... first").unwrap();
        let mv = game.parse_move(&state, "c2-c3").unwrap();
        game.priors().unwrap().priors(&state, None, &[mv, mv], &mut values);
        assert_eq!(values, [0.25 - 1.0; 2]);
        let state = game.parse_state("...../.b.../...../w...w/..... second").unwrap();
        let moves = ["b4-a3", "b4-b3", "b4-c3"].map(|name| game.parse_move(&state, name).unwrap());
        game.priors().unwrap().priors(&state, None, &moves, &mut values);
        assert_eq!(values, [0.25, 0.25 - 1.0, 0.25]);
    }

    #[test]
    fn the_start_is_drawn_with_coordinates() {
        let game = Breakthrough::new(4, 3, 1);
        let state = game.initial_state(&mut Rng::new(0));
        assert_eq!(game.diagram(&state), " 4 b b b\n 3 . . .\n 2 . . .\n 1 w w w\n   a b c");
    }

    #[test]
    fn positions_that_cannot_be_are_refused() {
        let game = five();
        for (text, why) in [
            ("wwwww/wwwww/wwwww/...../bbbbb first", "first has 15 men, but starts with 10"),
            ("ww.../...../...../b..../..... second", "first has crossed twice, at a5, b5"),
            ("w..../...../...../b..../..... first", "first has won, so second is to move"),
            ("...../...../...../b..../..... second", "second has won, so first is to move"),
            ("w..../...../...../...../b.... second", "second has won, so first is to move"),
            ("...../...../...../...../..... first", "first has won, so second is to move"),
        ] {
            let message = game.parse_state(text).unwrap_err().to_string();
            assert_eq!(message, format!("no position of breakthrough: {why}"), "{text}");
        }
    }

    #[test]
    fn ranks_follow_the_rows_unless_given() {
        let start = |text: &str| {
            let spec = crate::catalogue::read(Family::Game, text)?;
            let game = Breakthrough::from_options(&crate::spec::Options::new(&spec.parts[0]))?;
            Ok::<_, crate::types::Error>(game.state_text(&game.initial_state(&mut Rng::new(0))))
        };
        assert_eq!(start("breakthrough(rows=4, columns=3)").unwrap(), "bbb/.../.../www first");
        assert_eq!(start("breakthrough(columns=3)").unwrap(), "bbb/bbb/.../www/www first");
        assert_eq!(start("breakthrough(columns=3, ranks=1)").unwrap(), "bbb/.../.../.../www first");
        assert_eq!(
            start("breakthrough(rows=4, ranks=2)").unwrap_err().to_string(),
            "breakthrough: ranks=2 is not allowed on 4 rows: 1, or none"
        );
    }
}
