//! Figures found by looking at the whole board: what a game was won by, and whether a position can stand.
//!
//! Slow and plain on purpose. The fast test of `state` is checked against it.

use super::geometry::{Geometry, Stones, has};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    Ring,
    Bridge,
    Fork,
}

impl Figure {
    pub fn name(self) -> &'static str {
        match self {
            Figure::Ring => "ring",
            Figure::Bridge => "bridge",
            Figure::Fork => "fork",
        }
    }
}

/// The first of ring, bridge and fork that these stones contain.
pub(super) fn complete(geometry: &Geometry, stones: &Stones) -> Option<Figure> {
    if enclosed(geometry, stones).is_some() {
        Some(Figure::Ring)
    } else if bridge(geometry, stones).is_some() {
        Some(Figure::Bridge)
    } else {
        fork(geometry, stones).map(|_| Figure::Fork)
    }
}

/// The cells of that figure: a shortest ring around an enclosed cell, or the whole chain.
pub(super) fn cells(geometry: &Geometry, stones: &Stones) -> Vec<usize> {
    match enclosed(geometry, stones) {
        Some(cell) => ring_around(geometry, stones, cell),
        None => bridge(geometry, stones).or_else(|| fork(geometry, stones)).unwrap_or_default(),
    }
}

fn own(geometry: &Geometry, stones: &Stones, cell: usize) -> bool {
    has(stones, geometry.position[cell] as usize)
}

/// The cells reached from `start` over cells that `pass` admits.
fn flood(geometry: &Geometry, start: &[usize], pass: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut reached = vec![false; geometry.cells];
    let mut open: Vec<usize> = start.iter().copied().filter(|&cell| pass(cell)).collect();
    while let Some(cell) = open.pop() {
        if !std::mem::replace(&mut reached[cell], true) {
            open.extend(geometry.neighbours(cell).filter(|&next| !reached[next] && pass(next)));
        }
    }
    reached
}

/// A cell inside a ring: one that is not own and cannot be reached from the border over cells that are not
/// own, or an own one with six own neighbours.
pub(super) fn enclosed(geometry: &Geometry, stones: &Stones) -> Option<usize> {
    let own = |cell: usize| own(geometry, stones, cell);
    let border: Vec<usize> = (0..geometry.cells).filter(|&cell| geometry.touched(cell) != 0).collect();
    let outside = flood(geometry, &border, |cell| !own(cell));
    (0..geometry.cells).find(|&cell| {
        if own(cell) {
            geometry.neighbours(cell).filter(|&next| own(next)).count() == 6
        } else {
            !outside[cell]
        }
    })
}

/// A chain that touches enough of the corners or sides in `mask`.
fn chain(geometry: &Geometry, stones: &Stones, mask: usize, enough: u32) -> Option<Vec<usize>> {
    let mut seen = vec![false; geometry.cells];
    for start in 0..geometry.cells {
        if seen[start] || !own(geometry, stones, start) {
            continue;
        }
        let reached = flood(geometry, &[start], |cell| own(geometry, stones, cell));
        let group: Vec<usize> = (0..geometry.cells).filter(|&cell| reached[cell]).collect();
        let touched = group.iter().fold(0, |set, &cell| set | geometry.touched(cell)) & mask;
        if touched.count_ones() >= enough {
            return Some(group);
        }
        group.iter().for_each(|&cell| seen[cell] = true);
    }
    None
}

pub(super) fn bridge(geometry: &Geometry, stones: &Stones) -> Option<Vec<usize>> {
    chain(geometry, stones, 0o77, 2)
}

pub(super) fn fork(geometry: &Geometry, stones: &Stones) -> Option<Vec<usize>> {
    chain(geometry, stones, 0o7700, 3)
}

/// A shortest closed chain around an enclosed cell, in order.
///
/// A line drawn from the cell to the right, just below its row, leaves the board. A closed walk goes around
/// the cell if it crosses that line an odd number of times, and the shortest such walk visits no cell twice.
fn ring_around(geometry: &Geometry, stones: &Stones, inside: usize) -> Vec<usize> {
    let (column, row) = geometry.place(inside);
    let on_line = |cell: usize| {
        let (x, y) = geometry.place(cell);
        y == row && x > column
    };
    let below = |cell: usize| geometry.place(cell).1 == row + 1;
    let crosses = |a: usize, b: usize| (on_line(a) && below(b)) || (on_line(b) && below(a));
    let usable = |cell: usize| cell != inside && own(geometry, stones, cell);

    let mut best: Vec<usize> = Vec::new();
    for start in (0..geometry.cells).filter(|&cell| on_line(cell) && usable(cell)) {
        // Where each (cell, crossings odd) was first reached from, as cell * 2 + odd.
        let mut from = vec![usize::MAX; 2 * geometry.cells];
        let (begin, goal) = (2 * start, 2 * start + 1);
        from[begin] = begin;
        let mut open = VecDeque::from([begin]);
        while let Some(here) = open.pop_front() {
            for next in geometry.neighbours(here / 2).filter(|&next| usable(next)) {
                let there = 2 * next + ((here % 2) ^ crosses(here / 2, next) as usize);
                if from[there] == usize::MAX {
                    from[there] = here;
                    open.push_back(there);
                }
            }
        }
        if from[goal] == usize::MAX {
            continue;
        }
        let mut ring = Vec::new();
        let mut here = goal;
        while here != begin {
            ring.push(here / 2);
            here = from[here];
        }
        if best.is_empty() || ring.len() < best.len() {
            best = ring;
        }
    }
    best
}
