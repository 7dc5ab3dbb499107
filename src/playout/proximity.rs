//! Proximity bias: playouts prefer cells near the last moves (spec section 5.4).

use super::corner_bias::draw_favoured;
use super::{Answer, Built, PlayoutPolicy, Turn, offered};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::Layout;
use crate::types::{Move, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "proximity",
    options: &[
        OptionInfo::choice(
            "mode",
            &["standard", "alternative"],
            "standard",
            "near cells have weight w, or a move is near with probability p",
        ),
        OptionInfo::real("w", 1.0, 1e6, "3", "standard: weight of a near cell; other cells have weight 1"),
        OptionInfo::real(
            "p",
            0.0,
            1.0,
            "0.25",
            "alternative: how often a move is drawn among the near cells",
        ),
        OptionInfo::int("h", 1, 2, "1", "near the other side's last move, or near one's own as well"),
        OptionInfo::int("range", 1, 100, "1", "distance up to which a cell is near"),
    ],
    positional: None,
    doc: "Draws cells near the last moves more often",
};

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Proximity::new(options, context.variant)?)
}

pub struct Proximity {
    alternative: bool,
    extra: f32,
    p: f32,
    h: usize,
    range: usize,
    moves: Vec<Move>,
}

impl Proximity {
    pub fn new<G: Game>(options: &Options, variant: &Variant<G>) -> Result<Proximity> {
        offered("proximity", "distances", variant, variant.distances())?;
        Ok(Proximity {
            alternative: options.choice("mode") == "alternative",
            extra: options.real("w") - 1.0,
            p: options.real("p"),
            h: options.size("h"),
            range: options.size("range"),
            moves: Vec::new(),
        })
    }
}

impl<G: Game> PlayoutPolicy<G> for Proximity {
    fn layout(&self) -> Layout {
        Layout::moves()
    }

    #[inline]
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let Some(distances) = turn.variant.distances() else { return Answer::Pass };
        if self.alternative && !rng.chance(self.p) {
            return Answer::Pass;
        }
        let game = &turn.variant.game;
        self.moves.clear();
        for &(last, _) in turn.moves.iter().rev().take(self.h) {
            for &mv in distances.around(last, self.range) {
                if game.is_legal(turn.state, mv) && !self.moves.contains(&mv) {
                    self.moves.push(mv);
                }
            }
        }
        if !self.alternative {
            draw_favoured(turn, &self.moves, self.extra, rng)
        } else if self.moves.is_empty() {
            Answer::Pass
        } else {
            Answer::Move(self.moves[rng.below(self.moves.len())])
        }
    }
}
