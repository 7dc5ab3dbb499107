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

use super::{Descended, Scratch, Search};
use crate::game::Game;
use crate::playout::{Chain, End, Playing};
use crate::types::{Clock, Limit, Result, Rng};

/// How often a thread looks whether the tree is free before it goes to sleep: some tens of microseconds.
const LOOKS: usize = 2000;

/// How many playouts a thread makes between two looks at the tree. What another thread has changed must come over from its
/// processor each time, so that one at a time is slow; and many at a time leave the tree without their results for long.
const AT_ONCE: usize = 8;

/// One of the simulations that a thread has under way; exchanged for the search's own parts while it holds the tree.
struct Job<G: Game> {
    scratch: Scratch<G>,
    playout: Chain<G>,
    /// Where its playout began and how it ended.
    waiting: Option<(Descended, End)>,
}

impl<G: Game> Job<G> {
    fn exchange(&mut self, search: &mut Search<G>) {
        std::mem::swap(&mut self.scratch, &mut search.scratch);
        std::mem::swap(&mut self.playout, &mut search.parts.playout);
    }

    /// Gives the tree what the playout has found out; whether the search goes on.
    fn finish(&mut self, search: &mut Search<G>) -> bool {
        let Some((descended, end)) = self.waiting.take() else { return true };
        search.under_way -= 1;
        // What went through a tree that is no more teaches nothing.
        if descended.lost != search.lost {
            search.states += self.scratch.trace.states;
            return true;
        }
        self.exchange(search);
        search.return_visits();
        let goes_on = search.finish(&descended, end);
        self.exchange(search);
        goes_on
    }

    /// Goes down the tree to where its next playout begins.
    fn begin(&mut self, search: &mut Search<G>, last: Option<u64>, clock: &Clock) -> Descended {
        self.exchange(search);
        let descended = search.descend(last, clock);
        if descended.end().is_none() {
            search.begin_playout(last);
        }
        search.under_way += 1;
        search.lend_visits();
        self.exchange(search);
        descended
    }
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
        self.at_once = if self.parts.playout.learns_alone() { 1 } else { AT_ONCE };
        self.chains = (0..threads * self.at_once).map(|_| chain()).collect::<Result<_>>()?;
        self.chains.iter_mut().for_each(|chain| chain.learn_with(&self.parts.playout));
        Ok(())
    }

    /// `run_part` with these threads.
    pub(super) fn run_shared(&mut self, limit: &Limit, rest: &Limit, stop: &Arc<AtomicBool>) -> bool {
        let rules = self.rules.clone();
        let job = |playout| Job {
            scratch: Scratch::new(&self.root, self.scratch.trace.wanted),
            playout,
            waiting: None,
        };
        let mut jobs = std::mem::take(&mut self.chains).into_iter().map(job).peekable();
        let mut workers = Vec::new();
        while jobs.peek().is_some() {
            workers.push((jobs.by_ref().take(self.at_once).collect::<Vec<_>>(), self.rng.split()));
        }
        let last = limit.simulations.map(|n| self.simulations + n);
        let common = Arc::new(AtomicU64::new(limit.states.unwrap_or_default()));
        let begun = self.simulations;
        let started = Clock::start(limit, stop.clone());
        let shared = Mutex::new(self);
        // Whoever panics in the middle leaves a tree that nobody may read: the others stop, and so does the match.
        let work = |(mut jobs, mut rng): (Vec<Job<G>>, Rng)| {
            let clock = Clock::start_one_of_many(limit, stop.clone(), &common);
            let whole = Clock::start(rest, stop.clone());
            loop {
                let mut search = take(&shared)?;
                std::mem::swap(&mut rng, &mut search.rng);
                let mut goes_on = true;
                for job in &mut jobs {
                    goes_on &= job.finish(&mut search);
                }
                let caught = search.parts.settings.stop_early && search.cannot_be_caught(rest, &whole, begun);
                let is_over = !goes_on || caught || clock.is_spent() || clock.is_over();
                let mut begun_now = 0;
                let settled = loop {
                    // A descent may prove the root, so each needs a look.
                    search.go_on_if_lost();
                    if search.is_settled() || is_over {
                        break caught || search.is_settled();
                    }
                    let all = last.is_some_and(|n| search.simulations + search.under_way >= n);
                    if all || begun_now == jobs.len() {
                        break false;
                    }
                    let descended = jobs[begun_now].begin(&mut search, last, &clock);
                    jobs[begun_now].waiting = Some((descended, End::Abandoned));
                    begun_now += 1;
                };
                std::mem::swap(&mut rng, &mut search.rng);
                if begun_now == 0 {
                    return Some((jobs, settled));
                }
                drop(search);
                for Job { scratch, playout, waiting } in &mut jobs[..begun_now] {
                    let Some((descended, end)) = waiting else { continue };
                    *end = match descended.end() {
                        Some(end) => end,
                        None => {
                            let Scratch { state, trace, .. } = scratch;
                            let tree_moves = descended.tree_moves;
                            let rng = &mut rng;
                            playout.run(Playing {
                                rules: &rules,
                                state,
                                trace,
                                tree_moves,
                                clock: &clock,
                                rng,
                            })
                        }
                    };
                }
            }
        };
        let mut goes_on = true;
        let mut chains = Vec::new();
        thread::scope(|scope| {
            let running: Vec<_> = workers.into_iter().map(|worker| scope.spawn(|| work(worker))).collect();
            for thread in running {
                // What a guest did wrong goes on to whoever turns it into an error.
                match thread.join() {
                    Err(panic) => resume_unwind(panic),
                    Ok(Some((jobs, settled))) => {
                        goes_on &= !settled;
                        chains.extend(jobs.into_iter().map(|job| job.playout));
                    }
                    // Another thread has panicked and is joined too.
                    Ok(None) => {}
                }
            }
        });
        if let Ok(search) = shared.into_inner() {
            search.seconds += started.elapsed();
            search.chains = chains;
        }
        goes_on
    }

    fn lend_visits(&mut self) {
        for step in &self.scratch.path {
            self.tree.lend_visit(step.edge);
        }
    }

    fn return_visits(&mut self) {
        for step in &self.scratch.path {
            self.tree.return_visit(step.edge);
        }
    }
}
