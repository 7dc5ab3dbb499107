//! Minimax playouts: a small full search before every move finds what is decided within one or two plies.
//!
//! MCTS-MR of Baier and Winands (2013; spec section 6.5): a proven win is played, proven losses are avoided,
//! all else is left to the next policy of the chain. `decisive` is the first half of its depth-1 case.

use super::{Answer, Built, PlayoutPolicy, Role, Tries, Turn, Turns, looks_ahead};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Clock, Move, Outcome, Result, Rng, Side};

pub const NAME: &str = "minimax";

pub const INFO: PartInfo = PartInfo {
    name: NAME,
    options: &[
        OptionInfo::int("depth", 1, 2, "1", "plies searched before each move"),
        OptionInfo::flag(
            "avoid",
            "true",
            "whether moves that are proven lost are avoided; else wins are played only",
        ),
        OptionInfo::flag(
            "counted",
            "true",
            "whether the states that it looks at count as visited; else only those that are played",
        ),
    ],
    positional: Some("depth"),
    doc: "Plays wins and avoids losses that a search of one or two plies proves; works on every game",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    looks_ahead::<G>(NAME)?;
    Built::link(Minimax::new(options, context.variant))
}

/// How many states pass between two looks at the clock.
const LOOK_EVERY: u64 = 512;

pub struct Minimax<G: Game> {
    depth: usize,
    /// Whether moves that are proven lost are avoided.
    avoid: bool,
    /// Whether the states of its searches count as visited.
    counted: bool,
    child: G::State,
    grandchild: G::State,
    moves: Vec<Move>,
    replies: Vec<Move>,
    /// States visited since the clock was read.
    unseen: u64,
}

/// What the search says about a move, for the side that plays it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Win,
    Loss,
    Unknown,
}

impl Verdict {
    fn of(outcome: Outcome, side: Side) -> Verdict {
        match outcome {
            Outcome::Draw => Verdict::Unknown,
            Outcome::Win(winner) if winner == side => Verdict::Win,
            Outcome::Win(_) => Verdict::Loss,
        }
    }
}

impl<G: Game> Minimax<G> {
    /// `options` are resolved.
    pub fn new(options: &Options, variant: &Variant<G>) -> Minimax<G> {
        let minimax = Minimax::with(options.size("depth"), options.flag("avoid"), variant);
        Minimax { counted: options.flag("counted"), ..minimax }
    }

    pub fn decisive(variant: &Variant<G>) -> Minimax<G> {
        Minimax::with(1, false, variant)
    }

    fn with(depth: usize, avoid: bool, variant: &Variant<G>) -> Minimax<G> {
        let state = variant.game.initial_state(&mut Rng::new(0));
        Minimax {
            depth,
            avoid,
            counted: true,
            child: state.clone(),
            grandchild: state,
            moves: Vec::new(),
            replies: Vec::new(),
            unseen: 0,
        }
    }

    /// Counts a state that is about to be looked at; None if it is not allowed any more.
    fn look(&mut self, clock: &Clock) -> Option<()> {
        if self.counted && !clock.visit(1) {
            return None;
        }
        self.unseen += 1;
        Some(())
    }

    /// What is proven about the move `mv`; None if the states are used up.
    fn verdict(&mut self, turn: &Turn<G>, mv: Move) -> Option<Verdict> {
        let (variant, side) = (turn.variant, turn.side);
        self.look(turn.clock)?;
        self.child.clone_from(turn.state);
        variant.game.play(&mut self.child, mv);
        if let Some(outcome) = variant.outcome(&self.child) {
            return Some(Verdict::of(outcome, side));
        }
        if self.depth < 2 {
            return Some(Verdict::Unknown);
        }
        let replier = variant.game.side_to_move(&self.child);
        // The replier takes the best for itself: the reply that decides, or else all of them must say the same.
        let decides = if replier == side { Verdict::Win } else { Verdict::Loss };
        self.replies.clear();
        variant.game.legal_moves(&self.child, &mut self.replies);
        let mut all = None;
        for i in 0..self.replies.len() {
            self.look(turn.clock)?;
            self.grandchild.clone_from(&self.child);
            variant.game.play(&mut self.grandchild, self.replies[i]);
            let verdict =
                variant.outcome(&self.grandchild).map_or(Verdict::Unknown, |end| Verdict::of(end, side));
            if verdict == decides {
                return Some(decides);
            }
            all = Some(if all.is_none_or(|known| known == verdict) { verdict } else { Verdict::Unknown });
        }
        all.or(Some(Verdict::Unknown))
    }
}

impl<G: Game> PlayoutPolicy<G> for Minimax<G> {
    fn role(&self) -> Role {
        let sees = if self.depth > 1 && self.avoid { Turns::WIN.and(Turns::THREAT) } else { Turns::WIN };
        let tries = if self.avoid { Tries::WinsAndMore } else { Tries::Wins };
        Role { only: sees, takes: sees, tries, ..Role::default() }
    }

    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let game = &turn.variant.game;
        self.moves.clear();
        game.legal_moves(turn.state, &mut self.moves);
        let count = self.moves.len();
        let mut visited = 0;
        // Moves before `kept` are not proven lost; those between it and the one looked at are.
        let mut kept = 0;
        let mut answer = Answer::Pass;
        for i in 0..count {
            self.moves.swap(i, i + rng.below(count - i));
            let mv = self.moves[i];
            let before = self.unseen;
            let verdict = self.verdict(turn, mv);
            visited += self.unseen - before;
            match verdict {
                None => {
                    answer = Answer::Abandon;
                    break;
                }
                Some(Verdict::Win) => {
                    answer = Answer::Move(mv);
                    break;
                }
                Some(Verdict::Unknown) => {
                    self.moves.swap(kept, i);
                    kept += 1;
                }
                Some(Verdict::Loss) => {}
            }
            if self.unseen >= LOOK_EVERY {
                self.unseen = 0;
                if turn.clock.is_over() {
                    answer = Answer::Abandon;
                    break;
                }
            }
        }
        if self.counted {
            turn.states.set(turn.states.get() + visited);
        }
        let some_lost = 0 < kept && kept < count;
        if answer == Answer::Pass && self.avoid && some_lost {
            return Answer::Move(self.moves[rng.below(kept)]);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use crate::game::{Present, Rules};
    use std::cell::Cell;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::catalogue;
    use crate::games::breakthrough::Breakthrough;
    use crate::games::domineering::Domineering;
    use crate::games::tic_tac_toe::TicTacToe;
    use crate::spec::Family;
    use crate::types::Limit;

    fn variant<G: Game>(text: &str, misere: bool) -> Variant<G> {
        let spec = catalogue::read(Family::Game, text).unwrap();
        Variant { game: G::from_options(&Options::new(&spec.parts[0])).unwrap(), misere }
    }

    /// Everything that the policy answers over many seeds, in words; and the states of the last answer.
    fn answers<G: Game>(
        variant: &Variant<G>,
        policy: &mut Minimax<G>,
        state: &G::State,
    ) -> (Vec<String>, u64) {
        let clock = Clock::start(&Limit::default(), Arc::new(AtomicBool::new(false)));
        let mut seen = Vec::new();
        let mut visited = 0;
        for seed in 0..200 {
            let states = Cell::new(0);
            let side = variant.game.side_to_move(state);
            let turn =
                Turn { variant, state, side, moves: &[], tree_moves: 0, clock: &clock, states: &states };
            let answer = match policy.choose(&turn, &mut Rng::new(seed)) {
                Answer::Move(mv) => variant.game.move_name(state, mv),
                answer => format!("{answer:?}"),
            };
            if !seen.contains(&answer) {
                seen.push(answer);
            }
            visited = states.get();
        }
        seen.sort();
        (seen, visited)
    }

    #[test]
    fn a_win_is_played_and_a_losing_move_avoided() {
        let variant = variant::<TicTacToe>("tic_tac_toe", false);
        // x wins with c3; then o to move must block at c3.
        let wins = variant.game.parse_state("xx./oo./... first").unwrap();
        let blocks = variant.game.parse_state("xx./o../... second").unwrap();
        let start = variant.game.initial_state(&mut Rng::new(0));
        let cells = |state: &_, depth| answers(&variant, &mut Minimax::with(depth, true, &variant), state).0;
        assert_eq!(cells(&wins, 1), ["c3"]);
        assert_eq!(cells(&wins, 2), ["c3"]);
        assert_eq!(cells(&blocks, 1), ["Pass"]);
        assert_eq!(cells(&blocks, 2), ["c3"]);
        assert_eq!(cells(&start, 2), ["Pass"]);
        assert_eq!(answers(&variant, &mut Minimax::decisive(&variant), &wins).0, ["c3"]);
        assert_eq!(answers(&variant, &mut Minimax::decisive(&variant), &blocks).0, ["Pass"]);
    }

    #[test]
    fn every_state_is_counted() {
        let variant = variant::<Breakthrough>("breakthrough", false);
        let start = variant.game.initial_state(&mut Rng::new(0));
        assert_eq!(answers(&variant, &mut Minimax::with(1, true, &variant), &start).1, 13);
        assert_eq!(answers(&variant, &mut Minimax::with(2, true, &variant), &start).1, 13 + 156);
        assert_eq!(answers(&variant, &mut as_told("minimax(depth=2, counted=false)", &variant), &start).1, 0);
    }

    fn as_told<G: Game>(text: &str, variant: &Variant<G>) -> Minimax<G> {
        Minimax::new(&Options::new(&catalogue::read(Family::Playout, text).unwrap().parts[0]), variant)
    }

    #[test]
    fn losses_are_not_avoided_where_only_wins_are_played() {
        let variant = variant::<TicTacToe>("tic_tac_toe", false);
        let wins = variant.game.parse_state("xx./oo./... first").unwrap();
        let blocks = variant.game.parse_state("xx./o../... second").unwrap();
        let said = |text: &str, state: &_| answers(&variant, &mut as_told(text, &variant), state).0;
        for depth in [1, 2] {
            assert_eq!(said(&format!("minimax(depth={depth}, avoid=false)"), &wins), ["c3"]);
            assert_eq!(said(&format!("minimax(depth={depth}, avoid=false)"), &blocks), ["Pass"]);
        }
        assert_eq!(said("minimax(depth=2)", &blocks), ["c3"]);
    }

    #[test]
    fn it_is_abandoned_where_the_states_are_used_up() {
        let variant = variant::<Breakthrough>("breakthrough", false);
        let start = variant.game.initial_state(&mut Rng::new(0));
        for (text, allowed, answer, looked_at) in [
            ("minimax(depth=1)", 12, Answer::Abandon, 12),
            ("minimax(depth=1)", 13, Answer::Pass, 13),
            ("minimax(depth=2)", 20, Answer::Abandon, 20),
            ("minimax(depth=2, counted=false)", 0, Answer::Pass, 0),
        ] {
            let limit = Limit { states: Some(allowed), ..Limit::default() };
            let (clock, states) = (Clock::start(&limit, Default::default()), Cell::new(0));
            let (variant, state, side) = (&variant, &start, Side::First);
            let turn =
                Turn { variant, state, side, moves: &[], tree_moves: 0, clock: &clock, states: &states };
            assert_eq!(as_told(text, variant).choose(&turn, &mut Rng::new(1)), answer, "{text}");
            assert_eq!(states.get(), looked_at, "{text}");
        }
    }

    #[test]
    fn misere_exchanges_what_is_sought_and_avoided() {
        // Upright moves leave the second side without a move: it has lost, so under misère it has won.
        let normal = variant::<Domineering>("domineering(rows=2, columns=2)", false);
        let misere = variant::<Domineering>("domineering(rows=2, columns=2)", true);
        let start = normal.game.initial_state(&mut Rng::new(0));
        assert_eq!(answers(&normal, &mut Minimax::with(1, true, &normal), &start).0, ["a1a2", "b1b2"]);
        assert_eq!(answers(&misere, &mut Minimax::with(1, true, &misere), &start).0, ["Pass"]);
        // Here one move loses at once under misère and the other does not: only depth 1 with avoiding sees it.
        let misere = variant::<Domineering>("domineering(rows=2, columns=3)", true);
        let start = misere.game.initial_state(&mut Rng::new(0));
        assert_eq!(answers(&misere, &mut Minimax::with(1, true, &misere), &start).0, ["a1a2", "c1c2"]);
        assert_eq!(answers(&misere, &mut Minimax::decisive(&misere), &start).0, ["Pass"]);
    }
}
