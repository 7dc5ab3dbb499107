//! Goodley's whistle: who can come closer, which uses of it are legal, listed or drawn one at a time.
//!
//! A *call* is the situation in which the whistle is blown: everybody's place, Goodley's included. Each called
//! character pays the surface distance between start and end, and ends strictly closer to Goodley on a
//! hex that is free at last. Ends need only be free at last, not in any order: if one character ends where
//! another started, the second has come closer still, so the order "closest first" always exists.

use super::board::{GOODLEY, Map, WATSON, bits, nth};
use super::state::State;
use crate::types::Rng;

/// The costs of the characters called, for each shape a packed whistle can have.
const SHAPES: [&[u8]; 7] = [&[], &[1], &[2], &[1, 1], &[3], &[2, 1], &[1, 1, 1]];

/// Points of the whistle.
const POINTS: u8 = 3;

/// What a whistle did: up to three characters with their ends, and Watson's new facing if he is one of them.
/// Characters who pay the same are in ascending order, the one who pays two comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whistle {
    shape: u8,
    movers: [(u8, u8); 3],
    facing: u8,
}

impl Whistle {
    pub const NOBODY: Whistle = Whistle { shape: 0, movers: [(0, 0); 3], facing: 0 };

    pub fn movers(&self) -> &[(u8, u8)] {
        &self.movers[..SHAPES[self.shape as usize].len()]
    }

    /// Watson's new facing, if he was called.
    pub fn facing(&self) -> Option<u8> {
        self.movers().iter().any(|&(character, _)| character as usize == WATSON).then_some(self.facing)
    }

    fn costs(&self) -> impl Iterator<Item = (u8, (u8, u8))> + '_ {
        SHAPES[self.shape as usize].iter().copied().zip(self.movers().iter().copied())
    }

    fn sum(&self) -> u8 {
        SHAPES[self.shape as usize].iter().sum()
    }

    /// 21 bits: the shape, then for each character called his number and the place of his end among the
    /// streets at that distance of his start (at most 4 at one step, 9 beyond), at the top the facing.
    #[inline]
    pub fn pack(&self, map: &Map, state: &State) -> u32 {
        let mut code = self.shape as u32;
        let mut shift = 3;
        for (cost, (character, end)) in self.costs() {
            let ring = map.ring[state.at[character as usize] as usize & 63][cost as usize];
            let rank = (ring & ((1 << end) - 1)).count_ones();
            code |= (character as u32 | rank << 3) << shift;
            shift += if cost == 1 { 5 } else { 7 };
        }
        code | (self.facing as u32) << 18
    }

    /// Reads `pack`; a code that means nothing gives a whistle that is not legal.
    #[inline]
    pub fn unpack(map: &Map, state: &State, code: u32) -> Whistle {
        let shape = (code & 7).min(6) as u8;
        let mut movers = [(0, 0); 3];
        let mut rest = code >> 3;
        for (mover, &cost) in movers.iter_mut().zip(SHAPES[shape as usize]) {
            let width = if cost == 1 { 2 } else { 4 };
            let character = rest & 7;
            let ring = map.ring[state.at[character as usize] as usize & 63][cost as usize];
            let rank = rest >> 3 & ((1 << width) - 1);
            *mover = (character as u8, nth(ring, (rank as usize).min(63)) as u8 & 63);
            rest >>= 3 + width;
        }
        Whistle { shape, movers, facing: (code >> 18 & 7) as u8 }
    }

    /// Whether this is the one way to write what it does: characters who pay the same in ascending order,
    /// nobody twice, a facing only for Watson.
    fn is_canonical(&self) -> bool {
        let costs = SHAPES[self.shape as usize];
        let movers = self.movers();
        let ordered = (1..movers.len()).all(|i| {
            if costs[i - 1] == costs[i] {
                movers[i - 1].0 < movers[i].0
            } else {
                movers[i - 1].0 != movers[i].0
            }
        });
        ordered && self.facing < if self.facing().is_some() { 6 } else { 1 }
    }

    /// Reads `pack`, if the code is one that `pack` writes.
    pub fn read(map: &Map, state: &State, code: u32) -> Option<Whistle> {
        let whistle = Whistle::unpack(map, state, code);
        (whistle.is_canonical() && whistle.pack(map, state) == code).then_some(whistle)
    }

    /// The whistle that brings these characters to these ends, if each is within three steps, in canonical
    /// order.
    pub fn of(map: &Map, state: &State, ends: &[(u8, u8)], facing: u8) -> Option<Whistle> {
        let cost = |&(character, end): &(u8, u8)| {
            map.distance[state.at[character as usize] as usize & 63][end as usize & 63]
        };
        let mut sorted = ends.to_vec();
        sorted.sort_by_key(|mover| (std::cmp::Reverse(cost(mover)), mover.0));
        let costs: Vec<u8> = sorted.iter().map(cost).collect();
        let shape = SHAPES.iter().position(|&shape| shape == costs.as_slice())? as u8;
        let mut movers = [(0, 0); 3];
        movers[..sorted.len()].copy_from_slice(&sorted);
        let whistle = Whistle { shape, movers, facing: 0 };
        let called = whistle.facing().is_some();
        Some(Whistle { facing: if called { facing } else { 0 }, ..whistle })
    }
}

/// A situation in which the whistle is blown.
pub struct Call {
    occupied: u64,
    start: [u8; 8],
    /// By character and cost, 1 to 3: ends that are strictly closer to Goodley.
    ends: [[u64; 4]; 8],
}

/// How many whistles of each shape a call offers before their ends are compared; see [`Call::draw`].
pub struct Weights {
    /// By cost and character.
    each: [[u32; 8]; 4],
    sums: [u32; 4],
    shapes: [u32; 7],
    pub total: u32,
}

impl Call {
    /// The call with Goodley on `from`.
    #[inline]
    pub fn new(map: &Map, state: &State, from: usize) -> Call {
        let mut ends = [[0; 4]; 8];
        let mut occupied = 1u64 << from;
        for character in (0..8).filter(|&character| character != GOODLEY) {
            let at = state.at[character] as usize & 63;
            occupied |= 1 << at;
            let distance = map.distance[from][at] as usize;
            // Nobody else stands on `from` except where Goodley is about to arrive and the call is void.
            let closer = map.ball[from][distance.saturating_sub(1)] & !(1 << from);
            ends[character] = map.ring[at].map(|ring| ring & closer);
        }
        let mut start = state.at;
        start[GOODLEY] = from as u8;
        Call { occupied, start, ends }
    }

    /// The ends free for all but `movers`, and then for each other.
    #[inline]
    fn fits(&self, movers: &[(u8, u8)], forbidden: u64) -> bool {
        let mut taken = self.occupied;
        for &(character, _) in movers {
            taken &= !(1 << self.start[character as usize]);
        }
        taken |= forbidden;
        for &(_, end) in movers {
            if taken >> end & 1 == 1 {
                return false;
            }
            taken |= 1 << end;
        }
        true
    }

    /// Whether everybody called comes closer.
    #[inline]
    fn comes_closer(&self, whistle: &Whistle) -> bool {
        whistle
            .costs()
            .all(|(cost, (character, end))| self.ends[character as usize][cost as usize] >> end & 1 == 1)
    }

    /// Whether somebody alone can use all three points: the quick proof that a sum of three is possible.
    #[inline]
    pub fn is_rich(&self) -> bool {
        let far = self.ends.iter().fold(0, |set, ends| set | ends[3]);
        far & !self.occupied != 0
    }

    /// The largest sum of points that can be used.
    pub fn best(&self) -> u8 {
        if self.is_rich() {
            return POINTS;
        }
        let possible = |sum: u8| {
            let shapes = SHAPES.iter().filter(|shape| shape.iter().sum::<u8>() == sum);
            shapes.into_iter().any(|shape| self.complete(&mut Vec::new(), shape, 0))
        };
        (1..=POINTS).rev().find(|&sum| possible(sum)).unwrap_or(0)
    }

    /// Whether some characters can use `costs` besides `movers`, nobody ending on a forbidden hex.
    fn complete(&self, movers: &mut Vec<(u8, u8)>, costs: &[u8], forbidden: u64) -> bool {
        let Some((&cost, rest)) = costs.split_first() else {
            return self.fits(movers, forbidden);
        };
        for character in 0..8 {
            if movers.iter().any(|&(mover, _)| mover == character) {
                continue;
            }
            for end in bits(self.ends[character as usize][cost as usize]) {
                movers.push((character, end as u8));
                let found = self.complete(movers, rest, forbidden);
                movers.pop();
                if found {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a whistle with one of these sums brings `character` to one of the streets `wanted` while
    /// nobody ends on a forbidden one.
    pub fn can_bring(&self, character: usize, wanted: u64, forbidden: u64, sums: (u8, u8)) -> bool {
        let ends = &self.ends[character];
        let wanted = wanted & !forbidden;
        if sums.1 == POINTS && ends[3] & wanted & !self.occupied != 0 {
            return true;
        }
        let others: [&[&[u8]]; 3] = [&[&[]], &[&[1]], &[&[2], &[1, 1]]];
        (sums.0.max(1)..=sums.1).rev().any(|sum| {
            (1..=sum).any(|cost| {
                bits(ends[cost as usize] & wanted).any(|end| {
                    let mut movers = vec![(character as u8, end as u8)];
                    let shapes = others[(sum - cost) as usize];
                    shapes.iter().any(|costs| self.complete(&mut movers, costs, forbidden))
                })
            })
        })
    }

    /// The sums of points a whistle may have: the largest possible one, or with `loose` any from one on.
    pub fn sums(&self, loose: bool) -> (u8, u8) {
        let best = self.best();
        (if loose { best.min(1) } else { best }, best)
    }

    /// Whether this whistle is one of the call's, `sums` being those allowed.
    pub fn allows(&self, whistle: &Whistle, sums: (u8, u8)) -> bool {
        (sums.0..=sums.1).contains(&whistle.sum())
            && self.comes_closer(whistle)
            && self.fits(whistle.movers(), 0)
    }

    /// Hands every legal whistle to `visit`: by shape, then characters, then ends, then facing.
    pub fn each(&self, sums: (u8, u8), visit: &mut impl FnMut(Whistle)) {
        for (shape, costs) in SHAPES.iter().enumerate() {
            if (sums.0..=sums.1).contains(&costs.iter().sum()) {
                let whistle = Whistle { shape: shape as u8, ..Whistle::NOBODY };
                self.each_of(whistle, costs, 0, visit);
            }
        }
    }

    fn each_of(&self, whistle: Whistle, costs: &[u8], done: usize, visit: &mut impl FnMut(Whistle)) {
        let Some(&cost) = costs.get(done) else {
            if self.fits(whistle.movers(), 0) {
                let facings = if whistle.facing().is_some() { 6 } else { 1 };
                (0..facings).for_each(|facing| visit(Whistle { facing, ..whistle }));
            }
            return;
        };
        // Characters who pay the same are in ascending order, so that a set of them comes once.
        let same = done > 0 && costs[done - 1] == cost;
        let first = if same { whistle.movers[done - 1].0 + 1 } else { 0 };
        for character in first..8 {
            if whistle.movers[..done].iter().any(|&(mover, _)| mover == character) {
                continue;
            }
            for end in bits(self.ends[character as usize][cost as usize]) {
                let mut longer = whistle;
                longer.movers[done] = (character, end as u8);
                self.each_of(longer, costs, done + 1, visit);
            }
        }
    }

    /// Counts what [`Call::draw`] draws from. Six times the number of whistles of a shape, as if ends never
    /// collided, in which whistles of equal costs count once in every order: so each counts six times.
    #[inline]
    pub fn weights(&self, loose: bool) -> Weights {
        let mut each = [[0; 8]; 4];
        let mut sums = [0; 4];
        for cost in 1..=3 {
            for (character, count) in each[cost].iter_mut().enumerate() {
                let facings = if character == WATSON { 6 } else { 1 };
                *count = self.ends[character][cost].count_ones() * facings;
                sums[cost] += *count;
            }
        }
        let [_, one, two, three] = sums;
        let mut shapes = [0, 0, 0, 0, 6 * three, 6 * two * one, one * one * one];
        if loose {
            shapes[1] = 6 * one;
            shapes[2] = 6 * two;
            shapes[3] = 3 * one * one;
        }
        Weights { each, sums, shapes, total: shapes.iter().sum() }
    }

    /// Draws one of the weighted whistles; None if it is not a legal one: then draw again. Legal whistles
    /// come out equally often.
    #[inline]
    pub fn draw(&self, weights: &Weights, rng: &mut Rng) -> Option<Whistle> {
        let mut left = rng.below(weights.total as usize) as u32;
        let mut shape = 1;
        while left >= weights.shapes[shape] {
            left -= weights.shapes[shape];
            shape += 1;
        }
        let mut whistle = Whistle { shape: shape as u8, ..Whistle::NOBODY };
        let costs = SHAPES[shape];
        for (done, &cost) in costs.iter().enumerate() {
            let mut left = rng.below(weights.sums[cost as usize] as usize) as u32;
            let counts = &weights.each[cost as usize];
            let mut character = 0;
            while left >= counts[character] {
                left -= counts[character];
                character += 1;
            }
            if whistle.movers[..done].iter().any(|&(mover, _)| mover as usize == character) {
                return None;
            }
            let ends = self.ends[character][cost as usize];
            if character == WATSON {
                whistle.facing = (left % 6) as u8;
                left /= 6;
            }
            whistle.movers[done] = (character as u8, nth(ends, left as usize) as u8);
        }
        if !self.fits(whistle.movers(), 0) {
            return None;
        }
        if costs.len() > 1 && costs[0] == costs[1] {
            whistle.movers[..costs.len()].sort_unstable();
        }
        Some(whistle)
    }
}
