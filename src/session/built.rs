//! A built game: its rules, and the players that have been built for it.

use std::sync::{Arc, Mutex};

use super::in_play::InPlay;
use super::{AnyGame, Seed, Session, first_state};
use crate::arena::{self, Games, MatchPlan};
use crate::catalogue;
use crate::game::{Board, Game, Variant};
use crate::games::conformance;
use crate::learn::{self, Choices};
use crate::player::Player;
use crate::scripts;
use crate::spec::Spec;
use crate::types::{Error, Result};

pub struct Built<G: Game> {
    spec: Spec,
    text: String,
    pub variant: Arc<Variant<G>>,
    /// Those that have played here, the latest last. Only such as name nothing outside the process: what lives there may
    /// change.
    players: Mutex<Vec<Known<G>>>,
}

/// A player by its resolved spec.
type Known<G> = (Spec, Box<dyn Player<G>>);

/// Players that are remembered: more than anybody compares on one board.
const REMEMBERED: usize = 16;

impl<G: Game> Built<G> {
    pub fn new(spec: Spec, variant: Variant<G>) -> Built<G> {
        Built { text: spec.to_string(), spec, variant: Arc::new(variant), players: Mutex::default() }
    }

    /// A player of this game at the beginning of a game, built once.
    pub fn player(&self, spec: &Spec) -> Result<Box<dyn Player<G>>> {
        let players = || self.players.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, known)) = players().iter().find(|(known, _)| known == spec) {
            return Ok(known.again());
        }
        let player = catalogue::build_player(spec, &self.variant)?;
        if !catalogue::reaches_outside(spec) {
            let mut players = players();
            if players.len() == REMEMBERED {
                players.remove(0);
            }
            players.push((spec.clone(), player.again()));
        }
        Ok(player)
    }

    /// The same, but one whose thoughts somebody may read.
    pub fn player_at_board(&self, spec: &Spec) -> Result<Box<dyn Player<G>>> {
        let player = self.player(spec)?;
        match player.is_told() {
            Some(what) => Err(Error::new(format!(
                "{what}, so it plays in matches only (coppice match, tournament, sweep, tune, run): nobody may look at it \
                 at a board, in an analysis or through GTP"
            ))),
            None => Ok(player),
        }
    }
}

impl<G: Game> AnyGame for Built<G> {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn text(&self) -> &str {
        &self.text
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

    fn symmetries(&self) -> Vec<Vec<usize>> {
        self.variant.game.symmetries()
    }

    fn start(self: Arc<Self>, position: Option<&str>, seed: Seed) -> Result<Box<dyn Session>> {
        let state = first_state(&self.variant, position, seed)?;
        Ok(Box::new(InPlay::new(self, state)))
    }

    fn in_full(&self, player: &Spec) -> Result<Spec> {
        catalogue::player_in(player, &self.variant)
    }

    fn check(&self, player: &Spec) -> Result<()> {
        self.player(player).map(|_| ())
    }

    fn check_at_board(&self, player: &Spec) -> Result<()> {
        self.player_at_board(player).map(|_| ())
    }

    fn play_games(&self, plan: MatchPlan, indices: Vec<u64>, threads: usize) -> Result<Games> {
        let [a, b] = &plan.players;
        let players = [self.player(a)?, self.player(b)?];
        arena::play_games(self.variant.clone(), players, plan, indices, threads)
    }

    fn conforms(&self, games: u64, seed: u64) -> Result<()> {
        conformance::check(&self.variant.game, games, seed)
    }

    fn scripts(&self) -> Result<Vec<(String, String)>> {
        scripts::shipped(&self.variant.game)
    }

    fn check_scripts(&self, folder: Option<&str>, positions: usize, seed: u64) -> Result<usize> {
        scripts::check(&self.variant.game, folder, positions, seed)
    }

    fn patterns(&self) -> Result<Vec<(String, String)>> {
        learn::patterns(&self.variant)
    }

    fn choices(&self, games: &[Vec<String>], skip: usize) -> Result<Choices> {
        learn::choices(&self.variant, games, skip)
    }
}
