//! What a side may know of Mr Jack, the worlds that it cannot tell apart, and what everybody sees drawn.

use super::MrJack;
use super::board::*;
use super::moves::{ACCUSE, DESTINATIONS, SWAP, character_of, destination_of, power_of};
use super::state::{DETECTIVE, End, JACK, State, TURNS, deal, is_out, names};
use super::whistle::Whistle;
use crate::game::{Board, Cell, CellKind, Ending, Piece, PieceKind, Present, Secrets, Shape, View, Whose};
use crate::types::{Move, Result, Rng, Side};

/// Between the centres of two columns, in heights of a hex.
const COLUMN: f32 = 0.866_025_4;

impl Secrets<MrJack> for MrJack {
    /// The public facts, then the side's own secrets.
    fn view(&self, state: &State, side: Side) -> View {
        let mut facts = vec![
            ("turn", state.turn.to_string()),
            ("step", state.step.to_string()),
            ("to_move", if state.side() == DETECTIVE { "detective" } else { "jack" }.to_string()),
            ("hand", names(state.hand)),
            ("next", names(state.next)),
        ];
        facts.extend(self.board_facts(state));
        let taken = |side| state.alibis(side).count_ones().to_string();
        facts.push(("visible", names(self.visible(state))));
        facts.push(("alibis_left", (7 - state.drawn).to_string()));
        facts.push(("alibis_of_detective", taken(DETECTIVE)));
        facts.push(("alibis_of_jack", taken(JACK)));
        facts.push(("accused", names(state.accused)));
        facts.push(("end", if state.end == End::None { "-" } else { state.end.name() }.to_string()));
        facts.push(("own_alibis", names(state.alibis(side))));
        match side {
            Side::First => facts.push(("suspects", names(self.suspects(state)))),
            Side::Second => facts.push(("jack", CHARACTERS[state.jack as usize].to_string())),
        }
        View { facts: facts.into_iter().map(|(name, value)| (name.to_string(), value)).collect() }
    }

    /// The detective does not know who Jack is, nor the alibi cards he has not taken; Jack does not know
    /// those that he has not taken; neither knows the deals to come. Every identity left to the detective
    /// leaves the same number of orders of the cards, so to draw the identity and then the order, each
    /// uniformly, is to draw the world uniformly.
    fn determinize(&self, state: &State, observer: Side, rng: &mut Rng) -> State {
        let mut world = *state;
        if observer == DETECTIVE {
            let suspects = self.suspects(state) as u64;
            world.jack = nth(suspects, rng.below(suspects.count_ones() as usize)) as u8;
        }
        let own = |i: usize| i < state.drawn as usize && (state.takers >> i & 1 == 1) == (observer == JACK);
        let known = state.alibis(observer) | 1 << world.jack;
        let mut unknown = [0u8; 7];
        let mut count = 0;
        for card in bits(!known as u64 & 0xFF) {
            unknown[count] = card as u8;
            count += 1;
        }
        rng.shuffle(&mut unknown[..count]);
        for i in (0..7).filter(|&i| !own(i)) {
            count -= 1;
            world.pile[i] = unknown[count];
        }
        for hidden in world.deals.iter_mut().filter(|hidden| **hidden != 0) {
            *hidden = deal(rng);
        }
        world
    }

    fn answer(&self, state: &State) -> u32 {
        self.witness_answer(state)
    }

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

impl MrJack {
    fn other_suspects(&self, state: &State) -> u64 {
        (self.suspects(state) & !(1 << state.jack)) as u64
    }

    /// The same world with another Jack: his card and the old one change places. He must be somebody whom the
    /// detective suspects, so that neither the detective nor the public sees a difference.
    pub fn with_identity(&self, state: &State, character: usize) -> State {
        let mut world = *state;
        if let Some(place) = state.pile.iter().position(|&card| card as usize == character) {
            world.pile[place] = state.jack;
            world.jack = character as u8;
        }
        world
    }
}

impl Present for MrJack {
    const SIDES: [&'static str; 2] = ["Detective", "Jack"];
    const ENDINGS: &'static [Ending] = &[
        Ending::of(Whose::Always(DETECTIVE), "arrest", "arrested Jack", "arresting Jack"),
        Ending::of(
            Whose::Always(DETECTIVE),
            "false_accusation",
            "accused the wrong person",
            "accusing the wrong person",
        ),
        Ending::of(Whose::Always(JACK), "escape", "escaped", "escaping"),
        Ending::of(Whose::Always(JACK), "survival", "was not caught in time", "not being caught in time"),
    ];

    fn end_kind(&self, state: &State) -> &'static str {
        state.end.name()
    }

    /// The hex of the accusation, or the exit of the escape.
    fn winning_cells(&self, state: &State) -> Vec<usize> {
        match state.end {
            End::Arrest | End::FalseAccusation => {
                vec![state.at[state.accused.trailing_zeros() as usize] as usize]
            }
            End::Escape => vec![state.at[state.jack as usize] as usize],
            End::None | End::Survival => Vec::new(),
        }
    }

    fn move_name(&self, state: &State, mv: Move) -> String {
        self.decision_text(state, mv)
    }

    fn parse_move_in(&self, state: &State, text: &str, notation: &str) -> Result<Move> {
        self.parse_decision(state, text, notation)
    }

    fn state_text(&self, state: &State) -> String {
        self.position_text(state)
    }

    fn parse_state(&self, text: &str) -> Result<State> {
        self.parse_position(text)
    }

    /// The map as everybody sees it: nothing that depends on a secret.
    fn diagram(&self, state: &State) -> String {
        let map = &self.map;
        let mut rows = vec![vec!["    ".to_string(); 13]; 17];
        for (cell, hex) in map.hexes.iter().enumerate() {
            let covered = cell < STREETS && state.covers >> cell & 1 == 1;
            let text = match hex.kind {
                "manhole" => if covered { "(x)" } else { "(o)" }.to_string(),
                "lamp" => match state.tiles[cell - FIRST_LAMP] {
                    0 => "*-*".to_string(),
                    UNNUMBERED => "*+*".to_string(),
                    number => format!("*{number}*"),
                },
                "building" => "###".to_string(),
                "garden" => "&&&".to_string(),
                "exit" => {
                    let closed = state.cordons >> (cell - FIRST_EXIT) & 1 == 1;
                    format!("{}{}", if closed { 'x' } else { '>' }, hex.name)
                }
                _ => " . ".to_string(),
            };
            rows[hex.row2 as usize][hex.column] = format!("{text:<4}");
        }
        for (character, &at) in state.at.iter().enumerate() {
            let hex = &map.hexes[at as usize];
            let letters = &CHARACTERS[character][..2];
            let suspect = state.innocent >> character & 1 == 0;
            let letters = if suspect { letters.to_uppercase() } else { letters.to_string() };
            rows[hex.row2 as usize][hex.column] = format!("[{letters}]");
        }
        let letters: String = (0..13).map(|column| format!("{:<4}", (b'a' + column) as char)).collect();
        let mut lines = vec![letters.trim_end().to_string()];
        lines.extend(rows.iter().map(|row| row.concat().trim_end().to_string()));
        let places = state.at.iter().enumerate();
        let places: Vec<String> =
            places.map(|(c, &at)| format!("{} {}", CHARACTERS[c], map.name(at as usize))).collect();
        let covers: Vec<&str> = bits(state.covers).map(|street| map.name(street)).collect();
        let list = |set: u8| names(set).replace(',', ", ");
        let next = match (state.next, state.turn) {
            (0, TURNS) => "none".to_string(),
            (0, _) => "to be dealt".to_string(),
            (cards, _) => list(cards),
        };
        lines.extend([
            "[AB] suspect  [ab] innocent  (o) manhole  (x) covered  *1* lit gaslight  *-* out  >NW exit  xNW closed"
                .to_string(),
            format!(
                "turn {}, {} to move; in hand: {}; next turn: {}",
                state.turn,
                if state.side() == DETECTIVE { "the detective" } else { "Jack" },
                list(state.hand),
                next
            ),
            format!(
                "witness card: {}; lantern: {}; covered: {}",
                if state.seen { "visible" } else { "invisible" },
                DIRECTIONS[state.facing as usize],
                covers.join(", ")
            ),
            places.join(", "),
        ]);
        lines.join("\n")
    }

    fn board(&self) -> Board {
        let cell = |hex: &Hex| Cell {
            name: hex.name.clone(),
            x: hex.column as f32 * COLUMN,
            y: hex.row2 as f32 / 2.0,
            kind: CellKind::of(hex.kind),
        };
        Board::new(Shape::HexFlat, self.map.hexes.iter().map(cell).collect())
    }

    /// The gaslights, covers and cordons, the lantern with what it shines on, then the characters.
    fn pieces(&self, state: &State) -> Vec<Piece> {
        let piece = |kind: PieceKind, cell: usize| Piece::new(kind, None, vec![cell]);
        let mut pieces = Vec::new();
        for (lamp, &tile) in state.tiles.iter().enumerate() {
            let number = (1..UNNUMBERED).contains(&tile).then_some(tile);
            let lit = if tile == 0 { "out" } else { "lit" };
            pieces.push(Piece { number, state: lit, ..piece(PieceKind::Lamp, FIRST_LAMP + lamp) });
        }
        pieces.extend(bits(state.covers).map(|street| piece(PieceKind::Cover, street)));
        pieces.extend(bits(state.cordons as u64).map(|exit| piece(PieceKind::Cordon, FIRST_EXIT + exit)));
        let (bearer, facing) = (state.at[WATSON], state.facing as usize);
        if !is_out(bearer) {
            let mut cells = vec![bearer as usize];
            cells.extend(bits(self.map.beam[bearer as usize][facing]));
            let lantern = Piece::new(PieceKind::Lantern, None, cells);
            pieces.push(Piece { name: DIRECTIONS[facing], ..lantern });
        }
        for (character, &at) in state.at.iter().enumerate() {
            let cleared = if state.innocent >> character & 1 == 1 { "cleared" } else { "" };
            let token = piece(PieceKind::Token, at as usize);
            pieces.push(Piece { name: CHARACTERS[character], state: cleared, ..token });
        }
        pieces
    }

    /// From, to, then what the power touches.
    fn move_cells(&self, state: &State, mv: Move) -> Vec<usize> {
        let (character, destination, power) = (character_of(mv), destination_of(mv), power_of(mv));
        let code = power.wrapping_sub(1) as usize;
        let mut places = state.at;
        let mut others = Vec::new();
        match character {
            _ if power == 0 => {}
            SMITH => others.extend([FIRST_LAMP + code / 8, FIRST_LAMP + code % 8]),
            LESTRADE => others.extend([FIRST_EXIT + code / 4, FIRST_EXIT + code % 4]),
            BERT => {
                let list = &self.map.manhole_list;
                others.extend([list[code % 81 / 9] as usize, list[code % 9] as usize]);
            }
            GULL => others.push(state.at[code / 6] as usize),
            GOODLEY => {
                for &(called, end) in Whistle::unpack(&self.map, state, power >> 1).movers() {
                    others.extend([state.at[called as usize] as usize, end as usize]);
                    places[called as usize] = end;
                }
            }
            _ => {}
        }
        let mut cells = vec![state.at[character] as usize];
        if destination >= ACCUSE {
            cells.push(places[destination - ACCUSE] as usize);
        } else if destination != SWAP {
            cells.push(destination);
        }
        cells.extend(others);
        cells
    }

    fn slot_cells(&self, _: &State, slot: usize) -> Vec<usize> {
        let destination = slot % DESTINATIONS;
        if destination < SWAP { vec![destination] } else { Vec::new() }
    }
}
