//! The stages of a decision of Mr Jack as searches and rule scripts see them, and what is secret in it.

use super::MrJack;
use super::board::*;
use super::moves::{ACCUSE, DESTINATIONS, SWAP, destinations_in, power_of};
use super::state::{DETECTIVE, JACK, STEPS, State};
use super::whistle::Whistle;
use crate::game::{Fact, Question, Secrets, Stages};
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

/// What every option tells: the set of characters seen if nothing else happened in this turn, how many
/// suspects are in it and how many are not, and for Jack's side whether he is.
macro_rules! option_names {
    ($($own:literal),*) => { &["seen", "suspects_seen", "suspects_unseen", "jack_seen" $(, $own)*] };
}

/// The names of an option's facts, by character.
const OPTION_NAMES: [&[&str]; 8] = [
    option_names!(),
    option_names!("facing"),
    option_names!("from", "to", "tile"),
    option_names!("opened", "closed"),
    option_names!(),
    option_names!("moved"),
    option_names!("partner"),
    option_names!("near_opened", "near_covered"),
];

/// How many of Goodley's uses of a key are looked at.
const LOOKED_AT: usize = 300;

/// How near a manhole somebody must be to go through it in one move.
const NEAR: usize = 2;

impl MrJack {
    /// Whom the detective must suspect for all that `side` knows: Jack's side does not see the alibi cards
    /// that the detective has taken.
    fn suspects_for(&self, state: &State, side: Side) -> u8 {
        if side == DETECTIVE { self.suspects(state) } else { !state.innocent }
    }

    fn other_suspects(&self, state: &State) -> u64 {
        (self.suspects(state) & !(1 << state.jack)) as u64
    }

    /// Steps from each character to the nearest of these streets; 99 if there is none.
    fn steps_to(&self, state: &State, streets: u64) -> Vec<i64> {
        let steps = |&at: &u8| {
            let ball = &self.map.ball[at as usize & 63];
            (0..RADII).find(|&radius| ball[radius] & streets != 0).map_or(99, |radius| radius as i64)
        };
        state.at.iter().map(steps).collect()
    }

    /// Whose surface walk of `NEAR` steps or fewer ends on this street.
    fn near(&self, state: &State, street: usize) -> i64 {
        let mut set = 0;
        for (character, &at) in state.at.iter().enumerate() {
            set |= ((self.map.ball[street][NEAR] >> (at & 63) & 1) as i64) << character;
        }
        set
    }

    /// What the power of an option does, in the order of its names.
    fn power_facts(&self, state: &State, character: usize, mv: Move, facts: &mut Vec<i64>) {
        let power = power_of(mv);
        let code = power.wrapping_sub(1) as usize;
        match character {
            WATSON => facts.push(code as i64),
            SMITH => {
                let (from, to) = (code / 8, code % 8);
                facts.extend([from as i64 + 1, to as i64 + 1, state.tiles[from] as i64 % UNNUMBERED as i64]);
            }
            LESTRADE => facts.extend([code as i64 / 4 + 1, code as i64 % 4 + 1]),
            GOODLEY => {
                let whistle = Whistle::unpack(&self.map, state, power >> 1);
                facts.push(whistle.movers().iter().fold(0, |set, &(called, _)| set | 1 << called));
            }
            GULL => facts.push(if power == 0 { -1 } else { code as i64 / 6 }),
            BERT => {
                let list = &self.map.manhole_list;
                let near = |place: usize| self.near(state, list[place] as usize);
                facts.extend([near(code % 81 / 9), near(code % 9)]);
            }
            _ => {}
        }
    }

    /// Facts of the position that do not depend on the option.
    fn position_facts(&self, state: &State, character: usize, from: usize) -> Vec<(&'static str, Fact)> {
        let side = state.side();
        let map = &self.map;
        let numbers = |list: &[u8]| Fact::Numbers(list.iter().map(|&n| n as i64).collect());
        let exits = |exit: usize| self.steps_to(state, 1 << map.gate[exit]);
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
            ("at", numbers(&state.at)),
            ("distance", numbers(&state.at.map(|at| map.distance[from][at as usize & 63]))),
            ("light", Fact::Numbers(self.steps_to(state, map.light[state.lit() as usize]))),
            ("lamps", numbers(&state.tiles)),
            ("cordons", Fact::Number(state.cordons as i64)),
            ("exits", Fact::Numbers((0..EXITS).flat_map(exits).collect())),
        ]
    }
}

impl Secrets<MrJack> for MrJack {
    /// Jack's identity. The detective's alibi cards do not keep his nodes apart.
    fn own(&self, state: &State, side: Side) -> u64 {
        if side == JACK { state.jack as u64 } else { 0 }
    }

    fn decoys(&self, state: &State, side: Side) -> usize {
        if side == JACK { self.other_suspects(state).count_ones() as usize } else { 0 }
    }

    fn decoy(&self, state: &State, _side: Side, k: usize) -> State {
        self.with_identity(state, nth(self.other_suspects(state), k))
    }

    fn with_own(&self, state: &State, side: Side, own: u64) -> State {
        if side == JACK { self.with_identity(state, own as usize) } else { *state }
    }

    /// All eight cards are face up in a turn whose deal nobody has seen; those left go to the next turn.
    fn free_draws(&self, state: &mut State) {
        for hidden in state.deals.iter_mut().filter(|hidden| **hidden != 0) {
            *hidden = 0xFF;
        }
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

    fn winning_move(&self, state: &State, rng: &mut Rng) -> Option<Move> {
        MrJack::winning_move(self, state, rng)
    }

    fn safe_key(&self, state: &State, rng: &mut Rng) -> u32 {
        let (character, destination) = self.random_key(state, 0, rng);
        (character * DESTINATIONS + destination) as u32
    }

    fn estimate(&self, state: &State) -> f32 {
        self.estimated(state)
    }

    fn scripts(&self) -> &'static [(&'static str, &'static str)] {
        &SCRIPTS
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
        self.uses(state, character, destination, &mut uses);
        if destination != SWAP && destination >= STREETS {
            let chance = 1.0 / suspects.count_ones().max(1) as f32;
            let settled = Some(if destination >= ACCUSE { chance } else { 1.0 });
            return Question { script: character, moves: uses, settled, ..Question::default() };
        }
        let mut question =
            Question { script: character, names: OPTION_NAMES[character], ..Question::default() };
        // Goodley has a thousand uses of a key: a few hundred of them, evenly spread, are looked at, and those
        // that lead to the same characters seen are one option.
        let mut known = [false; 256];
        let step = if character == GOODLEY { uses.len().div_ceil(LOOKED_AT) } else { 1 };
        for mv in uses.into_iter().step_by(step) {
            let mut after = *state;
            self.act(&mut after, mv);
            let seen = self.visible(&after);
            if character == GOODLEY && std::mem::replace(&mut known[seen as usize], true) {
                continue;
            }
            let count = |set: u8| set.count_ones() as i64;
            let jack_seen = if side == JACK { (seen >> state.jack & 1) as i64 } else { -1 };
            let facts = &mut question.options;
            facts.extend([seen as i64, count(suspects & seen), count(suspects & !seen), jack_seen]);
            self.power_facts(state, character, mv, facts);
            question.moves.push(mv);
        }
        let from = if destination < STREETS { destination } else { state.at[character] as usize };
        question.facts = self.position_facts(state, character, from);
        question
    }
}
