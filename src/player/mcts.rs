//! The player `mcts`: a search with chosen policies, under limits, in one tree or several.

mod said;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use super::{Player, Request, expansion, final_move};
use crate::family::Context;
use crate::game::{Game, Variant};
use crate::scripts::PlayerFiles;
use crate::search::{Final, Frame, Growing, MoveStat, Parts, Report, Search, Settings, best_of};
use crate::selection::{FirstPlay, GameFacts, Near};
use crate::spec::{Family, OptionInfo, Options, Part, PartInfo, Spec};
use crate::tree::Proof;
use crate::types::{Limit, Move, Result, Rng, mix};
use crate::{backup, candidates, playout, prior, root, selection, tactics, terms, worlds};

// Options that every player with a tree has.
pub const TIES: OptionInfo =
    OptionInfo::choice("ties", &["random", "first"], "random", "which of equal children");
pub const FINAL: OptionInfo = OptionInfo::spec("final", Family::Final, "visits", "which move is played");
pub const WORLDS: OptionInfo = OptionInfo::spec(
    "worlds",
    Family::Worlds,
    "sampled",
    "which hidden world a simulation plays in; one world where nothing is hidden",
);
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
        OptionInfo::spec("candidates", Family::Candidates, "full", "which moves a node considers"),
        OptionInfo::spec("expansion", Family::Expansion, "one", "when a leaf gets children, and how many"),
        OptionInfo::spec(
            "prior",
            Family::Prior,
            "none",
            "what is expected of a new child; fades with its visits",
        )
        .or_none(),
        OptionInfo::spec("tactics", Family::Tactics, "none", "what is proven or forced in a node").or_none(),
        OptionInfo::spec("playout", Family::Playout, "uniform", "how it goes on below the tree"),
        OptionInfo::spec("backup", Family::Backup, "mean", "what goes up the tree beside the mean result"),
        WORLDS,
        FINAL,
        OptionInfo::int(
            "playout_until",
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

/// What a player is made of: the same for all its games, which share it.
///
/// What takes long to make of files (weights, tables, scripts that were tried out) is in `files`, made once. The parts
/// themselves learn while they search, so that every search has its own: to build them takes a few microseconds.
#[derive(Clone)]
struct Recipe {
    /// `mcts` with all its options.
    part: Part,
    slots: Slots,
    frame: Frame,
    /// The other side's secret is known.
    told: bool,
    first_play: FirstPlay,
    ties_first: bool,
    settings: Settings,
    threads: usize,
    /// Whether the threads share one tree.
    shared: bool,
    limit: Limit,
    reuse: bool,
    files: Arc<PlayerFiles>,
}

/// What the parts of a search are built of, slot by slot: found once, because some searches are over after a simulation.
#[derive(Clone)]
struct Slots {
    root: Spec,
    selection: Spec,
    candidates: Spec,
    prior: Option<Spec>,
    tactics: Option<Spec>,
    playout: Spec,
    backup: Spec,
    worlds: Spec,
}

impl Slots {
    fn new(options: &Options) -> Slots {
        let one = |name| options.spec(name).clone();
        let some = |name| options.spec_or_none(name).cloned();
        Slots {
            root: one("root"),
            selection: one("selection"),
            candidates: one("candidates"),
            prior: some("prior"),
            tactics: some("tactics"),
            playout: one("playout"),
            backup: one("backup"),
            worlds: one("worlds"),
        }
    }
}

impl Recipe {
    /// `options` are resolved.
    fn new<G: Game>(options: &Options, variant: &Arc<Variant<G>>) -> Result<Recipe> {
        let threads = options.size("threads");
        let shared = threads > 1 && options.choice("parallel") == "tree";
        let ties_first = options.choice("ties") == "first";
        let files = Arc::<PlayerFiles>::default();
        let context = Context { variant, files: &files, game_seed: 0 };
        let tactics = tactics::build(options.spec_or_none("tactics"), &context)?;
        let mut recipe = Recipe {
            part: options.part().clone(),
            slots: Slots::new(options),
            frame: Frame::default(),
            told: false,
            first_play: FirstPlay {
                urgency: options.real_or_none("fpu").map(|x| x as f32),
                stays: options.choice("fpu_mode") == "virtual_win",
            },
            ties_first,
            settings: Settings {
                expansion: expansion::read(options.spec("expansion"), ties_first),
                playout_until: options.int("playout_until") as u32,
                final_move: final_move::read(options.spec("final")),
                transpositions: options.flag("transpositions"),
                memory: options.size("memory") / if shared { 1 } else { threads },
                solve: tactics.solve,
                play_on_when_lost: tactics.play_on_when_lost,
                stop_early: options.flag("stop_early"),
            },
            threads,
            shared,
            limit: limit_of(options),
            reuse: options.flag("reuse"),
            files,
        };
        recipe.frame = recipe.check(variant)?;
        Ok(recipe)
    }

    /// Refuses now what the game cannot serve and what does not go together, not at the first move.
    fn check<G: Game>(&self, variant: &Arc<Variant<G>>) -> Result<Frame> {
        let (parts, playout) = self.parts(&self.context(variant, 0))?;
        let frame = parts.frame(&playout)?;
        terms::check(&self.said(&parts, &playout))?;
        Ok(frame)
    }

    fn context<'a, G: Game>(&'a self, variant: &'a Arc<Variant<G>>, game_seed: u64) -> Context<'a, G> {
        Context { variant, files: &self.files, game_seed }
    }

    /// What a search is made of. The game refuses what it cannot serve.
    fn parts<G: Game>(&self, context: &Context<G>) -> Result<(Parts<G>, playout::Chain<G>)> {
        let facts = game_facts(context.variant);
        let for_selection =
            selection::Context { first_play: self.first_play, ties_first: self.ties_first, facts: &facts };
        let slots = &self.slots;
        let priors = prior::build(slots.prior.as_ref(), context)?;
        let tactics = tactics::build(slots.tactics.as_ref(), context)?.in_nodes;
        let (root, backup) = (root::build(&slots.root), backup::build(&slots.backup, context)?);
        let selection = selection::build(&slots.selection, &for_selection)?;
        let playout = playout::build(&slots.playout, context)?;
        let candidates = candidates::build(&slots.candidates, context)?;
        let worlds = worlds::build(&slots.worlds, self.told, context)?;
        let grows = G::HIDDEN || candidates.grows();
        let growing = grows.then_some(Growing { candidates, worlds });
        let parts = Parts { root, selection, priors, tactics, backup, growing, settings: self.settings };
        Ok((parts, playout))
    }

    fn search<G: Game>(
        &self,
        variant: &Arc<Variant<G>>,
        state: &G::State,
        game_seed: u64,
        rng: Rng,
    ) -> Result<Search<G>> {
        let context = self.context(variant, game_seed);
        let (parts, playout) = self.parts(&context)?;
        let frame = self.frame.clone();
        let mut search = Search::new(variant.clone(), state.clone(), parts, playout, frame, rng)?;
        if self.shared {
            search.share(self.threads, || playout::build(&self.slots.playout, &context))?;
        }
        Ok(search)
    }
}

pub struct Mcts<G: Game> {
    recipe: Arc<Recipe>,
    /// Names what policies draw once per game; from the stream of the first decision.
    game_seed: Option<u64>,
    /// The trees of the last decision and the moves that had been played then.
    kept: Option<(Vec<Search<G>>, Vec<Move>)>,
}

pub fn build<G: Game>(options: &Options, variant: &Arc<Variant<G>>) -> Result<Box<dyn Player<G>>> {
    Ok(Box::new(Mcts::new(options, variant)?))
}

impl<G: Game> Mcts<G> {
    /// `options` are resolved.
    pub fn new(options: &Options, variant: &Arc<Variant<G>>) -> Result<Mcts<G>> {
        Ok(Mcts { recipe: Arc::new(Recipe::new(options, variant)?), game_seed: None, kept: None })
    }

    /// The same player, told what the other side hides.
    pub fn told(mut self, told: bool) -> Mcts<G> {
        Arc::make_mut(&mut self.recipe).told = told;
        self
    }

    /// The same player without what it remembers of a game.
    pub fn fresh(&self) -> Mcts<G> {
        Mcts { recipe: self.recipe.clone(), game_seed: None, kept: None }
    }

    fn search(&self, variant: &Arc<Variant<G>>, state: &G::State, rng: Rng) -> Result<Search<G>> {
        let game_seed = self.game_seed.unwrap_or_else(|| game_seed(&rng));
        self.recipe.search(variant, state, game_seed, rng)
    }

    /// Trees for this decision: those of the last one, moved on, where they are kept and know the position.
    fn trees(&mut self, request: &Request<G>) -> Result<Vec<Search<G>>> {
        let Recipe { threads, shared, reuse, .. } = *self.recipe;
        let trees = if shared { 1 } else { threads };
        let streams: Vec<Rng> = (0..trees)
            .scan(request.rng.clone(), |rng, tree| Some(if tree == 0 { rng.clone() } else { rng.split() }))
            .collect();
        if reuse
            && let Some((mut trees, before)) = self.kept.take()
            && let Some(since) = request.moves.strip_prefix(before.as_slice())
            && trees
                .iter_mut()
                .zip(&streams)
                .all(|(tree, rng)| tree.advance(since, request.state.clone(), rng.clone()))
        {
            return Ok(trees);
        }
        streams.into_iter().map(|rng| self.search(request.variant, request.state, rng)).collect()
    }
}

/// What selection policies may know about the game.
fn game_facts<G: Game>(variant: &Arc<Variant<G>>) -> GameFacts {
    let near = variant.distances().map(|_| {
        let variant = variant.clone();
        let near: Near = Arc::new(move |mv, range, slots: &mut Vec<u16>| {
            if let Some(distances) = variant.distances() {
                slots.extend(distances.around(mv, range).iter().map(|&mv| variant.game.slot(mv) as u16));
            }
        });
        near
    });
    GameFacts { game: G::INFO.name, slots: variant.game.slots(), near }
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
    fn again(&self) -> Box<dyn Player<G>> {
        Box::new(self.fresh())
    }

    fn choose(&mut self, request: &Request<G>) -> Result<Report> {
        let limit = request.limit.unwrap_or(self.recipe.limit);
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
                    // The panic of a guest goes on to the code that turns it into an error.
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
        let mut report = merge(reports, self.recipe.settings.final_move, &mut ties);
        trees[0].draw_best(&mut report);
        if self.recipe.reuse {
            self.kept = Some((trees, request.moves.to_vec()));
        }
        Ok(report)
    }

    fn think(&self, variant: &Arc<Variant<G>>, state: &G::State, rng: Rng) -> Result<Search<G>> {
        self.search(variant, state, rng)
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
    use crate::game::Rules;
    use crate::games::domineering::Domineering;
    use std::sync::atomic::AtomicBool;

    fn variant() -> Arc<Variant<Domineering>> {
        Arc::new(Variant { game: Domineering::new(5, 5), misere: false })
    }

    /// Root visits of a player's second decision, after one reply, over what its own simulations add.
    fn inherited(spec: &str) -> u64 {
        let variant = variant();
        let spec = catalogue::read(Family::Player, spec).unwrap();
        let mut player = Mcts::new(&Options::new(&spec.parts[0]), &variant).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let mut state = variant.game.initial_state(&mut Rng::new(0));
        let mut moves = Vec::new();
        let mut visits = 0;
        for decision in 0..2 {
            let rng = Rng::stream(&[9, decision]);
            let request =
                Request { variant: &variant, state: &state, moves: &moves, rng, limit: None, stop: &stop };
            let report = player.choose(&request).unwrap();
            visits = report.moves.iter().map(|stat| stat.visits).sum::<u64>() - report.simulations;
            // The best move and the reply that the search expects, so that the tree knows it.
            for &mv in &report.line[..2] {
                variant.game.play(&mut state, mv);
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
