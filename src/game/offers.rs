//! What a game may offer beyond its rules, each by itself, and the smaller of these offers.

use super::{Completions, Decisive, Patterns, Rules, Scripts, Secrets, Stages};
use crate::spec::Strong;
use crate::types::{Move, Side};

/// The capabilities of a game. A policy that needs one refuses a game without it; by default there are none.
pub trait Offers: Rules {
    /// Whether a side may not see all of the state: whether there are `secrets`.
    const HIDDEN: bool = false;

    /// What the player `strong` stands for in this game; the first that fits the board counts. Measured, not guessed:
    /// docs/measured/champion.md has the rows of Havannah, docs/measured/mr_jack.md and docs/measured/champion_games.md the others.
    const STRONG: &'static [Strong] = &[];

    /// The options of a board on which a few hundred simulations see every move more than once; empty where the game as it
    /// comes has one. Fingerprints are taken on it.
    const SMALL: &'static str = "";

    /// The moves of this position that must be judged by their own results, because later moves with the same slot
    /// are worth something else, or because there are none.
    #[inline]
    fn amaf_exempt(&self, _state: &Self::State) -> AmafExempt {
        AmafExempt::None
    }

    /// What is hidden from a side; something exactly where `HIDDEN`.
    fn secrets(&self) -> Option<&dyn Secrets<Self>> {
        None
    }

    /// The stages of its moves, such as a card, then its use. A game that offers them draws a random move stage by stage.
    fn stages(&self) -> Option<&dyn Stages<Self>> {
        None
    }

    /// Moves that win for certain, and those that cannot lose at once, by what the side to move sees.
    fn decisive(&self) -> Option<&dyn Decisive<Self>> {
        None
    }

    /// The rule scripts that choose the last stage of a move; nothing where there are no `stages`.
    fn scripts(&self) -> Option<&dyn Scripts<Self>> {
        None
    }

    /// Moves that complete a winning figure.
    fn completions(&self) -> Option<&dyn Completions<Self>> {
        None
    }

    /// How far cells lie apart.
    fn distances(&self) -> Option<&dyn Distances<Self>> {
        None
    }

    /// The moves on corner cells.
    fn corners(&self) -> Option<&[Move]> {
        None
    }

    /// Stones that are joined although they do not touch.
    fn bridges(&self) -> Option<&dyn Bridges<Self>> {
        None
    }

    /// How a state is told that rings, a figure that wins in Havannah, must hold standing stones.
    fn rings(&self) -> Option<AskRings<Self>> {
        None
    }

    /// What the surroundings of moves look like.
    fn patterns(&self) -> Option<&dyn Patterns<Self>> {
        None
    }

    /// What is expected of untried moves.
    fn priors(&self) -> Option<&dyn Priors<Self>> {
        None
    }

    /// What a position is worth without playing on.
    fn evaluation(&self) -> Option<&dyn Evaluation<Self>> {
        None
    }
}

/// Moves for which AMAF is meaningless, such as the swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmafExempt {
    None,
    One(Move),
    All,
}

/// How far cells lie apart.
pub trait Distances<G: Rules>: Sync {
    /// The moves on cells at distance 1..=range of the cell of `mv`, whatever stands there.
    fn around(&self, mv: Move, range: usize) -> &[Move];
}

/// Two stones that two empty cells join: if one of the cells is taken, the other keeps them joined.
pub trait Bridges<G: Rules>: Sync {
    /// Appends the moves with which `side` keeps two of its stones joined after the other side's move `last` went
    /// between them: the other of the two cells that both stones touch.
    fn bridge_replies(&self, state: &G::State, side: Side, last: Move, moves: &mut Vec<Move>);
}

/// What tells a state, where a playout starts in it, that from now on rings count only if they hold so many of the
/// stones that stand. A state that is copied keeps the rule, and one that is overwritten by a copy takes over the
/// other's.
pub type AskRings<G> = fn(&mut <G as Rules>::State, u32);

/// What a game expects of untried moves: the slot `prior` of a search.
pub trait Priors<G: Rules>: Sync {
    /// What is to be expected of each of `moves` for the side to move, after the move `last` of the other side:
    /// 0 for nothing, about 1 for a good sign. `values` is written anew.
    fn priors(&self, state: &G::State, last: Option<Move>, moves: &[Move], values: &mut Vec<f32>);
}

/// What a game makes of a position without playing on: the playout `cutoff` and backups read it.
pub trait Evaluation<G: Rules>: Sync {
    /// What is to be expected for the first side, in 0..1; the game is not over.
    fn value(&self, state: &G::State) -> f32;
}
