//! Positions of Mr Jack as text, secrets included.

use super::MrJack;
use super::board::*;
use super::state::{End, State, TURNS, is_out, names};
use super::text::choice;
use crate::types::{Error, Result};

impl MrJack {
    /// One line of `name=value`, secrets included; lists are joined by commas, an empty one is `-`.
    pub(super) fn position_text(&self, state: &State) -> String {
        let deals = state.deals.map(names).join("/");
        let pile: Vec<String> = (0..7)
            .map(|i| {
                let taker = match (i < state.drawn as usize, state.takers >> i & 1) {
                    (false, _) => "",
                    (true, 0) => ":detective",
                    (true, _) => ":jack",
                };
                format!("{}{taker}", CHARACTERS[state.pile[i] as usize])
            })
            .collect();
        let end = if state.end == End::None { "-" } else { state.end.name() };
        format!(
            "turn={} step={} hand={} next={} deals={deals} {} jack={} pile={} accused={} end={end}",
            state.turn,
            state.step,
            names(state.hand),
            names(state.next),
            self.public_text(state),
            CHARACTERS[state.jack as usize],
            pile.join(","),
            names(state.accused),
        )
    }

    /// What stands on the board, for everybody to see.
    fn public_text(&self, state: &State) -> String {
        let facts = self.board_facts(state);
        facts.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    /// The public facts of the board, each as `position_text` writes it.
    pub(super) fn board_facts(&self, state: &State) -> Vec<(&'static str, String)> {
        let map = &self.map;
        let at: Vec<String> =
            (0..8).map(|c| format!("{}:{}", CHARACTERS[c], map.name(state.at[c] as usize))).collect();
        let lamps: Vec<String> = bits(state.lit() as u64)
            .map(|lamp| {
                let tile = state.tiles[lamp];
                let number = if tile == UNNUMBERED { "+".to_string() } else { tile.to_string() };
                format!("{}:{number}", map.name(FIRST_LAMP + lamp))
            })
            .collect();
        let covers: Vec<&str> = bits(state.covers).map(|street| map.name(street)).collect();
        let cordons: Vec<&str> = bits(state.cordons as u64).map(|exit| EXIT_NAMES[exit]).collect();
        vec![
            ("at", at.join(",")),
            ("facing", DIRECTIONS[state.facing as usize].to_string()),
            ("lamps", lamps.join(",")),
            ("covers", covers.join(",")),
            ("cordons", cordons.join(",")),
            ("innocent", names(state.innocent)),
            ("witness", if state.seen { "visible" } else { "invisible" }.to_string()),
        ]
    }

    pub(super) fn parse_position(&self, text: &str) -> Result<State> {
        let values = Values::read(text)?;
        let mut state = self.set_up(&mut crate::types::Rng::new(0));
        state.turn = values.number("turn", TURNS)?.max(1);
        state.step = values.number("step", 3)?;
        state.hand = characters(values.of("hand")?)?;
        state.next = characters(values.of("next")?)?;
        let deals: Vec<&str> = values.of("deals")?.split('/').collect();
        if deals.len() != 3 {
            return Err(refused(values.of("deals")?, "three deals joined by '/'"));
        }
        for (deal, text) in state.deals.iter_mut().zip(deals) {
            *deal = characters(text)?;
        }
        self.parse_board(&mut state, &values)?;
        state.innocent = characters(values.of("innocent")?)?;
        state.seen = choice("witness card", values.of("witness")?, &["invisible", "visible"])? == 1;
        state.jack = choice("character", values.of("jack")?, &CHARACTERS)? as u8;
        self.parse_pile(&mut state, values.of("pile")?)?;
        state.accused = characters(values.of("accused")?)?;
        let ends = End::ALL.map(|end| if end == End::None { "-" } else { end.name() });
        state.end = End::ALL[choice("end", values.of("end")?, &ends)?];
        check(&state)?;
        Ok(state)
    }

    /// What stands where on the board.
    fn parse_board(&self, state: &mut State, values: &Values) -> Result<()> {
        for (character, place) in pairs(values.of("at")?)? {
            let character = choice("character", character, &CHARACTERS)?;
            let exit = EXIT_NAMES.iter().position(|exit| *exit == place);
            state.at[character] = match exit {
                Some(exit) => (FIRST_EXIT + exit) as u8,
                None => self.street_named(place)? as u8,
            };
        }
        state.facing = choice("direction", values.of("facing")?, &DIRECTIONS)? as u8;
        state.tiles = [0; LAMPS];
        for (lamp, tile) in pairs(values.of("lamps")?)? {
            let tiles = ["", "1", "2", "3", "4", "+"];
            state.tiles[self.lamp_named(lamp)?] = choice("lit tile", tile, &tiles)? as u8;
        }
        state.covers = 0;
        for name in list(values.of("covers")?) {
            state.covers |= 1 << self.manhole_named(name)?;
        }
        state.cordons = 0;
        for name in list(values.of("cordons")?) {
            state.cordons |= 1 << choice("exit", name, &EXIT_NAMES)?;
        }
        Ok(())
    }

    fn parse_pile(&self, state: &mut State, text: &str) -> Result<()> {
        (state.drawn, state.takers) = (0, 0);
        let cards = list(text);
        let mut all = 1u8 << state.jack;
        for (i, card) in cards.iter().enumerate().take(7) {
            let (name, taker) = card.split_once(':').unwrap_or((card, ""));
            state.pile[i] = choice("character", name, &CHARACTERS)? as u8;
            all |= 1 << state.pile[i];
            if !taker.is_empty() {
                let jack = choice("taker", taker, &["detective", "jack"])? as u8;
                state.drawn += u8::from(state.drawn as usize == i);
                state.takers |= jack << i;
            }
        }
        let ordered = cards.iter().take(state.drawn as usize).all(|card| card.contains(':'))
            && cards.iter().skip(state.drawn as usize).all(|card| !card.contains(':'));
        if cards.len() != 7 || all != 0xFF || !ordered || state.drawn > state.turn.div_ceil(2) {
            return Err(refused(
                &format!("pile={text}"),
                "the seven characters who are not Jack, those taken first as name:detective or name:jack, \
                 at most one in two turns",
            ));
        }
        Ok(())
    }
}

/// The parts of a position by name, as they are written.
struct Values<'a>([Option<&'a str>; NAMES.len()]);

const NAMES: [&str; 16] = [
    "turn", "step", "hand", "next", "deals", "at", "facing", "lamps", "covers", "cordons", "innocent",
    "witness", "jack", "pile", "accused", "end",
];

impl<'a> Values<'a> {
    fn read(text: &'a str) -> Result<Values<'a>> {
        let mut values = [None; NAMES.len()];
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').ok_or_else(|| refused(word, "name=value"))?;
            let place = choice("part of a mr_jack position", name, &NAMES)?;
            if values[place].replace(value).is_some() {
                return Err(Error::new(format!("a mr_jack position has {name} twice")));
            }
        }
        Ok(Values(values))
    }

    fn of(&self, name: &str) -> Result<&'a str> {
        let place = NAMES.iter().position(|&n| n == name).unwrap_or(0);
        let missing =
            || Error::new(format!("a mr_jack position has {}; {name} is missing", NAMES.join(", ")));
        self.0[place].ok_or_else(missing)
    }

    fn number(&self, name: &str, most: u8) -> Result<u8> {
        let text = self.of(name)?;
        let read = text.parse().ok().filter(|&n: &u8| n <= most);
        read.ok_or_else(|| refused(&format!("{name}={text}"), &format!("a number up to {most}")))
    }
}

fn refused(text: &str, allowed: &str) -> Error {
    Error::new(format!("a mr_jack position cannot have '{text}': {allowed}"))
}

fn list(text: &str) -> Vec<&str> {
    if text == "-" { Vec::new() } else { text.split(',').collect() }
}

fn pairs(text: &str) -> Result<Vec<(&str, &str)>> {
    let split = |item| str::split_once(item, ':').ok_or_else(|| refused(item, "two names joined by ':'"));
    list(text).into_iter().map(split).collect()
}

fn characters(text: &str) -> Result<u8> {
    let mut set = 0;
    for name in list(text) {
        set |= 1 << choice("character", name, &CHARACTERS)?;
    }
    Ok(set)
}

/// What holds in every position of a game.
fn check(state: &State) -> Result<()> {
    let laws = [
        (
            state.occupied().count_ones() == if state.accused == 0 { 8 } else { 7 },
            "everybody stands alone, except accuser and accused",
        ),
        (
            (0..8).all(|c| !is_out(state.at[c]) || state.end == End::Escape && c == state.jack as usize)
                && (state.end != End::Escape || is_out(state.at[state.jack as usize])),
            "Jack stands on an exit if he has escaped, nobody else ever",
        ),
        (
            (1..=4).all(|n| state.tiles.iter().filter(|&&t| t == n).count() == usize::from(n >= state.turn))
                && state.tiles.iter().filter(|&&t| t == UNNUMBERED).count() == 2,
            "lit are the two tiles without a number and those with the number of this turn or a later one",
        ),
        (state.covers.count_ones() == 2, "two manholes are covered"),
        (state.cordons.count_ones() == 2, "two exits have a cordon"),
        (state.innocent >> state.jack & 1 == 0, "Jack is not innocent"),
        (
            state.hand.count_ones() as u8 == 4 - state.step - u8::from(state.end != End::None),
            "the hand has four cards less those played in this turn",
        ),
        (
            state.next.count_ones() == 4 * u32::from(state.turn & 1) && state.next & state.hand == 0,
            "next are four other cards in an odd turn, none in an even one",
        ),
        (
            (0..3).all(|i| state.deals[i].count_ones() == 4 * u32::from(state.turn < 2 * i as u8 + 3)),
            "the deals of turns to come have four cards, the others none",
        ),
        (
            match state.end {
                End::Arrest => state.accused == 1 << state.jack,
                End::FalseAccusation => {
                    state.accused.count_ones() == 1 && state.accused >> state.jack & 1 == 0
                }
                End::None | End::Escape => state.accused == 0,
                End::Survival => state.accused == 0 && state.turn == TURNS && state.step == 3,
            },
            "the end agrees with who was accused and with the turn",
        ),
    ];
    match laws.iter().find(|(holds, _)| !holds) {
        None => Ok(()),
        Some((_, law)) => Err(Error::new(format!("not a mr_jack position: {law}"))),
    }
}
