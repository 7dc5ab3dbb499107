//! How simulations follow each other in one thread: until the limit, or until the rest would change nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::core::{Core, Seat};
use crate::game::Game;
use crate::types::{Clock, Limit, Rng};

/// Simulations between two looks at whether the move is decided.
const DECIDED_EVERY: u64 = 64;

/// One way to make a simulation.
pub(super) trait Simulate<G: Game> {
    /// One simulation; false if it had to be abandoned.
    fn simulate(
        &mut self,
        core: &mut Core<G>,
        seat: &mut Seat<G>,
        budget: Option<u64>,
        clock: &Clock,
        rng: &mut Rng,
    ) -> bool;
}

/// In the position itself.
pub(super) struct Plain;

impl<G: Game> Simulate<G> for Plain {
    fn simulate(
        &mut self,
        core: &mut Core<G>,
        seat: &mut Seat<G>,
        budget: Option<u64>,
        clock: &Clock,
        rng: &mut Rng,
    ) -> bool {
        core.simulate(seat, budget, clock, rng)
    }
}

/// Adds simulations until `limit`, of a run of which `rest` is left; false if the rest would change nothing.
pub(super) fn drive<G: Game>(
    core: &mut Core<G>,
    seat: &mut Seat<G>,
    way: &mut impl Simulate<G>,
    (limit, rest): (&Limit, &Limit),
    stop: &Arc<AtomicBool>,
    rng: &mut Rng,
) -> bool {
    let (clock, whole) = (Clock::start(limit, stop.clone()), Clock::start(rest, stop.clone()));
    let begun = core.counts.simulations;
    let last = limit.simulations.map(|n| begun + n);
    let mut goes_on = true;
    // How many simulations pass between two looks at the clock: about 50 microseconds' worth.
    let (mut stride, mut until_look, mut looked) = (1u32, 1u32, 0.0f64);
    loop {
        if last.is_some_and(|n| core.counts.simulations >= n) || clock.is_spent() || clock.is_stopped() {
            break;
        }
        core.go_on_if_lost();
        let is_decided = core.settings().stop_early
            && core.counts.simulations % DECIDED_EVERY == 0
            && core.cannot_be_caught(rest, &whole, begun);
        goes_on = !is_decided && !core.is_settled();
        if !goes_on {
            break;
        }
        if clock.is_timed() {
            until_look -= 1;
            if until_look == 0 {
                if clock.is_over() {
                    break;
                }
                let now = clock.elapsed();
                stride = if now - looked < 50e-6 { (stride * 2).min(256) } else { (stride / 2).max(1) };
                (until_look, looked) = (stride, now);
            }
        }
        if !way.simulate(core, seat, last, &clock, rng) {
            break;
        }
    }
    core.counts.seconds += clock.elapsed();
    goes_on
}
