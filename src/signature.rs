//! The signature: one number over all games and players with fixed seeds. It changes exactly when play does.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::spec::{Family, PartInfo};
use crate::types::{Limit, Result, mix};
use crate::{catalogue, games, session};

/// The signature of this source, compiled in: it names the play version of every match.
pub fn play_version() -> &'static str {
    include_str!("../signature.txt").trim()
}

/// What is searched: every game of the catalogue and players that reach every policy.
fn searches() -> Vec<(String, String)> {
    let all = catalogue::catalogue();
    // Those that name another game, or rules from elsewhere, are not play of this source.
    let named = |info: &PartInfo| ![games::MISERE.name, games::guest::INFO.name].contains(&info.name);
    let games = all.parts.iter().filter(|(family, info)| *family == Family::Game && named(info));
    let games: Vec<&str> = games.map(|(_, info)| info.name).collect();
    let players: Vec<&str> = all.named.iter().map(|named| named.name).collect();
    let mut searches = Vec::new();
    for game in games {
        for player in &players {
            searches.push((game.to_string(), player.to_string()));
        }
    }
    searches
}

/// Searches everything and folds the visits into one number.
pub fn compute() -> Result<u64> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut signature = 0u64;
    // The bound on states is for nested playouts, one of which may visit a million.
    let limit = Limit { states: Some(100_000), ..Limit::simulations(200) };
    for (game, player) in searches() {
        let game = catalogue::read(Family::Game, &game)?;
        let player = catalogue::read(Family::Player, &player)?;
        // A player that this game cannot serve takes no part.
        if session::check_player(&game, &player).is_err() {
            continue;
        }
        let state = session::start(&game, None, 1)?;
        let report = state.search(&player, Some(limit), 1, &stop)?;
        for stat in &report.moves {
            signature = mix(signature ^ stat.visits);
        }
        signature = mix(signature ^ report.states);
    }
    // Seven digits are enough to tell two versions apart and short enough to read out.
    Ok(signature % 10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_in_the_source_is_the_one_of_the_source() {
        let computed = compute().unwrap().to_string();
        assert_eq!(computed, play_version(), "play has changed: write {computed} into signature.txt");
    }
}
