//! Wins by threats alone: sequences in which every move threatens to win at once, so that every answer is forced.

use crate::game::{Completions, Game, Threat, Variant};
use crate::types::{Move, Side};

/// Threats in a row that are tried at most.
const LONGEST: usize = 12;

/// What is the same for all levels of a sequence.
struct Attack<'a, G: Game> {
    variant: &'a Variant<G>,
    completions: &'a dyn Completions<G>,
    side: Side,
    /// Threats in this round.
    length: usize,
}

/// One level of a sequence: the position after a threat and its answer, and the moves to be tried.
struct Level<G: Game> {
    after: G::State,
    threats: Vec<Threat>,
}

/// Looks for such wins: shorter sequences first, until a number of threats has been tried.
pub struct Forcing<G: Game> {
    levels: Vec<Level<G>>,
    completing: Vec<Move>,
    /// Threats that may still be tried.
    left: usize,
    /// Whether a sequence was cut off at the length of this round.
    cut: bool,
    /// The sequence that has won, last move first: threats and their answers in turn.
    line: Vec<Move>,
}

impl<G: Game> Default for Forcing<G> {
    fn default() -> Forcing<G> {
        Forcing { levels: Vec::new(), completing: Vec::new(), left: 0, cut: false, line: Vec::new() }
    }
}

impl<G: Game> Forcing<G> {
    /// The moves with which the side to move wins by force, answers between them; the last one wins at once or leaves two
    /// ways to. None if trying `tries` threats finds no such line, or the game does not know completing cells.
    pub fn win(&mut self, variant: &Variant<G>, state: &G::State, tries: usize) -> Option<Vec<Move>> {
        let completions = variant.completions()?;
        let side = variant.game.side_to_move(state);
        self.left = tries;
        self.completing.clear();
        completions.completing(state, side, None, &mut self.completing);
        if let Some(&mv) = self.completing.first() {
            return Some(vec![mv]);
        }
        completions.completing(state, side.other(), None, &mut self.completing);
        let duty = match self.completing[..] {
            [] => None,
            [mv] => Some(mv),
            _ => return None,
        };
        for length in 1..=LONGEST {
            self.cut = false;
            self.line.clear();
            let attack = Attack { variant, completions, side, length };
            if self.wins(&attack, state, duty, 1) {
                self.line.reverse();
                return Some(std::mem::take(&mut self.line));
            }
            if self.left == 0 || !self.cut {
                break;
            }
        }
        None
    }

    /// Whether the attacker, to move in `state`, wins with the threat of this number or a later one. It must begin with
    /// `duty`, if there is one: apart from that neither side can win at once.
    fn wins(&mut self, attack: &Attack<G>, state: &G::State, duty: Option<Move>, number: usize) -> bool {
        let Attack { variant, completions, side, length } = *attack;
        let mut here = match self.levels.pop() {
            Some(here) => here,
            None => Level { after: state.clone(), threats: Vec::new() },
        };
        here.threats.clear();
        completions.threatening(state, side, &mut here.threats);
        if let Some(mv) = duty {
            here.threats.retain(|threat| threat.mv == mv);
        }
        let mut won = false;
        if let Some(double) = here.threats.iter().find(|threat| threat.is_double()) {
            self.line.push(double.mv);
            won = true;
        } else if number == length {
            self.cut |= !here.threats.is_empty();
            here.threats.clear();
        }
        for threat in &here.threats {
            if won || self.left == 0 {
                break;
            }
            self.left -= 1;
            let answer = threat.completing[0];
            here.after.clone_from(state);
            variant.game.play(&mut here.after, threat.mv);
            variant.game.play(&mut here.after, answer);
            // A board that is full is a draw.
            if variant.outcome(&here.after).is_some() {
                continue;
            }
            let duty = match self.completing(attack, &here.after, side.other(), answer) {
                [] => None,
                &[mv] => Some(mv),
                _ => continue,
            };
            if self.wins(attack, &here.after, duty, number + 1) {
                self.line.extend([answer, threat.mv]);
                won = true;
            }
        }
        self.levels.push(here);
        won
    }

    /// The moves with which `side` can win at once since it has played `mv`.
    fn completing(&mut self, attack: &Attack<G>, state: &G::State, side: Side, mv: Move) -> &[Move] {
        self.completing.clear();
        attack.completions.completing(state, side, Some(mv), &mut self.completing);
        &self.completing
    }
}

#[cfg(test)]
mod tests {
    use crate::game::{FastPlay, Present, Rules};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::games::havannah::Havannah;
    use crate::solver;
    use crate::tree::Proof;
    use crate::types::{Limit, Rng};

    // What is found must be won: the exact solver is asked, and the line is played out.
    #[test]
    fn forced_wins_are_wins() {
        let variant = Variant { game: Havannah::new(4, false), misere: false };
        let stop = Arc::new(AtomicBool::new(false));
        let mut rng = Rng::new(5);
        let mut forcing = Forcing::default();
        let mut longest = 0;
        for _ in 0..120 {
            let mut state = variant.game.initial_state(&mut rng);
            for _ in 0..14 + rng.below(12) {
                if variant.outcome(&state).is_none() {
                    variant.game.play_random(&mut state, &mut rng);
                }
            }
            if variant.outcome(&state).is_some() {
                continue;
            }
            let Some(line) = forcing.win(&variant, &state, 1000) else { continue };
            longest = longest.max(line.len());
            if line.len() < 3 {
                continue;
            }
            let exact =
                solver::solve(&variant, &state, &Limit::default(), 1 << 24, &stop, &mut |_| {}).unwrap();
            assert_eq!(exact.value, Proof::Win, "{line:?} in {}", variant.game.state_text(&state));
            let first = exact.moves.iter().find(|(mv, _)| *mv == line[0]).unwrap();
            assert_eq!(first.1, Proof::Win, "{line:?} in {}", variant.game.state_text(&state));
            let side = variant.game.side_to_move(&state);
            line.iter().for_each(|&mv| variant.game.play(&mut state, mv));
            let mut completing = Vec::new();
            variant.completions().unwrap().completing(&state, side, None, &mut completing);
            assert!(completing.len() > 1, "{line:?} leaves no two ways to win");
        }
        assert!(longest >= 5, "{longest}");
    }

    #[test]
    fn few_tries_find_less() {
        let variant = Variant { game: Havannah::new(5, false), misere: false };
        let mut rng = Rng::new(2);
        let mut forcing = Forcing::default();
        let mut found = [0; 2];
        for _ in 0..200 {
            let mut state = variant.game.initial_state(&mut rng);
            for _ in 0..24 {
                if variant.outcome(&state).is_none() {
                    variant.game.play_random(&mut state, &mut rng);
                }
            }
            if variant.outcome(&state).is_some() {
                continue;
            }
            for (found, tries) in found.iter_mut().zip([10, 1000]) {
                *found += forcing.win(&variant, &state, tries).is_some() as u32;
            }
        }
        assert!(found[0] < found[1], "{found:?}");
    }
}
