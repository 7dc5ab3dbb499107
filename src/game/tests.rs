//! A toy game with hidden cards: what a side sees, and what a search may know.

use super::*;
use crate::catalogue;
use crate::search::Search;
use crate::spec::{Family, Options, PartInfo};
use crate::tree::ROOT;
use crate::types::{Error, Limit, Move, Outcome, Result, Rng, Side};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A toy with a hidden card: each side is dealt one of five cards and says `high` or `low` of its own;
/// then the higher card wins for whoever told the truth more often. Enough secrets to test what a side sees.
struct Cards;

#[derive(Clone, Debug, PartialEq)]
struct Dealt {
    cards: [u8; 2],
    said: Vec<bool>,
}

impl Rules for Cards {
    const INFO: PartInfo = PartInfo { name: "cards", options: &[], positional: None, doc: "a toy" };

    type State = Dealt;

    fn from_options(_options: &Options) -> Result<Cards> {
        Ok(Cards)
    }

    fn initial_state(&self, rng: &mut Rng) -> Dealt {
        let mut deck = [0, 1, 2, 3, 4];
        rng.shuffle(&mut deck);
        Dealt { cards: [deck[0], deck[1]], said: Vec::new() }
    }

    fn side_to_move(&self, state: &Dealt) -> Side {
        Side::BOTH[state.said.len() % 2]
    }

    fn legal_moves(&self, state: &Dealt, moves: &mut Vec<Move>) {
        if state.said.len() < 2 {
            moves.extend([Move(0), Move(1)]);
        }
    }

    fn play(&self, state: &mut Dealt, mv: Move) {
        state.said.push(mv.0 == 1);
    }

    fn outcome(&self, state: &Dealt) -> Option<Outcome> {
        let winner = if state.cards[0] > state.cards[1] { Side::First } else { Side::Second };
        (state.said.len() == 2).then_some(Outcome::Win(winner))
    }

    fn key(&self, state: &Dealt) -> u64 {
        state.said.len() as u64
    }
}

impl Present for Cards {
    fn end_kind(&self, state: &Dealt) -> &'static str {
        if self.outcome(state).is_some() { "higher" } else { "" }
    }

    fn move_name(&self, _state: &Dealt, mv: Move) -> String {
        ["low", "high"][mv.0 as usize].to_string()
    }

    fn state_text(&self, state: &Dealt) -> String {
        format!("{} {}", state.cards[0], state.cards[1])
    }

    fn parse_state(&self, _text: &str) -> Result<Dealt> {
        Err(Error::new("cards are dealt, not written"))
    }

    fn board(&self) -> Board {
        Board::new(Shape::Square, Vec::new())
    }

    fn pieces(&self, _state: &Dealt) -> Vec<Piece> {
        Vec::new()
    }

    fn move_cells(&self, _state: &Dealt, _mv: Move) -> Vec<usize> {
        Vec::new()
    }
}

impl FastPlay for Cards {}

impl Exact for Cards {}

impl Offers for Cards {
    const HIDDEN: bool = true;

    fn secrets(&self) -> Option<&dyn Secrets<Cards>> {
        Some(self)
    }
}

impl Secrets<Cards> for Cards {
    fn view(&self, state: &Dealt, side: Side) -> View {
        let said: Vec<&str> = state.said.iter().map(|&high| if high { "high" } else { "low" }).collect();
        let own = state.cards[side.index()].to_string();
        View { facts: vec![("card".to_string(), own), ("said".to_string(), said.join(" "))] }
    }

    fn determinize(&self, state: &Dealt, observer: Side, rng: &mut Rng) -> Dealt {
        let mut world = state.clone();
        let own = state.cards[observer.index()];
        let others: Vec<u8> = (0..5).filter(|&card| card != own).collect();
        world.cards[observer.other().index()] = others[rng.below(others.len())];
        world
    }

    fn own(&self, state: &Dealt, side: Side) -> u64 {
        state.cards[side.index()] as u64
    }

    fn decoys(&self, _state: &Dealt, _side: Side) -> usize {
        3
    }

    fn decoy(&self, state: &Dealt, side: Side, k: usize) -> Dealt {
        let mut world = state.clone();
        let others: Vec<u8> = (0..5).filter(|card| !state.cards.contains(card)).collect();
        world.cards[side.index()] = others[k];
        world
    }

    fn with_own(&self, state: &Dealt, side: Side, own: u64) -> Dealt {
        let mut world = state.clone();
        world.cards[side.index()] = own as u8;
        world
    }

    fn free_draws(&self, _state: &mut Dealt) {}
}

/// Searches the toy for the first side, which holds a 2.
fn searched(player: &str) -> Search<Cards> {
    let variant = Arc::new(Variant { game: Cards, misere: false });
    let spec = catalogue::read(Family::Player, player).unwrap();
    let player = crate::player::build(&spec, &variant).unwrap();
    let state = Dealt { cards: [2, 4], said: vec![] };
    let mut search = player.think(&variant, &state, Rng::new(1)).unwrap();
    search.run(&Limit::simulations(4000), &Arc::new(AtomicBool::new(false)));
    search
}

#[test]
fn a_search_knows_its_own_card_and_not_the_others() {
    for player in ["mcts(selection=uct(k=1))", "jack(candidates=full, playout=uniform, k_detective=1)"] {
        let search = searched(player);
        let report = search.report();
        // A 2 beats two of the other four cards, whatever is said.
        for stat in &report.moves {
            let mean = stat.mean().unwrap();
            assert!((mean - 0.5).abs() < 0.06, "{player}: {mean}");
        }
        // Half of the simulations are about another card of its own.
        let visits: u64 = report.moves.iter().map(|stat| stat.visits).sum();
        assert!((1850..2150).contains(&visits), "{player}: {visits}");
        // The other side knows its card: behind each move it has a node for each that it can hold.
        let worlds = search.worlds().unwrap();
        for edge in worlds.root_edges() {
            let behind = worlds.nodes_behind(ROOT, search.tree().mv(edge));
            let own: Vec<u64> = behind.iter().map(|&(_, own, _)| own).collect();
            assert_eq!(own, [0, 1, 3, 4], "{player}");
        }
    }
}

#[test]
fn an_informed_search_uses_the_truth_every_time() {
    let report =
        searched("jack(candidates=full, playout=uniform, worlds=sampled(opponent=informed))").report();
    assert_eq!(report.moves.iter().map(|stat| stat.visits).sum::<u64>(), 4000);
}

#[test]
fn a_view_shows_the_own_card_and_not_the_others() {
    let state = Dealt { cards: [2, 4], said: vec![true] };
    let other = Dealt { cards: [2, 0], said: vec![true] };
    assert_eq!(Cards.view(&state, Side::First), Cards.view(&other, Side::First));
    assert_ne!(Cards.view(&state, Side::Second), Cards.view(&other, Side::Second));
}

#[test]
fn determinize_keeps_the_view_and_draws_the_rest_evenly() {
    let state = Dealt { cards: [2, 4], said: vec![] };
    let mut rng = Rng::new(5);
    let mut seen = [0; 5];
    for _ in 0..8000 {
        let world = Cards.determinize(&state, Side::First, &mut rng);
        assert_eq!(Cards.view(&world, Side::First), Cards.view(&state, Side::First));
        seen[world.cards[1] as usize] += 1;
    }
    assert_eq!(seen[2], 0, "both sides hold one card");
    // 2,000 expected, standard deviation 39.
    assert!([0, 1, 3, 4].iter().all(|&card| (1800..2200).contains(&seen[card])), "{seen:?}");
}

#[test]
fn an_unbounded_limit_is_known_as_one() {
    assert!(Limit::default().is_unbounded() && !Limit::simulations(1).is_unbounded());
}
