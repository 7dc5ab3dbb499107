//! The twelve symmetries of the hexagonal board: six turns, plain and mirrored.

use super::geometry::Geometry;

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

#[cfg(test)]
mod tests {
    use crate::game::Game;
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
