//! Minimax playouts: a small full search before every move finds what is decided within one or two plies.
//!
//! MCTS-MR of Baier and Winands (2013; spec section 6.5): a proven win is played, proven losses are avoided,
//! all else is left to the next policy of the chain. `decisive` is the first half of its depth-1 case.

use super::{Answer, PlayoutPolicy, Turn};
use crate::game::{Game, Rules};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Move, Outcome, Rng, Side};

pub const NAME: &str = "minimax";

pub const INFO: PartInfo = PartInfo {
    name: NAME,
    options: &[OptionInfo::int("depth", 1, 2, "1", "plies searched before each move")],
    positional: Some("depth"),
    doc: "Plays wins and avoids losses that a search of one or two plies proves; works on every game",
};

pub const DECISIVE: PartInfo = PartInfo {
    name: "decisive",
    options: &[],
    positional: None,
    doc: "Plays a move that wins at once and leaves all else to the next policy",
};

/// How many states pass between two looks at the clock.
const LOOK_EVERY: u64 = 512;

pub struct Minimax<G: Game> {
    depth: usize,
    /// Whether moves that are proven lost are avoided.
    avoid: bool,
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
    pub fn new(options: &Options, rules: &Rules<G>) -> Minimax<G> {
        Minimax::with(options.size("depth"), true, rules)
    }

    pub fn decisive(rules: &Rules<G>) -> Minimax<G> {
        Minimax::with(1, false, rules)
    }

    fn with(depth: usize, avoid: bool, rules: &Rules<G>) -> Minimax<G> {
        let state = rules.game.initial_state(&mut Rng::new(0));
        Minimax {
            depth,
            avoid,
            child: state.clone(),
            grandchild: state,
            moves: Vec::new(),
            replies: Vec::new(),
            unseen: 0,
        }
    }

    /// What is proven about the position in `self.child`, into which `side` has moved.
    fn verdict(&mut self, rules: &Rules<G>, side: Side) -> Verdict {
        if let Some(outcome) = rules.outcome(&self.child) {
            return Verdict::of(outcome, side);
        }
        if self.depth < 2 {
            return Verdict::Unknown;
        }
        let replier = rules.game.side_to_move(&self.child);
        // The replier takes the best for itself: the reply that decides, or else all of them must say the same.
        let decides = if replier == side { Verdict::Win } else { Verdict::Loss };
        self.replies.clear();
        rules.game.legal_moves(&self.child, &mut self.replies);
        let mut all = None;
        for &reply in &self.replies {
            self.grandchild.clone_from(&self.child);
            rules.game.play(&mut self.grandchild, reply);
            self.unseen += 1;
            let verdict =
                rules.outcome(&self.grandchild).map_or(Verdict::Unknown, |end| Verdict::of(end, side));
            if verdict == decides {
                return decides;
            }
            all = Some(if all.is_none_or(|known| known == verdict) { verdict } else { Verdict::Unknown });
        }
        all.unwrap_or(Verdict::Unknown)
    }
}

impl<G: Game> PlayoutPolicy<G> for Minimax<G> {
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let game = &turn.rules.game;
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
            self.child.clone_from(turn.state);
            game.play(&mut self.child, mv);
            let before = self.unseen;
            self.unseen += 1;
            let verdict = self.verdict(turn.rules, turn.side);
            visited += self.unseen - before;
            match verdict {
                Verdict::Win => {
                    answer = Answer::Move(mv);
                    break;
                }
                Verdict::Unknown => {
                    self.moves.swap(kept, i);
                    kept += 1;
                }
                Verdict::Loss => {}
            }
            if self.unseen >= LOOK_EVERY {
                self.unseen = 0;
                if turn.clock.is_over() {
                    answer = Answer::Abandon;
                    break;
                }
            }
        }
        turn.states.set(turn.states.get() + visited);
        let some_lost = 0 < kept && kept < count;
        if answer == Answer::Pass && self.avoid && some_lost {
            return Answer::Move(self.moves[rng.below(kept)]);
        }
        answer
    }
}
