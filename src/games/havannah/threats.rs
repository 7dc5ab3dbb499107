//! Moves that threaten: with the stone that they set another one would complete a figure.
//!
//! Nothing is played. What a cell would be joined to is looked up once; whether two cells complete a figure together
//! follows from what each of them joins, and goes both ways.

use super::geometry::{BITS, Geometry, MAX_SIZE, NONE, STRIDE, SURROUNDED, Stones, neighbour, surroundings};
use super::knowledge::beside;
use super::state::{State, has_won, look};
use crate::game::Threat;
use crate::types::{Move, Side};

/// The directions in which a neighbour comes later in board order.
const FORWARD: [usize; 3] = [0, 1, 2];

/// Places for every position of the largest board.
const POSITIONS: usize = (2 * MAX_SIZE - 1) * STRIDE;

/// An empty cell that touches own stones or the border.
struct Spot {
    position: usize,
    /// Own stones, as `surroundings` finds them.
    around: usize,
    /// The groups beside it, a root for each run of stones, and how many runs there are. They are different groups,
    /// since a stone here completes no ring.
    roots: [usize; 3],
    runs: usize,
    /// The corners and sides that a stone here touches together with these groups, as in a node.
    touch: u32,
    /// How many spots complete a figure together with this one, up to `Threat::MANY`, and which.
    ways: usize,
    partners: [u16; Threat::MANY],
}

impl Spot {
    #[inline]
    fn roots(&self) -> &[usize] {
        &self.roots[..self.runs]
    }

    /// How many groups are beside both.
    #[inline]
    fn shared(&self, other: &Spot) -> usize {
        self.roots().iter().filter(|root| other.roots().contains(root)).count()
    }

    fn add(&mut self, partner: usize) {
        if self.ways < Threat::MANY && !self.partners[..self.ways].contains(&(partner as u16)) {
            self.partners[self.ways] = partner as u16;
            self.ways += 1;
        }
    }
}

/// The spots of one side, in board order, and what is known of its groups.
struct Spots<'a> {
    geometry: &'a Geometry,
    stones: &'a Stones,
    nodes: &'a [u32],
    spots: Vec<Spot>,
    /// By position: the place in `spots`, or `NONE`.
    place: [u16; POSITIONS],
    /// By root: what the group would touch if it were joined to all its spots.
    reach: [u32; POSITIONS],
}

impl Spots<'_> {
    fn add(&mut self, position: usize) {
        let around = surroundings(self.stones, position);
        let runs = &self.geometry.runs[around];
        let mut spot = Spot {
            position,
            around,
            roots: [0; 3],
            runs: runs.count as usize,
            touch: self.geometry.touch[position],
            ways: 0,
            partners: [0; Threat::MANY],
        };
        for (root, &first) in spot.roots.iter_mut().zip(&runs.first[..runs.count as usize]) {
            let (there, node) = look(self.nodes, position.wrapping_add_signed(first as isize));
            *root = there;
            spot.touch |= node;
        }
        for &root in spot.roots() {
            self.reach[root] |= spot.touch;
        }
        self.place[position] = self.spots.len() as u16;
        self.spots.push(spot);
    }

    /// The spot at a position that may lie outside the board.
    #[inline]
    fn at(&self, position: usize) -> Option<usize> {
        self.place.get(position).map(|&place| place as usize).filter(|&place| place < self.spots.len())
    }

    /// The two spots complete a figure together.
    fn pair(&mut self, here: usize, there: usize) {
        self.spots[here].add(there);
        self.spots[there].add(here);
    }

    /// Finds the pairs in which this spot comes first.
    fn find_pairs(&mut self, here: usize) {
        for direction in FORWARD {
            let spot = &self.spots[here];
            let Some(there) = self.at(neighbour(spot.position, direction)) else { continue };
            let other = &self.spots[there];
            if has_won(self.geometry, spot.touch | other.touch) || self.is_ring_beside(spot, other, direction)
            {
                self.pair(here, there);
            }
        }
        // What the groups reach in all is seldom enough.
        let spot = &self.spots[here];
        if has_won(
            self.geometry,
            spot.roots().iter().fold(spot.touch, |reach, &root| reach | self.reach[root]),
        ) {
            for there in here + 1..self.spots.len() {
                let (spot, other) = (&self.spots[here], &self.spots[there]);
                if has_won(self.geometry, spot.touch | other.touch) && spot.shared(other) > 0 {
                    self.pair(here, there);
                }
            }
        }
        if self.spots[here].runs > 1 {
            for there in here + 1..self.spots.len() {
                let (spot, other) = (&self.spots[here], &self.spots[there]);
                // Two groups that are joined here and once more elsewhere close a ring.
                if other.runs > 1
                    && spot.shared(other) > 1
                    && FORWARD.iter().all(|&direction| neighbour(spot.position, direction) != other.position)
                {
                    self.pair(here, there);
                }
            }
        }
        if self.spots[here].around.count_ones() > 1 {
            self.find_filled(here);
        }
    }

    /// Whether stones at `spot` and at `other`, its neighbour in this direction, close a ring: `other` then has two
    /// separate runs of the whole group beside it.
    #[inline]
    fn is_ring_beside(&self, spot: &Spot, other: &Spot, direction: usize) -> bool {
        if spot.shared(other) == 0 {
            return false;
        }
        let runs = &self.geometry.runs[other.around | 1 << BITS[(direction + 3) % 6]];
        let is_joined = |&&first: &&i16| {
            let stone = other.position.wrapping_add_signed(first as isize);
            stone == spot.position || spot.roots().contains(&look(self.nodes, stone).0)
        };
        runs.count > 1 && runs.first[..runs.count as usize].iter().filter(is_joined).count() > 1
    }

    /// Pairs a spot with the other of two cells that an own stone lacks to be surrounded.
    fn find_filled(&mut self, here: usize) {
        let Spot { position, around, .. } = self.spots[here];
        for direction in (0..6).filter(|&direction| around >> BITS[direction] & 1 == 1) {
            let stone = neighbour(position, direction);
            let missing = SURROUNDED & !(surroundings(self.stones, stone) | 1 << BITS[(direction + 3) % 6]);
            let last = BITS.iter().position(|&bit| missing == 1 << bit);
            if let Some(there) = last.and_then(|direction| self.at(neighbour(stone, direction))) {
                self.pair(here, there);
            }
        }
    }
}

/// Appends the threats of `side`, in board order. Exact where it has no completing move.
pub(super) fn threatening(geometry: &Geometry, state: &State, side: Side, threats: &mut Vec<Threat>) {
    let stones = &state.stones[side.index()];
    let mut all = Spots {
        geometry,
        stones,
        nodes: &state.nodes,
        spots: Vec::with_capacity(state.empty as usize),
        place: [NONE; POSITIONS],
        reach: [0; POSITIONS],
    };
    for row in 1..=geometry.width {
        let mut open = state.open(geometry, row) & (beside(stones, row) | geometry.border[row]);
        while open != 0 {
            all.add((row - 1) * STRIDE + open.trailing_zeros() as usize - 1);
            open &= open - 1;
        }
    }
    for here in 0..all.spots.len() {
        all.find_pairs(here);
    }
    let mv = |spot: usize| Move(geometry.cell[all.spots[spot].position] as u32);
    for (here, spot) in all.spots.iter().enumerate().filter(|(_, spot)| spot.ways > 0) {
        let second = spot.partners[(spot.ways > 1) as usize];
        let completing = [mv(spot.partners[0] as usize), mv(second as usize)];
        threats.push(Threat { mv: mv(here), ways: spot.ways, completing });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Completions, FastPlay, Present, Rules};
    use crate::games::havannah::Havannah;
    use crate::types::Rng;

    #[test]
    fn threats_are_those_that_are_found_by_playing() {
        let (mut found, mut doubles, mut many) = (0, 0, 0);
        for (size, games) in [(2, 30), (3, 200), (4, 200), (6, 100), (10, 8)] {
            let game = Havannah::new(size, false);
            let mut rng = Rng::new(size as u64);
            for _ in 0..games {
                let mut state = game.initial_state(&mut rng);
                while game.outcome(&state).is_none() {
                    for side in Side::BOTH {
                        let mut completing = Vec::new();
                        game.completing(&state, side, None, &mut completing);
                        if !completing.is_empty() {
                            continue;
                        }
                        let mut threats = Vec::new();
                        game.threatening(&state, side, &mut threats);
                        let mut rest = threats.iter();
                        let mut legal = Vec::new();
                        game.legal_moves(&state, &mut legal);
                        for &mv in &legal {
                            let mut next = state.clone();
                            next.side = side;
                            game.play(&mut next, mv);
                            completing.clear();
                            game.completing(&next, side, None, &mut completing);
                            if completing.is_empty() {
                                continue;
                            }
                            let threat = rest.next().unwrap();
                            let text = format!("{} {side} {mv:?}", game.state_text(&state));
                            assert_eq!(
                                (threat.mv, threat.ways),
                                (mv, completing.len().min(Threat::MANY)),
                                "{text}"
                            );
                            assert!(threat.completing.iter().all(|mv| completing.contains(mv)), "{text}");
                            assert!(
                                threat.ways == 1 || threat.completing[0] != threat.completing[1],
                                "{text}"
                            );
                            found += 1;
                            doubles += (threat.ways == 2) as usize;
                            many += (threat.ways == Threat::MANY) as usize;
                        }
                        assert_eq!(rest.next(), None, "{}", game.state_text(&state));
                    }
                    game.play_random(&mut state, &mut rng);
                }
            }
        }
        assert!(found > 10_000 && doubles > 1000 && many > 100, "{found} {doubles} {many}");
    }
}
