//! Named players: the combinations that papers and people call by one word.

use crate::spec::{Family, InGame, Named, StandsFor};

const fn player(name: &'static str, spec: &'static str, doc: &'static str) -> Named {
    Named { family: Family::Player, name, stands_for: StandsFor::One(spec), doc }
}

/// A player of Fossel's report: all children at once, threshold 50, new nodes worth 1, best score.
macro_rules! fossel {
    ($($parts:literal),+) => {
        concat!(
            "mcts(", $($parts, ", ",)+
            "expansion=all(at=0), playout_until=50, fpu=1.0, fpu_mode=urgency, final=score)"
        )
    };
}

/// Its RAVE player with another playout.
macro_rules! fossel_rave {
    ($playout:literal) => {
        fossel!("selection=rave(schedule=linear, r=50, amaf=raw, c=0.4)", $playout)
    };
}

/// A player of the PPR paper: RAVE with r=130 and no exploration term, one child per simulation, most visited move.
macro_rules! ppr {
    ($playout:literal) => {
        concat!(
            "mcts(selection=rave(r=130, schedule=sqrt, amaf=smoothed, k=0), playout=",
            $playout,
            ", expansion=one, final=visits)"
        )
    };
}

/// The player that is another one in each game, which the games themselves name.
pub const fn strong(games: &'static [InGame]) -> Named {
    Named {
        family: Family::Player,
        name: "strong",
        stands_for: StandsFor::ByGame(games),
        doc: "The default opponent: the strongest that was measured in each game (docs/measured/champion.md, champion_games.md)",
    }
}

pub const NAMED: &[Named] = &[
    // Duguépéroux, Mazyad, Teytaud and Dehos, "Pruning playouts in Monte-Carlo Tree Search for the game of
    // Havannah", 2016, table 1.
    player(
        "uct",
        "mcts(selection=uct(k=0.25), expansion=one, final=visits)",
        "UCT as in the PPR paper: one child per simulation, most visited move",
    ),
    player("rave", ppr!("uniform"), "RAVE as in the PPR paper: r=130, no exploration term"),
    player(
        "ppr",
        ppr!("ppr(tn=0.01, tw=0.25, p=0.8, default_pruning=last_part)"),
        "PPR as published: moves that are not from its list come from the last part of the board",
    ),
    player(
        "pool_rave",
        ppr!("pool_rave(n=20, p=0.3, visits=50, seen=50)"),
        "RAVE with PoolRave playouts, parameters of the PPR authors' program",
    ),
    player("lgrf1", ppr!("last_good_reply(forget=true)"), "RAVE with last good replies, forgetting"),
    player("lgr1", ppr!("last_good_reply(forget=false)"), "RAVE with last good replies, without forgetting"),
    player(
        "lgrf1_published",
        ppr!("last_good_reply(published=true)"),
        "LGRF1 as the PPR authors' program plays it, slips included",
    ),
    player("mast", ppr!("mast(select=gibbs, tau=1)"), "RAVE with MAST playouts"),
    player(
        "mast_published",
        ppr!("mast(select=gibbs, tau=1, published=true)"),
        "MAST as the PPR authors' program plays it: one table, of the root's side",
    ),
    player("nast2", ppr!("nast(n=2, select=gibbs, tau=1)"), "RAVE with NAST playouts, pairs of moves"),
    player("nast3", ppr!("nast(n=3, select=gibbs, tau=1)"), "RAVE with NAST playouts, up to three moves"),
    player(
        "nast2_published",
        ppr!("nast(n=2, select=gibbs, tau=1, published=true)"),
        "NAST2 as the PPR authors' program plays it: pairs in the tree only",
    ),
    player("contextual", ppr!("contextual"), "RAVE with Contextual Monte Carlo playouts"),
    player(
        "rave_mate",
        ppr!("mate(c=1)"),
        "RAVE with Havannah-Mate to the end of the playout, which waits for two completing cells, as its text says",
    ),
    // Fossel, "Monte-Carlo Tree Search applied to the game of Havannah", 2010.
    player(
        "fossel_uct",
        fossel!("selection=uct(c=1.8)"),
        "UCT as in Fossel's report: all children at once, threshold 50, best score (table 1)",
    ),
    player("fossel_rave", fossel_rave!("playout=uniform"), "RAVE as in Fossel's report (table 2)"),
    player(
        "fossel_rave_125",
        fossel!("selection=rave(schedule=linear, r=125, amaf=raw, c=0.4)"),
        "Fossel's RAVE with r=125 (table 3)",
    ),
    player(
        "fossel_ph",
        fossel!("selection=progressive_history(c=0.3, w=10)"),
        "Progressive History with Fossel's best parameters (table 4)",
    ),
    player(
        "fossel_er",
        fossel!("selection=extended_rave(c=0.4, w=10, r=50)"),
        "Extended RAVE with Fossel's best parameters (table 5)",
    ),
    player(
        "fossel_mate_full",
        fossel_rave!("playout=mate(c=1)"),
        "Fossel's RAVE with Havannah-Mate to the end of the playout (table 6)",
    ),
    player(
        "fossel_mate",
        fossel_rave!("playout=mate(c=3)"),
        "Fossel's RAVE with Havannah-Mate in the first third of the game (table 7)",
    ),
    player(
        "lorentz_mate",
        fossel_rave!("playout=mate(c=3, min=1, turns=playout, block=true, shortcut=false)"),
        "Fossel's RAVE with Lorentz's rule: complete a figure, or keep the other side from it",
    ),
    player(
        "fossel_rave_playout",
        fossel_rave!("playout=rave_playout(p=0.5)"),
        "Fossel's RAVE with RAVE playouts (tables 8 and 9)",
    ),
    player(
        "fossel_corner",
        fossel_rave!("playout=corner_bias(w=2)"),
        "Fossel's RAVE with playouts biased to corners (table 10)",
    ),
    player(
        "fossel_proximity",
        fossel_rave!("playout=proximity(mode=standard, w=3, h=1, range=1)"),
        "Fossel's RAVE with playouts biased to the last move (table 11)",
    ),
    player(
        "fossel_proximity_alternative",
        fossel_rave!("playout=proximity(mode=alternative, p=0.25, h=1, range=1)"),
        "Fossel's RAVE with playouts near the last move now and then (table 12)",
    ),
    player(
        "fossel_ph_mate",
        fossel!("selection=progressive_history(c=0.3, w=10)", "playout=mate(c=3)"),
        "Progressive History and Havannah-Mate, Fossel's strongest player (section 6.3)",
    ),
    player("nested0", "nested(level=0)", "Table 3 of the nested search paper: one playout per move"),
    player("nested0_discount", "nested(level=0, discount=true)", "The same with discounting"),
    player("nested1", "nested(level=1)", "Table 3: one nested playout of level 1 per move"),
    player("nested1_discount", "nested(level=1, discount=true)", "The same with discounting"),
    player("nested2", "nested(level=2)", "Table 3: one nested playout of level 2 per move"),
    player("nested2_discount", "nested(level=2, discount=true)", "The same with discounting"),
    player(
        "uct_nmcs",
        "mcts(selection=uct(k=0.4), expansion=one, final=visits)",
        "UCT of the nested search paper's Table 4: uniform playouts",
    ),
    player(
        "uct_nested",
        "mcts(selection=uct(k=0.4), playout=nested(level=1), expansion=one, final=visits)",
        "Table 4: UCT with nested playouts of level 1",
    ),
    player(
        "uct_nested_cow",
        "mcts(selection=uct(k=0.4), playout=nested(level=1, cut_on_win=1), expansion=one, final=visits)",
        "Table 4: level 1, cut on win",
    ),
    player(
        "uct_nested_pod",
        "mcts(selection=uct(k=0.4), playout=nested(level=1, discount=true, prune_on_depth=1), expansion=one, final=visits)",
        "Table 4: level 1, discounting and pruning on depth",
    ),
    player(
        "uct_nested2_cow",
        "mcts(selection=uct(k=0.4), playout=nested(level=2, cut_on_win=2), expansion=one, final=visits)",
        "Table 4: level 2, cut on win",
    ),
    player(
        "uct_nested2_pod",
        "mcts(selection=uct(k=0.4), playout=nested(level=2, discount=true, prune_on_depth=2), expansion=one, final=visits)",
        "Table 4: level 2, discounting and pruning on depth",
    ),
    player(
        "uct_mr1",
        "mcts(selection=uct(k=0.4), playout=minimax(depth=1), expansion=one, final=visits)",
        "Table 5: UCT with minimax playouts of depth 1 (MCTS-MR 1)",
    ),
    player(
        "uct_mr2",
        "mcts(selection=uct(k=0.4), playout=minimax(depth=2), expansion=one, final=visits)",
        "Table 5: UCT with minimax playouts of depth 2 (MCTS-MR 2)",
    ),
    player(
        "uct_solver",
        "mcts(selection=uct(k=0.4), playout=decisive, tactics=solver, expansion=one, final=visits)",
        "UCT that plays and proves decided positions",
    ),
    // Mazyad, Teytaud and Fonlupt, "Monte-Carlo Tree Search for the Mr Jack board game", 2015, section 5.1.
    player(
        "jack_v1",
        "jack(candidates=full, playout=decisive)",
        "Version 1 of the Mr Jack paper: every use of a power is a child",
    ),
    player(
        "jack_v2",
        "jack(candidates=random_power, playout=decisive)",
        "Version 2 of the Mr Jack paper: the use of a power is drawn when a child is made",
    ),
    player(
        "jack_v3",
        "jack(candidates=scripted_power, playout=decisive)",
        "Version 3 of the Mr Jack paper: rules choose the use of a power",
    ),
];
