//! What a policy of a chain leaves to those after it, as each of them says: a chain in which one can never have a say is refused.

use crate::types::{Error, Result};

/// Turns of a playout, by what there is to find in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turns(u8);

impl Turns {
    /// The side to move wins with one move.
    pub const WIN: Turns = Turns(1);
    /// The other side would win with its next move.
    pub const THREAT: Turns = Turns(2);
    /// A cell completes a figure.
    pub const COMPLETING: Turns = Turns(4);
    /// A reply to the last move has been learnt in this search.
    pub const REPLY: Turns = Turns(8);
    /// One has been learnt in this search or in an earlier one of the game.
    pub const KEPT_REPLY: Turns = Turns(16);

    pub const fn and(self, other: Turns) -> Turns {
        Turns(self.0 | other.0)
    }

    fn are_within(self, other: Turns) -> bool {
        self != Turns::default() && self.0 & !other.0 == 0
    }

    /// What a policy has done who has answered in all of them.
    fn taken(self) -> &'static str {
        if self.are_within(Turns::REPLY.and(Turns::KEPT_REPLY)) {
            "knows every reply"
        } else {
            "leaves no win to find"
        }
    }
}

/// Whether a policy finds a win by trying the moves in the order of the game: all that do find the same one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tries {
    #[default]
    Nothing,
    /// That is all it does.
    Wins,
    /// It does more.
    WinsAndMore,
}

/// What a policy says of itself in a chain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Role {
    /// The only turns in which it ever answers; none: it may answer in any.
    pub only: Turns,
    /// It answers in all of these, so that none of them is left.
    pub takes: Turns,
    pub tries: Tries,
    /// A second one would do nothing that one of them does not, whatever their options.
    pub once: bool,
    /// The policy in it that takes every ring for a win, which the rule `rings` does not.
    pub trusts_rings: Option<&'static str>,
}

/// Refuses `later` if nothing that it looks for can be left where `earlier` passes, and `earlier` if `later` does all that it
/// does.
pub fn check((before, earlier): (&str, Role), (name, later): (&str, Role)) -> Result<()> {
    let refused = |message: String| Err(Error::new(message));
    if later.once && before == name {
        return refused(format!("{name} stands twice in a chain: one of them does all of it"));
    }
    if (earlier.tries, later.tries) == (Tries::Wins, Tries::WinsAndMore) {
        return refused(format!(
            "playout {name} plays every win itself, so {before} cannot stand before it: it would change nothing"
        ));
    }
    if later.only.are_within(earlier.takes) {
        let taken = later.only.taken();
        return refused(format!("playout {before} {taken}, so {name} after it never answers"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_within_others_only_if_all_of_them_are() {
        let both = Turns::WIN.and(Turns::THREAT);
        assert!(Turns::WIN.are_within(both) && both.are_within(both) && !both.are_within(Turns::WIN));
        // Who may answer in any turn is never refused.
        assert!(!Turns::default().are_within(both));
    }
}
