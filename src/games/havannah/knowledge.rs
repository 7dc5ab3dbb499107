//! What Havannah knows beyond its rules: completing cells, distances, corners.

use super::Havannah;
use super::geometry::{BITS, Bridge, ROWS, STRIDE, SURROUNDED, Stones, has, neighbour, surroundings};
use super::ring_rule::RingRule;
use super::state::{State, group_size, is_near_border_win, look, touched, would_complete};
use super::threats::threatening;
use super::watch::Groups;
use crate::game::{
    AmafExempt, AskRings, Bridges, Completions, Distances, Offers, Patterns, Priors, Threat, Watch,
};
use crate::spec::Strong;
use crate::types::{Move, Side};

/// Groups up to this size are walked stone by stone, larger ones filled row by row.
const WALKED: usize = 16;

/// A set of cells in the form of `Stones`, and the first and last padded row where it may hold any.
struct Cells {
    rows: Stones,
    low: usize,
    high: usize,
}

/// The cells next to those of a set in one row, and some of the set itself; the margin is not cut off.
#[inline]
pub(super) fn beside(set: &Stones, row: usize) -> u32 {
    let (above, level, below) = (set[row - 1], set[row], set[row + 1]);
    above | above << 1 | level << 1 | level >> 1 | below | below >> 1
}

/// The cells of a row that have two stones of the set beside them which are not beside each other.
///
/// On any other cell inside the board a stone completes nothing: it joins at most one group, adds no side or
/// corner to it, and no neighbour of it lies between two others.
#[inline]
fn apart(set: &Stones, row: usize) -> u32 {
    let (above, level, below) = (set[row - 1], set[row], set[row + 1]);
    // In cyclic order.
    let around = [level >> 1, below >> 1, below, level << 1, above << 1, above];
    around[0] & (around[2] | around[3] | around[4])
        | around[1] & (around[3] | around[4] | around[5])
        | around[2] & (around[4] | around[5])
        | around[3] & around[5]
}

/// The cells of and next to the group of `size` stones to which the one at `position` belongs.
#[inline]
fn beside_group(stones: &Stones, position: usize, size: usize) -> Cells {
    if size > WALKED {
        return beside_large_group(stones, position);
    }
    let mut cells = Cells { rows: [0; ROWS], low: position / STRIDE, high: position / STRIDE };
    // Each stone of the group once: those before `next` have been looked at.
    let mut group = [0u16; WALKED];
    group[0] = position as u16;
    let (mut next, mut count) = (0, 1);
    let mut seen = [0u32; ROWS];
    seen[position / STRIDE + 1] |= 2 << (position % STRIDE);
    while next < count {
        let here = group[next] as usize;
        next += 1;
        let (row, shift) = (here / STRIDE, here % STRIDE);
        for (row, bits) in [(row, 3 << shift), (row + 1, 7 << shift), (row + 2, 6 << shift)] {
            cells.rows[row] |= bits;
            let mut fresh = bits & stones[row] & !seen[row];
            seen[row] |= fresh;
            while fresh != 0 {
                group[count] = ((row * STRIDE + fresh.trailing_zeros() as usize) - STRIDE - 1) as u16;
                count += 1;
                fresh &= fresh - 1;
            }
        }
        (cells.low, cells.high) = (cells.low.min(row), cells.high.max(row));
    }
    cells.high += 2;
    cells
}

/// The same for a group of any size.
fn beside_large_group(stones: &Stones, position: usize) -> Cells {
    let mut set = [0; ROWS];
    set[position / STRIDE + 1] = 2 << (position % STRIDE);
    loop {
        let before = set;
        // Once down and once up, each row filled sideways: few rounds are needed for any shape.
        for row in (1..ROWS - 1).chain((1..ROWS - 1).rev()) {
            set[row] |= beside(&set, row) & stones[row];
            loop {
                let wider = set[row] | ((set[row] << 1 | set[row] >> 1) & stones[row]);
                if wider == set[row] {
                    break;
                }
                set[row] = wider;
            }
        }
        if set == before {
            return Cells { rows: all_beside(&set), low: 0, high: ROWS - 1 };
        }
    }
}

fn all_beside(set: &Stones) -> Stones {
    std::array::from_fn(|row| if (1..ROWS - 1).contains(&row) { beside(set, row) } else { 0 })
}

/// By the own stones around a cell: the bits of the neighbours that lie between two of them. The two touch both the
/// cell and that neighbour.
const BETWEEN: [u8; SURROUNDED + 1] = {
    let mut table = [0; SURROUNDED + 1];
    let mut own = 0;
    while own <= SURROUNDED {
        let mut direction = 0;
        while direction < 6 {
            if own >> BITS[(direction + 5) % 6] & own >> BITS[(direction + 1) % 6] & 1 == 1 {
                table[own] |= 1 << BITS[direction];
            }
            direction += 1;
        }
        own += 1;
    }
    table
};

/// Own stones beside or in a bridge that count for a prior, and corners and sides joined: more is no better.
const NEAR: usize = 3;
const JOINED: u32 = 3;

/// What a group is worth for the corners and sides it touches: a corner is half a bridge, a side a third of a fork.
fn worth(node: u32) -> u32 {
    let (corners, sides) = touched(node);
    2 * corners.count_ones() + sides.count_ones()
}

impl Havannah {
    /// Appends those of the empty ones among `cells` on which a stone of `side` completes a figure.
    /// Unless `border`, a stone that joins but one group completes nothing at the border either.
    #[inline]
    fn complete_in(&self, state: &State, side: Side, cells: &Cells, border: bool, moves: &mut Vec<Move>) {
        let geometry = &self.geometry;
        let stones = &state.stones[side.index()];
        let mask = if border { u32::MAX } else { 0 };
        for row in cells.low.max(1)..=cells.high.min(geometry.width) {
            // Nearly all cells are ruled out here, a whole row at once.
            let worth = apart(stones, row) | (geometry.border[row] & mask);
            let mut open = cells.rows[row] & state.open(geometry, row) & worth;
            while open != 0 {
                let position = (row - 1) * STRIDE + open.trailing_zeros() as usize - 1;
                if would_complete(geometry, stones, &state.nodes, position) {
                    moves.push(Move(geometry.cell[position] as u32));
                }
                open &= open - 1;
            }
        }
    }
}

/// The cells of boards of size 5 and 6, and the swap.
const SLOTS_OF_SIZE_5: usize = 62;
const SLOTS_OF_SIZE_6: usize = 92;

impl Offers for Havannah {
    const SMALL: &'static str = "size=4";

    /// On small boards playouts that know more cost more than they give. On size 6 the rule for rings helps, with a
    /// longer schedule and a tree that is kept; on size 5 it does not.
    const STRONG: &'static [Strong] = &[
        Strong::up_to(
            SLOTS_OF_SIZE_5,
            "size 5",
            "mcts(selection=rave(schedule=linear, r=3000), expansion=all(at=8), fpu=0.5, transpositions=true, \
             tactics=solver(play_on_when_lost=true)+threats(doubles=true)+forcing(tries=1000), prior=knowledge, final=visits)",
        ),
        Strong::up_to(
            SLOTS_OF_SIZE_6,
            "size 6",
            "mcts(selection=rave(schedule=linear, r=16000), playout=rings, expansion=all(at=8), fpu=0.5, \
             transpositions=true, tactics=solver(play_on_when_lost=true)+threats(doubles=true)+forcing(tries=1000), \
             prior=knowledge, reuse=true, final=visits)",
        ),
        Strong::everywhere(
            "mcts(selection=rave(schedule=linear, r=3000), playout=threats+bridge+last_good_reply, expansion=all(at=8), \
             fpu=0.5, transpositions=true, \
             tactics=solver(play_on_when_lost=true)+threats(doubles=true)+forcing(tries=1000), prior=knowledge, final=visits)",
        ),
    ];

    /// A stone that the other side may take over is worth the same to either side; and the swap is never played later.
    #[inline]
    fn amaf_exempt(&self, state: &State) -> AmafExempt {
        if !self.swap {
            AmafExempt::None
        } else if self.may_swap(state) {
            AmafExempt::One(self.swap_move())
        } else if state.empty as usize == self.geometry.cells {
            AmafExempt::All
        } else {
            AmafExempt::None
        }
    }

    #[inline]
    fn completions(&self) -> Option<&dyn Completions<Havannah>> {
        Some(self)
    }

    #[inline]
    fn distances(&self) -> Option<&dyn Distances<Havannah>> {
        Some(self)
    }

    #[inline]
    fn corners(&self) -> Option<&[Move]> {
        Some(&self.geometry.corners)
    }

    #[inline]
    fn bridges(&self) -> Option<&dyn Bridges<Havannah>> {
        Some(self)
    }

    fn rings(&self) -> Option<AskRings<Havannah>> {
        Some(RingRule::ask)
    }

    #[inline]
    fn patterns(&self) -> Option<&dyn Patterns<Havannah>> {
        Some(self)
    }

    fn priors(&self) -> Option<&dyn Priors<Havannah>> {
        Some(self)
    }
}

impl Completions<Havannah> for Havannah {
    /// In board order. Nothing completes a figure once the game is over, or next to a stone that is not `side`'s.
    fn completing(&self, state: &State, side: Side, near: Option<Move>, moves: &mut Vec<Move>) {
        let stones = &state.stones[side.index()];
        if state.end.is_some() {
            return;
        }
        let Some(near) = near else {
            let cells = Cells { rows: all_beside(stones), low: 1, high: self.geometry.width };
            return self.complete_in(state, side, &cells, true, moves);
        };
        let Some(&position) = self.geometry.position.get(near.0 as usize) else {
            return;
        };
        let position = position as usize;
        if !has(stones, position) {
            return;
        }
        let node = look(&state.nodes, position).1;
        let cells = beside_group(stones, position, group_size(node));
        self.complete_in(state, side, &cells, is_near_border_win(node), moves);
    }

    /// The first stone may be taken over.
    fn threatening(&self, state: &State, side: Side, threats: &mut Vec<Threat>) {
        if state.end.is_none() && !(self.swap && state.empty as usize == self.geometry.cells) {
            threatening(&self.geometry, state, side, threats);
        }
    }

    fn watch(&self) -> Box<dyn Watch<Havannah>> {
        Box::new(Groups::new(&self.geometry))
    }

    fn stones(&self, state: &State) -> usize {
        self.geometry.cells - state.empty as usize
    }
}

impl Bridges<Havannah> for Havannah {
    #[inline]
    fn bridge_replies(&self, state: &State, side: Side, last: Move, moves: &mut Vec<Move>) {
        let Some(&position) = self.geometry.position.get(last.0 as usize) else { return };
        let position = position as usize;
        let own = surroundings(&state.stones[side.index()], position);
        let taken = own | surroundings(&state.stones[side.other().index()], position);
        let replies = BETWEEN[own] as usize & !taken & surroundings(&self.geometry.board, position);
        if replies == 0 {
            return;
        }
        for direction in [1, 2, 3, 4, 5, 0] {
            if replies >> BITS[direction] & 1 == 1 {
                moves.push(Move(self.geometry.cell[neighbour(position, direction)] as u32));
            }
        }
    }
}

impl Distances<Havannah> for Havannah {
    /// Nearest first, then in board order; any range.
    fn around(&self, mv: Move, range: usize) -> &[Move] {
        self.geometry.around(mv.0 as usize, range)
    }
}

impl Priors<Havannah> for Havannah {
    /// Signs that a move is worth a look (after Ewalds 2012): it stands by own stones or in a bridge with them, the
    /// group it makes touches more corners and sides than its parts did, or it answers an intrusion into a bridge.
    fn priors(&self, state: &State, last: Option<Move>, moves: &[Move], values: &mut Vec<f32>) {
        let geometry = &self.geometry;
        let stones = &state.stones[state.side.index()];
        let mut replies = Vec::new();
        if let Some(last) = last {
            self.bridge_replies(state, state.side, last, &mut replies);
        }
        values.clear();
        values.extend(moves.iter().map(|mv| {
            let Some(&position) = geometry.position.get(mv.0 as usize) else { return 0.0 };
            let position = position as usize;
            let around = surroundings(stones, position);
            let runs = &geometry.runs[around];
            let is_open = |bridge: &&Bridge| {
                has(stones, bridge.end as usize)
                    && bridge.between.iter().all(|&between| state.is_empty_at(between as usize))
            };
            let bridges = geometry.bridges[mv.0 as usize].iter().filter(is_open).count();
            let near = (around.count_ones() as usize + bridges).min(NEAR) as f32 / NEAR as f32;
            let mut whole = geometry.touch[position];
            let mut largest = 0;
            for run in 0..runs.count as usize {
                if around == 0 {
                    break;
                }
                let node = look(&state.nodes, position.wrapping_add_signed(runs.first[run] as isize)).1;
                whole |= node;
                largest = largest.max(worth(node));
            }
            let joined = (worth(whole) - largest.min(worth(whole))).min(JOINED) as f32 / JOINED as f32;
            near + joined + if replies.contains(mv) { 2.0 } else { 0.0 }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{FastPlay, Offers, Present, Rules};
    use crate::types::{Outcome, Rng};

    /// The completing moves found by trying every empty cell.
    fn tried(game: &Havannah, state: &State, side: Side) -> Vec<Move> {
        let mut moves = Vec::new();
        game.legal_moves(state, &mut moves);
        moves.retain(|&mv| {
            let mut next = state.clone();
            next.side = side;
            (mv.0 as usize) < game.cells() && {
                game.play(&mut next, mv);
                game.outcome(&next) == Some(Outcome::Win(side))
            }
        });
        moves
    }

    /// The cells of the group of a stone, by walking.
    fn walked(game: &Havannah, state: &State, side: Side, cell: usize) -> Vec<usize> {
        let own = |cell: usize| has(&state.stones[side.index()], game.geometry.position[cell] as usize);
        let (mut group, mut next) = (vec![cell], 0);
        while next < group.len() {
            let more: Vec<usize> =
                game.geometry.neighbours(group[next]).filter(|c| own(*c) && !group.contains(c)).collect();
            group.extend(more);
            next += 1;
        }
        group
    }

    #[test]
    fn completing_cells_are_those_that_win_when_tried() {
        let mut found = 0;
        for (size, games) in [(2, 30), (3, 100), (4, 100), (6, 60), (10, 6)] {
            let game = Havannah::new(size, true);
            let mut rng = Rng::new(size as u64);
            for _ in 0..games {
                let mut state = game.initial_state(&mut rng);
                while game.outcome(&state).is_none() {
                    for side in Side::BOTH {
                        let expected = tried(&game, &state, side);
                        let mut moves = Vec::new();
                        game.completing(&state, side, None, &mut moves);
                        assert_eq!(moves, expected, "{} {side}", game.state_text(&state));
                        found += moves.len();
                        let stones = game.pieces(&state);
                        let Some(stone) = stones.iter().rev().find(|piece| piece.side == Some(side)) else {
                            continue;
                        };
                        let group = walked(&game, &state, side, stone.cells[0]);
                        let beside = |mv: &Move| {
                            game.geometry.neighbours(mv.0 as usize).any(|cell| group.contains(&cell))
                        };
                        let expected: Vec<Move> = expected.into_iter().filter(beside).collect();
                        moves.clear();
                        game.completing(&state, side, Some(Move(stone.cells[0] as u32)), &mut moves);
                        assert_eq!(
                            moves,
                            expected,
                            "{} {side} near {}",
                            game.state_text(&state),
                            stone.cells[0]
                        );
                    }
                    let mv = game.random_move(&state, &mut rng);
                    game.play(&mut state, mv);
                }
                let mut moves = Vec::new();
                game.completing(&state, Side::First, None, &mut moves);
                assert!(moves.is_empty());
            }
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn nothing_completes_near_what_is_no_own_stone() {
        let game = Havannah::new(3, true);
        let state = game.parse_state("ww./..../...../..../... first").unwrap();
        let near = |mv: u32, side| {
            let mut moves = Vec::new();
            game.completing(&state, side, Some(Move(mv)), &mut moves);
            moves
        };
        assert_eq!(near(0, Side::First), [Move(2)]);
        assert_eq!(near(0, Side::Second), []);
        assert_eq!(near(5, Side::First), []);
        assert_eq!(near(19, Side::First), []);
        assert_eq!(near(1000, Side::First), []);
    }

    #[test]
    fn distances_are_steps_over_the_board() {
        for size in [2, 5] {
            let game = Havannah::new(size, true);
            for cell in 0..game.cells() {
                // Breadth first, step by step.
                let mut reached = vec![cell];
                for range in 0..2 * size {
                    let mut expected: Vec<Move> =
                        reached.iter().filter(|&&c| c != cell).map(|&c| Move(c as u32)).collect();
                    expected.sort();
                    let mut moves = game.around(Move(cell as u32), range).to_vec();
                    moves.sort();
                    assert_eq!(moves, expected, "size {size} cell {cell} range {range}");
                    let more: Vec<usize> =
                        reached.iter().flat_map(|&c| game.geometry.neighbours(c)).collect();
                    reached.extend(more);
                    reached.sort();
                    reached.dedup();
                }
            }
            assert!(game.around(Move(game.cells() as u32), 3).is_empty());
        }
    }

    #[test]
    fn counts_of_stones_and_moves() {
        let game = Havannah::new(6, true);
        let state = game.initial_state(&mut Rng::new(0));
        assert_eq!((game.stones(&state), game.longest(), game.corners().unwrap().len()), (0, Some(92), 6));
        assert_eq!(Havannah::new(6, false).longest(), Some(91));
    }
}
