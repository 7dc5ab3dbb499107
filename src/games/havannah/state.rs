//! A position during play, and the placing of a stone: the code that every playout spends its time in.
//!
//! Without the force to inline, searches take up to 1.10 times the instructions (bench/inlining.txt).

use super::geometry::{
    BITS, Geometry, ROWS, STRIDE, SURROUNDED, Stones, TOUCH_SHIFT, neighbour, surroundings,
};
use super::ring_rule::RingRule;
use crate::types::{Outcome, Side};

/// The parent's position in a node of the union-find.
const PARENT: u32 = (1 << TOUCH_SHIFT) - 1;
/// Sides and corners of a group, in the node of its root.
pub(super) const TOUCH: u32 = 0xFFF << TOUCH_SHIFT;
/// One stone more in the node of a root. The size stands highest: the larger node is the larger group.
const ONE: u32 = 1 << (TOUCH_SHIFT + 12);

/// The place in `order` of what is not empty.
pub(super) const TAKEN: u16 = u16::MAX;

/// What stands on the board, and whose turn it is. Made by `Havannah::initial_state` or `parse_state`.
#[derive(Debug)]
pub struct State {
    /// Stones of each side.
    pub(super) stones: [Stones; 2],
    pub(super) side: Side,
    pub(super) end: Option<Outcome>,
    /// How many cells are empty.
    pub(super) empty: u32,
    /// Union-find over positions: parent, and for a root what its group touches and how large it is.
    /// Only positions of stones hold anything, so a new game need not clear it.
    pub(super) nodes: Vec<u32>,
    /// Positions: first the empty ones in any order, then, latest first, those taken by moves.
    pub(super) order: Vec<u16>,
    /// By position: where an empty cell stands in `order`; `TAKEN` for all others.
    pub(super) index: Vec<u16>,
    /// What a ring must hold to count, in a playout that asks for it.
    pub(super) ring_rule: RingRule,
}

impl State {
    pub(super) fn new(geometry: &Geometry) -> State {
        let mut index = vec![TAKEN; geometry.width * STRIDE];
        for (here, &position) in geometry.position.iter().enumerate() {
            index[position as usize] = here as u16;
        }
        State {
            stones: [[0; ROWS]; 2],
            side: Side::First,
            end: None,
            empty: geometry.cells as u32,
            nodes: vec![0; geometry.width * STRIDE],
            order: geometry.position.clone(),
            index,
            ring_rule: RingRule::NONE,
        }
    }

    /// How many cells are empty.
    #[inline]
    pub fn empty_cells(&self) -> usize {
        self.empty as usize
    }

    /// The empty cells of a padded row as bits, column c at bit c + 1.
    #[inline(always)]
    pub(super) fn open(&self, geometry: &Geometry, row: usize) -> u32 {
        geometry.board[row] & !(self.stones[0][row] | self.stones[1][row])
    }

    #[inline]
    pub(super) fn is_empty_at(&self, position: usize) -> bool {
        at!(self.index, position) != TAKEN
    }

    /// Takes a position, which stands at `here` in `order`, out of the empty ones.
    #[inline(always)]
    pub(super) fn take_at(&mut self, here: usize, position: usize) {
        self.empty -= 1;
        let last = self.empty as usize;
        let moved = at!(self.order, last);
        at!(self.order, last => position as u16);
        at!(self.order, here => moved);
        at!(self.index, moved as usize => here as u16);
        // Last: the cell that moves up may be this one.
        at!(self.index, position => TAKEN);
    }
}

impl Clone for State {
    fn clone(&self) -> State {
        State {
            stones: self.stones,
            side: self.side,
            end: self.end,
            empty: self.empty,
            nodes: self.nodes.clone(),
            order: self.order.clone(),
            index: self.index.clone(),
            ring_rule: self.ring_rule.clone(),
        }
    }

    /// Copies what the size of the board needs and allocates nothing between states of one game.
    #[inline]
    fn clone_from(&mut self, source: &State) {
        self.stones = source.stones;
        self.side = source.side;
        self.end = source.end;
        self.empty = source.empty;
        self.nodes.clone_from(&source.nodes);
        self.order.clone_from(&source.order);
        self.index.clone_from(&source.index);
        self.ring_rule.copy(&source.ring_rule);
    }
}

/// Equal positions; how they came about does not matter.
impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        self.stones == other.stones && self.side == other.side && self.end == other.end
    }
}

impl Eq for State {}

/// The root of a stone's group, and its node.
#[inline(always)]
pub(super) fn find(nodes: &mut [u32], position: usize) -> (usize, u32) {
    let parent = (at!(nodes, position) & PARENT) as usize;
    let root = (at!(nodes, parent) & PARENT) as usize;
    let node = at!(nodes, root);
    if (node & PARENT) as usize == root { (root, node) } else { find_far(nodes, position) }
}

/// The same for a stone more than two steps below its root: rare, since the smaller group joins the larger.
#[cold]
#[inline(never)]
fn find_far(nodes: &mut [u32], position: usize) -> (usize, u32) {
    let (root, node) = look(nodes, position);
    let mut here = position;
    while here != root {
        let parent = (nodes[here] & PARENT) as usize;
        nodes[here] = root as u32;
        here = parent;
    }
    (root, node)
}

/// `find` without shortening the path.
#[inline]
pub(super) fn look(nodes: &[u32], position: usize) -> (usize, u32) {
    let mut here = position;
    loop {
        let node = at!(nodes, here);
        let parent = (node & PARENT) as usize;
        if parent == here {
            return (here, node);
        }
        here = parent;
    }
}

/// Stones of the group that has this node at its root.
#[inline]
pub(super) fn group_size(node: u32) -> usize {
    (node / ONE) as usize
}

/// Corners and sides that the group with this node touches, as two sets of six bits.
#[inline]
pub(super) fn touched(node: u32) -> (u32, u32) {
    let touch = (node & TOUCH) >> TOUCH_SHIFT;
    (touch & 0o77, touch >> 6)
}

/// Whether one more corner or side would give a group with this node a bridge or a fork.
#[inline]
pub(super) fn is_near_border_win(node: u32) -> bool {
    let (corners, sides) = touched(node);
    corners != 0 || sides & sides.wrapping_sub(1) != 0
}

/// Two groups, or a group and what a new stone touches, as one: who is the root is seen to by the caller.
#[inline(always)]
fn sum(a: u32, b: u32) -> u32 {
    ((a & !(PARENT | TOUCH)) + (b & !(PARENT | TOUCH))) | ((a | b) & TOUCH)
}

/// The node of a group that a stone at this position has been added to.
#[inline(always)]
pub(super) fn add_stone(geometry: &Geometry, node: u32, position: usize) -> u32 {
    (node + ONE) | at!(geometry.touch, position)
}

/// Joins two groups; returns root and node of the whole.
#[inline(always)]
pub(super) fn join(nodes: &mut [u32], a: (usize, u32), b: (usize, u32)) -> (usize, u32) {
    let (large, small) = if b.1 > a.1 { (b.0, a.0) } else { (a.0, b.0) };
    at!(*nodes, small => large as u32);
    (large, sum(a.1, b.1) | large as u32)
}

/// Sets a stone of the side that owns `stones` on an empty position; true if it completes a figure.
///
/// Exact as long as no ring stood before: a stone closes a ring if and only if two separate runs of own
/// neighbours already belong to one group, or an own neighbour in the middle of a run now has six own
/// neighbours. Once a figure is complete the groups are no longer kept up: the game is over, or `RingRule::wins` sees to
/// them. Where rings stand that did not count, the same holds of rings that the stone is needed for.
#[inline(always)]
pub(super) fn set_stone(
    geometry: &Geometry,
    stones: &mut Stones,
    nodes: &mut [u32],
    position: usize,
) -> bool {
    let runs = &geometry.runs[surroundings(stones, position)];
    let row = position / STRIDE + 1;
    at!(*stones, row => at!(*stones, row) | 2u32.wrapping_shl((position % STRIDE) as u32));
    // A stone without neighbours finds itself, an empty group, and so needs no case of its own.
    at!(*nodes, position => position as u32);
    let mut group = find(nodes, position.wrapping_add_signed(runs.first[0] as isize));
    group.1 = add_stone(geometry, group.1, position);
    if runs.count > 1 {
        let second = find(nodes, position.wrapping_add_signed(runs.first[1] as isize));
        if second.0 == group.0 {
            return true;
        }
        if runs.count > 2 {
            let third = find(nodes, position.wrapping_add_signed(runs.first[2] as isize));
            if third.0 == group.0 || third.0 == second.0 {
                return true;
            }
            group = join(nodes, group, third);
        }
        group = join(nodes, group, second);
    }
    at!(*nodes, position => group.0 as u32);
    at!(*nodes, group.0 => group.1);
    has_won(geometry, group.1) || (runs.middles != 0 && fills_ring(stones, position, runs.middles))
}

/// Whether a group with this node has a bridge or a fork.
#[inline(always)]
pub(super) fn has_won(geometry: &Geometry, node: u32) -> bool {
    geometry.wins[((node & TOUCH) >> TOUCH_SHIFT) as usize]
}

/// Whether one of the neighbours `middles` of the new stone is now surrounded by own stones.
#[inline]
fn fills_ring(stones: &Stones, position: usize, middles: u8) -> bool {
    let mut left = middles;
    while left != 0 {
        if surroundings(stones, neighbour(position, left.trailing_zeros() as usize)) == SURROUNDED {
            return true;
        }
        left &= left - 1;
    }
    false
}

/// Whether a stone on this empty position would complete a figure; nothing is changed.
#[inline]
pub(super) fn would_complete(geometry: &Geometry, stones: &Stones, nodes: &[u32], position: usize) -> bool {
    let around = surroundings(stones, position);
    let runs = &geometry.runs[around];
    let touch = at!(geometry.touch, position);
    if runs.count == 0 || (runs.count == 1 && touch == 0 && runs.middles == 0) {
        return false;
    }
    let (root, node) = look(nodes, position.wrapping_add_signed(runs.first[0] as isize));
    let mut all = node | touch;
    if runs.count > 1 {
        let (second, node) = look(nodes, position.wrapping_add_signed(runs.first[1] as isize));
        if second == root {
            return true;
        }
        all |= node;
        if runs.count > 2 {
            let (third, node) = look(nodes, position.wrapping_add_signed(runs.first[2] as isize));
            if third == root || third == second {
                return true;
            }
            all |= node;
        }
    }
    if has_won(geometry, all) {
        return true;
    }
    // The neighbour's own surroundings lack only the stone in question.
    let mut left = runs.middles;
    while left != 0 {
        let direction = left.trailing_zeros() as usize;
        // Seen from the neighbour the new stone lies in the opposite direction.
        let there = surroundings(stones, neighbour(position, direction));
        if there | 1 << BITS[(direction + 3) % 6] == SURROUNDED {
            return true;
        }
        left &= left - 1;
    }
    false
}
