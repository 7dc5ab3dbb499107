//! The stages of a decision of Mr Jack as searches and rule scripts see them.

use super::MrJack;
use super::board::*;
use super::moves::{ACCUSE, DESTINATIONS, SWAP, destinations_in, power_of};
use super::state::{DETECTIVE, JACK, STEPS, State};
use super::whistle::Whistle;
use crate::game::{Decisive, Fact, Lists, Question, Scripts, Stages};
use crate::types::{Move, Rng, Side};

/// The shipped rules: one script per character, in the order of their numbers.
const SCRIPTS: [(&str, &str); 8] = [
    ("holmes", include_str!("../../../python/coppice/rules/mr_jack/holmes.lua")),
    ("watson", include_str!("../../../python/coppice/rules/mr_jack/watson.lua")),
    ("smith", include_str!("../../../python/coppice/rules/mr_jack/smith.lua")),
    ("lestrade", include_str!("../../../python/coppice/rules/mr_jack/lestrade.lua")),
    ("stealthy", include_str!("../../../python/coppice/rules/mr_jack/stealthy.lua")),
    ("goodley", include_str!("../../../python/coppice/rules/mr_jack/goodley.lua")),
    ("gull", include_str!("../../../python/coppice/rules/mr_jack/gull.lua")),
    ("bert", include_str!("../../../python/coppice/rules/mr_jack/bert.lua")),
];

/// What the scripts share.
const COMMON: (&str, &str) = ("common", include_str!("../../../python/coppice/rules/mr_jack/common.lua"));

/// What every option tells: the set of characters seen if nothing else happened in this turn, how many
/// suspects are in it and how many are not, how many of either are *settled* because their card is not in hand
/// any more, for Jack's side whether he is seen, and the set of those who could leave by their next move.
macro_rules! option_names {
    ($($own:literal),*) => {
        &[
            "seen", "suspects_seen", "suspects_unseen", "settled_seen", "settled_unseen", "jack_seen", "leavers"
            $(, $own)*
        ]
    };
}

/// The names of an option's facts, by character.
const OPTION_NAMES: [&[&str]; 8] = [
    option_names!(),
    option_names!("facing"),
    option_names!("from", "to", "tile"),
    option_names!("opened", "closed", "near_opened", "near_closed"),
    option_names!(),
    option_names!("moved"),
    option_names!("partner"),
    option_names!("near_opened", "near_covered"),
];

/// How many of Goodley's uses of a key are looked at, and the stream that they are drawn from: always the
/// same, so that the same position has the same options.
const LOOKED_AT: usize = 64;
const LOOKS: u64 = 1;

/// How near a manhole somebody must be to go through it in one move, and an exit to come to it soon.
const NEAR_MANHOLE: usize = 2;
const NEAR_EXIT: usize = 5;

impl MrJack {
    /// Whom the detective must suspect for all that `side` knows: Jack's side does not see the alibi cards
    /// that the detective has taken.
    fn suspects_for(&self, state: &State, side: Side) -> u8 {
        if side == DETECTIVE { self.suspects(state) } else { !state.innocent }
    }

    /// Steps from each character to the nearest of these streets; 99 if there is none.
    fn steps_to(&self, state: &State, streets: u64) -> Vec<i64> {
        let steps = |&at: &u8| {
            let ball = &self.map.ball[at as usize & 63];
            (0..RADII).find(|&radius| ball[radius] & streets != 0).map_or(99, |radius| radius as i64)
        };
        state.at.iter().map(steps).collect()
    }

    /// Whose surface walk to this street takes so many steps or fewer.
    fn near(&self, state: &State, street: usize, steps: usize) -> i16 {
        let mut set = 0;
        for (character, &at) in state.at.iter().enumerate() {
            set |= ((self.map.ball[street][steps] >> (at & 63) & 1) as i16) << character;
        }
        set
    }

    /// Who could leave by his next move if he were Jack and had not been seen.
    pub(super) fn leavers(&self, state: &State) -> u8 {
        let open = self.open(state);
        let (mut walk, mut stride) = (0, 0);
        for exit in bits(!state.cordons as u64 & 15) {
            let gate = self.map.gate[exit] as usize;
            // There are as many steps from the exit to him as from him to the exit.
            walk |= self.map.walk(gate, 2, open);
            stride |= self.map.stride(gate, 3, open);
        }
        let mut set = 0;
        for (character, &at) in state.at.iter().enumerate() {
            let near = if character == STEALTHY { stride } else { walk };
            set |= ((near >> (at & 63) & 1) as u8) << character;
        }
        set
    }

    /// What the power of an option does, in the order of its names.
    fn power_facts(&self, state: &State, character: usize, mv: Move, facts: &mut Vec<i16>) {
        let power = power_of(mv);
        let code = power.wrapping_sub(1) as usize;
        match character {
            WATSON => facts.push(code as i16),
            SMITH => {
                let (from, to) = (code / 8, code % 8);
                facts.extend([from as i16 + 1, to as i16 + 1, state.tiles[from] as i16 % UNNUMBERED as i16]);
            }
            LESTRADE => {
                let (opened, closed) = (code / 4, code % 4);
                let near = |exit: usize| self.near(state, self.map.gate[exit] as usize, NEAR_EXIT);
                facts.extend([opened as i16 + 1, closed as i16 + 1, near(opened), near(closed)]);
            }
            GOODLEY => {
                let whistle = Whistle::unpack(&self.map, state, power >> 1);
                facts.push(whistle.movers().iter().fold(0, |set, &(called, _)| set | 1 << called));
            }
            GULL => facts.push(if power == 0 { -1 } else { code as i16 / 6 }),
            BERT => {
                let list = &self.map.manhole_list;
                let near = |place: usize| self.near(state, list[place] as usize, NEAR_MANHOLE);
                facts.extend([near(code % 81 / 9), near(code % 9)]);
            }
            _ => {}
        }
    }

    /// Facts of the position that do not depend on the option.
    fn position_facts(&self, state: &State, character: usize) -> Vec<(&'static str, Fact)> {
        let side = state.side();
        let jack = if side == JACK { state.jack as i64 } else { -1 };
        vec![
            ("side", Fact::Word(if side == DETECTIVE { "detective" } else { "jack" })),
            ("me", Fact::Number(character as i64)),
            ("jack", Fact::Number(jack)),
            ("turn", Fact::Number(state.turn as i64)),
            ("left", Fact::Number((STEPS - 1 - state.step) as i64)),
            ("called", Fact::Number(self.is_called(state.turn) as i64)),
            ("suspects", Fact::Number(self.suspects_for(state, side) as i64)),
            ("innocents", Fact::Number(state.innocent as i64)),
            ("seen", Fact::Number(self.visible(state) as i64)),
            ("hand", Fact::Number(state.hand as i64)),
            ("next", Fact::Number(state.next as i64)),
            ("witness", Fact::Number(state.seen as i64)),
            ("cordons", Fact::Number(state.cordons as i64)),
        ]
    }
}

impl Stages<MrJack> for MrJack {
    /// Accusations only of those whom the detective suspects.
    fn keys(&self, state: &State, keys: &mut Vec<u32>) {
        let suspects = self.suspects(state);
        for character in bits(state.hand as u64) {
            for destination in destinations_in(self.destinations(state, character, suspects)) {
                keys.push((character * DESTINATIONS + destination) as u32);
            }
        }
    }

    fn offers(&self, state: &State, key: u32) -> bool {
        let (character, destination) = (key as usize / DESTINATIONS, key as usize % DESTINATIONS);
        self.destinations(state, character, self.suspects(state)) >> destination & 1 == 1
    }

    fn uses(&self, state: &State, key: u32, moves: &mut Vec<Move>) {
        self.uses(state, key as usize / DESTINATIONS, key as usize % DESTINATIONS, moves);
    }

    fn random_use(&self, state: &State, key: u32, rng: &mut Rng) -> Move {
        self.random_use(state, key as usize / DESTINATIONS, key as usize % DESTINATIONS, rng)
    }
}

impl Decisive<MrJack> for MrJack {
    fn winning_move(&self, state: &State, rng: &mut Rng) -> Option<Move> {
        MrJack::winning_move(self, state, rng)
    }

    fn safe_key(&self, state: &State, rng: &mut Rng) -> u32 {
        let (character, destination) = self.random_key(state, 0, rng);
        (character * DESTINATIONS + destination) as u32
    }
}

impl Scripts<MrJack> for MrJack {
    fn shipped(&self) -> &'static [(&'static str, &'static str)] {
        &SCRIPTS
    }

    fn shipped_common(&self) -> (&'static str, &'static str) {
        COMMON
    }

    fn options(&self) -> Vec<(&'static str, &'static str)> {
        self.values()
    }

    /// The character's.
    fn script_of(&self, key: u32) -> usize {
        key as usize / DESTINATIONS
    }

    fn question(&self, state: &State, key: u32) -> Question {
        let (character, destination) = (key as usize / DESTINATIONS, key as usize % DESTINATIONS);
        let side = state.side();
        let suspects = self.suspects_for(state, side);
        let mut uses = Vec::new();
        let ends = destination != SWAP && destination >= STREETS;
        // Goodley has a thousand uses of a key: some of them, drawn at random, are looked at.
        let drawn = character == GOODLEY && !ends;
        if !(drawn && self.draw_uses(state, destination, LOOKED_AT, &mut Rng::new(LOOKS), &mut uses)) {
            self.uses_of_key(state, character, destination, &mut uses);
        }
        if ends {
            let chance = 1.0 / suspects.count_ones().max(1) as f32;
            let settled = Some(if destination >= ACCUSE { chance } else { 1.0 });
            return Question { script: character, moves: uses, settled, ..Question::default() };
        }
        let mut question =
            Question { script: character, names: OPTION_NAMES[character], ..Question::default() };
        question.options.reserve(uses.len() * question.names.len());
        // Uses of the whistle that lead to the same characters seen are one option.
        let mut known = [false; 256];
        let settled = !(state.hand & !(1 << character));
        for mv in uses {
            let mut after = *state;
            self.act(&mut after, mv);
            let seen = self.visible(&after);
            if character == GOODLEY && std::mem::replace(&mut known[seen as usize], true) {
                continue;
            }
            let count = |set: u8| set.count_ones() as i16;
            let jack_seen = if side == JACK { (seen >> state.jack & 1) as i16 } else { -1 };
            let facts = &mut question.options;
            facts.extend([
                seen as i16,
                count(suspects & seen),
                count(suspects & !seen),
                count(suspects & settled & seen),
                count(suspects & settled & !seen),
                jack_seen,
                self.leavers(&after) as i16,
            ]);
            self.power_facts(state, character, mv, facts);
            question.moves.push(mv);
        }
        question.facts = self.position_facts(state, character);
        question
    }

    fn lists(&self, state: &State, key: u32) -> Lists {
        let (character, destination) = (key as usize / DESTINATIONS, key as usize % DESTINATIONS);
        let from = if destination < STREETS { destination } else { state.at[character] as usize & 63 };
        let map = &self.map;
        let numbers = |list: &[u8]| list.iter().map(|&n| n as i64).collect();
        let exits = |exit: usize| {
            state.at.iter().map(move |&at| map.distance[map.gate[exit] as usize][at as usize & 63] as i64)
        };
        vec![
            ("at", numbers(&state.at)),
            ("distance", numbers(&state.at.map(|at| map.distance[from][at as usize & 63]))),
            ("light", self.steps_to(state, map.light[state.lit() as usize])),
            ("lamps", numbers(&state.tiles)),
            ("exits", (0..EXITS).flat_map(exits).collect()),
            ("gates", map.gate.iter().map(|&gate| map.distance[gate as usize][from] as i64).collect()),
        ]
    }
}
