//! Playouts: how a simulation goes on below the tree. One file per policy; the list is at the end.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use crate::family::{Context, members};
use crate::game::{Game, Here, Trace, Variant};
use crate::spec::{Options, PartInfo, Spec};
use crate::terms::Terms;
use crate::tree::{Layout, MoveTable, NodeId, ROOT, Simulation, Step, Tree};
use crate::types::{Clock, Error, Move, Outcome, Result, Rng, Side};

pub mod bridge;
pub mod contextual;
pub mod corner_bias;
pub mod cutoff;
pub mod decisive;
mod fused;
pub mod guest;
pub mod last_good_reply;
pub mod mast;
pub mod mate;
pub mod minimax;
mod move_means;
pub mod nast;
pub mod nested;
mod order;
pub mod patterns;
pub mod pool_rave;
pub mod ppa;
pub mod ppr;
pub mod proximity;
pub mod rave_playout;
pub mod rings;
pub mod scripted;
#[cfg(test)]
mod tests;
pub mod threats;
pub mod uniform;

pub use order::{Role, Tries, Turns};

/// What a policy says to a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// Nothing: ask the next policy of the chain.
    Pass,
    /// Nothing, nor at any later turn of this playout.
    Rest,
    Move(Move),
    /// This move if it is legal; if not, nothing.
    Preferred(Move),
    /// The game is decided; no need to play it out.
    Stop(Outcome),
    /// An estimate of the result for the first side, in 0..1.
    Value(f32),
    /// The time is over or the states are used up in the middle of this playout: forget the simulation.
    Abandon,
}

impl Answer {
    /// A preferred move is a move where it is legal, and nothing where it is not.
    #[inline]
    fn if_legal<G: Game>(self, turn: &Turn<G>) -> Answer {
        match self {
            Answer::Preferred(mv) if turn.variant.game.is_legal(turn.state, mv) => Answer::Move(mv),
            Answer::Preferred(_) => Answer::Pass,
            answer => answer,
        }
    }
}

/// Where a playout starts.
pub struct Leaf<'a, G: Game> {
    pub variant: &'a Variant<G>,
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
    pub variant: &'a Variant<G>,
    pub state: &'a G::State,
    /// Who is to move.
    pub side: Side,
    /// All moves of the simulation so far, from the root; empty if no policy reads them.
    pub moves: &'a [(Move, Side)],
    /// How many of them were made before this playout: in the tree or, where it is a part of a nested one, above it.
    pub tree_moves: usize,
    pub clock: &'a Clock,
    /// A policy that looks ahead adds the states it visits, each of which the clock must allow.
    pub states: &'a Cell<u64>,
}

/// A playout under way: what it plays on, and what it adds to.
pub struct Playing<'a, G: Game> {
    pub variant: &'a Variant<G>,
    pub state: &'a mut G::State,
    pub trace: &'a mut Trace,
    /// How many moves of the simulation were made in the tree.
    pub tree_moves: usize,
    pub clock: &'a Clock,
    pub rng: &'a mut Rng,
}

impl<G: Game> Playing<'_, G> {
    /// Whether the longest game would not use up the states: a loop of the game's own may play it.
    fn is_free(&self) -> bool {
        self.clock.may_visit(self.variant.game.longest())
    }

    /// Plays to the end as `choose` says, uniformly at random where it says nothing.
    #[inline]
    fn finish(&mut self, mut choose: impl FnMut(&Turn<G>, &mut Rng) -> Answer) -> End {
        let Playing { variant, state, trace, tree_moves, clock, rng } = self;
        let looked_at = Cell::new(0);
        let end = loop {
            if let Some(outcome) = variant.outcome(state) {
                break End::Outcome(outcome);
            }
            let side = variant.game.side_to_move(state);
            let turn = Turn {
                variant,
                state,
                side,
                moves: &trace.moves,
                tree_moves: *tree_moves,
                clock,
                states: &looked_at,
            };
            let mv = match choose(&turn, rng) {
                Answer::Rest => break uniform_end(variant, state, rng, trace, clock),
                Answer::Stop(outcome) => break End::Outcome(outcome),
                Answer::Value(value) => break End::Value(value),
                Answer::Abandon => break End::Abandoned,
                _ if !clock.visit(1) => break End::Abandoned,
                Answer::Move(mv) => mv,
                Answer::Pass => {
                    trace.push(variant.game.play_random(state, rng), side);
                    continue;
                }
                Answer::Preferred(mv) => {
                    trace.push(variant.game.play_preferred(state, mv, rng), side);
                    continue;
                }
            };
            #[cfg(feature = "checked")]
            assert!(variant.game.is_legal(state, mv), "a playout policy chose an illegal move");
            trace.push(mv, side);
            variant.game.play(state, mv);
        };
        trace.states += looked_at.get();
        end
    }
}

/// Plays uniformly random moves to the end; None if the states are used up before it. The game's own loop counts nothing
/// on the way, so it is left to run only where no game is too long for what is left; the moves are the same.
#[inline]
fn uniform_playout<G: Game>(
    variant: &Variant<G>,
    state: &mut G::State,
    rng: &mut Rng,
    trace: &mut Trace,
    clock: &Clock,
) -> Option<Outcome> {
    if clock.may_visit(variant.game.longest()) {
        let before = trace.states;
        let outcome = variant.uniform_playout(state, rng, trace);
        let within = clock.visit(trace.states - before);
        debug_assert!(within, "a playout is longer than the longest game");
        return Some(outcome);
    }
    loop {
        if let Some(outcome) = variant.outcome(state) {
            return Some(outcome);
        }
        if !clock.visit(1) {
            return None;
        }
        let side = variant.game.side_to_move(state);
        trace.push(variant.game.play_random(state, rng), side);
    }
}

/// The same as the end of a simulation.
#[inline]
fn uniform_end<G: Game>(
    variant: &Variant<G>,
    state: &mut G::State,
    rng: &mut Rng,
    trace: &mut Trace,
    clock: &Clock,
) -> End {
    uniform_playout(variant, state, rng, trace, clock).map_or(End::Abandoned, End::Outcome)
}

/// Something learnt that threads share; only the policy that made it knows what it is.
pub type Memory = Arc<dyn Any + Send + Sync>;

/// A chain of policies decides: the first that does not pass.
pub trait PlayoutPolicy<G: Game>: Send {
    /// What it keeps in the tree and reads of simulations.
    fn layout(&self) -> Layout {
        Layout::default()
    }
    /// What it needs of the search around it, besides what follows from its layout.
    fn terms(&self) -> Terms {
        Terms::default()
    }
    /// What it leaves to the policies after it in a chain.
    fn role(&self) -> Role {
        Role::default()
    }
    /// Sees the path and its AMAF tables before the playout starts.
    fn begin(&mut self, _leaf: &Leaf<G>, _rng: &mut Rng) {}
    /// Another playout starts, at the same leaf or below it: what the one before it has used up is there again, and what
    /// was remembered of its moves is not.
    fn begin_again(&mut self) {}
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer;
    /// Whether it has an answer to every turn, so that no policy after it is ever asked.
    fn never_passes(&self) -> bool {
        false
    }
    /// Plays to the end where it is the only policy of the chain. The choice is inlined per policy instead of a virtual
    /// call for each move. A policy overrides it where it can do it faster; the moves must be those that `choose` would make of
    /// the same random numbers.
    fn run_solo(&mut self, playing: &mut Playing<G>) -> End {
        playing.finish(|turn, rng| self.choose(turn, rng))
    }
    /// A simulation is over that began at `root`: who needs more than its moves plays them again from there, and says so
    /// in its layout (`replays`).
    fn observe(&mut self, _root: &Here<G>, _simulation: &Simulation) {}
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
    /// What it learns and can learn together with the same policy in other threads of one tree.
    fn memories(&self) -> Vec<Memory> {
        Vec::new()
    }
    /// From now on it learns into these, of which it takes as many as it has, in their order.
    fn learn_into(&mut self, _memories: &mut dyn Iterator<Item = Memory>) {}
    /// What the policy has learnt, or would make of the root.
    fn tables(&self, _tree: &Tree) -> Vec<MoveTable> {
        Vec::new()
    }
}

/// Moves from which a playout draws until there are none left.
#[derive(Default)]
struct Pool {
    moves: Vec<Move>,
    /// How many of them are left in this playout: the first ones.
    left: usize,
}

impl Pool {
    /// Takes what `fill` appends to nothing.
    fn fill(&mut self, fill: impl FnOnce(&mut Vec<Move>)) {
        self.moves.clear();
        fill(&mut self.moves);
        self.refill();
    }

    /// Whatever was drawn is there again.
    fn refill(&mut self) {
        self.left = self.moves.len();
    }

    /// Takes out and returns a uniformly random move that is legal. Those that are not, because a stone stands there,
    /// are dropped on the way. None if there is none left.
    #[inline]
    fn draw_legal<G: Game>(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Option<Move> {
        while self.left > 0 {
            let left = &mut self.moves[..self.left];
            let last = left.len() - 1;
            left.swap(rng.below(left.len()), last);
            let mv = left[last];
            self.left = last;
            if turn.variant.game.is_legal(turn.state, mv) {
                return Some(mv);
            }
        }
        None
    }
}

/// What a policy asks for; refuses a game that does not offer it.
fn offered<G: Game, T>(policy: &str, what: &str, variant: &Variant<G>, known: Option<T>) -> Result<T> {
    known.ok_or_else(|| {
        Error::new(format!("playout {policy} needs {what}, which {} does not offer", variant.name()))
    })
}

/// Refuses a game without tables over moves.
fn slots_of<G: Game>(policy: &str, variant: &Variant<G>) -> Result<usize> {
    match variant.game.slots() {
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

/// What one policy of a chain has said of itself.
struct Spoken {
    name: String,
    terms: Terms,
    role: Role,
}

impl Spoken {
    fn of<G: Game>(name: &str, link: &dyn PlayoutPolicy<G>) -> Spoken {
        let terms = Terms::of_layout(&link.layout()).and(link.terms());
        Spoken { name: name.to_string(), terms, role: link.role() }
    }
}

/// The policies of a playout in their order; whatever they leave open is played uniformly at random.
pub struct Chain<G: Game> {
    links: Vec<Box<dyn PlayoutPolicy<G>>>,
    /// By policy; several may be one link.
    spoken: Vec<Spoken>,
    /// Which links rest for the remainder of this playout.
    resting: Vec<bool>,
    /// What a ring must hold to end the playout.
    rings: Option<rings::Rings<G>>,
}

impl<G: Game> Chain<G> {
    pub fn layout(&self) -> Layout {
        self.links.iter().fold(Layout::default(), |layout, link| layout.and(link.layout()))
    }

    /// What each of the policies needs of the search around it, by name.
    pub fn terms(&self) -> impl Iterator<Item = (&str, &Terms)> {
        self.spoken.iter().map(|spoken| (&spoken.name[..], &spoken.terms))
    }

    /// The policy that takes every ring for a win, if there is one.
    fn trusts_rings(&self) -> Option<&'static str> {
        self.spoken.iter().find_map(|spoken| spoken.role.trusts_rings)
    }

    pub fn begin(&mut self, leaf: &Leaf<G>, rng: &mut Rng) {
        self.resting.fill(false);
        for link in &mut self.links {
            link.begin(leaf, rng);
        }
    }

    /// Another playout starts at the leaf that `begin` has seen, or below it.
    pub fn begin_again(&mut self) {
        self.resting.fill(false);
        for link in &mut self.links {
            link.begin_again();
        }
    }

    /// Adds a link behind the others; refuses it where it could never have a say.
    fn add(&mut self, name: &str, link: Box<dyn PlayoutPolicy<G>>) -> Result<()> {
        let spoken = Spoken::of(name, &*link);
        for before in &self.spoken {
            order::check((&before.name, before.role), (name, spoken.role))?;
        }
        if let Some((last, before)) = self.links.last().zip(self.spoken.last())
            && last.never_passes()
        {
            let before = &before.name;
            return Err(Error::new(format!(
                "playout {before} never passes, so {name} after it is never asked"
            )));
        }
        self.links.push(link);
        self.spoken.push(spoken);
        self.resting.push(false);
        Ok(())
    }

    pub fn observe(&mut self, root: &Here<G>, simulation: &Simulation) {
        for link in &mut self.links {
            link.observe(root, simulation);
        }
    }

    pub fn failure(&mut self) -> Option<Error> {
        self.links.iter_mut().find_map(|link| link.failure())
    }

    pub fn notes(&self) -> Vec<String> {
        self.links.iter().flat_map(|link| link.notes()).collect()
    }

    /// Whether every move is uniformly random.
    pub fn is_uniform(&self) -> bool {
        self.links.is_empty() && self.rings.is_none()
    }

    pub fn new_root(&mut self) {
        for link in &mut self.links {
            link.new_root();
        }
    }

    /// Whether a link that is told of moves, from which it may learn, can share nothing of it with others.
    pub fn has_private_memory(&self) -> bool {
        self.links.iter().any(|link| link.layout().moves && link.memories().is_empty())
    }

    /// From now on it learns together with `other`, a chain of the same policies.
    pub fn learn_with(&mut self, other: &Chain<G>) {
        for (link, other) in self.links.iter_mut().zip(&other.links) {
            link.learn_into(&mut other.memories().into_iter());
        }
    }

    pub fn tables(&self, tree: &Tree) -> Vec<MoveTable> {
        self.links.iter().flat_map(|link| link.tables(tree)).collect()
    }

    /// What the first link that does not pass says; at the end of the chain, a uniformly random move.
    pub fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        match ask(&mut self.links, &mut self.resting, turn, rng) {
            Answer::Pass | Answer::Rest => Answer::Move(turn.variant.game.random_move(turn.state, rng)),
            answer => answer,
        }
    }

    /// Plays to the end. `begin` has been called.
    pub fn run(&mut self, mut playing: Playing<G>) -> End {
        if let Some(rings) = &self.rings {
            rings.begin(playing.state);
        }
        match &mut self.links[..] {
            [] => {
                let Playing { variant, state, trace, rng, clock, .. } = playing;
                uniform_end(variant, state, rng, trace, clock)
            }
            [link] => link.run_solo(&mut playing),
            links => playing.finish(|turn, rng| ask(links, &mut self.resting, turn, rng)),
        }
    }
}

/// What the first link that does not pass says; `Rest` if all of them rest.
#[inline]
fn ask<G: Game>(
    links: &mut [Box<dyn PlayoutPolicy<G>>],
    resting: &mut [bool],
    turn: &Turn<G>,
    rng: &mut Rng,
) -> Answer {
    let mut nothing = Answer::Rest;
    for (link, rests) in links.iter_mut().zip(resting).filter(|(_, rests)| !**rests) {
        match link.choose(turn, rng).if_legal(turn) {
            Answer::Pass => nothing = Answer::Pass,
            Answer::Rest => *rests = true,
            answer => return answer,
        }
    }
    nothing
}

/// Refuses games with hidden information: a policy that tries moves out in a world would see what its side cannot.
fn looks_ahead<G: Game>(policy: &str) -> Result<()> {
    if !G::HIDDEN {
        return Ok(());
    }
    Err(Error::new(format!(
        "playout {policy} needs a game without hidden information, which {} is not",
        G::INFO.name
    )))
}

/// What a part of a chain comes to.
pub enum Built<G: Game> {
    Link(Box<dyn PlayoutPolicy<G>>),
    /// Nothing is asked after it.
    End,
    /// A rule for the whole playout.
    Rule(rings::Rings<G>),
}

impl<G: Game> Built<G> {
    fn link(policy: impl PlayoutPolicy<G> + 'static) -> Result<Built<G>> {
        Ok(Built::Link(Box::new(policy)))
    }
}

/// Builds the chain that a resolved spec names; refuses what the game cannot serve.
pub fn build<G: Game>(spec: &Spec, context: &Context<G>) -> Result<Chain<G>> {
    if let Some(chain) = fused_chain(spec, context)? {
        return Ok(chain);
    }
    let mut chain = Chain { links: Vec::new(), spoken: Vec::new(), resting: Vec::new(), rings: None };
    for (at, part) in spec.parts.iter().enumerate() {
        if spec.parts[..at].contains(part) {
            return Err(Error::new(format!("{} stands twice in a chain, with the same options", part.name)));
        }
        match build_one(&Options::new(part), context)? {
            Built::Link(link) => chain.add(&part.name, link)?,
            Built::End if at + 1 == spec.parts.len() => {}
            Built::End => return Err(uniform::must_be_last()),
            Built::Rule(_) if chain.rings.is_some() => return Err(rings::once()),
            Built::Rule(rings) => chain.rings = Some(rings),
        }
    }
    if chain.rings.is_some()
        && let Some(other) = chain.trusts_rings()
    {
        return Err(rings::not_beside(other));
    }
    Ok(chain)
}

/// The chain that is played at every move of a strong player, compiled as one policy.
fn fused_chain<G: Game>(spec: &Spec, context: &Context<G>) -> Result<Option<Chain<G>>> {
    let [threats, bridge, reply] = &spec.parts[..] else { return Ok(None) };
    if [&threats.name, &bridge.name, &reply.name] != ["threats", "bridge", "last_good_reply"] {
        return Ok(None);
    }
    let threats = threats::Threats::new(&Options::new(threats), context.variant)?;
    if !threats.never_rests() {
        return Ok(None);
    }
    let bridge = bridge::Bridge::new(&Options::new(bridge), context.variant)?;
    let reply = last_good_reply::LastGoodReply::new(&Options::new(reply), context.variant)?;
    let spoken = vec![
        Spoken::of::<G>("threats", &threats),
        Spoken::of::<G>("bridge", &bridge),
        Spoken::of::<G>("last_good_reply", &reply),
    ];
    let first = fused::Fused { first: threats, second: bridge };
    let links: Vec<Box<dyn PlayoutPolicy<G>>> = vec![Box::new(fused::Fused { first, second: reply })];
    Ok(Some(Chain { links, spoken, resting: vec![false], rings: None }))
}

/// The same for the playout that `nested` stands on.
pub fn build_base<G: Game>(spec: &Spec, context: &Context<G>) -> Result<Chain<G>> {
    let base = build(spec, context).and_then(|base| match base.rings {
        Some(_) => Err(rings::not_in_base()),
        None => Ok(base),
    });
    base.map_err(|error| error.within("nested: base"))
}

/// The entries of the catalogue: policies from outside the core only where their host is set.
pub fn infos() -> Vec<PartInfo> {
    let is_there = |info: &PartInfo| info.name != guest::INFO.name || guest::HOST.is_set();
    listed().into_iter().filter(is_there).collect()
}

members! {
    fn build_one<G>(context: &Context<G>) -> Result<Built<G>>, listed;
    uniform,
    ppr,
    pool_rave,
    last_good_reply,
    mast,
    nast,
    mate,
    threats,
    rave_playout,
    corner_bias,
    proximity,
    contextual,
    bridge,
    rings,
    patterns,
    ppa,
    decisive,
    minimax,
    nested,
    scripted,
    cutoff,
    guest,
}
