//! Rings that must hold standing stones: a playout goes on where a ring closes that is mostly its own (Ewalds 2012).
//!
//! Random stones close rings late in a playout of a large board, and such rings say nothing about the position it began
//! in. So a ring counts only if it holds some stones that stood when the playout began, those of the tree included. The
//! rule itself is the game's; this is no link of a chain, because it chooses no moves.

use super::{Built, offered};
use crate::family::Context;
use crate::game::{AskRings, Game};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Error, Result};

pub const NAME: &str = "rings";

pub const INFO: PartInfo = PartInfo {
    name: NAME,
    options: &[OptionInfo::int(
        "stones",
        1,
        1000,
        "3",
        "stones a ring must hold that stood before the playout; rings with fewer do not end it",
    )],
    positional: Some("stones"),
    doc: "Goes on where a ring closes that holds few stones from before the playout; chooses no moves",
};

/// No link of a chain, but a rule for all of it.
pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    let ask = offered(NAME, "rings", context.variant, context.variant.rings())?;
    Ok(Built::Rule(Rings { stones: options.size("stones") as u32, ask }))
}

pub struct Rings<G: Game> {
    stones: u32,
    ask: AskRings<G>,
}

impl<G: Game> Rings<G> {
    /// A playout starts in `state`.
    #[inline]
    pub fn begin(&self, state: &mut G::State) {
        (self.ask)(state, self.stones);
    }
}

pub fn once() -> Error {
    Error::new("rings stands twice in a chain: once is enough for all of it")
}

/// Where a policy looks for cells which complete a figure.
pub fn not_beside(other: &str) -> Error {
    Error::new(format!(
        "playout {NAME} cannot stand in a chain with {other}, which takes every ring for a win"
    ))
}

/// The playouts of a base are parts of a whole one.
pub fn not_in_base() -> Error {
    Error::new("rings is asked of whole playouts: write it before nested, as in rings+nested")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::catalogue;
    use crate::game::{Rules, Variant};
    use crate::games::havannah::Havannah;
    use crate::search::Logged;
    use crate::session::check_player;
    use crate::spec::Family;
    use crate::types::{Limit, Rng};

    fn refused(game: &str, player: &str) -> String {
        let game = catalogue::read(Family::Game, game).unwrap();
        let player = catalogue::read(Family::Player, player).unwrap();
        check_player(&game, &player).err().map(|error| error.to_string()).unwrap_or_default()
    }

    /// How many playouts of 300 go on where the plain rules have named a winner.
    fn going_on(chain: &str) -> usize {
        let variant = Arc::new(Variant { game: Havannah::new(5, false), misere: false });
        let player = catalogue::read(Family::Player, &format!("uct(playout={chain})")).unwrap();
        let player = catalogue::build_player(&player, &variant).unwrap();
        let start = variant.game.initial_state(&mut Rng::new(1));
        let mut search = player.think(&variant, &start, Rng::new(1)).unwrap();
        search.keep_log();
        search.run(&Limit::simulations(300), &Default::default());
        let goes_on = |logged: &&Logged| {
            let mut state = start.clone();
            logged.moves.iter().any(|&(mv, _)| {
                let is_over = variant.game.outcome(&state).is_some();
                if !is_over {
                    variant.game.play(&mut state, mv);
                }
                is_over
            })
        };
        search.log().iter().filter(goes_on).count()
    }

    #[test]
    fn a_playout_goes_on_after_a_ring_whatever_stands_beside_the_rule() {
        for beside in ["uniform", "last_good_reply", "bridge", "mast", "bridge+last_good_reply", "decisive"] {
            for chain in [format!("rings+{beside}"), format!("{beside}+rings")] {
                // `uniform` is always the last.
                if !chain.starts_with("uniform") {
                    assert!(going_on(&chain) > 5, "{chain}: {}", going_on(&chain));
                }
            }
            assert_eq!(going_on(beside), 0, "{beside}");
        }
    }

    #[test]
    fn what_cannot_be_played_is_refused() {
        for (game, player, message) in [
            (
                "domineering",
                "rave(playout=rings)",
                "playout rings needs rings, which domineering does not offer",
            ),
            (
                "misere(havannah)",
                "rave(playout=rings)",
                "playout rings needs rings, which misere havannah does not offer",
            ),
            (
                "havannah",
                "rave(playout=rings+threats+bridge+last_good_reply)",
                "playout rings cannot stand in a chain with threats, which takes every ring for a win",
            ),
            (
                "havannah",
                "rave(playout=mate+rings)",
                "playout rings cannot stand in a chain with mate, which takes every ring for a win",
            ),
            (
                "havannah",
                "rave(playout=rings+nested(base=threats))",
                "playout rings cannot stand in a chain with threats, which takes every ring for a win",
            ),
            (
                "havannah",
                "rave(playout=rings+bridge+rings(1))",
                "rings stands twice in a chain: once is enough for all of it",
            ),
            (
                "havannah",
                "rave(playout=nested(base=rings))",
                "nested: base: rings is asked of whole playouts: write it before nested, as in rings+nested",
            ),
            (
                "havannah",
                "nested(base=bridge+rings)",
                "nested: base: rings is asked of whole playouts: write it before nested, as in rings+nested",
            ),
        ] {
            let error = refused(game, player);
            assert!(error.ends_with(message), "{player}: {error}");
        }
        let chains =
            ["rings", "rings+bridge+last_good_reply", "ppr+rings(1)", "rings+nested", "rings+uniform"];
        for chain in chains {
            assert_eq!(refused("havannah", &format!("rave(playout={chain})")), "");
        }
    }
}
