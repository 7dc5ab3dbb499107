//! The board of Mr Jack: the hexes of Whitechapel, read from the shipped facts, and tables over them.
//!
//! Cells are numbered: streets 0..60 (manholes included), exits 60..64, gaslights 64..72, then buildings and
//! gardens. A set of streets is a 64-bit word. Rows of tables have 64 entries so that an exit is a valid index.

use serde_json::Value;

use crate::types::{Error, Result};

/// The only place where the facts of the board are kept: the data file of the Python package.
const FACTS: &str = include_str!("../../../python/coppice/data/mr_jack_board.json");

pub const STREETS: usize = 60;
pub const EXITS: usize = 4;
pub const LAMPS: usize = 8;
/// The first cell number of the exits and of the gaslights.
pub const FIRST_EXIT: usize = STREETS;
pub const FIRST_LAMP: usize = FIRST_EXIT + EXITS;
/// Surface distances are at most 15.
pub const RADII: usize = 16;

pub const DIRECTIONS: [&str; 6] = ["N", "NE", "SE", "S", "SW", "NW"];
pub const EXIT_NAMES: [&str; EXITS] = ["NW", "NE", "SW", "SE"];

/// The characters in the order of their numbers: the words of moves and positions.
pub const CHARACTERS: [&str; 8] =
    ["holmes", "watson", "smith", "lestrade", "stealthy", "goodley", "gull", "bert"];
pub const HOLMES: usize = 0;
pub const WATSON: usize = 1;
pub const SMITH: usize = 2;
pub const LESTRADE: usize = 3;
pub const STEALTHY: usize = 4;
pub const GOODLEY: usize = 5;
pub const GULL: usize = 6;
pub const BERT: usize = 7;

/// What the facts call them.
const FACT_NAMES: [&str; 8] = [
    "sherlock_holmes",
    "john_watson",
    "john_smith",
    "inspector_lestrade",
    "miss_stealthy",
    "sergeant_goodley",
    "sir_william_gull",
    "jeremy_bert",
];

/// A lit tile without a number; 1 to 4 are the numbered ones, 0 is no tile.
pub const UNNUMBERED: u8 = 5;

/// One cell as it is drawn: its column from the west, its row in half hexes from the north.
#[derive(Clone, Debug)]
pub struct Hex {
    pub name: String,
    pub column: usize,
    pub row2: i32,
    pub kind: &'static str,
}

/// How the pieces stand before the first turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetUp {
    pub at: [u8; 8],
    /// By gaslight: 0 is out.
    pub tiles: [u8; LAMPS],
    pub covers: u64,
    pub cordons: u8,
    pub facing: u8,
    /// Whether the witness card shows Visible.
    pub seen: bool,
}

#[derive(Clone)]
pub struct Map {
    pub hexes: Vec<Hex>,
    /// Steps between streets on the surface.
    pub distance: [[u8; 64]; 64],
    /// Streets within k steps on the surface, the start included.
    pub ball: [[u64; RADII]; 64],
    /// Streets at exactly k steps on the surface.
    pub ring: [[u64; 4]; 64],
    /// Streets within k steps when every hex may be crossed.
    pub crossing: [[u64; 5]; 64],
    /// Streets lit by a lantern in each direction.
    pub beam: [[u64; 6]; 64],
    /// Streets next to a lit gaslight, for every set of lit gaslights.
    pub light: [u64; 256],
    /// The street that each exit hangs on.
    pub gate: [u8; EXITS],
    pub manholes: u64,
    /// The manholes in ascending order; a cover's place in a packed move.
    pub manhole_list: Vec<u8>,
    pub set_up: SetUp,
}

fn missing(what: &str) -> Error {
    Error::new(format!("mr_jack: the facts of the board lack {what}"))
}

fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str> {
    value[key].as_str().ok_or_else(|| missing(key))
}

fn place(names: &[&str], name: &str) -> Result<usize> {
    names.iter().position(|&n| n == name).ok_or_else(|| missing(name))
}

fn object<'a>(value: &'a Value, key: &str) -> Result<&'a serde_json::Map<String, Value>> {
    value[key].as_object().ok_or_else(|| missing(key))
}

/// The hexes of the facts, in the order of cell numbers, with their neighbours by direction.
struct Hexes {
    cells: Vec<Hex>,
    neighbours: Vec<[Option<usize>; 6]>,
}

impl Hexes {
    fn cell(&self, name: &str) -> Result<usize> {
        self.cells.iter().position(|hex| hex.name == name).ok_or_else(|| missing(name))
    }

    fn street(&self, name: &str) -> Result<usize> {
        self.cell(name).ok().filter(|&cell| cell < STREETS).ok_or_else(|| missing(name))
    }

    fn read(facts: &Value, manholes: &serde_json::Map<String, Value>) -> Result<Hexes> {
        let list = facts["hexes"].as_array().ok_or_else(|| missing("hexes"))?;
        let mut groups: [Vec<(Hex, &Value)>; 3] = Default::default();
        for fact in list {
            let name = text(fact, "id")?;
            let (group, kind) = match text(fact, "type")? {
                "street" if manholes.contains_key(name) => (0, "manhole"),
                "street" => (0, "street"),
                "gaslight" => (1, "lamp"),
                "building" => (2, "building"),
                "garden" => (2, "garden"),
                other => return Err(missing(other)),
            };
            let number = |key: &str| fact[key].as_i64().ok_or_else(|| missing(key));
            let (column, row2) = (number("col")? as usize, number("row2")? as i32);
            groups[group].push((Hex { name: name.to_string(), column, row2, kind }, fact));
        }
        let [streets, lamps, obstacles] = groups;
        if streets.len() != STREETS || lamps.len() != LAMPS {
            return Err(missing("60 streets and 8 gaslights"));
        }
        let mut exits = Vec::new();
        for name in EXIT_NAMES {
            let gate = text(&facts["exits"][name], "attached_to")?;
            let (hex, _) = streets.iter().find(|(hex, _)| hex.name == gate).ok_or_else(|| missing(gate))?;
            let row2 = hex.row2 + if name.starts_with('N') { -2 } else { 2 };
            let exit = Hex { name: name.to_string(), column: hex.column, row2, kind: "exit" };
            exits.push((exit, &Value::Null));
        }
        let ordered: Vec<(Hex, &Value)> =
            streets.into_iter().chain(exits).chain(lamps).chain(obstacles).collect();
        let mut hexes =
            Hexes { cells: ordered.iter().map(|(hex, _)| hex.clone()).collect(), neighbours: Vec::new() };
        for (_, fact) in &ordered {
            let mut row = [None; 6];
            for (i, direction) in DIRECTIONS.iter().enumerate() {
                if let Some(name) = fact["neighbours"][direction].as_str() {
                    row[i] = Some(hexes.cell(name)?);
                }
            }
            hexes.neighbours.push(row);
        }
        Ok(hexes)
    }

    /// Steps from `start` to every cell; with `crossing`, through obstacles too.
    fn steps(&self, start: usize, crossing: bool) -> Vec<usize> {
        let mut steps = vec![usize::MAX; self.cells.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        steps[start] = 0;
        while let Some(cell) = queue.pop_front() {
            for &next in self.neighbours[cell].iter().flatten() {
                if steps[next] == usize::MAX && (crossing || next < STREETS) {
                    steps[next] = steps[cell] + 1;
                    queue.push_back(next);
                }
            }
        }
        steps
    }
}

impl Map {
    /// The board of an edition, `first_2006` or `revised`.
    pub fn new(edition: &str) -> Result<Map> {
        let facts: Value = serde_json::from_str(FACTS)
            .map_err(|error| Error::new(format!("mr_jack: the facts of the board are not JSON: {error}")))?;
        let edition = &facts["editions"][edition];
        let manholes = object(edition, "manholes")?;
        let hexes = Hexes::read(&facts, manholes)?;

        let mut set_up = SetUp {
            at: [0; 8],
            tiles: [0; LAMPS],
            covers: 0,
            cordons: 0,
            facing: place(&DIRECTIONS, text(edition, "watson_lantern_direction")?)? as u8,
            seen: text(&facts, "witness_card_at_start")? == "visible",
        };
        for (character, fact) in FACT_NAMES.iter().enumerate() {
            set_up.at[character] = hexes.street(text(&edition["characters"], fact)?)? as u8;
        }
        let mut all_manholes = 0;
        for (name, cover) in manholes {
            let bit = 1u64 << hexes.street(name)?;
            all_manholes |= bit;
            if cover == "covered" {
                set_up.covers |= bit;
            }
        }
        for (name, lamp) in object(&facts, "gaslights")? {
            let cell = hexes.cell(name)?;
            if !(FIRST_LAMP..FIRST_LAMP + LAMPS).contains(&cell) {
                return Err(missing("a gaslight"));
            }
            if lamp["lit_at_start"] == true {
                set_up.tiles[cell - FIRST_LAMP] =
                    lamp["number"].as_u64().map_or(UNNUMBERED, |number| number as u8);
            }
        }
        let mut gate = [0; EXITS];
        for (i, name) in EXIT_NAMES.iter().enumerate() {
            let exit = &facts["exits"][name];
            gate[i] = hexes.street(text(exit, "attached_to")?)? as u8;
            set_up.cordons |= u8::from(exit["cordon_at_start"] == true) << i;
        }

        let mut map = Map {
            distance: [[0; 64]; 64],
            ball: [[0; RADII]; 64],
            ring: [[0; 4]; 64],
            crossing: [[0; 5]; 64],
            beam: [[0; 6]; 64],
            light: [0; 256],
            gate,
            manholes: all_manholes,
            manhole_list: bits(all_manholes).map(|street| street as u8).collect(),
            set_up,
            hexes: Vec::new(),
        };
        map.fill(&hexes);
        map.hexes = hexes.cells;
        Ok(map)
    }

    fn fill(&mut self, hexes: &Hexes) {
        for street in 0..STREETS {
            let (surface, crossing) = (hexes.steps(street, false), hexes.steps(street, true));
            for other in 0..STREETS {
                let bit = 1u64 << other;
                self.distance[street][other] = surface[other] as u8;
                for radius in surface[other]..RADII {
                    self.ball[street][radius] |= bit;
                }
                if surface[other] < 4 {
                    self.ring[street][surface[other]] |= bit;
                }
                for radius in crossing[other]..5 {
                    self.crossing[street][radius] |= bit;
                }
            }
            for direction in 0..6 {
                let mut cell = street;
                // Characters do not stop the beam; the first obstacle or the edge does.
                while let Some(next) = hexes.neighbours[cell][direction].filter(|&next| next < STREETS) {
                    self.beam[street][direction] |= 1 << next;
                    cell = next;
                }
            }
        }
        for lit in 0..256usize {
            for lamp in (0..LAMPS).filter(|lamp| lit >> lamp & 1 == 1) {
                for &next in hexes.neighbours[FIRST_LAMP + lamp].iter().flatten() {
                    if next < STREETS {
                        self.light[lit] |= 1 << next;
                    }
                }
            }
        }
    }

    pub fn name(&self, cell: usize) -> &str {
        &self.hexes[cell].name
    }

    /// The street with this name, in small or capital letters.
    pub fn street(&self, name: &str) -> Option<usize> {
        self.hexes[..STREETS].iter().position(|hex| hex.name.eq_ignore_ascii_case(name))
    }

    /// The gaslight with this name, 0..8.
    pub fn lamp(&self, name: &str) -> Option<usize> {
        self.hexes[FIRST_LAMP..FIRST_LAMP + LAMPS].iter().position(|hex| hex.name.eq_ignore_ascii_case(name))
    }

    /// Streets within `steps` from `start` on the surface and through the `open` manholes, start included.
    ///
    /// Open manholes are pairwise one step apart, so one passage through the sewers is never worse than more.
    #[inline]
    pub fn walk(&self, start: usize, steps: usize, open: u64) -> u64 {
        reach(&self.ball, start, steps, open)
    }

    /// The same when obstacles may be crossed.
    #[inline]
    pub fn stride(&self, start: usize, steps: usize, open: u64) -> u64 {
        reach(&self.crossing, start, steps, open)
    }
}

#[inline]
fn reach<const N: usize>(ball: &[[u64; N]; 64], start: usize, steps: usize, open: u64) -> u64 {
    let mut reached = ball[start][steps];
    for first in 0..steps {
        if ball[start][first] & open != 0 {
            let left = steps - 1 - first;
            for manhole in bits(open) {
                reached |= ball[manhole][left];
            }
            break;
        }
    }
    reached
}

/// The elements of a set in ascending order.
#[inline]
pub fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let bit = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(bit)
    })
}

/// The k-th element of a set; 64 if it has fewer.
#[inline]
pub fn nth(mut set: u64, k: usize) -> usize {
    for _ in 0..k {
        set &= set.wrapping_sub(1);
    }
    set.trailing_zeros() as usize
}
