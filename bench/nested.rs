//! Measures nested playouts beside uniform ones, and how well moves keep their time, as JSON lines.
//!
//! `cargo run --release --no-default-features --example nested [GAME ...]`

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use coppice::catalogue;
use coppice::session;
use coppice::spec::Family;
use coppice::types::{Limit, Result, thread_cpu_seconds};

const REPEATS: usize = 5;
const SECONDS: f64 = 0.4;
const MOVES: usize = 200;
const SPECS: [&str; 5] = [
    "nested(level=1)",
    "nested(level=1, cut_on_win=1)",
    "nested(level=1, discount=true, prune_on_depth=1)",
    "minimax(depth=1)",
    "minimax(depth=2)",
];

/// States per CPU second of flat playouts, which the player `nested` makes without a tree: the best of several
/// runs.
fn rate(game: &str, playout: &str) -> Result<f64> {
    let player = match playout.strip_prefix("nested(") {
        Some(options) => format!("nested(cpu_seconds={SECONDS}, {options}"),
        None => format!("nested(level=0, base={playout}, cpu_seconds={SECONDS})"),
    };
    let player = catalogue::read(Family::Player, &player)?;
    let state = session::start(&catalogue::read(Family::Game, game)?, None, 1)?;
    let stop = Arc::new(AtomicBool::new(false));
    let mut best = 0.0f64;
    for seed in 0..REPEATS {
        let report = state.search(&player, None, seed as u64, &stop)?;
        best = best.max(report.states as f64 / SECONDS);
    }
    Ok(best)
}

/// Uniform playouts alone, without a tree.
fn uniform_rate(game: &str) -> Result<f64> {
    let state = session::start(&catalogue::read(Family::Game, game)?, None, 1)?;
    let mut best = 0.0f64;
    for seed in 0..REPEATS {
        let sum = state.random_games(200_000, seed as u64);
        best = best.max(sum.length_sum as f64 / sum.cpu_seconds);
    }
    Ok(best)
}

/// The shares of 10 ms moves of `mcts` that take 9 to 11 ms: by the wall clock, and, with a limit on CPU time, of
/// CPU time, which a busy machine disturbs less.
fn punctual(game: &str, playout: &str) -> Result<[f64; 2]> {
    let player = catalogue::read(Family::Player, &format!("mcts(playout={playout})"))?;
    let state = session::start(&catalogue::read(Family::Game, game)?, None, 1)?;
    let stop = Arc::new(AtomicBool::new(false));
    let limits = [
        Limit { seconds: Some(0.01), ..Limit::default() },
        Limit { cpu_seconds: Some(0.01), ..Limit::default() },
    ];
    let mut shares = [0.0; 2];
    for (i, limit) in limits.into_iter().enumerate() {
        let mut good = 0;
        for seed in 0..MOVES {
            let (started, cpu) = (Instant::now(), thread_cpu_seconds());
            state.search(&player, Some(limit), seed as u64, &stop)?;
            let taken = if i == 0 { started.elapsed().as_secs_f64() } else { thread_cpu_seconds() - cpu };
            good += usize::from((0.009..=0.011).contains(&taken));
        }
        shares[i] = good as f64 / MOVES as f64;
    }
    Ok(shares)
}

fn main() -> Result<()> {
    let mut games: Vec<String> = std::env::args().skip(1).collect();
    if games.is_empty() {
        let names = ["breakthrough", "knightthrough", "domineering", "nogo", "atari_go"];
        games = names.iter().map(|name| name.to_string()).collect();
    }
    for game in games {
        let uniform = uniform_rate(&game)?;
        println!(
            "{{\"game\": \"{game}\", \"playout\": \"uniform\", \"states_per_cpu_second\": {uniform:.0}}}"
        );
        for spec in SPECS {
            let (rate, [wall, cpu]) = (rate(&game, spec)?, punctual(&game, spec)?);
            println!(
                "{{\"game\": \"{game}\", \"playout\": \"{spec}\", \"states_per_cpu_second\": {rate:.0}, \
                 \"of_uniform\": {:.2}, \"on_time\": {wall:.3}, \"on_cpu_time\": {cpu:.3}}}",
                rate / uniform
            );
        }
    }
    Ok(())
}
