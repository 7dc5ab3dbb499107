//! What must hold of every game, checked on random games: a game that passes works with every search.

mod fast;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::game::{Game, Trace};
use crate::types::{Error, Move, Result, Rng};
use fast::check_fast;

/// No game that is meant to be played lasts longer.
const MOST_MOVES: usize = 10_000;

/// Where a match looks at the names of moves before it begins.
const FIRST_GAMES: u64 = 3;
const FIRST_PLIES: usize = 12;

/// Plays `games` random games and checks every position in them; the error says what does not hold, and where.
pub fn check<G: Game>(game: &G, games: u64, seed: u64) -> Result<()> {
    let cells = game.board().cells;
    let names: BTreeSet<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    demand(names.len() == cells.len(), "two cells have the same name")?;
    demand(G::HIDDEN == game.secrets().is_some(), "secrets and HIDDEN disagree")?;
    let start = game.initial_state(&mut Rng::stream(&[seed]));
    for slot in 0..game.slots() {
        let inside = game.slot_cells(&start, slot).iter().all(|&cell| cell < cells.len());
        demand(inside, format!("slot {slot} shows a cell that is none"))?;
    }

    let mut keys = BTreeMap::new();
    for index in 0..games {
        let mut rng = Rng::stream(&[seed, index]);
        let mut state = game.initial_state(&mut rng);
        let mut seen = BTreeSet::new();
        let mut length = 0;
        loop {
            let text = game.state_text(&state);
            let place = |e: Error| e.within(format!("{} at\n{text}\n", G::INFO.name));
            check_position(game, &state, cells.len(), &mut seen, &mut rng).map_err(place)?;
            let other = keys.entry(game.key(&state)).or_insert_with(|| text.clone());
            demand(*other == text, format!("the same key as\n{other}")).map_err(place)?;
            if game.outcome(&state).is_some() {
                break;
            }
            if game.stages().is_none() && length == index as usize % 7 {
                check_chance(game, &state, &mut rng).map_err(place)?;
            }
            if length == index as usize % 7 {
                check_fast(game, &state, &mut Rng::stream(&[seed, index, 1])).map_err(place)?;
            }
            demand(length < MOST_MOVES, "the game does not end").map_err(place)?;
            let mv = game.random_move(&state, &mut rng);
            game.play(&mut state, mv);
            length += 1;
        }
    }
    for (number, symmetry) in game.symmetries().iter().enumerate() {
        check_symmetry(game, symmetry, &mut Rng::stream(&[seed, number as u64]))
            .map_err(|e| e.within(format!("{}, symmetry {number}", G::INFO.name)))?;
    }
    let texts: BTreeSet<&String> = keys.values().collect();
    demand(texts.len() == keys.len(), "one position has two keys")
}

fn demand(holds: bool, what: impl Into<String>) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::new(what)) }
}

fn legal<G: Game>(game: &G, state: &G::State) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(state, &mut moves);
    moves
}

/// `seen` collects the legal moves of the game so far: likely ones to be taken for legal wrongly.
fn check_position<G: Game>(
    game: &G,
    state: &G::State,
    cells: usize,
    seen: &mut BTreeSet<Move>,
    rng: &mut Rng,
) -> Result<()> {
    let moves = legal(game, state);
    let over = game.outcome(state).is_some();
    demand(moves.is_empty() == over, format!("{} legal moves, but over is {over}", moves.len()))?;
    demand(game.end_kind(state).is_empty() != over, "end_kind and outcome disagree")?;
    let kind = game.end_kind(state);
    let known = ["", "win", "draw"].contains(&kind) || G::ENDINGS.iter().any(|ending| ending.kind == kind);
    demand(known, format!("ENDINGS has no words for '{kind}'"))?;
    let pieces = game.pieces(state);
    demand(pieces.iter().all(|piece| !piece.cells.is_empty()), "a piece has no cell")?;
    demand(
        pieces.iter().flat_map(|piece| &piece.cells).all(|&cell| cell < cells),
        "a piece stands on no cell",
    )?;
    demand(game.winning_cells(state).iter().all(|&cell| cell < cells), "a winning cell is none")?;
    demand(over || game.winning_cells(state).is_empty(), "winning cells before the end")?;

    let set: BTreeSet<Move> = moves.iter().copied().collect();
    demand(set.len() == moves.len(), "a move is listed twice")?;
    seen.extend(&set);
    for mv in seen.iter().copied().chain((0..game.slots() as u32).map(Move)) {
        let listed = set.contains(&mv);
        demand(game.is_legal(state, mv) == listed, format!("is_legal({}) is not {listed}", mv.0))?;
    }
    if !over {
        for _ in 0..4 {
            let mv = game.random_move(state, rng);
            demand(set.contains(&mv), format!("random_move gave {}, which is illegal", mv.0))?;
        }
    }

    for &mv in &moves {
        let touched = game.move_cells(state, mv);
        demand(touched.iter().all(|&cell| cell < cells), format!("move {} touches no cell", mv.0))?;
        let slots = game.slots();
        demand(slots == 0 || game.slot(mv) < slots, format!("the slot of move {} is none", mv.0))?;
    }
    let count = game.count_moves(state);
    demand(count == moves.len(), format!("count_moves gave {count}, not {}", moves.len()))?;
    for k in [0, count / 2, count.saturating_sub(1)].into_iter().filter(|&k| k < count) {
        let mv = game.nth_move(state, k);
        demand(mv == moves[k], format!("nth_move({k}) gave {}, not {}", mv.0, moves[k].0))?;
    }
    check_names(game, state, &moves)?;
    check_text(game, state, &moves)?;
    check_playout(game, state, rng)
}

/// Refuses a game whose records could not be read back, on the first positions of some random games.
pub fn check_first_names<G: Game>(game: &G, seed: u64) -> Result<()> {
    for index in 0..FIRST_GAMES {
        let mut rng = Rng::stream(&[seed, index]);
        let mut state = game.initial_state(&mut rng);
        for _ in 0..FIRST_PLIES {
            if game.outcome(&state).is_some() {
                break;
            }
            let place = |e: Error| {
                let text = game.state_text(&state);
                e.within(format!("in the position {}", text.split_whitespace().collect::<Vec<_>>().join(" ")))
            };
            names_of(game, &state, &legal(game, &state), G::NOTATIONS[0]).map_err(place)?;
            let mv = game.random_move(&state, &mut rng);
            game.play(&mut state, mv);
        }
    }
    Ok(())
}

/// The names of moves, each another one that a record can hold.
fn names_of<G: Game>(game: &G, state: &G::State, moves: &[Move], notation: &str) -> Result<Vec<String>> {
    let names: Vec<String> = moves.iter().map(|&mv| game.move_name_in(state, mv, notation)).collect();
    let mut known = BTreeSet::new();
    for name in &names {
        let whole = !name.is_empty() && name.trim() == name && !name.contains([',', '\n', '\r']);
        demand(
            whole,
            format!(
                "a move is called '{name}': a name holds no comma and no line break, and no blank at its ends"
            ),
        )?;
        demand(known.insert(name), format!("two moves are called '{name}'"))?;
    }
    Ok(names)
}

fn check_names<G: Game>(game: &G, state: &G::State, moves: &[Move]) -> Result<()> {
    for notation in G::NOTATIONS {
        let names = names_of(game, state, moves, notation)?;
        for (&mv, name) in moves.iter().zip(&names) {
            let alone = names.iter().filter(|other| other.eq_ignore_ascii_case(name)).count() == 1;
            for text in [name.clone(), name.to_ascii_uppercase()].into_iter().take(1 + usize::from(alone)) {
                let read = game.parse_move_in(state, &text, notation)?;
                demand(read == mv, format!("'{text}' is read as another move"))?;
            }
        }
        let error = game.parse_move_in(state, "no such move", notation).err().map(|e| e.to_string());
        let named = error.is_some_and(|e| e.starts_with("illegal move 'no such move'"));
        demand(named, "a move that is none is not refused by name")?;
    }
    Ok(())
}

fn check_text<G: Game>(game: &G, state: &G::State, moves: &[Move]) -> Result<()> {
    let text = game.state_text(state);
    let read = game.parse_state(&text)?;
    demand(game.state_text(&read) == text, "the position is read back as another")?;
    demand(game.key(&read) == game.key(state), "the position read back has another key")?;
    demand(game.side_to_move(&read) == game.side_to_move(state), "the side read back is another")?;
    demand(game.outcome(&read) == game.outcome(state), "the outcome read back is another")?;
    demand(game.end_kind(&read) == game.end_kind(state), "the end_kind read back is another")?;
    demand(game.pieces(&read) == game.pieces(state), "the pieces read back are others")?;
    demand(legal(game, &read) == moves, "the legal moves read back are others")?;
    demand(game.parse_state("no such position").is_err(), "a position that is none is not refused")
}

/// A random game, and beside it the same game on the turned board.
fn check_symmetry<G: Game>(game: &G, symmetry: &[usize], rng: &mut Rng) -> Result<()> {
    let mut here = game.initial_state(rng);
    let mut there = here.clone();
    loop {
        demand(game.class_key(&here) == game.class_key(&there), "the image has another class_key")?;
        demand(game.outcome(&here) == game.outcome(&there), "the image has another outcome")?;
        if game.outcome(&here).is_some() {
            return Ok(());
        }
        for misere in [false, true] {
            let settled = game.settled(&here, misere);
            demand(settled == game.settled(&there, misere), "the image is settled otherwise")?;
        }
        let mv = game.random_move(&here, rng);
        let mut cells: Vec<usize> = game.move_cells(&here, mv).iter().map(|&cell| symmetry[cell]).collect();
        cells.sort_unstable();
        let is_image = |&mv: &Move| {
            let mut touched = game.move_cells(&there, mv);
            touched.sort_unstable();
            touched == cells
        };
        let image = if symmetry.iter().enumerate().all(|(cell, &image)| cell == image) {
            Some(mv)
        } else {
            legal(game, &there).into_iter().find(is_image)
        };
        let image = image.ok_or_else(|| Error::new("the image of a move is illegal"))?;
        game.play(&mut here, mv);
        game.play(&mut there, image);
    }
}

/// A playout must consist of legal moves that lead to the end it reports.
fn check_playout<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> Result<()> {
    let mut trace = Trace { wanted: true, ..Trace::default() };
    let mut end = state.clone();
    let outcome = game.uniform_playout(&mut end, rng, &mut trace);
    demand(trace.states == trace.moves.len() as u64, "the playout counted its moves wrongly")?;
    demand(
        game.longest().is_none_or(|longest| trace.states <= longest),
        "the playout is longer than the longest game",
    )?;
    let mut replayed = state.clone();
    for &(mv, side) in &trace.moves {
        demand(game.side_to_move(&replayed) == side, "the playout's trace names the wrong side")?;
        demand(legal(game, &replayed).contains(&mv), format!("the playout made illegal move {}", mv.0))?;
        game.play(&mut replayed, mv);
    }
    demand(game.outcome(&replayed) == Some(outcome), "the playout reports another outcome")?;
    demand(game.state_text(&replayed) == game.state_text(&end), "the playout ends in another position")
}

/// `random_move` and the first move of a playout must be uniform.
fn check_chance<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> Result<()> {
    let moves = legal(game, state);
    let draws = 40 * moves.len();
    let mut counts = vec![[0.0f64; 2]; moves.len()];
    let mut trace = Trace { wanted: true, ..Trace::default() };
    let mut count = |way: usize, mv: Move| match moves.iter().position(|&other| other == mv) {
        Some(at) => counts[at][way] += 1.0,
        None => unreachable!("legality is checked before chance"),
    };
    for _ in 0..draws {
        count(0, game.random_move(state, rng));
        trace.clear();
        game.uniform_playout(&mut state.clone(), rng, &mut trace);
        count(1, trace.moves[0].0);
    }
    for (way, name) in ["random_move", "uniform_playout"].into_iter().enumerate() {
        let squared: f64 = counts.iter().map(|count| (count[way] - 40.0) * (count[way] - 40.0) / 40.0).sum();
        // Chi-squared: mean n - 1, variance 2 (n - 1); its long tail is why the bound has a constant part.
        let freedom = (moves.len() - 1) as f64;
        let most = freedom + 6.0 * (2.0 * freedom).sqrt() + 12.0;
        demand(squared < most, format!("{name} is not uniform: chi-squared {squared:.1} of {freedom}"))?;
    }
    Ok(())
}

/// The names of the legal moves, for tests of the rules.
#[cfg(test)]
pub fn legal_names<G: Game>(game: &G, state: &G::State) -> Vec<String> {
    legal(game, state).into_iter().map(|mv| game.move_name(state, mv)).collect()
}

/// Plays moves by name, for tests of the rules.
#[cfg(test)]
pub fn play_all<G: Game>(game: &G, state: &mut G::State, names: &[&str]) {
    for name in names {
        let mv = game.parse_move(state, name).unwrap_or_else(|e| panic!("{e}"));
        game.play(state, mv);
    }
}
