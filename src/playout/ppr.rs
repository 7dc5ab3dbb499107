//! PPR, Playout Pruning with RAVE: playouts avoid moves whose AMAF value is poor (spec section 4.1).
//!
//! As the authors' program plays it: one random number decides whether a move comes from the list of good moves
//! and, if not, which of all moves it is. It is then large, and so the move comes from the last part of the
//! moves in board order. `default_pruning`, `list` and `numbering` take this apart.
//!
//! Without the force to inline, searches take up to 1.09 times the instructions (bench/inlining.txt).

use super::{Answer, Built, Leaf, PlayoutPolicy, Pool, Turn, slots_of};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::{Amaf, AmafFrom, AmafNeed, Layout, MoveTable, ROOT, Scale, Tree};
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "ppr",
    options: &[
        OptionInfo::real("tn", 0.0, 1.0, "0.01", "part of the simulations that the node asked must have"),
        OptionInfo::real("tw", 0.0, 1.0, "0.25", "moves with an AMAF value up to this are pruned"),
        OptionInfo::real("p", 0.0, 1.0, "0.8", "how often a move is taken from the list"),
        OptionInfo::choice(
            "default_pruning",
            &["last_part", "last_part_literal", "none"],
            "last_part",
            "where the other moves come from: the last (1-p) of the moves, the last (1-xi) of them, all of them",
        ),
        OptionInfo::flag("list", "true", "whether there is a list; without it those moves are uniform"),
        OptionInfo::choice(
            "numbering",
            &["board", "shuffled"],
            "board",
            "order of the moves: as legal moves are listed, or drawn once per game",
        ),
        OptionInfo::choice(
            "tn_mode",
            &["budget", "done"],
            "budget",
            "what tn is a part of: the simulations allowed (if limited by time: those done), or those done",
        ),
        AmafFrom::OPTION,
    ],
    positional: None,
    doc: "Playouts from the moves with a good AMAF value in the lowest node that has visits enough",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Ppr::new(options, context.variant, context.game_seed)?)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pruning {
    LastPart,
    Literal,
    None,
}

pub struct Ppr {
    tn: f64,
    tw: f32,
    p: f32,
    pruning: Pruning,
    has_list: bool,
    of_done: bool,
    learn: AmafFrom,
    /// The good moves that are left; both sides draw from them.
    list: Pool,
    /// `numbering=shuffled`: the rank of each slot.
    ranks: Option<Vec<u32>>,
    moves: Vec<Move>,
}

#[inline]
fn is_good(amaf: Amaf, tw: f32) -> bool {
    // Strictly above: 0 of 0 is no number and so never above (spec section 4.1, b).
    amaf.visits > 0.0 && amaf.score / amaf.visits > tw
}

impl Ppr {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>, game_seed: u64) -> Result<Ppr> {
        let slots = slots_of("ppr", variant)?;
        let ranks = (options.choice("numbering") == "shuffled").then(|| {
            let mut ranks: Vec<u32> = (0..slots as u32).collect();
            Rng::stream(&[game_seed]).shuffle(&mut ranks);
            ranks
        });
        Ok(Ppr {
            tn: options.real("tn") as f64,
            tw: options.real("tw"),
            p: options.real("p"),
            pruning: match options.choice("default_pruning") {
                "last_part" => Pruning::LastPart,
                "last_part_literal" => Pruning::Literal,
                _ => Pruning::None,
            },
            has_list: options.flag("list"),
            of_done: options.choice("tn_mode") == "done",
            learn: AmafFrom::read(options),
            list: Pool::default(),
            ranks,
            moves: Vec::new(),
        })
    }

    /// Move number `k` of the legal ones in the order of the numbering.
    #[inline]
    fn nth<G: Game>(&mut self, turn: &Turn<G>, k: usize) -> Move {
        let game = &turn.variant.game;
        let Some(ranks) = &self.ranks else { return game.nth_move(turn.state, k) };
        self.moves.clear();
        game.legal_moves(turn.state, &mut self.moves);
        *self.moves.select_nth_unstable_by_key(k, |&mv| (ranks[game.slot(mv)], mv)).1
    }
}

/// The index in `count` moves that the number `xi` in 0..1 points to.
#[inline]
fn index(xi: f32, count: usize) -> usize {
    ((xi * count as f32) as usize).min(count - 1)
}

impl<G: Game> PlayoutPolicy<G> for Ppr {
    fn layout(&self) -> Layout {
        let amaf = if self.has_list { AmafNeed::Mover } else { AmafNeed::None };
        Layout::amaf(amaf, self.learn)
    }

    fn begin(&mut self, leaf: &Leaf<G>, _rng: &mut Rng) {
        self.list.fill(|_| {});
        if !self.has_list {
            return;
        }
        let all = if self.of_done { leaf.done } else { leaf.budget.unwrap_or(leaf.done) };
        let least = self.tn * all as f64;
        let Some(node) = leaf.lowest_node(|visits| visits as f64 >= least) else { return };
        let row = leaf.tree.amaf(node);
        let game = &leaf.variant.game;
        let tw = self.tw;
        self.list.fill(|list| {
            game.legal_moves(leaf.state, list);
            list.retain(|&mv| is_good(row[game.slot(mv)], tw));
        });
    }

    fn begin_again(&mut self) {
        self.list.refill();
    }

    fn never_passes(&self) -> bool {
        self.pruning != Pruning::None && (self.has_list || self.p == 0.0)
    }

    #[inline(always)]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let xi = rng.unit();
        if xi < self.p {
            if !self.has_list {
                return Answer::Pass;
            }
            if let Some(mv) = self.list.draw_legal(turn, rng) {
                return Answer::Move(mv);
            }
        }
        // xi is at least p here, unless the list is empty: then it is uniform, and so is the move.
        let k = match self.pruning {
            Pruning::None => return Answer::Pass,
            Pruning::LastPart => index(xi, turn.variant.game.count_moves(turn.state)),
            Pruning::Literal => {
                let count = turn.variant.game.count_moves(turn.state);
                let part = (((1.0 - xi) * count as f32).ceil() as usize).clamp(1, count);
                count - part + rng.below(part)
            }
        };
        Answer::Move(self.nth(turn, k))
    }

    /// 1 where a move of the root is kept and 0 where it is pruned, as in the paper's figure 4.
    fn tables(&self, tree: &Tree) -> Vec<MoveTable> {
        if !self.has_list {
            return Vec::new();
        }
        let row = tree.amaf(ROOT);
        let mut values = vec![None; row.len()];
        for edge in tree.children(ROOT).chain(tree.untried(ROOT)) {
            let slot = tree.slot(edge);
            values[slot] = Some(is_good(row[slot], self.tw) as u8 as f32);
        }
        vec![MoveTable {
            name: "kept",
            side: None,
            scale: Scale::Flag,
            doc: "moves that PPR keeps in its list",
            values,
        }]
    }
}
