//! Every pair of policies in every game: it is refused, or both have a say.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::*;
use crate::games::{self, MISERE, Visitor, with_game};
use crate::scripts::PlayerFiles;
use crate::search::{Expansion, Final, Growing, Growth, Logged, Order, Parts, Search, Settings};
use crate::selection::{self, FirstPlay, GameFacts};
use crate::spec::Family;
use crate::types::Limit;
use crate::{candidates, catalogue, worlds};

/// Every policy of the catalogue, with options with which it has a say in a small game after few simulations.
pub const POLICIES: &[&str] = &[
    "uniform",
    "ppr",
    "ppr(default_pruning=none, p=0.5)",
    "pool_rave(visits=5, seen=2, p=0.5)",
    "last_good_reply",
    "mast",
    "mast(select=gibbs)",
    "nast",
    "nast(select=gibbs)",
    "mate(c=1)",
    "threats",
    "threats(moves=4)",
    "rave_playout",
    "corner_bias",
    "proximity",
    "contextual(seen=2)",
    "bridge",
    "rings",
    "patterns",
    "ppa",
    "decisive",
    "minimax",
    "minimax(depth=2)",
    "nested",
    "scripted",
    "cutoff(n=2)",
];

/// Every game of the catalogue, small.
pub const GAMES: &[&str] = &[
    "tic_tac_toe",
    "domineering(rows=4, columns=4)",
    "havannah(size=4)",
    "hex(size=4)",
    "breakthrough(rows=5, columns=3)",
    "knightthrough(rows=8, columns=4)",
    "nogo(rows=4, columns=4)",
    "atari_go(rows=4, columns=4)",
    "atari_go(suicide=loses, start=cross_cut)",
    "mr_jack",
    "misere(havannah(size=3))",
    "misere(domineering(rows=4, columns=4))",
];

/// In these games no move wins at once, so that there is nothing for this policy to say, alone or not.
const SILENT: (&str, &str) = (MISERE.name, "decisive");

/// The searches in which a policy may show itself: plies of random moves before them, and simulations.
const SEARCHES: &[(usize, u64)] =
    &[(0, 12), (2, 60), (4, 60), (6, 150), (3, 600), (8, 600), (12, 150), (16, 150), (20, 150)];

/// A link that is asked at every turn, and how often it has answered.
pub struct Probe<G: Game> {
    pub link: Box<dyn PlayoutPolicy<G>>,
    pub answers: Arc<AtomicUsize>,
}

impl<G: Game> PlayoutPolicy<G> for Probe<G> {
    fn layout(&self) -> Layout {
        self.link.layout()
    }
    fn begin(&mut self, leaf: &Leaf<G>, rng: &mut Rng) {
        self.link.begin(leaf, rng);
    }
    fn begin_again(&mut self) {
        self.link.begin_again();
    }
    fn choose(&mut self, turn: &Turn<G>, rng: &mut Rng) -> Answer {
        let answer = self.link.choose(turn, rng);
        if ![Answer::Pass, Answer::Rest].contains(&answer.if_legal(turn)) {
            self.answers.fetch_add(1, Ordering::Relaxed);
        }
        answer
    }
    fn observe(&mut self, root: &Here<G>, simulation: &Simulation) {
        self.link.observe(root, simulation);
    }
    fn new_root(&mut self) {
        self.link.new_root();
    }
}

/// The chain with a probe around each link, and what they count.
pub fn probed<G: Game>(mut chain: Chain<G>) -> (Chain<G>, Vec<Arc<AtomicUsize>>) {
    let counts: Vec<Arc<AtomicUsize>> = chain.links.iter().map(|_| Arc::default()).collect();
    let probes = chain.links.into_iter().zip(&counts).map(|(link, answers)| {
        Box::new(Probe { link, answers: answers.clone() }) as Box<dyn PlayoutPolicy<G>>
    });
    chain.links = probes.collect();
    (chain, counts)
}

/// A game and the positions that are searched.
pub struct Board<G: Game> {
    pub variant: Arc<Variant<G>>,
    positions: Vec<G::State>,
}

impl<G: Game> Board<G> {
    pub fn new(variant: Variant<G>) -> Board<G> {
        let positions = SEARCHES.iter().map(|&(plies, _)| {
            let mut rng = Rng::stream(&[3, plies as u64]);
            let mut state = variant.game.initial_state(&mut rng);
            for _ in 0..plies {
                let mut next = state.clone();
                variant.game.play_random(&mut next, &mut rng);
                if variant.outcome(&next).is_some() {
                    break;
                }
                state = next;
            }
            state
        });
        Board { positions: positions.collect(), variant: Arc::new(variant) }
    }

    /// What `text` names, or why the game or the search refuses it.
    pub fn chain(&self, text: &str) -> Result<Chain<G>> {
        let player = catalogue::read(Family::Player, &format!("mcts(playout={text})"))?;
        catalogue::build_player(&player, &self.variant)?;
        build(
            &catalogue::read(Family::Playout, text)?,
            &Context { variant: &self.variant, files: &PlayerFiles::default(), game_seed: 1 },
        )
    }

    /// The simulations of search number `at` with this chain.
    pub fn simulations(&self, chain: Chain<G>, at: usize) -> Vec<Logged> {
        let variant = &self.variant;
        let facts = GameFacts { game: G::INFO.name, slots: variant.game.slots(), near: None };
        let first_play = FirstPlay { urgency: None, stays: false };
        let uct = catalogue::read(Family::Selection, "uct").unwrap();
        let selection = selection::Context { first_play, ties_first: false, facts: &facts };
        let selection = selection::build(&uct, &selection).unwrap();
        let settings = Settings {
            expansion: Expansion { at: 1, growth: Growth::One(Order::Random) },
            playout_until: 0,
            final_move: Final::Visits,
            transpositions: false,
            memory: 1 << 24,
            solve: false,
            play_on_when_lost: false,
            stop_early: false,
        };
        let root = self.positions[at].clone();
        let context = Context { variant, files: &PlayerFiles::default(), game_seed: 0 };
        let growing = G::HIDDEN.then(|| {
            let full = catalogue::read(Family::Candidates, "full").unwrap();
            let sampled = catalogue::read(Family::Worlds, "sampled").unwrap();
            let candidates = candidates::build(&full, &context).unwrap();
            Growing { candidates, worlds: worlds::build(&sampled, false, &context).unwrap() }
        });
        let (priors, tactics) = (Vec::new(), Vec::new());
        let parts = Parts { root: None, selection, priors, tactics, backup: None, growing, settings };
        let frame = parts.frame(&chain).unwrap();
        let mut search =
            Search::new(variant.clone(), root, parts, chain, frame, Rng::new(at as u64)).unwrap();
        search.keep_log();
        search.run(&Limit::simulations(SEARCHES[at].1), &Default::default());
        search.log().to_vec()
    }
}

/// What is wrong with the pairs of a game, but for a policy that must be silent there.
struct Pairs(Option<&'static str>);

impl Visitor for Pairs {
    type Out = Vec<String>;

    fn visit<G: Game>(self, variant: Variant<G>) -> Vec<String> {
        let board = Board::new(variant);
        let served: Vec<&str> = POLICIES.iter().copied().filter(|text| board.chain(text).is_ok()).collect();
        let mut alone: BTreeMap<(&str, usize), Vec<Logged>> = BTreeMap::new();
        let mut wrong = Vec::new();
        if let Some(silent) = self.0 {
            for at in 0..SEARCHES.len() {
                let (chain, counts) = probed(board.chain(silent).unwrap());
                board.simulations(chain, at);
                assert_eq!(counts[0].load(Ordering::Relaxed), 0, "{silent} has something to say");
            }
        }
        let heard: Vec<&str> = served.into_iter().filter(|&text| Some(text) != self.0).collect();
        for first in &heard {
            for later in &heard {
                let text = format!("{first}+{later}");
                if let Err(error) = board.chain(&text) {
                    let message = error.to_string();
                    let reasons =
                        ["never passes, so ", "never answers", "stands twice in a chain", "cannot stand"];
                    if !reasons.iter().any(|reason| message.contains(reason)) {
                        wrong.push(format!("{text}: refused without a reason: {message}"));
                    }
                    continue;
                }
                if *later == uniform::NAME {
                    // It is what every chain ends with.
                    for at in 0..3 {
                        let [with, without] = [&text[..], first].map(|text| board.chain(text).unwrap());
                        if board.simulations(with, at) != board.simulations(without, at) {
                            wrong.push(format!("{text}: another search than {first}"));
                        }
                    }
                    continue;
                }
                // Has answered; and the search is another without it.
                let (mut says, mut matters) = ([false; 2], [false; 2]);
                for at in 0..SEARCHES.len() {
                    let (chain, counts) = probed(board.chain(&text).unwrap());
                    let both = board.simulations(chain, at);
                    // The rule of rings is no link: nobody asks it.
                    let mut counts = counts.iter();
                    for (k, name) in [first, later].into_iter().enumerate() {
                        says[k] |= *name == rings::NAME || counts.next().unwrap().load(Ordering::Relaxed) > 0;
                    }
                    for (k, other) in [later, first].into_iter().enumerate() {
                        let alone = alone
                            .entry((other, at))
                            .or_insert_with(|| board.simulations(board.chain(other).unwrap(), at));
                        matters[k] |= *alone != both;
                    }
                    if says == [true; 2] && matters == [true; 2] {
                        break;
                    }
                }
                for (k, name) in [first, later].into_iter().enumerate() {
                    if !says[k] {
                        wrong.push(format!("{text}: {name} never answers"));
                    } else if !matters[k] {
                        wrong.push(format!("{text}: the same search without {name}"));
                    }
                }
            }
        }
        wrong
    }
}

#[test]
fn every_pair_of_policies_is_refused_or_both_have_a_say() {
    let mut wrong = Vec::new();
    for text in GAMES {
        let spec = catalogue::read(Family::Game, text).unwrap();
        let silent = (spec.parts[0].name == SILENT.0).then_some(SILENT.1);
        let dead = with_game(&spec, Pairs(silent)).unwrap();
        wrong.extend(dead.into_iter().map(|pair| format!("{text}: {pair}")));
    }
    assert!(wrong.is_empty(), "{} pairs:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_policy_and_every_game_takes_part_in_the_pairs() {
    let starts = |list: &[&str], name: &str| list.iter().any(|text| text.split('(').next() == Some(name));
    for info in infos() {
        assert!(starts(POLICIES, info.name), "{} stands in no row of POLICIES", info.name);
    }
    for info in games::infos() {
        assert!(starts(GAMES, info.name), "{} stands in no row of GAMES", info.name);
    }
    assert!(starts(GAMES, MISERE.name));
    // A row that no game serves would test nothing.
    struct Served;
    impl Visitor for Served {
        type Out = Vec<&'static str>;
        fn visit<G: Game>(self, variant: Variant<G>) -> Vec<&'static str> {
            let board = Board::new(variant);
            POLICIES.iter().copied().filter(|text| board.chain(text).is_ok()).collect()
        }
    }
    let games = GAMES.iter().map(|text| catalogue::read(Family::Game, text).unwrap());
    let served: Vec<&str> = games.flat_map(|spec| with_game(&spec, Served).unwrap()).collect();
    let unserved: Vec<_> = POLICIES.iter().filter(|text| !served.contains(text)).collect();
    assert!(unserved.is_empty(), "no game serves {unserved:?}");
}
