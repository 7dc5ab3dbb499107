//! Corner bias: playouts draw empty corner cells more often than others (spec section 5.3).

use super::{Answer, Built, PlayoutPolicy, Turn, offered};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "corner_bias",
    options: &[OptionInfo::real("w", 1.0, 1e6, "2", "weight of a corner; other cells have weight 1")],
    positional: None,
    doc: "Draws corners with a higher weight",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(CornerBias::new(options, context.variant)?)
}

pub struct CornerBias {
    /// The weight above 1.
    extra: f32,
    moves: Vec<Move>,
}

impl CornerBias {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<CornerBias> {
        offered("corner_bias", "corners", variant, variant.corners())?;
        Ok(CornerBias { extra: options.real("w") - 1.0, moves: Vec::new() })
    }
}

impl<G: Game> PlayoutPolicy<G> for CornerBias {
    #[inline]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(corners) = turn.variant.corners() else { return Answer::Pass };
        let game = &turn.variant.game;
        self.moves.clear();
        self.moves.extend(corners.iter().filter(|&&mv| game.is_legal(turn.state, mv)));
        draw_favoured(turn, &self.moves, self.extra, rng)
    }
}

/// One of `favoured` with the weight that they have beyond 1; otherwise the move is left to the rest of the chain.
#[inline]
pub(super) fn draw_favoured<G: Game>(turn: &Turn<G>, favoured: &[Move], extra: f32, rng: &mut Rng) -> Answer {
    if favoured.is_empty() {
        return Answer::Pass;
    }
    let beyond = extra * favoured.len() as f32;
    let total = beyond + turn.variant.game.count_moves(turn.state) as f32;
    if rng.unit() * total < beyond { Answer::Move(favoured[rng.below(favoured.len())]) } else { Answer::Pass }
}
