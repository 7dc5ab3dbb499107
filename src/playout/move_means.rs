//! Mean results that playouts learn, and how a mean becomes a choice: Gibbs' distribution or epsilon-greedy.

use super::Turn;
use crate::game::Game;
use crate::spec::{OptionInfo, Options};
use crate::terms::{KEPT_TREE, Terms};
use crate::types::{Error, Move, Result, Rng};

pub const SELECT: OptionInfo = OptionInfo::choice(
    "select",
    &["gibbs", "eps_greedy"],
    "eps_greedy",
    "how a mean result becomes a choice; the papers' is gibbs",
);
pub const TAU: OptionInfo = OptionInfo::real(
    "tau",
    0.01,
    1000.0,
    "1",
    "gibbs: a move has weight exp(mean / tau), an unknown one exp(0)",
);
/// `default` is what was measured best (docs/measured/havannah_policies.md).
pub const fn eps(default: &'static str) -> OptionInfo {
    OptionInfo::real("eps", 0.0, 1.0, default, "eps_greedy: how often a move is uniform")
}
pub const KEEP: OptionInfo = OptionInfo::flag("keep", "false", "keep the table when the tree is kept");

/// What a policy needs whose table is kept, or is not.
pub fn keeps(keep: bool) -> Terms {
    Terms::default().needs(&KEPT_TREE, "keep=true keeps its table with the tree").only_if(keep)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    Gibbs { tau: f32 },
    Greedy { eps: f32 },
}

impl Rule {
    /// Refuses a tau that has no effect.
    pub fn new(options: &Options) -> Result<Rule> {
        let tau = options.real("tau");
        match options.choice("select") {
            "gibbs" => Ok(Rule::Gibbs { tau }),
            _ if tau != 1.0 => {
                let name = options.name();
                Err(Error::new(format!("{name}: tau={tau} needs select=gibbs: eps_greedy has no tau")))
            }
            _ => Ok(Rule::Greedy { eps: options.real("eps") }),
        }
    }

    /// Whether it always draws a move; epsilon-greedy does not where no legal move has a mean.
    pub fn never_passes(self) -> bool {
        match self {
            Rule::Gibbs { .. } => true,
            Rule::Greedy { eps } => eps >= 1.0,
        }
    }

    /// The weight of a mean as a part of the largest possible one: exp(mean / tau) / exp(1 / tau).
    fn weight(self, mean: f32) -> f32 {
        match self {
            Rule::Gibbs { tau } => libm::expf((mean - 1.0) / tau),
            Rule::Greedy { .. } => mean,
        }
    }
}

/// f32 counts are exact up to here; an entry that reaches it is halved, which keeps its mean.
const FULL: f32 = (1 << 23) as f32;

/// What is known of one move, or of one sequence of moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveMean {
    pub score: f32,
    pub visits: f32,
    /// As `Rule::weight` says; kept here, because it is read more often than it changes.
    weight: f32,
}

impl MoveMean {
    /// Nothing is known: as if the mean were 0.
    pub fn unseen(rule: Rule) -> MoveMean {
        MoveMean { score: 0.0, visits: 0.0, weight: rule.weight(0.0) }
    }

    #[inline]
    pub fn add(&mut self, score: f32, rule: Rule) {
        if self.visits >= FULL {
            self.score *= 0.5;
            self.visits *= 0.5;
        }
        self.score += score;
        self.visits += 1.0;
        self.weight = rule.weight(self.score / self.visits);
    }

    pub fn mean(&self) -> Option<f32> {
        (self.visits > 0.0).then(|| self.score / self.visits)
    }
}

/// After so many refusals in a row the weights are added up instead; the distribution is the same.
const REFUSALS: usize = 64;

/// Draws a legal move in proportion to its weight, which lies in 0..1 and is not 0 for all of them.
#[inline]
pub fn draw_weighted<G: Game>(
    turn: &Turn<G>,
    moves: &mut Vec<Move>,
    rng: &mut Rng,
    weight: impl Fn(Move) -> f32,
) -> Option<Move> {
    let game = &turn.variant.game;
    // Refusing uniform moves is exact and needs no sum over all of them.
    for _ in 0..REFUSALS {
        let mv = game.random_move(turn.state, rng);
        if rng.unit() < weight(mv) {
            return Some(mv);
        }
    }
    moves.clear();
    game.legal_moves(turn.state, moves);
    let total: f32 = moves.iter().map(|&mv| weight(mv)).sum();
    let mut left = rng.unit() * total;
    let hit = moves.iter().copied().find(|&mv| {
        left -= weight(mv);
        left < 0.0
    });
    hit.or_else(|| moves.last().copied())
}

/// Draws a legal move by what `known` says of it; None where eps-greedy finds no mean of any legal move.
#[inline]
pub fn draw<G: Game>(
    rule: Rule,
    turn: &Turn<G>,
    moves: &mut Vec<Move>,
    rng: &mut Rng,
    known: impl Fn(Move) -> MoveMean,
) -> Option<Move> {
    let game = &turn.variant.game;
    match rule {
        Rule::Gibbs { .. } => draw_weighted(turn, moves, rng, |mv| known(mv).weight),
        Rule::Greedy { eps } => {
            if rng.chance(eps) {
                return Some(game.random_move(turn.state, rng));
            }
            moves.clear();
            game.legal_moves(turn.state, moves);
            let (mut best, mut equals) = (None, 0);
            let mut top = f32::NEG_INFINITY;
            for &mv in moves.iter() {
                let entry = known(mv);
                if entry.visits == 0.0 || entry.weight < top {
                    continue;
                }
                equals = if entry.weight > top { 1 } else { equals + 1 };
                top = entry.weight;
                // The last of m equals replaces the choice once in m times: all are equally likely.
                if equals == 1 || rng.below(equals) == 0 {
                    best = Some(mv);
                }
            }
            best
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Rules, Variant};
    use crate::games::domineering::Domineering;
    use crate::types::{Clock, Limit, Side};
    use std::cell::Cell;

    /// How often each of the legal moves of an empty board of 3 x 2 cells is drawn in 30,000 turns.
    fn drawn(rule: Rule, known: impl Fn(Move) -> MoveMean) -> Vec<f32> {
        let variant = Variant { game: Domineering::new(3, 2), misere: false };
        let mut rng = Rng::new(5);
        let state = variant.game.initial_state(&mut rng);
        let clock = Clock::start(&Limit::default(), Default::default());
        let states = Cell::new(0);
        let turn = Turn {
            variant: &variant,
            state: &state,
            side: Side::First,
            moves: &[],
            tree_moves: 0,
            clock: &clock,
            states: &states,
        };
        let mut seen = vec![0.0; 4];
        let mut scratch = Vec::new();
        for _ in 0..30_000 {
            match draw(rule, &turn, &mut scratch, &mut rng, &known) {
                Some(mv) => seen[mv.0 as usize] += 1.0 / 30_000.0,
                None => return Vec::new(),
            }
        }
        seen
    }

    fn learnt(rule: Rule, score: f32, visits: usize) -> MoveMean {
        let mut entry = MoveMean::unseen(rule);
        (0..visits).for_each(|_| entry.add(score, rule));
        entry
    }

    #[test]
    fn gibbs_by_hand_with_and_without_sums() {
        // At tau = 0.1 nearly every uniform move is refused, so that the weights are added up.
        for (tau, low) in [(1.0, 0.5), (0.1, 0.05)] {
            let rule = Rule::Gibbs { tau };
            let means = [0.0, low, low / 2.0, 0.0];
            let seen = drawn(rule, |mv| learnt(rule, means[mv.0 as usize], 2 * (mv.0 != 3) as usize));
            let weights = means.map(|mean| (mean / tau).exp());
            let total: f32 = weights.iter().sum();
            for (seen, weight) in seen.iter().zip(weights) {
                // Five standard deviations of 30,000 draws.
                assert!((seen - weight / total).abs() < 0.0145, "{seen} is not {}", weight / total);
            }
        }
    }

    #[test]
    fn eps_greedy_takes_the_best_known_and_passes_if_nothing_is_known() {
        let rule = Rule::Greedy { eps: 0.2 };
        let seen = drawn(rule, |mv| learnt(rule, [0.2, 0.6, 0.6, 0.0][mv.0 as usize], (mv.0 != 3) as usize));
        for (seen, expected) in seen.iter().zip([0.05, 0.45, 0.45, 0.05]) {
            assert!((seen - expected).abs() < 0.0145, "{seen} is not {expected}");
        }
        assert!(drawn(Rule::Greedy { eps: 0.0 }, |_| MoveMean::unseen(rule)).is_empty());
    }
}
