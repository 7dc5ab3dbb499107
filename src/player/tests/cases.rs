//! How every policy played when it was written.

/// A policy, the same player without it, and the visits it gave when it was written.
pub(super) struct Case {
    pub with: &'static str,
    pub without: &'static str,
    pub golden: &'static [u64],
}

pub(super) const CASES: &[Case] = &[
    Case {
        with: "mcts(selection=uct(k=0.25))",
        without: "mcts(selection=uct(k=1))",
        golden: &[
            1, 4, 29, 13, 26, 1, 1, 11, 6, 1, 1, 1, 16, 1, 9, 1, 1, 4, 35, 11, 62, 1, 6, 20, 1, 1, 1, 28, 6,
            31, 20, 11, 16, 1, 13, 1, 8,
        ],
    },
    Case {
        with: "mcts(selection=kl_ucb)",
        without: "mcts(selection=uct(k=0.71))",
        golden: &[
            26, 7, 6, 19, 20, 3, 3, 4, 14, 4, 4, 35, 20, 12, 13, 6, 8, 8, 7, 11, 13, 3, 7, 7, 7, 12, 16, 11,
            26, 8, 11, 8, 16, 8, 8, 3, 6,
        ],
    },
    Case {
        with: "mcts(selection=kl_ucb(k=0.25))",
        without: "mcts(selection=uct(k=0.25))",
        golden: &[
            1, 8, 21, 43, 7, 1, 1, 10, 5, 1, 1, 1, 35, 1, 27, 1, 1, 92, 8, 8, 13, 1, 5, 3, 1, 1, 1, 11, 7, 3,
            16, 5, 31, 1, 24, 1, 3,
        ],
    },
    Case {
        with: "mcts(selection=kl_ucb(c=3))",
        without: "mcts(selection=kl_ucb)",
        golden: &[
            9, 13, 12, 16, 7, 8, 6, 11, 8, 3, 12, 21, 24, 8, 22, 3, 6, 5, 6, 9, 13, 12, 8, 12, 7, 8, 6, 7,
            12, 12, 20, 19, 6, 13, 20, 3, 13,
        ],
    },
    Case {
        with: "rave",
        without: "uct",
        golden: &[
            1, 1, 1, 81, 1, 1, 2, 20, 1, 1, 2, 1, 1, 1, 118, 1, 1, 2, 1, 1, 58, 2, 1, 10, 1, 1, 18, 9, 1, 24,
            1, 15, 1, 1, 16, 1, 1,
        ],
    },
    Case {
        with: "rave(selection=rave(schedule=linear))",
        without: "rave",
        golden: &[
            1, 1, 1, 3, 1, 1, 2, 34, 1, 1, 6, 1, 1, 1, 127, 1, 1, 11, 15, 1, 1, 118, 1, 1, 1, 1, 8, 1, 1, 1,
            15, 22, 1, 1, 2, 1, 13,
        ],
    },
    Case {
        with: "rave(selection=rave(k=0.2))",
        without: "rave",
        golden: &[
            16, 7, 17, 14, 19, 17, 8, 6, 14, 14, 7, 7, 14, 6, 27, 10, 9, 20, 6, 9, 7, 10, 10, 7, 12, 5, 5, 6,
            7, 10, 17, 11, 10, 10, 9, 7, 10,
        ],
    },
    Case {
        with: "mcts(selection=rave(amaf=raw), expansion=all(at=5), fpu=1.0)",
        without: "mcts(selection=rave(amaf=smoothed), expansion=all(at=5), fpu=1.0)",
        golden: &[
            47, 0, 1, 0, 28, 6, 1, 1, 0, 0, 102, 0, 7, 10, 8, 0, 4, 90, 6, 1, 1, 29, 0, 4, 0, 0, 1, 0, 1, 1,
            0, 34, 1, 9, 0, 1, 6,
        ],
    },
    Case {
        with: "mcts(selection=proximity(of=rave, weight=0.5))",
        without: "rave",
        golden: &[
            50, 1, 70, 1, 1, 1, 9, 13, 1, 1, 1, 1, 5, 1, 101, 5, 1, 1, 1, 1, 1, 7, 1, 8, 1, 1, 1, 1, 1, 1,
            43, 21, 1, 39, 2, 1, 4,
        ],
    },
    Case {
        with: "fossel_rave",
        without: "fossel_uct",
        golden: &[
            8, 12, 6, 14, 15, 5, 9, 23, 9, 11, 6, 6, 9, 13, 9, 20, 4, 8, 11, 6, 9, 9, 7, 11, 5, 13, 11, 11,
            10, 8, 8, 7, 8, 31, 10, 5, 33,
        ],
    },
    Case {
        with: "fossel_rave(playout_until=0)",
        without: "fossel_rave",
        golden: &[
            14, 5, 8, 36, 12, 20, 8, 7, 6, 6, 5, 12, 7, 14, 9, 27, 12, 8, 5, 8, 9, 8, 5, 10, 9, 10, 10, 8,
            10, 9, 8, 11, 15, 18, 18, 6, 7,
        ],
    },
    Case {
        with: "fossel_rave_125",
        without: "fossel_rave",
        golden: &[
            10, 10, 7, 8, 16, 9, 8, 58, 9, 11, 7, 8, 9, 10, 8, 14, 8, 11, 9, 5, 7, 16, 10, 11, 8, 6, 13, 7,
            10, 6, 7, 19, 5, 15, 12, 6, 7,
        ],
    },
    Case {
        with: "fossel_ph",
        without: "fossel_uct",
        golden: &[
            4, 8, 1, 1, 2, 1, 7, 3, 3, 52, 10, 9, 3, 1, 3, 5, 2, 84, 1, 1, 25, 18, 2, 9, 1, 8, 4, 1, 3, 3, 1,
            71, 1, 17, 3, 1, 31,
        ],
    },
    Case {
        with: "fossel_er",
        without: "fossel_rave",
        golden: &[
            3, 20, 1, 15, 1, 14, 3, 18, 7, 5, 10, 23, 5, 1, 3, 21, 2, 9, 1, 1, 30, 37, 2, 16, 2, 61, 3, 1, 3,
            24, 1, 1, 1, 17, 8, 1, 29,
        ],
    },
    Case {
        with: "ppr",
        without: "rave",
        golden: &[
            104, 1, 1, 1, 1, 1, 1, 65, 1, 1, 1, 1, 7, 40, 1, 24, 5, 1, 1, 1, 2, 14, 1, 1, 48, 1, 1, 19, 1, 1,
            1, 9, 1, 1, 1, 1, 38,
        ],
    },
    Case {
        with: "rave(playout=ppr(default_pruning=last_part_literal))",
        without: "ppr",
        golden: &[
            12, 1, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 38, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 7,
            10, 1, 50, 1, 1, 246,
        ],
    },
    Case {
        with: "rave(playout=ppr(default_pruning=none))",
        without: "rave",
        golden: &[
            15, 1, 23, 1, 1, 6, 47, 5, 1, 2, 22, 1, 1, 1, 1, 7, 1, 1, 1, 5, 17, 4, 1, 1, 1, 3, 1, 1, 1, 1, 1,
            19, 1, 186, 1, 1, 17,
        ],
    },
    Case {
        with: "rave(playout=ppr(list=false))",
        without: "rave",
        golden: &[
            2, 1, 1, 5, 1, 2, 1, 1, 1, 4, 1, 1, 1, 1, 1, 4, 5, 1, 1, 1, 2, 19, 27, 1, 9, 1, 1, 1, 5, 4, 37,
            1, 1, 240, 2, 12, 1,
        ],
    },
    Case {
        with: "rave(playout=ppr(numbering=shuffled))",
        without: "ppr",
        golden: &[
            8, 1, 1, 185, 1, 1, 1, 32, 3, 1, 3, 1, 8, 1, 1, 1, 1, 2, 2, 1, 1, 117, 2, 1, 1, 1, 1, 2, 3, 1, 1,
            1, 9, 1, 1, 1, 1,
        ],
    },
    Case {
        with: "rave(playout=ppr(tn_mode=done))",
        without: "ppr",
        golden: &[
            1, 1, 1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 5, 1, 1, 19, 4, 9, 5, 44, 1, 95, 1, 13, 1, 2, 3, 1, 1, 1, 8,
            2, 1, 115, 1, 1, 50,
        ],
    },
    Case {
        with: "pool_rave",
        without: "rave",
        golden: &[
            1, 1, 9, 13, 25, 1, 1, 67, 1, 1, 1, 1, 1, 1, 53, 1, 1, 1, 1, 1, 1, 3, 1, 3, 39, 1, 1, 44, 1, 1,
            2, 30, 1, 76, 12, 1, 1,
        ],
    },
    Case {
        with: "lgrf1",
        without: "rave",
        golden: &[
            9, 1, 1, 23, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 25, 2, 1, 12, 10, 1, 1, 2, 1, 24,
            5, 1, 175, 13, 41, 31,
        ],
    },
    Case {
        with: "lgr1",
        without: "lgrf1",
        golden: &[
            1, 1, 12, 1, 1, 1, 1, 1, 7, 17, 13, 1, 1, 1, 126, 8, 1, 1, 1, 1, 1, 4, 2, 1, 1, 1, 15, 1, 1, 1,
            1, 1, 1, 120, 1, 44, 7,
        ],
    },
    Case {
        with: "rave(playout=last_good_reply(learn=playout))",
        without: "lgrf1",
        golden: &[
            2, 1, 1, 15, 1, 1, 3, 1, 1, 1, 1, 1, 76, 1, 12, 1, 1, 1, 1, 5, 1, 1, 12, 1, 1, 8, 49, 1, 2, 1,
            147, 1, 12, 19, 1, 1, 15,
        ],
    },
    Case {
        with: "rave(playout=last_good_reply(scope=per_node))",
        without: "rave",
        golden: &[
            1, 1, 1, 1, 1, 3, 1, 4, 1, 1, 1, 1, 20, 1, 1, 122, 5, 1, 1, 1, 7, 1, 1, 1, 1, 92, 1, 1, 1, 44, 8,
            21, 1, 1, 1, 21, 28,
        ],
    },
    Case {
        with: "lgrf1_published",
        without: "rave",
        golden: &[
            247, 1, 6, 1, 11, 2, 1, 1, 2, 2, 1, 1, 1, 1, 7, 4, 1, 3, 1, 1, 1, 11, 1, 6, 1, 1, 1, 1, 3, 7, 3,
            59, 1, 6, 1, 1, 1,
        ],
    },
    Case {
        with: "mast",
        without: "rave",
        golden: &[
            1, 1, 1, 1, 1, 1, 1, 49, 2, 1, 12, 1, 1, 1, 1, 1, 1, 34, 1, 1, 2, 19, 71, 1, 21, 1, 1, 1, 43, 3,
            1, 1, 1, 88, 1, 1, 31,
        ],
    },
    Case {
        with: "rave(playout=mast(select=gibbs, tau=0.1))",
        without: "mast",
        golden: &[
            1, 4, 2, 211, 1, 1, 2, 4, 44, 2, 1, 1, 1, 1, 8, 20, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 71, 1, 1, 6,
        ],
    },
    Case {
        with: "rave(playout=mast(select=eps_greedy, eps=0.1))",
        without: "mast",
        golden: &[
            1, 1, 1, 1, 142, 1, 1, 1, 1, 133, 63, 1, 1, 1, 3, 21, 4, 1, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 1, 1, 1, 1, 1,
        ],
    },
    Case {
        with: "mast_published",
        without: "mast",
        golden: &[
            3, 1, 1, 9, 1, 1, 1, 1, 2, 12, 1, 3, 1, 47, 2, 1, 1, 1, 1, 1, 1, 79, 1, 2, 1, 1, 10, 1, 2, 64, 1,
            1, 30, 111, 1, 1, 2,
        ],
    },
    Case {
        with: "nast2",
        without: "rave",
        golden: &[
            114, 2, 1, 1, 1, 1, 10, 37, 1, 19, 1, 54, 1, 14, 8, 1, 1, 5, 1, 1, 1, 1, 1, 24, 1, 2, 1, 4, 1, 1,
            1, 1, 1, 62, 13, 1, 10,
        ],
    },
    Case {
        with: "nast3",
        without: "nast2",
        golden: &[
            1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 63, 1, 1, 4, 7, 1, 1, 1, 1, 1, 1, 31, 3, 1, 1, 1, 6, 3, 1, 1, 1, 5,
            10, 3, 1, 1, 232,
        ],
    },
    Case {
        with: "rave(playout=nast(select=gibbs, seen=3))",
        without: "nast2",
        golden: &[
            6, 60, 1, 4, 6, 15, 1, 92, 1, 80, 12, 1, 18, 1, 1, 1, 3, 5, 1, 7, 1, 4, 1, 5, 4, 1, 1, 1, 1, 48,
            1, 1, 1, 1, 1, 9, 3,
        ],
    },
    Case {
        with: "rave(playout=nast(select=eps_greedy, eps=0.1))",
        without: "nast2",
        golden: &[
            1, 1, 1, 182, 4, 1, 1, 1, 28, 2, 1, 1, 14, 1, 1, 1, 46, 18, 1, 16, 1, 3, 1, 1, 6, 1, 2, 9, 1, 3,
            1, 1, 1, 9, 16, 19, 3,
        ],
    },
    Case {
        with: "nast2_published",
        without: "rave",
        golden: &[
            24, 1, 1, 1, 4, 1, 1, 21, 1, 1, 9, 30, 1, 1, 13, 12, 1, 11, 1, 4, 7, 41, 168, 1, 5, 1, 1, 22, 1,
            1, 5, 1, 1, 1, 1, 2, 2,
        ],
    },
    Case {
        with: "rave(playout=mate(c=1, min=1))",
        without: "rave",
        golden: &[
            32, 42, 1, 16, 2, 1, 10, 1, 1, 1, 7, 1, 1, 1, 1, 104, 7, 1, 1, 1, 1, 6, 4, 1, 1, 1, 1, 14, 15, 1,
            1, 1, 3, 23, 31, 1, 63,
        ],
    },
    Case {
        with: "rave_mate",
        without: "rave(playout=mate)",
        golden: &[
            12, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 82, 134, 24, 1, 1, 1, 1, 53, 10, 5, 22, 1, 1, 1, 1, 1, 5,
            2, 1, 2, 19, 1, 1, 5,
        ],
    },
    Case {
        with: "rave(playout=mate(c=1, min=1, shortcut=false))",
        without: "rave(playout=mate(c=1, min=1))",
        golden: &[
            18, 1, 1, 14, 1, 1, 1, 6, 1, 36, 2, 1, 1, 1, 1, 162, 1, 1, 46, 3, 1, 32, 1, 1, 1, 7, 1, 2, 1, 19,
            1, 5, 1, 5, 1, 6, 16,
        ],
    },
    Case {
        with: "rave(playout=mate(c=1, min=1, played=false))",
        without: "rave(playout=mate(c=1, min=1))",
        golden: &[
            238, 1, 1, 3, 1, 16, 11, 1, 1, 10, 1, 1, 1, 1, 3, 10, 1, 1, 1, 1, 1, 27, 1, 1, 1, 1, 1, 1, 5, 1,
            1, 1, 22, 16, 1, 1, 14,
        ],
    },
    Case {
        with: "rave(playout=mate(c=1))",
        without: "rave(playout=mate(c=1, min=1))",
        golden: &[
            12, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 82, 134, 24, 1, 1, 1, 1, 53, 10, 5, 22, 1, 1, 1, 1, 1, 5,
            2, 1, 2, 19, 1, 1, 5,
        ],
    },
    Case {
        with: "rave(playout=mate(turns=playout))",
        without: "rave(playout=mate)",
        golden: &[
            1, 1, 8, 1, 1, 1, 1, 6, 1, 2, 1, 1, 9, 33, 195, 3, 1, 1, 1, 3, 19, 3, 1, 13, 1, 1, 9, 1, 1, 1, 1,
            11, 1, 1, 9, 1, 55,
        ],
    },
    Case {
        with: "lorentz_mate",
        without: "fossel_rave",
        golden: &[
            10, 5, 20, 7, 5, 13, 9, 18, 13, 14, 7, 9, 29, 7, 8, 7, 8, 20, 12, 25, 10, 12, 5, 5, 15, 8, 8, 6,
            6, 12, 9, 7, 7, 8, 7, 18, 11,
        ],
    },
    Case {
        with: "fossel_rave_playout",
        without: "fossel_rave",
        golden: &[
            13, 10, 5, 13, 6, 22, 8, 28, 8, 7, 13, 12, 12, 5, 6, 9, 9, 7, 13, 9, 20, 33, 8, 9, 12, 6, 7, 7,
            13, 7, 8, 7, 4, 17, 13, 7, 7,
        ],
    },
    Case {
        with: "fossel_corner",
        without: "fossel_rave",
        golden: &[
            11, 6, 12, 11, 8, 7, 5, 8, 6, 8, 7, 16, 10, 12, 6, 21, 8, 4, 5, 5, 13, 14, 4, 9, 6, 9, 84, 7, 11,
            9, 11, 9, 8, 9, 6, 6, 9,
        ],
    },
    Case {
        with: "fossel_proximity",
        without: "fossel_rave",
        golden: &[
            21, 12, 6, 13, 5, 20, 5, 11, 7, 7, 12, 5, 10, 9, 23, 10, 8, 14, 9, 6, 13, 11, 13, 9, 9, 11, 13,
            6, 7, 9, 9, 18, 10, 17, 6, 10, 16,
        ],
    },
    Case {
        with: "fossel_rave(playout=proximity(h=2))",
        without: "fossel_proximity",
        golden: &[
            14, 7, 21, 26, 8, 6, 6, 8, 3, 6, 9, 7, 7, 12, 6, 12, 9, 18, 19, 10, 10, 10, 17, 11, 6, 6, 9, 13,
            5, 12, 10, 8, 19, 15, 13, 6, 16,
        ],
    },
    Case {
        with: "fossel_proximity_alternative",
        without: "fossel_rave",
        golden: &[
            19, 9, 8, 8, 7, 13, 9, 22, 6, 7, 13, 6, 6, 7, 8, 11, 13, 11, 21, 25, 5, 16, 5, 7, 10, 5, 27, 7,
            7, 6, 7, 7, 10, 15, 6, 9, 22,
        ],
    },
    Case {
        with: "contextual",
        without: "rave",
        golden: &[
            4, 1, 7, 13, 15, 1, 9, 2, 11, 3, 161, 1, 3, 1, 1, 2, 3, 1, 1, 1, 1, 1, 1, 39, 1, 5, 1, 1, 1, 1,
            99, 3, 1, 1, 1, 1, 1,
        ],
    },
    Case {
        with: "rave(playout=mate+last_good_reply+mast(select=gibbs, tau=0.5))",
        without: "rave(playout=mate+last_good_reply)",
        golden: &[
            182, 1, 142, 5, 2, 1, 1, 1, 16, 1, 1, 1, 1, 1, 2, 2, 1, 7, 1, 1, 12, 3, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 1, 1, 1, 1, 1,
        ],
    },
    Case {
        with: "fossel_ph_mate",
        without: "fossel_ph",
        golden: &[
            55, 21, 1, 1, 1, 1, 30, 17, 3, 6, 8, 6, 3, 1, 3, 1, 2, 60, 9, 1, 4, 25, 2, 1, 1, 3, 3, 10, 3, 3,
            5, 1, 3, 28, 16, 1, 61,
        ],
    },
    Case {
        with: "rave(prior=knowledge(weight=0.3))",
        without: "rave",
        golden: &[
            5, 2, 29, 13, 2, 1, 1, 1, 10, 1, 1, 1, 1, 1, 40, 18, 1, 1, 1, 1, 66, 108, 1, 1, 1, 1, 5, 1, 2, 1,
            1, 20, 1, 34, 1, 2, 23,
        ],
    },
    Case {
        with: "rave(selection=rave(ref=50))",
        without: "rave",
        golden: &[
            1, 1, 1, 4, 1, 1, 2, 20, 1, 1, 2, 1, 1, 1, 137, 1, 1, 2, 1, 1, 19, 51, 1, 36, 1, 1, 26, 9, 1, 1,
            2, 43, 3, 1, 22, 1, 1,
        ],
    },
    Case {
        with: "rave(playout=bridge)",
        without: "rave",
        golden: &[
            57, 1, 1, 5, 6, 1, 4, 1, 1, 1, 1, 1, 1, 1, 26, 50, 1, 2, 14, 1, 1, 1, 1, 1, 1, 1, 10, 1, 181, 1,
            1, 1, 1, 1, 3, 17, 1,
        ],
    },
    Case {
        with: "rave(playout=threats)",
        without: "rave",
        golden: &[
            3, 26, 1, 1, 1, 1, 8, 1, 36, 1, 21, 154, 3, 1, 1, 29, 5, 17, 20, 2, 1, 25, 4, 1, 1, 1, 1, 5, 1,
            1, 3, 1, 1, 14, 1, 6, 1,
        ],
    },
    Case {
        with: "rave(playout=threats(moves=5))",
        without: "rave(playout=threats)",
        golden: &[
            1, 1, 12, 8, 1, 1, 5, 1, 6, 1, 2, 1, 1, 1, 46, 33, 1, 65, 28, 33, 1, 86, 1, 1, 2, 1, 1, 1, 1, 2,
            1, 1, 16, 34, 1, 1, 1,
        ],
    },
    Case {
        with: "rave(playout=threats+bridge)",
        without: "rave(playout=threats)",
        golden: &[
            1, 1, 6, 2, 5, 1, 4, 1, 1, 1, 205, 75, 5, 1, 1, 3, 2, 1, 7, 1, 1, 1, 13, 10, 4, 1, 1, 1, 18, 1,
            1, 1, 14, 1, 1, 6, 1,
        ],
    },
    Case {
        with: "rave(playout=threats+bridge+last_good_reply)",
        without: "rave(playout=threats+bridge)",
        golden: &[
            1, 1, 4, 99, 1, 190, 1, 1, 1, 13, 1, 29, 9, 1, 4, 1, 1, 1, 1, 1, 3, 1, 1, 2, 1, 1, 8, 7, 1, 1, 2,
            6, 1, 1, 1, 1, 1,
        ],
    },
    Case {
        with: "rave(playout=rings)",
        without: "rave",
        golden: &[
            3, 1, 10, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 227, 1, 1, 1, 1, 3, 10, 24, 1, 1, 4, 1, 1, 1, 1,
            14, 32, 5, 33, 1, 1, 9,
        ],
    },
    Case {
        with: "rave(playout=rings(1)+bridge)",
        without: "rave(playout=bridge)",
        golden: &[
            13, 1, 1, 22, 2, 12, 1, 1, 6, 1, 2, 1, 1, 1, 147, 9, 1, 35, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 20, 1,
            23, 12, 1, 20, 49, 6, 1,
        ],
    },
    Case {
        with: "rave(playout=patterns)",
        without: "rave",
        golden: &[
            100, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 163, 1, 1, 1, 1, 1, 1, 39, 1, 1, 1, 1, 1, 4, 1, 1,
            1, 1, 60, 1, 1, 2,
        ],
    },
    Case {
        with: "rave(playout=patterns(near=false))",
        without: "rave(playout=patterns)",
        golden: &[
            10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 19, 1, 1, 2, 10, 1, 1, 1, 1, 1, 1, 6, 1, 57, 9, 1,
            1, 1, 91, 28, 52, 90,
        ],
    },
    Case {
        with: "rave(playout=patterns(clip=2))",
        without: "rave(playout=patterns)",
        golden: &[
            30, 1, 1, 1, 4, 1, 1, 14, 1, 4, 1, 1, 1, 1, 1, 1, 7, 1, 1, 1, 1, 54, 1, 1, 1, 1, 35, 6, 1, 1, 8,
            1, 42, 2, 1, 1, 169,
        ],
    },
    Case {
        with: "rave(playout=bridge+patterns)",
        without: "rave(playout=patterns)",
        golden: &[
            76, 1, 2, 13, 1, 61, 1, 1, 1, 23, 20, 1, 3, 4, 1, 11, 1, 1, 1, 1, 1, 108, 1, 1, 1, 1, 35, 1, 1,
            1, 1, 3, 1, 1, 1, 5, 13,
        ],
    },
    Case {
        with: "rave(prior=patterns(weight=0.1))",
        without: "rave",
        golden: &[
            1, 1, 1, 1, 1, 1, 1, 55, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 201, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 110, 1, 1, 1,
        ],
    },
    Case {
        with: "rave(stop_early=true)",
        without: "rave",
        golden: &[
            1, 1, 1, 81, 1, 1, 2, 20, 1, 1, 2, 1, 1, 1, 118, 1, 1, 2, 1, 1, 58, 2, 1, 10, 1, 1, 18, 9, 1, 8,
            1, 15, 1, 1, 16, 1, 1,
        ],
    },
    Case {
        with: "strong",
        without: "rave",
        golden: &[
            59, 5, 5, 55, 2, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 101, 0, 0, 0, 0, 0, 41, 5, 0, 0, 0, 0, 5, 3, 0, 0,
            0, 14, 66, 1, 14, 19,
        ],
    },
    Case {
        with: "rave(selection=rave(learn=tree))",
        without: "rave",
        golden: &[
            2, 9, 13, 13, 4, 1, 1, 4, 9, 1, 1, 1, 4, 21, 7, 1, 1, 2, 23, 41, 2, 2, 32, 2, 1, 1, 1, 17, 20, 8,
            29, 4, 12, 1, 3, 1, 105,
        ],
    },
    Case {
        with: "mcts(selection=extended_rave(learn=tree))",
        without: "mcts(selection=extended_rave)",
        golden: &[
            1, 5, 8, 3, 56, 1, 1, 3, 3, 1, 1, 1, 47, 1, 20, 1, 1, 5, 15, 3, 3, 1, 3, 44, 1, 1, 1, 3, 8, 7,
            32, 48, 15, 1, 48, 4, 3,
        ],
    },
    Case {
        with: "mcts(playout=ppr(learn=tree))",
        without: "mcts(playout=ppr)",
        golden: &[
            7, 1, 14, 11, 7, 1, 1, 7, 45, 11, 18, 11, 1, 1, 1, 1, 18, 11, 1, 4, 1, 1, 4, 1, 1, 1, 1, 82, 17,
            7, 1, 27, 51, 1, 26, 1, 5,
        ],
    },
    Case {
        with: "mcts(playout=pool_rave(visits=10, seen=3, learn=tree))",
        without: "mcts(playout=pool_rave(visits=10, seen=3))",
        golden: &[
            1, 12, 69, 3, 29, 1, 1, 3, 5, 1, 1, 1, 43, 1, 5, 1, 1, 5, 8, 29, 24, 1, 23, 12, 1, 1, 1, 21, 10,
            3, 63, 3, 5, 1, 7, 1, 3,
        ],
    },
    Case {
        with: "mcts(playout=rave_playout(learn=tree))",
        without: "mcts(playout=rave_playout)",
        golden: &[
            1, 1, 3, 1, 1, 15, 1, 3, 1, 3, 14, 23, 3, 1, 55, 1, 15, 47, 1, 1, 1, 1, 74, 7, 9, 1, 1, 20, 5,
            18, 1, 1, 1, 10, 1, 1, 57,
        ],
    },
    Case {
        with: "mcts(playout=rave_playout(by=sum))",
        without: "mcts(playout=rave_playout)",
        golden: &[
            44, 1, 1, 8, 1, 8, 3, 3, 6, 3, 1, 14, 3, 37, 1, 10, 1, 6, 24, 6, 6, 6, 28, 41, 1, 12, 5, 5, 1, 6,
            3, 1, 33, 31, 11, 1, 28,
        ],
    },
];
