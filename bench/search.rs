//! Times whole Havannah searches from the empty board: simulations per CPU second of named players.
//!
//! Prints one JSON line per measurement in the form of `havannah_reference.cpp`: 30,000 simulations, CPU seconds
//! of one thread, best of five. Arguments: names or specs of players, all those of the list if there are none.

use coppice::catalogue;
use coppice::session;
use coppice::spec::Family;
use coppice::types::{Limit, thread_cpu_seconds};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const ROUNDS: u64 = 5;
const SIMULATIONS: u64 = 30_000;

/// What the reference program does, here.
const REFERENCE: &str = "mcts(selection=rave(amaf=raw, k=0, r=130), expansion=all(at=5), fpu=1.0)";

/// The players whose speed is promised, and some to compare with.
const PLAYERS: &[(&str, &str)] = &[
    ("reference's algorithm", REFERENCE),
    ("uct, all children", "mcts(selection=uct, expansion=all)"),
    ("uct", "uct"),
    ("rave", "rave"),
    ("lgrf1", "lgrf1"),
    ("ppr", "ppr"),
    ("pool_rave", "pool_rave"),
    ("mast", "mast"),
    ("nast2", "nast2"),
    ("mate(c=3)", "mcts(selection=rave, playout=mate(c=3))"),
    ("fossel_uct", "fossel_uct"),
    ("fossel_rave", "fossel_rave"),
    ("fossel_ph", "fossel_ph"),
    ("fossel_er", "fossel_er"),
    ("fossel_ph_mate", "fossel_ph_mate"),
    ("strong", "strong"),
];

fn rate(size: usize, player: &str) -> Result<f64, coppice::types::Error> {
    let game = catalogue::read(Family::Game, &format!("havannah(size={size})"))?;
    let player = catalogue::read(Family::Player, player)?;
    let state = session::start(&game, None, 1)?;
    let stop = Arc::new(AtomicBool::new(false));
    let mut best = f64::INFINITY;
    for round in 0..ROUNDS {
        let mut search = state.think(&player, round)?;
        let begin = thread_cpu_seconds();
        let limit = Limit::simulations(SIMULATIONS);
        search.run(&limit, &limit, &stop);
        best = best.min(thread_cpu_seconds() - begin);
    }
    Ok(SIMULATIONS as f64 / best)
}

fn main() -> Result<(), coppice::types::Error> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<(&str, &str)> = if given.is_empty() {
        PLAYERS.to_vec()
    } else {
        let named = |text: &'_ str| PLAYERS.iter().find(|(name, _)| *name == text).map(|(_, spec)| *spec);
        given.iter().map(|text| (text.as_str(), named(text).unwrap_or(text))).collect()
    };
    for size in [6, 10] {
        for (name, player) in &chosen {
            let rate = rate(size, player)?;
            println!(
                "{{\"what\": \"search\", \"player\": \"{name}\", \"base\": {size}, \"per_cpu_second\": {rate:.0}}}"
            );
        }
    }
    Ok(())
}
