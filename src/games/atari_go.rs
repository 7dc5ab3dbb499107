//! AtariGo: Go in which the first capture wins; no pass, and who cannot move loses.

use super::go_board::{COLUMNS, Capture, GoBoard, ROWS};
use crate::spec::{OptionInfo, PartInfo};

pub type AtariGo = GoBoard<Winning>;

/// A capture is judged before suicide: a stone without liberty that takes something wins.
pub struct Winning;

impl Capture for Winning {
    const INFO: PartInfo = PartInfo {
        name: "atari_go",
        options: &[
            ROWS,
            COLUMNS,
            OptionInfo::choice(
                "suicide",
                &["forbidden", "loses"],
                "forbidden",
                "a stone that takes nothing and leaves its own group without liberty is illegal, or loses at once",
            ),
            OptionInfo::choice(
                "start",
                &["empty", "cross_cut"],
                "empty",
                "the empty board, or two stones of each side crosswise on the four central points, Black's on the lower \
                 left and the upper right; where a side is odd, on its middle and on the line below or left of it",
            ),
        ],
        positional: None,
        doc: "Go in which the first capture wins; no pass",
    };
    const WINS: bool = true;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Exact, Present, Rules};
    use crate::games::conformance::{legal_names, play_all};
    use crate::games::go_board::tests::agrees_with_counting;
    use crate::types::{Outcome, Side};
    use proptest::prelude::*;

    #[test]
    fn the_first_capture_wins() {
        let game = AtariGo::new(3, 3);
        let mut state = game.parse_state("ww./b.b/... first").unwrap();
        play_all(&game, &mut state, &["b2"]);
        assert_eq!((game.outcome(&state), game.end_kind(&state)), (None, ""));
        let mut state = game.parse_state("ww./bbb/... first").unwrap();
        play_all(&game, &mut state, &["c3"]);
        assert_eq!(game.outcome(&state), Some(Outcome::Win(Side::First)));
        assert_eq!((game.end_kind(&state), game.winning_cells(&state)), ("capture", vec![6, 7]));
        assert_eq!(game.state_text(&state), "wwb/bbb/... second");
        assert_eq!(game.parse_state(&game.state_text(&state)).unwrap(), state);
    }

    #[test]
    fn capture_is_judged_before_suicide() {
        let game = AtariGo::new(3, 3);
        let mut state = game.parse_state(".wb/wb./b.. first").unwrap();
        play_all(&game, &mut state, &["a3"]);
        assert_eq!(
            (game.outcome(&state), game.end_kind(&state)),
            (Some(Outcome::Win(Side::First)), "capture")
        );
        assert_eq!(game.parse_state(&game.state_text(&state)).unwrap(), state);
    }

    #[test]
    fn suicide_is_illegal() {
        let game = AtariGo::new(3, 3);
        let state = game.parse_state(".b./b../... second").unwrap();
        assert!(!legal_names(&game, &state).contains(&"a3".to_string()));
    }

    fn with(spec: &str) -> AtariGo {
        let spec = crate::catalogue::read(crate::spec::Family::Game, spec).unwrap();
        AtariGo::from_options(&crate::spec::Options::new(&spec.parts[0])).unwrap()
    }

    #[test]
    fn suicide_loses_at_once_where_the_rules_say_so() {
        let game = with("atari_go(rows=3, columns=3, suicide=loses)");
        let mut state = game.parse_state(".b./b../... second").unwrap();
        assert_eq!(legal_names(&game, &state), ["a1", "b1", "c1", "b2", "c2", "a3", "c3"]);
        play_all(&game, &mut state, &["a3"]);
        assert_eq!(game.outcome(&state), Some(Outcome::Win(Side::First)));
        assert_eq!((game.end_kind(&state), game.winning_cells(&state)), ("suicide", vec![6]));
        assert_eq!(legal_names(&game, &state), Vec::<String>::new());
        assert_eq!(game.state_text(&state), "wb./b../... first");
        assert_eq!(game.parse_state(&game.state_text(&state)).unwrap(), state);
        // The own group goes with the stone, the other side's stays.
        let mut state = game.parse_state("w.b/bb./... second").unwrap();
        play_all(&game, &mut state, &["b3"]);
        assert_eq!((game.end_kind(&state), game.winning_cells(&state)), ("suicide", vec![6, 7]));
        // A capture is judged first.
        let mut state = game.parse_state(".wb/wb./b.. first").unwrap();
        play_all(&game, &mut state, &["a3"]);
        assert_eq!(
            (game.outcome(&state), game.end_kind(&state)),
            (Some(Outcome::Win(Side::First)), "capture")
        );
        // Where everything else is taken suicide is the only move.
        let state = with("atari_go(rows=2, columns=2, suicide=loses)").parse_state(".b/b. second").unwrap();
        assert_eq!(game.outcome(&state), None);
    }

    #[test]
    fn a_cross_cut_stands_on_the_central_points() {
        for (spec, text) in [
            ("atari_go(rows=4, columns=4, start=cross_cut)", "..../.wb./.bw./.... first"),
            ("atari_go(start=cross_cut)", "...../...../.wb../.bw../..... first"),
            ("atari_go(rows=3, columns=4, start=cross_cut)", "..../.wb./.bw. first"),
        ] {
            let game = with(spec);
            let state = game.initial_state(&mut crate::types::Rng::new(0));
            assert_eq!(game.state_text(&state), text);
            assert_eq!(game.parse_state(text).unwrap(), state);
        }
    }

    #[test]
    fn a_board_without_room_for_a_cross_cut_is_refused() {
        let spec =
            crate::catalogue::read(crate::spec::Family::Game, "atari_go(rows=3, columns=3, start=cross_cut)")
                .unwrap();
        let refused = AtariGo::from_options(&crate::spec::Options::new(&spec.parts[0])).err().unwrap();
        assert_eq!(
            refused.to_string(),
            "start=cross_cut leaves stones without liberty on 3x3: it needs at least 4 rows or 4 columns"
        );
    }

    /// A cross-cut is kept by the turn by half a circle and by mirrors along its diagonals.
    #[test]
    fn a_cross_cut_leaves_fewer_symmetries() {
        let count = |spec: &str| with(spec).symmetries().len();
        assert_eq!(count("atari_go(rows=4, columns=4)"), 8);
        assert_eq!(count("atari_go(rows=4, columns=4, start=cross_cut)"), 4);
        assert_eq!(count("atari_go(rows=4, columns=6, start=cross_cut)"), 2);
        // Off the middle only the mirror along the stones of one side is left.
        assert_eq!(count("atari_go(start=cross_cut)"), 2);
        assert_eq!(count("atari_go(rows=4, columns=5, start=cross_cut)"), 1);
    }

    #[test]
    fn who_cannot_move_loses() {
        let game = AtariGo::new(2, 2);
        let state = game.parse_state(".b/b. second").unwrap();
        assert_eq!(
            (game.outcome(&state), game.end_kind(&state)),
            (Some(Outcome::Win(Side::First)), "no_moves")
        );
        assert_eq!(game.winning_cells(&state), Vec::<usize>::new());
    }

    #[test]
    fn only_the_side_to_move_can_have_been_captured() {
        let game = AtariGo::new(3, 3);
        assert!(game.parse_state("wb./b../... second").is_ok());
        assert_eq!(
            game.parse_state("wb./b../... first").unwrap_err().to_string(),
            "no position of atari_go: no liberty for a3"
        );
    }

    proptest! {
        #[test]
        fn legality_agrees_with_a_count_of_liberties(
            rows in 2usize..=10, columns in 2usize..=10, seed in any::<u64>()
        ) {
            agrees_with_counting(&AtariGo::new(rows, columns), seed);
        }

        #[test]
        fn suicide_agrees_with_a_count_of_liberties(
            rows in 2usize..=10, columns in 2usize..=10, seed in any::<u64>()
        ) {
            agrees_with_counting(&with(&format!("atari_go(rows={rows}, columns={columns}, suicide=loses)")), seed);
        }

        #[test]
        fn legality_agrees_on_the_usual_board(seed in any::<u64>()) {
            agrees_with_counting(&AtariGo::new(5, 5), seed);
        }
    }
}
