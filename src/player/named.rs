//! Named players: the combinations that papers and people call by one word.

use crate::spec::{Family, Named};

const fn player(name: &'static str, spec: &'static str, doc: &'static str) -> Named {
    Named { family: Family::Player, name, spec, doc }
}

pub const NAMED: &[Named] = &[
    player(
        "uct",
        "mcts(selection=uct(k=0.25), expansion=one, expand_at=1, order=random, final=visits)",
        "UCT as in the PPR paper: one child per simulation, most visited move",
    ),
    player(
        "fossel_uct",
        "mcts(selection=uct(c=1.8), expansion=all, expand_at=0, t=50, fpu=1.0, fpu_mode=urgency, final=score)",
        "UCT as in Fossel's report: all children at once, threshold 50, best score",
    ),
];
