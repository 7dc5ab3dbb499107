//! The Bernstein rule: a node considers only its n best candidates by the rule scripts (Bernstein et al. 1958).
//!
//! Future work of the Mr Jack paper. A script is asked once for each key of a node; what it says is kept.

use std::collections::BTreeMap;

use super::Candidates;
use super::scripted_power::ScriptedPower;
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::scripts::{self, PlayerFiles};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::NodeId;
use crate::types::{Error, Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "plausible",
    options: &[OptionInfo::int("n", 1, 10_000, "10", "candidates of a node in each world"), scripts::OPTION],
    positional: Some("n"),
    doc: "As scripted_power, but only the n candidates that the rule scripts find best",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Box<dyn Candidates<G>>> {
    Ok(Box::new(Plausible::new(options, context.variant, context.files)?))
}

/// Bytes of an answer in a map whose leaves are half full on average.
const ANSWER_BYTES: usize = 2 * size_of::<(u32, (Move, f32))>();

pub struct Plausible {
    n: usize,
    scripted: ScriptedPower,
    /// What the scripts said of each key, by node, and how many answers that are.
    known: Vec<BTreeMap<u32, (Move, f32)>>,
    answers: usize,
    /// The node that was asked for last.
    node: NodeId,
    worth: Vec<(f32, u32)>,
    /// For ties inside a use that ends the game; a constant stream, so that a key has one answer.
    rng: Rng,
}

impl Plausible {
    /// `options` are resolved.
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>, files: &PlayerFiles) -> Result<Plausible> {
        Ok(Plausible {
            n: options.size("n"),
            scripted: ScriptedPower::of(INFO.name, options, variant, files)?,
            known: Vec::new(),
            answers: 0,
            node: 0,
            worth: Vec::new(),
            rng: Rng::new(1),
        })
    }
}

impl<G: Game> Candidates<G> for Plausible {
    fn keys(&mut self, game: &G, state: &G::State, node: NodeId, keys: &mut Vec<u32>) {
        let Some(scripts) = game.scripts() else { return };
        scripts.keys(state, keys);
        self.node = node;
        if self.known.len() <= node as usize {
            self.known.resize(node as usize + 1, BTreeMap::new());
        }
        self.worth.clear();
        for &key in keys.iter() {
            let said = self.known[node as usize].get(&key).copied();
            let (_, worth) = said.unwrap_or_else(|| {
                let said = self.scripted.choose(scripts, state, key, &mut self.rng);
                self.known[node as usize].insert(key, said);
                self.answers += 1;
                said
            });
            self.worth.push((worth, key));
        }
        if keys.len() > self.n {
            self.worth.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            keys.clear();
            keys.extend(self.worth[..self.n].iter().map(|&(_, key)| key));
            keys.sort_unstable();
        }
    }

    fn one_per_key(&self) -> bool {
        true
    }

    fn complete(
        &mut self,
        _game: &G,
        _state: &G::State,
        _truth: Option<&G::State>,
        key: u32,
        _tried: &[Move],
        _rng: &mut Rng,
    ) -> Option<Move> {
        self.known[self.node as usize].get(&key).map(|&(mv, _)| mv)
    }

    fn bytes(&self) -> usize {
        self.known.len() * size_of::<BTreeMap<u32, (Move, f32)>>()
            + self.answers * ANSWER_BYTES
            + self.scripted.bytes()
    }

    fn failure(&mut self) -> Option<Error> {
        self.scripted.failure()
    }
}
