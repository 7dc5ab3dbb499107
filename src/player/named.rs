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
    player("nested0", "nested(level=0)", "Table 3 of the nested search paper: one playout per move"),
    player("nested0_discount", "nested(level=0, discount=true)", "The same with discounting"),
    player("nested1", "nested(level=1)", "Table 3: one nested playout of level 1 per move"),
    player("nested1_discount", "nested(level=1, discount=true)", "The same with discounting"),
    player("nested2", "nested(level=2)", "Table 3: one nested playout of level 2 per move"),
    player("nested2_discount", "nested(level=2, discount=true)", "The same with discounting"),
    player(
        "uct_nmcs",
        "mcts(selection=uct(k=0.4), expansion=one, expand_at=1, order=random, final=visits)",
        "UCT of the nested search paper's Table 4: uniform playouts",
    ),
    player(
        "uct_nested",
        "mcts(selection=uct(k=0.4), playout=nested(level=1), expansion=one, expand_at=1, order=random, final=visits)",
        "Table 4: UCT with nested playouts of level 1",
    ),
    player(
        "uct_nested_cow",
        "mcts(selection=uct(k=0.4), playout=nested(level=1, cut_on_win=1), expansion=one, expand_at=1, order=random, final=visits)",
        "Table 4: level 1, cut on win",
    ),
    player(
        "uct_nested_pod",
        "mcts(selection=uct(k=0.4), playout=nested(level=1, discount=true, prune_on_depth=1), expansion=one, expand_at=1, order=random, final=visits)",
        "Table 4: level 1, discounting and pruning on depth",
    ),
    player(
        "uct_nested2_cow",
        "mcts(selection=uct(k=0.4), playout=nested(level=2, cut_on_win=2), expansion=one, expand_at=1, order=random, final=visits)",
        "Table 4: level 2, cut on win",
    ),
    player(
        "uct_nested2_pod",
        "mcts(selection=uct(k=0.4), playout=nested(level=2, discount=true, prune_on_depth=2), expansion=one, expand_at=1, order=random, final=visits)",
        "Table 4: level 2, discounting and pruning on depth",
    ),
    player(
        "uct_mr1",
        "mcts(selection=uct(k=0.4), playout=minimax(depth=1), expansion=one, expand_at=1, order=random, final=visits)",
        "Table 5: UCT with minimax playouts of depth 1 (MCTS-MR 1)",
    ),
    player(
        "uct_mr2",
        "mcts(selection=uct(k=0.4), playout=minimax(depth=2), expansion=one, expand_at=1, order=random, final=visits)",
        "Table 5: UCT with minimax playouts of depth 2 (MCTS-MR 2)",
    ),
    player(
        "uct_solver",
        "mcts(selection=uct(k=0.4), playout=decisive, solve=true, expansion=one, expand_at=1, order=random, final=visits)",
        "UCT that plays and proves decided positions",
    ),
];
