//! The rules of a game: all that a search needs to play it.

use crate::spec::{Options, PartInfo};
use crate::types::{Move, Outcome, Result, Rng, Side};

/// Rules and constants (size, neighbour tables). What changes during play is `State`: plain, cheap to clone.
pub trait Rules: Sized + Send + Sync + 'static {
    /// Name, options and one line of documentation: parser, help and catalogue are made from it.
    const INFO: PartInfo;

    type State: Clone + Send + Sync + 'static;

    /// `options` are resolved: every option of `INFO` is there and in its range.
    fn from_options(options: &Options) -> Result<Self>;

    /// All chance is drawn here.
    fn initial_state(&self, rng: &mut Rng) -> Self::State;

    fn side_to_move(&self, state: &Self::State) -> Side;

    /// Appends the legal moves in a fixed, documented order; none if the game is over.
    fn legal_moves(&self, state: &Self::State, moves: &mut Vec<Move>);

    fn is_legal(&self, state: &Self::State, mv: Move) -> bool {
        let mut moves = Vec::new();
        self.legal_moves(state, &mut moves);
        moves.contains(&mv)
    }

    /// Plays a legal move. Legality is the caller's responsibility.
    fn play(&self, state: &mut Self::State, mv: Move);

    /// How the game ended, or None while it goes on. Called after every move of every playout: keep it O(1).
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// Equal positions have equal keys; different ones differ with overwhelming probability.
    fn key(&self, state: &Self::State) -> u64;

    /// The largest number of moves that any position can be followed by; None if that is unknown.
    fn longest(&self) -> Option<u64> {
        None
    }

    /// Size of tables over moves (AMAF, history, replies); 0: this game has none.
    fn slots(&self) -> usize {
        0
    }

    /// The place of a move in such tables, below `slots()`. Must not depend on the state.
    fn slot(&self, mv: Move) -> usize {
        mv.0 as usize
    }
}
