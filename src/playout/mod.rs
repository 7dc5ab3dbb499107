//! Playouts: how a simulation goes on below the tree. One file per policy; the list is at the end.

use std::cell::Cell;

use crate::game::{Game, Rules, Trace};
use crate::spec::{Options, PartInfo, Spec};
use crate::tree::{Needs, Simulation, Step, Tree};
use crate::types::{Clock, Move, Outcome, Result, Rng, Side};

pub mod minimax;
pub mod nested;
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
    /// What a reader of the results should know about this policy.
    fn notes(&self) -> Vec<String> {
        Vec::new()
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

    pub fn notes(&self) -> Vec<String> {
        self.links.iter().flat_map(|link| link.notes()).collect()
    }

    /// Whether no policy has a say.
    pub fn is_uniform(&self) -> bool {
        self.links.is_empty()
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
    vec![minimax::DECISIVE, minimax::INFO, nested::INFO, uniform::INFO]
}

/// Builds the chain that a resolved spec names; refuses what the game cannot serve.
pub fn build<G: Game>(spec: &Spec, rules: &Rules<G>) -> Result<Chain<G>> {
    let mut links: Vec<Box<dyn PlayoutPolicy<G>>> = Vec::new();
    for (at, part) in spec.parts.iter().enumerate() {
        let options = Options::new(part);
        match options.name() {
            minimax::NAME => links.push(Box::new(minimax::Minimax::new(&options, rules))),
            name if name == minimax::DECISIVE.name => links.push(Box::new(minimax::Minimax::decisive(rules))),
            nested::NAME => {
                let base = build(options.spec("base"), rules).map_err(|e| e.within("nested: base"))?;
                links.push(Box::new(nested::Nested::new(&options, base, rules)?));
            }
            uniform::NAME if at + 1 == spec.parts.len() => {}
            uniform::NAME => return Err(uniform::must_be_last()),
            other => unreachable!("{other} was resolved but is not in the list of playout policies"),
        }
    }
    links.shrink_to_fit();
    Ok(Chain { links })
}
