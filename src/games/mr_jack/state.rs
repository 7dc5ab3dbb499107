//! The state of Mr Jack, what is true in it (who is seen, who is suspect), and the course of a turn.

use super::MrJack;
use super::board::{CHARACTERS, FIRST_EXIT, LAMPS, WATSON, bits};
use crate::types::{Outcome, Rng, Side};

/// The turns of a game, and the activations of a turn.
pub const TURNS: u8 = 8;
pub const STEPS: u8 = 4;

/// Side First is the detective.
pub const DETECTIVE: Side = Side::First;
pub const JACK: Side = Side::Second;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum End {
    None,
    /// The detective accused Jack.
    Arrest,
    /// The detective accused somebody else.
    FalseAccusation,
    Escape,
    /// Eight turns without an arrest.
    Survival,
}

impl End {
    pub const ALL: [End; 5] = [End::None, End::Arrest, End::FalseAccusation, End::Escape, End::Survival];

    pub fn name(self) -> &'static str {
        match self {
            End::None => "",
            End::Arrest => "arrest",
            End::FalseAccusation => "false_accusation",
            End::Escape => "escape",
            End::Survival => "survival",
        }
    }
}

/// Everything, secrets included. Sets of characters are bytes, sets of streets 64-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The street of each character; who has escaped stands on the cell of the exit.
    pub at: [u8; 8],
    /// The lit tile on each gaslight: 0 none, 1 to 4 its number, 5 unnumbered.
    pub tiles: [u8; LAMPS],
    /// Covered manholes.
    pub covers: u64,
    /// Exits with a cordon.
    pub cordons: u8,
    /// The direction of Watson's lantern.
    pub facing: u8,
    /// Characters flipped to their innocent side.
    pub innocent: u8,
    /// Whether the witness card shows Visible.
    pub seen: bool,
    /// 1 to 8.
    pub turn: u8,
    /// Activations made in this turn, 0 to 3.
    pub step: u8,
    /// Cards still face up in this turn.
    pub hand: u8,
    /// In an odd turn the cards of the next one; both sides know them. Else none.
    pub next: u8,
    /// The cards of turns 3, 5 and 7, as long as nobody has seen them; then none.
    pub deals: [u8; 3],
    /// The character who is Jack.
    pub jack: u8,
    /// The alibi cards, the first `drawn` of which are taken.
    pub pile: [u8; 7],
    pub drawn: u8,
    /// Bit i: the i-th taken card is Jack's, else the detective's.
    pub takers: u8,
    /// Who has been accused: nobody or one character.
    pub accused: u8,
    pub end: End,
}

impl State {
    /// The streets on which somebody stands.
    #[inline]
    pub fn occupied(&self) -> u64 {
        let mut set = 0;
        for &at in &self.at {
            set |= 1u64 << (at & 63);
        }
        set
    }

    /// The gaslights that are lit.
    #[inline]
    pub fn lit(&self) -> u8 {
        let mut set = 0;
        for (lamp, &tile) in self.tiles.iter().enumerate() {
            set |= u8::from(tile != 0) << lamp;
        }
        set
    }

    /// The alibi cards that `side` has taken, as a set of characters.
    pub fn alibis(&self, side: Side) -> u8 {
        (0..self.drawn as usize)
            .filter(|&i| (self.takers >> i & 1 == 1) == (side == JACK))
            .fold(0, |set, i| set | 1 << self.pile[i])
    }

    #[inline]
    pub fn side(&self) -> Side {
        let outer = matches!(self.step, 0 | 3);
        if outer == (self.turn & 1 == 1) { DETECTIVE } else { JACK }
    }

    pub fn outcome(&self) -> Option<Outcome> {
        match self.end {
            End::None => None,
            End::Arrest => Some(Outcome::Win(DETECTIVE)),
            End::FalseAccusation | End::Escape | End::Survival => Some(Outcome::Win(JACK)),
        }
    }
}

/// A set of four of the eight cards.
pub fn deal(rng: &mut Rng) -> u8 {
    let mut cards = [0u8, 1, 2, 3, 4, 5, 6, 7];
    rng.shuffle(&mut cards);
    cards[..4].iter().fold(0, |set, card| set | 1 << card)
}

impl MrJack {
    pub(super) fn set_up(&self, rng: &mut Rng) -> State {
        let set_up = &self.map.set_up;
        let mut alibis = [0u8, 1, 2, 3, 4, 5, 6, 7];
        rng.shuffle(&mut alibis);
        let mut pile = [0; 7];
        pile.copy_from_slice(&alibis[1..]);
        let hand = deal(rng);
        State {
            at: set_up.at,
            tiles: set_up.tiles,
            covers: set_up.covers,
            cordons: set_up.cordons,
            facing: set_up.facing,
            innocent: 0,
            seen: set_up.seen,
            turn: 1,
            step: 0,
            hand,
            next: !hand,
            deals: [deal(rng), deal(rng), deal(rng)],
            jack: alibis[0],
            pile,
            drawn: 0,
            takers: 0,
            accused: 0,
            end: End::None,
        }
    }

    /// The open manholes.
    #[inline]
    pub fn open(&self, state: &State) -> u64 {
        self.map.manholes & !state.covers
    }

    /// The characters who are seen now: by a gaslight, by a neighbour, or in Watson's beam.
    #[inline]
    pub fn visible(&self, state: &State) -> u8 {
        let map = &self.map;
        let occupied = state.occupied();
        let watson = state.at[WATSON] as usize & 63;
        let lit = map.light[state.lit() as usize] | map.beam[watson][state.facing as usize];
        let mut seen = 0;
        for (character, &at) in state.at.iter().enumerate() {
            let at = at as usize & 63;
            let met = map.ring[at][1] & occupied != 0 || lit >> at & 1 == 1;
            seen |= u8::from(met) << character;
        }
        seen
    }

    /// Whom the detective must still suspect: not flipped, and not among the detective's own alibi cards.
    /// What the end of the game has revealed counts too.
    #[inline]
    pub fn suspects(&self, state: &State) -> u8 {
        let open = !state.innocent & !state.alibis(DETECTIVE);
        match state.end {
            End::None | End::Survival => open,
            End::Arrest | End::Escape => 1 << state.jack,
            End::FalseAccusation => open & !state.accused,
        }
    }

    /// Which character is Jack.
    pub fn identity(&self, state: &State) -> usize {
        state.jack as usize
    }

    /// Steps between two characters on the surface, both on the board.
    pub fn distance(&self, state: &State, one: usize, other: usize) -> usize {
        self.map.distance[state.at[one] as usize & 63][state.at[other] as usize & 63] as usize
    }

    /// Whether the witnesses are called at the end of this turn.
    pub fn is_called(&self, turn: u8) -> bool {
        turn < TURNS && (self.every_turn || turn & 1 == 0)
    }

    /// What the witnesses have just said: 1 visible, 2 invisible; 0 if nobody has just been asked.
    pub(super) fn witness_answer(&self, state: &State) -> u32 {
        let just = state.step == 0 && state.turn > 1 && state.end == End::None;
        if just && self.is_called(state.turn - 1) { if state.seen { 1 } else { 2 } } else { 0 }
    }

    /// Ends an activation: the next one, the next turn, or the end of the game.
    #[inline]
    pub(super) fn finish_step(&self, state: &mut State) {
        if state.step + 1 < STEPS {
            state.step += 1;
            return;
        }
        if state.turn == TURNS {
            state.end = End::Survival;
            return;
        }
        if self.is_called(state.turn) {
            let visible = self.visible(state);
            state.seen = visible >> state.jack & 1 == 1;
            state.innocent |= if state.seen { !visible } else { visible };
        }
        if state.turn <= 4
            && let Some(lamp) = state.tiles.iter().position(|&tile| tile == state.turn)
        {
            state.tiles[lamp] = 0;
        }
        state.turn += 1;
        state.step = 0;
        if state.turn & 1 == 0 {
            // Where a search leaves the draw open, the cards that nobody has chosen are still in hand.
            state.hand |= state.next;
            state.next = 0;
        } else {
            let pair = state.turn as usize / 2 - 1;
            state.hand = state.deals[pair];
            state.next = !state.hand;
            state.deals[pair] = 0;
        }
    }

    /// The exits that hang on one of these streets.
    #[inline]
    pub(super) fn gates(&self, near: u64) -> u8 {
        let mut set = 0;
        for (exit, &gate) in self.map.gate.iter().enumerate() {
            set |= ((near >> gate & 1) as u8) << exit;
        }
        set
    }

    /// Whether Jack's side may take this character out in this activation, exits apart.
    #[inline]
    pub(super) fn may_escape(&self, state: &State, character: usize) -> bool {
        !state.seen && state.jack as usize == character && state.side() == JACK
    }
}

/// The names of a set of characters, joined by commas; `-` for nobody.
pub fn names(set: u8) -> String {
    let list: Vec<&str> = bits(set as u64).map(|character| CHARACTERS[character]).collect();
    if list.is_empty() { "-".to_string() } else { list.join(",") }
}

/// Where somebody stands: a street or, after an escape, an exit.
pub fn is_out(at: u8) -> bool {
    at as usize >= FIRST_EXIT
}
