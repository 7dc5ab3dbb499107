//! One tree for several threads: descents and results one at a time, playouts side by side.
//!
//! While a playout is under way the edges of its path hold one visit more, as if it had been lost, so that the
//! next thread looks elsewhere (virtual loss, Chaslot et al. 2008). Which thread comes when is chance: such a
//! search cannot be repeated.

use std::hint::spin_loop;
use std::panic::resume_unwind;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;

use super::{Descended, Scratch, Search};
use crate::game::Game;
use crate::playout::{Chain, End, Playing};
use crate::types::{Clock, Limit, Rng};

/// How often a thread looks whether the tree is free before it goes to sleep: some microseconds.
const LOOKS: usize = 300;

/// What a thread keeps to itself; exchanged for the search's own while it holds the tree.
struct Worker<G: Game> {
    scratch: Scratch<G>,
    playout: Chain<G>,
    rng: Rng,
}

impl<G: Game> Worker<G> {
    fn exchange(&mut self, search: &mut Search<G>) {
        std::mem::swap(&mut self.scratch, &mut search.scratch);
        std::mem::swap(&mut self.playout, &mut search.playout);
        std::mem::swap(&mut self.rng, &mut search.rng);
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
    /// From now on a thread for each of the `chains` grows the tree, so that each has playout policies of its own. What
    /// policies can learn together they do.
    pub fn share(&mut self, mut chains: Vec<Chain<G>>) {
        chains.iter_mut().for_each(|chain| chain.learn_with(&self.playout));
        self.chains = chains;
    }

    /// `run_part` with these threads.
    pub(super) fn run_shared(&mut self, limit: &Limit, rest: &Limit, stop: &Arc<AtomicBool>) -> bool {
        let rules = self.rules.clone();
        let mut workers = Vec::new();
        for playout in std::mem::take(&mut self.chains) {
            let scratch = Scratch::new(&self.root, self.scratch.trace.wanted);
            workers.push(Worker { scratch, playout, rng: self.rng.split() });
        }
        let last = limit.simulations.map(|n| self.simulations + n);
        let last_state = limit.states.map(|n| self.states + n);
        let begun = self.simulations;
        let started = Clock::start(limit, stop.clone());
        let shared = Mutex::new(self);
        // Whoever panics in the middle leaves a tree that nobody may read: the others stop, and so does the match.
        let work = |mut worker: Worker<G>| {
            let (clock, whole) = (Clock::start(limit, stop.clone()), Clock::start(rest, stop.clone()));
            let mut waiting: Option<(Descended, End)> = None;
            loop {
                let mut search = take(&shared)?;
                worker.exchange(&mut search);
                let mut goes_on = true;
                if let Some((descended, end)) = waiting.take() {
                    search.under_way -= 1;
                    // What went through a tree that is no more teaches nothing.
                    if descended.lost == search.lost {
                        search.return_visits();
                        goes_on = search.finish(&descended, end);
                    }
                }
                search.go_on_if_lost();
                let settled = search.is_settled()
                    || (search.settings.stop_early && search.cannot_be_caught(rest, &whole, begun));
                let is_over = !goes_on
                    || settled
                    || last.is_some_and(|n| search.simulations + search.under_way >= n)
                    || last_state.is_some_and(|n| search.states >= n)
                    || clock.is_over();
                if is_over {
                    worker.exchange(&mut search);
                    return Some((worker.playout, settled));
                }
                let descended = search.descend(last, &clock);
                if descended.outcome.is_none() {
                    search.begin_playout(last);
                }
                search.under_way += 1;
                search.lend_visits();
                worker.exchange(&mut search);
                drop(search);
                let end = match descended.outcome {
                    Some(outcome) => End::Outcome(outcome),
                    None => {
                        let Worker { scratch: Scratch { state, trace, .. }, playout, rng } = &mut worker;
                        let tree_moves = descended.tree_moves;
                        playout.run(Playing { rules: &rules, state, trace, tree_moves, clock: &clock, rng })
                    }
                };
                waiting = Some((descended, end));
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
                    Ok(Some((playout, settled))) => {
                        goes_on &= !settled;
                        chains.push(playout);
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
