//! Small patterns of Havannah: what stands on the six cells around an empty one, as the side to move sees it.
//!
//! A neighbour is empty, own, the other side's, or off the board. Patterns that a rotation or reflection of the
//! board turns into each other are one *class*; it is named after its smallest image, read around the cell:
//! `.` empty, `o` own, `x` the other side's, `#` off the board.

use std::sync::OnceLock;

use super::geometry::{BITS, Geometry, STEPS, STRIDE, surroundings};
use super::{Havannah, State};
use crate::game::Patterns;
use crate::types::{Move, Side};

/// What a neighbour may be, by number.
const LETTERS: [char; 4] = ['.', 'o', 'x', '#'];
const OFF: u8 = 3;
/// Ways to fill six neighbours that are on the board.
const FILLED: usize = 729;
/// Which neighbours can be off the board: none, two in a row (a side), three in a row (a corner).
const FRAMES: usize = 13;
const CODES: usize = FRAMES * FILLED;

/// The weights that were learnt for this game, with the command that made them.
const SHIPPED: &str = include_str!("../../../python/coppice/data/patterns/havannah.json");

/// The stones of one side in `surroundings` as digits of base 3, the neighbours in the order of `STEPS`.
const DIGITS: [u16; 128] = digits();

const fn digits() -> [u16; 128] {
    let mut table = [0; 128];
    let mut around = 0;
    while around < 128 {
        let (mut direction, mut digit) = (0, 1);
        while direction < 6 {
            if around >> BITS[direction] & 1 == 1 {
                table[around] += digit;
            }
            digit *= 3;
            direction += 1;
        }
        around += 1;
    }
    table
}

/// The largest difference of two positions in a bridge.
const REACH: i32 = 2 * STRIDE as i32 + 1;

/// By the difference of two positions: 1 beside each other, 2 in a bridge, 0 elsewhere. Columns are fewer than half
/// of the stride, so that no two places on the board have the difference of others.
const NEARNESS: [u8; 2 * REACH as usize + 1] = nearness();

const fn nearness() -> [u8; 2 * REACH as usize + 1] {
    let mut table = [0; 2 * REACH as usize + 1];
    let mut direction = 0;
    while direction < 6 {
        let (one, other) = (STEPS[direction], STEPS[(direction + 1) % 6]);
        let beside = one.0 + one.1 * STRIDE as i32;
        table[(REACH + beside) as usize] = 1;
        table[(REACH + beside + other.0 + other.1 * STRIDE as i32) as usize] = 2;
        direction += 1;
    }
    table
}

/// By position: the place of its frame in `FRAMES`.
pub(super) fn frames(geometry: &Geometry) -> Vec<u8> {
    let mut frames = vec![0; geometry.width * STRIDE];
    for cell in 0..geometry.cells {
        let (column, row) = geometry.place(cell);
        let off = STEPS.map(|(dx, dy)| geometry.cell_at(column as i32 + dx, row as i32 + dy).is_none());
        let count = off.iter().filter(|&&off| off).count();
        // They are next to each other: the first is the one after a neighbour on the board.
        let first = (0..6).find(|&direction| off[direction] && !off[(direction + 5) % 6]);
        frames[geometry.position[cell] as usize] = match (count, first) {
            (2, Some(first)) => 1 + first as u8,
            (3, Some(first)) => 7 + first as u8,
            _ => 0,
        };
    }
    frames
}

/// What stands around a cell with this code; None if something stands off the board.
fn neighbours_of(code: usize) -> Option<[u8; 6]> {
    let (frame, mut filled) = (code / FILLED, code % FILLED);
    let mut around = [0; 6];
    for neighbour in &mut around {
        *neighbour = (filled % 3) as u8;
        filled /= 3;
    }
    let (first, count) = match frame {
        0 => (0, 0),
        1..=6 => (frame - 1, 2),
        _ => (frame - 7, 3),
    };
    for direction in first..first + count {
        let neighbour = &mut around[direction % 6];
        if *neighbour != 0 {
            return None;
        }
        *neighbour = OFF;
    }
    Some(around)
}

/// The smallest of the twelve images of a pattern.
fn smallest(around: [u8; 6]) -> [u8; 6] {
    let images = (0..12)
        .map(|image| std::array::from_fn(|i| around[if image < 6 { image + i } else { image + 6 - i } % 6]));
    images.min().unwrap_or(around)
}

struct Classes {
    /// By code.
    of: Vec<Option<u16>>,
    /// By class.
    names: Vec<String>,
}

fn classes() -> &'static Classes {
    static CLASSES: OnceLock<Classes> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let patterns: Vec<Option<[u8; 6]>> =
            (0..CODES).map(|code| neighbours_of(code).map(smallest)).collect();
        let mut known: Vec<[u8; 6]> = patterns.iter().copied().flatten().collect();
        known.sort_unstable();
        known.dedup();
        let number = |pattern: [u8; 6]| known.binary_search(&pattern).ok().map(|class| class as u16);
        let name = |pattern: &[u8; 6]| pattern.iter().map(|&kind| LETTERS[kind as usize]).collect();
        Classes {
            of: patterns.into_iter().map(|pattern| pattern.and_then(number)).collect(),
            names: known.iter().map(name).collect(),
        }
    })
}

impl Patterns<Havannah> for Havannah {
    fn names(&self) -> &'static [String] {
        &classes().names
    }

    fn classes(&self) -> &'static [Option<u16>] {
        &classes().of
    }

    #[inline]
    fn code(&self, state: &State, side: Side, mv: Move) -> Option<usize> {
        let cell = mv.0 as usize;
        if cell >= self.geometry.cells {
            return None;
        }
        let position = at!(self.geometry.position, cell) as usize;
        let own = DIGITS[surroundings(&state.stones[side.index()], position)];
        let other = DIGITS[surroundings(&state.stones[side.other().index()], position)];
        Some(at!(self.frames, position) as usize * FILLED + (own + 2 * other) as usize)
    }

    #[inline]
    fn nearness(&self, mv: Move, last: Move) -> usize {
        let cells = self.geometry.cells;
        if mv.0 as usize >= cells || last.0 as usize >= cells {
            return 0;
        }
        let position = |mv: Move| at!(self.geometry.position, mv.0 as usize) as i32;
        NEARNESS.get((REACH + position(mv) - position(last)) as usize).map_or(0, |&near| near as usize)
    }

    fn picture(&self, class: usize) -> String {
        let around: Vec<char> = classes().names[class].chars().collect();
        let [a, b, c, d, e, f] = std::array::from_fn(|i| around[i]);
        format!(" {e} {f}\n{d} + {a}\n {c} {b}")
    }

    fn shipped(&self) -> &'static str {
        SHIPPED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{FastPlay, Present, Rules};
    use crate::types::Rng;
    use proptest::{prop_assert_eq, proptest};

    /// The cell that a rotation by sixty degrees, so many times, and then perhaps a reflection takes a cell to.
    fn image(geometry: &Geometry, cell: usize, turns: usize, reflect: bool) -> usize {
        let middle = geometry.size as i32 - 1;
        let (column, row) = geometry.place(cell);
        let (mut x, mut y) = (column as i32 - middle, row as i32 - middle);
        for _ in 0..turns {
            (x, y) = (x - y, x);
        }
        if reflect {
            (x, y) = (y, x);
        }
        geometry.cell_at(x + middle, y + middle).unwrap()
    }

    fn class(game: &Havannah, state: &State, side: Side, mv: Move) -> usize {
        game.classes()[game.code(state, side, mv).unwrap()].unwrap() as usize
    }

    /// A game's first random moves, the last one named.
    fn played(game: &Havannah, seed: u64, length: usize) -> (State, Vec<Move>) {
        let mut rng = Rng::new(seed);
        let mut state = game.initial_state(&mut rng);
        let mut moves = Vec::new();
        while moves.len() < length && game.outcome(&state).is_none() {
            moves.push(game.play_random(&mut state, &mut rng));
        }
        (state, moves)
    }

    #[test]
    fn there_are_as_many_classes_as_counting_gives() {
        // Bracelets of six beads in three colours, strings of four and of three up to reversal.
        let game = Havannah::new(4, false);
        assert_eq!(game.names().len(), 92 + 45 + 18);
        assert_eq!((game.names()[0].as_str(), game.names()[154].as_str()), ("......", "xxx###"));
        assert_eq!(game.classes().len(), CODES);
        assert_eq!(game.picture(0), " . .\n. + .\n . .");
        let class = game.names().iter().position(|name| name == ".oox##").unwrap();
        assert_eq!(game.picture(class), " # #\nx + .\n o o");
    }

    #[test]
    fn a_class_is_what_stands_around_the_cell() {
        let mut found = vec![false; 155];
        for size in [2, 3, 5, 13] {
            let game = Havannah::new(size, true);
            let geometry = &game.geometry;
            for seed in 0..60 {
                let (state, moves) = played(&game, seed, 3 * seed as usize);
                let mut legal = Vec::new();
                game.legal_moves(&state, &mut legal);
                for &mv in legal.iter().filter(|mv| (mv.0 as usize) < game.cells()) {
                    let (column, row) = geometry.place(mv.0 as usize);
                    for side in Side::BOTH {
                        let around = STEPS.map(|(dx, dy)| {
                            let Some(cell) = geometry.cell_at(column as i32 + dx, row as i32 + dy) else {
                                return OFF;
                            };
                            let piece = game.pieces(&state).into_iter().find(|piece| piece.cells[0] == cell);
                            piece.map_or(0, |piece| if piece.side == Some(side) { 1 } else { 2 })
                        });
                        let name: String = smallest(around).iter().map(|&k| LETTERS[k as usize]).collect();
                        let class = class(&game, &state, side, mv);
                        assert_eq!(game.names()[class], name);
                        found[class] = true;
                    }
                    if let Some(&last) = moves.last().filter(|last| (last.0 as usize) < game.cells()) {
                        let (x, y) = geometry.place(last.0 as usize);
                        let step = (column as i32 - x as i32, row as i32 - y as i32);
                        // Two steps in one direction are no bridge.
                        let near = match geometry.distance(mv.0 as usize, last.0 as usize) {
                            1 => 1,
                            2 if !STEPS.contains(&(step.0 / 2, step.1 / 2))
                                || step.0 % 2 != 0
                                || step.1 % 2 != 0 =>
                            {
                                2
                            }
                            _ => 0,
                        };
                        assert_eq!(game.nearness(mv, last), near);
                    }
                }
            }
        }
        assert!(found.iter().filter(|found| **found).count() > 140, "{found:?}");
    }

    #[test]
    fn what_sets_no_stone_has_no_pattern() {
        let game = Havannah::new(3, true);
        let (state, _) = played(&game, 1, 1);
        assert_eq!(game.code(&state, Side::Second, Move(19)), None);
        assert_eq!((game.nearness(Move(19), Move(0)), game.nearness(Move(0), Move(19))), (0, 0));
    }

    proptest! {
        #[test]
        fn all_images_of_a_position_have_the_same_classes(seed in 0u64.., size in 2usize..8, length in 0usize..60) {
            let game = Havannah::new(size, false);
            let geometry = &game.geometry;
            let (state, moves) = played(&game, seed, length);
            let mut legal = Vec::new();
            game.legal_moves(&state, &mut legal);
            for (turns, reflect) in (0..12).map(|i| (i % 6, i >= 6)) {
                let moved = |mv: Move| Move(image(geometry, mv.0 as usize, turns, reflect) as u32);
                let mut other = game.initial_state(&mut Rng::new(0));
                for &mv in &moves {
                    game.play(&mut other, moved(mv));
                }
                for &mv in &legal {
                    for side in Side::BOTH {
                        prop_assert_eq!(class(&game, &state, side, mv), class(&game, &other, side, moved(mv)));
                    }
                    if let Some(&last) = moves.last() {
                        prop_assert_eq!(game.nearness(mv, last), game.nearness(moved(mv), moved(last)));
                    }
                }
            }
        }
    }
}
