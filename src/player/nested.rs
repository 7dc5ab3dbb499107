//! The player `nested`: plays the successor whose nested playout ended best, without any tree.
//!
//! `nested(level=n)` evaluates each successor by one `NMC(n)` playout: column n of Table 3 of the paper on
//! nested search for two players, and one step of level n + 1 (spec section 6, "Levels and options").

use std::sync::Arc;

use super::mcts::limit_of;
use super::{Player, Request};
use crate::game::{Game, Rules};
use crate::playout::nested::{
    Around, BASE, CUT_ON_WIN, DISCOUNT, Heuristics, LEVEL, Nest, ORDER, POD_MODE, PRUNE_ON_DEPTH,
};
use crate::playout::{self, Leaf};
use crate::search::{MoveStat, Report};
use crate::spec::{OptionInfo, Options, PartInfo, Spec};
use crate::tree::{Proof, Tree};
use crate::types::{Clock, Limit, Move, Result, Rng, Side};

pub const INFO: PartInfo = PartInfo {
    name: "nested",
    options: &[
        LEVEL,
        DISCOUNT,
        CUT_ON_WIN,
        PRUNE_ON_DEPTH,
        POD_MODE,
        ORDER,
        BASE,
        OptionInfo::int("rounds", 1, 1_000_000_000, "1", "playouts of each successor; their mean decides")
            .unless(&["simulations", "states", "seconds", "cpu_seconds"]),
        OptionInfo::int("simulations", 1, 1_000_000_000_000, "none", "limit: playouts of successors")
            .or_none(),
        OptionInfo::int("states", 1, 1_000_000_000_000_000, "none", "limit: states visited").or_none(),
        OptionInfo::real("seconds", 0.0, 1e6, "none", "limit").or_none(),
        OptionInfo::real("cpu_seconds", 0.0, 1e6, "none", "limit").or_none(),
    ],
    positional: Some("level"),
    doc: "Plays the successor whose nested playout of this level ended best",
};

pub struct Nested {
    level: usize,
    heuristics: Heuristics,
    base: Spec,
    rounds: Option<u64>,
    limit: Limit,
}

impl Nested {
    /// `options` are resolved.
    pub fn new<G: Game>(options: &Options, rules: &Arc<Rules<G>>) -> Result<Nested> {
        let level = options.size("level");
        let player = Nested {
            level,
            heuristics: Heuristics::new(options, level + 1)?,
            base: options.spec("base").clone(),
            rounds: options.int_or_none("rounds").map(|n| n as u64),
            limit: limit_of(options),
        };
        // Refuse now what the game cannot serve, not at the first move.
        player.base(rules)?;
        Ok(player)
    }

    fn base<G: Game>(&self, rules: &Rules<G>) -> Result<playout::Chain<G>> {
        playout::build(&self.base, rules).map_err(|e| e.within("nested: base"))
    }
}

impl<G: Game> Player<G> for Nested {
    fn choose(&mut self, request: &Request<G>) -> Result<Report> {
        let (rules, state) = (request.rules, request.state);
        let (rounds, limit) = match request.limit {
            Some(limit) => (None, limit),
            None => (self.rounds, self.limit),
        };
        let mut heuristics = self.heuristics;
        if rounds != Some(1) {
            // A pruned playout returns a bound, which decides one scan but would spoil a mean.
            heuristics.prune_on_depth = heuristics.prune_on_depth.min(self.level);
        }
        let clock = Clock::start(&limit, request.stop.clone());
        let mut rng = request.rng.clone();
        let mut nest = Nest::new(self.level + 1, heuristics, self.base(rules)?, rules);
        let tree = Tree::new(rules.game.slots(), nest.needs().amaf, 1 << 16);
        let side = rules.game.side_to_move(state);
        let mut sums = Sums::new(&rules.game, state, side);
        let (mut simulations, mut states, mut round) = (0, 0, 0);
        let mut step;
        loop {
            let (budget, done) = (limit.simulations, simulations);
            nest.begin(
                &Leaf { rules, state, tree: &tree, path: &[], budget, done, root_side: side },
                &mut rng,
            );
            let around = Around {
                rules,
                clock: &clock,
                tree_moves: 0,
                states: limit.states.map(|n| n.saturating_sub(states)),
                playouts: limit.simulations.map(|n| n.saturating_sub(simulations)),
            };
            step = nest.step(&around, state, &[], &mut rng);
            states += nest.states();
            for (mv, value) in nest.scanned() {
                sums.add(mv, value);
                simulations += 1;
            }
            round += 1;
            if step.is_none() || rounds.is_some_and(|n| round >= n) || clock.is_over() {
                break;
            }
        }
        // A single scan keeps its own choice: it knows the first of equals and when to draw.
        let best = if round == 1 && step.is_some() { step } else { sums.best(&mut rng) };
        let best = best.unwrap_or_else(|| rules.game.random_move(state, &mut rng));
        Ok(Report {
            best,
            moves: sums.sorted(),
            line: vec![best],
            simulations,
            states,
            seconds: clock.elapsed(),
            nodes: 0,
            bytes: 0,
            full_at: None,
            notes: self.heuristics.notes(),
        })
    }
}

/// Values of the successors over all rounds, for the side to move.
struct Sums {
    side: Side,
    stats: Vec<MoveStat>,
}

impl Sums {
    fn new<G: Game>(game: &G, state: &G::State, side: Side) -> Sums {
        let mut moves = Vec::new();
        game.legal_moves(state, &mut moves);
        let stat = |mv| MoveStat { mv, visits: 0, score: 0.0, proof: Proof::None };
        Sums { side, stats: moves.into_iter().map(stat).collect() }
    }

    /// `value`: -1..1 for the first side.
    fn add(&mut self, mv: Move, value: f32) {
        let value = if self.side == Side::First { value } else { -value };
        let stat = self.stats.iter_mut().find(|stat| stat.mv == mv).expect("what was scanned is legal");
        stat.visits += 1;
        stat.score += (1.0 + value as f64) / 2.0;
    }

    fn best(&self, rng: &mut Rng) -> Option<Move> {
        let means = || self.stats.iter().filter_map(|stat| Some((stat.mean()?, stat.mv)));
        let best = means().map(|(mean, _)| mean).max_by(f64::total_cmp)?;
        let equals: Vec<Move> = means().filter(|&(mean, _)| mean == best).map(|(_, mv)| mv).collect();
        Some(equals[rng.below(equals.len())])
    }

    /// Best first.
    fn sorted(mut self) -> Vec<MoveStat> {
        let mean = |stat: &MoveStat| stat.mean().unwrap_or(-1.0);
        self.stats
            .sort_by(|a, b| b.visits.cmp(&a.visits).then(mean(b).total_cmp(&mean(a))).then(a.mv.cmp(&b.mv)));
        self.stats
    }
}
