//! Options that stand elsewhere now: what is typed in the old spelling is refused with the new one.
//!
//! What is stored in an old spelling is read by `spelling.upgrade` of the laboratory.

use crate::types::Error;

/// An option of a part that has moved.
pub struct Moved {
    part: &'static str,
    option: &'static str,
    /// An example of what is written today.
    now: &'static str,
}

impl Moved {
    pub fn refusal(&self, part: &str) -> Error {
        Error::new(format!("{part}: {} has moved: write for instance {}", self.option, self.now))
    }
}

pub fn find(part: &str, option: &str) -> Option<&'static Moved> {
    MOVED.iter().find(|moved| moved.part == part && moved.option == option)
}

const fn moved(part: &'static str, option: &'static str, now: &'static str) -> Moved {
    Moved { part, option, now }
}

const MOVED: &[Moved] = &[
    moved("mcts", "expand_at", "expansion=all(at=8)"),
    moved("mcts", "order", "expansion=one(order=first)"),
    moved("mcts", "widen", "expansion=progressive(first=3)"),
    moved("mcts", "widen_at", "expansion=progressive(at=50)"),
    moved("mcts", "widen_by", "expansion=progressive(by=1.3)"),
    moved("mcts", "t", "playout_until=50"),
    moved("mcts", "solve", "tactics=solver"),
    moved("mcts", "stubborn", "tactics=solver(play_on_when_lost=true)"),
    moved("mcts", "threats", "tactics=solver+threats"),
    moved("mcts", "doubles", "tactics=solver+threats(doubles=true)"),
    moved("mcts", "forcing", "tactics=solver+threats+forcing(at=1000)"),
    moved("mcts", "tries", "tactics=solver+threats+forcing(tries=300)"),
    moved("mcts", "prior", "prior=knowledge(weight=0.5)"),
    moved("mcts", "prior_patterns", "prior=patterns(weight=1)"),
    moved("jack", "opponent", "worlds=sampled(opponent=informed)"),
    moved("jack", "draw", "worlds=sampled(draw=free_choice)"),
];
