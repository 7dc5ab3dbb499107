//! Spare interpreters: those of a script set that no search uses now, which the next one takes instead of making one.

use std::sync::Mutex;

use super::interpreter::Interpreter;
use super::locked;
use super::sandbox::MEMORY;

/// Interpreters of a script set that wait for a search, at most, and bytes of the largest that may. What a script has
/// used before is then far from the bound on memory, so that it makes no difference to the next search.
const SPARE: usize = 64;
const SPARE_MEMORY: usize = MEMORY / 8;

/// Any number of searches take from it and give back at the same time.
#[derive(Default)]
pub struct Spare {
    pub waiting: Mutex<Vec<Interpreter>>,
}

impl Spare {
    /// One that still knows what it was asked: it must be cleared.
    pub fn take(&self) -> Option<Interpreter> {
        locked(&self.waiting).pop()
    }

    /// Drops it where enough wait, or where it has grown large.
    pub fn take_back(&self, interpreter: Interpreter) {
        let mut waiting = locked(&self.waiting);
        if waiting.len() < SPARE && interpreter.memory() <= SPARE_MEMORY {
            waiting.push(interpreter);
        }
    }
}
