//! Mr Jack: a detective looks for Jack among eight characters, who knows which of them he is.
//!
//! The game of Bruno Cathala and Ludovic Maublanc (Hurrican, 2006). Side First is the detective, who moves
//! first; side Second is Jack. All chance (Jack's identity, the alibi pile, the deals of all turns)
//! is drawn in the first state; [`Secrets::view`] and [`Secrets::determinize`] keep each side to what it may know.
//!
//! - `board`: the hexes and tables over them
//! - `state`: the state, visibility, suspects, the course of a turn
//! - `moves`: decisions, packed, listed in stages, played and (`drawn`) drawn at random
//! - `whistle`: Goodley's power, by far the richest
//! - `stages`: what searches and rule scripts see of decisions, and what is secret
//! - `estimate`: who is doing better, without playing on
//! - `text` and `position`: decisions and positions as text
//! - `view`: what a side may know, the worlds it cannot tell apart, and what is drawn

pub mod board;
mod estimate;
pub mod moves;
mod position;
mod stages;
pub mod state;
mod text;
mod view;
mod whistle;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod tests;

use crate::game::{Decisive, Evaluation, Exact, FastPlay, Offers, Rules, Scripts, Secrets, Stages, Trace};
use crate::spec::{OptionInfo, Options, PartInfo, Strong};
use crate::types::{Error, Move, Outcome, Result, Rng, Side, mix};

use board::Map;
use moves::{DESTINATIONS, EVERYBODY, character_of, destination_of};
pub use state::State;

/// The values of the game's options, the usual one first.
const EDITIONS: [&str; 2] = ["first_2006", "revised"];
const WITNESS: [&str; 2] = ["every_turn", "every_other_turn"];
const WHISTLE: [&str; 2] = ["exact", "loose"];
const GULL_RULES: [&str; 2] = ["or", "and"];

pub struct MrJack {
    pub map: Box<Map>,
    edition: &'static str,
    /// Whether the witnesses are called after every turn, or after every second one.
    every_turn: bool,
    /// Whether a whistle may use fewer points than it could.
    loose: bool,
    /// Whether Gull moves and then may swap, or moves or swaps.
    gull_and: bool,
}

impl MrJack {
    /// The game on the board of an edition, with the options of `INFO`.
    pub fn new(edition: &str, every_turn: bool, loose: bool, gull_and: bool) -> Result<MrJack> {
        let known = EDITIONS.into_iter().find(|known| *known == edition);
        let edition = known.ok_or_else(|| {
            Error::new(format!("no edition '{edition}' of mr_jack: {}", EDITIONS.join(", ")))
        })?;
        let map = Box::new(Map::new(edition)?);
        Ok(MrJack { map, edition, every_turn, loose, gull_and })
    }

    /// The options of `INFO` with their values.
    fn values(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("edition", self.edition),
            ("witness", WITNESS[usize::from(!self.every_turn)]),
            ("whistle", WHISTLE[usize::from(self.loose)]),
            ("gull", GULL_RULES[usize::from(self.gull_and)]),
        ]
    }

    /// Plays to the end as [`MrJack::random_decisive_move`] does.
    pub fn decisive_playout(&self, state: &mut State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        loop {
            if let Some(outcome) = state.outcome() {
                return outcome;
            }
            let mv = self.random_decisive_move(state, rng);
            trace.push(mv, state.side());
            self.make(state, mv);
        }
    }
}

impl Rules for MrJack {
    const INFO: PartInfo = PartInfo {
        name: "mr_jack",
        options: &[
            OptionInfo::choice(
                "edition",
                &EDITIONS,
                EDITIONS[0],
                "where the manholes, Watson and Stealthy are",
            ),
            OptionInfo::choice(
                "witness",
                &WITNESS,
                WITNESS[0],
                "when the witnesses are called; every other turn: after the even ones",
            ),
            OptionInfo::choice(
                "whistle",
                &WHISTLE,
                WHISTLE[0],
                "whether all three points must be used where possible, or at least one",
            ),
            OptionInfo::choice(
                "gull",
                &GULL_RULES,
                GULL_RULES[0],
                "whether Gull moves or swaps, or moves and then may swap",
            ),
        ],
        positional: None,
        doc: "A detective looks for Jack among eight characters; Jack must escape or stay hidden for eight turns",
    };

    type State = State;

    fn from_options(options: &Options) -> Result<MrJack> {
        let is = |name, value| options.choice(name) == value;
        let (every_turn, loose) = (is("witness", WITNESS[0]), is("whistle", WHISTLE[1]));
        MrJack::new(options.choice("edition"), every_turn, loose, is("gull", GULL_RULES[1]))
    }

    fn initial_state(&self, rng: &mut Rng) -> State {
        self.set_up(rng)
    }

    fn side_to_move(&self, state: &State) -> Side {
        state.side()
    }

    /// By character, then destination, then use of the power.
    fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
        let mut keys = Vec::new();
        self.keys(state, EVERYBODY, &mut keys);
        for key in keys {
            self.uses(state, key / DESTINATIONS, key % DESTINATIONS, moves);
        }
    }

    fn is_legal(&self, state: &State, mv: Move) -> bool {
        self.is_decision(state, mv)
    }

    #[inline]
    fn play(&self, state: &mut State, mv: Move) {
        self.make(state, mv);
    }

    #[inline]
    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.outcome()
    }

    fn key(&self, state: &State) -> u64 {
        let bytes = |bytes: &[u8]| bytes.iter().fold(0u64, |word, &byte| word << 8 | byte as u64);
        let words = [
            bytes(&state.at),
            bytes(&state.tiles),
            state.covers,
            bytes(&[
                state.cordons,
                state.facing,
                state.innocent,
                state.seen as u8,
                state.turn,
                state.step,
                state.hand,
                state.next,
            ]),
            bytes(&state.deals) << 8 | state.jack as u64,
            bytes(&state.pile),
            bytes(&[state.drawn, state.takers, state.accused, state.end as u8]),
        ];
        words.iter().fold(0, |key, &word| mix(key ^ word))
    }

    fn longest(&self) -> Option<u64> {
        Some(4 * u64::from(state::TURNS))
    }

    fn slots(&self) -> usize {
        8 * DESTINATIONS
    }

    /// Character and destination: the key of a decision.
    fn slot(&self, mv: Move) -> usize {
        character_of(mv) * DESTINATIONS + destination_of(mv)
    }
}

impl FastPlay for MrJack {
    /// A card, then a destination (accusations included), then a use of the power, each uniformly: a flat draw
    /// over decisions would play Goodley nearly always.
    #[inline]
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        self.random_decision(state, EVERYBODY, rng)
    }
}

impl Exact for MrJack {}

impl Offers for MrJack {
    const HIDDEN: bool = true;
    const STRONG: &'static [Strong] =
        &[Strong::everywhere("jack(candidates=scripted_power, playout=decisive)")];

    fn secrets(&self) -> Option<&dyn Secrets<MrJack>> {
        Some(self)
    }

    fn stages(&self) -> Option<&dyn Stages<MrJack>> {
        Some(self)
    }

    fn decisive(&self) -> Option<&dyn Decisive<MrJack>> {
        Some(self)
    }

    fn evaluation(&self) -> Option<&dyn Evaluation<MrJack>> {
        Some(self)
    }

    fn scripts(&self) -> Option<&dyn Scripts<MrJack>> {
        Some(self)
    }
}
