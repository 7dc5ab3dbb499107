//! The family `final`: by which rule a search with a tree chooses the move that is played.

use crate::search::Final;
use crate::spec::{OptionInfo, Options, PartInfo, Spec};

const VISITS: PartInfo = PartInfo {
    name: "visits",
    options: &[],
    positional: None,
    doc: "The move with the most visits, then with the better mean result",
};

const SCORE: PartInfo = PartInfo {
    name: "score",
    options: &[OptionInfo::int(
        "min_visits",
        0,
        1_000_000_000_000,
        "0",
        "only moves with so many visits are compared; where none has, the most visited ones",
    )],
    positional: Some("min_visits"),
    doc: "The move with the best mean result of those that were visited, then with more visits",
};

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    vec![VISITS, SCORE]
}

/// The rule that a resolved spec names.
pub fn read(spec: &Spec) -> Final {
    let options = Options::new(&spec.parts[0]);
    match options.name() {
        "visits" => Final::Visits,
        "score" => Final::Score { min_visits: options.int("min_visits") as u64 },
        other => unreachable!("{other} was resolved but is not in the list of final rules"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::search::{MoveStat, best_of};
    use crate::spec::Family;
    use crate::tree::Proof;
    use crate::types::{Move, Rng};

    /// The number of the move that a rule chooses from moves with these visits and wins.
    fn chosen(rule: &str, moves: &[(u64, f64, Proof)]) -> u32 {
        let spec = catalogue::read(Family::Final, rule).unwrap();
        let stats: Vec<MoveStat> = (0..)
            .zip(moves)
            .map(|(at, &(visits, score, proof))| MoveStat { mv: Move(at), visits, score, proof, amaf: None })
            .collect();
        stats[best_of(&stats, read(&spec), &mut Rng::new(1)).unwrap()].mv.0
    }

    // Means 0.5, 0.75, 1 and 0.6.
    const OPEN: [(u64, f64, Proof); 4] =
        [(100, 50.0, Proof::None), (40, 30.0, Proof::None), (2, 2.0, Proof::None), (60, 36.0, Proof::None)];

    #[test]
    fn a_high_score_of_few_visits_counts_only_without_a_least_number_of_visits() {
        for (rule, expected) in [
            ("visits", 0),
            ("score", 2),
            ("score(0)", 2),
            ("score(min_visits=2)", 2),
            ("score(min_visits=3)", 1),
            ("score(min_visits=40)", 1),
            ("score(min_visits=41)", 3),
            ("score(min_visits=100)", 0),
            // No move has so many: the most visited are compared.
            ("score(min_visits=101)", 0),
        ] {
            assert_eq!(chosen(rule, &OPEN), expected, "{rule}");
        }
    }

    #[test]
    fn where_nobody_has_visits_enough_the_most_visited_are_compared() {
        let moves = [(7, 3.0, Proof::None), (7, 5.0, Proof::None), (6, 6.0, Proof::None)];
        assert_eq!(chosen("score(min_visits=8)", &moves), 1);
    }

    #[test]
    fn a_proof_goes_before_visits() {
        let with = |proof, visits| {
            let mut moves = OPEN.to_vec();
            moves.push((visits, 0.0, proof));
            chosen("score(min_visits=50)", &moves)
        };
        assert_eq!(with(Proof::Win, 0), 4);
        assert_eq!(with(Proof::Loss, 1000), 3);
        assert_eq!(with(Proof::Draw, 1000), 3, "0.6 is better than a draw");
    }

    #[test]
    fn an_unknown_rule_is_refused_with_those_that_there_are() {
        for (spec, message) in [
            ("mcts(final=best)", "mcts: final: unknown final 'best': visits, score"),
            ("mcts(final=7)", "mcts: final=7 is not allowed: a final rule"),
            (
                "jack(final=score(min_visits=-1))",
                "jack: final: score: min_visits=-1 is not allowed: a whole number from 0 to 1000000000000",
            ),
            (
                "mcts(final=visits(3))",
                "mcts: final: visits: the value 3 needs a key=: visits takes no options",
            ),
        ] {
            assert_eq!(catalogue::read(Family::Player, spec).unwrap_err().to_string(), message);
        }
    }
}
