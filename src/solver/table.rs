//! The table of the solver: what has been found out about positions, in bounded memory.

use super::{INFINITE, Numbers};
use crate::types::{Error, Result};

/// The least memory that a table can do with.
pub const LEAST_MEMORY: usize = 1 << 16;

/// Bits of each of the two numbers.
const BITS: u32 = INFINITE.trailing_ones();

/// A key, and packed beside it: proof and disproof number, and above them the effort spent; 0: the place is free.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    rest: u64,
}

impl Entry {
    fn new(key: u64, numbers: Numbers, work: u64) -> Entry {
        let numbers_bits = numbers.proof as u64 | (numbers.disproof as u64) << BITS;
        Entry { key, rest: numbers_bits | effort(work) << (2 * BITS) }
    }

    fn effort(self) -> u64 {
        self.rest >> (2 * BITS)
    }

    fn is_for(self, key: u64) -> bool {
        self.key == key && self.rest != 0
    }

    fn numbers(self) -> Numbers {
        let number = |shift: u32| (self.rest >> shift) as u32 & INFINITE;
        Numbers { proof: number(0), disproof: number(BITS) }
    }
}

/// Work in eight bits: exact below 16, above by its upper four digits, rounded up so that every bit of work counts.
fn effort(work: u64) -> u64 {
    let work = work.max(1);
    if work < 16 {
        return work;
    }
    let shift = work.ilog2() - 3;
    let digits = (work >> shift) + u64::from(work & ((1 << shift) - 1) != 0);
    (shift as u64 * 8 + digits).min(255)
}

/// The most work that has this effort.
fn work(effort: u64) -> u64 {
    if effort < 16 { effort } else { (effort % 8 + 8) << (effort / 8 - 1) }
}

/// Four places for the keys of one stretch: as much as the processor fetches at once.
#[repr(align(64))]
#[derive(Clone, Copy, Default)]
struct Bucket([Entry; 4]);

/// The buckets of the smallest table, at most.
const SMALLEST: usize = 256;
const GROWTH: usize = 4;

/// Grows from small to its bound, then forgets what cost least.
pub struct ProofTable {
    buckets: Vec<Bucket>,
    used: usize,
    most: usize,
}

impl ProofTable {
    /// Keys that are asked for must be mixed well in their upper bits.
    pub fn new(memory: usize) -> Result<ProofTable> {
        if memory < LEAST_MEMORY {
            return Err(Error::new(format!(
                "memory={memory} is too little for the solver: at least {LEAST_MEMORY}"
            )));
        }
        let (mut smallest, mut most) = (memory / size_of::<Bucket>(), 1);
        while smallest > SMALLEST {
            smallest /= GROWTH;
            most *= GROWTH;
        }
        most *= smallest;
        // Room for all of it, so that growing never holds two tables. It is taken from the system only when it is used.
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(most).map_err(|_| {
            Error::new(format!("memory={memory} is too much for the solver: this machine has not as much"))
        })?;
        buckets.resize(smallest, Bucket::default());
        Ok(ProofTable { buckets, used: 0, most })
    }

    pub fn bytes(&self) -> u64 {
        (self.buckets.len() * size_of::<Bucket>()) as u64
    }

    fn place(&self, key: u64) -> usize {
        ((key as u128 * self.buckets.len() as u128) >> 64) as usize
    }

    #[inline]
    pub fn get(&self, key: u64) -> Option<Numbers> {
        let found = self.buckets[self.place(key)].0.iter().find(|entry| entry.is_for(key));
        found.map(|entry| entry.numbers())
    }

    /// Work on a position that the table knows adds to what it has cost.
    pub fn put(&mut self, key: u64, numbers: Numbers, new_work: u64) {
        if self.used * 2 > self.buckets.len() * 4 && self.buckets.len() < self.most {
            self.grow();
        }
        let at = self.place(key);
        let bucket = &mut self.buckets[at].0;
        let known = bucket.iter_mut().find(|entry| entry.is_for(key));
        if let Some(entry) = known {
            *entry = Entry::new(key, numbers, work(entry.effort()) + new_work);
            return;
        }
        let cheapest = bucket.iter_mut().min_by_key(|entry| entry.effort()).expect("a bucket has places");
        self.used += usize::from(cheapest.rest == 0);
        *cheapest = Entry::new(key, numbers, new_work);
    }

    /// A bucket's entries go to the buckets from `GROWTH` times its own number on, which lie behind all that still have
    /// to be emptied: from the last bucket downward, no second table is needed.
    fn grow(&mut self) {
        let old = self.buckets.len();
        self.buckets.resize(old * GROWTH, Bucket::default());
        for at in (0..old).rev() {
            let bucket = std::mem::take(&mut self.buckets[at]);
            for entry in bucket.0.into_iter().filter(|entry| entry.rest != 0) {
                let place = self.place(entry.key);
                let free = self.buckets[place].0.iter_mut().find(|entry| entry.rest == 0);
                *free.expect("four entries came from one bucket") = entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::mix;
    use proptest::prelude::*;

    fn numbers(seed: u64) -> Numbers {
        let number = |seed| mix(seed) as u32 & INFINITE;
        Numbers { proof: number(seed), disproof: number(!seed) }
    }

    #[test]
    fn growing_loses_little_and_keeps_to_its_memory() {
        for memory in [LEAST_MEMORY, 100_000, 1 << 20, 3_000_000] {
            let mut table = ProofTable::new(memory).unwrap();
            // It grows when it is half full: few buckets have overflowed by then.
            let keys = memory as u64 / 16 / 16;
            for key in 0..keys {
                table.put(mix(key), numbers(key), 1);
            }
            let known = (0..keys).filter(|&key| table.get(mix(key)).is_some()).count() as u64;
            assert!(known * 100 >= keys * 95, "{memory}: {known} of {keys}");
            assert!((0..keys).all(|key| table.get(mix(key)).is_none_or(|found| found == numbers(key))));
            for key in keys..40 * keys {
                table.put(mix(key), numbers(key), 1);
            }
            let bytes = table.bytes() as usize;
            assert!(bytes <= memory && bytes * 100 >= memory * 98, "{bytes} of {memory}");
        }
    }

    #[test]
    fn what_cost_much_stays() {
        let mut table = ProofTable::new(LEAST_MEMORY).unwrap();
        for key in 0..40 {
            table.put(mix(key), Numbers::YES, 1000 + key);
        }
        for key in 40..100_000 {
            table.put(mix(key), Numbers::NO, 1 + key % 50);
        }
        assert!((0..40).all(|key| table.get(mix(key)) == Some(Numbers::YES)));
    }

    #[test]
    fn a_memory_beyond_all_machines_is_refused() {
        let message = ProofTable::new(usize::MAX / 2).err().unwrap().to_string();
        assert!(message.ends_with("is too much for the solver: this machine has not as much"), "{message}");
    }

    proptest! {
        #[test]
        fn effort_is_work_in_order_and_never_less(a in 1u64..1 << 33, b in 1u64..1 << 33) {
            prop_assert!(a > b || effort(a) <= effort(b));
            prop_assert!(work(effort(a)) >= a && work(effort(a)) <= a + a / 8);
            prop_assert!(effort(work(effort(a)) + 1) > effort(a));
        }

        #[test]
        fn an_entry_is_read_as_it_was_written(key in any::<u64>(), seed in any::<u64>(), cost in 1u64..1 << 40) {
            let entry = Entry::new(key, numbers(seed), cost);
            prop_assert_eq!(entry.numbers(), numbers(seed));
            prop_assert!(entry.is_for(key) && !entry.is_for(!key));
        }
    }
}
