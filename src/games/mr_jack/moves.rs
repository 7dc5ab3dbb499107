//! The decisions of Mr Jack: how they are packed, listed in stages, and played.
//!
//! A decision is a character (the card), a *destination* and a *use* of the power. It is packed as
//! `power << 10 | character << 7 | destination`. Destinations: streets 0..60, exits 60..64, `SWAP` (Gull changes places),
//! then the accusation of each character. Power 0 is none; otherwise, by character:
//! - Watson: 1 + facing
//! - Smith: 1 + 8 * (gaslight left) + gaslight lit
//! - Lestrade: 1 + 4 * (exit left) + exit closed
//! - Bert: 1 + 81 * (used first) + 9 * (manhole opened) + manhole covered
//! - Gull: 1 + 6 * partner + Watson's facing (0 for other partners)
//! - Goodley: (used first) + 2 * whistle, see [`Whistle::pack`]
//!
//! Decisions that lead to the same position are one: a power comes after the move unless it must come first.
//! A decision that ends the game uses the power only where it must; an activated character who can go to no
//! free street stays where he is and uses his power there.

mod drawn;

use super::MrJack;
use super::board::*;
use super::state::{DETECTIVE, End, JACK, State};
use super::whistle::{Call, Whistle};
use crate::types::Move;

/// Gull's destination when he changes places instead of moving.
pub const SWAP: usize = 64;
/// The accusation of the character with number 0.
pub const ACCUSE: usize = 65;
pub const DESTINATIONS: usize = ACCUSE + 8;
/// All eight characters, where those who may be accused are asked for.
pub const EVERYBODY: u8 = 0xFF;

const STREET_BITS: u128 = (1 << STREETS) - 1;
const ACCUSE_BITS: u128 = 0xFF << ACCUSE;

#[inline]
pub fn pack(character: usize, destination: usize, power: u32) -> Move {
    Move(power << 10 | (character as u32) << 7 | destination as u32)
}

#[inline]
pub fn character_of(mv: Move) -> usize {
    (mv.0 >> 7 & 7) as usize
}

#[inline]
pub fn destination_of(mv: Move) -> usize {
    (mv.0 & 127) as usize
}

#[inline]
pub fn power_of(mv: Move) -> u32 {
    mv.0 >> 10
}

/// The k-th element of a set of destinations.
#[inline]
fn nth_destination(set: u128, k: usize) -> usize {
    let low = set as u64;
    let count = low.count_ones() as usize;
    if k < count { nth(low, k) } else { 64 + nth((set >> 64) as u64, k - count) }
}

/// The destinations of a set in ascending order.
pub fn destinations_in(set: u128) -> impl Iterator<Item = usize> {
    bits(set as u64).chain(bits((set >> 64) as u64).map(|bit| 64 + bit))
}

/// What a character can reach: `direct` without using a power, `all` with the power used first.
#[derive(Clone, Copy)]
struct Reach {
    /// Streets on which the move may end, occupied ones included.
    direct: u64,
    all: u64,
    /// The exits next to streets one step nearer.
    gates: u8,
    all_gates: u8,
}

impl MrJack {
    /// The streets and exits in a character's range when these manholes are open, cordons apart.
    #[inline]
    fn range(&self, state: &State, character: usize, open: u64) -> (u64, u8) {
        let at = state.at[character] as usize & 63;
        let escape = self.may_escape(state, character);
        let map = &self.map;
        if character == STEALTHY {
            let gates = if escape { self.gates(map.stride(at, 3, open)) } else { 0 };
            (map.stride(at, 4, open), gates)
        } else {
            let gates = if escape { self.gates(map.walk(at, 2, open)) } else { 0 };
            (map.walk(at, 3, open), gates)
        }
    }

    #[inline]
    fn reach(&self, state: &State, character: usize) -> Reach {
        let open = self.open(state);
        let (direct, gates) = self.range(state, character, open);
        let free_gates = gates & !state.cordons;
        let mut reach = Reach { direct, all: direct, gates: free_gates, all_gates: free_gates };
        if character == LESTRADE {
            // He lifts the cordon before he leaves.
            reach.all_gates = gates;
        } else if character == BERT {
            for opened in bits(state.covers) {
                for covered in bits(open) {
                    let (streets, gates) = self.range(state, BERT, open & !(1 << covered) | 1 << opened);
                    reach.all |= streets;
                    reach.all_gates |= gates & !state.cordons;
                }
            }
        }
        reach
    }

    /// The destinations of a card in hand, as a set. The detective may accuse those in `accusable`: everybody by
    /// the rules; his suspects are enough for who thinks.
    #[inline]
    pub fn destinations(&self, state: &State, character: usize, accusable: u8) -> u128 {
        let reach = self.reach(state, character);
        let occupied = state.occupied();
        let accusable = if state.side() == DETECTIVE { accusable & !(1 << character) } else { 0 };
        let mut set = (reach.all & !occupied) as u128;
        let mut accused = 0u8;
        for other in bits(accusable as u64) {
            accused |= ((reach.all >> state.at[other] & 1) as u8) << other;
        }
        if character == GOODLEY {
            let call = Call::new(&self.map, state, state.at[GOODLEY] as usize);
            let sums = call.sums(self.loose);
            for other in (0..8).filter(|&other| other != GOODLEY) {
                let at = 1u64 << state.at[other];
                // A whistle can clear a hex for him, or bring somebody within his reach.
                if reach.direct & at != 0 {
                    set |= if call.can_bring(other, !0, at, sums) { at as u128 } else { 0 };
                } else if accusable >> other & 1 == 1 && call.can_bring(other, reach.direct, 0, sums) {
                    accused |= 1 << other;
                }
            }
        }
        if set == 0 {
            set = 1 << state.at[character];
        }
        set |= (reach.all_gates as u128) << FIRST_EXIT;
        if character == GULL && !self.gull_and {
            set |= 1 << SWAP;
        }
        set | (accused as u128) << ACCUSE
    }

    /// All keys (a card and one of its destinations, numbered as slots) of the side to move; nothing
    /// is enumerated beyond them. Accusations as in [`MrJack::destinations`].
    pub fn keys(&self, state: &State, accusable: u8, keys: &mut Vec<usize>) {
        if state.end != End::None {
            return;
        }
        for character in bits(state.hand as u64) {
            for destination in destinations_in(self.destinations(state, character, accusable)) {
                keys.push(character * DESTINATIONS + destination);
            }
        }
    }

    /// The decisions of one key, appended in a fixed order; none if the key is not one of the state's.
    pub fn uses(&self, state: &State, character: usize, destination: usize, moves: &mut Vec<Move>) {
        let known = state.end == End::None
            && state.hand >> character & 1 == 1
            && self.destinations(state, character, EVERYBODY) >> destination & 1 == 1;
        if known {
            self.uses_of_key(state, character, destination, moves);
        }
    }

    pub(super) fn uses_of_key(
        &self,
        state: &State,
        character: usize,
        destination: usize,
        moves: &mut Vec<Move>,
    ) {
        let mut push = |power: u32| moves.push(pack(character, destination, power));
        if destination != SWAP && destination >= STREETS {
            return self.final_uses(state, character, destination, &mut push);
        }
        match character {
            WATSON => (0..6).for_each(|facing| push(1 + facing)),
            SMITH => {
                for lamp in bits(state.lit() as u64) {
                    bits(!state.lit() as u64).for_each(|to| push(1 + (8 * lamp + to) as u32));
                }
            }
            LESTRADE => {
                for from in bits(state.cordons as u64) {
                    bits(!state.cordons as u64 & 15).for_each(|to| push(1 + (4 * from + to) as u32));
                }
            }
            BERT => self.covers(state, destination, &mut push),
            GULL => {
                if destination != SWAP {
                    push(0);
                }
                if destination == SWAP || self.gull_and {
                    (0..8).filter(|&partner| partner != GULL).for_each(|partner| {
                        let facings = if partner == WATSON { 6 } else { 1 };
                        (0..facings).for_each(|facing| push(1 + 6 * partner as u32 + facing));
                    });
                }
            }
            GOODLEY => self.whistles(state, destination, &mut push),
            _ => push(0),
        }
    }

    /// The uses of a key that ends the game: none of the power if that will do, else those that open the way.
    fn final_uses(&self, state: &State, character: usize, destination: usize, push: &mut impl FnMut(u32)) {
        let reach = self.reach(state, character);
        let accused = destination.checked_sub(ACCUSE);
        let direct = match accused {
            Some(accused) => reach.direct >> state.at[accused] & 1 == 1,
            None => reach.gates >> (destination - FIRST_EXIT) & 1 == 1,
        };
        if direct {
            return push(0);
        }
        match (character, accused) {
            (LESTRADE, _) => {
                let lifted = destination - FIRST_EXIT;
                bits(!state.cordons as u64 & 15).for_each(|to| push(1 + (4 * lifted + to) as u32));
            }
            (GOODLEY, Some(accused)) => {
                let call = Call::new(&self.map, state, state.at[GOODLEY] as usize);
                call.each(call.sums(self.loose), &mut |whistle| {
                    let within = |&(character, end): &(u8, u8)| {
                        character as usize == accused && reach.direct >> end & 1 == 1
                    };
                    if whistle.movers().iter().any(within) {
                        push(1 | whistle.pack(&self.map, state) << 1);
                    }
                });
            }
            (BERT, _) => self.covers(state, destination, push),
            _ => {}
        }
    }

    /// Bert's uses for a destination: all of them, afterwards, if he gets there without; else, used first,
    /// those that open the way.
    fn covers(&self, state: &State, destination: usize, push: &mut impl FnMut(u32)) {
        let open = self.open(state);
        let street = match destination.checked_sub(ACCUSE) {
            Some(accused) => state.at[accused] as usize,
            None => destination,
        };
        let arrives = |open: u64| {
            let (streets, gates) = self.range(state, BERT, open);
            let gates = gates & !state.cordons;
            let reached = streets as u128 & STREET_BITS | (gates as u128) << FIRST_EXIT;
            reached >> street & 1 == 1
        };
        // Who can go nowhere stays and needs no manhole for it.
        let first = !arrives(open);
        for opened in bits(state.covers) {
            for covered in bits(open) {
                if !first || arrives(open & !(1 << covered) | 1 << opened) {
                    push(1 + self.cover_code(first, opened, covered));
                }
            }
        }
    }

    pub(super) fn cover_code(&self, first: bool, opened: usize, covered: usize) -> u32 {
        let place = |street: usize| (self.map.manholes & ((1 << street) - 1)).count_ones();
        81 * first as u32 + 9 * place(opened) + place(covered)
    }

    /// The calls in which Goodley can blow the whistle on the way to a street: there, if he gets there
    /// without it, and here.
    #[inline]
    fn calls(&self, state: &State, destination: usize) -> (Option<Call>, Option<Call>) {
        let here = state.at[GOODLEY] as usize;
        let free = destination == here || state.occupied() >> destination & 1 == 0;
        let there = free.then(|| Call::new(&self.map, state, destination));
        let before = (destination != here).then(|| Call::new(&self.map, state, here));
        (there, before)
    }

    /// Whether a whistle blown here leaves the destination free.
    #[inline]
    fn leaves_free(&self, state: &State, whistle: &Whistle, destination: usize) -> bool {
        let mut taken = state.occupied();
        for &(character, _) in whistle.movers() {
            taken &= !(1 << state.at[character as usize]);
        }
        for &(_, end) in whistle.movers() {
            taken |= 1 << end;
        }
        taken >> destination & 1 == 0
    }

    /// Goodley's uses for a street.
    fn whistles(&self, state: &State, destination: usize, push: &mut impl FnMut(u32)) {
        let (there, before) = self.calls(state, destination);
        let there = there.map(|call| (call.sums(self.loose), call));
        if let Some((sums, call)) = &there {
            call.each(*sums, &mut |whistle| push(whistle.pack(&self.map, state) << 1));
        }
        if let Some(call) = before {
            call.each(call.sums(self.loose), &mut |whistle| {
                let twice = there.as_ref().is_some_and(|(sums, call)| call.allows(&whistle, *sums));
                if !twice && self.leaves_free(state, &whistle, destination) {
                    push(1 | whistle.pack(&self.map, state) << 1);
                }
            });
        }
    }

    /// Whether a decision is among the uses of its key, without listing Goodley's.
    pub(super) fn is_decision(&self, state: &State, mv: Move) -> bool {
        let (character, destination, power) = (character_of(mv), destination_of(mv), power_of(mv));
        if destination >= DESTINATIONS || state.end != End::None || state.hand >> character & 1 == 0 {
            return false;
        }
        if character == GOODLEY && power != 0 {
            return self.is_whistle(state, destination, power);
        }
        let mut moves = Vec::new();
        self.uses(state, character, destination, &mut moves);
        moves.contains(&mv)
    }

    fn is_whistle(&self, state: &State, destination: usize, power: u32) -> bool {
        let Some(whistle) = Whistle::read(&self.map, state, power >> 1) else { return false };
        let (first, here) = (power & 1 == 1, state.at[GOODLEY] as usize);
        let reach = self.reach(state, GOODLEY).direct;
        let allows = |call: &Call| call.allows(&whistle, call.sums(self.loose));
        if destination >= STREETS {
            let Some(accused) = destination.checked_sub(ACCUSE) else { return false };
            let met = |&(character, end): &(u8, u8)| character as usize == accused && reach >> end & 1 == 1;
            return first
                && state.side() == DETECTIVE
                && reach >> state.at[accused] & 1 == 0
                && whistle.movers().iter().any(met)
                && allows(&Call::new(&self.map, state, here));
        }
        let stays = || self.destinations(state, GOODLEY, 0) >> here & 1 == 1;
        if reach >> destination & 1 == 0 || destination == here && !stays() {
            return false;
        }
        let (there, before) = self.calls(state, destination);
        let later = there.is_some_and(|call| allows(&call));
        if !first {
            return later;
        }
        !later && self.leaves_free(state, &whistle, destination) && before.is_some_and(|call| allows(&call))
    }

    /// Plays a decision, then whatever follows from it up to the next one.
    #[inline]
    pub(super) fn make(&self, state: &mut State, mv: Move) {
        self.act(state, mv);
        if state.end == End::None {
            self.finish_step(state);
        }
    }

    /// Plays a decision and leaves the activation open: nobody has called the witnesses yet.
    #[inline]
    pub(super) fn act(&self, state: &mut State, mv: Move) {
        let (character, destination, power) = (character_of(mv), destination_of(mv), power_of(mv));
        let side = state.side();
        let use_of = power.wrapping_sub(1) as usize;
        let mut target = destination;
        match character {
            GOODLEY if power != 0 => {
                let whistle = Whistle::unpack(&self.map, state, power >> 1);
                for &(called, end) in whistle.movers() {
                    state.at[called as usize] = end;
                }
                if let Some(facing) = whistle.facing() {
                    state.facing = facing;
                }
            }
            HOLMES if destination < STREETS => {
                state.takers |= u8::from(side == JACK) << state.drawn;
                state.drawn += 1;
            }
            WATSON if power != 0 => state.facing = use_of as u8,
            SMITH if power != 0 => {
                state.tiles[use_of % 8] = state.tiles[use_of / 8];
                state.tiles[use_of / 8] = 0;
            }
            LESTRADE if power != 0 => state.cordons ^= 1 << (use_of / 4) | 1 << (use_of % 4),
            BERT if power != 0 => {
                let list = &self.map.manhole_list;
                state.covers ^= 1 << list[use_of % 81 / 9] | 1 << list[use_of % 9];
            }
            GULL if power != 0 => {
                let partner = use_of / 6;
                let left = if destination == SWAP { state.at[GULL] } else { destination as u8 };
                target = state.at[partner] as usize;
                state.at[partner] = left;
                if partner == WATSON {
                    state.facing = (use_of % 6) as u8;
                }
            }
            _ => {}
        }
        state.hand &= !(1 << character);
        if destination >= ACCUSE {
            let accused = destination - ACCUSE;
            state.at[character] = state.at[accused];
            state.accused = 1 << accused;
            let right = state.jack as usize == accused;
            state.end = if right { End::Arrest } else { End::FalseAccusation };
            return;
        }
        state.at[character] = target as u8;
        if (FIRST_EXIT..SWAP).contains(&destination) {
            state.end = End::Escape;
        }
    }
}
