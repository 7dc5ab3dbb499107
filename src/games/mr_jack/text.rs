//! Decisions of Mr Jack as text.
//!
//! A decision names the character, then what happens in the order in which it happens:
//!
//! - `holmes d4`, `stealthy d6`, `gull c4`: a move; Holmes takes an alibi card without a word
//! - `watson c5 facing NE`
//! - `smith c3 lamp f5>h4`: the tile of f5 goes to h4
//! - `lestrade d4 cordon NE>SE`
//! - `bert c3 cover a5>f7` or, where the way leads through the opened manhole, `bert cover a5>f7 c3`
//! - `goodley b6 whistle smith>c5 watson>d4:NE` or, where it could not be blown later, `goodley whistle smith>c5 b6`;
//!   `whistle nobody` when nobody can come closer
//! - `gull swap smith`, `gull swap watson:NE`; under `gull=and`, `gull c4 swap smith`
//! - `bert exit NW`, `lestrade cordon NW>SE exit NW`: Jack leaves the board
//! - `lestrade d4 accuse bert`, `goodley whistle bert>d4 d4 accuse bert`
//!
//! A power is written after the move unless it must be used first. The other order is read too where it
//! leads to the same position. Capital and small letters are the same.

use super::MrJack;
use super::board::*;
use super::moves::{ACCUSE, SWAP, character_of, destination_of, pack, power_of};
use super::state::State;
use super::whistle::{Call, Whistle};
use crate::game::{Rules, illegal_move};
use crate::types::{Error, Move, Result};

/// The words of a decision as they are read.
#[derive(Default)]
struct Words {
    street: Option<usize>,
    exit: Option<usize>,
    accused: Option<usize>,
    power: Option<Power>,
    /// The power was named before the destination.
    first: bool,
}

enum Power {
    Facing(usize),
    Lamp(usize, usize),
    Cordon(usize, usize),
    Cover(usize, usize),
    Swap(usize, Option<usize>),
    Whistle(Vec<(u8, u8)>, Option<usize>),
}

pub(super) fn choice(kind: &str, word: &str, names: &[&str]) -> Result<usize> {
    let found = names.iter().position(|name| name.eq_ignore_ascii_case(word));
    found.ok_or_else(|| Error::new(format!("unknown {kind} '{word}': {}", names.join(", "))))
}

fn pair(word: &str) -> Result<(&str, &str)> {
    word.split_once('>').ok_or_else(|| Error::new(format!("'{word}' should be two names joined by '>'")))
}

impl MrJack {
    pub(super) fn street_named(&self, word: &str) -> Result<usize> {
        let map = &self.map;
        map.street(word)
            .ok_or_else(|| Error::new(format!("'{word}' is not a street: a1 to m12 on the board")))
    }

    pub(super) fn lamp_named(&self, word: &str) -> Result<usize> {
        let names: Vec<&str> = (0..LAMPS).map(|lamp| self.map.name(FIRST_LAMP + lamp)).collect();
        choice("gaslight", word, &names)
    }

    pub(super) fn manhole_named(&self, word: &str) -> Result<usize> {
        let list = &self.map.manhole_list;
        let names: Vec<&str> = list.iter().map(|&street| self.map.name(street as usize)).collect();
        Ok(list[choice("manhole", word, &names)?] as usize)
    }

    /// The whistle in a decision of Goodley's.
    fn whistle_of(&self, state: &State, power: u32) -> Whistle {
        Whistle::unpack(&self.map, state, power >> 1)
    }

    fn power_text(&self, state: &State, mv: Move) -> String {
        let map = &self.map;
        let power = power_of(mv);
        let code = power.wrapping_sub(1) as usize;
        let street = |street: u8| map.name(street as usize);
        match character_of(mv) {
            GOODLEY if power == 0 => String::new(),
            GOODLEY => {
                let whistle = self.whistle_of(state, power);
                let mut movers = whistle.movers().to_vec();
                movers.sort_unstable();
                let mut text = "whistle".to_string();
                if movers.is_empty() {
                    text.push_str(" nobody");
                }
                for (character, end) in movers {
                    text.push_str(&format!(" {}>{}", CHARACTERS[character as usize], street(end)));
                    if character as usize == WATSON {
                        text.push_str(&format!(":{}", DIRECTIONS[whistle.facing().unwrap_or(0) as usize]));
                    }
                }
                text
            }
            _ if power == 0 => String::new(),
            WATSON => format!("facing {}", DIRECTIONS[code]),
            SMITH => {
                format!("lamp {}>{}", map.name(FIRST_LAMP + code / 8), map.name(FIRST_LAMP + code % 8))
            }
            LESTRADE => format!("cordon {}>{}", EXIT_NAMES[code / 4], EXIT_NAMES[code % 4]),
            BERT => {
                let list = &map.manhole_list;
                format!("cover {}>{}", street(list[code % 81 / 9]), street(list[code % 9]))
            }
            GULL if code / 6 == WATSON => format!("swap watson:{}", DIRECTIONS[code % 6]),
            GULL => format!("swap {}", CHARACTERS[code / 6]),
            _ => String::new(),
        }
    }

    pub(super) fn decision_text(&self, state: &State, mv: Move) -> String {
        let (character, destination, power) = (character_of(mv), destination_of(mv), power_of(mv));
        let ends = destination != SWAP && destination >= STREETS;
        let first = match character {
            GOODLEY => power & 1 == 1,
            BERT => power > 81,
            _ => ends && power != 0,
        };
        let place = if destination >= ACCUSE {
            let accused = destination - ACCUSE;
            let mut at = state.at[accused];
            if character == GOODLEY && power != 0 {
                let whistle = self.whistle_of(state, power);
                let moved = whistle.movers().iter().find(|(mover, _)| *mover as usize == accused);
                at = moved.map_or(at, |&(_, end)| end);
            }
            format!("{} accuse {}", self.map.name(at as usize), CHARACTERS[accused])
        } else if destination == SWAP {
            String::new()
        } else if destination >= FIRST_EXIT {
            format!("exit {}", EXIT_NAMES[destination - FIRST_EXIT])
        } else {
            self.map.name(destination).to_string()
        };
        let power = self.power_text(state, mv);
        let (one, two) = if first { (power, place) } else { (place, power) };
        let words = [CHARACTERS[character], &one, &two];
        words.iter().filter(|word| !word.is_empty()).copied().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn parse_decision(&self, state: &State, text: &str, notation: &str) -> Result<Move> {
        let refuse = |error: Error| error.within(format!("illegal move '{}'", text.trim()));
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let character = choice("character", name, &CHARACTERS).map_err(refuse)?;
        let read = self.read_words(words.collect()).map_err(refuse)?;
        match self.decision(state, character, &read) {
            Some(mv) if self.is_legal(state, mv) => Ok(mv),
            _ => {
                let mut moves = Vec::new();
                self.legal_moves(state, &mut moves);
                Err(illegal_move(self, state, text.trim(), &moves, notation))
            }
        }
    }

    fn read_words(&self, list: Vec<&str>) -> Result<Words> {
        let mut words = Words::default();
        let mut at = 0;
        while at < list.len() {
            let word = list[at].to_ascii_lowercase();
            let argument = |what: &str| {
                let missing = || Error::new(format!("'{word}' needs {what} behind it"));
                list.get(at + 1).copied().ok_or_else(missing)
            };
            let mut taken = 2;
            let mut power = None;
            match word.as_str() {
                "exit" => words.exit = Some(choice("exit", argument("an exit")?, &EXIT_NAMES)?),
                "accuse" => words.accused = Some(choice("character", argument("a character")?, &CHARACTERS)?),
                "facing" => {
                    power = Some(Power::Facing(choice("direction", argument("a direction")?, &DIRECTIONS)?))
                }
                "lamp" => {
                    let (from, to) = pair(argument("two gaslights")?)?;
                    power = Some(Power::Lamp(self.lamp_named(from)?, self.lamp_named(to)?));
                }
                "cordon" => {
                    let (from, to) = pair(argument("two exits")?)?;
                    let exit = |name| choice("exit", name, &EXIT_NAMES);
                    power = Some(Power::Cordon(exit(from)?, exit(to)?));
                }
                "cover" => {
                    let (from, to) = pair(argument("two manholes")?)?;
                    power = Some(Power::Cover(self.manhole_named(from)?, self.manhole_named(to)?));
                }
                "swap" => {
                    let (partner, facing) = facing(argument("a character")?)?;
                    power = Some(Power::Swap(choice("character", partner, &CHARACTERS)?, facing));
                }
                "whistle" => {
                    let (whistle, count) = self.read_whistle(&list[at + 1..])?;
                    power = Some(whistle);
                    taken = 1 + count;
                }
                _ => {
                    words.street = Some(self.street_named(&word)?);
                    taken = 1;
                }
            }
            if let Some(power) = power {
                if words.power.is_some() {
                    return Err(Error::new("a power is used once"));
                }
                words.power = Some(power);
                words.first = words.street.is_none() && words.exit.is_none();
            }
            at += taken;
        }
        Ok(words)
    }

    /// The characters called, and how many words that took.
    fn read_whistle(&self, list: &[&str]) -> Result<(Power, usize)> {
        if list.first().is_some_and(|word| word.eq_ignore_ascii_case("nobody")) {
            return Ok((Power::Whistle(Vec::new(), None), 1));
        }
        let (mut movers, mut facing_to) = (Vec::new(), None);
        for word in list.iter().take_while(|word| word.contains('>')) {
            let (name, end) = pair(word)?;
            let (end, direction) = facing(end)?;
            let character = choice("character", name, &CHARACTERS)? as u8;
            if movers.iter().any(|&(mover, _)| mover == character) {
                return Err(Error::new(format!("{name} is called twice")));
            }
            movers.push((character, self.street_named(end)? as u8));
            facing_to = facing_to.or(direction);
        }
        if movers.is_empty() {
            return Err(Error::new("'whistle' needs whom it calls, smith>c5, or nobody"));
        }
        let count = movers.len();
        Ok((Power::Whistle(movers, facing_to), count))
    }

    /// The decision that these words mean in the state, if they mean one; whether it is legal is another matter.
    fn decision(&self, state: &State, character: usize, words: &Words) -> Option<Move> {
        let (destination, street) = match (words.street, words.exit, words.accused) {
            (Some(street), None, None) => (street, Some(street)),
            (None, Some(exit), None) => (FIRST_EXIT + exit, None),
            (Some(street), None, Some(accused)) => (ACCUSE + accused, Some(street)),
            (None, None, None) => (SWAP, None),
            _ => return None,
        };
        let ends = destination != SWAP && destination >= STREETS;
        let mut accused_at = words.accused.map(|accused| state.at[accused] as usize);
        let power = match (&words.power, character) {
            (None, _) => 0,
            (Some(Power::Facing(facing)), WATSON) => 1 + *facing as u32,
            (Some(Power::Lamp(from, to)), SMITH) => 1 + (8 * from + to) as u32,
            (Some(Power::Cordon(from, to)), LESTRADE) => 1 + (4 * from + to) as u32,
            (Some(Power::Cover(opened, covered)), BERT) => {
                let open = self.open(state);
                let after = open & !(1 << covered) | 1 << opened;
                let at = state.at[BERT] as usize & 63;
                let arrives =
                    |open| street.is_some_and(|street| self.map.walk(at, 3, open) >> street & 1 == 1);
                if words.first && street.is_some() && !arrives(after) {
                    return None;
                }
                let first = words.first && (ends || !arrives(open));
                1 + self.cover_code(first, *opened, *covered)
            }
            (Some(Power::Swap(partner, facing)), GULL) => {
                if facing.is_some() != (*partner == WATSON) {
                    return None;
                }
                1 + (6 * partner + facing.unwrap_or(0)) as u32
            }
            (Some(Power::Whistle(movers, facing)), GOODLEY) => {
                let watson = movers.iter().any(|&(character, _)| character as usize == WATSON);
                if facing.is_some() != watson {
                    return None;
                }
                let whistle = Whistle::of(&self.map, state, movers, facing.unwrap_or(0) as u8)?;
                if let Some(accused) = words.accused {
                    let moved = movers.iter().find(|(mover, _)| *mover as usize == accused);
                    accused_at = accused_at.map(|at| moved.map_or(at, |&(_, end)| end as usize));
                }
                let code = whistle.pack(&self.map, state) << 1;
                self.ordered_whistle(state, words.first, destination, &whistle, code)
            }
            _ => return None,
        };
        let meets = words.accused.is_none() || accused_at == street;
        meets.then(|| pack(character, destination, power))
    }

    /// A whistle named first is the one named later where both lead to the same position.
    fn ordered_whistle(
        &self,
        state: &State,
        first: bool,
        destination: usize,
        whistle: &Whistle,
        code: u32,
    ) -> u32 {
        if !first || destination >= STREETS {
            return code | u32::from(first);
        }
        let here = Call::new(&self.map, state, state.at[GOODLEY] as usize & 63);
        let possible = here.allows(whistle, here.sums(self.loose));
        if possible && self.is_legal(state, pack(GOODLEY, destination, code)) { code } else { code | 1 }
    }
}

fn facing(word: &str) -> Result<(&str, Option<usize>)> {
    match word.split_once(':') {
        None => Ok((word, None)),
        Some((name, direction)) => Ok((name, Some(choice("direction", direction, &DIRECTIONS)?))),
    }
}
