//! What the parts of a search say of themselves beside their layout: what they need of the search around them, and what they
//! give to it. All of it is merged once, and a search that lacks what one of its parts needs is refused.
//!
//! A part, a driver and an option of the search say so in the same way. Nobody else knows who goes with whom: a new part that
//! needs what there is already is refused wherever that is not.

use crate::tree::{AmafNeed, Layout};
use crate::types::{Error, Result};

/// Something that one part gives and another one needs. Its address is its identity, as a column's is.
#[derive(Debug)]
pub struct Feature {
    /// The slot or option whose part could give it; [`DRIVER`]: how the simulations are made.
    pub slot: &'static str,
    /// What is written to have it; None: only what the part that needs it is without it.
    pub given_by: Option<&'static str>,
}

/// The slot of how simulations are made, which is no option of its own.
pub const DRIVER: &str = "driver";

/// Nodes are positions and get all their moves.
pub static POSITIONS: Feature = Feature { slot: DRIVER, given_by: None };
/// Statistics of moves made later, by node (AMAF).
pub static AMAF: Feature = Feature { slot: DRIVER, given_by: None };
/// All simulations are made in one tree, one after the other.
pub static ONE_BY_ONE: Feature = Feature { slot: "threads", given_by: Some("threads=1") };
/// Several threads search.
pub static THREADS: Feature = Feature { slot: "threads", given_by: Some("threads=2 or more") };
/// The number of simulations is known.
pub static COUNTED: Feature =
    Feature { slot: "simulations", given_by: Some("simulations=1000 or another number") };
/// Every simulation is made that the limit allows, unless the position is proven.
pub static WHOLE_RUN: Feature = Feature { slot: "stop_early", given_by: Some("stop_early=false") };
/// The most visited move is played.
pub static MOST_VISITED: Feature = Feature { slot: "final", given_by: Some("final=visits") };
/// A node offers all its moves from the start.
pub static ALL_OFFERED: Feature =
    Feature { slot: "expansion", given_by: Some("expansion=one or expansion=all") };
/// Children are compared before each of them has been tried.
pub static UNTRIED_COMPARED: Feature =
    Feature { slot: "expansion", given_by: Some("fpu=none, expansion=all or expansion=progressive") };
/// Something is expected of the moves of a node before they are tried.
pub static ORDER: Feature =
    Feature { slot: "prior", given_by: Some("a prior, or a policy that keeps AMAF such as selection=rave") };
/// An unvisited child has a value.
pub static FIRST_PLAY: Feature = Feature { slot: "fpu", given_by: Some("a number such as fpu=1") };
/// The tree is kept between moves.
pub static KEPT_TREE: Feature = Feature { slot: "reuse", given_by: Some("reuse=true") };

/// What one part says.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Each with what the part does with it, as an error goes on after a colon: `it plans for one tree`.
    needs: Vec<(&'static Feature, &'static str)>,
    gives: Vec<&'static Feature>,
}

impl Terms {
    pub fn needs(mut self, feature: &'static Feature, why: &'static str) -> Terms {
        self.needs.push((feature, why));
        self
    }

    pub fn gives(mut self, feature: &'static Feature) -> Terms {
        self.gives.push(feature);
        self
    }

    /// The same where a condition holds; nothing of it where it does not.
    pub fn only_if(self, holds: bool) -> Terms {
        if holds { self } else { Terms::default() }
    }

    /// What this part and another one say together.
    pub fn and(mut self, other: Terms) -> Terms {
        self.needs.extend(other.needs);
        self.gives.extend(other.gives);
        self
    }

    /// What follows from what a part keeps in the tree.
    pub fn of_layout(layout: &Layout) -> Terms {
        let amaf =
            Terms::default().needs(&AMAF, "it reads AMAF, and moves do not permute there").gives(&ORDER);
        let keys = Terms::default().needs(&POSITIONS, "it joins nodes that are the same position");
        amaf.only_if(layout.amaf != AmafNeed::None).and(keys.only_if(layout.keys))
    }

    fn has(&self, feature: &'static Feature) -> bool {
        self.gives.iter().any(|given| std::ptr::eq(*given, feature))
    }
}

/// What the part of one slot says.
#[derive(Clone, Debug)]
pub struct Said {
    /// The slot or the option of the search.
    pub slot: &'static str,
    /// As errors name it: `root=halving`.
    pub who: String,
    /// What stands in the slot unless told otherwise: `root=plain`.
    pub usual: String,
    pub terms: Terms,
}

/// Refuses a search in which a part lacks what it needs.
pub fn check(said: &[Said]) -> Result<()> {
    for Said { slot, who, usual, terms } in said {
        for &(feature, why) in &terms.needs {
            if said.iter().any(|other| other.terms.has(feature)) {
                continue;
            }
            let other = said.iter().find(|other| other.slot == feature.slot && other.slot != *slot);
            let beside = other.map_or_else(|| "what stands beside it".into(), |other| other.who.clone());
            let allowed = feature.given_by.unwrap_or(usual);
            return Err(Error::new(format!("{who} does not go with {beside}: {why}; allowed: {allowed}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::AmafFrom;

    static LIGHT: Feature = Feature { slot: "lamp", given_by: Some("lamp=on") };
    static AIR: Feature = Feature { slot: DRIVER, given_by: None };

    fn said(slot: &'static str, who: &str, terms: Terms) -> Said {
        Said { slot, who: who.to_string(), usual: format!("{slot}=none"), terms }
    }

    fn refusal(said: &[Said]) -> Option<String> {
        check(said).err().map(|error| error.to_string())
    }

    #[test]
    fn who_lacks_what_it_needs_is_named_with_what_lacks_it() {
        let reader =
            said("reader", "reader=eyes", Terms::default().needs(&LIGHT, "it sees nothing in the dark"));
        let (off, on) = (said("lamp", "lamp=off", Terms::default()), Terms::default().gives(&LIGHT));
        let told = "reader=eyes does not go with lamp=off: it sees nothing in the dark; allowed: lamp=on";
        assert_eq!(refusal(&[reader.clone(), off.clone()]), Some(told.to_string()));
        assert_eq!(refusal(&[off.clone(), reader.clone()]), Some(told.to_string()));
        assert_eq!(refusal(&[reader.clone(), said("lamp", "lamp=on", on.clone())]), None);
        // Any part may give it: the slot only says which could have.
        assert_eq!(refusal(&[reader, off, said("window", "window=open", on)]), None);
    }

    #[test]
    fn what_only_the_driver_gives_leaves_what_is_usual_in_the_slot() {
        let fire = said("fire", "fire=wood", Terms::default().needs(&AIR, "it burns"));
        let driver = |terms| said(DRIVER, "the moon, where there is no air", terms);
        let told = "fire=wood does not go with the moon, where there is no air: it burns; allowed: fire=none";
        assert_eq!(refusal(&[fire.clone(), driver(Terms::default())]), Some(told.to_string()));
        assert_eq!(refusal(&[fire, driver(Terms::default().gives(&AIR))]), None);
    }

    #[test]
    fn two_features_are_two_however_alike() {
        static OTHER: Feature = Feature { slot: "lamp", given_by: Some("lamp=on") };
        let reader = said("reader", "reader=eyes", Terms::default().needs(&LIGHT, "it reads"));
        assert!(refusal(&[reader, said("lamp", "lamp=on", Terms::default().gives(&OTHER))]).is_some());
    }

    #[test]
    fn terms_add_up_and_follow_from_a_layout() {
        let both = Terms::default().needs(&LIGHT, "").and(Terms::default().gives(&AIR).only_if(true));
        assert!(both.has(&AIR) && both.needs.len() == 1);
        assert!(!Terms::default().gives(&AIR).only_if(false).has(&AIR));
        let amaf = Terms::of_layout(&Layout::amaf(AmafNeed::Mover, AmafFrom::Tree));
        assert!(amaf.has(&ORDER) && amaf.needs.len() == 1);
        let none = Terms::of_layout(&Layout::moves());
        assert!(none.needs.is_empty() && none.gives.is_empty());
    }
}
