//! What must hold of every game, checked on random games: a game that passes works with every search.

use std::collections::{BTreeMap, BTreeSet};

use crate::game::{Game, Trace, scan_with};
use crate::types::{Error, Move, Outcome, Result, Rng, Side, mix};

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
    demand(game.pieces(state).iter().all(|piece| piece.cell < cells), "a piece stands on no cell")?;
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

/// What a way through a playout has made: its moves, where it has come to, whether a move is left there, how the game
/// stands, and the random number after it.
#[derive(PartialEq)]
struct Made {
    moves: Vec<(Move, Side)>,
    text: String,
    is_over: bool,
    outcome: Option<Outcome>,
    next: u64,
}

fn made<G: Game>(
    game: &G,
    state: &G::State,
    rng: &Rng,
    way: impl FnOnce(&mut G::State, &mut Rng, &mut Trace),
) -> Made {
    let (mut state, mut rng) = (state.clone(), rng.clone());
    let mut trace = Trace { wanted: true, ..Trace::default() };
    way(&mut state, &mut rng, &mut trace);
    let (text, outcome) = (game.state_text(&state), game.outcome(&state));
    Made { moves: trace.moves, text, is_over: legal(game, &state).is_empty(), outcome, next: rng.next_u64() }
}

/// Whatever a game does faster must be what the plain way makes of the same random numbers. So it must where the game is
/// asked for more than its rules: that rings hold stones that stand.
fn check_fast<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> Result<()> {
    check_fast_from(game, state, rng)?;
    if let Some(ask) = game.rings() {
        let mut asked = state.clone();
        ask(&mut asked, 3);
        check_fast_from(game, &asked, rng).map_err(|e| e.within("with rings that hold standing stones"))?;
    }
    Ok(())
}

fn check_fast_from<G: Game>(game: &G, state: &G::State, rng: &mut Rng) -> Result<()> {
    let rng = &rng.split();
    let random = made(game, state, rng, |state, rng, trace| {
        let (side, mv) = (game.side_to_move(state), game.random_move(state, rng));
        trace.push(mv, side);
        game.play(state, mv);
    });
    let fast = made(game, state, rng, |state, rng, trace| {
        let side = game.side_to_move(state);
        trace.push(game.play_random(state, rng), side);
    });
    demand(fast == random, "play_random plays another move than random_move")?;

    let moves = legal(game, state);
    // Another than the random one, if there is one.
    let wanted = *moves.iter().rev().find(|&&mv| mv != random.moves[0].0).unwrap_or(&moves[0]);
    for (wanted, played) in [(wanted, wanted), (Move(u32::MAX), random.moves[0].0)] {
        let mut next = state.clone();
        let mv = game.play_preferred(&mut next, wanted, &mut rng.clone());
        let mut expected = state.clone();
        game.play(&mut expected, played);
        let same = mv == played && game.state_text(&next) == game.state_text(&expected);
        demand(same, format!("play_preferred makes {} of {}, not {}", mv.0, wanted.0, played.0))?;
    }

    // As many moves by turns as the fast way has made, and no more: a faulty game may have none left and go on.
    let fast = made(game, state, rng, |state, rng, trace| {
        game.uniform_playout(state, rng, trace);
    });
    let by_turns = made(game, state, rng, |state, rng, trace| {
        while game.outcome(state).is_none() && trace.moves.len() < fast.moves.len() {
            let (side, mv) = (game.side_to_move(state), game.random_move(state, rng));
            trace.push(mv, side);
            game.play(state, mv);
        }
    });
    demand(fast.is_over, "uniform_playout stops before the end")?;
    demand(fast == by_turns, "uniform_playout plays other moves than random_move")?;

    // Replies of all kinds: legal and not, the same for both sides and not, and none at all.
    let seed = rng.clone().next_u64();
    let slots = game.slots().max(1) as u64;
    let reply = |side: Side, last: Move| {
        let chance = mix(seed ^ u64::from(last.0) ^ (side.index() as u64) << 40);
        if chance % 4 == 0 { Move(u32::MAX) } else { Move((chance >> 8) as u32 % slots as u32) }
    };
    let fast = made(game, state, rng, |state, rng, trace| {
        game.reply_playout(state, wanted, reply, rng, trace);
    });
    let by_turns = made(game, state, rng, |state, rng, trace| {
        let mut last = wanted;
        while game.outcome(state).is_none() && trace.moves.len() < fast.moves.len() {
            let side = game.side_to_move(state);
            last = game.play_preferred(state, reply(side, last), rng);
            trace.push(last, side);
        }
    });
    demand(fast.is_over, "reply_playout stops before the end")?;
    demand(fast == by_turns, "reply_playout plays other moves than play_preferred")?;

    let from = |first: Option<Move>, rng: &mut Rng| {
        let (mut end, mut trace) = (state.clone(), Trace::default());
        if let Some(mv) = first {
            trace.push(mv, game.side_to_move(&end));
            game.play(&mut end, mv);
        }
        (game.uniform_playout(&mut end, rng, &mut trace), trace.states)
    };
    for first in [None, Some(wanted)] {
        let (mut one, mut other) = (rng.clone(), rng.clone());
        let mut trace = Trace::default();
        let outcome = game.playout_from(state, first, &mut state.clone(), &mut one, &mut trace);
        let same = (outcome, trace.states) == from(first, &mut other) && one.next_u64() == other.next_u64();
        demand(same, "playout_from is another playout than uniform_playout")?;
    }
    let moves = &moves[..moves.len().min(4)];
    for (shuffled, most) in [(false, usize::MAX), (true, usize::MAX), (true, 2)] {
        let scan = |fast: bool| {
            let (mut moves, mut rng, mut told) = (moves.to_vec(), rng.clone(), Vec::new());
            let judge = |mv: Move, outcome: Outcome, states: u64| {
                told.push((mv, outcome, states));
                told.len() >= most
            };
            if fast {
                game.scan(state, &mut moves, shuffled, &mut state.clone(), &mut rng, judge);
            } else {
                scan_with(&mut moves, shuffled, &mut rng, |mv, rng| from(Some(mv), rng), judge);
            }
            (told, moves, rng.next_u64())
        };
        demand(scan(true) == scan(false), "scan makes other playouts than playout_from")?;
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Board, Ending, Exact, FastPlay, Offers, Piece, Present, Rules, Variant};
    use crate::games::tic_tac_toe::{State, TicTacToe};
    use crate::games::{MISERE, Visitor, infos, with_game};
    use crate::spec::{Family, Options, PartInfo};

    struct Check(u64);

    impl Visitor for Check {
        type Out = Result<()>;

        fn visit<G: Game>(self, variant: Variant<G>) -> Result<()> {
            check(&variant.game, self.0, 1)
        }
    }

    fn check_spec(text: &str, games: u64) {
        let spec = crate::catalogue::read(Family::Game, text).unwrap();
        if let Err(e) = with_game(&spec, Check(games)).unwrap() {
            panic!("{text}: {e}");
        }
    }

    #[test]
    fn every_game_conforms() {
        for info in infos().iter().filter(|info| info.name != MISERE.name) {
            check_spec(info.name, 10);
        }
    }

    #[test]
    fn every_size_conforms() {
        for name in ["breakthrough", "knightthrough"] {
            for (rows, columns, ranks) in
                [(3, 3, 1), (4, 3, 1), (5, 3, 2), (5, 5, 1), (8, 8, 2), (10, 10, 2), (3, 10, 1), (10, 3, 2)]
            {
                check_spec(&format!("{name}(rows={rows}, columns={columns}, ranks={ranks})"), 3);
            }
        }
        for (name, sizes) in [
            ("domineering", [(1, 1), (1, 2), (1, 10), (10, 1), (3, 4), (10, 10)]),
            ("nogo", [(2, 2), (2, 3), (3, 3), (2, 10), (10, 2), (10, 10)]),
            ("atari_go", [(2, 2), (2, 3), (3, 3), (2, 10), (10, 2), (10, 10)]),
        ] {
            for (rows, columns) in sizes {
                check_spec(&format!("{name}(rows={rows}, columns={columns})"), 3);
            }
        }
        // The first two games look at what is fast from the empty board and from the first stone.
        for (size, games) in [(2, 14), (3, 14), (4, 7), (5, 2), (8, 2)] {
            check_spec(&format!("havannah(size={size}, swap=true)"), games);
        }
        for (rows, columns) in [(2, 2), (3, 3), (4, 4), (5, 5), (4, 7), (10, 10)] {
            check_spec(&format!("atari_go(rows={rows}, columns={columns}, suicide=loses)"), 5);
        }
        for (rows, columns) in [(2, 4), (4, 4), (5, 5), (4, 7), (10, 10)] {
            check_spec(&format!("atari_go(rows={rows}, columns={columns}, start=cross_cut)"), 5);
            check_spec(
                &format!("atari_go(rows={rows}, columns={columns}, suicide=loses, start=cross_cut)"),
                5,
            );
        }
    }

    /// Tic-tac-toe with one fault.
    struct Faulty {
        game: TicTacToe,
        fault: &'static str,
    }

    impl Faulty {
        fn has(&self, fault: &str) -> bool {
            self.fault == fault
        }
    }

    impl Rules for Faulty {
        const INFO: PartInfo = TicTacToe::INFO;

        type State = State;

        fn from_options(options: &Options) -> Result<Faulty> {
            Ok(Faulty { game: TicTacToe::from_options(options)?, fault: "" })
        }

        fn initial_state(&self, rng: &mut Rng) -> State {
            self.game.initial_state(rng)
        }

        fn side_to_move(&self, state: &State) -> Side {
            self.game.side_to_move(state)
        }

        fn legal_moves(&self, state: &State, moves: &mut Vec<Move>) {
            self.game.legal_moves(state, moves);
            if self.has("repeats") {
                moves.extend_from_within(..moves.len().min(1));
            }
        }

        fn is_legal(&self, state: &State, mv: Move) -> bool {
            self.has("lenient") || self.game.is_legal(state, mv)
        }

        fn play(&self, state: &mut State, mv: Move) {
            self.game.play(state, mv);
        }

        fn outcome(&self, state: &State) -> Option<Outcome> {
            let outcome = self.game.outcome(state);
            if self.has("endless") { outcome.filter(|&outcome| outcome != Outcome::Draw) } else { outcome }
        }

        fn key(&self, state: &State) -> u64 {
            if self.has("keyless") { 0 } else { self.game.key(state) }
        }

        fn longest(&self) -> Option<u64> {
            self.game.longest().map(|longest| longest - self.has("short") as u64)
        }

        fn slots(&self) -> usize {
            if self.has("crowded") { 8 } else { 9 }
        }
    }

    impl Present for Faulty {
        const ENDINGS: &'static [Ending] = TicTacToe::ENDINGS;

        fn end_kind(&self, state: &State) -> &'static str {
            match (self.fault, self.game.end_kind(state)) {
                ("wordless", _) => "",
                ("inventive", "line") => "glory",
                (_, kind) => kind,
            }
        }

        fn move_name(&self, state: &State, mv: Move) -> String {
            match self.fault {
                "nameless" => "a1".to_string(),
                "punctuated" => format!("a,{}", mv.0),
                _ => self.game.move_name(state, mv),
            }
        }

        fn state_text(&self, state: &State) -> String {
            self.game.state_text(state)
        }

        fn parse_state(&self, text: &str) -> Result<State> {
            let state = self.game.parse_state(text)?;
            if self.has("forgetful") { self.game.parse_state(".../.../... first") } else { Ok(state) }
        }

        fn board(&self) -> Board {
            self.game.board()
        }

        fn pieces(&self, state: &State) -> Vec<Piece> {
            self.game.pieces(state)
        }

        fn move_cells(&self, state: &State, mv: Move) -> Vec<usize> {
            if self.has("misplaced") { vec![9] } else { self.game.move_cells(state, mv) }
        }
    }

    impl FastPlay for Faulty {
        fn random_move(&self, state: &State, rng: &mut Rng) -> Move {
            let first = legal(self, state)[0];
            if self.has("biased") && rng.chance(0.3) { first } else { self.game.random_move(state, rng) }
        }

        fn count_moves(&self, state: &State) -> usize {
            self.game.count_moves(state) + self.has("miscounting") as usize
        }

        fn nth_move(&self, state: &State, k: usize) -> Move {
            let count = self.game.count_moves(state);
            self.game.nth_move(state, if self.has("backward") { count - 1 - k } else { k })
        }

        fn play_random(&self, state: &mut State, rng: &mut Rng) -> Move {
            if self.has("wasteful") {
                rng.next_u64();
            }
            self.game.play_random(state, rng)
        }

        fn play_preferred(&self, state: &mut State, mv: Move, rng: &mut Rng) -> Move {
            if self.has("stubborn") {
                self.play_random(state, rng)
            } else {
                self.game.play_preferred(state, mv, rng)
            }
        }

        fn reply_playout(
            &self,
            state: &mut State,
            last: Move,
            reply: impl Fn(Side, Move) -> Move,
            rng: &mut Rng,
            trace: &mut Trace,
        ) -> Outcome {
            if self.has("deaf") {
                return self.uniform_playout(state, rng, trace);
            }
            if self.has("tired") {
                return Outcome::Draw;
            }
            self.game.reply_playout(state, last, reply, rng, trace)
        }

        fn playout_from(
            &self,
            state: &State,
            first: Option<Move>,
            scratch: &mut State,
            rng: &mut Rng,
            trace: &mut Trace,
        ) -> Outcome {
            let first = first.filter(|_| !self.has("late"));
            self.game.playout_from(state, first, scratch, rng, trace)
        }

        fn scan(
            &self,
            state: &State,
            moves: &mut [Move],
            shuffled: bool,
            scratch: &mut State,
            rng: &mut Rng,
            judge: impl FnMut(Move, Outcome, u64) -> bool,
        ) {
            self.game.scan(state, moves, shuffled && !self.has("orderly"), scratch, rng, judge);
        }

        fn uniform_playout(&self, state: &mut State, rng: &mut Rng, trace: &mut Trace) -> Outcome {
            if self.has("drifting") {
                rng.next_u64();
            }
            let outcome = self.game.uniform_playout(state, rng, trace);
            if self.has("lying") { outcome.exchanged() } else { outcome }
        }
    }

    impl Exact for Faulty {
        fn symmetries(&self) -> Vec<Vec<usize>> {
            self.game.symmetries()
        }

        fn class_key(&self, state: &State) -> u64 {
            if self.has("crooked") { self.game.key(state) } else { self.game.class_key(state) }
        }
    }

    impl Offers for Faulty {}

    #[test]
    fn every_fault_is_found() {
        for (fault, what) in [
            ("repeats", "a move is listed twice"),
            ("lenient", "is_legal(0) is not false"),
            ("biased", "random_move is not uniform"),
            ("endless", "the playout reports another outcome"),
            ("wordless", "end_kind and outcome disagree"),
            ("inventive", "ENDINGS has no words for 'glory'"),
            ("keyless", "the same key as"),
            ("nameless", "two moves are called 'a1'"),
            ("punctuated", "a move is called 'a,0': a name holds no comma and no line break"),
            ("forgetful", "the position is read back as another"),
            ("misplaced", "move 0 touches no cell"),
            ("crowded", "the slot of move 8 is none"),
            ("lying", "the playout reports another outcome"),
            ("miscounting", "count_moves gave 10, not 9"),
            ("backward", "nth_move(0) gave 8, not 0"),
            ("wasteful", "play_random plays another move than random_move"),
            ("stubborn", "play_preferred makes "),
            ("drifting", "uniform_playout plays other moves than random_move"),
            ("tired", "reply_playout stops before the end"),
            ("deaf", "reply_playout plays other moves than play_preferred"),
            ("short", "the playout is longer than the longest game"),
            ("late", "playout_from is another playout than uniform_playout"),
            ("orderly", "scan makes other playouts than playout_from"),
        ] {
            let spec = crate::catalogue::read(Family::Game, "tic_tac_toe").unwrap();
            let game = TicTacToe::from_options(&Options::new(&spec.parts[0])).unwrap();
            let message = check(&Faulty { game, fault }, 20, 1).unwrap_err().to_string();
            assert!(message.starts_with("tic_tac_toe at\n") && message.contains(what), "{fault}: {message}");
        }
        let spec = crate::catalogue::read(Family::Game, "tic_tac_toe").unwrap();
        let game = TicTacToe::from_options(&Options::new(&spec.parts[0])).unwrap();
        let message = check(&Faulty { game, fault: "crooked" }, 20, 1).unwrap_err().to_string();
        assert!(message.ends_with("the image has another class_key"), "{message}");
    }
}
