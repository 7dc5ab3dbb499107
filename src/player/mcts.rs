//! The player `mcts`: a search with chosen policies, under limits, in one tree or several.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use super::{Player, Request, final_move};
use crate::game::{Game, Rules};
use crate::scripts::PlayerFiles;
use crate::search::{
    Expansion, Final, Hidden, MoveStat, Order, Parts, Report, Search, Settings, Widen, best_of,
};
use crate::selection::{FirstPlay, GameFacts, Near};
use crate::spec::{Family, OptionInfo, Options, PartInfo, Spec, Value};
use crate::tactics::{Tactic, forcing, threats};
use crate::tree::{AmafNeed, Proof};
use crate::types::{Error, Limit, Move, Result, Rng, mix};
use crate::{backup, candidates, playout, prior, root, selection};

// Options that every player with a tree has.
pub const TIES: OptionInfo =
    OptionInfo::choice("ties", &["random", "first"], "random", "which of equal children");
pub const FINAL: OptionInfo = OptionInfo::spec("final", Family::Final, "visits", "which move is played");
pub const THREADS: OptionInfo = OptionInfo::int("threads", 1, 256, "1", "threads of one search");
pub const MEMORY: OptionInfo = OptionInfo::int(
    "memory",
    1 << 16,
    1 << 44,
    "1GiB",
    "bytes for nodes and tables of all trees; 64MiB and 2GiB are numbers",
);
pub const SIMULATIONS: OptionInfo = OptionInfo::int("simulations", 1, 1_000_000_000_000, "1000", "limit")
    .unless(&["states", "seconds", "cpu_seconds"]);
pub const STATES: OptionInfo =
    OptionInfo::int("states", 1, 1_000_000_000_000_000, "none", "limit: states visited in tree and playouts")
        .or_none();
pub const SECONDS: OptionInfo = OptionInfo::real("seconds", 0.0, 1e6, "none", "limit").or_none();
pub const CPU_SECONDS: OptionInfo =
    OptionInfo::real("cpu_seconds", 0.0, 1e6, "none", "limit: of each searching thread").or_none();

pub const INFO: PartInfo = PartInfo {
    name: "mcts",
    options: &[
        OptionInfo::spec("root", Family::Root, "plain", "how the simulations are shared among the moves"),
        OptionInfo::spec("selection", Family::Selection, "uct", "which child a simulation goes to"),
        OptionInfo::spec("playout", Family::Playout, "uniform", "how it goes on below the tree"),
        OptionInfo::spec("candidates", Family::Candidates, "full", "which moves a node considers"),
        OptionInfo::choice("expansion", &["one", "all"], "one", "children made per visit of a leaf"),
        OptionInfo::int("expand_at", 0, 1_000_000, "1", "visits a leaf needs before it gets children"),
        OptionInfo::choice("order", &["random", "first", "last"], "random", "order of untried moves"),
        OptionInfo::int(
            "t",
            0,
            1_000_000_000,
            "0",
            "below so many visits of a node the playout policy decides",
        ),
        OptionInfo::real("fpu", 0.0, 10.0, "none", "mean result of an unvisited child; none: it goes first")
            .or_none(),
        OptionInfo::choice(
            "fpu_mode",
            &["urgency", "virtual_win"],
            "urgency",
            "whether fpu goes with the first visit",
        ),
        TIES,
        OptionInfo::spec("backup", Family::Backup, "mean", "what goes up the tree beside the mean result"),
        FINAL,
        OptionInfo::flag("solve", "false", "back up proven results and search nothing proven again"),
        OptionInfo::flag(
            "threats",
            "false",
            "a node that gets children plays a win at once and answers what must be answered",
        ),
        OptionInfo::flag(
            "doubles",
            "false",
            "with threats: so for moves that make two threats at a time; for games that know completing cells",
        ),
        OptionInfo::int(
            "forcing",
            0,
            1_000_000_000,
            "0",
            "visits at which a node is searched for a win by threats alone; 0: never",
        ),
        OptionInfo::int("tries", 1, 1_000_000_000, "300", "threats that such a search tries"),
        OptionInfo::flag(
            "stubborn",
            "false",
            "with solve: where every move is proven lost, go on as if nobody knew, for the move that is hardest to refute",
        ),
        OptionInfo::real("prior", 0.0, 100.0, "0.0", "weight of what the game expects of a new child"),
        OptionInfo::real(
            "prior_patterns",
            0.0,
            100.0,
            "0.0",
            "weight of what learnt patterns expect of a new child, as the logarithm of its weight in them",
        ),
        OptionInfo::int(
            "widen",
            1,
            1000,
            "none",
            "children that a node offers at first, the most promising ones; none: all",
        )
        .or_none(),
        OptionInfo::real(
            "widen_at",
            0.1,
            1e6,
            "50.0",
            "with widen: child number widen + j is offered after widen_at * widen_by^j visits",
        ),
        OptionInfo::real(
            "widen_by",
            1.01,
            100.0,
            "1.3",
            "with widen: how many times as many visits the next child needs",
        ),
        OptionInfo::flag("stop_early", "false", "stop when the most visited move cannot be caught any more"),
        OptionInfo::flag(
            "transpositions",
            "false",
            "share the node of positions that differ in move order only",
        ),
        OptionInfo::flag("reuse", "false", "keep the tree between moves"),
        THREADS,
        OptionInfo::choice(
            "parallel",
            &["root", "tree"],
            "root",
            "threads grow trees of their own, whose root statistics are added, or one tree, which cannot be repeated",
        ),
        MEMORY,
        SIMULATIONS,
        STATES,
        SECONDS,
        CPU_SECONDS,
    ],
    positional: None,
    doc: "Monte-Carlo tree search with policies of your choice",
};

pub struct Mcts<G: Game> {
    root: Spec,
    backup: Spec,
    selection: Spec,
    playout: Spec,
    candidates: Spec,
    hidden: Hidden,
    first_play: FirstPlay,
    ties_first: bool,
    settings: Settings,
    tactics: Tactics,
    /// How much counts what is expected of new children.
    prior: prior::Weights,
    threads: usize,
    /// Whether the threads share one tree.
    shared: bool,
    limit: Limit,
    reuse: bool,
    books: PlayerFiles,
    /// Names what policies draw once per game; from the stream of the first decision.
    game_seed: Option<u64>,
    /// The trees of the last decision and the moves that had been played then.
    kept: Option<(Vec<Search<G>>, Vec<Move>)>,
}

/// What a search looks for in its nodes.
struct Tactics {
    threats: bool,
    doubles: bool,
    /// Visits at which a node is searched for a win by threats alone; 0: never.
    forcing: u32,
    tries: usize,
}

impl Tactics {
    fn build<G: Game>(&self) -> Vec<Box<dyn Tactic<G>>> {
        let mut tactics: Vec<Box<dyn Tactic<G>>> = Vec::new();
        if self.threats {
            tactics.push(Box::new(threats::Threats::new(self.doubles)));
        }
        if self.forcing > 0 {
            tactics.push(Box::new(forcing::Forcing::new(self.forcing, self.tries)));
        }
        tactics
    }
}

impl<G: Game> Mcts<G> {
    /// `options` are resolved.
    pub fn new(options: &Options, rules: &Arc<Rules<G>>) -> Result<Mcts<G>> {
        let threads = options.size("threads");
        let shared = threads > 1 && options.choice("parallel") == "tree";
        let player = Mcts {
            root: options.spec("root").clone(),
            backup: options.spec("backup").clone(),
            selection: options.spec("selection").clone(),
            playout: options.spec("playout").clone(),
            candidates: options.spec("candidates").clone(),
            hidden: Hidden::default(),
            first_play: FirstPlay {
                urgency: options.real_or_none("fpu").map(|x| x as f32),
                stays: options.choice("fpu_mode") == "virtual_win",
            },
            ties_first: options.choice("ties") == "first",
            settings: Settings {
                expansion: if options.choice("expansion") == "all" { Expansion::All } else { Expansion::One },
                expand_at: options.int("expand_at") as u32,
                order: match options.choice("order") {
                    "first" => Order::First,
                    "last" => Order::Last,
                    _ => Order::Random,
                },
                threshold: options.int("t") as u32,
                final_move: final_move::read(options.spec("final")),
                transpositions: options.flag("transpositions"),
                memory: options.size("memory") / if shared { 1 } else { threads },
                solve: options.flag("solve"),
                stubborn: options.flag("stubborn"),
                stop_early: options.flag("stop_early"),
                widen: options.int_or_none("widen").map(|first| Widen {
                    first: first as usize,
                    at: options.real("widen_at"),
                    by: options.real("widen_by"),
                    ties_first: options.choice("ties") == "first",
                }),
            },
            tactics: Tactics {
                threats: options.flag("threats"),
                doubles: options.flag("doubles"),
                forcing: options.int("forcing") as u32,
                tries: options.size("tries"),
            },
            prior: prior::Weights {
                knowledge: options.real("prior"),
                patterns: options.real("prior_patterns"),
            },
            threads,
            shared,
            limit: limit_of(options),
            reuse: options.flag("reuse"),
            books: PlayerFiles::default(),
            game_seed: None,
            kept: None,
        };
        player.check(rules)?;
        Ok(player)
    }

    /// Refuses now what the game cannot serve, not at the first move.
    fn check(&self, rules: &Arc<Rules<G>>) -> Result<()> {
        if self.settings.solve && G::HIDDEN {
            return Err(Error::new(format!(
                "solve=true needs a game without hidden information, not {}",
                G::INFO.name
            )));
        }
        if self.tactics.threats && !self.settings.solve {
            return Err(Error::new("threats=true needs solve=true: what it finds is proven"));
        }
        if self.settings.stubborn && !self.settings.solve {
            return Err(Error::new("stubborn=true needs solve=true: nothing is proven lost without it"));
        }
        let wanted = [(self.tactics.doubles, "doubles=true"), (self.tactics.forcing > 0, "forcing")];
        for (_, option) in wanted.into_iter().filter(|(is_wanted, _)| *is_wanted) {
            if !self.tactics.threats {
                return Err(Error::new(format!(
                    "{option} needs threats=true: it begins where no threat is open"
                )));
            }
            if rules.knowledge().is_none() {
                return Err(Error::new(format!(
                    "{option} needs completing cells, which {}{} does not offer",
                    if rules.misere { "misere " } else { "" },
                    G::INFO.name
                )));
            }
        }
        if self.settings.stop_early && self.settings.final_move != Final::Visits {
            return Err(Error::new("stop_early=true needs final=visits: a score can always be caught"));
        }
        prior::build(self.prior, rules, &self.books)?;
        let backup = backup::build(&self.backup, rules)?;
        self.check_root()?;
        let (selection, playout) = self.policies(rules, 0)?;
        let amaf = selection.layout().and(playout.layout()).agreed()?.amaf;
        if self.grows() {
            candidates::build(&self.candidates, rules, &self.books)?;
            self.check_growing(amaf, backup.is_some())?;
        }
        if self.settings.widen.is_some() {
            self.check_widening(amaf)?;
        }
        self.check_keep()
    }

    /// Whether nodes grow child by child in sampled worlds.
    fn grows(&self) -> bool {
        G::HIDDEN || !candidates::is_full(&self.candidates)
    }

    /// Nodes that grow child by child know nothing of these.
    fn check_growing(&self, amaf: AmafNeed, has_backup: bool) -> Result<()> {
        let Settings { expansion, expand_at, order, threshold, transpositions, solve, .. } = self.settings;
        let what = [
            (amaf != AmafNeed::None, "statistics of moves made later (AMAF), which do not permute there"),
            (expansion == Expansion::All, "expansion=all"),
            (expand_at != 1, "expand_at other than 1"),
            (order != Order::Random, "order other than random"),
            (threshold > 0, "threshold t"),
            (transpositions, "transpositions=true"),
            (solve, "solve=true"),
            (self.reuse, "reuse=true"),
            (self.settings.stop_early, "stop_early=true"),
            (self.prior.knowledge > 0.0, "prior"),
            (self.prior.patterns > 0.0, "prior_patterns"),
            (self.settings.widen.is_some(), "widen"),
            (self.shared, "parallel=tree"),
            (root::build(&self.root).is_some(), "root other than plain"),
            (has_backup, "backup other than mean"),
        ];
        let Some((_, what)) = what.iter().find(|(asked, _)| *asked) else { return Ok(()) };
        let reason = if G::HIDDEN {
            format!("{} has hidden information", G::INFO.name)
        } else {
            format!("candidates={} grows nodes child by child", self.candidates.parts[0].name)
        };
        Err(Error::new(format!("{reason}, so there can be no {what}")))
    }

    /// A plan for the whole decision needs to know how long it is, and the only tree.
    fn check_root(&self) -> Result<()> {
        if root::build(&self.root).is_none() {
            return Ok(());
        }
        let root = &self.root.parts[0].name;
        if self.limit.simulations.is_none() {
            return Err(Error::new(format!(
                "root={root} needs a number of simulations, such as simulations=1000"
            )));
        }
        let what = [
            (self.threads > 1, "threads: it plans for one tree"),
            (self.settings.stop_early, "stop_early=true: its plan ends with the last simulation"),
            (self.settings.widen.is_some(), "widen: it begins with all moves"),
            (
                self.settings.final_move != Final::Visits,
                "another final than visits: its plan says what is played",
            ),
        ];
        match what.iter().find(|(asked, _)| *asked) {
            Some((_, what)) => Err(Error::new(format!("root={root} does not go with {what}"))),
            None => Ok(()),
        }
    }

    /// Widening needs children that are made at once, and something that orders them.
    fn check_widening(&self, amaf: AmafNeed) -> Result<()> {
        if self.settings.expansion != Expansion::All {
            return Err(Error::new(
                "widen needs expansion=all: with expansion=one every move is tried first",
            ));
        }
        if self.prior == prior::Weights::default() && amaf == AmafNeed::None {
            return Err(Error::new(
                "widen needs an order of the moves: prior or prior_patterns above 0, or a policy that keeps AMAF such \
                 as selection=rave",
            ));
        }
        Ok(())
    }

    /// The same player, dealing with hidden information as `hidden` says.
    pub fn hiding(mut self, hidden: Hidden) -> Mcts<G> {
        self.hidden = hidden;
        self
    }

    #[allow(clippy::type_complexity)]
    fn policies(
        &self,
        rules: &Arc<Rules<G>>,
        game_seed: u64,
    ) -> Result<(Box<dyn selection::SelectionPolicy>, playout::Chain<G>)> {
        let selection = selection::build(&self.selection, self.first_play, self.ties_first, &ground(rules))?;
        Ok((selection, playout::build(&self.playout, rules, &self.books, game_seed)?))
    }

    /// A table can be kept only where the search is.
    fn check_keep(&self) -> Result<()> {
        let parts = self.selection.parts.iter().chain(&self.playout.parts);
        for part in parts.filter(|_| !self.reuse) {
            if part.arguments.iter().any(|a| a.key.as_deref() == Some("keep") && a.value == Value::Bool(true))
            {
                return Err(Error::new(format!("{}: keep=true needs reuse=true", part.name)));
            }
        }
        Ok(())
    }

    fn search(&self, rules: &Arc<Rules<G>>, state: &G::State, rng: Rng) -> Result<Search<G>> {
        let game_seed = self.game_seed.unwrap_or_else(|| game_seed(&rng));
        let (selection, playout) = self.policies(rules, game_seed)?;
        let priors = prior::build(self.prior, rules, &self.books)?;
        let tactics = self.tactics.build();
        let (root, backup) = (root::build(&self.root), backup::build(&self.backup, rules)?);
        let parts = Parts { root, selection, priors, tactics, backup, settings: self.settings };
        let mut search = Search::new(rules.clone(), state.clone(), parts, playout, rng)?;
        if self.grows() {
            search.grow(candidates::build(&self.candidates, rules, &self.books)?, self.hidden);
        }
        if self.shared {
            search.share(self.threads, || playout::build(&self.playout, rules, &self.books, game_seed))?;
        }
        Ok(search)
    }

    /// Trees for this decision: those of the last one, moved on, where they are kept and know the position.
    fn trees(&mut self, request: &Request<G>) -> Result<Vec<Search<G>>> {
        let trees = if self.shared { 1 } else { self.threads };
        let streams: Vec<Rng> = (0..trees)
            .scan(request.rng.clone(), |rng, tree| Some(if tree == 0 { rng.clone() } else { rng.split() }))
            .collect();
        if self.reuse
            && let Some((mut trees, before)) = self.kept.take()
            && let Some(since) = request.moves.strip_prefix(before.as_slice())
            && trees
                .iter_mut()
                .zip(&streams)
                .all(|(tree, rng)| tree.advance(since, request.state.clone(), rng.clone()))
        {
            return Ok(trees);
        }
        streams.into_iter().map(|rng| self.search(request.rules, request.state, rng)).collect()
    }
}

/// What selection policies may know about the game.
fn ground<G: Game>(rules: &Arc<Rules<G>>) -> GameFacts {
    let near = rules.knowledge().map(|_| {
        let rules = rules.clone();
        let near: Near = Arc::new(move |mv, range, slots: &mut Vec<u16>| {
            if let Some(knowledge) = rules.knowledge() {
                slots.extend(knowledge.around(mv, range).iter().map(|&mv| rules.game.slot(mv) as u16));
            }
        });
        near
    });
    GameFacts { game: G::INFO.name, slots: rules.game.slots(), near }
}

/// Drawn beside the stream of a decision, which it leaves as it is.
pub fn game_seed(rng: &Rng) -> u64 {
    mix(rng.clone().next_u64())
}

/// The limit options that every player with a budget has.
pub fn limit_of(options: &Options) -> Limit {
    Limit {
        simulations: options.int_or_none("simulations").map(|n| n as u64),
        states: options.int_or_none("states").map(|n| n as u64),
        seconds: options.real_or_none("seconds"),
        cpu_seconds: options.real_or_none("cpu_seconds"),
    }
}

/// The share of tree number `tree` of `trees` in a limit that is counted, not timed.
fn share(limit: &Limit, tree: usize, trees: usize) -> Limit {
    let part = |n: u64| n / trees as u64 + u64::from((tree as u64) < n % trees as u64);
    Limit { simulations: limit.simulations.map(part), states: limit.states.map(part), ..*limit }
}

impl<G: Game> Player<G> for Mcts<G> {
    fn choose(&mut self, request: &Request<G>) -> Result<Report> {
        let limit = request.limit.unwrap_or(self.limit);
        self.game_seed.get_or_insert_with(|| game_seed(&request.rng));
        let mut trees = self.trees(request)?;
        if let [tree] = trees.as_mut_slice() {
            tree.run(&limit, request.stop);
        } else {
            let count = trees.len();
            thread::scope(|scope| {
                let running: Vec<_> = trees
                    .iter_mut()
                    .enumerate()
                    .map(|(i, tree)| {
                        let limit = share(&limit, i, count);
                        scope.spawn(move || tree.run(&limit, request.stop))
                    })
                    .collect();
                for thread in running {
                    // What a guest did wrong goes on to whoever turns it into an error.
                    if let Err(panic) = thread.join() {
                        resume_unwind(panic);
                    }
                }
            });
        }
        if let Some(failure) = trees.iter().find_map(Search::failure) {
            return Err(failure.clone());
        }
        let reports: Vec<Report> = trees.iter().map(Search::report).collect();
        let mut ties = request.rng.clone();
        let mut report = merge(reports, self.settings.final_move, &mut ties);
        trees[0].draw_best(&mut report);
        if self.reuse {
            self.kept = Some((trees, request.moves.to_vec()));
        }
        Ok(report)
    }

    fn think(&self, rules: &Arc<Rules<G>>, state: &G::State, rng: Rng) -> Result<Search<G>> {
        self.search(rules, state, rng)
    }
}

/// One report from several trees: their root statistics added.
fn merge(mut reports: Vec<Report>, rule: Final, ties: &mut Rng) -> Report {
    let mut sum = reports.remove(0);
    for report in reports {
        for stat in report.moves {
            match sum.moves.iter_mut().find(|known| known.mv == stat.mv) {
                Some(known) => {
                    known.visits += stat.visits;
                    known.score += stat.score;
                    if known.proof == Proof::None {
                        known.proof = stat.proof;
                    }
                    if let (Some(sum), Some(more)) = (&mut known.amaf, stat.amaf) {
                        sum.visits += more.visits;
                        sum.score += more.score;
                    }
                }
                None => sum.moves.push(stat),
            }
        }
        sum.simulations += report.simulations;
        sum.states += report.states;
        sum.seconds = sum.seconds.max(report.seconds);
        sum.nodes += report.nodes;
        sum.bytes += report.bytes;
        sum.full_at = sum.full_at.or(report.full_at);
        if let Some(at) = best_of(&sum.moves, rule, ties)
            && sum.moves[at].mv != sum.best
        {
            sum.best = sum.moves[at].mv;
            sum.line = if report.line.first() == Some(&sum.best) { report.line } else { vec![sum.best] };
        }
    }
    sum.moves.sort_by(|a: &MoveStat, b| {
        b.visits.cmp(&a.visits).then(b.score.total_cmp(&a.score)).then(a.mv.cmp(&b.mv))
    });
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::games::domineering::Domineering;
    use std::sync::atomic::AtomicBool;

    fn rules() -> Arc<Rules<Domineering>> {
        Arc::new(Rules { game: Domineering::new(5, 5), misere: false })
    }

    /// Root visits of a player's second decision, after one reply, over what its own simulations add.
    fn inherited(spec: &str) -> u64 {
        let rules = rules();
        let spec = catalogue::read(Family::Player, spec).unwrap();
        let mut player = Mcts::new(&Options::new(&spec.parts[0]), &rules).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let mut state = rules.game.initial_state(&mut Rng::new(0));
        let mut moves = Vec::new();
        let mut visits = 0;
        for decision in 0..2 {
            let rng = Rng::stream(&[9, decision]);
            let request =
                Request { rules: &rules, state: &state, moves: &moves, rng, limit: None, stop: &stop };
            let report = player.choose(&request).unwrap();
            visits = report.moves.iter().map(|stat| stat.visits).sum::<u64>() - report.simulations;
            // The best move and the reply that the search expects, so that the tree knows it.
            for &mv in &report.line[..2] {
                rules.game.play(&mut state, mv);
                moves.push(mv);
            }
        }
        visits
    }

    #[test]
    fn a_kept_tree_brings_its_visits_along() {
        assert_eq!(inherited("uct(simulations=500)"), 0);
        assert!(inherited("uct(simulations=500, reuse=true)") > 0);
    }

    #[test]
    fn a_counted_limit_is_shared_out_exactly() {
        let limit = Limit { simulations: Some(10), seconds: Some(1.0), ..Limit::default() };
        let shares: Vec<u64> = (0..3).map(|tree| share(&limit, tree, 3).simulations.unwrap()).collect();
        assert_eq!(shares, [4, 3, 3]);
        assert_eq!(share(&limit, 0, 3).seconds, Some(1.0));
    }
}
