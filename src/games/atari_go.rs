//! AtariGo: Go in which the first capture wins; no pass, no suicide, and who cannot move loses.

use super::go_board::{Capture, GoBoard, OPTIONS};
use crate::spec::PartInfo;

pub type AtariGo = GoBoard<Winning>;

/// A capture is judged before suicide: a stone without liberty that takes something wins.
pub struct Winning;

impl Capture for Winning {
    const INFO: PartInfo = PartInfo {
        name: "atari_go",
        options: OPTIONS,
        positional: None,
        doc: "Go in which the first capture wins; no pass, no suicide",
    };
    const WINS: bool = true;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
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
            agrees_with_counting::<Winning>(rows, columns, seed);
        }

        #[test]
        fn legality_agrees_on_the_usual_board(seed in any::<u64>()) {
            agrees_with_counting::<Winning>(5, 5, seed);
        }
    }
}
