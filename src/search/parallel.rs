//! One tree for several threads: descents and results one at a time, playouts side by side.
//!
//! While a playout is under way the edges of its path hold one visit more, as if it had been lost, so that the
//! next thread looks elsewhere (virtual loss, Chaslot et al. 2008). Which thread comes when is chance: such a
//! search cannot be repeated.

use std::hint::spin_loop;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;

use super::core::{Core, Descended, Seat};
use super::drive::Run;
use super::{Search, Way};
use crate::game::{Game, Variant};
use crate::playout::{Chain, End};
use crate::terms::{AMAF, POSITIONS, Terms};
use crate::types::{Clock, Limit, Result, Rng};

/// How often a thread looks whether the tree is free before it goes to sleep: some tens of microseconds.
const LOOKS: usize = 2000;

/// How many playouts a thread makes between two looks at the tree. What another thread has changed must come over from its
/// processor each time, so that one at a time is slow; and many at a time leave the tree without their results for long.
const AT_ONCE: usize = 8;

/// The threads that grow one tree.
pub(super) struct Threads<G: Game> {
    /// Of all threads, one after the other.
    jobs: Vec<Job<G>>,
    /// How many of them each thread has.
    at_once: usize,
}

/// One of the simulations that a thread has under way.
struct Job<G: Game> {
    seat: Seat<G>,
    /// Where its playout began and how it ended.
    waiting: Option<(Descended, End)>,
}

impl<G: Game> Job<G> {
    /// Gives the tree what the playout has found out; whether the search goes on.
    fn finish(&mut self, shared: &mut Shared<G>) -> bool {
        let Some((descended, end)) = self.waiting.take() else { return true };
        shared.under_way -= 1;
        let core = &mut *shared.core;
        // The tree was restarted since: only the states count, the result is dropped.
        if descended.lost != core.lost {
            core.counts.states += self.seat.trace.states;
            return true;
        }
        for step in &self.seat.path {
            core.tree.remove_virtual_loss(step.edge);
        }
        core.finish(&mut self.seat, &descended, end)
    }

    /// Goes down the tree to where its next playout begins.
    fn begin(&mut self, shared: &mut Shared<G>, last: Option<u64>, clock: &Clock, rng: &mut Rng) {
        shared.under_way += 1;
        let core = &mut *shared.core;
        let descended = core.descend(&mut self.seat, last, clock, rng);
        if descended.end().is_none() {
            core.begin_playout(&mut self.seat, last, rng);
        }
        for step in &self.seat.path {
            core.tree.add_virtual_loss(step.edge);
        }
        self.waiting = Some((descended, End::Abandoned));
    }

    /// Plays on from there. The tree is not needed for it.
    fn play_out(&mut self, variant: &Variant<G>, clock: &Clock, rng: &mut Rng) {
        let Some((descended, end)) = &mut self.waiting else { return };
        *end = match descended.end() {
            Some(end) => end,
            None => self.seat.play_out(variant, descended.tree_moves, clock, rng),
        };
    }
}

/// What the threads have together, one at a time.
struct Shared<'a, G: Game> {
    core: &'a mut Core<G>,
    /// Simulations whose result is still to come.
    under_way: u64,
}

/// The tree, as soon as it is free; None if a thread has panicked while it held it. It is held for less time than
/// going to sleep takes, so that waiting for it awake is better at first.
fn take<T>(shared: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    for _ in 0..LOOKS {
        match shared.try_lock() {
            Ok(held) => return Some(held),
            Err(TryLockError::Poisoned(_)) => return None,
            Err(TryLockError::WouldBlock) => spin_loop(),
        }
    }
    shared.lock().ok()
}

impl<G: Game> Search<G> {
    /// From now on so many threads grow the tree; each playout under way has policies of its own, which `chain` makes. What
    /// policies can learn together they do; those that learn alone are not split further than one to a thread.
    pub fn share(&mut self, threads: usize, chain: impl Fn() -> Result<Chain<G>>) -> Result<()> {
        let own = &self.seat.chain;
        let at_once = if own.has_private_memory() { 1 } else { AT_ONCE };
        let job = |_| {
            let mut chain = chain()?;
            chain.learn_with(own);
            let seat = Seat::new(&self.core.root, chain, self.seat.trace.wanted);
            Ok(Job { seat, waiting: None })
        };
        let jobs = (0..threads * at_once).map(job).collect::<Result<_>>()?;
        // What a simulation that is not backed up yet has proven.
        self.core.proven_elsewhere = true;
        self.way = Way::Threads(Threads { jobs, at_once });
        Ok(())
    }
}

impl<G: Game> Threads<G> {
    /// What parts can count on.
    pub fn terms() -> Terms {
        Terms::default().gives(&POSITIONS).gives(&AMAF)
    }

    pub fn seats(&mut self) -> impl Iterator<Item = &mut Seat<G>> {
        self.jobs.iter_mut().map(|job| &mut job.seat)
    }

    /// Adds simulations until `limit`, of a run of which `rest` is left; false if the rest would change nothing.
    pub fn drive(
        &mut self,
        core: &mut Core<G>,
        (limit, rest): (&Limit, &Limit),
        stop: &Arc<AtomicBool>,
        rng: &mut Rng,
    ) -> bool {
        let variant = core.variant.clone();
        let begun = core.counts.simulations;
        let common = Arc::new(AtomicU64::new(limit.states.unwrap_or_default()));
        let started = Clock::start(limit, stop.clone());
        let shared = Mutex::new(Shared { core, under_way: 0 });
        // A panic in the middle leaves a broken tree, which must not be read: the other threads stop, and so does the match.
        let work = |jobs: &mut [Job<G>], mut rng: Rng| {
            let clock = Clock::start_one_of_many(limit, stop.clone(), &common);
            let run = Run::new(begun, (limit, rest), stop);
            loop {
                let mut held = take(&shared)?;
                let mut goes_on = true;
                for job in jobs.iter_mut() {
                    goes_on &= job.finish(&mut held);
                }
                let is_over = !goes_on || clock.is_spent() || clock.is_over();
                let mut begun_now = 0;
                let decided = loop {
                    // A descent may prove the root, so each needs a look.
                    let under_way = held.under_way;
                    let decided = run.is_decided(held.core, under_way, 1);
                    let is_complete = run.is_complete(held.core, under_way);
                    if decided || is_over || is_complete || begun_now == jobs.len() {
                        break decided;
                    }
                    jobs[begun_now].begin(&mut held, run.last, &clock, &mut rng);
                    begun_now += 1;
                };
                drop(held);
                if begun_now == 0 {
                    return Some(decided);
                }
                for job in &mut jobs[..begun_now] {
                    job.play_out(&variant, &clock, &mut rng);
                }
            }
        };
        let mut goes_on = true;
        thread::scope(|scope| {
            let jobs = self.jobs.chunks_mut(self.at_once);
            let workers: Vec<_> = jobs.map(|jobs| (jobs, rng.split())).collect();
            let start = |(jobs, rng)| scope.spawn(|| work(jobs, rng));
            for thread in workers.into_iter().map(start).collect::<Vec<_>>() {
                // The panic of a guest goes on to the code that turns it into an error. Where a thread has none to tell,
                // another one has panicked and is joined too.
                match thread.join() {
                    Err(panic) => resume_unwind(panic),
                    Ok(decided) => goes_on &= !decided.unwrap_or(false),
                }
            }
        });
        if let Ok(Shared { core, .. }) = shared.into_inner() {
            core.counts.seconds += started.elapsed();
        }
        goes_on
    }
}
