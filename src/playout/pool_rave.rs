//! PoolRave: playouts take some of their moves from a pool of the best AMAF values (spec section 4.2).
//!
//! Without the force to inline, searches take up to 1.01 times the instructions (bench/inlining.txt).

use super::{Answer, Built, Leaf, PlayoutPolicy, Pool, Turn, slots_of};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::{AmafFrom, AmafNeed, Layout, MoveTable, ROOT, Scale, Tree};
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "pool_rave",
    options: &[
        OptionInfo::int("n", 1, 100_000, "20", "moves in the pool"),
        OptionInfo::real("p", 0.0, 1.0, "0.3", "how often a move is taken from the pool"),
        OptionInfo::int("visits", 0, 1_000_000_000, "50", "the node asked must have more visits than this"),
        OptionInfo::int("seen", 1, 1_000_000_000, "50", "AMAF visits that a move of the pool must have"),
        AmafFrom::OPTION,
    ],
    positional: None,
    doc: "Playouts from the moves with the best AMAF values of the lowest node that has visits enough",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(PoolRave::new(options, context.variant)?)
}

pub struct PoolRave {
    n: usize,
    p: f32,
    visits: u32,
    seen: f32,
    learn: AmafFrom,
    pool: Pool,
    /// AMAF value, a random number that decides between equals, move.
    ranked: Vec<(f32, u32, Move)>,
    moves: Vec<Move>,
}

impl PoolRave {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<PoolRave> {
        slots_of("pool_rave", variant)?;
        Ok(PoolRave {
            n: options.size("n"),
            p: options.real("p"),
            visits: options.int("visits") as u32,
            seen: options.int("seen") as f32,
            learn: AmafFrom::read(options),
            pool: Pool::default(),
            ranked: Vec::new(),
            moves: Vec::new(),
        })
    }
}

impl<G: Game> PlayoutPolicy<G> for PoolRave {
    fn layout(&self) -> Layout {
        Layout::amaf(AmafNeed::Mover, self.learn)
    }

    fn begin(&mut self, leaf: &Leaf<G>, rng: &mut Rng) {
        self.pool.fill(|_| {});
        let Some(node) = leaf.lowest_node(|visits| visits > self.visits) else { return };
        let row = leaf.tree.amaf(node);
        let game = &leaf.variant.game;
        self.moves.clear();
        game.legal_moves(leaf.state, &mut self.moves);
        self.ranked.clear();
        for &mv in &self.moves {
            let amaf = row[game.slot(mv)];
            if amaf.visits >= self.seen {
                self.ranked.push((amaf.score / amaf.visits, rng.next_u32(), mv));
            }
        }
        if self.ranked.len() > self.n {
            self.ranked.select_nth_unstable_by(self.n - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.ranked.truncate(self.n);
        }
        self.pool.fill(|pool| pool.extend(self.ranked.iter().map(|&(_, _, mv)| mv)));
    }

    fn begin_again(&mut self) {
        self.pool.refill();
    }

    #[inline(always)]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        if self.pool.left == 0 {
            return Answer::Rest;
        }
        if rng.chance(self.p)
            && let Some(mv) = self.pool.draw_legal(turn, rng)
        {
            return Answer::Move(mv);
        }
        Answer::Pass
    }

    /// 1 for the moves of the root that would be in its pool.
    fn tables(&self, tree: &Tree) -> Vec<MoveTable> {
        let row = tree.amaf(ROOT);
        let mut values = vec![None; row.len()];
        let mut ranked: Vec<(f32, usize)> = Vec::new();
        for edge in tree.children(ROOT).chain(tree.untried(ROOT)) {
            let slot = tree.slot(edge);
            values[slot] = Some(0.0);
            if row[slot].visits >= self.seen && tree.node(ROOT).visits > self.visits {
                ranked.push((row[slot].score / row[slot].visits, slot));
            }
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.iter().take(self.n).for_each(|&(_, slot)| values[slot] = Some(1.0));
        vec![MoveTable {
            name: "pool",
            side: None,
            scale: Scale::Flag,
            doc: "moves in PoolRave's pool",
            values,
        }]
    }
}
