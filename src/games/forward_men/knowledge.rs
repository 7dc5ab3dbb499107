//! What Breakthrough and Knightthrough know of a position: who wins a race, what it is worth, which moves are good.

use super::{ForwardMen, Men, State};
use crate::game::{Evaluation, Exact, FastPlay, Offers, Priors};
use crate::games::square::Symmetry;
use crate::spec::Strong;
use crate::types::{Move, Outcome, Side};

impl<M: Men> Exact for ForwardMen<M> {
    fn symmetries(&self) -> Vec<Vec<usize>> {
        self.square.symmetries(Symmetry::Sideways)
    }

    #[inline]
    fn class_key(&self, state: &State) -> u64 {
        self.images.least_key(&state.men, state.side)
    }

    #[inline]
    fn settled(&self, state: &State, misere: bool) -> Option<Outcome> {
        if misere { self.settled_misere(state) } else { self.settled_race(state) }
    }

    /// Few replies are good, and so is a man taken; who hurries on runs out of support, or out of safe steps in the
    /// misère game.
    #[inline]
    fn promise(&self, state: &State, mv: Move, next: &State, misere: bool) -> i32 {
        let (side, _, _, to) = self.unpack(mv);
        let takes = (state.men[side.other().index()] >> to & 1) as i32;
        let row = self.square.cell(to) / self.square.columns;
        let rows = if side == Side::First { row } else { self.square.rows - 1 - row };
        let weight = if misere { M::MISERE_REPLY } else { 2 };
        8 * takes - weight * self.count_moves(next) as i32 - rows as i32
    }
}

impl<M: Men> Offers for ForwardMen<M> {
    /// What men take and where they are safe is worth more than any other enhancement.
    const STRONG: &'static [Strong] = &[Strong::everywhere(
        "mcts(selection=uct(k=0.25), expansion=progressive(leaf_at=4), fpu=0.5, tactics=solver+threats, prior=knowledge)",
    )];

    fn priors(&self) -> Option<&dyn Priors<ForwardMen<M>>> {
        Some(self)
    }

    fn evaluation(&self) -> Option<&dyn Evaluation<ForwardMen<M>>> {
        Some(self)
    }
}

impl<M: Men> Priors<ForwardMen<M>> for ForwardMen<M> {
    /// How far the man gets, what he takes, and whether he can be taken there (after Lorentz and Horey, "Programming
    /// Breakthrough", 2013): the square of the way that lies behind him, half a point and the way of the man he takes, and
    /// a point less where more enemies reach the square than own men cover it.
    fn priors(&self, state: &State, _last: Option<Move>, moves: &[Move], values: &mut Vec<f32>) {
        let side = state.side;
        let [own, enemy] = [side, side.other()].map(|side| state.men[side.index()]);
        values.clear();
        values.extend(moves.iter().map(|&mv| {
            let (_, _, from, to) = self.unpack(mv);
            let way = self.way(side, to);
            let taken = if enemy >> to & 1 == 1 { 0.5 + self.way(side.other(), to) } else { 0.0 };
            let covered = self.reaching(own & !(1 << from), side, to);
            let exposed = if self.reaching(enemy, side.other(), to) > covered { 1.0 } else { 0.0 };
            way * way + taken - exposed
        }));
    }
}

impl<M: Men> Evaluation<ForwardMen<M>> for ForwardMen<M> {
    /// Men and the row of the foremost one, counted from his home: (1 + tanh(d / 60)) / 2 for ten points a man and two and
    /// a half a row, within 100 (Schadd's evaluation of Breakthrough, as Pepels and Lanctot use it).
    fn value(&self, state: &State) -> f32 {
        let points = Side::BOTH.map(|side| {
            let men = state.men[side.index()];
            // Rows lie one after the other, the first side's home first.
            let foremost = if side == Side::First { 127 - men.leading_zeros() } else { men.trailing_zeros() };
            let last = (self.square.rows - 1) as f32;
            10.0 * men.count_ones() as f32 + 2.5 * last * self.way(side, foremost)
        });
        let difference = (points[0] - points[1]).clamp(-100.0, 100.0);
        0.5 + 0.5 * libm::tanhf(difference / 60.0)
    }
}

impl<M: Men> ForwardMen<M> {
    /// Who wins a race that is certain to be won. A man one step from the end can only be stopped by being taken: where he
    /// goes there is no man of his own, and one of the other side's he may take.
    #[inline]
    fn settled_race(&self, state: &State) -> Option<Outcome> {
        let (side, other) = (state.side, state.side.other());
        let [own, enemy] = [side, other].map(|side| state.men[side.index()]);
        let (wins, loses) = (Some(Outcome::Win(side)), Some(Outcome::Win(other)));
        if own & self.last_step[side.index()] != 0 {
            return wins;
        }
        let dangers = enemy & self.last_step[other.index()];
        if dangers.count_ones() > 1 {
            return loses;
        }
        if dangers != 0 {
            return if self.attacked(own, side) & dangers == 0 {
                loses
            } else if dangers == enemy {
                wins
            } else {
                None
            };
        }
        // The enemy needs two steps at least: a man who gets within one without being taken there wins.
        let arrivals = self.arrivals(&state.men, side).into_iter().fold(0, |all, step| all | step);
        let safe = arrivals & self.last_step[side.index()] & !self.attacked(enemy, other);
        if safe != 0 { wins } else { None }
    }

    /// In the misère game, who has no step but to the last row or onto the last enemy has lost.
    #[inline]
    fn settled_misere(&self, state: &State) -> Option<Outcome> {
        let (side, other) = (state.side, state.side.other());
        let enemy = state.men[other.index()];
        let last = if enemy.is_power_of_two() { enemy } else { 0 };
        let arrivals = self.arrivals(&state.men, side).into_iter().fold(0, |all, step| all | step);
        (arrivals & !(self.goal[side.index()] | last) == 0).then_some(Outcome::Win(other))
    }

    /// The cells on which `side` could take with these men.
    #[inline]
    fn attacked(&self, men: u128, side: Side) -> u128 {
        let captures = M::STEPS.iter().zip(self.shift).filter(|(step, _)| step.captures);
        let cells = captures.map(|(_, shift)| if side == Side::First { men << shift } else { men >> shift });
        cells.fold(0, |all, cells| all | cells) & self.square.all
    }

    /// How much of the way across the board a man of `side` has behind him, 0 to 1.
    fn way(&self, side: Side, bit: u32) -> f32 {
        let row = self.square.cell(bit) / self.square.columns;
        let last = self.square.rows - 1;
        let rows = if side == Side::First { row } else { last - row };
        rows as f32 / last as f32
    }

    /// How many of these men of `side` could take on the bit `to`.
    fn reaching(&self, men: u128, side: Side, to: u32) -> u32 {
        let target = 1u128 << to;
        let captures = M::STEPS.iter().zip(self.shift).filter(|(step, _)| step.captures);
        let origins =
            captures.map(|(_, shift)| if side == Side::First { target >> shift } else { target << shift });
        origins.map(|origin| (men & origin).count_ones()).sum()
    }
}
