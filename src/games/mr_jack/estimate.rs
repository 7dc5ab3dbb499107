//! Who is doing better in Mr Jack, without playing on.

use super::MrJack;
use super::state::{State, TURNS};
use crate::types::Side;

impl MrJack {
    /// The detective's chance.
    pub(super) fn estimated(&self, state: &State) -> f32 {
        if let Some(outcome) = state.outcome() {
            return outcome.score(Side::First);
        }
        let suspects = self.suspects(state).count_ones() as f32;
        let turns = (TURNS - state.turn) as f32;
        turns / (turns + suspects)
    }
}
