//! The twelve symmetries of the hexagonal board: six turns, plain and mirrored.

use super::geometry::{Geometry, STRIDE, Stones};
use super::{Havannah, State};
use crate::game::Exact;
use crate::types::{Side, mix};

/// Where each cell goes; the first symmetry leaves all as it is.
pub(super) fn all(geometry: &Geometry) -> Vec<Vec<usize>> {
    let middle = geometry.size as i32 - 1;
    let image = |cell: usize, turns: usize, mirrored: bool| {
        let (column, row) = geometry.place(cell);
        let (mut x, mut y) = (column as i32 - middle, row as i32 - middle);
        if mirrored {
            (x, y) = (y, x);
        }
        // A turn takes each of the six steps to the next one: (1, 0) to (1, 1), (0, 1) to (-1, 0).
        for _ in 0..turns {
            (x, y) = (x - y, x);
        }
        geometry.cell_at(x + middle, y + middle).expect("a turned board covers itself")
    };
    let symmetry = |k: usize| (0..geometry.cells).map(|cell| image(cell, k % 6, k >= 6)).collect();
    (0..12).map(symmetry).collect()
}

/// The keys of a position's images under the twelve, found together.
pub(super) struct Images {
    /// What a stone adds to the key of each image, by side and position.
    parts: [Vec<[u64; 12]>; 2],
}

impl Images {
    pub fn new(geometry: &Geometry) -> Images {
        let symmetries = all(geometry);
        let parts = |side: Side| {
            let mut parts = vec![[0; 12]; geometry.width * STRIDE];
            for cell in 0..geometry.cells {
                let keys = &mut parts[geometry.position[cell] as usize];
                for (key, symmetry) in keys.iter_mut().zip(&symmetries) {
                    *key = mix((symmetry[cell] * 2 + side.index()) as u64);
                }
            }
            parts
        };
        Images { parts: Side::BOTH.map(parts) }
    }

    /// The least of the images' keys.
    pub fn least_key(&self, stones: &[Stones; 2], side: Side) -> u64 {
        let mut keys = [0; 12];
        for (stones, parts) in stones.iter().zip(&self.parts) {
            for (row, &word) in stones.iter().enumerate().filter(|(_, word)| **word != 0) {
                let mut left = word;
                while left != 0 {
                    let position = (row - 1) * STRIDE + left.trailing_zeros() as usize - 1;
                    left &= left - 1;
                    for (key, part) in keys.iter_mut().zip(&parts[position]) {
                        *key ^= part;
                    }
                }
            }
        }
        keys.into_iter().fold(u64::MAX, u64::min) ^ mix(!(side as u64))
    }
}

impl Exact for Havannah {
    /// Six turns, and the same of the mirrored board.
    fn symmetries(&self) -> Vec<Vec<usize>> {
        all(&self.geometry)
    }

    fn class_key(&self, state: &State) -> u64 {
        self.images.least_key(&state.stones, state.side)
    }
}

#[cfg(test)]
mod tests {
    use crate::game::{Exact, FastPlay, Present, Rules};
    use crate::games::havannah::Havannah;
    use crate::types::{Move, Rng};

    #[test]
    fn twelve_different_ways_to_move_every_cell_to_a_cell_of_its_own() {
        for size in [2, 3, 6] {
            let game = Havannah::new(size, true);
            let symmetries = game.symmetries();
            let plain: Vec<usize> = (0..game.cells()).collect();
            assert_eq!(symmetries.len(), 12);
            assert_eq!(symmetries[0], plain);
            for (k, symmetry) in symmetries.iter().enumerate() {
                let mut images = symmetry.clone();
                images.sort_unstable();
                assert_eq!(images, plain);
                assert!(!symmetries[..k].contains(symmetry), "size {size}: {k} is there twice");
            }
        }
    }

    #[test]
    fn a_game_on_the_turned_board_ends_in_the_same_way_at_the_same_move() {
        let game = Havannah::new(4, true);
        let mut rng = Rng::new(3);
        for symmetry in game.symmetries() {
            for _ in 0..40 {
                let mut here = game.initial_state(&mut rng);
                let mut there = here.clone();
                while game.outcome(&here).is_none() {
                    let mv = game.random_move(&here, &mut rng);
                    let image = symmetry.get(mv.0 as usize).map_or(mv, |&cell| Move(cell as u32));
                    assert!(game.is_legal(&there, image));
                    game.play(&mut here, mv);
                    game.play(&mut there, image);
                    assert_eq!(game.outcome(&here), game.outcome(&there));
                }
                assert_eq!(game.end_kind(&here), game.end_kind(&there));
            }
        }
    }
}
