//! A game in play: its states and moves, and the players that have searched in it.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use super::thought::{Thought, text_report};
use super::{PlayoutStatistics, Session, SolveReport, TextReport, Thinking, build_at_board, first_state};
use crate::catalogue;
use crate::forcing::Forcing;
use crate::game::{Board, Ending, Game, Piece, Variant, View};
use crate::perft::{Count, perft};
use crate::player::{Player, Request};
use crate::scripts::{self, PlayerFiles};
use crate::search::random_game;
use crate::solver::{self, Progress};
use crate::spec::Spec;
use crate::types::{Error, Limit, Move, Outcome, Result, Rng, Side, thread_cpu_seconds};

pub struct InPlay<G: Game> {
    variant: Arc<Variant<G>>,
    /// Every state from the start; the last is the present one.
    states: Vec<G::State>,
    moves: Vec<Move>,
    /// The rule scripts that were asked.
    files: Arc<PlayerFiles>,
    /// Players that have searched here, or in another game of this variant, the latest last. Only such as name nothing
    /// outside the process: what lives there may change.
    players: Arc<Mutex<Vec<Known<G>>>>,
}

/// A player by its resolved spec.
type Known<G> = (Spec, Box<dyn Player<G>>);

/// Players that are remembered: more than are compared on one board.
const REMEMBERED: usize = 16;

impl<G: Game> InPlay<G> {
    pub fn new(variant: Variant<G>, state: G::State) -> InPlay<G> {
        let (variant, files, players) = (Arc::new(variant), Arc::default(), Arc::default());
        InPlay { variant, states: vec![state], moves: Vec::new(), files, players }
    }

    fn state(&self) -> &G::State {
        self.states.last().expect("a game has a state")
    }

    fn check_notation(&self, notation: &str) -> Result<()> {
        if G::NOTATIONS.contains(&notation) {
            return Ok(());
        }
        Err(Error::new(format!(
            "unknown notation '{notation}' for {}: {}",
            G::INFO.name,
            G::NOTATIONS.join(", ")
        )))
    }
}

impl<G: Game> InPlay<G> {
    /// A player at this board, built once.
    fn player(&self, spec: &Spec) -> Result<Box<dyn Player<G>>> {
        let players = || self.players.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, known)) = players().iter().find(|(known, _)| known == spec) {
            return Ok(known.again());
        }
        let player = build_at_board(spec, &self.variant)?;
        if !catalogue::reaches_outside(spec) {
            let mut players = players();
            if players.len() == REMEMBERED {
                players.remove(0);
            }
            players.push((spec.clone(), player.again()));
        }
        Ok(player)
    }

    /// Another game of the same variant.
    fn begun(&self, state: G::State) -> InPlay<G> {
        let (variant, files, players) = (self.variant.clone(), self.files.clone(), self.players.clone());
        InPlay { variant, states: vec![state], moves: Vec::new(), files, players }
    }
}

impl<G: Game> Session for InPlay<G> {
    fn copy(&self) -> Box<dyn Session> {
        let (states, moves) = (self.states.clone(), self.moves.clone());
        Box::new(InPlay { states, moves, ..self.begun(self.state().clone()) })
    }

    fn another(&self, position: Option<&str>, seed: u64) -> Result<Box<dyn Session>> {
        Ok(Box::new(self.begun(first_state(&self.variant.game, position, seed)?)))
    }

    fn side_names(&self) -> [&'static str; 2] {
        G::SIDES
    }

    fn is_hidden(&self) -> bool {
        G::HIDDEN
    }

    fn notations(&self) -> &'static [&'static str] {
        G::NOTATIONS
    }

    fn board(&self) -> Board {
        self.variant.game.board()
    }

    fn side_to_move(&self) -> Side {
        self.variant.game.side_to_move(self.state())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.variant.outcome(self.state())
    }

    fn end_kind(&self) -> &'static str {
        self.variant.game.end_kind(self.state())
    }

    fn ending(&self) -> Option<Ending> {
        let kind = self.end_kind();
        G::ENDINGS.iter().copied().find(|ending| ending.kind == kind)
    }

    fn winning_cells(&self) -> Vec<usize> {
        self.variant.game.winning_cells(self.state())
    }

    fn pieces(&self) -> Vec<Piece> {
        self.variant.game.pieces(self.state())
    }

    fn legal_moves(&self, notation: &str) -> Result<Vec<String>> {
        self.check_notation(notation)?;
        let mut moves = Vec::new();
        self.variant.game.legal_moves(self.state(), &mut moves);
        Ok(moves.iter().map(|&mv| self.variant.game.move_name_in(self.state(), mv, notation)).collect())
    }

    fn move_cells(&self, name: &str) -> Result<Vec<usize>> {
        let mv = self.variant.game.parse_move(self.state(), name)?;
        Ok(self.variant.game.move_cells(self.state(), mv))
    }

    fn legal_move_cells(&self) -> Vec<(String, Vec<usize>)> {
        let (game, state) = (&self.variant.game, self.state());
        let mut moves = Vec::new();
        game.legal_moves(state, &mut moves);
        moves.iter().map(|&mv| (game.move_name(state, mv), game.move_cells(state, mv))).collect()
    }

    fn play(&mut self, name: &str, notation: &str) -> Result<()> {
        self.check_notation(notation)?;
        let mv = self.variant.game.parse_move_in(self.state(), name, notation)?;
        let mut state = self.state().clone();
        self.variant.game.play(&mut state, mv);
        self.states.push(state);
        self.moves.push(mv);
        Ok(())
    }

    fn undo(&mut self) -> Result<()> {
        if self.moves.pop().is_none() {
            return Err(Error::new("there is no move to take back"));
        }
        self.states.pop();
        Ok(())
    }

    fn moves(&self, notation: &str) -> Result<Vec<String>> {
        self.check_notation(notation)?;
        let named = self.states.iter().zip(&self.moves);
        Ok(named.map(|(state, &mv)| self.variant.game.move_name_in(state, mv, notation)).collect())
    }

    fn key(&self) -> u64 {
        self.variant.game.key(self.state())
    }

    fn completing(&self, side: Side) -> Vec<String> {
        let mut moves = Vec::new();
        if let Some(completions) = self.variant.completions() {
            completions.completing(self.state(), side, None, &mut moves);
        }
        moves.iter().map(|&mv| self.variant.game.move_name(self.state(), mv)).collect()
    }

    fn forced_win(&self, tries: usize) -> Option<Vec<String>> {
        if self.variant.outcome(self.state()).is_some() {
            return None;
        }
        let line = Forcing::default().win(&self.variant, self.state(), tries)?;
        Some(line.iter().map(|&mv| self.variant.game.move_name(self.state(), mv)).collect())
    }

    fn estimate(&self) -> Option<f32> {
        let evaluation = self.variant.evaluation()?;
        Some(match self.outcome() {
            Some(outcome) => outcome.score(Side::First),
            None => evaluation.value(self.state()),
        })
    }

    fn scripted(&self, name: &str, folder: Option<&str>) -> Result<(Vec<String>, f32)> {
        let (game, state) = (&self.variant.game, self.state());
        let mv = game.parse_move(state, name)?;
        let (moves, worth) = scripts::left(game, state, mv, &self.files, folder)?;
        Ok((moves.iter().map(|&mv| game.move_name(state, mv)).collect(), worth))
    }

    fn state_text(&self) -> String {
        self.variant.game.state_text(self.state())
    }

    fn diagram(&self) -> String {
        self.variant.game.diagram(self.state())
    }

    fn view(&self, side: Side) -> View {
        self.variant.view(self.state(), side)
    }

    fn search(
        &self,
        player: &Spec,
        limit: Option<Limit>,
        seed: u64,
        stop: &Arc<AtomicBool>,
    ) -> Result<TextReport> {
        if self.outcome().is_some() {
            return Err(Error::new("there is nothing to search: the game is over"));
        }
        let mut player = self.player(player)?;
        let rng = Rng::stream(&[seed, self.moves.len() as u64]);
        let request =
            Request { variant: &self.variant, state: self.state(), moves: &self.moves, rng, limit, stop };
        let report = player.choose(&request)?;
        Ok(text_report(&self.variant, self.state(), report))
    }

    fn check(&self, player: &Spec) -> Result<()> {
        self.player(player).map(|_| ())
    }

    fn think(&self, player: &Spec, seed: u64) -> Result<Box<dyn Thinking>> {
        let player = self.player(player)?;
        let ply = self.moves.len() as u64;
        let rng = Rng::stream(&[seed, ply]);
        let search = player.think(&self.variant, self.state(), rng)?;
        Ok(Box::new(Thought { variant: self.variant.clone(), search, seed, ply }))
    }

    fn solve(
        &self,
        limit: &Limit,
        memory: usize,
        stop: &Arc<AtomicBool>,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<SolveReport> {
        let found = solver::solve(&self.variant, self.state(), limit, memory, stop, tell)?;
        let name = |(mv, proof)| (self.variant.game.move_name(self.state(), mv), proof);
        Ok(SolveReport {
            value: found.value,
            side: self.side_to_move(),
            moves: found.moves.into_iter().map(name).collect(),
            nodes: found.nodes,
            states: found.states,
            seconds: found.seconds,
            bytes: found.bytes,
        })
    }

    fn random_games(&self, games: u64, seed: u64) -> PlayoutStatistics {
        let mut rng = Rng::stream(&[seed]);
        let mut scratch = self.state().clone();
        let mut sum = PlayoutStatistics { games, ..PlayoutStatistics::default() };
        let started = thread_cpu_seconds();
        for _ in 0..games {
            let (outcome, length) = random_game(&self.variant, self.state(), &mut scratch, &mut rng);
            sum.first_wins += u64::from(outcome == Outcome::Win(Side::First));
            sum.draws += u64::from(outcome == Outcome::Draw);
            sum.length_sum += length;
            sum.length_square_sum += length * length;
        }
        sum.cpu_seconds = thread_cpu_seconds() - started;
        sum
    }

    fn symmetries(&self) -> Vec<Vec<usize>> {
        self.variant.game.symmetries()
    }

    fn perft(&self, depth: usize) -> Vec<Count> {
        perft(&self.variant, self.state(), depth)
    }
}
