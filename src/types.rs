//! The plain values that everything else speaks in: sides, moves, outcomes, limits, errors, chance.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Who moves. A *side* is a seat in the game; a *player* is who decides for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Side {
    First = 0,
    Second = 1,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    pub fn name(self) -> &'static str {
        match self {
            Side::First => "first",
            Side::Second => "second",
        }
    }

    pub fn parse(text: &str) -> Result<Side> {
        match text {
            "first" => Ok(Side::First),
            "second" => Ok(Side::Second),
            _ => Err(Error::new(format!("unknown side '{text}': first, second"))),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A move, packed by its game. Equal numbers are equal moves in the same state; nothing else is promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(pub u32);

/// How a finished game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Win(Side),
    Draw,
}

impl Outcome {
    /// Points for `side`: win 1, draw 1/2, loss 0.
    #[inline]
    pub fn score(self, side: Side) -> f32 {
        match self {
            Outcome::Win(winner) => (winner == side) as u8 as f32,
            Outcome::Draw => 0.5,
        }
    }

    pub fn winner(self) -> Option<Side> {
        match self {
            Outcome::Win(side) => Some(side),
            Outcome::Draw => None,
        }
    }

    /// The same end under the misère rule: who has won has lost.
    #[inline]
    pub fn exchanged(self) -> Outcome {
        match self {
            Outcome::Win(side) => Outcome::Win(side.other()),
            Outcome::Draw => Outcome::Draw,
        }
    }
}

/// What kind of error it is. Code decides by the kind, never by the message, which is for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// What was asked for is not allowed; the message says what is.
    Refused,
    /// A player from elsewhere has lost the game without a move: it crashed, fell silent, resigned.
    Forfeit,
    /// A game or policy from outside the core has failed; its author can mend it.
    Guest,
    /// A bug of the core.
    Internal,
}

/// One error type for everything that can go wrong. The message says what, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
    kind: ErrorKind,
}

impl Error {
    /// A refusal: by far most errors are one.
    pub fn new(message: impl Into<String>) -> Error {
        Error::of(ErrorKind::Refused, message)
    }

    pub fn of(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { message: message.into(), kind }
    }

    pub fn forfeit(reason: impl Into<String>) -> Error {
        Error::of(ErrorKind::Forfeit, reason)
    }

    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The same words as a failure of the guest that they come from. A bug of the core that a guest met stays one.
    pub fn of_guest(self) -> Error {
        let kind = if self.kind == ErrorKind::Internal { self.kind } else { ErrorKind::Guest };
        Error { kind, ..self }
    }

    /// The same error, seen from one level further out.
    pub fn within(self, place: impl fmt::Display) -> Error {
        Error { message: format!("{place}: {}", self.message), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// When a search stops: at the first bound it reaches. No bound at all means "until stopped".
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limit {
    pub simulations: Option<u64>,
    /// States visited: one per move played inside the search, in the tree or in a playout. A simulation in which they
    /// are used up is abandoned: its states count, and nothing is learnt from it.
    pub states: Option<u64>,
    pub seconds: Option<f64>,
    /// CPU seconds of the searching thread.
    pub cpu_seconds: Option<f64>,
}

impl Limit {
    pub fn simulations(n: u64) -> Limit {
        Limit { simulations: Some(n), ..Limit::default() }
    }

    pub fn is_unbounded(&self) -> bool {
        *self == Limit::default()
    }
}

/// A running limit: says when a search has to stop. Reading the time costs a system call when it is limited, so
/// the search asks between simulations and long playouts ask now and then. States are counted one by one: a limit
/// of them is never exceeded.
#[derive(Debug)]
pub struct Clock {
    started: Instant,
    started_cpu: f64,
    seconds: Option<f64>,
    cpu_seconds: Option<f64>,
    /// Set from outside to end the search now.
    stop: Arc<AtomicBool>,
    /// States that may still be visited.
    states: Cell<u64>,
    /// What is left of a limit of states on which several threads draw.
    common: Option<Arc<AtomicU64>>,
}

/// The number of states that stands for no limit.
const ENDLESS: u64 = u64::MAX;

/// How many states a thread takes at least from what several have in common.
const HANDFUL: u64 = 64;

impl Clock {
    pub fn start(limit: &Limit, stop: Arc<AtomicBool>) -> Clock {
        let started_cpu = if limit.cpu_seconds.is_some() { thread_cpu_seconds() } else { 0.0 };
        Clock {
            started: Instant::now(),
            started_cpu,
            seconds: limit.seconds,
            cpu_seconds: limit.cpu_seconds,
            stop,
            states: Cell::new(limit.states.unwrap_or(ENDLESS)),
            common: None,
        }
    }

    /// The clock of one of several threads that visit the states of one limit together: `common` are left.
    pub fn start_one_of_many(limit: &Limit, stop: Arc<AtomicBool>, common: &Arc<AtomicU64>) -> Clock {
        let clock = Clock::start(&Limit { states: limit.states.map(|_| 0), ..*limit }, stop);
        Clock { common: limit.states.map(|_| common.clone()), ..clock }
    }

    /// Whether so many states may still be visited; None: it is unknown how many it will be.
    #[inline]
    pub fn may_visit(&self, states: Option<u64>) -> bool {
        if self.states.get() == ENDLESS {
            return true;
        }
        let Some(states) = states else { return false };
        if self.states.get() < states {
            self.take_from_common(states - self.states.get());
        }
        self.states.get() >= states
    }

    /// Counts states as visited; false, and none is counted, if so many are not left.
    #[inline]
    pub fn visit(&self, states: u64) -> bool {
        if self.states.get() == ENDLESS {
            return true;
        }
        let may = self.may_visit(Some(states));
        if may {
            self.states.set(self.states.get() - states);
        }
        may
    }

    /// Whether the limit of states is used up.
    pub fn is_spent(&self) -> bool {
        !self.may_visit(Some(1))
    }

    fn take_from_common(&self, missing: u64) {
        let Some(common) = &self.common else { return };
        let wanted = missing.max(HANDFUL);
        let left = common
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(wanted)));
        let (Ok(left) | Err(left)) = left;
        self.states.set(self.states.get() + left.min(wanted));
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn is_timed(&self) -> bool {
        self.seconds.is_some() || self.cpu_seconds.is_some()
    }

    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// What is left of the time, and the time that has passed, both in the unit of the limit; None without one.
    pub fn left(&self) -> Option<(f64, f64)> {
        let wall = self.seconds.map(|seconds| (seconds - self.elapsed(), self.elapsed()));
        let cpu = self.cpu_seconds.map(|seconds| {
            let used = thread_cpu_seconds() - self.started_cpu;
            (seconds - used, used)
        });
        wall.into_iter().chain(cpu).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Whether the time is over or the stop flag is set.
    pub fn is_over(&self) -> bool {
        self.is_stopped()
            || self.seconds.is_some_and(|s| self.elapsed() >= s)
            || self.cpu_seconds.is_some_and(|s| thread_cpu_seconds() - self.started_cpu >= s)
    }
}

/// CPU seconds this thread has used.
pub fn thread_cpu_seconds() -> f64 {
    #[cfg(unix)]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: clock_gettime only writes to the timespec it is given.
        let code = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        if code == 0 {
            return time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9;
        }
    }
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// The one source of chance: a small, fast generator (wyrand) whose streams are named by numbers.
///
/// A stream depends on its names alone, never on timing or on another stream.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

/// One round of splitmix64: every input bit reaches every output bit.
pub fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng { state: mix(seed) }
    }

    /// The stream with these names, e.g. (seed, game index, ply, side).
    pub fn stream(names: &[u64]) -> Rng {
        let mut state = 0x2545_F491_4F6C_DD1D;
        for &name in names {
            state = mix(state ^ mix(name));
        }
        Rng { state }
    }

    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0xA076_1D64_78BD_642F);
        let product = (self.state as u128).wrapping_mul((self.state ^ 0xE703_7ED1_A0B4_28DB) as u128);
        (product >> 64) as u64 ^ product as u64
    }

    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// Uniform in 0..n by multiply-shift; the bias is below n / 2^32.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        debug_assert!(n > 0 && n <= u32::MAX as usize);
        ((self.next_u32() as u64 * n as u64) >> 32) as usize
    }

    /// Uniform in [0, 1), 24 bits.
    #[inline]
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 * (1.0 / (1u32 << 24) as f32)
    }

    /// True with probability p.
    #[inline]
    pub fn chance(&mut self, p: f32) -> bool {
        self.unit() < p
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// A new stream drawn from this one.
    pub fn split(&mut self) -> Rng {
        Rng { state: mix(self.next_u64()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_kind_at_every_level() {
        let kinds = [ErrorKind::Refused, ErrorKind::Forfeit, ErrorKind::Guest, ErrorKind::Internal];
        for kind in kinds {
            let error = Error::of(kind, "it fell").within("game 7");
            assert_eq!((error.kind(), error.to_string().as_str()), (kind, "game 7: it fell"));
            let met = if kind == ErrorKind::Internal { kind } else { ErrorKind::Guest };
            assert_eq!(error.clone().of_guest(), Error::of(met, "game 7: it fell"));
        }
        assert_eq!(Error::new("no").kind(), ErrorKind::Refused);
        assert_eq!(Error::forfeit("no").kind(), ErrorKind::Forfeit);
    }

    #[test]
    fn streams_depend_on_every_name() {
        let a = Rng::stream(&[1, 2, 3]).next_u64();
        assert_eq!(a, Rng::stream(&[1, 2, 3]).next_u64());
        for other in [[0, 2, 3], [1, 0, 3], [1, 2, 0], [2, 1, 3]] {
            assert_ne!(a, Rng::stream(&other).next_u64());
        }
    }

    #[test]
    fn states_are_visited_up_to_the_limit() {
        let limit = Limit { states: Some(10), ..Limit::default() };
        let clock = Clock::start(&limit, Default::default());
        assert!(clock.visit(7) && !clock.visit(4) && clock.may_visit(Some(3)));
        assert!(!clock.may_visit(None), "nobody knows how many");
        assert!(clock.visit(3) && clock.is_spent());
        let endless = Clock::start(&Limit::default(), Default::default());
        assert!(endless.visit(u64::MAX - 1) && endless.visit(2) && endless.may_visit(None));
    }

    #[test]
    fn threads_share_the_states_of_one_limit() {
        let limit = Limit { states: Some(1000), ..Limit::default() };
        let common = Arc::new(AtomicU64::new(1000));
        let visited = || {
            let clock = Clock::start_one_of_many(&limit, Default::default(), &common);
            std::iter::repeat(()).take_while(|()| clock.visit(1)).count()
        };
        let (one, other) = std::thread::scope(|scope| {
            let (one, other) = (scope.spawn(visited), scope.spawn(visited));
            (one.join().unwrap(), other.join().unwrap())
        });
        assert_eq!(one + other, 1000);
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = Rng::new(1);
        let mut seen = [0u32; 7];
        for _ in 0..70_000 {
            seen[rng.below(7)] += 1;
        }
        // 10,000 expected, standard deviation 93: five of them on either side.
        assert!(seen.iter().all(|&n| (9_535..10_465).contains(&n)), "{seen:?}");
    }

    #[test]
    fn scores_of_both_sides_add_to_one() {
        for outcome in [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw] {
            assert_eq!(outcome.score(Side::First) + outcome.score(Side::Second), 1.0);
            assert_eq!(outcome.exchanged().exchanged(), outcome);
        }
    }
}
