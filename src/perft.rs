//! Perft: how many sequences of moves a game has at each depth, and how they end. A rule that is wrong shows
//! as a wrong number.

use crate::game::{Game, Variant};
use crate::types::{Outcome, Side};

/// The sequences of exactly `depth` moves. A finished game is not extended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub depth: usize,
    pub sequences: u64,
    /// Those that end the game.
    pub terminal: u64,
    pub wins_first: u64,
    pub wins_second: u64,
    pub draws: u64,
}

/// The counts of the depths 1..=depth from a position.
pub fn perft<G: Game>(variant: &Variant<G>, state: &G::State, depth: usize) -> Vec<Count> {
    let mut counts: Vec<Count> = (1..=depth).map(|depth| Count { depth, ..Count::default() }).collect();
    if variant.outcome(state).is_none() {
        descend(variant, state, &mut counts);
    }
    counts
}

fn descend<G: Game>(variant: &Variant<G>, state: &G::State, counts: &mut [Count]) {
    let Some((count, deeper)) = counts.split_first_mut() else { return };
    let mut moves = Vec::new();
    variant.game.legal_moves(state, &mut moves);
    count.sequences += moves.len() as u64;
    for mv in moves {
        let mut next = state.clone();
        variant.game.play(&mut next, mv);
        match variant.outcome(&next) {
            None => descend(variant, &next, deeper),
            Some(outcome) => {
                count.terminal += 1;
                match outcome {
                    Outcome::Win(Side::First) => count.wins_first += 1,
                    Outcome::Win(Side::Second) => count.wins_second += 1,
                    Outcome::Draw => count.draws += 1,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::games::{Visitor, with_game};
    use crate::spec::Family;
    use crate::types::Rng;

    /// Counted by an independent program: layers of positions in plain Python.
    const COUNTED: &str = include_str!("../tests/data/perft.json");

    struct Perft(usize);

    impl Visitor for Perft {
        type Out = Vec<Count>;

        fn visit<G: Game>(self, variant: Variant<G>) -> Vec<Count> {
            let state = variant.game.initial_state(&mut Rng::new(0));
            perft(&variant, &state, self.0)
        }
    }

    fn counts(text: &str, depth: usize) -> Vec<Count> {
        with_game(&catalogue::read(Family::Game, text).unwrap(), Perft(depth)).unwrap()
    }

    /// What stands behind `"key":`; the file has no key twice in one object.
    fn value<'a>(json: &'a str, key: &str) -> &'a str {
        let quoted = format!("\"{key}\":");
        json.split_once(&quoted).unwrap_or_else(|| panic!("perft.json has no {key}")).1.trim_start()
    }

    /// The numbers of an object `{"1": n, "2": n, ...}`.
    fn numbers(object: &str) -> Vec<u64> {
        let inside = object.trim_start_matches('{').split_once('}').unwrap().0;
        let entries = inside.split(',').enumerate().map(|(i, entry)| {
            let (depth, number) = entry.split_once(':').unwrap();
            assert_eq!(depth.trim(), format!("\"{}\"", i + 1));
            number.trim().parse().unwrap()
        });
        entries.collect()
    }

    fn agrees(section: &str, name: &str, spec: &str) {
        let object = value(value(COUNTED, section), name);
        let column = |key| numbers(value(object, key));
        let (sequences, terminal) = (column("perft"), column("terminal"));
        let (wins_first, wins_second) = (column("wins_first"), column("wins_second"));
        let found = counts(spec, sequences.len());
        for (i, count) in found.iter().enumerate() {
            let expected = Count {
                depth: i + 1,
                sequences: sequences[i],
                terminal: terminal[i],
                wins_first: wins_first[i],
                wins_second: wins_second[i],
                draws: 0,
            };
            assert_eq!(*count, expected, "{spec}");
        }
        assert!(found.len() >= 5);
        if !spec.starts_with("misere") {
            misere_exchanges_the_wins(spec, &found);
        }
    }

    fn misere_exchanges_the_wins(spec: &str, normal: &[Count]) {
        for (misere, count) in counts(&format!("misere({spec})"), 4).iter().zip(normal) {
            let (wins_first, wins_second) = (count.wins_second, count.wins_first);
            assert_eq!(*misere, Count { wins_first, wins_second, ..*count }, "{spec}");
        }
    }

    #[test]
    fn the_usual_boards_agree_with_an_independent_count() {
        for (name, spec) in [
            ("breakthrough", "breakthrough"),
            ("knightthrough", "knightthrough"),
            ("domineering", "domineering"),
            ("nogo", "nogo"),
            ("atarigo", "atari_go"),
        ] {
            agrees("games_5x5", name, spec);
        }
    }

    #[test]
    fn whole_games_on_small_boards_agree_with_an_independent_count() {
        for (name, spec) in [
            ("domineering_3x3", "domineering(rows=3, columns=3)"),
            ("nogo_3x3", "nogo(rows=3, columns=3)"),
            ("atarigo_3x3", "atari_go(rows=3, columns=3)"),
            ("breakthrough_3x3_1row", "breakthrough(rows=3, columns=3)"),
            ("breakthrough_4x4_1row", "breakthrough(rows=4, columns=4)"),
            ("knightthrough_4x4_1row", "knightthrough(rows=4, columns=4)"),
        ] {
            agrees("small_boards_whole_game", name, spec);
        }
    }

    /// The 255,168 games of tic-tac-toe, by length and end.
    #[test]
    fn tic_tac_toe_has_its_known_number_of_games() {
        let found = counts("tic_tac_toe", 10);
        let sequences: Vec<u64> = found.iter().map(|count| count.sequences).collect();
        assert_eq!(sequences, [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0]);
        let first: Vec<u64> = found.iter().map(|count| count.wins_first).collect();
        assert_eq!(first, [0, 0, 0, 0, 1440, 0, 47952, 0, 81792, 0]);
        let second: Vec<u64> = found.iter().map(|count| count.wins_second).collect();
        assert_eq!(second, [0, 0, 0, 0, 0, 5328, 0, 72576, 0, 0]);
        assert_eq!(found.iter().map(|count| count.draws).sum::<u64>(), 46080);
        assert_eq!(found.iter().map(|count| count.terminal).sum::<u64>(), 255_168);
    }
}
