//! NoGo: a stone may be placed only where it takes no group's last liberty, its own included; who cannot
//! move loses.

use super::go_board::{COLUMNS, Capture, GoBoard, ROWS};
use crate::spec::PartInfo;

pub type NoGo = GoBoard<Forbidden>;

/// No pass, no capture, no suicide.
pub struct Forbidden;

impl Capture for Forbidden {
    const INFO: PartInfo = PartInfo {
        name: "nogo",
        options: &[ROWS, COLUMNS],
        positional: None,
        doc: "Go stones without capture or suicide; who cannot place one loses",
    };
    const WINS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Present, Rules};
    use crate::games::conformance::{legal_names, play_all};
    use crate::games::go_board::tests::agrees_with_counting;
    use crate::types::{Outcome, Side};
    use proptest::prelude::*;

    #[test]
    fn captures_are_illegal() {
        let game = NoGo::new(3, 3);
        let state = game.parse_state("wb./.../... first").unwrap();
        assert_eq!(legal_names(&game, &state), ["a1", "b1", "c1", "b2", "c2", "c3"]);
        let state = game.parse_state("wb./.../... second").unwrap();
        assert_eq!(legal_names(&game, &state), ["a1", "b1", "c1", "a2", "b2", "c2", "c3"]);
    }

    #[test]
    fn suicide_is_illegal_of_one_stone_and_of_a_group() {
        let game = NoGo::new(3, 3);
        let state = game.parse_state(".b./b../... second").unwrap();
        assert!(!legal_names(&game, &state).contains(&"a3".to_string()));
        let state = game.parse_state("w.b/bb./... second").unwrap();
        assert!(!legal_names(&game, &state).contains(&"b3".to_string()));
    }

    #[test]
    fn a_group_that_keeps_a_liberty_may_fill_another() {
        let game = NoGo::new(3, 3);
        let state = game.parse_state(".wb/wwb/bb. second").unwrap();
        assert_eq!(legal_names(&game, &state), Vec::<String>::new());
        let state = game.parse_state(".w./wwb/bb. second").unwrap();
        assert_eq!(legal_names(&game, &state), ["a3", "c3"]);
    }

    #[test]
    fn who_cannot_move_loses() {
        let game = NoGo::new(2, 2);
        let mut state = game.parse_state(".w/.b first").unwrap();
        assert_eq!((game.outcome(&state), game.end_kind(&state)), (None, ""));
        play_all(&game, &mut state, &["A1"]);
        assert_eq!(game.outcome(&state), Some(Outcome::Win(Side::First)));
        assert_eq!((game.end_kind(&state), game.winning_cells(&state)), ("no_moves", vec![]));
    }

    #[test]
    fn a_group_without_liberty_is_no_position() {
        let game = NoGo::new(3, 3);
        assert_eq!(
            game.parse_state("wb./b../..w first").unwrap_err().to_string(),
            "no position of nogo: no liberty for a3"
        );
    }

    proptest! {
        #[test]
        fn legality_agrees_with_a_count_of_liberties(
            rows in 2usize..=10, columns in 2usize..=10, seed in any::<u64>()
        ) {
            agrees_with_counting(&NoGo::new(rows, columns), seed);
        }

        #[test]
        fn legality_agrees_on_the_usual_board(seed in any::<u64>()) {
            agrees_with_counting(&NoGo::new(5, 5), seed);
        }
    }
}
