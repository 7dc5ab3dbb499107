//! Last good reply: playouts answer a move as it was last answered in a won simulation (spec section 4.3).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::move_means::{KEEP, keeps};
use super::{Answer, Built, End, Leaf, Memory, Playing, PlayoutPolicy, Role, Turn, Turns, slots_of};
use crate::family::Context;
use crate::game::{Game, Here, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::terms::Terms;
use crate::tree::{Layout, MoveTable, NodeId, ROOT, Scale, Simulation, Tree};
use crate::types::{Error, Move, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "last_good_reply",
    options: &[
        OptionInfo::flag("forget", "true", "whether a loss removes its replies (LGRF1) or not (LGR1)"),
        OptionInfo::choice(
            "scope",
            &["global", "per_node"],
            "global",
            "one table, or one per node for the playouts below it, of replies of the root's side alone",
        ),
        OptionInfo::choice(
            "learn",
            &["simulation", "playout"],
            "simulation",
            "replies are learnt from whole simulations, or from their playouts only",
        ),
        KEEP,
        OptionInfo::flag(
            "published",
            "false",
            "as the PPR authors' program: replies of the root's side, forgotten by position, used by the other",
        ),
    ],
    positional: None,
    doc: "Answers a move as it was last answered with success",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(LastGoodReply::new(options, context.variant)?)
}

/// A move and its slot, in one word: the move below.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Reply(u64);

/// No reply is no legal move.
const NONE: Reply = Reply(u64::MAX);

impl Reply {
    #[inline]
    fn new(mv: Move, slot: u16) -> Reply {
        Reply(mv.0 as u64 | (slot as u64) << 32)
    }

    #[inline]
    fn mv(self) -> Move {
        Move(self.0 as u32)
    }

    fn slot(self) -> u16 {
        (self.0 >> 32) as u16
    }

    /// None if `is_gone`: without a branch, because the processor cannot predict it.
    #[inline]
    fn unless(self, is_gone: bool) -> Reply {
        Reply(self.0 | (is_gone as u64).wrapping_neg())
    }
}

/// A reply that several threads may read and replace. Whose comes last is chance and does not matter: any of them was good.
struct Place(AtomicU64);

impl Place {
    fn new(reply: Reply) -> Place {
        Place(AtomicU64::new(reply.0))
    }

    #[inline]
    fn get(&self) -> Reply {
        Reply(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    fn set(&self, reply: Reply) {
        self.0.store(reply.0, Ordering::Relaxed);
    }
}

/// The replies of a chain, for others to learn into.
struct Replies(Arc<[Place]>);

fn empty(places: usize) -> Arc<[Place]> {
    (0..places).map(|_| Place::new(NONE)).collect()
}

pub struct LastGoodReply {
    forget: bool,
    per_node: bool,
    whole: bool,
    keep: bool,
    published: bool,
    slots: usize,
    /// By table, side and slot of the last move: the reply. One table, or one per node, which no other thread has.
    replies: Arc<[Place]>,
    /// The table that the present playout reads.
    table: usize,
    root_side: Side,
}

impl LastGoodReply {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<LastGoodReply> {
        let slots = slots_of("last_good_reply", variant)?;
        let (per_node, whole) =
            (options.choice("scope") == "per_node", options.choice("learn") == "simulation");
        let published = options.flag("published");
        if published && (per_node || !whole) {
            return Err(Error::new(
                "last_good_reply: published=true is one table learnt from whole simulations, so there can be no \
                 scope=per_node and no learn=playout",
            ));
        }
        Ok(LastGoodReply {
            forget: options.flag("forget"),
            per_node,
            whole,
            keep: options.flag("keep"),
            published,
            slots,
            replies: empty(2 * slots),
            table: 0,
            root_side: Side::First,
        })
    }

    /// Where the replies of `side` begin.
    #[inline]
    fn row(&self, side: Side) -> usize {
        (2 * self.table + side.index()) * self.slots
    }

    /// Chooses the table of a node and makes it if need be.
    fn turn_to(&mut self, node: NodeId) {
        self.table = node as usize;
        let end = 2 * (self.table + 1) * self.slots;
        if self.replies.len() < end {
            // To twice what is needed, so that all growing together costs no more than the last time.
            let known = self.replies.iter().map(Place::get).chain(std::iter::repeat(NONE));
            self.replies = known.take(2 * end).map(Place::new).collect();
        }
    }

    /// Plays to the end asking at every turn. Apart, so that it takes no registers from the way that is fast.
    #[inline(never)]
    fn play_by_turns<G: Game>(&mut self, playing: &mut Playing<G>) -> End {
        playing.finish(|turn, rng| self.choose(turn, rng))
    }

    fn observe_published(&mut self, simulation: &Simulation) {
        let side = simulation.root_side;
        let won = simulation.score(side) == 1.0;
        let row = self.row(side);
        for k in 1..simulation.slots.len() {
            if simulation.moves[k].1 != side {
                continue;
            }
            if won {
                let reply = Reply::new(simulation.moves[k].0, simulation.slots[k]);
                self.replies[row + simulation.slots[k - 1] as usize].set(reply);
            } else if self.forget && k - 1 < self.slots {
                // The slip of the program: the cell with the number of the position in the simulation.
                self.replies[row + k - 1].set(NONE);
            }
        }
    }
}

impl<G: Game> PlayoutPolicy<G> for LastGoodReply {
    fn role(&self) -> Role {
        let kept = if self.keep { Turns::KEPT_REPLY } else { Turns::default() };
        let only = if self.published { Turns::default() } else { Turns::REPLY.and(kept) };
        Role { only, ..Role::default() }
    }

    fn terms(&self) -> Terms {
        keeps(self.keep)
    }

    fn layout(&self) -> Layout {
        Layout::moves()
    }

    fn begin(&mut self, leaf: &Leaf<G>, _rng: &mut Rng) {
        self.root_side = leaf.root_side;
        if self.per_node {
            self.turn_to(leaf.path.last().map_or(ROOT, |step| step.node));
        }
    }

    #[inline]
    fn choose(&mut self, turn: &Turn<G>, _rng: &mut Rng) -> Answer {
        let Some(&(last, _)) = turn.moves.last() else { return Answer::Pass };
        let row = if self.published {
            if turn.side == self.root_side {
                return Answer::Pass;
            }
            self.row(self.root_side)
        } else {
            self.row(turn.side)
        };
        Answer::Preferred(self.replies[row + turn.variant.game.slot(last)].get().mv())
    }

    fn run_solo(&mut self, playing: &mut Playing<G>) -> End {
        let last = match playing.trace.moves.last() {
            Some(&(last, _)) if !self.published && playing.is_free() => last,
            _ => return self.play_by_turns(playing),
        };
        let Playing { variant, state, trace, rng, clock, .. } = playing;
        let before = trace.states;
        let rows = Side::BOTH.map(|side| &self.replies[self.row(side)..][..self.slots]);
        let reply = |side: Side, last: Move| rows[side.index()][variant.game.slot(last)].get().mv();
        let outcome = variant.reply_playout(state, last, reply, rng, trace);
        clock.visit(trace.states - before);
        End::Outcome(outcome)
    }

    fn observe(&mut self, _root: &Here<G>, simulation: &Simulation) {
        // After a draw no reply is stored.
        if simulation.value == 0.5 {
            return;
        }
        if self.published {
            return self.observe_published(simulation);
        }
        if self.per_node {
            self.turn_to(simulation.path.last().map_or(ROOT, |step| step.node));
        }
        let rows = Side::BOTH.map(|side| self.row(side));
        let won = Side::BOTH.map(|side| simulation.score(side) > 0.5);
        let begin = if self.whole && !self.per_node { 1 } else { simulation.path.len().max(1) };
        let Some(answers) = simulation.slots.get(begin..) else { return };
        let answered = &simulation.slots[begin - 1..];
        let replies = &self.replies[..];
        for ((&(mv, side), &slot), &before) in simulation.moves[begin..].iter().zip(answers).zip(answered) {
            if self.per_node && side != simulation.root_side {
                continue;
            }
            let (place, new) = (&replies[rows[side.index()] + before as usize], Reply::new(mv, slot));
            let old = place.get();
            place.set(if won[side.index()] { new } else { old.unless(self.forget & (old == new)) });
        }
    }

    fn new_root(&mut self) {
        // Nodes have new numbers below a new root: tables of nodes cannot be kept.
        if self.per_node {
            self.replies = empty(2 * self.slots);
        } else if !self.keep {
            self.replies.iter().for_each(|place| place.set(NONE));
        }
    }

    fn memories(&self) -> Vec<Memory> {
        if self.per_node { Vec::new() } else { vec![Arc::new(Replies(self.replies.clone()))] }
    }

    fn learn_into(&mut self, memories: &mut dyn Iterator<Item = Memory>) {
        if !self.per_node {
            let replies = memories.next().and_then(|memory| memory.downcast::<Replies>().ok());
            self.replies = replies.expect("the memory of the same policy").0.clone();
        }
    }

    /// The replies of each side; of the root's own table if there is one per node.
    fn tables(&self, _tree: &Tree) -> Vec<MoveTable> {
        let table = |side: Side| {
            let row = &self.replies[side.index() * self.slots..(side.index() + 1) * self.slots];
            let values = row.iter().map(Place::get);
            let values = values.map(|reply| (reply != NONE).then_some(reply.slot() as f32)).collect();
            MoveTable {
                name: "reply",
                side: Some(side),
                scale: Scale::Cell,
                doc: "the stored answer to a move on the cell",
                values,
            }
        };
        Side::BOTH.map(table).to_vec()
    }
}
