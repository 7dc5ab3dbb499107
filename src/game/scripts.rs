//! What rule scripts are told and asked where they choose the last stage of a move.

use super::{Decisive, Rules};
use crate::types::Move;

/// Rule scripts that choose among the uses of a key.
pub trait Scripts<G: Rules>: Decisive<G> {
    /// The scripts by number: name and shipped text.
    fn shipped(&self) -> &'static [(&'static str, &'static str)];
    /// What the scripts share: name and shipped text.
    fn shipped_common(&self) -> (&'static str, &'static str);
    /// What scripts are told of the rules: the options of the game by name.
    fn options(&self) -> Vec<(&'static str, &'static str)>;
    /// The number of the script that chooses among the uses of a key.
    fn script_of(&self, key: u32) -> usize;
    /// What the script of this key is asked.
    fn question(&self, state: &G::State, key: u32) -> Question;
    /// What it can read besides.
    fn lists(&self, state: &G::State, key: u32) -> Lists;
}

/// What a rule script is told: facts of the position, then what each use of the key would lead to. The names
/// and kinds of facts and the names of options are always the same for one script.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The script that is asked.
    pub script: usize,
    pub facts: Vec<(&'static str, Fact)>,
    /// The names of an option's facts.
    pub names: &'static [&'static str],
    /// Option after option, each in the order of `names`. Small numbers, because many are handed over.
    pub options: Vec<i16>,
    /// The move that each option stands for.
    pub moves: Vec<Move>,
    /// What a move that ends the game is worth to its side, in 0..1: then no script is asked.
    pub settled: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fact {
    Number(i64),
    Word(&'static str),
}

/// Facts of a position that are lists of numbers. Few scripts read them.
pub type Lists = Vec<(&'static str, Vec<i64>)>;
