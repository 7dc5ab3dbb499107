//! The arena: one game between two players, and many games over threads.
//!
//! Game `i` depends on (specs, seed, `i`) alone, whatever the number of threads or the order of play.
//! Games 2k and 2k+1 are a pair: the same deal and opening, sides changed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::game::{Game, Variant};
use crate::games::{conformance, guest};
use crate::guest::Failure;
use crate::openings::Openings;
use crate::player::{Player, Request};
use crate::search::Report;
use crate::spec::Spec;
use crate::types::{Error, ErrorKind, Move, Outcome, Result, Rng, Side};

/// Names of chance streams, so that no two uses of a seed meet.
const DEAL: u64 = 1;
const OPENING: u64 = 2;
const PLAYER: u64 = 3;

/// Everything that a match's games depend on, besides the game.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// The resolved specs of players a and b.
    pub players: [Spec; 2],
    pub seed: u64,
    pub openings: Openings,
}

/// What a player has used in a game, over all its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Moves that it chose, without those of the opening.
    pub decisions: u64,
    pub simulations: u64,
    pub states: u64,
}

impl Used {
    fn add(&mut self, report: &Report) {
        self.decisions += 1;
        self.simulations += report.simulations;
        self.states += report.states;
    }
}

/// One finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    pub index: u64,
    /// Whether player a had the first side; b has it in odd games.
    pub a_first: bool,
    pub outcome: Outcome,
    /// In what way it ended: `ring`, `no_moves`, `draw`, ...
    pub kind: String,
    pub moves: Vec<String>,
    pub seconds: f64,
    /// Who forfeited the game, and why; empty for a game that was played to its end.
    pub note: String,
    /// By player, a and b. A decision that forfeits the game is not one of them.
    pub used: [Used; 2],
}

impl GameRecord {
    /// Points of player a.
    pub fn score_a(&self) -> f32 {
        self.outcome.score(if self.a_first { Side::First } else { Side::Second })
    }
}

/// Plays game `index`. None if `stop` was raised before its end.
fn play_game<G: Game>(
    variant: &Arc<Variant<G>>,
    plan: &MatchPlan,
    mut players: Players<G>,
    index: u64,
    stop: &Arc<AtomicBool>,
) -> Result<Option<GameRecord>> {
    let started = Instant::now();
    let pair = index / 2;
    let a_first = index % 2 == 0;
    let game = &variant.game;
    let mut state = game.initial_state(&mut Rng::stream(&[plan.seed, DEAL, pair]));
    let mut names = Vec::new();
    let mut moves: Vec<Move> = Vec::new();
    for mv in opening(variant, plan, pair, &state)? {
        names.push(game.move_name(&state, mv));
        game.play(&mut state, mv);
        moves.push(mv);
    }
    let mut used = [Used::default(); 2];
    let (outcome, kind, note) = loop {
        if let Some(outcome) = variant.outcome(&state) {
            break (outcome, game.end_kind(&state), String::new());
        }
        let side = game.side_to_move(&state);
        let decides = if a_first { side.index() } else { 1 - side.index() };
        let rng = Rng::stream(&[plan.seed, PLAYER, index, moves.len() as u64, side as u64]);
        let request = Request { variant, state: &state, moves: &moves, rng, limit: None, stop };
        let chosen = players[decides].choose(&request);
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let who = ["a", "b"][decides];
        let report = match chosen {
            Err(reason) if reason.kind() == ErrorKind::Forfeit => {
                break (Outcome::Win(side.other()), "forfeit", reason.within(who).to_string());
            }
            chosen => chosen?,
        };
        if !game.is_legal(&state, report.best) {
            // The rules of a guest may contradict themselves; those of the package are tested.
            let kind = if is_guest::<G>() { ErrorKind::Guest } else { ErrorKind::Internal };
            let what = format!("player {who} ({}) chose an illegal move", plan.players[decides]);
            return Err(Error::of(kind, what));
        }
        used[decides].add(&report);
        names.push(game.move_name(&state, report.best));
        game.play(&mut state, report.best);
        moves.push(report.best);
    };
    Ok(Some(GameRecord {
        index,
        a_first,
        outcome,
        kind: kind.to_string(),
        moves: names,
        seconds: started.elapsed().as_secs_f64(),
        note,
        used,
    }))
}

/// Whether the rules come from outside the core.
fn is_guest<G: Game>() -> bool {
    G::INFO.name == guest::INFO.name
}

/// The opening moves of a pair. They never end the game.
fn opening<G: Game>(
    variant: &Variant<G>,
    plan: &MatchPlan,
    pair: u64,
    start: &G::State,
) -> Result<Vec<Move>> {
    match &plan.openings {
        Openings::None => Ok(Vec::new()),
        Openings::Random { plies } => {
            let mut rng = Rng::stream(&[plan.seed, OPENING, pair]);
            for _ in 0..1000 {
                let mut state = start.clone();
                let mut moves = Vec::new();
                while moves.len() < *plies && variant.outcome(&state).is_none() {
                    let mv = variant.game.random_move(&state, &mut rng);
                    moves.push(mv);
                    variant.game.play(&mut state, mv);
                }
                if variant.outcome(&state).is_none() {
                    return Ok(moves);
                }
            }
            Err(Error::new(format!(
                "random(plies={plies}): the game is over before {plies} moves are played"
            )))
        }
        Openings::Lines(lines) => {
            let Some(line) = lines.get((pair % lines.len().max(1) as u64) as usize) else {
                return Ok(Vec::new());
            };
            let mut state = start.clone();
            let mut moves = Vec::new();
            for name in line {
                let mv = variant
                    .game
                    .parse_move(&state, name)
                    .map_err(|e| e.within(format!("opening '{}'", line.join(" "))))?;
                variant.game.play(&mut state, mv);
                moves.push(mv);
            }
            if variant.outcome(&state).is_some() {
                return Err(Error::new(format!("opening '{}' ends the game", line.join(" "))));
            }
            Ok(moves)
        }
    }
}

/// Games under way: an iterator over their records, each as soon as it is finished.
pub struct Games {
    records: Receiver<Result<GameRecord>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// What waiting for a record gave.
pub enum Next {
    Record(Box<Result<GameRecord>>),
    /// Nothing within the time.
    NotYet,
    /// Every game has been handed out.
    Finished,
}

impl Games {
    pub fn next_within(&self, wait: Duration) -> Next {
        match self.records.recv_timeout(wait) {
            Ok(record) => Next::Record(Box::new(record)),
            Err(RecvTimeoutError::Timeout) => Next::NotYet,
            Err(RecvTimeoutError::Disconnected) => Next::Finished,
        }
    }

    /// Raising it does what `stop` does, from any thread.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Stops, and waits until all threads have ended.
    pub fn finish(&mut self) {
        self.stop();
        for thread in self.threads.drain(..) {
            // A game that panicked has already been reported as an error.
            let _ = thread.join();
        }
    }

    /// Ends the games under way at their next simulation; what is finished can still be read.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Iterator for Games {
    type Item = Result<GameRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        self.records.recv().ok()
    }
}

impl Drop for Games {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Starts the games with these indices on `threads` threads, between players like these. Refuses at once what no game
/// could be played with.
pub fn play_games<G: Game>(
    variant: Arc<Variant<G>>,
    players: Players<G>,
    plan: MatchPlan,
    indices: Vec<u64>,
    threads: usize,
) -> Result<Games> {
    // The names of the built-in games are tested. A guest that fails here is left to the game in which it
    // fails, which then tells of it.
    if is_guest::<G>() {
        let names = || conformance::check_first_names(&variant.game, plan.seed);
        catch_unwind(AssertUnwindSafe(names)).unwrap_or(Ok(()))?;
    }
    if let Openings::Lines(lines) = &plan.openings {
        for pair in 0..lines.len() as u64 {
            let start = variant.game.initial_state(&mut Rng::stream(&[plan.seed, DEAL, pair]));
            opening(&variant, &plan, pair, &start)?;
        }
    }
    let (sender, records) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let players = Mutex::new(players);
    let next = AtomicUsize::new(0);
    let work = Arc::new(Work { variant, players, plan, indices, next, stop: stop.clone() });
    let threads = (0..threads.max(1)).map(|_| {
        let (work, sender) = (work.clone(), sender.clone());
        std::thread::spawn(move || work.play(&sender))
    });
    Ok(Games { records, stop, threads: threads.collect() })
}

/// Player a and player b.
pub type Players<G> = [Box<dyn Player<G>>; 2];

struct Work<G: Game> {
    variant: Arc<Variant<G>>,
    /// Built once for the match; every game is played by others like them.
    players: Mutex<Players<G>>,
    plan: MatchPlan,
    indices: Vec<u64>,
    /// Position in `indices` of the next game that no thread has taken.
    next: AtomicUsize,
    stop: Arc<AtomicBool>,
}

impl<G: Game> Work<G> {
    fn players_again(&self) -> Players<G> {
        let players = self.players.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        [players[0].again(), players[1].again()]
    }

    fn play(&self, sender: &Sender<Result<GameRecord>>) {
        while !self.stop.load(Ordering::Relaxed) {
            let Some(&index) = self.indices.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            let played = guarded(index, || {
                play_game(&self.variant, &self.plan, self.players_again(), index, &self.stop)
            });
            let Some(record) = played.transpose() else { return };
            let failed = record.is_err();
            if sender.send(record).is_err() || failed {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Plays a game; an error, or a panic as one, names the game.
fn guarded<T>(index: u64, play: impl FnOnce() -> Result<T>) -> Result<T> {
    let played = catch_unwind(AssertUnwindSafe(play)).unwrap_or_else(|panic| Err(panic_error(&*panic)));
    played.map_err(|error| error.within(format!("game {index}")))
}

/// A panic as an error: what a guest did wrong, or a bug of ours.
pub fn panic_error(panic: &(dyn std::any::Any + Send)) -> Error {
    if let Some(Failure(error)) = panic.downcast_ref::<Failure>() {
        return error.clone();
    }
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_else(|| "unknown".to_string());
    Error::of(ErrorKind::Internal, format!("internal error: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::games::domineering::Domineering;
    use crate::spec::Family;

    fn plan(openings: &str) -> MatchPlan {
        let player = |text| catalogue::read(Family::Player, text).unwrap();
        MatchPlan {
            players: [player("uct(simulations=50)"), player("random")],
            seed: 7,
            openings: Openings::from_spec(&catalogue::read(Family::Openings, openings).unwrap()),
        }
    }

    fn play_games(plan: MatchPlan, indices: Vec<u64>, threads: usize) -> Result<Games> {
        let variant = Arc::new(Variant { game: Domineering::new(4, 4), misere: false });
        let players =
            plan.players.each_ref().map(|player| catalogue::build_player(player, &variant).unwrap());
        super::play_games(variant, players, plan, indices, threads)
    }

    fn records(plan: MatchPlan, indices: Vec<u64>, threads: usize) -> Vec<GameRecord> {
        let games = play_games(plan, indices, threads).unwrap();
        let mut records: Vec<GameRecord> = games.map(|r| GameRecord { seconds: 0.0, ..r.unwrap() }).collect();
        records.sort_by_key(|r| r.index);
        records
    }

    #[test]
    fn a_game_depends_on_its_index_alone() {
        let all = records(plan("none"), (0..12).collect(), 1);
        assert_eq!(all, records(plan("none"), (0..12).rev().collect(), 3));
        assert_eq!(all[5..6], records(plan("none"), vec![5], 1));
        let other = MatchPlan { seed: 8, ..plan("none") };
        assert_ne!(all, records(other, (0..12).collect(), 1));
    }

    #[test]
    fn a_record_tells_what_each_player_used() {
        let games = records(plan("random(plies=3)"), (0..4).collect(), 1);
        for GameRecord { moves, used: [a, b], .. } in &games {
            assert_eq!(a.decisions + b.decisions + 3, moves.len() as u64, "an opening is nobody's");
            assert!(a.decisions.abs_diff(b.decisions) <= 1);
            assert_eq!(a.simulations, 50 * a.decisions);
            assert!(a.states >= a.simulations);
            assert_eq!((b.simulations, b.states), (0, 0), "random searches nothing");
        }
    }

    #[test]
    fn a_pair_shares_its_opening_with_sides_changed() {
        let games = records(plan("random(plies=3)"), (0..8).collect(), 2);
        for pair in games.chunks(2) {
            assert_eq!(pair[0].moves[..3], pair[1].moves[..3]);
            assert!(pair[0].a_first && !pair[1].a_first);
        }
        assert!(games.iter().any(|g| g.moves[..3] != games[0].moves[..3]));
    }

    #[test]
    fn openings_from_lines_are_checked_before_any_game() {
        let lines = |text: &str| MatchPlan {
            openings: Openings::Lines(vec![text.split(' ').map(String::from).collect()]),
            ..plan("none")
        };
        let games = records(lines("a1a2 c1d1"), vec![0, 1], 1);
        assert!(games.iter().all(|g| g.moves[..2] == ["a1a2", "c1d1"]));
        let error = play_games(lines("a1a2 a1b1"), vec![0], 1).err().unwrap().to_string();
        assert!(error.starts_with("opening 'a1a2 a1b1': illegal move 'a1b1': legal are"), "{error}");
    }

    #[test]
    fn stopping_ends_the_games_under_way() {
        let long = MatchPlan {
            players: [(); 2].map(|_| catalogue::read(Family::Player, "uct(simulations=1000000000)").unwrap()),
            ..plan("none")
        };
        let games = play_games(long, (0..100).collect(), 2).unwrap();
        games.stop();
        // A search that went on would keep us for hours.
        assert_eq!(games.count(), 0);
    }

    #[test]
    fn a_panic_in_a_game_is_an_error_that_names_it() {
        use ErrorKind::{Forfeit, Guest, Internal, Refused};
        let told = |play: fn() -> Result<()>| guarded(7, play).unwrap_err();
        let expected = |kind, words: &str| Error::of(kind, words);
        let bug = told(|| panic!("a stone too many"));
        assert_eq!(bug, expected(Internal, "game 7: internal error: a stone too many"));
        let cell = 91;
        let bug = guarded(8, || -> Result<()> { panic!("cell {cell}") }).unwrap_err();
        assert_eq!(bug, expected(Internal, "game 8: internal error: cell 91"));
        let bug = told(|| std::panic::panic_any(3u8));
        assert_eq!(bug, expected(Internal, "game 7: internal error: unknown"));
        assert_eq!(told(|| Err(Error::new("no board"))), expected(Refused, "game 7: no board"));
        assert_eq!(told(|| Err(Error::forfeit("silent"))), expected(Forfeit, "game 7: silent"));
        assert_eq!(told(|| crate::guest::fail(&Error::new("it fell"))), expected(Guest, "game 7: it fell"));
        // Whatever a guest says, it speaks for itself; only a bug that it met is ours.
        let claimed = told(|| crate::guest::fail(&Error::new("internal error: mine")));
        assert_eq!(claimed, expected(Guest, "game 7: internal error: mine"));
        let met = told(|| crate::guest::fail(&Error::of(Internal, "below")));
        assert_eq!(met, expected(Internal, "game 7: below"));
    }

    #[test]
    fn a_random_opening_that_cannot_be_is_refused() {
        let games = play_games(plan("random(plies=90)"), vec![0], 1).unwrap();
        let error = games.last().unwrap().unwrap_err().to_string();
        assert_eq!(error, "game 0: random(plies=90): the game is over before 90 moves are played");
    }
}
