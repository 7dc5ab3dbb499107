//! Measures uniform playouts of the small games on one thread: states per CPU second, as JSON lines.
//!
//! `cargo run --release --no-default-features --example small_games [GAME ...]`

use coppice::catalogue;
use coppice::game::{Game, Trace, Variant};
use coppice::games::{Visitor, with_game};
use coppice::spec::Family;
use coppice::types::{Result, Rng, thread_cpu_seconds};

const REPEATS: usize = 5;
const SECONDS: f64 = 0.4;

/// Plays whole games from the start: by `uniform_playout`, and move by move through the trait.
struct Measure;

impl Visitor for Measure {
    /// States per CPU second in either way, and the mean length of a game.
    type Out = (f64, f64, f64);

    fn visit<G: Game>(self, variant: Variant<G>) -> (f64, f64, f64) {
        let mut rng = Rng::new(1);
        let start = variant.game.initial_state(&mut rng);
        let (playout, length) = best(|| {
            let mut trace = Trace::default();
            variant.uniform_playout(&mut start.clone(), &mut rng, &mut trace);
            trace.states
        });
        let mut moves = Vec::new();
        let (stepwise, _) = best(|| {
            let (mut state, mut states) = (start.clone(), 0);
            while variant.outcome(&state).is_none() {
                moves.clear();
                variant.game.legal_moves(&state, &mut moves);
                variant.game.play(&mut state, moves[rng.below(moves.len())]);
                states += 1;
            }
            states
        });
        (playout, stepwise, length)
    }
}

/// The best rate of several runs, which other programs on the machine disturb least, and the mean length.
fn best(mut game: impl FnMut() -> u64) -> (f64, f64) {
    let (mut rate, mut states, mut games) = (0.0f64, 0, 0);
    for _ in 0..REPEATS {
        let (begin, before) = (thread_cpu_seconds(), states);
        let seconds = loop {
            for _ in 0..1000 {
                states += game();
                games += 1;
            }
            let seconds = thread_cpu_seconds() - begin;
            if seconds >= SECONDS {
                break seconds;
            }
        };
        rate = rate.max((states - before) as f64 / seconds);
    }
    (rate, states as f64 / games as f64)
}

fn main() -> Result<()> {
    let mut specs: Vec<String> = std::env::args().skip(1).collect();
    if specs.is_empty() {
        let names = ["breakthrough", "knightthrough", "domineering", "nogo", "atari_go", "tic_tac_toe"];
        specs = names.iter().map(|name| name.to_string()).collect();
    }
    for spec in specs {
        let spec = catalogue::read(Family::Game, &spec)?;
        let (playout, stepwise, length) = with_game(&spec, Measure)?;
        println!(
            "{{\"game\": \"{spec}\", \"playout_states_per_cpu_second\": {playout:.0}, \
             \"stepwise_states_per_cpu_second\": {stepwise:.0}, \"mean_length\": {length:.2}}}"
        );
    }
    Ok(())
}
