//! A game in play: its states and moves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::built::Built;
use super::thought::{Thought, text_report};
use super::{AnyGame, PlayoutStatistics, Session, SolveReport, TextReport, Thinking};
use crate::forcing::Forcing;
use crate::game::{Ending, Game, Piece, View};
use crate::perft::{Count, perft};
use crate::player::Request;
use crate::scripts::{self, PlayerFiles};
use crate::search::random_game;
use crate::solver::{self, Progress};
use crate::spec::Spec;
use crate::types::{Error, Limit, Move, Outcome, Result, Rng, Side, thread_cpu_seconds};

pub struct InPlay<G: Game> {
    built: Arc<Built<G>>,
    /// Every state from the start; the last is the present one.
    states: Vec<G::State>,
    moves: Vec<Move>,
    /// The rule scripts that were asked: a game goes on with those that it has begun with.
    files: Arc<PlayerFiles>,
}

impl<G: Game> InPlay<G> {
    pub fn new(built: Arc<Built<G>>, state: G::State) -> InPlay<G> {
        InPlay { built, states: vec![state], moves: Vec::new(), files: Arc::default() }
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

impl<G: Game> Session for InPlay<G> {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.built.clone()
    }

    fn copy(&self) -> Box<dyn Session> {
        Box::new(InPlay {
            built: self.built.clone(),
            states: self.states.clone(),
            moves: self.moves.clone(),
            files: self.files.clone(),
        })
    }

    fn side_to_move(&self) -> Side {
        self.built.variant.game.side_to_move(self.state())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.built.variant.outcome(self.state())
    }

    fn end_kind(&self) -> &'static str {
        self.built.variant.game.end_kind(self.state())
    }

    fn ending(&self) -> Option<Ending> {
        let kind = self.end_kind();
        G::ENDINGS.iter().copied().find(|ending| ending.kind == kind)
    }

    fn winning_cells(&self) -> Vec<usize> {
        self.built.variant.game.winning_cells(self.state())
    }

    fn pieces(&self) -> Vec<Piece> {
        self.built.variant.game.pieces(self.state())
    }

    fn legal_moves(&self, notation: &str) -> Result<Vec<String>> {
        self.check_notation(notation)?;
        let mut moves = Vec::new();
        self.built.variant.game.legal_moves(self.state(), &mut moves);
        Ok(moves.iter().map(|&mv| self.built.variant.game.move_name_in(self.state(), mv, notation)).collect())
    }

    fn move_cells(&self, name: &str) -> Result<Vec<usize>> {
        let mv = self.built.variant.game.parse_move(self.state(), name)?;
        Ok(self.built.variant.game.move_cells(self.state(), mv))
    }

    fn legal_move_cells(&self) -> Vec<(String, Vec<usize>)> {
        let (game, state) = (&self.built.variant.game, self.state());
        let mut moves = Vec::new();
        game.legal_moves(state, &mut moves);
        moves.iter().map(|&mv| (game.move_name(state, mv), game.move_cells(state, mv))).collect()
    }

    fn play(&mut self, name: &str, notation: &str) -> Result<()> {
        self.check_notation(notation)?;
        let mv = self.built.variant.game.parse_move_in(self.state(), name, notation)?;
        let mut state = self.state().clone();
        self.built.variant.game.play(&mut state, mv);
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
        Ok(named.map(|(state, &mv)| self.built.variant.game.move_name_in(state, mv, notation)).collect())
    }

    fn key(&self) -> u64 {
        self.built.variant.game.key(self.state())
    }

    fn completing(&self, side: Side) -> Vec<String> {
        let mut moves = Vec::new();
        if let Some(completions) = self.built.variant.completions() {
            completions.completing(self.state(), side, None, &mut moves);
        }
        moves.iter().map(|&mv| self.built.variant.game.move_name(self.state(), mv)).collect()
    }

    fn forced_win(&self, tries: usize) -> Option<Vec<String>> {
        if self.built.variant.outcome(self.state()).is_some() {
            return None;
        }
        let line = Forcing::default().win(&self.built.variant, self.state(), tries)?;
        Some(line.iter().map(|&mv| self.built.variant.game.move_name(self.state(), mv)).collect())
    }

    fn estimate(&self) -> Option<f32> {
        let evaluation = self.built.variant.evaluation()?;
        Some(match self.outcome() {
            Some(outcome) => outcome.score(Side::First),
            None => evaluation.value(self.state()),
        })
    }

    fn scripted(&self, name: &str, folder: Option<&str>) -> Result<(Vec<String>, f32)> {
        let (game, state) = (&self.built.variant.game, self.state());
        let mv = game.parse_move(state, name)?;
        let (moves, worth) = scripts::left(game, state, mv, &self.files, folder)?;
        Ok((moves.iter().map(|&mv| game.move_name(state, mv)).collect(), worth))
    }

    fn state_text(&self) -> String {
        self.built.variant.game.state_text(self.state())
    }

    fn diagram(&self) -> String {
        self.built.variant.game.diagram(self.state())
    }

    fn view(&self, side: Side) -> View {
        self.built.variant.view(self.state(), side)
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
        let mut player = self.built.player_at_board(player)?;
        let rng = Rng::stream(&[seed, self.moves.len() as u64]);
        let request = Request {
            variant: &self.built.variant,
            state: self.state(),
            moves: &self.moves,
            rng,
            limit,
            stop,
        };
        let report = player.choose(&request)?;
        Ok(text_report(&self.built.variant, self.state(), report))
    }

    fn think(&self, player: &Spec, seed: u64) -> Result<Box<dyn Thinking>> {
        let player = self.built.player_at_board(player)?;
        let ply = self.moves.len() as u64;
        let rng = Rng::stream(&[seed, ply]);
        let search = player.think(&self.built.variant, self.state(), rng)?;
        Ok(Box::new(Thought { variant: self.built.variant.clone(), search, seed, ply }))
    }

    fn solve(
        &self,
        limit: &Limit,
        memory: usize,
        stop: &Arc<AtomicBool>,
        tell: &mut dyn FnMut(&Progress),
    ) -> Result<SolveReport> {
        let found = solver::solve(&self.built.variant, self.state(), limit, memory, stop, tell)?;
        let name = |(mv, proof)| (self.built.variant.game.move_name(self.state(), mv), proof);
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
            let (outcome, length) = random_game(&self.built.variant, self.state(), &mut scratch, &mut rng);
            sum.first_wins += u64::from(outcome == Outcome::Win(Side::First));
            sum.draws += u64::from(outcome == Outcome::Draw);
            sum.length_sum += length;
            sum.length_square_sum += length * length;
        }
        sum.cpu_seconds = thread_cpu_seconds() - started;
        sum
    }

    fn perft(&self, depth: usize) -> Vec<Count> {
        perft(&self.built.variant, self.state(), depth)
    }
}
