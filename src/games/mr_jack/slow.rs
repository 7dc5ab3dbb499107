//! A slow enumerator of what can follow a position, written from the rules alone: the generator's oracle.
//!
//! It shares nothing with the generator but the facts of the board and the public fields of the state, steps
//! from hex to hex, and compares positions rather than moves.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::MrJack;
use super::board::{BERT, DIRECTIONS, EXIT_NAMES, GOODLEY, GULL, HOLMES, LESTRADE};
use super::board::{FIRST_LAMP, SMITH, STEALTHY, WATSON};
use super::state::{End, State};
use crate::game::{Present, Rules};
use crate::types::{Move, Rng};

/// A position in which hexes are numbered as in the facts. `OUT` plus an exit: who has left.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    at: [usize; 8],
    lamps: Vec<(usize, u8)>,
    covers: Vec<usize>,
    cordons: Vec<usize>,
    facing: usize,
    innocent: Vec<bool>,
    seen: bool,
    turn: u8,
    step: u8,
    hand: Vec<usize>,
    takers: Vec<bool>,
    accused: Option<usize>,
    end: End,
}

const OUT: usize = 1000;

#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum Arrival {
    Free,
    Exit(usize),
    Accuse(usize),
}

struct House<'a> {
    game: &'a MrJack,
    loose: bool,
    gull_and: bool,
    every_turn: bool,
    number: HashMap<String, usize>,
    neighbours: Vec<[Option<usize>; 6]>,
    street: Vec<bool>,
    manholes: Vec<usize>,
    gates: Vec<usize>,
}

impl<'a> House<'a> {
    fn new(edition: &str, (every_turn, loose, gull_and): (bool, bool, bool), game: &'a MrJack) -> House<'a> {
        let text = include_str!("../../../python/coppice/data/mr_jack_board.json");
        let facts: Value = serde_json::from_str(text).unwrap();
        let hexes = facts["hexes"].as_array().unwrap();
        let name = |hex: &Value| hex["id"].as_str().unwrap().to_string();
        let number: HashMap<String, usize> =
            hexes.iter().enumerate().map(|(i, hex)| (name(hex), i)).collect();
        let row = |hex: &Value| {
            DIRECTIONS.map(|direction| hex["neighbours"][direction].as_str().map(|next| number[next]))
        };
        House {
            game,
            loose,
            gull_and,
            every_turn,
            neighbours: hexes.iter().map(row).collect(),
            street: hexes.iter().map(|hex| hex["walkable"].as_bool().unwrap()).collect(),
            manholes: facts["editions"][edition]["manholes"]
                .as_object()
                .unwrap()
                .keys()
                .map(|m| number[m])
                .collect(),
            gates: EXIT_NAMES
                .map(|exit| number[facts["exits"][exit]["attached_to"].as_str().unwrap()])
                .to_vec(),
            number,
        }
    }

    fn hex(&self, cell: usize) -> usize {
        self.number[self.game.map.name(cell)]
    }

    fn world(&self, state: &State) -> World {
        let place = |&at: &u8| if at >= 60 { OUT + at as usize - 60 } else { self.hex(at as usize) };
        let mut lamps: Vec<(usize, u8)> = (0..8)
            .filter(|&lamp| state.tiles[lamp] != 0)
            .map(|lamp| (self.hex(FIRST_LAMP + lamp), state.tiles[lamp]))
            .collect();
        lamps.sort();
        let mut covers: Vec<usize> =
            (0..60).filter(|cell| state.covers >> cell & 1 == 1).map(|cell| self.hex(cell)).collect();
        covers.sort();
        World {
            at: state.at.each_ref().map(place),
            lamps,
            covers,
            cordons: (0..4).filter(|exit| state.cordons >> exit & 1 == 1).collect(),
            facing: state.facing as usize,
            innocent: (0..8).map(|c| state.innocent >> c & 1 == 1).collect(),
            seen: state.seen,
            turn: state.turn,
            step: state.step,
            hand: (0..8).filter(|c| state.hand >> c & 1 == 1).collect(),
            takers: (0..state.drawn).map(|i| state.takers >> i & 1 == 1).collect(),
            accused: (0..8).find(|c| state.accused >> c & 1 == 1),
            end: state.end,
        }
    }

    fn detective_moves(&self, world: &World) -> bool {
        let order = if world.turn % 2 == 1 { "DJJD" } else { "JDDJ" };
        order.as_bytes()[world.step as usize] == b'D'
    }

    /// Steps from a hex to every hex, at most `limit`.
    fn steps(&self, from: usize, limit: usize, sewers: &[usize], crossing: bool) -> HashMap<usize, usize> {
        let mut steps = HashMap::from([(from, 0)]);
        let mut queue = VecDeque::from([from]);
        while let Some(hex) = queue.pop_front() {
            if steps[&hex] == limit {
                continue;
            }
            let mut next: Vec<usize> = self.neighbours[hex].iter().flatten().copied().collect();
            next.retain(|&hex| crossing || self.street[hex]);
            if sewers.contains(&hex) {
                next.extend(sewers);
            }
            for other in next {
                if !steps.contains_key(&other) {
                    steps.insert(other, steps[&hex] + 1);
                    queue.push_back(other);
                }
            }
        }
        steps
    }

    fn walks(&self, world: &World, state: &State, character: usize) -> Vec<(World, Arrival)> {
        let open: Vec<usize> = self.manholes.iter().filter(|m| !world.covers.contains(m)).copied().collect();
        let limit = if character == STEALTHY { 4 } else { 3 };
        let steps = self.steps(world.at[character], limit, &open, character == STEALTHY);
        let mut out = Vec::new();
        for (&hex, &count) in &steps {
            if !self.street[hex] {
                continue;
            }
            let mut next = world.clone();
            next.at[character] = hex;
            let here = (0..8).find(|&other| other != character && world.at[other] == hex);
            match here {
                None if count > 0 => out.push((next, Arrival::Free)),
                Some(other) if self.detective_moves(world) => {
                    next.accused = Some(other);
                    next.end = if other == state.jack as usize { End::Arrest } else { End::FalseAccusation };
                    out.push((next, Arrival::Accuse(other)));
                }
                _ => {}
            }
            let leaves = !self.detective_moves(world)
                && character == state.jack as usize
                && !world.seen
                && count < limit;
            for exit in 0..4 {
                if leaves && self.gates[exit] == hex && !world.cordons.contains(&exit) {
                    let mut next = world.clone();
                    next.at[character] = OUT + exit;
                    next.end = End::Escape;
                    out.push((next, Arrival::Exit(exit)));
                }
            }
        }
        out
    }

    /// The powers that may be used before or after the move.
    fn powers(&self, world: &World, character: usize) -> Vec<World> {
        let mut out = Vec::new();
        match character {
            SMITH => {
                for (i, &(_, tile)) in world.lamps.iter().enumerate() {
                    for lamp in (0..8).map(|lamp| self.hex(FIRST_LAMP + lamp)) {
                        if world.lamps.iter().all(|&(hex, _)| hex != lamp) {
                            let mut next = world.clone();
                            next.lamps[i] = (lamp, tile);
                            next.lamps.sort();
                            out.push(next);
                        }
                    }
                }
            }
            LESTRADE => {
                for i in 0..2 {
                    for exit in (0..4).filter(|exit| !world.cordons.contains(exit)) {
                        let mut next = world.clone();
                        next.cordons[i] = exit;
                        next.cordons.sort();
                        out.push(next);
                    }
                }
            }
            BERT => {
                for i in 0..2 {
                    for &manhole in self.manholes.iter().filter(|m| !world.covers.contains(m)) {
                        let mut next = world.clone();
                        next.covers[i] = manhole;
                        next.covers.sort();
                        out.push(next);
                    }
                }
            }
            GOODLEY => out = self.whistles(world),
            _ => {}
        }
        out
    }

    fn whistles(&self, world: &World) -> Vec<World> {
        let distance = self.steps(world.at[GOODLEY], usize::MAX, &[], false);
        let ends: Vec<Vec<(usize, usize)>> = (0..8)
            .map(|c| {
                let from = world.at[c];
                let near = if c == GOODLEY { HashMap::new() } else { self.steps(from, 3, &[], false) };
                near.into_iter().filter(|(hex, _)| distance[hex] < distance[&from]).collect()
            })
            .collect();
        let mut found: Vec<(usize, World)> = Vec::new();
        self.call(world, &ends, 0, 3, &mut Vec::new(), &mut found);
        let most = found.iter().map(|(sum, _)| *sum).max().unwrap();
        let least = if self.loose { most.min(1) } else { most };
        let mut out = Vec::new();
        for (_, next) in found.into_iter().filter(|(sum, _)| (least..=most).contains(sum)) {
            self.turn_lantern(world, next, &mut out);
        }
        out
    }

    /// Who has displaced Watson chooses his facing.
    fn turn_lantern(&self, before: &World, after: World, out: &mut Vec<World>) {
        if before.at[WATSON] == after.at[WATSON] {
            out.push(after);
            return;
        }
        for facing in 0..6 {
            out.push(World { facing, ..after.clone() });
        }
    }

    fn call(
        &self,
        world: &World,
        ends: &[Vec<(usize, usize)>],
        character: usize,
        left: usize,
        movers: &mut Vec<(usize, usize)>,
        found: &mut Vec<(usize, World)>,
    ) {
        if character == 8 {
            let mut at = world.at;
            if in_some_order(&mut at, movers) {
                found.push((3 - left, World { at, ..world.clone() }));
            }
            return;
        }
        self.call(world, ends, character + 1, left, movers, found);
        for &(hex, cost) in &ends[character] {
            if cost <= left {
                movers.push((character, hex));
                self.call(world, ends, character + 1, left - cost, movers, found);
                movers.pop();
            }
        }
    }

    /// What must or may follow a move.
    fn afterwards(&self, world: &World, character: usize) -> Vec<World> {
        let mut out = Vec::new();
        match character {
            HOLMES => {
                let mut next = world.clone();
                next.takers.push(!self.detective_moves(world));
                out.push(next);
            }
            WATSON => out.extend((0..6).map(|facing| World { facing, ..world.clone() })),
            STEALTHY => out.push(world.clone()),
            GULL => {
                out.push(world.clone());
                if self.gull_and {
                    out.extend(self.swaps(world));
                }
            }
            _ => out = self.powers(world, character),
        }
        out
    }

    fn swaps(&self, world: &World) -> Vec<World> {
        let mut out = Vec::new();
        for partner in (0..8).filter(|&c| c != GULL) {
            let mut next = world.clone();
            next.at.swap(GULL, partner);
            self.turn_lantern(world, next, &mut out);
        }
        out
    }

    fn visible(&self, world: &World) -> Vec<bool> {
        let mut beam = Vec::new();
        let mut hex = world.at[WATSON];
        while let Some(next) = self.neighbours[hex][world.facing].filter(|&next| self.street[next]) {
            beam.push(next);
            hex = next;
        }
        (0..8)
            .map(|c| {
                let next: Vec<usize> = self.neighbours[world.at[c]].iter().flatten().copied().collect();
                beam.contains(&world.at[c])
                    || world.lamps.iter().any(|(lamp, _)| next.contains(lamp))
                    || world.at.iter().any(|at| next.contains(at))
            })
            .collect()
    }

    fn finish(&self, mut world: World, state: &State, character: usize) -> World {
        world.hand.retain(|&card| card != character);
        if world.end != End::None {
            return world;
        }
        if world.step < 3 {
            world.step += 1;
            return world;
        }
        if world.turn == 8 {
            world.end = End::Survival;
            return world;
        }
        if self.every_turn || world.turn % 2 == 0 {
            let visible = self.visible(&world);
            world.seen = visible[state.jack as usize];
            for (innocent, visible) in world.innocent.iter_mut().zip(visible) {
                *innocent |= visible != world.seen;
            }
        }
        let turn = world.turn;
        world.lamps.retain(|&(_, tile)| turn > 4 || tile != turn);
        world.turn += 1;
        world.step = 0;
        let dealt = if turn % 2 == 1 { state.next } else { state.deals[turn as usize / 2 - 1] };
        world.hand = (0..8).filter(|c| dealt >> c & 1 == 1).collect();
        world
    }

    fn successors(&self, state: &State) -> HashSet<World> {
        let world = self.world(state);
        let mut out = HashSet::new();
        for &character in &world.hand {
            let mut results = Vec::new();
            let mut ways = HashSet::new();
            let mut stuck = true;
            for (next, arrival) in self.walks(&world, state, character) {
                ways.insert(arrival);
                if arrival == Arrival::Free {
                    stuck = false;
                    results.extend(self.afterwards(&next, character));
                } else {
                    results.push(next);
                }
            }
            for before in self.powers(&world, character) {
                for (next, arrival) in self.walks(&before, state, character) {
                    stuck &= arrival != Arrival::Free;
                    // What ends the game uses the power only where it must.
                    if arrival == Arrival::Free || !ways.contains(&arrival) {
                        results.push(next);
                    }
                }
            }
            if stuck {
                results.extend(self.afterwards(&world, character));
            }
            if character == GULL && !self.gull_and {
                results.extend(self.swaps(&world));
            }
            out.extend(results.into_iter().map(|next| self.finish(next, state, character)));
        }
        out
    }
}

/// Moves everybody so that each ends on a hex free at that moment, in some order.
fn in_some_order(at: &mut [usize; 8], movers: &[(usize, usize)]) -> bool {
    if movers.is_empty() {
        return true;
    }
    (0..movers.len()).any(|i| {
        let (character, hex) = movers[i];
        if at.contains(&hex) {
            return false;
        }
        let mut next = *at;
        next[character] = hex;
        let rest: Vec<_> = movers.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, &m)| m).collect();
        let possible = in_some_order(&mut next, &rest);
        if possible {
            *at = next;
        }
        possible
    })
}

/// Somewhere in a random game, every step being as likely.
fn random_position(game: &MrJack, rng: &mut Rng) -> State {
    loop {
        let mut state = game.initial_state(rng);
        for _ in 0..rng.below(32) {
            if game.outcome(&state).is_none() {
                let mv = game.random_decisive_move(&state, rng);
                game.play(&mut state, mv);
            }
        }
        if rng.below(4) == 0 {
            // Crowded: everybody within a few steps of one street, where hexes are contested.
            let streets = game.map.ball[rng.below(60)][4];
            let mut places: Vec<u8> = (0..60).filter(|street| streets >> street & 1 == 1).collect();
            rng.shuffle(&mut places);
            state.at.iter_mut().zip(places).for_each(|(at, place)| *at = place);
        }
        if game.outcome(&state).is_none() {
            return state;
        }
    }
}

fn compare(edition: &str, options: (bool, bool, bool), positions: usize, seed: u64) {
    let game = MrJack::new(edition, options.0, options.1, options.2).unwrap();
    let house = House::new(edition, options, &game);
    let mut rng = Rng::new(seed);
    let mut whistles = 0;
    for _ in 0..positions {
        let state = random_position(&game, &mut rng);
        let mut moves: Vec<Move> = Vec::new();
        game.legal_moves(&state, &mut moves);
        let mut reached = HashSet::new();
        for &mv in &moves {
            let mut next = state;
            game.play(&mut next, mv);
            let new = reached.insert(house.world(&next));
            // What ends a turn may take away again what tells two decisions apart.
            let apart = new || state.step == 3;
            assert!(apart, "{} leads where another decision leads", game.move_name(&state, mv));
        }
        let expected = house.successors(&state);
        if reached != expected {
            let extra = reached.difference(&expected).next();
            let lacking = expected.difference(&reached).next();
            panic!("{}\nextra {extra:?}\nlacking {lacking:?}", game.state_text(&state));
        }
        whistles += (state.hand >> GOODLEY & 1) as usize;
    }
    assert!(whistles * 4 > positions, "Goodley was in hand in {whistles} of {positions} positions");
}

#[test]
fn the_generator_equals_the_slow_enumerator() {
    compare("first_2006", (true, false, false), 300, 1);
}

#[test]
fn the_generator_equals_the_slow_enumerator_in_every_variant() {
    compare("revised", (true, false, false), 40, 2);
    compare("first_2006", (false, false, true), 40, 3);
    compare("first_2006", (true, true, false), 20, 4);
    compare("revised", (false, true, true), 20, 5);
}
