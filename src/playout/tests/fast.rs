//! Every faster way through a playout makes the same simulations as the plain one, from the same random numbers.

use super::super::*;
use super::pairs::{Board, GAMES, POLICIES, probed};
use crate::catalogue;
use crate::games::havannah::Havannah;
use crate::games::{Visitor, with_game};
use crate::spec::Family;

/// Runs a check in every game of the table, and gathers what is wrong.
fn in_every_game<V: Visitor<Out = Vec<String>>>(check: impl Fn() -> V) {
    let mut wrong = Vec::new();
    for text in GAMES {
        let found = with_game(&catalogue::read(Family::Game, text).unwrap(), check()).unwrap();
        wrong.extend(found.into_iter().map(|what| format!("{text}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Forms of policies that go another way than their default.
const FORMS: &[&str] = &["last_good_reply(published=true)", "last_good_reply(scope=per_node, forget=false)"];

/// The way of a policy that is the only one of its chain: `run_solo`.
struct Solo;

impl Visitor for Solo {
    type Out = Vec<String>;

    fn visit<G: Game>(self, variant: Variant<G>) -> Vec<String> {
        let board = Board::new(variant);
        let served = POLICIES.iter().chain(FORMS).filter(|text| board.chain(text).is_ok());
        let chains = served.flat_map(|text| [text.to_string(), format!("rings+{text}")]);
        let mut wrong = Vec::new();
        for text in chains.filter(|text| board.chain(text).is_ok()) {
            for at in 0..5 {
                let fast = board.simulations(board.chain(&text).unwrap(), at);
                // A probe has no way of its own: it is asked at every turn.
                let slow = board.simulations(probed(board.chain(&text).unwrap()).0, at);
                if fast != slow {
                    wrong.push(format!("{text} in search {at}"));
                }
            }
        }
        wrong
    }
}

#[test]
fn a_policy_alone_plays_as_if_it_were_asked_at_every_turn() {
    in_every_game(|| Solo);
}

#[test]
fn a_chain_that_is_compiled_as_a_whole_plays_as_its_links() {
    let board = Board::new(Variant { game: Havannah::new(4, false), misere: false });
    let chain = "threats+bridge+last_good_reply";
    for at in 0..5 {
        let whole = board.chain(chain).unwrap();
        let links = board.chain(&format!("{chain}+uniform")).unwrap();
        assert_eq!((whole.links.len(), links.links.len()), (1, 3));
        assert_eq!(board.simulations(whole, at), board.simulations(links, at), "search {at}");
    }
}

/// A policy that never has a say, so that a base of it is uniform without being known for it.
struct Silent;

impl<G: Game> PlayoutPolicy<G> for Silent {
    fn choose(&mut self, _turn: &Turn<G>, _rng: &mut Rng) -> Answer {
        Answer::Pass
    }
}

struct Scans;

impl Visitor for Scans {
    type Out = Vec<String>;

    fn visit<G: Game>(self, variant: Variant<G>) -> Vec<String> {
        let board = Board::new(variant);
        let mut wrong = Vec::new();
        for text in [
            "nested(level=1)",
            "nested(level=1, order=fixed)",
            "nested(level=1, cut_on_win=1)",
            "nested(level=1, discount=true, prune_on_depth=1)",
        ] {
            let Ok(fast) = board.chain(text) else { continue };
            let spec = catalogue::read(Family::Playout, text).unwrap();
            let silent = Chain {
                links: vec![Box::new(Silent)],
                spoken: Vec::new(),
                resting: vec![false],
                rings: None,
            };
            let nested = nested::Nested::new(&Options::new(&spec.parts[0]), silent, &board.variant).unwrap();
            let slow = Chain {
                links: vec![Box::new(nested)],
                spoken: Vec::new(),
                resting: vec![false],
                rings: None,
            };
            if board.simulations(fast, 1) != board.simulations(slow, 1) {
                wrong.push(text.to_string());
            }
        }
        wrong
    }
}

#[test]
fn a_nested_playout_on_uniform_ones_plays_as_if_each_move_were_asked_for() {
    in_every_game(|| Scans);
}
