//! Who is doing better in Mr Jack, without playing on: by turn, suspects left, and Jack's way out.

use super::MrJack;
use super::state::State;
use crate::game::Evaluation;

/// How many games of a hundred the detective wins from the beginning of a turn with so many suspects (1 to 8),
/// in random play that takes what it can win for certain: 60,000 games, rare cases continued by eye.
/// Jack was seen at the last call.
const SEEN: [[u8; 8]; 8] = [
    [100, 92, 88, 84, 80, 76, 74, 72],
    [100, 90, 82, 78, 74, 69, 68, 67],
    [100, 85, 78, 73, 67, 65, 60, 56],
    [100, 84, 73, 66, 56, 55, 50, 45],
    [100, 76, 62, 54, 47, 42, 37, 32],
    [100, 65, 44, 28, 22, 18, 14, 10],
    [99, 38, 20, 8, 5, 4, 3, 2],
    [88, 2, 0, 0, 0, 0, 0, 0],
];

/// The same where he was not, so that he may leave.
const UNSEEN: [[u8; 8]; 8] = [
    [94, 82, 76, 72, 68, 66, 64, 62],
    [89, 77, 71, 67, 62, 60, 59, 58],
    [98, 66, 61, 56, 53, 52, 47, 43],
    [81, 62, 56, 45, 43, 41, 38, 35],
    [97, 57, 48, 39, 36, 33, 30, 27],
    [81, 48, 35, 27, 20, 16, 12, 9],
    [96, 30, 15, 10, 6, 4, 3, 2],
    [68, 1, 0, 0, 0, 0, 0, 0],
];

/// What is left of the detective's chances while Jack, unseen, stands near an open exit with his card in play.
const NEAR_EXIT: f32 = 0.5;

impl Evaluation<MrJack> for MrJack {
    /// The detective's chance.
    fn value(&self, state: &State) -> f32 {
        let suspects = self.suspects(state).count_ones().clamp(1, 8) as usize - 1;
        let turn = state.turn as usize - 1;
        if state.seen {
            return SEEN[turn][suspects] as f32 / 100.0;
        }
        let jack = state.jack as usize;
        let near = self.gates(self.map.walk(state.at[jack] as usize & 63, 2, self.open(state)));
        let leaves = near & !state.cordons != 0 && state.hand >> jack & 1 == 1;
        UNSEEN[turn][suspects] as f32 / 100.0 * if leaves { NEAR_EXIT } else { 1.0 }
    }
}
