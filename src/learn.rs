//! What moves of finished games looked like: the choices that the weights of patterns are learnt from.

use crate::game::{Game, NEARNESS, Patterns, Variant};
use crate::types::{Error, Result, Rng};

/// The choices of some games, one after the other. A *kind* of move is `class * 3 + nearness`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// How many choices each game had.
    pub per_game: Vec<u32>,
    /// By choice: the kind of the move that was played.
    pub chosen: Vec<u32>,
    /// By choice: how many kinds there were.
    pub widths: Vec<u32>,
    /// The kinds of all choices, in ascending order for each.
    pub kinds: Vec<u32>,
    /// How many moves there were of each.
    pub counts: Vec<u32>,
}

fn patterns_of<G: Game>(variant: &Variant<G>) -> Result<&dyn Patterns<G>> {
    variant.patterns().ok_or_else(|| {
        Error::new(format!("{} has no small patterns whose weights could be learnt", variant.name()))
    })
}

/// The name of each class of patterns of a game, and the class drawn in characters.
pub fn patterns<G: Game>(variant: &Variant<G>) -> Result<Vec<(String, String)>> {
    let patterns = patterns_of(variant)?;
    let drawn = |(class, name): (usize, &String)| (name.clone(), patterns.picture(class));
    Ok(patterns.names().iter().enumerate().map(drawn).collect())
}

/// Replays games, given by the names of their moves, and tells what there was to choose from after the first `skip`
/// moves of each.
pub fn choices<G: Game>(variant: &Variant<G>, games: &[Vec<String>], skip: usize) -> Result<Choices> {
    let patterns = patterns_of(variant)?;
    let mut choices = Choices::default();
    for (index, names) in games.iter().enumerate() {
        let before = choices.chosen.len();
        replay(variant, patterns, names, skip, &mut choices)
            .map_err(|error| error.within(format!("game {index}")))?;
        choices.per_game.push((choices.chosen.len() - before) as u32);
    }
    Ok(choices)
}

fn replay<G: Game>(
    variant: &Variant<G>,
    patterns: &dyn Patterns<G>,
    names: &[String],
    skip: usize,
    choices: &mut Choices,
) -> Result<()> {
    let game = &variant.game;
    // A game that has patterns draws nothing before its first move.
    let mut state = game.initial_state(&mut Rng::new(0));
    let mut moves = Vec::new();
    let mut last = None;
    let mut counts = vec![0; patterns.names().len() * NEARNESS.len()];
    for (ply, name) in names.iter().enumerate() {
        let played = game.parse_move(&state, name)?;
        let side = game.side_to_move(&state);
        let kind = |mv| {
            let class = patterns.classes()[patterns.code(&state, side, mv)?]? as usize;
            let nearness = last.map_or(0, |last| patterns.nearness(mv, last));
            Some(class * NEARNESS.len() + nearness)
        };
        if let Some(chosen) = kind(played).filter(|_| ply >= skip) {
            moves.clear();
            game.legal_moves(&state, &mut moves);
            for kind in moves.iter().filter_map(|&mv| kind(mv)) {
                counts[kind] += 1;
            }
            let before = choices.kinds.len();
            for (kind, count) in counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
                choices.kinds.push(kind as u32);
                choices.counts.push(std::mem::take(count));
            }
            choices.widths.push((choices.kinds.len() - before) as u32);
            choices.chosen.push(chosen as u32);
        }
        game.play(&mut state, played);
        last = Some(played);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::game_named;

    fn told(game: &str, games: &[&str], skip: usize) -> Result<Choices> {
        let games: Vec<Vec<String>> =
            games.iter().map(|line| line.split_whitespace().map(String::from).collect()).collect();
        game_named(game)?.choices(&games, skip)
    }

    #[test]
    fn choices_by_hand() {
        // Size 2: a middle and six corners around it.
        let game = "havannah(size=2)";
        let names: Vec<String> = {
            let patterns = game_named(game).unwrap().patterns().unwrap();
            patterns.into_iter().map(|(name, _)| name).collect()
        };
        let kind = |name: &str, nearness: u32| {
            3 * names.iter().position(|known| known == name).unwrap() as u32 + nearness
        };
        let choices = told(game, &["b2 a1"], 0).unwrap();
        let (middle, corner) = (kind("......", 0), kind("...###", 0));
        let beside = kind(".x.###", 1);
        assert_eq!(
            choices,
            Choices {
                per_game: vec![2],
                chosen: vec![middle, beside],
                widths: vec![2, 1],
                kinds: vec![middle, corner, beside],
                counts: vec![1, 6, 6],
            }
        );
        let later = told(game, &["b2 a1", "b2"], 1).unwrap();
        assert_eq!((later.per_game, later.chosen), (vec![1, 0], vec![beside]));
    }

    #[test]
    fn a_swap_is_no_choice_of_a_pattern() {
        let choices = told("havannah(size=3, swap=true)", &["c3 swap a1"], 0).unwrap();
        assert_eq!((choices.per_game, choices.chosen.len()), (vec![2], 2));
        // The swap itself is not among what could be chosen either.
        assert_eq!(choices.counts.iter().sum::<u32>(), 19 + 18);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |game: &str, line: &str| told(game, &["", line], 0).unwrap_err().to_string();
        assert_eq!(
            error("domineering", ""),
            "domineering has no small patterns whose weights could be learnt"
        );
        assert_eq!(
            error("misere(havannah)", ""),
            "misere havannah has no small patterns whose weights could be learnt"
        );
        let message = error("havannah(size=3)", "c3 c3");
        assert!(message.starts_with("game 1: illegal move 'c3': legal are a1, "), "{message}");
    }
}
