//! Playouts: how a simulation goes on below the tree. One file per policy; the list is at the end.

use std::cell::Cell;

use crate::game::{Game, Knowledge, Rules, Trace};
use crate::rules::Books;
use crate::spec::{Options, PartInfo, Spec};
use crate::tree::{Needs, NodeId, ROOT, Simulation, Step, Table, Tree};
use crate::types::{Clock, Error, Move, Outcome, Result, Rng, Side};

pub mod contextual;
pub mod corner_bias;
pub mod last_good_reply;
mod learnt;
pub mod mast;
pub mod mate;
pub mod minimax;
pub mod nast;
pub mod nested;
pub mod pool_rave;
pub mod ppr;
pub mod proximity;
pub mod rave_playout;
pub mod staged;
#[cfg(test)]
mod tests;
pub mod uniform;

/// What a policy says to a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// Nothing: ask the next policy of the chain.
    Pass,
    Move(Move),
    /// The game is decided; no need to play it out.
    Stop(Outcome),
    /// An estimate of the result for the first side, in 0..1.
    Value(f32),
    /// The time is over in the middle of this playout: forget the simulation.
    Abandon,
}

/// Where a playout starts.
pub struct Leaf<'a, G: Game> {
    pub rules: &'a Rules<G>,
    pub state: &'a G::State,
    pub tree: &'a Tree,
    /// The decisions in the tree, from the root; the last edge leads to this leaf.
    pub path: &'a [Step],
    /// Simulations that this search may make in all, if it is limited by their number.
    pub budget: Option<u64>,
    /// Simulations made so far.
    pub done: u64,
    /// The side to move at the root.
    pub root_side: Side,
}

impl<G: Game> Leaf<'_, G> {
    /// The lowest node on the way from the leaf up to the root for which `enough` holds of its visits.
    #[inline]
    pub fn lowest_node(&self, enough: impl Fn(u32) -> bool) -> Option<NodeId> {
        let leaf = match self.path.last() {
            Some(step) => self.tree.behind(step.edge),
            None => Some(ROOT),
        };
        let path = self.path.iter().rev().map(|step| step.node);
        leaf.into_iter().chain(path).find(|&node| enough(self.tree.node(node).visits))
    }
}

/// A state in which a playout needs a move. The game is not over.
pub struct Turn<'a, G: Game> {
    pub rules: &'a Rules<G>,
    pub state: &'a G::State,
    /// Who is to move.
    pub side: Side,
    /// All moves of the simulation so far, from the root; empty if no policy reads them.
    pub moves: &'a [(Move, Side)],
    /// How many of them were made in the tree.
    pub tree_moves: usize,
    pub clock: &'a Clock,
    /// A policy that looks ahead adds the states it visits.
    pub states: &'a Cell<u64>,
}

/// A chain of policies decides: the first that does not pass.
pub trait PlayoutPolicy<G: Game>: Send {
    fn needs(&self) -> Needs {
        Needs::default()
    }
    /// Sees the path and its AMAF tables before the playout starts.
    fn begin(&mut self, _leaf: &Leaf<G>, _rng: &mut Rng) {}
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer;
    fn observe(&mut self, _simulation: &Simulation) {}
    /// What has gone wrong since the last call, for a policy that can fail: it has abandoned its playout.
    fn failure(&mut self) -> Option<Error> {
        None
    }
    /// What a reader of the results should know about this policy.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
    /// The search goes on from another root: forget what was learnt for the old one, unless told to keep it.
    fn new_root(&mut self) {}
    /// What the policy has learnt, or would make of the root.
    fn tables(&self, _tree: &Tree) -> Vec<Table> {
        Vec::new()
    }
}

/// Removes and returns a uniformly random element of `moves` that is legal. Elements that are not are dropped
/// on the way: somebody has played there. None if there is none left.
#[inline]
fn draw_legal<G: Game>(turn: &Turn<G>, moves: &mut Vec<Move>, rng: &mut Rng) -> Option<Move> {
    while !moves.is_empty() {
        let mv = moves.swap_remove(rng.below(moves.len()));
        if turn.rules.game.is_legal(turn.state, mv) {
            return Some(mv);
        }
    }
    None
}

/// Refuses a game that does not know `what` the policy asks for.
fn knowledge_of<'a, G: Game>(policy: &str, what: &str, rules: &'a Rules<G>) -> Result<&'a dyn Knowledge<G>> {
    let misere = if rules.misere { "misere " } else { "" };
    rules.knowledge().ok_or_else(|| {
        Error::new(format!("playout {policy} needs {what}, which {misere}{} does not offer", G::INFO.name))
    })
}

/// Refuses a game without tables over moves.
fn slots_of<G: Game>(policy: &str, rules: &Rules<G>) -> Result<usize> {
    match rules.game.slots() {
        0 => Err(Error::new(format!(
            "playout {policy} needs move tables, which {} does not have",
            G::INFO.name
        ))),
        slots => Ok(slots),
    }
}

/// How a playout ended.
pub enum End {
    Outcome(Outcome),
    /// An estimate for the first side, in 0..1.
    Value(f32),
    Abandoned,
}

/// The policies of a playout in their order; whatever they leave open is played uniformly at random.
pub struct Chain<G: Game> {
    links: Vec<Box<dyn PlayoutPolicy<G>>>,
}

impl<G: Game> Chain<G> {
    pub fn needs(&self) -> Needs {
        self.links.iter().fold(Needs::default(), |needs, link| needs.and(link.needs()))
    }

    pub fn begin(&mut self, leaf: &Leaf<G>, rng: &mut Rng) {
        for link in &mut self.links {
            link.begin(leaf, rng);
        }
    }

    pub fn observe(&mut self, simulation: &Simulation) {
        for link in &mut self.links {
            link.observe(simulation);
        }
    }

    pub fn failure(&mut self) -> Option<Error> {
        self.links.iter_mut().find_map(|link| link.failure())
    }

    pub fn notes(&self) -> Vec<String> {
        self.links.iter().flat_map(|link| link.notes()).collect()
    }

    /// Whether no policy has a say.
    pub fn is_uniform(&self) -> bool {
        self.links.is_empty()
    }

    pub fn new_root(&mut self) {
        for link in &mut self.links {
            link.new_root();
        }
    }

    pub fn tables(&self, tree: &Tree) -> Vec<Table> {
        self.links.iter().flat_map(|link| link.tables(tree)).collect()
    }

    /// What the first link that does not pass says.
    #[inline]
    pub fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        for link in &mut self.links {
            match link.choose(turn, rng) {
                Answer::Pass => {}
                answer => return answer,
            }
        }
        Answer::Move(turn.rules.game.random_move(turn.state, rng))
    }

    /// Plays `state` to its end. `begin` has been called.
    pub fn run(
        &mut self,
        rules: &Rules<G>,
        state: &mut G::State,
        trace: &mut Trace,
        tree_moves: usize,
        clock: &Clock,
        rng: &mut Rng,
    ) -> End {
        if self.links.is_empty() {
            return End::Outcome(rules.uniform_playout(state, rng, trace));
        }
        let looked_at = Cell::new(0);
        let end = loop {
            if let Some(outcome) = rules.outcome(state) {
                break End::Outcome(outcome);
            }
            let side = rules.game.side_to_move(state);
            let turn =
                Turn { rules, state, side, moves: &trace.moves, tree_moves, clock, states: &looked_at };
            match self.choose(&turn, rng) {
                Answer::Move(mv) => {
                    #[cfg(feature = "checked")]
                    assert!(rules.game.is_legal(state, mv), "a playout policy chose an illegal move");
                    trace.push(mv, side);
                    rules.game.play(state, mv);
                }
                Answer::Stop(outcome) => break End::Outcome(outcome),
                Answer::Value(value) => break End::Value(value),
                Answer::Abandon => break End::Abandoned,
                Answer::Pass => unreachable!("the end of a chain never passes"),
            }
        };
        trace.states += looked_at.get();
        end
    }
}

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    vec![
        uniform::INFO,
        ppr::INFO,
        pool_rave::INFO,
        last_good_reply::INFO,
        mast::INFO,
        nast::INFO,
        mate::INFO,
        rave_playout::INFO,
        corner_bias::INFO,
        proximity::INFO,
        contextual::INFO,
        minimax::DECISIVE,
        minimax::INFO,
        nested::INFO,
        staged::SCRIPTED,
        staged::CUTOFF,
    ]
}

/// A policy that tries moves out in a world would see what its side cannot.
fn looks_ahead<G: Game>(policy: &str) -> Error {
    Error::new(format!(
        "playout {policy} needs a game without hidden information, which {} is not",
        G::INFO.name
    ))
}

/// Builds the chain that a resolved spec names; refuses what the game cannot serve. `game_seed` names what is
/// drawn once per game.
pub fn build<G: Game>(spec: &Spec, rules: &Rules<G>, books: &Books, game_seed: u64) -> Result<Chain<G>> {
    let mut links: Vec<Box<dyn PlayoutPolicy<G>>> = Vec::new();
    for (at, part) in spec.parts.iter().enumerate() {
        let options = Options::new(part);
        links.push(match options.name() {
            uniform::NAME if at + 1 == spec.parts.len() => continue,
            uniform::NAME => return Err(uniform::must_be_last()),
            "ppr" => Box::new(ppr::Ppr::new(&options, rules, game_seed)?),
            "pool_rave" => Box::new(pool_rave::PoolRave::new(&options, rules)?),
            "last_good_reply" => Box::new(last_good_reply::LastGoodReply::new(&options, rules)?),
            "mast" => Box::new(mast::Mast::new(&options, rules)?),
            "nast" => Box::new(nast::Nast::new(&options, rules)?),
            "mate" => Box::new(mate::Mate::new(&options, rules)?),
            "rave_playout" => Box::new(rave_playout::RavePlayout::new(&options, rules)?),
            "corner_bias" => Box::new(corner_bias::CornerBias::new(&options, rules)?),
            "proximity" => Box::new(proximity::Proximity::new(&options, rules)?),
            "decisive" if rules.game.stages().is_some() && !rules.misere => Box::new(staged::Decisive),
            name @ ("decisive" | "minimax" | "nested") if G::HIDDEN => return Err(looks_ahead::<G>(name)),
            "decisive" => Box::new(minimax::Minimax::decisive(rules)),
            "minimax" => Box::new(minimax::Minimax::new(&options, rules)),
            "scripted" => Box::new(staged::Scripted::new(&options, rules, books)?),
            "cutoff" => Box::new(staged::Cutoff::new(&options, rules)?),
            "nested" => {
                let base = build(options.spec("base"), rules, books, game_seed);
                Box::new(nested::Nested::new(&options, base.map_err(|e| e.within("nested: base"))?, rules)?)
            }
            "contextual" => Box::new(contextual::Contextual::new(&options, rules)?),
            other => unreachable!("{other} was resolved but is not in the list of playout policies"),
        });
    }
    Ok(Chain { links })
}
