//! The player `nested`: plays the successor whose nested playout ended best, without any tree.
//!
//! `nested(level=n)` evaluates each successor by one `NMC(n)` playout: column n of MoveTable 3 of the paper on
//! nested search for two players, and one step of level n + 1 (spec section 6, "Levels and options").

use std::sync::Arc;

use super::mcts::{game_seed, limit_of};
use super::{Player, Request};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::playout::nested::{
    Around, BASE, CUT_ON_WIN, DISCOUNT, Heuristics, LEVEL, Nest, ORDER, POD_MODE, PRUNE_ON_DEPTH,
};
use crate::playout::{self, Leaf};
use crate::scripts::PlayerFiles;
use crate::search::{MoveStat, Report};
use crate::spec::{OptionInfo, Options, PartInfo, Spec};
use crate::tree::{Proof, Tree};
use crate::types::{Clock, Error, Limit, Move, Result, Rng, Side};

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

pub fn build<G: Game>(options: &Options, variant: &Arc<Variant<G>>) -> Result<Box<dyn Player<G>>> {
    Ok(Box::new(Nested::new(options, variant)?))
}

pub struct Nested {
    level: usize,
    heuristics: Heuristics,
    base: Spec,
    rounds: Option<u64>,
    limit: Limit,
    files: Arc<PlayerFiles>,
    /// Names what policies of the base draw once per game; set at the first move.
    game_seed: Option<u64>,
}

impl Nested {
    /// `options` are resolved.
    fn new<G: Game>(options: &Options, variant: &Arc<Variant<G>>) -> Result<Nested> {
        if G::HIDDEN {
            return Err(Error::new(format!(
                "the player nested needs a game without hidden information, not {}",
                G::INFO.name
            )));
        }
        let level = options.size("level");
        let player = Nested {
            level,
            heuristics: Heuristics::new(options, level + 1)?,
            base: options.spec("base").clone(),
            rounds: options.int_or_none("rounds").map(|n| n as u64),
            limit: limit_of(options),
            files: Arc::default(),
            game_seed: None,
        };
        // Refuse now what the game cannot serve, not at the first move.
        player.base(variant)?.layout().agreed()?;
        Ok(player)
    }

    fn base<G: Game>(&self, variant: &Arc<Variant<G>>) -> Result<playout::Chain<G>> {
        let game_seed = self.game_seed.unwrap_or_default();
        playout::build_base(&self.base, &Context { variant, files: &self.files, game_seed })
    }
}

impl<G: Game> Player<G> for Nested {
    fn again(&self) -> Box<dyn Player<G>> {
        let (base, files) = (self.base.clone(), self.files.clone());
        Box::new(Nested { base, files, game_seed: None, ..*self })
    }

    fn choose(&mut self, request: &Request<G>) -> Result<Report> {
        let (variant, state) = (request.variant, request.state);
        self.game_seed.get_or_insert_with(|| game_seed(&request.rng));
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
        let mut nest = Nest::new(self.level + 1, heuristics, self.base(variant)?, variant);
        let tree = Tree::new(variant.game.slots(), nest.layout(), 1 << 16, || 0);
        let side = variant.game.side_to_move(state);
        let mut sums = Sums::new(&variant.game, state, side);
        let (mut simulations, mut states, mut round) = (0, 0, 0);
        let mut step;
        loop {
            let (budget, done) = (limit.simulations, simulations);
            nest.begin(
                &Leaf { variant, state, tree: &tree, path: &[], budget, done, root_side: side },
                &mut rng,
            );
            let around = Around {
                variant,
                clock: &clock,
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
        let best = best.unwrap_or_else(|| variant.game.random_move(state, &mut rng));
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
            notes: nest.notes(),
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
        let stat = |mv| MoveStat { mv, visits: 0, score: 0.0, proof: Proof::None, amaf: None };
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::session::{self, TextReport};
    use crate::{catalogue, spec::Family};

    fn report(game: &str, position: Option<&str>, player: &str, limit: Option<Limit>) -> TextReport {
        let game = catalogue::read(Family::Game, game).unwrap();
        let player = catalogue::read(Family::Player, player).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        session::start(&game, position, 1).unwrap().search(&player, limit, 1, &stop).unwrap()
    }

    #[test]
    fn one_playout_per_successor_unless_told_otherwise() {
        assert_eq!(report("breakthrough", None, "nested(level=0)", None).simulations, 13);
        assert_eq!(report("breakthrough", None, "nested(level=0, rounds=3)", None).simulations, 39);
        assert_eq!(report("breakthrough", None, "nested(level=0, simulations=20)", None).simulations, 20);
        let limited = report("breakthrough", None, "nested(level=1)", Some(Limit::simulations(5)));
        assert_eq!(limited.simulations, 5);
        assert!(limited.moves.iter().any(|stat| stat.name == limited.best && stat.visits == 1));
        assert_eq!(report("breakthrough", None, "nested(level=1, states=5000)", None).states, 5000);
    }

    #[test]
    fn an_immediate_win_is_always_found_with_discounting() {
        let position = Some("...../.w.../...../b..b./..... first");
        for seed in 0..20 {
            let player = format!("nested(level=0, discount=true, rounds={})", 1 + seed % 2);
            let best = report("breakthrough", position, &player, None).best;
            assert!(["b4-a5", "b4-b5", "b4-c5"].contains(&best.as_str()), "{best}");
        }
    }

    #[test]
    fn the_report_names_what_is_unsafe() {
        let notes = |player| report("breakthrough", None, player, None).notes;
        assert!(notes("nested(level=1)").is_empty());
        assert_eq!(
            notes("nested(level=1, discount=true, cut_on_win=2)"),
            ["cut_on_win with discount is unsafe: a shorter win may be overlooked"]
        );
        assert_eq!(
            notes("uct(playout=nested(level=1, discount=true, cut_on_win=1), simulations=2)"),
            ["cut_on_win with discount is unsafe: a shorter win may be overlooked"]
        );
    }

    /// A playout of level 3 from the start of Havannah takes hours: this ends because it is abandoned.
    #[test]
    fn the_clock_is_read_inside_playouts() {
        let limits = ["seconds=0.02", "cpu_seconds=0.02"];
        for player in ["nested(level=3, discount=true, LIMIT)", "uct(playout=nested(level=3), LIMIT)"] {
            for limit in limits {
                let report = report("havannah(size=8)", None, &player.replace("LIMIT", limit), None);
                assert_eq!(report.simulations, 0, "an unfinished simulation does not count");
                assert!(!report.best.is_empty());
            }
        }
    }

    /// Root visits with a policy differ from those without it.
    #[test]
    fn every_option_is_alive() {
        let visits = |playout: &str, options: &str| {
            let player = format!("uct(playout={playout}, simulations=400{options})");
            let report = report("breakthrough", None, &player, None);
            let mut visits: Vec<(String, u64)> =
                report.moves.iter().map(|stat| (stat.name.clone(), stat.visits)).collect();
            visits.sort();
            (visits, report.states)
        };
        let specs = [
            "uniform",
            "decisive",
            "minimax(depth=1)",
            "minimax(depth=2)",
            "nested(level=1)",
            "nested(level=1, order=fixed)",
            "nested(level=1, cut_on_win=1)",
            "nested(level=1, discount=true)",
            "nested(level=1, discount=true, prune_on_depth=1)",
            "nested(level=1, discount=true, prune_on_depth=1, pod_mode=paper)",
            "nested(level=1, discount=true, cut_on_win=1)",
            "nested(level=1, base=decisive)",
        ];
        let all: Vec<_> = specs.iter().map(|spec| visits(spec, "")).collect();
        for i in 0..all.len() {
            for j in 0..i {
                // Without immediate losses avoiding them changes nothing: depth 1 is `decisive`.
                let same = (specs[j], specs[i]) == ("decisive", "minimax(depth=1)");
                assert_eq!(all[i].0 == all[j].0, same, "{} and {}", specs[j], specs[i]);
            }
        }
        let near_the_end = Some("...../.w.b./w.b../b...w/..... first");
        let solved = |solve| {
            let player = format!("uct(simulations=400, tactics={solve})");
            report("breakthrough", near_the_end, &player, None).simulations
        };
        assert_eq!(solved("none"), 400);
        assert!(solved("solver") < 400);
        // Level 0 is its base.
        assert_eq!(all[0], visits("nested(level=0)", ""));
        assert!(all[6].1 < all[4].1 && all[8].1 < all[7].1, "cutting and pruning save states");
    }

    #[test]
    fn impossible_options_are_refused() {
        let refused_in = |game: &str, text: &str| match catalogue::read(Family::Player, text) {
            Err(error) => error.to_string(),
            Ok(spec) => {
                let game = catalogue::read(Family::Game, game).unwrap();
                session::check_player(&game, &spec).unwrap_err().to_string()
            }
        };
        let refused = |text: &str| refused_in("breakthrough", text);
        assert_eq!(
            refused_in("mr_jack", "nested"),
            "the player nested needs a game without hidden information, not mr_jack"
        );
        assert_eq!(
            refused_in("mr_jack", "uct(tactics=solver)"),
            "tactics need a game without hidden information, which mr_jack is not"
        );
        assert_eq!(
            refused("nested(level=1, cut_on_win=3)"),
            "nested: cut_on_win=3 is not allowed: this one scans at levels 1 to 2, and 0 is never"
        );
        assert!(refused("nested(level=1, prune_on_depth=2)").contains("needs discount=true"));
        assert!(refused("nested(level=6)").contains("level=6 is not allowed"));
        assert!(refused("nested(rounds=0)").contains("rounds=0 is not allowed"));
        assert!(refused("nested(seconds=-1)").contains("seconds=-1 is not allowed"));
        assert!(refused("nested(base=nested(level=1, cut_on_win=2))").contains("nested: base: nested:"));
    }
}
