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
    player(
        "rave",
        "mcts(selection=rave(r=130, schedule=sqrt, amaf=smoothed, k=0), expansion=one, expand_at=1)",
        "RAVE as in the PPR paper: r=130, no exploration term",
    ),
    player(
        "ppr",
        "mcts(selection=rave(r=130), playout=ppr(tn=0.01, tw=0.25, p=0.8, default_pruning=last_part))",
        "PPR as published: the other moves come from the last part of the board",
    ),
    player(
        "pool_rave",
        "mcts(selection=rave(r=130), playout=pool_rave(n=20, p=0.3, visits=50, seen=50))",
        "RAVE with PoolRave playouts, parameters of the PPR authors' program",
    ),
    player(
        "fossel_rave",
        "mcts(selection=rave(schedule=linear, r=50, amaf=raw, c=0.4), expansion=all, expand_at=0, t=50, fpu=1.0, final=score)",
        "RAVE as in Fossel's report",
    ),
    player(
        "fossel_ph",
        "mcts(selection=progressive_history(c=0.3, w=10), expansion=all, expand_at=0, t=50, fpu=1.0, final=score)",
        "Progressive History as in Fossel's report, its best parameters",
    ),
    player(
        "fossel_er",
        "mcts(selection=extended_rave(c=0.4, w=10, r=50), expansion=all, expand_at=0, t=50, fpu=1.0, final=score)",
        "Extended RAVE as in Fossel's report, its best parameters",
    ),
    player(
        "fossel_rave_playout",
        "mcts(selection=rave(schedule=linear, r=50, amaf=raw, c=0.4), playout=rave_playout(p=0.5), expansion=all, expand_at=0, t=50, fpu=1.0, final=score)",
        "Fossel's RAVE with RAVE playouts (tables 8 and 9)",
    ),
];
