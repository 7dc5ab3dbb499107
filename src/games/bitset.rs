//! Words whose bits are cells: 64 bits where the board fits, 128 where it does not, and the drawing of one set bit
//! by its number, with the processor's own instructions where it has them.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXorAssign, Not, Shl, Shr};

use crate::game::{Game, Rules, Trace, scan_with};
use crate::types::{Move, Outcome, Rng, Side};

/// A set of cells.
pub trait Word:
    Copy
    + Debug
    + PartialEq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
{
    const NONE: Self;

    /// The low bits of a wide word. Those that are cut off must not be set.
    fn narrow(wide: u128) -> Self;
    fn widen(self) -> u128;
    fn bit(place: u32) -> Self;
    fn count(self) -> u32;
    fn lowest(self) -> u32;
    /// Whether more than one bit is set.
    fn is_many(self) -> bool;
    /// The place of the k-th set bit, counted from 0; `k` must be below the number of set bits.
    fn nth<S: Select>(self, k: u32) -> u32;
}

/// What both widths have in common; `$nth` differs.
macro_rules! word {
    ($type:ty, $nth:expr) => {
        impl Word for $type {
            const NONE: $type = 0;

            #[inline]
            fn narrow(wide: u128) -> $type {
                debug_assert!(wide as $type as u128 == wide, "{wide:#x} is too wide a word");
                wide as $type
            }

            #[inline]
            fn widen(self) -> u128 {
                self as u128
            }

            #[inline]
            fn bit(place: u32) -> $type {
                1 << (place & (<$type>::BITS - 1))
            }

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline]
            fn is_many(self) -> bool {
                self & self.wrapping_sub(1) != 0
            }

            #[inline]
            fn nth<S: Select>(self, k: u32) -> u32 {
                $nth(self, k, S::nth)
            }
        }
    };
}

word!(u64, |word, k, nth: fn(u64, u32) -> u32| nth(word, k));
word!(u128, |word: u128, k, nth: fn(u64, u32) -> u32| {
    let low = (word as u64).count_ones();
    if k < low { nth(word as u64, k) } else { 64 + nth((word >> 64) as u64, k - low) }
});

/// How the k-th set bit is found.
pub trait Select {
    fn nth(word: u64, k: u32) -> u32;
}

/// With arithmetic that every processor has.
pub struct Plain;

impl Select for Plain {
    #[inline]
    fn nth(word: u64, k: u32) -> u32 {
        nth_in_word(word, k)
    }
}

/// With the instruction `pdep`. Only code that [`has_deposit`] has let through may use it. Without it, searches take up to
/// 1.47 times the instructions (bench/inlining.txt).
#[cfg(target_arch = "x86_64")]
pub struct Deposit;

#[cfg(target_arch = "x86_64")]
impl Select for Deposit {
    #[inline]
    fn nth(word: u64, k: u32) -> u32 {
        if cfg!(feature = "checked") {
            assert!(has_deposit(), "this processor has no pdep");
        }
        // SAFETY: the processor has the instruction: this type is used only where `has_deposit` says so.
        let place = unsafe { std::arch::x86_64::_pdep_u64(1 << k, word) }.trailing_zeros();
        if cfg!(feature = "checked") {
            assert_eq!(place, nth_in_word(word, k), "bit {k} of {word:#x}");
        }
        place
    }
}

/// Whether the processor counts and deposits bits in one instruction each.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn has_deposit() -> bool {
    is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt")
}

/// The numbers of the set bits, upward.
#[inline]
pub fn bits(word: u128) -> impl Iterator<Item = u32> {
    // Half by half: the boards that are searched most have nothing in the upper one.
    let (mut half, mut upper, mut offset) = (word as u64, (word >> 64) as u64, 0);
    std::iter::from_fn(move || {
        if half == 0 {
            (half, upper, offset) = (upper, 0, 64);
        }
        let bit = half.trailing_zeros();
        (half != 0).then(|| {
            half &= half - 1;
            offset + bit
        })
    })
}

/// The place of the k-th set bit of every byte, at `k * 256 + byte`.
const NTH_IN_BYTE: [u8; 2048] = {
    let mut table = [0; 2048];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut k) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[k * 256 + byte] = bit as u8;
                k += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

const ONES: u64 = 0x0101_0101_0101_0101;

/// In byte i, the set bits of the bytes 0..=i.
#[inline]
fn running_counts(word: u64) -> u64 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    ((nibbles + (nibbles >> 4)) & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(ONES)
}

/// The place of the k-th set bit, without a loop whose length depends on chance.
///
/// Vigna, "Broadword implementation of rank/select queries" (2008), algorithm 2.
#[inline]
fn nth_in_word(word: u64, k: u32) -> u32 {
    let counts = running_counts(word);
    const HIGH: u64 = ONES << 7;
    // The high bit of a byte stays set where the running count does not exceed k.
    let not_beyond = ((k as u64 * ONES) | HIGH) - counts;
    let shift = (((not_beyond & HIGH) >> 7).wrapping_mul(ONES) >> 56) as u32 * 8;
    let before = (counts << 8 >> shift) as u8 as u32;
    let byte = (word >> (shift & 63)) as u8 as usize;
    shift + NTH_IN_BYTE[(k - before) as usize % 8 * 256 + byte] as u32
}

/// The words and instructions that suit a board and this processor best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// The board fits a word of 64 bits.
    narrow: bool,
    /// The processor has `pdep`. Private, and set by `has_deposit` alone: unsafe code relies on it.
    deposit: bool,
}

impl Words {
    pub fn of_board(bits: usize) -> Words {
        #[cfg(target_arch = "x86_64")]
        let deposit = has_deposit();
        #[cfg(not(target_arch = "x86_64"))]
        let deposit = false;
        Words { narrow: bits <= 64, deposit }
    }
}

/// Where a playout begins: a state, and a legal move to make there first.
pub type Start<'a, G> = (&'a <G as Rules>::State, Option<Move>);

/// A game on words whose playout is written once for every kind of word.
pub trait WordGame: Game {
    fn words(&self) -> Words;
    /// The outcome of a game that goes on from `from` with the move given, if any, and then with uniformly random ones. Its
    /// last state goes into `last`, if it is given.
    fn playout<W: Word, S: Select>(
        &self,
        from: Start<Self>,
        last: Option<&mut Self::State>,
        rng: &mut Rng,
        trace: &mut impl Record,
    ) -> Outcome;
}

/// Who is told of the moves of a playout.
pub trait Record {
    fn push(&mut self, mv: Move, side: Side);
}

impl Record for Trace {
    #[inline]
    fn push(&mut self, mv: Move, side: Side) {
        Trace::push(self, mv, side);
    }
}

/// Only how many they were.
struct Count(u64);

impl Record for Count {
    #[inline]
    fn push(&mut self, _mv: Move, _side: Side) {
        self.0 += 1;
    }
}

/// The playout on the words and with the instructions that suit board and processor best. All give the same moves.
#[inline]
pub fn playout<G: WordGame>(
    game: &G,
    from: Start<G>,
    last: Option<&mut G::State>,
    rng: &mut Rng,
    trace: &mut Trace,
) -> Outcome {
    let words = game.words();
    #[cfg(target_arch = "x86_64")]
    if words.deposit {
        // SAFETY: the processor has the instructions that these functions are compiled for.
        return unsafe {
            if words.narrow {
                deposit_narrow(game, from, last, rng, trace)
            } else {
                deposit_wide(game, from, last, rng, trace)
            }
        };
    }
    if words.narrow {
        game.playout::<u64, Plain>(from, last, rng, trace)
    } else {
        game.playout::<u128, Plain>(from, last, rng, trace)
    }
}

/// [`FastPlay::scan`] on words: on those of most boards and processors, all playouts are compiled into one loop, which
/// spares what a call costs.
#[inline]
pub fn scan<G: WordGame>(
    game: &G,
    state: &G::State,
    moves: &mut [Move],
    shuffled: bool,
    rng: &mut Rng,
    judge: impl FnMut(Move, Outcome, u64) -> bool,
) {
    #[cfg(target_arch = "x86_64")]
    if game.words() == (Words { narrow: true, deposit: true }) {
        // SAFETY: the processor has the instructions that this function is compiled for.
        return unsafe { deposit_narrow_scan(game, state, moves, shuffled, rng, judge) };
    }
    let play = |mv, rng: &mut Rng| {
        let mut trace = Trace::default();
        let outcome = playout(game, (state, Some(mv)), None, rng, &mut trace);
        (outcome, trace.states)
    };
    scan_with(moves, shuffled, rng, play, judge);
}

/// # Safety
/// The processor must have the instructions named.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt")]
unsafe fn deposit_narrow_scan<G: WordGame>(
    game: &G,
    state: &G::State,
    moves: &mut [Move],
    shuffled: bool,
    rng: &mut Rng,
    mut judge: impl FnMut(Move, Outcome, u64) -> bool,
) {
    // `scan_with` spelt out: a playout that it is handed would not be compiled into its loop.
    let count = moves.len();
    for i in 0..count {
        if shuffled {
            moves.swap(i, i + rng.below(count - i));
        }
        let (mv, mut states) = (moves[i], Count(0));
        let outcome = game.playout::<u64, Deposit>((state, Some(mv)), None, rng, &mut states);
        if judge(mv, outcome, states.0) {
            break;
        }
    }
}

/// # Safety
/// The processor must have the instructions named.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt")]
unsafe fn deposit_narrow<G: WordGame>(
    game: &G,
    from: Start<G>,
    last: Option<&mut G::State>,
    rng: &mut Rng,
    trace: &mut Trace,
) -> Outcome {
    game.playout::<u64, Deposit>(from, last, rng, trace)
}

/// # Safety
/// The processor must have the instructions named.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt")]
unsafe fn deposit_wide<G: WordGame>(
    game: &G,
    from: Start<G>,
    last: Option<&mut G::State>,
    rng: &mut Rng,
    trace: &mut Trace,
) -> Outcome {
    game.playout::<u128, Deposit>(from, last, rng, trace)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::types::Rng;
    use proptest::prelude::*;

    /// Plays the same game on every kind of word, with every way to select, and move by move: all must be the same game.
    pub fn all_words_play_alike<G: WordGame<State = S>, S: Clone + Debug + PartialEq>(game: &G, seed: u64) {
        let mut rng = Rng::new(seed);
        let start = game.initial_state(&mut rng);
        if game.outcome(&start).is_some() {
            return;
        }
        scans_are_playouts(game, seed);
        let first = game.random_move(&start, &mut rng);
        type Way<'a, S> = &'a dyn Fn(&mut S, &mut Rng, &mut Trace) -> Outcome;
        let play = |way: Way<S>| {
            let (mut rng, mut trace) = (rng.clone(), Trace { wanted: true, ..Trace::default() });
            let mut last = start.clone();
            let outcome = way(&mut last, &mut rng, &mut trace);
            (outcome, last, trace.moves, rng.next_u64())
        };
        for first in [None, Some(first)] {
            let from = (&start, first);
            let stepwise = play(&|last, rng, trace| {
                let mut next = first;
                while game.outcome(last).is_none() {
                    let mv = next.take().unwrap_or_else(|| game.random_move(last, rng));
                    trace.push(mv, game.side_to_move(last));
                    game.play(last, mv);
                }
                game.outcome(last).unwrap()
            });
            assert_eq!(play(&|last, rng, trace| playout(game, from, Some(last), rng, trace)), stepwise);
            assert_eq!(
                play(&|last, rng, trace| game.playout::<u128, Plain>(from, Some(last), rng, trace)),
                stepwise
            );
            if game.words().narrow {
                assert_eq!(
                    play(&|last, rng, trace| game.playout::<u64, Plain>(from, Some(last), rng, trace)),
                    stepwise
                );
            }
            #[cfg(target_arch = "x86_64")]
            if has_deposit() {
                // SAFETY: asked for in the line above.
                let wide =
                    play(&|last, rng, trace| unsafe { deposit_wide(game, from, Some(last), rng, trace) });
                assert_eq!(wide, stepwise);
            }
        }
    }

    /// Scans the start of a game, in either order and to the end or not: the playouts must be those of its moves one
    /// after the other.
    fn scans_are_playouts<G: WordGame>(game: &G, seed: u64) {
        let mut rng = Rng::new(seed);
        let start = game.initial_state(&mut rng);
        let mut moves = Vec::new();
        game.legal_moves(&start, &mut moves);
        for (shuffled, most) in [(false, usize::MAX), (true, usize::MAX), (true, 2)] {
            let (mut scanned, mut expected) = (moves.clone(), moves.clone());
            let (mut one, mut other) = (rng.clone(), rng.clone());
            let (mut told, mut played) = (Vec::new(), Vec::new());
            game.scan(&start, &mut scanned, shuffled, &mut start.clone(), &mut one, |mv, outcome, states| {
                told.push((mv, outcome, states));
                told.len() >= most
            });
            for i in 0..moves.len().min(most) {
                if shuffled {
                    expected.swap(i, i + other.below(moves.len() - i));
                }
                let mut trace = Trace::default();
                let from = (&start, Some(expected[i]));
                let outcome = game.playout::<u128, Plain>(from, None, &mut other, &mut trace);
                played.push((expected[i], outcome, trace.states));
            }
            assert_eq!((told, scanned, one.next_u64()), (played, expected, other.next_u64()));
        }
    }

    proptest! {
        #[test]
        fn the_nth_bit_is_the_nth_of_all(a in any::<u128>(), b in any::<u128>(), sparse in any::<bool>()) {
            let word = if sparse { a & b } else { a };
            for (k, bit) in bits(word).enumerate() {
                prop_assert_eq!(word.nth::<Plain>(k as u32), bit);
                #[cfg(target_arch = "x86_64")]
                if has_deposit() {
                    prop_assert_eq!(word.nth::<Deposit>(k as u32), bit);
                }
            }
            prop_assert_eq!(bits(word).count() as u32, word.count());
        }
    }

    #[test]
    fn full_words_have_every_bit() {
        assert!((0..128).all(|k| u128::MAX.nth::<Plain>(k) == k));
        assert!((0..64).all(|k| u64::MAX.nth::<Plain>(k) == k));
    }
}
