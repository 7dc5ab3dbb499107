//! PPA, playout policy adaptation: playouts learn by gradient steps to play as the winners did (Cazenave 2015).
//!
//! Without the force to inline, searches take up to 1.03 times the instructions (bench/inlining.txt).

use super::move_means::{KEEP, draw_weighted, keeps};
use super::{Answer, Built, PlayoutPolicy, Turn, slots_of};
use crate::family::Context;
use crate::game::{Game, Here};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::terms::Terms;
use crate::tree::{Layout, MoveTable, Scale, Simulation, Tree};
use crate::types::{Move, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "ppa",
    options: &[
        OptionInfo::real("alpha", 0.0, 10.0, "0.32", "the length of a step; Cazenave's first program had 1"),
        KEEP,
    ],
    positional: None,
    doc: "Draws moves by weights that learn from every state in which the winner of a simulation moved",
};

/// Weights stay within this: a move must not become impossible, nor its chance run out of digits.
const MOST: f32 = 20.0;

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    let slots = slots_of(INFO.name, context.variant)?;
    Built::link(Ppa {
        alpha: options.real("alpha"),
        keep: options.flag("keep"),
        learnt: [Weights::new(slots), Weights::new(slots)],
        change: vec![0.0; slots],
        moves: Vec::new(),
    })
}

/// What one side has learnt, by slot.
struct Weights {
    weights: Vec<f32>,
    /// The chance of each move as a part of that of the likeliest: exp(weight - largest weight, at least 0).
    chances: Vec<f32>,
}

impl Weights {
    fn new(slots: usize) -> Weights {
        Weights { weights: vec![0.0; slots], chances: vec![1.0; slots] }
    }

    fn forget(&mut self) {
        self.weights.fill(0.0);
        self.chances.fill(1.0);
    }

    /// Adds a change to all weights.
    fn add(&mut self, change: &[f32]) {
        let mut largest: f32 = 0.0;
        for (weight, change) in self.weights.iter_mut().zip(change) {
            *weight = (*weight + change).clamp(-MOST, MOST);
            largest = largest.max(*weight);
        }
        for (chance, weight) in self.chances.iter_mut().zip(&self.weights) {
            *chance = libm::expf(weight - largest);
        }
    }
}

struct Ppa {
    alpha: f32,
    keep: bool,
    /// By side.
    learnt: [Weights; 2],
    /// Between simulations all zero.
    change: Vec<f32>,
    moves: Vec<Move>,
}

impl<G: Game> PlayoutPolicy<G> for Ppa {
    fn terms(&self) -> Terms {
        keeps(self.keep)
    }

    fn layout(&self) -> Layout {
        Layout { replays: true, ..Layout::moves() }
    }

    fn never_passes(&self) -> bool {
        true
    }

    #[inline(always)]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let (game, chances) = (&turn.variant.game, &self.learnt[turn.side.index()].chances);
        let drawn = draw_weighted(turn, &mut self.moves, rng, |mv| chances[game.slot(mv)]);
        Answer::Move(drawn.unwrap_or_else(|| game.random_move(turn.state, rng)))
    }

    /// For each state of the simulation in which the winner moved, in the tree or not: `alpha (1 - p)` for the move that
    /// was played, `-alpha p` for every other legal one, all with the chances p of before. A draw changes nothing.
    fn observe(&mut self, root: &Here<G>, simulation: &Simulation) {
        let winner = match simulation.value {
            value if value > 0.5 => Side::First,
            value if value < 0.5 => Side::Second,
            _ => return,
        };
        let game = &root.variant.game;
        let learnt = &mut self.learnt[winner.index()];
        let mut state = root.state.clone();
        for &(mv, side) in simulation.moves {
            if side == winner {
                self.moves.clear();
                game.legal_moves(&state, &mut self.moves);
                let total: f32 = self.moves.iter().map(|&mv| learnt.chances[game.slot(mv)]).sum();
                for &mv in &self.moves {
                    let slot = game.slot(mv);
                    self.change[slot] -= self.alpha * learnt.chances[slot] / total;
                }
                self.change[game.slot(mv)] += self.alpha;
            }
            game.play(&mut state, mv);
        }
        learnt.add(&self.change);
        self.change.fill(0.0);
    }

    fn new_root(&mut self) {
        if !self.keep {
            self.learnt.iter_mut().for_each(Weights::forget);
        }
    }

    fn tables(&self, _tree: &Tree) -> Vec<MoveTable> {
        let table = |side: Side| {
            let Weights { weights, chances } = &self.learnt[side.index()];
            let known =
                weights.iter().zip(chances).map(|(&weight, &chance)| (weight != 0.0).then_some(chance));
            MoveTable {
                name: "ppa",
                side: Some(side),
                scale: Scale::Share,
                doc: "chance of the move in playouts, as a part of that of the likeliest",
                values: known.collect(),
            }
        };
        Side::BOTH.map(table).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Rules, Variant};
    use crate::games::tic_tac_toe::TicTacToe;
    use crate::spec::Spec;

    /// Three free cells, 0, 1 and 2; first is to move, and takes cell 0 in a simulation that it wins or not.
    fn observed(ppa: &mut Ppa, value: f32) {
        let variant = Variant {
            game: TicTacToe::from_options(&Options::new(&Spec::parse("tic_tac_toe").unwrap().parts[0]))
                .unwrap(),
            misere: false,
        };
        let mut state = variant.game.initial_state(&mut Rng::new(1));
        for cell in [3, 4, 8, 5, 7, 6] {
            variant.game.play(&mut state, Move(cell));
        }
        let simulation = Simulation {
            path: &[],
            leaf: None,
            moves: &[(Move(0), Side::First)],
            slots: &[0],
            value,
            root_side: Side::First,
        };
        ppa.observe(&Here { variant: &variant, state: &state, last: None }, &simulation);
    }

    fn new(keep: bool) -> Ppa {
        let learnt = [Weights::new(9), Weights::new(9)];
        Ppa { alpha: 0.32, keep, learnt, change: vec![0.0; 9], moves: Vec::new() }
    }

    fn first(ppa: &Ppa) -> [f32; 3] {
        [0, 1, 2].map(|slot| ppa.learnt[0].weights[slot])
    }

    #[test]
    fn the_formula_by_hand() {
        let mut ppa = new(false);
        let close = |found: [f32; 3], by_hand: [f32; 3]| {
            assert!(
                found.iter().zip(by_hand).all(|(x, y)| (x - y).abs() < 1e-4),
                "{found:?}, not {by_hand:?}"
            );
        };
        let chances = |ppa: &Ppa| {
            let three = [0, 1, 2].map(|slot| ppa.learnt[0].chances[slot]);
            three.map(|chance| chance / three.iter().sum::<f32>())
        };
        observed(&mut ppa, 1.0);
        close(first(&ppa), [0.2133, -0.1067, -0.1067]);
        close(chances(&ppa), [0.4078, 0.2961, 0.2961]);
        observed(&mut ppa, 1.0);
        close(first(&ppa), [0.4028, -0.2014, -0.2014]);
        close(chances(&ppa), [0.4778, 0.2611, 0.2611]);
        assert!(first(&ppa).iter().sum::<f32>().abs() < 1e-6, "what one move gains the others lose");
    }

    #[test]
    fn who_has_not_won_learns_nothing() {
        let mut ppa = new(false);
        for value in [0.0, 0.5] {
            observed(&mut ppa, value);
            assert!(
                ppa.learnt.iter().all(|side| side.weights.iter().all(|&weight| weight == 0.0)),
                "{value}"
            );
        }
    }

    #[test]
    fn weights_are_bounded_and_forgotten_unless_they_are_kept() {
        for keep in [false, true] {
            let mut ppa = new(keep);
            ppa.alpha = 10.0;
            (0..50).for_each(|_| observed(&mut ppa, 1.0));
            let [played, other, _] = first(&ppa);
            assert!(played > 3.0 && played <= MOST && (-MOST..-3.0).contains(&other), "{played} {other}");
            PlayoutPolicy::<TicTacToe>::new_root(&mut ppa);
            assert_eq!(first(&ppa)[0] != 0.0, keep);
        }
    }
}
