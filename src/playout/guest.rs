//! The playout policy `python`: one that lives outside the core and sees every game in the same way.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use super::{Answer, Built, PlayoutPolicy, Turn};
use crate::family::Context;
use crate::game::{Board, Game, Here, Piece, Variant};
use crate::guest::{self, Host, or_fail};
use crate::spec::{Options, PartInfo};
use crate::tree::{Layout, Simulation};
use crate::types::{Error, Move, Outcome, Result, Rng, Side};

pub const INFO: PartInfo = guest::info("A playout policy written in Python");

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    Built::link(Guest::new(options, context.variant)?)
}

/// A position as a guest sees it, whatever the game is. It belongs to the guest, who may keep it.
pub trait Position: Send + Sync {
    fn side_to_move(&self) -> Side;
    /// In the game's order; none if the game is over.
    fn legal_moves(&self) -> &[Move];
    fn is_legal(&self, mv: Move) -> bool;
    /// As it counts: under the misère rule who has won has lost.
    fn outcome(&self) -> Option<Outcome>;
    /// The position after a legal move.
    fn after(&self, mv: Move) -> Arc<dyn Position>;
    fn move_name(&self, mv: Move) -> String;
    fn move_cells(&self, mv: Move) -> Vec<usize>;
    fn state_text(&self) -> String;
    fn board(&self) -> Board;
    fn pieces(&self) -> Vec<Piece>;
    /// The game's own state.
    fn state(&self) -> &dyn Any;
}

struct Shown<G: Game> {
    variant: Arc<Variant<G>>,
    state: G::State,
    /// Filled when the policy asks for them; the check of its answer uses them too.
    legal: OnceLock<Vec<Move>>,
}

impl<G: Game> Shown<G> {
    fn new(variant: &Arc<Variant<G>>, state: G::State) -> Shown<G> {
        Shown { variant: variant.clone(), state, legal: OnceLock::new() }
    }
}

impl<G: Game> Position for Shown<G> {
    fn side_to_move(&self) -> Side {
        self.variant.game.side_to_move(&self.state)
    }

    fn legal_moves(&self) -> &[Move] {
        self.legal.get_or_init(|| {
            let mut moves = Vec::new();
            self.variant.game.legal_moves(&self.state, &mut moves);
            moves
        })
    }

    fn is_legal(&self, mv: Move) -> bool {
        match self.legal.get() {
            Some(legal) => legal.contains(&mv),
            None => self.variant.game.is_legal(&self.state, mv),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.variant.outcome(&self.state)
    }

    fn after(&self, mv: Move) -> Arc<dyn Position> {
        let mut state = self.state.clone();
        self.variant.game.play(&mut state, mv);
        Arc::new(Shown::new(&self.variant, state))
    }

    fn move_name(&self, mv: Move) -> String {
        self.variant.game.move_name(&self.state, mv)
    }

    fn move_cells(&self, mv: Move) -> Vec<usize> {
        self.variant.game.move_cells(&self.state, mv)
    }

    fn state_text(&self) -> String {
        self.variant.game.state_text(&self.state)
    }

    fn board(&self) -> Board {
        self.variant.game.board()
    }

    fn pieces(&self) -> Vec<Piece> {
        self.variant.game.pieces(&self.state)
    }

    fn state(&self) -> &dyn Any {
        &self.state
    }
}

/// A turn as a guest sees it.
pub struct GuestTurn {
    pub position: Arc<dyn Position>,
    /// All moves of the simulation so far, from the root.
    pub moves: Vec<(Move, Side)>,
    /// How many of them were made before this playout.
    pub tree_moves: usize,
}

/// What a guest must be able to do; see [`PlayoutPolicy`] for what each has to give. All chance comes from `rng`.
pub trait GuestPlayout: Send {
    fn choose(&mut self, turn: GuestTurn, rng: &mut Rng) -> Result<Answer>;
    fn observe(&mut self, simulation: &Simulation) -> Result<()>;
    fn new_root(&mut self) -> Result<()>;
}

/// Who finds the policies that a text names.
pub static HOST: Host<Box<dyn GuestPlayout>> = Host::new();

pub struct Guest<G: Game> {
    policy: Box<dyn GuestPlayout>,
    variant: Arc<Variant<G>>,
    /// The guest and the game, as errors name them.
    name: String,
}

impl<G: Game> Guest<G> {
    /// `options` are resolved.
    pub fn new(options: &Options, variant: &Arc<Variant<G>>) -> Result<Guest<G>> {
        let (policy, name) = HOST.find(options).map_err(|e| e.within("playout"))?;
        let name = format!("playout {name} in {}", variant.name());
        Ok(Guest { policy, variant: variant.clone(), name })
    }

    fn done<T>(&self, result: Result<T>) -> T {
        or_fail(result.map_err(|e| e.within(&self.name)))
    }

    /// A guest may answer anything; the search must not play it.
    fn checked(&self, turn: &Arc<dyn Position>, answer: Answer) -> Result<Answer> {
        match answer {
            Answer::Move(mv) if !turn.is_legal(mv) => {
                let legal = turn.legal_moves();
                let some: Vec<String> = legal.iter().take(8).map(|mv| mv.0.to_string()).collect();
                let more = if legal.len() > some.len() { ", ..." } else { "" };
                let (some, mv) = (some.join(", "), mv.0);
                Err(Error::new(format!("choose gave the illegal move {mv}: legal are {some}{more}")))
            }
            Answer::Value(value) if !(0.0..=1.0).contains(&value) => Err(Error::new(format!(
                "choose gave {value}: an estimate for the first side lies between 0.0 and 1.0"
            ))),
            answer => Ok(answer),
        }
    }
}

impl<G: Game> PlayoutPolicy<G> for Guest<G> {
    fn layout(&self) -> Layout {
        Layout::moves()
    }

    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let position: Arc<dyn Position> = Arc::new(Shown::new(&self.variant, turn.state.clone()));
        let seen =
            GuestTurn { position: position.clone(), moves: turn.moves.to_vec(), tree_moves: turn.tree_moves };
        let answer = self.policy.choose(seen, rng);
        self.done(answer.and_then(|answer| self.checked(&position, answer)))
    }

    fn observe(&mut self, _root: &Here<G>, simulation: &Simulation) {
        let observed = self.policy.observe(simulation);
        self.done(observed);
    }

    fn new_root(&mut self) {
        let told = self.policy.new_root();
        self.done(told);
    }
}

#[cfg(test)]
mod tests {
    use crate::spec::Family;

    #[test]
    fn without_a_host_there_are_no_guests() {
        let error = crate::catalogue::read(Family::Playout, "python(\"a:B\")").unwrap_err().to_string();
        assert!(error.starts_with("unknown playout 'python'"), "{error}");
    }
}
