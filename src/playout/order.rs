//! What an earlier policy of a chain leaves to a later one: a chain in which one can never have a say is refused.

use super::{decisive, last_good_reply, mate, minimax, nast, threats};
use crate::spec::{Options, Part};
use crate::types::{Error, Result};

/// Refuses `later` if nothing that it looks for can be left where a policy of `earlier` passes, and if it does all that a
/// policy of `earlier` does. The parts are resolved.
pub fn check(earlier: &[Part], later: &Part) -> Result<()> {
    let name = &later.name;
    if earlier.contains(later) {
        return Err(Error::new(format!("{name} stands twice in a chain, with the same options")));
    }
    for first in earlier {
        let before = &first.name;
        if name == threats::INFO.name && before == name {
            return Err(Error::new(format!("{name} stands twice in a chain: one of them does all of it")));
        }
        if takes_all_wins(first, later) {
            return Err(Error::new(format!(
                "playout {before} leaves no win to find, so {name} after it never answers"
            )));
        }
        if knows_all_replies(first, later) {
            return Err(Error::new(format!(
                "playout {before} knows every reply, so {name} after it never answers"
            )));
        }
        if before == decisive::INFO.name && name == minimax::NAME {
            return Err(Error::new(format!(
                "playout {name} plays every win itself, so {before} cannot stand before it: it would change nothing"
            )));
        }
    }
    Ok(())
}

/// Whether `first` answers wherever `later` would. Both look for wins within the next moves.
fn takes_all_wins(first: &Part, later: &Part) -> bool {
    let depth = |part: &Part| Options::new(part).size("depth");
    // The completing moves of both sides: what a search of two plies could find is among them.
    let sees_threats = first.name == threats::INFO.name && Options::new(first).size("moves") == 0;
    // A side completes a figure as soon as it can, to the end of the playout.
    let completes = first.name == mate::INFO.name
        && Options::new(first).size("min") == 1
        && Options::new(first).real("c") == 1.0;
    let takes_own = sees_threats || completes;
    match later.name.as_str() {
        name if name == mate::INFO.name => sees_threats,
        name if name == decisive::INFO.name => takes_own || first.name == minimax::NAME,
        minimax::NAME if depth(later) == 1 => takes_own || first.name == minimax::NAME,
        minimax::NAME => sees_threats || (first.name == minimax::NAME && depth(first) >= depth(later)),
        _ => false,
    }
}

/// Whether `first` has seen every pair of moves that `later` could have learnt as a reply.
fn knows_all_replies(first: &Part, later: &Part) -> bool {
    if first.name != nast::INFO.name || later.name != last_good_reply::INFO.name {
        return false;
    }
    let (pairs, replies) = (Options::new(first), Options::new(later));
    let whole = !pairs.flag("published") && !replies.flag("published") && pairs.int("seen") <= 1;
    whole && (pairs.flag("keep") || !replies.flag("keep"))
}
