//! Times uniform Havannah playouts from the empty board, with the copy of the initial state that a search makes.
//!
//! Prints one JSON line per measurement in the form of `havannah_reference.cpp`: CPU seconds of one thread,
//! best of five. `bench/havannah.sh` runs both in turn and prints the ratios.

use coppice::game::{Completions, FastPlay, Rules, Trace};
use coppice::games::havannah::Havannah;
use coppice::types::{Rng, thread_cpu_seconds};
use std::hint::black_box;

const ROUNDS: usize = 5;

/// Runs of `work` per CPU second, the best of several rounds.
fn rate(count: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begin = thread_cpu_seconds();
        (0..count).for_each(|_| work());
        best = best.min(thread_cpu_seconds() - begin);
    }
    count as f64 / best
}

fn main() {
    let print = |what: &str, size: usize, rate: f64| {
        println!("{{\"what\": \"{what}\", \"base\": {size}, \"per_cpu_second\": {rate:.0}}}");
    };
    for size in [6, 8, 10] {
        let game = Havannah::new(size, false);
        let mut rng = Rng::new(1);
        let root = game.initial_state(&mut rng);
        let mut state = root.clone();
        let count = if size == 6 { 100_000 } else { 40_000 };
        for (what, wanted) in [("uniform playouts", false), ("uniform playouts with moves", true)] {
            let mut trace = Trace { wanted, ..Trace::default() };
            let rate = rate(count, || {
                state.clone_from(&root);
                trace.clear();
                black_box(game.uniform_playout(&mut state, &mut rng, &mut trace));
            });
            print(what, size, rate);
        }
        let rate_moves = rate(count / 4, || {
            state.clone_from(&root);
            while game.outcome(&state).is_none() {
                let mv = game.random_move(&state, &mut rng);
                game.play(&mut state, mv);
            }
            black_box(game.outcome(&state));
        });
        print("playouts move by move", size, rate_moves);
        // What the policy `mate` asks for: the figures at hand around the last two stones, early in the game.
        let (mut last, mut found) = ([None; 2], Vec::new());
        let rate_mate = rate(count / 4, || {
            state.clone_from(&root);
            last = [None; 2];
            let mut early = game.cells() / 3;
            while game.outcome(&state).is_none() {
                let side = game.side_to_move(&state);
                if early > 0 {
                    early -= 1;
                    found.clear();
                    game.completing(&state, side, last[side.index()], &mut found);
                    game.completing(&state, side.other(), last[1 - side.index()], &mut found);
                    black_box(&found);
                }
                let mv = game.random_move(&state, &mut rng);
                last[side.index()] = Some(mv);
                game.play(&mut state, mv);
            }
        });
        print("playouts asking for completing cells", size, rate_mate);
    }
}
