//! Finds positions in which one move wins and others only look so, and prints them with their proofs as JSON.
//!
//! `cargo run --release --no-default-features --example find_traps > python/coppice/data/traps.json`; a part of
//! it by name: `tic_tac_toe`, `5x5`, `6x6`, `8x8`.
//!
//! Stand-ins for the two positions of the paper on nested search for two players, whose pictures are lost:
//! Breakthrough positions of random games (5x5) or of a few men set at random (6x6), solved exactly, with one winning
//! move and a losing one that uniform playouts like better; tic-tac-toe with a3 as the only move that does more than
//! draw.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use coppice::catalogue;
use coppice::game::{FastPlay, Game, Present, Rules, Trace, Variant};
use coppice::games::breakthrough::Breakthrough;
use coppice::games::tic_tac_toe::TicTacToe;
use coppice::player::{self, Request};
use coppice::solver::{Solution, solve};
use coppice::spec::{Family, Options};
use coppice::tree::Proof;
use coppice::types::{Limit, Move, Result, Rng};

const MEMORY: usize = 1 << 26;
const PLAYOUTS: u32 = 1000;
const RUNS: u32 = 300;

/// A solved position and how its moves look to random play.
struct Trap<G: Game> {
    name: String,
    game: String,
    state: G::State,
    found: Solution,
    /// Mean result of uniform playouts after each move.
    means: Vec<f64>,
    winning: usize,
    traps: Vec<usize>,
    /// How much better the most attractive losing move looks than the winning one.
    lure: f64,
}

fn variant<G: Game>(text: &str) -> Result<Variant<G>> {
    let spec = catalogue::read(Family::Game, text)?;
    Ok(Variant { game: G::from_options(&Options::new(&spec.parts[0]))?, misere: false })
}

fn solved<G: Game>(variant: &Variant<G>, state: &G::State, states: u64) -> Option<Solution> {
    let limit = Limit { states: Some(states), ..Limit::default() };
    let stop = Arc::new(AtomicBool::new(false));
    let found = solve(variant, state, &limit, MEMORY, &stop, &mut |_| {}).ok()?;
    found.moves.iter().all(|(_, proof)| *proof != Proof::None).then_some(found)
}

fn after<G: Game>(variant: &Variant<G>, state: &G::State, mv: Move) -> G::State {
    let mut next = state.clone();
    variant.game.play(&mut next, mv);
    next
}

/// The mean result of uniform playouts after `mv`, for the side that plays it.
fn mean<G: Game>(variant: &Variant<G>, state: &G::State, mv: Move, rng: &mut Rng) -> f64 {
    let (side, next) = (variant.game.side_to_move(state), after(variant, state, mv));
    let mut sum = 0.0;
    for _ in 0..PLAYOUTS {
        let outcome = match variant.outcome(&next) {
            Some(outcome) => outcome,
            None => variant.uniform_playout(&mut next.clone(), rng, &mut Trace::default()),
        };
        sum += outcome.score(side) as f64;
    }
    sum / PLAYOUTS as f64
}

/// The position as a trap, if exactly one of its moves wins.
fn judge<G: Game>(
    variant: &Variant<G>,
    game: &str,
    state: &G::State,
    states: u64,
    rng: &mut Rng,
) -> Option<Trap<G>> {
    let found = solved(variant, state, states)?;
    let mut winners = (0..found.moves.len()).filter(|&at| found.moves[at].1 == Proof::Win);
    let winning = winners.next()?;
    if winners.next().is_some() || found.moves.len() < 5 {
        return None;
    }
    let means: Vec<f64> = found.moves.iter().map(|&(mv, _)| mean(variant, state, mv, rng)).collect();
    let traps: Vec<usize> = (0..means.len())
        .filter(|&at| at != winning && means[at] > means[winning] && means[at] > 0.5)
        .collect();
    let best = traps.iter().map(|&at| means[at]).fold(0.0, f64::max);
    let lure = best - means[winning];
    Some(Trap {
        name: String::new(),
        game: game.to_string(),
        state: state.clone(),
        found,
        means,
        winning,
        traps,
        lure,
    })
}

/// How often `nested` chooses the winning move.
fn frequency<G: Game>(variant: &Arc<Variant<G>>, trap: &Trap<G>, spec: &str) -> Result<f64> {
    let spec = catalogue::read(Family::Player, spec)?;
    let mut player = player::build(&spec, variant)?;
    let stop = Arc::new(AtomicBool::new(false));
    let mut hits = 0;
    for run in 0..RUNS {
        let rng = Rng::stream(&[9, run as u64]);
        let request = Request { variant, state: &trap.state, moves: &[], rng, limit: None, stop: &stop };
        hits += u32::from(player.choose(&request)?.best == trap.found.moves[trap.winning].0);
    }
    Ok(hits as f64 / RUNS as f64)
}

fn json<G: Game>(variant: Variant<G>, trap: &Trap<G>) -> Result<String> {
    let name = |at: usize| variant.game.move_name(&trap.state, trap.found.moves[at].0);
    let moves: Vec<String> = (0..trap.means.len())
        .map(|at| {
            let value = trap.found.moves[at].1.name().unwrap_or("unknown");
            format!(
                "      {{\"move\": \"{}\", \"value\": \"{value}\", \"uniform_mean\": {:.3}}}",
                name(at),
                trap.means[at]
            )
        })
        .collect();
    let traps: Vec<String> = trap.traps.iter().map(|&at| format!("\"{}\"", name(at))).collect();
    let mut text = String::new();
    let _ = write!(
        text,
        "  {{\n    \"name\": \"{}\",\n    \"game\": \"{}\",\n    \"position\": \"{}\",\n    \"winning_move\": \"{}\",\n    \
         \"traps\": [{}],\n    \"value\": \"{}\",\n    \"nodes\": {},\n    \"moves\": [\n{}\n    ]",
        trap.name,
        trap.game,
        variant.game.state_text(&trap.state),
        name(trap.winning),
        traps.join(", "),
        trap.found.value.name().unwrap_or("unknown"),
        trap.found.nodes,
        moves.join(",\n")
    );
    let variant = Arc::new(variant);
    let frequencies = [
        ("nested(level=1)", frequency(&variant, trap, "nested(level=1)")?),
        ("nested(level=1, discount=true)", frequency(&variant, trap, "nested(level=1, discount=true)")?),
    ];
    let frequencies: Vec<String> =
        frequencies.iter().map(|(spec, f)| format!("\"{spec}\": {f:.3}")).collect();
    let _ = write!(text, ",\n    \"found_by\": {{{}}}\n  }}", frequencies.join(", "));
    Ok(text)
}

/// A position of a random game.
fn met(variant: &Variant<Breakthrough>, rng: &mut Rng) -> Breakthroughs {
    let mut state = variant.game.initial_state(rng);
    let plies = 8 + rng.below(20);
    for _ in 0..plies {
        let next = after(variant, &state, variant.game.random_move(&state, rng));
        if variant.outcome(&next).is_some() {
            break;
        }
        state = next;
    }
    Some(state)
}

type Breakthroughs = Option<<Breakthrough as Rules>::State>;

/// Three to six men of each side on 6x6, none of them about to arrive: few enough to be solved. None if they make no
/// position.
fn placed(variant: &Variant<Breakthrough>, rng: &mut Rng) -> Breakthroughs {
    let mut board = [['.'; 6]; 6];
    for (mark, rows) in [('w', 2..6), ('b', 0..4)] {
        for _ in 0..3 + rng.below(4) {
            let (row, column) = (rows.start + rng.below(rows.len()), rng.below(6));
            if board[row][column] == '.' {
                board[row][column] = mark;
            }
        }
    }
    let rows: Vec<String> = board.iter().map(|row| row.iter().collect()).collect();
    let state = variant.game.parse_state(&format!("{} first", rows.join("/"))).ok()?;
    variant.outcome(&state).is_none().then_some(state)
}

/// The `count` most luring of so many positions.
fn search_random(
    game: &str,
    source: fn(&Variant<Breakthrough>, &mut Rng) -> Breakthroughs,
    tries: u64,
    states: u64,
    count: usize,
) -> Result<Vec<Trap<Breakthrough>>> {
    let variant = variant::<Breakthrough>(game)?;
    let mut best: Vec<Trap<Breakthrough>> = Vec::new();
    for index in 0..tries {
        let mut rng = Rng::stream(&[1, index]);
        let Some(state) = source(&variant, &mut rng) else { continue };
        if let Some(trap) = judge(&variant, game, &state, states, &mut rng)
            && trap.traps.len() >= 2
        {
            best.push(trap);
            best.sort_by(|a, b| b.lure.total_cmp(&a.lure));
            best.truncate(count);
        }
    }
    for (i, trap) in best.iter_mut().enumerate() {
        trap.name = format!("{game} {}", i + 1).replace("(rows=6, columns=6)", " 6x6");
        trap.name = trap.name.replace("breakthrough ", "breakthrough_").replace(' ', "_");
    }
    Ok(best)
}

/// Tic-tac-toe with x to move: a3 wins, all else draws, and a3 does not end the game at once.
fn search_tic_tac_toe() -> Result<Option<Trap<TicTacToe>>> {
    let variant = variant::<TicTacToe>("tic_tac_toe")?;
    let mut best: Option<Trap<TicTacToe>> = None;
    let mut open = vec![variant.game.initial_state(&mut Rng::new(0))];
    let mut seen = Vec::new();
    while let Some(state) = open.pop() {
        let key = variant.game.key(&state);
        if variant.outcome(&state).is_some() || seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let mut moves = Vec::new();
        variant.game.legal_moves(&state, &mut moves);
        open.extend(moves.iter().map(|&mv| after(&variant, &state, mv)));
        let mut rng = Rng::new(key);
        if variant.game.side_to_move(&state).index() != 0 {
            continue;
        }
        let Some(mut trap) = judge(&variant, "tic_tac_toe", &state, 1_000_000, &mut rng) else { continue };
        let (mv, _) = trap.found.moves[trap.winning];
        let others = trap.found.moves.iter().filter(|(other, _)| *other != mv);
        let fits = variant.game.move_name(&state, mv) == "a3"
            && variant.outcome(&after(&variant, &state, mv)).is_none()
            && others.clone().all(|(_, proof)| *proof == Proof::Draw);
        if fits && best.as_ref().is_none_or(|known| known.means[known.winning] > trap.means[trap.winning]) {
            trap.name = "tic_tac_toe_a3".to_string();
            best = Some(trap);
        }
    }
    Ok(best)
}

/// An 8x8 position that fits what the paper says of its Figure 1b: a5-a6 is the only winning move, b6-a7 and
/// b6-c7 lose, and b8 must answer b6-a7 by taking.
fn search_8x8(tries: u64) -> Result<Option<Trap<Breakthrough>>> {
    let game = "breakthrough(rows=8, columns=8)";
    let variant = variant::<Breakthrough>(game)?;
    let mut best: Option<Trap<Breakthrough>> = None;
    for index in 0..tries {
        let mut rng = Rng::stream(&[8, index]);
        let mut board = vec![vec!['.'; 8]; 8];
        // Row 0 is the top: a5, b6 and b8.
        (board[3][0], board[2][1], board[0][1]) = ('w', 'w', 'b');
        let (white, black) = (3 + rng.below(5), 3 + rng.below(5));
        let mut place = |count: usize, mark: char, rows: std::ops::Range<usize>, rng: &mut Rng| {
            for _ in 0..count {
                let (row, column) = (rows.start + rng.below(rows.len()), rng.below(8));
                if board[row][column] == '.' {
                    board[row][column] = mark;
                }
            }
        };
        place(white, 'w', 2..8, &mut rng);
        place(black, 'b', 0..5, &mut rng);
        let rows: Vec<String> = board.iter().map(|row| row.iter().collect()).collect();
        let Ok(state) = variant.game.parse_state(&format!("{} first", rows.join("/"))) else { continue };
        if variant.outcome(&state).is_some() {
            continue;
        }
        let find =
            |names: [&str; 2]| names.iter().find_map(|name| variant.game.parse_move(&state, name).ok());
        let wanted = [find(["a5-a6", "a5xa6"]), find(["b6-a7", "b6xa7"]), find(["b6-c7", "b6xc7"])];
        let [Some(right), Some(left_trap), Some(right_trap)] = wanted else { continue };
        let answers = after(&variant, &state, left_trap);
        let Ok(answer) = variant.game.parse_move(&answers, "b8xa7") else { continue };
        // The cheap question first: is the answer the only one?
        let Some(found) = solved(&variant, &answers, 40_000) else { continue };
        let only = found.moves.iter().all(|&(mv, proof)| (proof == Proof::Win) == (mv == answer));
        if !only {
            continue;
        }
        let Some(mut trap) = judge(&variant, game, &state, 400_000, &mut rng) else { continue };
        let at = |mv: Move| trap.found.moves.iter().position(|(m, _)| *m == mv);
        let fits = at(right) == Some(trap.winning)
            && [left_trap, right_trap].iter().all(|&mv| at(mv).is_some_and(|at| trap.traps.contains(&at)));
        if fits && best.as_ref().is_none_or(|known| known.lure < trap.lure) {
            trap.name = "breakthrough_8x8_figure_1b".to_string();
            best = Some(trap);
        }
    }
    Ok(best)
}

fn main() -> Result<()> {
    let parts: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|name| name == part);
    let mut positions = Vec::new();
    if wanted("tic_tac_toe")
        && let Some(trap) = search_tic_tac_toe()?
    {
        positions.push(json(variant::<TicTacToe>("tic_tac_toe")?, &trap)?);
    }
    let six = "breakthrough(rows=6, columns=6)";
    type Source = fn(&Variant<Breakthrough>, &mut Rng) -> Breakthroughs;
    let boards: [(&str, &str, Source, u64, u64); 2] =
        [("5x5", "breakthrough", met, 6000, 100_000), ("6x6", six, placed, 6000, 200_000)];
    for (part, game, source, tries, states) in boards {
        if wanted(part) {
            for trap in search_random(game, source, tries, states, 4)? {
                positions.push(json(variant::<Breakthrough>(game)?, &trap)?);
            }
        }
    }
    if wanted("8x8")
        && let Some(trap) = search_8x8(40_000)?
    {
        positions.push(json(variant::<Breakthrough>(&trap.game)?, &trap)?);
    }
    println!(
        "{{\n \"made_by\": \"cargo run --release --no-default-features --example find_traps\",\n \"positions\": [\n{}\n ]\n}}",
        positions.join(",\n")
    );
    Ok(())
}
