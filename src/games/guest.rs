//! The game `python`: rules that live outside the core, behind a trait that the folder of their language implements.

use std::any::Any;
use std::sync::Arc;

use crate::game::{Board, Exact, FastPlay, Offers, Piece, Present, Rules, Trace};
use crate::guest::{self, Host, fail, or_fail};
use crate::spec::{Options, PartInfo};
use crate::types::{Error, Move, Outcome, Result, Rng, Side};

pub const INFO: PartInfo = guest::info("A game written in Python");

/// No game that is meant to be played lasts longer; a guest that forgets its end would play for ever.
const LONGEST: usize = 10_000;

/// A position of a guest, which only the guest understands.
#[derive(Clone)]
pub enum Position {
    /// A value that is never changed: playing gives another one.
    Shared(Arc<dyn Any + Send + Sync>),
    /// Numbers that are changed in place.
    Words(Box<[i64]>),
}

/// What a guest must be able to do; see [`Rules`] and [`Present`] for what each has to give.
pub trait GuestRules: Send + Sync {
    fn initial_state(&self, seed: u64) -> Result<Position>;
    fn side_to_move(&self, position: &Position) -> Result<Side>;
    fn legal_moves(&self, position: &Position, moves: &mut Vec<Move>) -> Result<()>;
    /// One of the legal moves, each equally often, drawn as `moves[rng.below(moves.len())]`; None if there is
    /// none. `moves` is room for a list.
    fn random_move(&self, position: &Position, rng: &mut Rng, moves: &mut Vec<Move>) -> Result<Option<Move>> {
        moves.clear();
        self.legal_moves(position, moves)?;
        Ok((!moves.is_empty()).then(|| moves[rng.below(moves.len())]))
    }
    fn play(&self, position: &mut Position, mv: Move) -> Result<()>;
    fn outcome(&self, position: &Position) -> Result<Option<Outcome>>;
    fn key(&self, position: &Position) -> Result<u64>;
    fn move_name(&self, position: &Position, mv: Move) -> Result<String>;
    fn state_text(&self, position: &Position) -> Result<String>;
    fn parse_state(&self, text: &str) -> Result<Position>;
    fn diagram(&self, position: &Position) -> Result<String>;
    fn pieces(&self, position: &Position) -> Result<Vec<Piece>>;
    fn move_cells(&self, position: &Position, mv: Move) -> Result<Vec<usize>>;
    fn board(&self) -> Board;
    fn slots(&self) -> usize;
}

/// Who finds the rules that a text names.
pub static HOST: Host<Arc<dyn GuestRules>> = Host::new();

pub struct Guest {
    rules: Arc<dyn GuestRules>,
}

/// A position with what every step asks for.
#[derive(Clone)]
pub struct State {
    position: Position,
    side: Side,
    outcome: Option<Outcome>,
    /// Moves since the game began or the position was read.
    plies: usize,
}

impl State {
    pub fn position(&self) -> &Position {
        &self.position
    }
}

impl Guest {
    fn known(&self, position: Position) -> Result<State> {
        let (outcome, side) = self.facts(&position)?;
        Ok(State { position, side, outcome, plies: 0 })
    }

    /// The end, and who is to move; after the end, where it does not matter, the first side.
    fn facts(&self, position: &Position) -> Result<(Option<Outcome>, Side)> {
        let outcome = self.rules.outcome(position)?;
        let side = if outcome.is_some() { Side::First } else { self.rules.side_to_move(position)? };
        Ok((outcome, side))
    }

    /// A random move of a game that goes on.
    fn draw(&self, position: &Position, rng: &mut Rng, moves: &mut Vec<Move>) -> Move {
        or_fail(self.rules.random_move(position, rng, moves)).unwrap_or_else(|| no_move())
    }
}

/// What the rules of a game that goes on must not say.
fn no_move() -> ! {
    fail(&Error::new("legal_moves gave no move, but outcome says that the game goes on"))
}

impl Rules for Guest {
    const INFO: PartInfo = INFO;

    type State = State;

    fn from_options(options: &Options) -> Result<Guest> {
        let (rules, _) = HOST.find(options)?;
        Ok(Guest { rules })
    }

    fn initial_state(&self, rng: &mut Rng) -> State {
        // 53 bits: whatever the guest's language calls a whole number can hold them.
        or_fail(self.rules.initial_state(rng.next_u64() >> 11).and_then(|position| self.known(position)))
    }

    fn side_to_move(&self, state: &State) -> Side {
        state.side
    }

    fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
        if state.outcome.is_some() {
            return;
        }
        let before = moves.len();
        or_fail(self.rules.legal_moves(&state.position, moves));
        if moves.len() == before {
            no_move();
        }
    }

    fn play(&self, state: &mut State, mv: Move) {
        or_fail(self.rules.play(&mut state.position, mv));
        (state.outcome, state.side) = or_fail(self.facts(&state.position));
        state.plies += 1;
        if state.plies > LONGEST {
            fail(&Error::new(format!("the game does not end: no outcome after {LONGEST} moves")));
        }
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        state.outcome
    }

    fn key(&self, state: &State) -> u64 {
        or_fail(self.rules.key(&state.position))
    }

    fn slots(&self) -> usize {
        self.rules.slots()
    }
}

impl Present for Guest {
    fn move_name(&self, state: &State, mv: Move) -> String {
        or_fail(self.rules.move_name(&state.position, mv))
    }

    fn state_text(&self, state: &State) -> String {
        or_fail(self.rules.state_text(&state.position))
    }

    fn parse_state(&self, text: &str) -> Result<State> {
        self.rules.parse_state(text).and_then(|position| self.known(position))
    }

    fn diagram(&self, state: &State) -> String {
        or_fail(self.rules.diagram(&state.position))
    }

    fn board(&self) -> Board {
        self.rules.board()
    }

    fn pieces(&self, state: &State) -> Vec<Piece> {
        or_fail(self.rules.pieces(&state.position))
    }

    fn move_cells(&self, state: &State, mv: Move) -> Vec<usize> {
        or_fail(self.rules.move_cells(&state.position, mv))
    }

    /// A guest tells the cells of a move in a position; of a move that is not legal there it need not know any.
    fn slot_cells(&self, state: &State, slot: usize) -> Vec<usize> {
        let cells = self.rules.board().cells.len();
        let known = self.rules.move_cells(&state.position, Move(slot as u32)).unwrap_or_default();
        if known.iter().all(|&cell| cell < cells) { known } else { Vec::new() }
    }
}

impl FastPlay for Guest {
    fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
        self.draw(&state.position, rng, &mut Vec::new())
    }

    fn uniform_playout(&self, state: &mut State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
        let mut moves = Vec::new();
        loop {
            if let Some(outcome) = state.outcome {
                return outcome;
            }
            let mv = self.draw(&state.position, rng, &mut moves);
            trace.push(mv, state.side);
            self.play(state, mv);
        }
    }
}

impl Exact for Guest {}

impl Offers for Guest {}

#[cfg(test)]
mod tests {
    use crate::spec::Family;

    #[test]
    fn without_a_host_there_are_no_guests() {
        let error = crate::catalogue::read(Family::Game, "python(\"a:B\")").unwrap_err().to_string();
        assert!(error.starts_with("unknown game 'python'"), "{error}");
    }
}
