//! How simulations follow each other in one thread: until the limit, or until the rest would change nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::core::{Core, Seat};
use crate::game::Game;
use crate::terms::{AMAF, POSITIONS, Terms};
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

impl Plain {
    /// What parts can count on.
    pub fn terms() -> Terms {
        Terms::default().gives(&POSITIONS).gives(&AMAF)
    }
}

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

/// A run under way: when it ends.
pub(super) struct Run<'a> {
    /// What was left of the whole run when this part of it began, and a clock over that.
    rest: &'a Limit,
    whole: Clock,
    /// The simulations when it began.
    begun: u64,
    /// The simulations at which it ends, where that is known.
    pub last: Option<u64>,
}

impl<'a> Run<'a> {
    /// A run that begins after so many simulations.
    pub fn new(begun: u64, (limit, rest): (&Limit, &'a Limit), stop: &Arc<AtomicBool>) -> Run<'a> {
        let last = limit.simulations.map(|n| begun + n);
        Run { rest, whole: Clock::start(rest, stop.clone()), begun, last }
    }

    /// Whether all simulations have been made, or are under way.
    #[inline]
    pub fn is_complete<G: Game>(&self, core: &Core<G>, under_way: u64) -> bool {
        self.last.is_some_and(|n| core.counts.simulations + under_way >= n)
    }

    /// Whether the rest would change nothing: the result is proven, or, with `stop_early`, no other move can catch up
    /// with the most visited one, which is looked at every so many simulations. A search that is lost begins anew instead.
    #[inline]
    pub fn is_decided<G: Game>(&self, core: &mut Core<G>, under_way: u64, every: u64) -> bool {
        core.go_on_if_lost();
        let is_caught = core.settings().stop_early
            && core.counts.simulations % every == 0
            && core.cannot_be_caught(self.rest, &self.whole, self.begun, under_way);
        is_caught || core.is_settled()
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
    let run = Run::new(core.counts.simulations, (limit, rest), stop);
    let clock = Clock::start(limit, stop.clone());
    let mut goes_on = true;
    // How many simulations pass between two looks at the clock: about 50 microseconds' worth.
    let (mut stride, mut until_look, mut looked) = (1u32, 1u32, 0.0f64);
    loop {
        if run.is_complete(core, 0) || clock.is_spent() || clock.is_stopped() {
            break;
        }
        goes_on = !run.is_decided(core, 0, DECIDED_EVERY);
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
        if !way.simulate(core, seat, run.last, &clock, rng) {
            break;
        }
    }
    core.counts.seconds += clock.elapsed();
    goes_on
}
