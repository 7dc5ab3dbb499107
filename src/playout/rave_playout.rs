//! RAVE playouts: some moves are drawn in proportion to their AMAF values in the leaf's parent (spec section 5.2).

use super::{Answer, Built, Leaf, PlayoutPolicy, Turn, slots_of};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::{Amaf, AmafFrom, AmafNeed, Layout, MoveTable, ROOT, Scale, Tree};
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "rave_playout",
    options: &[
        OptionInfo::real("p", 0.0, 1.0, "0.5", "how often a move is drawn by its AMAF value"),
        OptionInfo::choice(
            "by",
            &["mean", "sum"],
            "mean",
            "the AMAF value: the mean of the results (-1..1), or their sum, which favours moves seen often",
        ),
        AmafFrom::OPTION,
    ],
    positional: None,
    doc: "Draws moves with a positive AMAF value (results in -1..1) in proportion to it",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(RavePlayout::new(options, context.variant)?)
}

/// The weighted moves of one side.
#[derive(Default)]
struct Roulette {
    /// Whether the moves have been gathered in this playout.
    ready: bool,
    moves: Vec<(Move, f32)>,
    total: f32,
}

pub struct RavePlayout {
    p: f32,
    by_sum: bool,
    learn: AmafFrom,
    /// By side, AMAF of the leaf's parent.
    rows: [Vec<Amaf>; 2],
    roulettes: [Roulette; 2],
    moves: Vec<Move>,
}

/// The mean or the sum of AMAF results in -1..1 where it is positive.
#[inline]
fn weight(amaf: Amaf, by_sum: bool) -> f32 {
    if by_sum {
        (2.0 * amaf.score - amaf.visits).max(0.0)
    } else if amaf.visits > 0.0 {
        (2.0 * amaf.score / amaf.visits - 1.0).max(0.0)
    } else {
        0.0
    }
}

impl RavePlayout {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<RavePlayout> {
        slots_of("rave_playout", variant)?;
        Ok(RavePlayout {
            p: options.real("p"),
            by_sum: options.choice("by") == "sum",
            learn: AmafFrom::read(options),
            rows: Default::default(),
            roulettes: Default::default(),
            moves: Vec::new(),
        })
    }

    /// A legal move of `side` by weight; those that have been played since are dropped when drawn.
    fn draw<G: Game>(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Option<Move> {
        let game = &turn.variant.game;
        let roulette = &mut self.roulettes[turn.side.index()];
        if !roulette.ready {
            roulette.ready = true;
            self.moves.clear();
            game.legal_moves(turn.state, &mut self.moves);
            let row = &self.rows[turn.side.index()];
            let value = |&mv| row.get(game.slot(mv)).map_or(0.0, |&amaf| weight(amaf, self.by_sum));
            let weighted = self.moves.iter().map(|mv| (*mv, value(mv)));
            roulette.moves.clear();
            roulette.moves.extend(weighted.filter(|&(_, weight)| weight > 0.0));
            roulette.total = roulette.moves.iter().map(|&(_, weight)| weight).sum();
        }
        while !roulette.moves.is_empty() {
            let mut left = rng.unit() * roulette.total;
            let passed = |&(_, weight): &(Move, f32)| {
                left -= weight;
                left < 0.0
            };
            // Rounding may leave a rest behind the last move.
            let at = roulette.moves.iter().position(passed).unwrap_or(roulette.moves.len() - 1);
            let (mv, _) = roulette.moves[at];
            if game.is_legal(turn.state, mv) {
                return Some(mv);
            }
            roulette.moves.swap_remove(at);
            roulette.total = roulette.moves.iter().map(|&(_, weight)| weight).sum();
        }
        None
    }
}

impl<G: Game> PlayoutPolicy<G> for RavePlayout {
    fn layout(&self) -> Layout {
        Layout::amaf(AmafNeed::Both, self.learn)
    }

    fn begin(&mut self, leaf: &Leaf<G>, _rng: &mut Rng) {
        self.rows.iter_mut().for_each(Vec::clear);
        PlayoutPolicy::<G>::begin_again(self);
        if let Some(step) = leaf.path.last() {
            self.rows[step.side.index()].extend_from_slice(leaf.tree.amaf(step.node));
            self.rows[step.side.other().index()].extend_from_slice(leaf.tree.amaf_other(step.node));
        }
    }

    fn begin_again(&mut self) {
        self.roulettes.iter_mut().for_each(|roulette| roulette.ready = false);
    }

    #[inline]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        if !rng.chance(self.p) {
            return Answer::Pass;
        }
        self.draw(turn, rng).map_or(Answer::Pass, Answer::Move)
    }

    /// The weights of the side to move at the root, with which a leaf below the root would draw.
    fn tables(&self, tree: &Tree) -> Vec<MoveTable> {
        let weights =
            tree.amaf(ROOT).iter().map(|&a| (a.visits > 0.0).then(|| weight(a, self.by_sum))).collect();
        // A mean above even lies in 0..1; a sum of results has no bound.
        let scale = if self.by_sum { Scale::Count } else { Scale::Share };
        let doc = "weight of the move in RAVE playouts";
        vec![MoveTable { name: "weight", side: None, scale, doc, values: weights }]
    }
}
