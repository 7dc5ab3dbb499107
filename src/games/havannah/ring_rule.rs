//! Rings that must hold stones which stood before a playout: the rule by which the playout `rings` goes on.
//!
//! A playout may ask (`RingRule::ask`) that rings count only if they hold so many stones that stand now; stones set
//! later are *new*. Bridges and forks count as ever. A ring that does not count is stones on the board, and the game goes
//! on; once the board is full it is a draw.
//!
//! The rings that a stone closes are these. Its own neighbours lie around it in *runs*, each stone next to the one before
//! it, with a gap between two runs. A chain of own stones from one run to another makes a ring with the new stone: one of
//! the gaps is inside. Of all such rings the one with the fewest new stones is meant, and of those one with the fewest
//! stones; so it is settled how many standing stones it holds. Besides, each own neighbour that now has six own neighbours
//! is inside the ring of these six. The stone wins if one of these rings holds standing stones enough.

use super::geometry::{BITS, Geometry, ROWS, STRIDE, SURROUNDED, Stones, has, neighbour, surroundings};
use super::state::{State, add_stone, find, has_won, join, look};

/// What rings must hold; nothing where `needed` is 0, and `stones` is not read then.
#[derive(Clone, Debug)]
pub(super) struct RingRule {
    pub needed: u32,
    /// The stones of both sides that stood when it was asked.
    stones: Stones,
}

/// What a standing stone adds to the length of a chain, and a new one: more than all standing stones of a board.
const STOOD: u32 = 1;
const NEW: u32 = 1 << 10;

impl RingRule {
    pub const NONE: RingRule = RingRule { needed: 0, stones: [0; ROWS] };

    /// From now on rings in `state` must hold `needed` of the stones that stand on its board.
    pub fn ask(state: &mut State, needed: u32) {
        let [first, second] = &state.stones;
        state.ring_rule = RingRule { needed, stones: std::array::from_fn(|row| first[row] | second[row]) };
    }

    /// As `Clone::clone_from`, which costs next to nothing where nothing is asked.
    #[inline]
    pub fn copy(&mut self, source: &RingRule) {
        self.needed = source.needed;
        if source.needed != 0 {
            self.stones = source.stones;
        }
    }

    /// Whether the stone at `position`, of which `set_stone` has said that it completes a figure, wins under this rule.
    /// If not, its groups are joined, as `set_stone` does it for a stone that completes none.
    #[cold]
    #[inline(never)]
    pub fn wins(&self, geometry: &Geometry, stones: &Stones, nodes: &mut [u32], position: usize) -> bool {
        let around = surroundings(stones, position) & !(1 << OWN);
        let runs = &geometry.runs[around];
        // Where two runs belong to one group, `set_stone` has joined nothing; else it has joined them all.
        let joins = nodes[position] == position as u32;
        if joins && self.closing(stones, nodes, position, around) {
            return true;
        }
        let mut middles = runs.middles;
        while middles != 0 {
            let inside = neighbour(position, middles.trailing_zeros() as usize);
            if surroundings(stones, inside) == SURROUNDED {
                let ring = surroundings(&self.stones, inside) & !(1 << OWN);
                if ring.count_ones() >= self.needed {
                    return true;
                }
            }
            middles &= middles - 1;
        }
        let mut group = find(nodes, position);
        if joins {
            group.1 = add_stone(geometry, group.1, position);
            for &first in &runs.first[..runs.count as usize] {
                let other = find(nodes, position.wrapping_add_signed(first as isize));
                if other.0 != group.0 {
                    group = join(nodes, group, other);
                }
            }
            nodes[group.0] = group.1;
        }
        has_won(geometry, group.1)
    }

    /// Whether the ring that closes between two runs holds standing stones enough.
    fn closing(&self, stones: &Stones, nodes: &[u32], position: usize, around: usize) -> bool {
        // Fewer than that on the whole board: the common case while few stones stand.
        let all: u32 = stones.iter().zip(&self.stones).map(|(own, stood)| (own & stood).count_ones()).sum();
        if all < self.needed {
            return false;
        }
        let runs = runs_of(around);
        let root = |run: u8| look(nodes, neighbour(position, run.trailing_zeros() as usize)).0;
        let pairs = [(0, 1), (0, 2), (1, 2)].into_iter();
        let joined = pairs.filter(|&(a, b)| runs[b] != 0 && root(runs[a]) == root(runs[b]));
        let shortest = joined.filter_map(|(a, b)| self.chain(stones, position, runs[a], runs[b])).min();
        shortest.is_some_and(|length| length % NEW / STOOD >= self.needed)
    }

    /// The length of the shortest chain of own stones between two runs beside `position`, given as sets of directions,
    /// that does not pass there.
    fn chain(&self, stones: &Stones, position: usize, from: u8, to: u8) -> Option<u32> {
        let mut left = *stones;
        let mut goal = [0; ROWS];
        remove(&mut left, position);
        // All that one kind of stone adds is the same, so stones of each kind are reached in the order of their length.
        let mut reached: [Vec<(u16, u32)>; 2] = [Vec::new(), Vec::new()];
        let reach = |reached: &mut [Vec<(u16, u32)>; 2], position: usize, length: u32| {
            if has(&self.stones, position) {
                reached[0].push((position as u16, length + STOOD));
            } else {
                reached[1].push((position as u16, length + NEW));
            }
        };
        for direction in 0..6 {
            let there = neighbour(position, direction);
            if from >> direction & 1 == 1 {
                remove(&mut left, there);
                reach(&mut reached, there, 0);
            } else if to >> direction & 1 == 1 {
                goal[there / STRIDE + 1] |= 2 << (there % STRIDE);
            }
        }
        let mut next = [0, 0];
        loop {
            let (stood, new) = (reached[0].get(next[0]), reached[1].get(next[1]));
            let kind = match (stood, new) {
                (None, None) => return None,
                (Some(stood), Some(new)) => (new.1 < stood.1) as usize,
                (stood, _) => stood.is_none() as usize,
            };
            let (here, length) = reached[kind][next[kind]];
            next[kind] += 1;
            if has(&goal, here as usize) {
                return Some(length);
            }
            let (row, shift) = (here as usize / STRIDE, here as usize % STRIDE);
            for (row, bits) in [(row, 3 << shift), (row + 1, 5 << shift), (row + 2, 6 << shift)] {
                let mut fresh = left[row] & bits;
                left[row] &= !bits;
                while fresh != 0 {
                    let there = row * STRIDE + fresh.trailing_zeros() as usize - STRIDE - 1;
                    reach(&mut reached, there, length);
                    fresh &= fresh - 1;
                }
            }
        }
    }
}

/// The bit of the cell itself in `surroundings`.
const OWN: usize = 3;

fn remove(stones: &mut Stones, position: usize) {
    stones[position / STRIDE + 1] &= !(2 << (position % STRIDE));
}

/// The runs among the neighbours as sets of directions; empty sets where there are fewer than three.
fn runs_of(around: usize) -> [u8; 3] {
    let own = |direction: usize| around >> BITS[direction % 6] & 1 == 1;
    let mut runs = [0; 3];
    let begins = (0..6).filter(|&direction| own(direction) && !own(direction + 5));
    for (run, begin) in runs.iter_mut().zip(begins) {
        *run = (begin..begin + 6).take_while(|&at| own(at)).map(|at| 1 << (at % 6)).sum();
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::{Havannah, figures};
    use super::*;
    use crate::game::{FastPlay, Present, Rules, Trace};
    use crate::types::{Move, Outcome, Rng, Side};
    use proptest::{prop_assert_eq, proptest};

    /// Plays cells, given by column and row, for the sides in turn.
    fn play(game: &Havannah, state: &mut State, places: &[(i32, i32)]) {
        for &(column, row) in places {
            let cell = game.geometry.cell_at(column, row).unwrap();
            assert!(game.is_legal(state, Move(cell as u32)), "({column}, {row})");
            game.play(state, Move(cell as u32));
        }
    }

    /// How the game stands if White rings the middle of a board of size 4, the first `stood` of these stones before the
    /// rule is asked for. Black's stones lie apart.
    fn after_ring(ring: &[(i32, i32)], stood: usize, needed: u32) -> Option<Outcome> {
        let black = [(0, 0), (2, 0), (0, 2), (5, 2), (6, 4), (2, 5), (5, 6)];
        let game = Havannah::new(4, false);
        let mut state = game.initial_state(&mut Rng::new(0));
        for (ply, (&white, &black)) in ring.iter().zip(&black).enumerate() {
            if ply == stood {
                RingRule::ask(&mut state, needed);
            }
            play(&game, &mut state, &[white]);
            if state.end.is_some() || ply + 1 == ring.len() {
                assert_eq!(ply + 1, ring.len(), "the last stone closes the ring");
                break;
            }
            play(&game, &mut state, &[black]);
        }
        state.end
    }

    const RING: [(i32, i32); 6] = [(4, 3), (4, 4), (3, 4), (2, 3), (2, 2), (3, 2)];

    #[test]
    fn a_ring_of_new_stones_goes_on_and_one_with_three_standing_stones_ends_the_game() {
        let won = Some(Outcome::Win(Side::First));
        for (stood, needed, end) in
            [(0, 3, None), (2, 3, None), (3, 3, won), (5, 3, won), (0, 1, None), (1, 1, won), (5, 6, None)]
        {
            assert_eq!(after_ring(&RING, stood, needed), end, "{stood} of {needed}");
        }
    }

    #[test]
    fn a_ring_around_an_own_stone_holds_the_six_beside_it() {
        let mut filled = vec![(3, 3)];
        filled.extend(RING);
        let won = Some(Outcome::Win(Side::First));
        assert_eq!(after_ring(&filled, 3, 3), None, "the stone inside is none of the ring");
        assert_eq!(after_ring(&filled, 4, 3), won);
    }

    #[test]
    fn a_state_takes_over_the_rule_of_the_one_it_is_copied_from() {
        let game = Havannah::new(4, false);
        let plain = game.initial_state(&mut Rng::new(0));
        let mut asked = plain.clone();
        play(&game, &mut asked, &[(3, 3)]);
        RingRule::ask(&mut asked, 3);
        let mut copy = plain.clone();
        copy.clone_from(&asked);
        assert_eq!((copy.ring_rule.needed, copy.ring_rule.stones), (3, asked.ring_rule.stones));
        copy.clone_from(&plain);
        assert_eq!(copy.ring_rule.needed, 0);
        assert_eq!(asked.clone().ring_rule.needed, 3);
    }

    /// New and standing stones of every chain over own stones from one run beside `cell` to another, by trying them all.
    struct Tried<'a> {
        geometry: &'a Geometry,
        own: Vec<bool>,
        stood: &'a [bool],
        /// The number of the run that a stone beside the cell belongs to.
        run: Vec<Option<usize>>,
        best: Option<(usize, usize)>,
    }

    impl Tried<'_> {
        fn walk(&mut self, here: usize, from: usize, new: usize, stood: usize) {
            let (new, stood) = if self.stood[here] { (new, stood + 1) } else { (new + 1, stood) };
            if self.run[here].is_some_and(|run| run != from) {
                self.best = Some(self.best.map_or((new, stood), |best| best.min((new, stood))));
                return;
            }
            self.own[here] = false;
            let geometry = self.geometry;
            for next in geometry.neighbours(here) {
                if self.own[next] {
                    self.walk(next, from, new, stood);
                }
            }
            self.own[here] = true;
        }
    }

    /// Whether the stone on `cell` closes a ring that holds standing stones enough, read from the words above.
    fn closes(geometry: &Geometry, own: &[bool], stood: &[bool], cell: usize, needed: usize) -> bool {
        let beside: Vec<usize> = geometry.neighbours(cell).filter(|&next| own[next]).collect();
        let mut run: Vec<Option<usize>> = vec![None; geometry.cells];
        for &start in &beside {
            let mut open = vec![start];
            while let Some(here) = open.pop() {
                if run[here].is_none() {
                    run[here] = Some(start);
                    open.extend(beside.iter().filter(|&&next| geometry.neighbours(here).any(|n| n == next)));
                }
            }
        }
        let mut own_before = own.to_vec();
        own_before[cell] = false;
        let mut tried = Tried { geometry, own: own_before, stood, run, best: None };
        for &start in &beside {
            let from = tried.run[start].unwrap();
            tried.walk(start, from, 0, 0);
        }
        let six = |inside: usize| -> Vec<usize> { geometry.neighbours(inside).collect() };
        let filled = beside.iter().map(|&inside| six(inside)).filter(|six| six.len() == 6);
        let mut filled = filled.filter(|six| six.iter().all(|&next| own[next]));
        tried.best.is_some_and(|(_, standing)| standing >= needed)
            || filled.any(|six| six.iter().filter(|&&next| stood[next]).count() >= needed)
    }

    /// A random move, one that touches no side or corner while there is such a move: nothing but rings can end the game
    /// until then.
    fn inner_move(game: &Havannah, state: &State, rng: &mut Rng) -> Move {
        let mut moves = Vec::new();
        game.legal_moves(state, &mut moves);
        let inner = |mv: &&Move| game.geometry.touched(mv.0 as usize) == 0;
        let inner: Vec<Move> = moves.iter().filter(inner).copied().collect();
        let moves = if inner.is_empty() { moves } else { inner };
        moves[rng.below(moves.len())]
    }

    /// A game in which the rule is asked for after `before` moves, each move against the plain reading. How many rings
    /// did not count.
    fn check_game(size: usize, seed: u64, before: usize, needed: u32) -> usize {
        let game = Havannah::new(size, false);
        let geometry = &game.geometry;
        let mut rng = Rng::new(seed);
        let mut state = game.initial_state(&mut rng);
        for _ in 0..before {
            let mv = inner_move(&game, &state, &mut rng);
            game.play(&mut state, mv);
            if state.end.is_some() {
                return 0;
            }
        }
        RingRule::ask(&mut state, needed);
        let cells = |stones: &Stones| -> Vec<bool> {
            geometry.position.iter().map(|&position| has(stones, position as usize)).collect()
        };
        let stood = cells(&state.ring_rule.stones);
        let mut uncounted = 0;
        while state.end.is_none() {
            let side = state.side;
            let mv = inner_move(&game, &state, &mut rng);
            game.play(&mut state, mv);
            let stones = &state.stones[side.index()];
            let closes = |needed| closes(geometry, &cells(stones), &stood, mv.0 as usize, needed);
            let wins = closes(needed as usize)
                || figures::bridge(geometry, stones).is_some()
                || figures::fork(geometry, stones).is_some();
            let full = (state.empty == 0).then_some(Outcome::Draw);
            let end = if wins { Some(Outcome::Win(side)) } else { full };
            assert_eq!(state.end, end, "{} needs {needed}", game.state_text(&state));
            uncounted += (end.is_none() && closes(0)) as usize;
        }
        uncounted
    }

    proptest! {
        #[test]
        fn games_end_where_a_plain_reading_ends_them(
            size in 3usize..=5, seed: u64, before in 0usize..20, needed in 1u32..=6
        ) {
            check_game(size, seed, before, needed);
        }

        #[test]
        fn a_playout_at_one_go_ends_like_one_move_by_move(size in 3usize..=9, seed: u64, before in 0usize..9) {
            let game = Havannah::new(size, false);
            let mut rng = Rng::new(seed);
            let mut state = game.initial_state(&mut rng);
            (0..before).for_each(|_| { game.play_random(&mut state, &mut rng); });
            RingRule::ask(&mut state, 3);
            let (mut whole, mut same) = (state.clone(), rng.clone());
            let outcome = game.uniform_playout(&mut whole, &mut same, &mut Trace::default());
            while state.end.is_none() {
                game.play_random(&mut state, &mut rng);
            }
            prop_assert_eq!(Some(outcome), state.end);
            prop_assert_eq!(whole.stones, state.stones);
        }
    }

    #[test]
    fn many_rings_do_not_count() {
        let rings: usize = (0..50).map(|seed| check_game(5, seed, 6, 3)).sum();
        assert!(rings > 15, "{rings}");
    }
}
