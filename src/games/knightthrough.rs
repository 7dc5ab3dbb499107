//! Knightthrough: Breakthrough with knights that only jump forward; every jump may take.

use super::forward_men::{ForwardMen, Men, OPTIONS, Step};
use crate::game::PieceKind;
use crate::spec::PartInfo;

pub type Knightthrough = ForwardMen<Knights>;

/// On three columns a knight can be without a jump; who cannot move loses, so that there are two outcomes.
pub struct Knights;

impl Men for Knights {
    const INFO: PartInfo = PartInfo {
        name: "knightthrough",
        options: OPTIONS,
        positional: None,
        doc: "Breakthrough with knights that only jump forward; who crosses the board or takes all wins",
    };
    const KIND: PieceKind = PieceKind::Knight;
    const STEPS: &'static [Step] = &[
        Step { columns: -2, rows: 1, captures: true },
        Step { columns: 2, rows: 1, captures: true },
        Step { columns: -1, rows: 2, captures: true },
        Step { columns: 1, rows: 2, captures: true },
    ];
    const WIDTH: usize = 2;
    const MISERE_REPLY: i32 = 2;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{FastPlay, Present, Rules};
    use crate::games::conformance::{legal_names, play_all};
    use crate::types::{Outcome, Side};

    #[test]
    fn knights_jump_forward_only_and_take_what_they_land_on() {
        let game = Knightthrough::new(5, 5, 2);
        let state = game.parse_state("...../.b.../w...b/.bwb./..... first").unwrap();
        assert_eq!(legal_names(&game, &state), ["c2xe3", "a3-c4", "c2xb4", "c2-d4", "a3-b5"]);
        let state = game.parse_state("...../.w.../..b../b..../.w... second").unwrap();
        assert_eq!(legal_names(&game, &state), ["a2-c1", "c3-e2", "c3-d1", "c3xb1"]);
    }

    #[test]
    fn knights_do_not_jump_around_the_edge() {
        let game = Knightthrough::new(5, 5, 2);
        let state = game.parse_state("b...b/...../...../...../w...w first").unwrap();
        assert_eq!(legal_names(&game, &state), ["e1-c2", "a1-c2", "e1-d3", "a1-b3"]);
        let state = game.parse_state("b...b/...../...../...../w...w second").unwrap();
        assert_eq!(legal_names(&game, &state), ["a5-c4", "e5-c4", "a5-b3", "e5-d3"]);
    }

    #[test]
    fn crossing_and_taking_all_win() {
        let game = Knightthrough::new(5, 5, 2);
        let mut state = game.parse_state("...../...../w..../..b../..... first").unwrap();
        play_all(&game, &mut state, &["a3-b5"]);
        assert_eq!(
            (game.outcome(&state), game.end_kind(&state)),
            (Some(Outcome::Win(Side::First)), "crossing")
        );
        let mut state = game.parse_state("...../...../b..../..w../..... second").unwrap();
        play_all(&game, &mut state, &["a3xc2"]);
        assert_eq!(
            (game.outcome(&state), game.end_kind(&state)),
            (Some(Outcome::Win(Side::Second)), "capture_all")
        );
    }

    #[test]
    fn a_knight_without_a_jump_loses() {
        let game = Knightthrough::new(4, 3, 1);
        let mut state = game.parse_state(".../.w./b../... second").unwrap();
        assert_eq!(game.end_kind(&state), "");
        let mut rng = crate::types::Rng::new(0);
        let outcome = game.uniform_playout(&mut state, &mut rng, &mut Default::default());
        assert_eq!((outcome, game.end_kind(&state)), (Outcome::Win(Side::Second), "crossing"));

        let state = game.parse_state(".../.w./b../... first").unwrap();
        assert_eq!(
            (game.outcome(&state), game.end_kind(&state)),
            (Some(Outcome::Win(Side::Second)), "no_moves")
        );
        let outcome = game.uniform_playout(&mut state.clone(), &mut rng, &mut Default::default());
        assert_eq!(outcome, Outcome::Win(Side::Second));
        assert!(legal_names(&game, &state).is_empty());
    }
}
