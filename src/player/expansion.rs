//! The family `expansion`: when a leaf gets children, and how many. A closed set.

use crate::search::{Expansion, Growth, Order, Widen};
use crate::spec::{OptionInfo, Options, PartInfo, Spec};

const AT: OptionInfo =
    OptionInfo::int("at", 0, 1_000_000, "1", "visits that a leaf needs before it gets children");

const ONE: PartInfo = PartInfo {
    name: "one",
    options: &[
        OptionInfo::choice("order", &["random", "first", "last"], "random", "order of untried moves"),
        AT,
    ],
    positional: None,
    doc: "One child per visit, each tried once before the selection decides",
};

const ALL: PartInfo =
    PartInfo { name: "all", options: &[AT], positional: Some("at"), doc: "All children at once" };

const PROGRESSIVE: PartInfo = PartInfo {
    name: "progressive",
    options: &[
        OptionInfo::int(
            "first",
            1,
            1000,
            "3",
            "children that a node offers at first, the most promising ones",
        ),
        OptionInfo::real("at", 0.1, 1e6, "50.0", "child number first + j is offered after at * by^j visits"),
        OptionInfo::real("by", 1.01, 100.0, "1.3", "how many times as many visits the next child needs"),
        OptionInfo::int("leaf_at", 0, 1_000_000, "1", "visits that a leaf needs before it gets children"),
    ],
    positional: None,
    doc: "All children at once, but only the most promising ones are offered, the others one by one; needs a prior or AMAF",
};

/// The entries of the catalogue.
pub fn infos() -> Vec<PartInfo> {
    vec![ONE, ALL, PROGRESSIVE]
}

/// What a resolved spec says. `ties_first`: the first of equal children is offered.
pub fn read(spec: &Spec, ties_first: bool) -> Expansion {
    let options = Options::new(&spec.parts[0]);
    let (at, growth) = match options.name() {
        "one" => {
            let order = match options.choice("order") {
                "first" => Order::First,
                "last" => Order::Last,
                _ => Order::Random,
            };
            ("at", Growth::One(order))
        }
        "all" => ("at", Growth::All),
        "progressive" => {
            let widen = Widen {
                first: options.size("first"),
                at: options.real("at"),
                by: options.real("by"),
                ties_first,
            };
            ("leaf_at", Growth::Progressive(widen))
        }
        other => unreachable!("{other} was resolved but is not in the list of expansions"),
    };
    Expansion { at: options.int(at) as u32, growth }
}
