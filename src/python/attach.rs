//! Threads of the core that call Python keep what the interpreter knows of them from the first call to their end.
//!
//! A thread that Python did not start has no thread state. `Python::attach` makes one and takes it away again, at every
//! call of a guest, with pages of memory mapped and unmapped each time; that cost more than the calls themselves.
//!
//! At the end of the program such threads must be gone before the interpreter is: one that asks for its lock later never
//! comes back, and a thread that waits for it waits forever.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCFunction;

use crate::types::{Error, ErrorKind, Result};

/// How long the end of the program waits for calls of guests that are under way.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether the program is ending.
static ENDING: AtomicBool = AtomicBool::new(false);

/// How many threads have a state of ours.
static VISITORS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static STATE: ThreadState = ThreadState::new();
}

/// What the interpreter knows of this thread. Between calls it does not hold the interpreter's lock.
enum ThreadState {
    /// Python started the thread and keeps its state.
    Theirs,
    Ours,
    /// The thread first asked when the program was ending.
    Late,
}

impl ThreadState {
    fn new() -> ThreadState {
        // SAFETY: asks only; the module that calls this was loaded by an interpreter, so there is one.
        if !unsafe { ffi::PyGILState_GetThisThreadState() }.is_null() {
            return ThreadState::Theirs;
        }
        VISITORS.fetch_add(1, Ordering::SeqCst);
        if ENDING.load(Ordering::SeqCst) {
            VISITORS.fetch_sub(1, Ordering::SeqCst);
            return ThreadState::Late;
        }
        // SAFETY: a thread without a state is not attached, so it may ask for one. `PyGILState_Ensure` leaves it
        // attached, as `PyEval_SaveThread` needs, which gives the lock back and leaves the state, counted once, until
        // `drop`. The end of the program waits for VISITORS, so the interpreter is there.
        unsafe {
            ffi::PyGILState_Ensure();
            ffi::PyEval_SaveThread();
        }
        ThreadState::Ours
    }
}

impl Drop for ThreadState {
    fn drop(&mut self) {
        if !matches!(self, ThreadState::Ours) {
            return;
        }
        // At the end of the program the interpreter takes all states with it.
        if !ENDING.load(Ordering::SeqCst) {
            // SAFETY: this gives back the count that `new` took. The thread is attached and stays so, because
            // `try_attach` has counted once more; its own count is the last one, with which the state goes.
            Python::try_attach(|_| unsafe {
                ffi::PyGILState_Release(ffi::PyGILState_STATE::PyGILState_LOCKED);
            });
        }
        VISITORS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Calls Python from whatever thread this is. Only the call itself holds the interpreter's lock.
pub fn attached<T>(work: impl FnOnce(Python<'_>) -> Result<T>) -> Result<T> {
    // A thread whose state is gone is at its very end.
    let may_call = STATE.try_with(|state| match state {
        ThreadState::Theirs => true,
        ThreadState::Ours => !ENDING.load(Ordering::SeqCst),
        ThreadState::Late => false,
    });
    match may_call {
        Ok(true) => Python::attach(work),
        _ => Err(Error::of(ErrorKind::Guest, "the program is ending")),
    }
}

/// Has the end of the program wait until no thread of the core calls Python any more.
pub fn watch_the_end(py: Python<'_>) -> PyResult<()> {
    let end = PyCFunction::new_closure(py, None, None, |args, _| {
        ENDING.store(true, Ordering::SeqCst);
        args.py().detach(|| {
            let begun = Instant::now();
            while VISITORS.load(Ordering::SeqCst) > 0 && begun.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(1));
            }
        });
    })?;
    py.import("atexit")?.call_method1("register", (end,)).map(|_| ())
}
