//! Tests of the search with hidden information, on Mr Jack.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::catalogue;
use crate::game::{Game, Rules, Secrets, Stages};
use crate::games::mr_jack::MrJack;
use crate::games::mr_jack::moves::{ACCUSE, character_of, destination_of};
use crate::games::mr_jack::state::{DETECTIVE, JACK, State};
use crate::player;
use crate::search::Search;
use crate::spec::Family;
use crate::tree::{NodeId, ROOT};
use crate::types::{Limit, Move, Rng, Side};

fn rules() -> Arc<Rules<MrJack>> {
    let game = MrJack::new("first_2006", true, false, false).unwrap();
    Arc::new(Rules { game, misere: false })
}

fn search(rules: &Arc<Rules<MrJack>>, state: &State, spec: &str, simulations: u64) -> Search<MrJack> {
    let spec = catalogue::read(Family::Player, spec).unwrap();
    let player = player::build(&spec, rules).unwrap();
    let mut search = player.think(rules, state, Rng::new(3)).unwrap();
    search.run(&Limit::simulations(simulations), &Arc::new(AtomicBool::new(false)));
    search
}

/// A state after some random moves that end nothing, with `side` to move.
fn state_for(rules: &Rules<MrJack>, side: Side, seed: u64, moves: usize) -> State {
    let game = &rules.game;
    for attempt in 0.. {
        let mut rng = Rng::stream(&[seed, attempt]);
        let mut state = game.initial_state(&mut rng);
        for _ in 0..moves {
            if game.outcome(&state).is_none() {
                let key = game.safe_key(&state, &mut rng);
                let mv = Stages::random_use(game, &state, key, &mut rng);
                game.play(&mut state, mv);
            }
        }
        if game.outcome(&state).is_none() && game.side_to_move(&state) == side {
            return state;
        }
    }
    unreachable!("there is always such a state")
}

#[test]
fn speed() {
    let rules = rules();
    for player in ["jack_v1", "jack_v2", "jack_v3"] {
        let state = state_for(&rules, DETECTIVE, 1, 0);
        let s = search(&rules, &state, player, 20_000);
        let r = s.report();
        println!(
            "{player} {:.0}/s nodes {} depth? states {} best {}",
            20_000.0 / r.seconds,
            r.nodes,
            r.states,
            rules.game.move_name(&state, r.best)
        );
        for m in r.moves.iter().take(5) {
            println!("   {} {} {:.3}", rules.game.move_name(&state, m.mv), m.visits, m.mean().unwrap());
        }
    }
}
