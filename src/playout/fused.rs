//! Two policies as one, so that a chain that is played at every move of a strong player is compiled as a whole.

use super::{Answer, Leaf, Memory, PlayoutPolicy, Turn};
use crate::game::{Game, Here};
use crate::tree::{Layout, MoveTable, Simulation, Tree};
use crate::types::{Error, Rng};

/// What `first` leaves open is `second`'s: the same choices, by the same random numbers, that the two make as links of a
/// chain. Neither may rest.
pub struct Fused<A, B> {
    pub first: A,
    pub second: B,
}

impl<G: Game, A: PlayoutPolicy<G>, B: PlayoutPolicy<G>> PlayoutPolicy<G> for Fused<A, B> {
    fn layout(&self) -> Layout {
        self.first.layout().and(self.second.layout())
    }

    fn begin(&mut self, leaf: &Leaf<G>, rng: &mut Rng) {
        self.first.begin(leaf, rng);
        self.second.begin(leaf, rng);
    }

    fn begin_again(&mut self) {
        self.first.begin_again();
        self.second.begin_again();
    }

    #[inline]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let answer = match self.first.choose(turn, rng).if_legal(turn) {
            Answer::Pass => self.second.choose(turn, rng).if_legal(turn),
            answer => answer,
        };
        debug_assert!(answer != Answer::Rest);
        answer
    }

    fn never_passes(&self) -> bool {
        self.first.never_passes() || self.second.never_passes()
    }

    fn observe(&mut self, root: &Here<G>, simulation: &Simulation) {
        self.first.observe(root, simulation);
        self.second.observe(root, simulation);
    }

    fn failure(&mut self) -> Option<Error> {
        self.first.failure().or_else(|| self.second.failure())
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.first.notes();
        notes.extend(self.second.notes());
        notes
    }

    fn new_root(&mut self) {
        self.first.new_root();
        self.second.new_root();
    }

    fn memories(&self) -> Vec<Memory> {
        let mut memories = self.first.memories();
        memories.extend(self.second.memories());
        memories
    }

    fn learn_into(&mut self, memories: &mut dyn Iterator<Item = Memory>) {
        self.first.learn_into(memories);
        self.second.learn_into(memories);
    }

    fn tables(&self, tree: &Tree) -> Vec<MoveTable> {
        let mut tables = self.first.tables(tree);
        tables.extend(self.second.tables(tree));
        tables
    }
}
