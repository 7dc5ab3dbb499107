//! Fingerprints of play: for each game and player one hash over what the player finds in the first decisions of a
//! game. `fingerprints.txt` keeps them, one line each; a line changes exactly when that play does.
//!
//! A refactoring changes no line, and a new game, part or option only adds some. The signature is one number over
//! the file; the play version of a player in a game is one number over the lines of its own parts.

mod lines;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::catalogue;
use crate::game::{Game, Trace, Variant};
use crate::games::{Visitor, with_game};
use crate::player::{self, Request};
use crate::search::Report;
use crate::spec::{Family, Kind, Spec, Value};
use crate::types::{Move, Result, Rng, Side, mix};
pub use lines::lines;

/// Decisions that a fingerprint is taken of, in the opening and late in a game: both sides twice and once, so that a
/// tree that was kept is searched, too.
const EARLY: usize = 4;
const LATE: usize = 2;
/// Moves drawn before the first of them, so that stones stand near each other; none where the swap is to be seen.
const DRAWN: usize = 3;
/// Playouts of the game itself that the line of `random` tells of where it begins with the first move: no search begins
/// one there, since a root has children from the first simulation on.
const PLAYOUTS: usize = 200;
const SIMULATIONS: i64 = 120;
/// Where something is hidden, every simulation is of another world.
const HIDDEN_SIMULATIONS: i64 = 400;
/// For nested playouts, one of which may visit a million.
const STATES: i64 = 8_000;

/// What one player does in one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// As they are written in the file: specs with what differs from the defaults.
    pub game: String,
    pub player: String,
    pub hash: u32,
}

/// The file, compiled in: what this source plays.
pub fn kept() -> &'static [Line] {
    static KEPT: OnceLock<Vec<Line>> = OnceLock::new();
    KEPT.get_or_init(|| parse(include_str!("../fingerprints.txt")))
}

fn parse(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("three fields");
        let (hash, game, player) = (next(), next(), next());
        let hash = u32::from_str_radix(hash, 16).expect("eight hexadecimal digits");
        Line { game: game.to_string(), player: player.to_string(), hash }
    };
    text.lines().filter(|text| !text.starts_with('#')).map(line).collect()
}

/// The file as it is written.
pub fn write(lines: &[Line]) -> String {
    let mut text = String::from(
        "# What every player finds in every game: hash, game, player. Made by `coppice signature`.\n",
    );
    for line in lines {
        text.push_str(&format!("{:08x}\t{}\t{}\n", line.hash, line.game, line.player));
    }
    text
}

/// One number over all lines: seven digits are enough to tell two versions apart and short enough to read out.
pub fn signature<'a>(lines: impl IntoIterator<Item = &'a Line>) -> u64 {
    lines.into_iter().fold(0, |seen, line| mix(seen ^ u64::from(line.hash))) % 10_000_000
}

/// The signature of this source, compiled in.
pub fn play_version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| signature(kept()).to_string())
}

/// The play version of a player in a game: one number over the kept lines of the same game that have no part but those
/// of this player and of plain `mcts`. Where it has changed, play may have; whether it has, only replaying tells.
pub fn play_version_of(game: &Spec, player: &Spec) -> Result<String> {
    static ABOUT: OnceLock<Vec<About>> = OnceLock::new();
    let about = ABOUT.get_or_init(|| kept().iter().map(About::of).collect());
    version_over(kept(), about, game, player)
}

/// What a line is about: the name of its game, and the names of its player's parts, those of plain `mcts` left out.
struct About {
    game: String,
    parts: BTreeSet<(&'static str, String)>,
    /// Whether it begins with the first move: then it counts only for the game with the swap.
    from_the_start: bool,
}

impl About {
    fn of(line: &Line) -> About {
        let read = || -> Result<About> {
            let game = catalogue::read(Family::Game, &line.game)?;
            let player = catalogue::read(Family::Player, &line.player)?;
            About::resolved(&game, &player)
        };
        let about = read().expect("a line names a player of its game");
        About { from_the_start: lines::from_the_start().contains(&line.game), ..about }
    }

    fn resolved(game: &Spec, player: &Spec) -> Result<About> {
        let plain = catalogue::player_of(game, &catalogue::read(Family::Player, player::mcts::INFO.name)?)?;
        let parts = &parts_of(&catalogue::player_of(game, player)?) - &parts_of(&plain);
        Ok(About { game: name_of(game), parts, from_the_start: false })
    }
}

fn version_over(lines: &[Line], about: &[About], game: &Spec, player: &Spec) -> Result<String> {
    let asked = About::resolved(game, player)?;
    let swaps = may_swap(game);
    let concerns = |about: &About| {
        about.game == asked.game && about.parts.is_subset(&asked.parts) && (swaps || !about.from_the_start)
    };
    let mine = lines.iter().zip(about).filter(|(_, about)| concerns(about)).map(|(line, _)| line);
    Ok(signature(mine).to_string())
}

/// Whether a resolved game has the swap.
fn may_swap(game: &Spec) -> bool {
    let swap = game.parts[0].arguments.iter().find(|argument| argument.key.as_deref() == Some(lines::SWAP));
    swap.is_some_and(|argument| argument.value == Value::Bool(true))
}

/// `breakthrough`, `misere breakthrough`.
fn name_of(game: &Spec) -> String {
    let part = &game.parts[0];
    let inner = part.arguments.iter().find_map(|argument| match &argument.value {
        Value::Spec(inner) if argument.key.as_deref() == Some("game") => Some(name_of(inner)),
        _ => None,
    });
    inner.map_or(part.name.clone(), |inner| format!("{} {inner}", part.name))
}

/// All parts of a resolved player, at every depth, with their families: two may have one name.
fn parts_of(player: &Spec) -> BTreeSet<(&'static str, String)> {
    let mut parts = BTreeSet::new();
    let mut open = vec![(Family::Player, player)];
    while let Some((family, spec)) = open.pop() {
        for part in &spec.parts {
            parts.insert((family.name(), part.name.clone()));
            let known = catalogue::catalogue()
                .parts
                .iter()
                .find(|(of, info)| *of == family && info.name == part.name);
            let Some((_, info)) = known else { continue };
            for argument in &part.arguments {
                let option = info.options.iter().find(|option| Some(option.name) == argument.key.as_deref());
                // A word that is a choice is read as a spec, too, but names no part.
                if let Some(Kind::Spec(family)) = option.map(|option| option.kind)
                    && let Value::Spec(inner) = &argument.value
                {
                    open.push((family, inner));
                }
            }
        }
    }
    parts
}

/// Plays all lines with the code of today, on so many threads.
pub fn compute(threads: usize) -> Result<Vec<Line>> {
    let lines = lines();
    let done: Mutex<Vec<(usize, Result<Option<u32>>)>> = Mutex::default();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((game, player)) = lines.get(at) else { break };
                    let hash = fingerprint(game, player);
                    done.lock().expect("no thread fails").push((at, hash));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no thread fails");
    done.sort_by_key(|(at, _)| *at);
    let mut made = Vec::new();
    for ((game, player), (_, hash)) in lines.into_iter().zip(done) {
        // A player that this game cannot serve takes no part.
        if let Some(hash) = hash? {
            made.push(Line { game, player, hash });
        }
    }
    Ok(made)
}

/// The fingerprint of one line; none if the game or the player is refused.
pub fn fingerprint(game: &str, player: &str) -> Result<Option<u32>> {
    let drawn = if lines::from_the_start().iter().any(|start| start == game) { 0 } else { DRAWN };
    let game = catalogue::read(Family::Game, game)?;
    let Ok(player) = catalogue::read(Family::Player, player) else { return Ok(None) };
    let Ok(player) = catalogue::player_of(&game, &player) else { return Ok(None) };
    with_game(&game, Take { player, drawn }).unwrap_or(Ok(None))
}

/// Gives a resolved player the limits of a fingerprint.
fn bound(player: &mut Spec, simulations: i64) {
    for argument in &mut player.parts[0].arguments {
        match argument.key.as_deref() {
            Some("simulations") if argument.value != Value::None => argument.value = Value::Int(simulations),
            Some("states") => argument.value = Value::Int(STATES),
            _ => {}
        }
    }
}

struct Take {
    player: Spec,
    drawn: usize,
}

impl Visitor for Take {
    type Out = Result<Option<u32>>;

    fn visit<G: Game>(mut self, variant: Variant<G>) -> Self::Out {
        let variant = Arc::new(variant);
        bound(&mut self.player, if G::HIDDEN { HIDDEN_SIMULATIONS } else { SIMULATIONS });
        if catalogue::build_player(&self.player, &variant).is_err() {
            return Ok(None);
        }
        let drawn = drawn_game(&variant);
        let early = &drawn[..self.drawn.min(drawn.len())];
        let late = &drawn[..drawn.len() * 2 / 3];
        let with_playouts = self.drawn == 0 && self.player.parts[0].name == player::random::INFO.name;
        let hash = if with_playouts { playouts(&variant) } else { 0 };
        let hash = decide(&variant, &self.player, early, EARLY, hash)?;
        let hash = decide(&variant, &self.player, late, LATE, hash)?;
        Ok(Some((hash >> 32) as u32))
    }
}

fn start<G: Game>(variant: &Variant<G>) -> G::State {
    variant.game.initial_state(&mut Rng::new(1))
}

/// The moves of a game drawn by chance.
fn drawn_game<G: Game>(variant: &Variant<G>) -> Vec<Move> {
    let (mut state, mut rng, mut moves) = (start(variant), Rng::new(2), Vec::new());
    while variant.outcome(&state).is_none() {
        let mv = variant.game.random_move(&state, &mut rng);
        variant.game.play(&mut state, mv);
        moves.push(mv);
    }
    moves
}

/// Folds playouts of the game from its first position, uniform ones and those by replies in turns.
fn playouts<G: Game>(variant: &Variant<G>) -> u64 {
    let (mut rng, mut trace, mut hash) = (Rng::new(3), Trace { wanted: true, ..Trace::default() }, 0);
    for at in 0..PLAYOUTS {
        let mut state = start(variant);
        trace.clear();
        let outcome = if at % 2 == 0 {
            variant.uniform_playout(&mut state, &mut rng, &mut trace)
        } else {
            // No reply is known.
            let unknown = Move(u32::MAX);
            variant.reply_playout(&mut state, unknown, |_, _| unknown, &mut rng, &mut trace)
        };
        hash = trace.moves.iter().fold(hash, |hash, (mv, _)| mix(hash ^ u64::from(mv.0)));
        hash = mix(hash ^ u64::from(outcome.score(Side::First).to_bits()));
    }
    hash
}

/// Lets a player make so many moves after these, for both sides, and folds what it reports.
fn decide<G: Game>(
    variant: &Arc<Variant<G>>,
    player: &Spec,
    opening: &[Move],
    decisions: usize,
    hash: u64,
) -> Result<u64> {
    let mut players = [catalogue::build_player(player, variant)?, catalogue::build_player(player, variant)?];
    let stop = Arc::new(AtomicBool::new(false));
    let (mut state, mut moves, mut hash) = (start(variant), opening.to_vec(), hash);
    for &mv in opening {
        variant.game.play(&mut state, mv);
    }
    for _ in 0..decisions {
        if variant.outcome(&state).is_some() {
            break;
        }
        let rng = Rng::stream(&[1, moves.len() as u64]);
        let request = Request { variant, state: &state, moves: &moves, rng, limit: None, stop: &stop };
        let report = one_decision(&mut *players[variant.game.side_to_move(&state).index()], &request)?;
        hash = fold(hash, &report);
        variant.game.play(&mut state, report.best);
        moves.push(report.best);
    }
    Ok(hash)
}

/// A function of its own, so that tools/instructions.py can count the instructions of the search alone.
#[inline(never)]
fn one_decision<G: Game>(player: &mut dyn player::Player<G>, request: &Request<G>) -> Result<Report> {
    player.choose(request)
}

/// Everything that a report says of play: nothing of time, nor of how the tree lies in memory.
fn fold(hash: u64, report: &Report) -> u64 {
    let mut hash = mix(hash ^ u64::from(report.best.0));
    for stat in &report.moves {
        for word in [u64::from(stat.mv.0), stat.visits, stat.score.to_bits(), stat.proof as u64] {
            hash = mix(hash ^ word);
        }
    }
    for mv in &report.line {
        hash = mix(hash ^ u64::from(mv.0));
    }
    for word in [report.simulations, report.states, report.nodes] {
        hash = mix(hash ^ word);
    }
    hash
}

#[cfg(test)]
mod tests;
