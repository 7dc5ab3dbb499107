//! The tactic `threats`: a win in one move is played, and what the other side threatens is answered; with `doubles` so
//! for moves that make two threats at a time.

use super::{Duty, Tactic, Tactics};
use crate::family::Context;
use crate::game::{AmafExempt, Game, Here, Threat};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Error, Move, Outcome, Result};

pub const INFO: PartInfo = PartInfo {
    name: "threats",
    options: &[OptionInfo::flag(
        "doubles",
        "false",
        "look for moves that make two threats at a time, too; for games that know completing cells",
    )],
    positional: None,
    doc: "A node that gets children plays a win at once and answers what must be answered",
};

#[derive(Default)]
pub struct Threats {
    doubles: bool,
    /// What the side to move threatens, and the double threats of the other side.
    own: Vec<Threat>,
    theirs: Vec<Threat>,
}

pub fn build<G: Game>(options: &Options, context: &Context<G>, tactics: &mut Tactics<G>) -> Result<()> {
    if !tactics.solve {
        return Err(Error::new("tactics=threats needs the solver, solver+threats: what it finds is proven"));
    }
    let doubles = options.flag("doubles");
    if doubles {
        super::needs_completing_cells("threats(doubles=true)", context)?;
    }
    tactics.in_nodes.push(Box::new(Threats { doubles, ..Threats::default() }));
    Ok(())
}

impl<G: Game> Tactic<G> for Threats {
    /// Looks for moves that win at once and, where the game knows completing cells, for what the other side threatens
    /// and for moves that make two threats; elsewhere moves can be tried, but not passed on.
    fn expand(&mut self, here: &Here<G>, moves: &mut Vec<Move>) -> Duty {
        let Here { variant, state, .. } = *here;
        let game = &variant.game;
        let side = game.side_to_move(state);
        moves.clear();
        let Some(completions) = variant.completions() else {
            game.legal_moves(state, moves);
            let wins = |&&mv: &&Move| {
                let mut after = state.clone();
                game.play(&mut after, mv);
                variant.outcome(&after) == Some(Outcome::Win(side))
            };
            return moves.iter().find(wins).map_or(Duty::Free, |&mv| Duty::Win(mv));
        };
        completions.completing(state, side, None, moves);
        if let Some(&mv) = moves.first() {
            return Duty::Win(mv);
        }
        // A stone that may be taken over threatens nothing.
        if game.amaf_exempt(state) != AmafExempt::None {
            return Duty::Free;
        }
        completions.completing(state, side.other(), None, moves);
        match moves.len() {
            0 => {}
            1 => return Duty::Answer,
            _ => return Duty::Lost,
        }
        if !self.doubles {
            return Duty::Free;
        }
        let Threats { own, theirs, .. } = self;
        own.clear();
        completions.threatening(state, side, own);
        if let Some(double) = own.iter().find(|threat| threat.is_double()) {
            return Duty::Win(double.mv);
        }
        // Who neither meets every double threat of the other side nor threatens to win first has lost.
        theirs.clear();
        completions.threatening(state, side.other(), theirs);
        theirs.retain(Threat::is_double);
        let Some(first) = theirs.first() else { return Duty::Free };
        moves.push(first.mv);
        moves.extend(first.completing);
        moves.retain(|&mv| theirs.iter().all(|double| double.is_met_by(mv)));
        moves.extend(own.iter().map(|threat| threat.mv));
        if moves.is_empty() {
            moves.push(first.mv);
            return Duty::Lost;
        }
        moves.sort_unstable();
        moves.dedup();
        Duty::Answer
    }
}
