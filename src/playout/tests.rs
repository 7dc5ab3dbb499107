//! Each playout policy against numbers worked out by hand, on a Havannah board of size 4 (37 cells).
//!
//! Cells are numbered row by row: 0 to 3 are the first row, whose ends are corners; 4 to 8 the second; 18 the centre.

mod fast;
mod pairs;

use crate::game::Rules;
use std::cell::Cell;

use super::*;
use crate::catalogue;
use crate::games::havannah::Havannah;
use crate::spec::Family;
use crate::tree::{AmafFrom, AmafNeed, Layout, ROOT};
use crate::types::Limit;

const FIRST: Side = Side::First;
const SECOND: Side = Side::Second;

struct Table4 {
    variant: Arc<Variant<Havannah>>,
    chain: Chain<Havannah>,
    tree: Tree,
    rng: Rng,
}

impl Table4 {
    fn new(policy: &str, need: AmafNeed) -> Table4 {
        let variant = Arc::new(Variant { game: Havannah::new(4, false), misere: false });
        let spec = catalogue::read(Family::Playout, policy).unwrap();
        let chain =
            build(&spec, &Context { variant: &variant, files: &Default::default(), game_seed: 1 }).unwrap();
        let mut tree = Tree::new(37, Layout::amaf(need, AmafFrom::Simulation), 1 << 20, || 0);
        let all: Vec<Move> = (0..37).map(Move).collect();
        tree.add_edges(ROOT, &all, |mv| mv.0 as usize, true);
        Table4 { variant, chain, tree, rng: Rng::new(1) }
    }

    /// The state after these cells, the sides in turn.
    fn after(&self, cells: &[u32]) -> (<Havannah as Rules>::State, Vec<(Move, Side)>) {
        let mut state = self.variant.game.initial_state(&mut Rng::new(0));
        let mut moves = Vec::new();
        for &cell in cells {
            moves.push((Move(cell), self.variant.game.side_to_move(&state)));
            self.variant.game.play(&mut state, Move(cell));
        }
        (state, moves)
    }

    /// Begins a playout after `cells`, the first of which was chosen at the root.
    fn begin(&mut self, cells: &[u32], budget: Option<u64>) {
        let (state, _) = self.after(cells);
        let path: Vec<Step> =
            cells.iter().take(1).map(|&cell| Step { node: ROOT, edge: cell, side: FIRST }).collect();
        let leaf = Leaf {
            variant: &self.variant,
            state: &state,
            tree: &self.tree,
            path: &path,
            budget,
            done: 0,
            root_side: FIRST,
        };
        self.chain.begin(&leaf, &mut self.rng);
    }

    /// What the only link says after `cells`, of which the first `tree_moves` were made in the tree.
    fn says(&mut self, cells: &[u32], tree_moves: usize) -> Answer {
        let (state, moves) = self.after(cells);
        let clock = Clock::start(&Limit::default(), Default::default());
        let states = Cell::new(0);
        let turn = Turn {
            variant: &self.variant,
            state: &state,
            side: self.variant.game.side_to_move(&state),
            moves: &moves,
            tree_moves,
            clock: &clock,
            states: &states,
        };
        match self.chain.links[0].choose(&turn, &mut self.rng) {
            Answer::Preferred(mv) if self.variant.game.is_legal(&state, mv) => Answer::Move(mv),
            Answer::Preferred(_) => Answer::Pass,
            answer => answer,
        }
    }

    /// How often each cell is the answer in 20,000 turns; cell 37 stands for a pass.
    fn frequencies(&mut self, cells: &[u32]) -> Vec<f32> {
        let mut seen = vec![0.0; 38];
        for _ in 0..20_000 {
            match self.says(cells, 0) {
                Answer::Move(mv) => seen[mv.0 as usize] += 1.0 / 20_000.0,
                Answer::Pass => seen[37] += 1.0 / 20_000.0,
                other => panic!("{other:?}"),
            }
        }
        seen
    }

    fn observe(&mut self, cells: &[u32], tree_moves: usize, value: f32) {
        let (root, _) = self.after(&[]);
        let (_, moves) = self.after(cells);
        let slots: Vec<u16> = cells.iter().map(|&cell| cell as u16).collect();
        let path: Vec<Step> =
            (0..tree_moves).map(|k| Step { node: ROOT, edge: cells[k], side: Side::BOTH[k % 2] }).collect();
        let simulation =
            Simulation { path: &path, leaf: None, moves: &moves, slots: &slots, value, root_side: FIRST };
        self.chain.observe(&Here { variant: &self.variant, state: &root, last: None }, &simulation);
    }

    fn visit_root(&mut self, times: u32) {
        self.tree.add_visits(ROOT, times);
    }

    /// AMAF of the root: wins and visits of a cell.
    fn amaf(&mut self, by_mover: bool, cell: u16, wins: usize, visits: usize) {
        self.tree.add_amaf(ROOT, by_mover, &vec![cell; wins], 1.0);
        self.tree.add_amaf(ROOT, by_mover, &vec![cell; visits - wins], 0.0);
    }

    fn known(&self, name: &str, side: Option<Side>) -> Vec<(usize, f32)> {
        let tables = self.chain.tables(&self.tree);
        let table = tables.iter().find(|table| table.name == name && table.side == side).unwrap();
        table.values.iter().enumerate().filter_map(|(slot, value)| value.map(|value| (slot, value))).collect()
    }
}

/// Five standard deviations of 20,000 draws.
fn near(a: f32, b: f32) -> bool {
    (a - b).abs() < 0.018
}

#[test]
fn ppr_keeps_what_is_strictly_above_the_bound() {
    let mut table = Table4::new("ppr(p=1, default_pruning=none)", AmafNeed::Mover);
    table.visit_root(10);
    table.amaf(true, 0, 3, 10);
    table.amaf(true, 1, 1, 4);
    table.amaf(true, 2, 4, 4);
    table.amaf(true, 3, 0, 5);
    // 1 % of 1,000 is 10 visits: the root has them. Cell 2 is taken.
    table.begin(&[2], Some(1000));
    assert_eq!(table.says(&[2], 1), Answer::Move(Move(0)));
    assert_eq!(table.says(&[2, 0], 1), Answer::Pass);
    // 1 % of 1,001 is more than the root has.
    table.begin(&[2], Some(1001));
    assert_eq!(table.says(&[2], 1), Answer::Pass);
    let kept = table.known("kept", None);
    assert_eq!(kept.iter().filter(|&&(_, value)| value == 1.0).map(|&(s, _)| s).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(kept.len(), 37);
}

#[test]
fn ppr_takes_the_other_moves_from_the_last_part() {
    // With nothing in the list but cell 0, and that taken at once in 4 of 5 turns.
    let mut table = Table4::new("ppr(p=0.8)", AmafNeed::Mover);
    table.visit_root(10);
    table.amaf(true, 0, 10, 10);
    let mut seen = vec![0.0f32; 37];
    for _ in 0..5000 {
        table.begin(&[18], Some(1000));
        match table.says(&[18], 1) {
            Answer::Move(mv) => seen[mv.0 as usize] += 1.0 / 5000.0,
            other => panic!("{other:?}"),
        }
    }
    assert!((seen[0] - 0.8).abs() < 0.03, "{seen:?}");
    // Of 36 moves the numbers from 0.8 * 36 = 28.8 on: cells 29 to 36, the first of them only in part.
    assert!(seen[1..29].iter().all(|&part| part == 0.0), "{seen:?}");
    assert!(seen[30..].iter().all(|&part| (part - 1.0 / 36.0).abs() < 0.012), "{seen:?}");
    // An empty list: uniform over all.
    let mut table = Table4::new("ppr(p=0.8)", AmafNeed::Mover);
    table.begin(&[18], Some(1000));
    let seen = table.frequencies(&[18]);
    assert!((0..37).filter(|&c| c != 18).all(|c| near(seen[c], 1.0 / 36.0)), "{seen:?}");
}

#[test]
fn ppr_without_a_list_is_uniform_in_the_first_part() {
    let mut table = Table4::new("ppr(list=false, p=0.8)", AmafNeed::None);
    table.begin(&[18], Some(1000));
    let seen = table.frequencies(&[18]);
    assert!(near(seen[37], 0.8) && near(seen[36], 1.0 / 36.0) && seen[10] == 0.0, "{seen:?}");
    // Literally: the last (1 - xi) part, uniform inside; the last cell is the likeliest.
    let mut table = Table4::new("ppr(list=false, default_pruning=last_part_literal)", AmafNeed::None);
    table.begin(&[18], Some(1000));
    let seen = table.frequencies(&[18]);
    assert!(seen[36] > seen[34] && seen[34] > seen[30] && seen[28] == 0.0 && near(seen[37], 0.8), "{seen:?}");
}

#[test]
fn the_pool_holds_the_best_of_those_seen_enough() {
    let mut table = Table4::new("pool_rave(n=2, p=1)", AmafNeed::Mover);
    for (cell, wins, visits) in [(0, 20, 50), (1, 30, 50), (2, 49, 49), (3, 45, 90), (4, 10, 60)] {
        table.amaf(true, cell, wins, visits);
    }
    table.visit_root(50);
    table.begin(&[18], None);
    assert_eq!(table.says(&[18], 1), Answer::Rest, "50 visits are not more than 50");
    table.visit_root(1);
    let mut drawn = Vec::new();
    for _ in 0..20 {
        table.begin(&[18], None);
        drawn.push(table.says(&[18], 1));
    }
    assert!(drawn.contains(&Answer::Move(Move(1))) && drawn.contains(&Answer::Move(Move(3))));
    assert!(drawn.iter().all(|a| [Answer::Move(Move(1)), Answer::Move(Move(3))].contains(a)), "{drawn:?}");
    assert_eq!(
        table.known("pool", None).iter().filter(|e| e.1 == 1.0).map(|e| e.0).collect::<Vec<_>>(),
        [1, 3]
    );
}

#[test]
fn what_one_playout_has_drawn_is_there_for_the_next() {
    for policy in
        ["ppr(p=1, default_pruning=none)", "pool_rave(n=2, p=1, visits=0, seen=5)", "rave_playout(p=1)"]
    {
        let need = if policy.starts_with("rave") { AmafNeed::Both } else { AmafNeed::Mover };
        let mut table = Table4::new(policy, need);
        table.visit_root(20);
        for by_mover in [true, false].into_iter().take(if need == AmafNeed::Both { 2 } else { 1 }) {
            table.amaf(by_mover, 5, 10, 10);
            table.amaf(by_mover, 6, 10, 10);
        }
        table.begin(&[18], Some(1000));
        for playout in 0..3 {
            let Answer::Move(first) = table.says(&[18], 1) else { panic!("{policy}, playout {playout}") };
            let other = Move(11 - first.0);
            assert_eq!(table.says(&[18, first.0], 1), Answer::Move(other), "{policy}, playout {playout}");
            let left = table.says(&[18, first.0, other.0], 1);
            assert!([Answer::Pass, Answer::Rest].contains(&left), "{policy}: {left:?}");
            table.chain.begin_again();
        }
    }
}

#[test]
fn replies_are_learnt_by_the_winner_and_forgotten_by_the_loser() {
    let mut table = Table4::new("last_good_reply", AmafNeed::None);
    table.observe(&[5, 7, 9, 11], 1, 1.0);
    assert_eq!(table.known("reply", Some(FIRST)), [(7, 9.0)]);
    assert_eq!(table.known("reply", Some(SECOND)), []);
    assert_eq!(table.says(&[20, 7], 1), Answer::Move(Move(9)));
    assert_eq!(table.says(&[9, 7], 1), Answer::Pass, "the reply is not legal");
    assert_eq!(table.says(&[7], 1), Answer::Pass, "the other side has no reply");
    table.observe(&[5, 7, 9, 11], 1, 0.5);
    assert_eq!(table.known("reply", Some(FIRST)), [(7, 9.0)], "a draw teaches nothing");
    table.observe(&[5, 7, 9, 11], 1, 0.0);
    assert_eq!(table.known("reply", Some(FIRST)), []);
    assert_eq!(table.known("reply", Some(SECOND)), [(5, 7.0), (9, 11.0)]);
    table.chain.new_root();
    assert_eq!(table.known("reply", Some(SECOND)), []);
}

#[test]
fn replies_without_forgetting_from_playouts_only_and_per_node() {
    let mut table = Table4::new("last_good_reply(forget=false, learn=playout)", AmafNeed::None);
    table.observe(&[5, 7, 9, 11, 13], 3, 1.0);
    assert_eq!(table.known("reply", Some(FIRST)), [(11, 13.0)]);
    table.observe(&[5, 7, 9, 11, 13], 3, 0.0);
    assert_eq!(table.known("reply", Some(FIRST)), [(11, 13.0)]);
    assert_eq!(table.known("reply", Some(SECOND)), [(9, 11.0)]);
    // Per node: only replies of the root's side.
    let mut table = Table4::new("last_good_reply(scope=per_node)", AmafNeed::None);
    table.observe(&[5, 7, 9, 11, 13], 1, 1.0);
    assert_eq!(table.known("reply", Some(FIRST)), [(7, 9.0), (11, 13.0)]);
    table.observe(&[5, 7, 9, 11, 15], 1, 0.0);
    assert_eq!(table.known("reply", Some(FIRST)), [(11, 13.0)]);
    assert_eq!(table.known("reply", Some(SECOND)), []);
}

#[test]
fn chains_that_learn_together_know_the_same_replies() {
    for policy in ["last_good_reply", "threats+bridge+last_good_reply", "bridge+last_good_reply"] {
        let mut one = Table4::new(policy, AmafNeed::None);
        let mut other = Table4::new(policy, AmafNeed::None);
        one.observe(&[5, 7, 9, 11], 1, 1.0);
        assert_eq!(other.known("reply", Some(FIRST)), [], "{policy}: each learns alone at first");
        other.chain.learn_with(&one.chain);
        assert_eq!(other.known("reply", Some(FIRST)), [(7, 9.0)], "{policy}");
        other.observe(&[5, 7, 9, 11], 1, 0.0);
        assert_eq!(one.known("reply", Some(FIRST)), [], "{policy}");
        assert_eq!(one.known("reply", Some(SECOND)), [(5, 7.0), (9, 11.0)], "{policy}");
    }
    let has_private_memory = |policy| Table4::new(policy, AmafNeed::None).chain.has_private_memory();
    assert!(["mast", "nast", "last_good_reply(scope=per_node)"].into_iter().all(has_private_memory));
    assert!(
        !["uniform", "last_good_reply", "threats+bridge+last_good_reply"].into_iter().any(has_private_memory)
    );
    // Tables of nodes grow, so that each chain keeps its own.
    let mut one = Table4::new("last_good_reply(scope=per_node)", AmafNeed::None);
    let mut other = Table4::new("last_good_reply(scope=per_node)", AmafNeed::None);
    other.chain.learn_with(&one.chain);
    one.observe(&[5, 7, 9], 1, 1.0);
    assert_eq!(other.known("reply", Some(FIRST)), []);
    other.chain.new_root();
}

#[test]
fn replies_as_published_are_forgotten_by_position_and_used_by_the_other_side() {
    let mut table = Table4::new("last_good_reply(published=true)", AmafNeed::None);
    table.observe(&[5, 1, 9, 11, 13], 1, 1.0);
    assert_eq!(table.known("reply", Some(FIRST)), [(1, 9.0), (11, 13.0)]);
    table.begin(&[20], None);
    assert_eq!(table.says(&[20, 11], 1), Answer::Pass, "the root's side does not look");
    assert_eq!(table.says(&[11], 1), Answer::Move(Move(13)), "the other side does");
    // A loss clears cells 1 and 3: the positions of the moves that the root's side answered.
    table.observe(&[30, 31, 32, 33, 34], 1, 0.0);
    assert_eq!(table.known("reply", Some(FIRST)), [(11, 13.0)]);
}

#[test]
fn mast_and_nast_keep_means() {
    let mut mast = Table4::new("mast", AmafNeed::None);
    mast.observe(&[5, 7, 9], 1, 1.0);
    mast.observe(&[5, 9, 7], 1, 0.0);
    assert_eq!(mast.known("mast", Some(FIRST)), [(5, 0.5), (7, 0.0), (9, 1.0)]);
    assert_eq!(mast.known("mast", Some(SECOND)), [(7, 0.0), (9, 1.0)]);
    let mut published = Table4::new("mast(published=true)", AmafNeed::None);
    published.observe(&[5, 7, 9], 1, 1.0);
    published.observe(&[5, 9, 7], 1, 0.0);
    assert_eq!(published.known("mast", None), [(5, 0.5), (7, 0.0), (9, 1.0)]);

    // Weights e and 1: after cell 5 cell 7 has won twice; the other 35 are unknown or have lost.
    let mut nast = Table4::new("nast(select=gibbs)", AmafNeed::None);
    nast.observe(&[5, 7, 9], 1, 0.0);
    nast.observe(&[5, 7, 12], 1, 0.0);
    assert_eq!(nast.known("nast", Some(SECOND)), [(7, 1.0)]);
    assert_eq!(nast.known("nast", Some(FIRST)), [(9, 0.0), (12, 0.0)]);
    let e = std::f32::consts::E;
    let seen = nast.frequencies(&[5]);
    assert!(near(seen[7], e / (e + 35.0)) && near(seen[6], 1.0 / (e + 35.0)), "{seen:?}");
    let mut sharp = Table4::new("nast(select=gibbs, tau=0.2)", AmafNeed::None);
    sharp.observe(&[5, 7, 9], 1, 0.0);
    let (seen, weight) = (sharp.frequencies(&[5]), 5f32.exp());
    assert!(near(seen[7], weight / (weight + 35.0)), "{}", seen[7]);
    // Triples go before pairs: after 3, 5 cell 7 has lost, which the pair 5, 7 does not know.
    let mut triples = Table4::new("nast(n=3, select=eps_greedy, eps=0)", AmafNeed::None);
    triples.observe(&[30, 5, 7], 1, 1.0);
    triples.observe(&[3, 5, 7], 1, 0.0);
    triples.observe(&[3, 5, 8], 1, 1.0);
    triples.observe(&[31, 5, 8], 1, 0.0);
    assert_eq!(triples.says(&[3, 5], 1), Answer::Move(Move(8)));
    assert_eq!(triples.says(&[30, 5], 1), Answer::Move(Move(7)));
    // As published: pairs inside the tree that end with a move of the root's side.
    let mut published = Table4::new("nast(published=true)", AmafNeed::None);
    published.observe(&[5, 7, 9, 11, 13], 4, 1.0);
    assert_eq!(published.known("nast", None), [(9, 1.0)]);
}

#[test]
fn the_default_of_mast_and_nast_is_the_form_that_won_most() {
    for (short, whole) in [
        ("mast", "mast(select=eps_greedy, eps=0.4)"),
        ("nast", "nast(n=2, seen=0, select=eps_greedy, eps=0.2)"),
    ] {
        let read = |text| catalogue::read(Family::Playout, text).unwrap();
        assert_eq!(read(short), read(whole));
    }
}

#[test]
fn a_tau_that_nobody_would_read_is_refused() {
    let variant = Arc::new(Variant { game: Havannah::new(4, false), misere: false });
    for name in ["mast", "nast"] {
        let spec = catalogue::read(Family::Playout, &format!("{name}(tau=0.2)")).unwrap();
        let error = build(&spec, &Context { variant: &variant, files: &Default::default(), game_seed: 1 })
            .err()
            .unwrap()
            .to_string();
        assert_eq!(error, format!("{name}: tau=0.2 needs select=gibbs: eps_greedy has no tau"));
    }
}

#[test]
fn a_policy_that_could_never_have_a_say_is_refused() {
    let variant = Arc::new(Variant { game: Havannah::new(4, false), misere: false });
    let refused = |chain: &str| {
        let spec = catalogue::read(Family::Playout, chain).unwrap();
        build(&spec, &Context { variant: &variant, files: &Default::default(), game_seed: 1 })
            .err()
            .map_or(String::new(), |error| error.to_string())
    };
    for (chain, message) in [
        ("patterns+bridge", "playout patterns never passes, so bridge after it is never asked"),
        ("mast+bridge", "playout mast never passes, so bridge after it is never asked"),
        ("bridge+mast+rings+nast", "playout mast never passes, so nast after it is never asked"),
        ("ppr+bridge+uniform", "playout ppr never passes, so bridge after it is never asked"),
        ("nast(select=gibbs)+bridge", "playout nast never passes, so bridge after it is never asked"),
        ("nested+bridge", "playout nested never passes, so bridge after it is never asked"),
        ("uniform+bridge", "uniform never passes, so it must be the last policy of its chain"),
        ("threats+mate", "playout threats leaves no win to find, so mate after it never answers"),
        (
            "threats+bridge+decisive",
            "playout threats leaves no win to find, so decisive after it never answers",
        ),
        ("mate(min=1, c=1)+minimax", "playout mate leaves no win to find, so minimax after it never answers"),
        ("minimax+decisive", "playout minimax leaves no win to find, so decisive after it never answers"),
        ("minimax(2)+minimax", "playout minimax leaves no win to find, so minimax after it never answers"),
        ("nast+last_good_reply", "playout nast knows every reply, so last_good_reply after it never answers"),
        (
            "decisive+minimax",
            "playout minimax plays every win itself, so decisive cannot stand before it: it would change nothing",
        ),
        ("bridge+corner_bias+bridge", "bridge stands twice in a chain, with the same options"),
        ("threats(moves=4)+threats", "threats stands twice in a chain: one of them does all of it"),
    ] {
        assert_eq!(refused(chain), message, "{chain}");
    }
    for chain in [
        "patterns+uniform",
        "mast+rings",
        "ppr(default_pruning=none)+bridge",
        "ppr(list=false)+bridge",
        "nast+bridge",
        "nast(seen=2)+last_good_reply",
        "threats(moves=3)+mate",
        "mate+decisive",
        "mate(min=1, c=1)+minimax(2)",
        "minimax+minimax(2)",
        "bridge(p=0.5)+corner_bias+bridge",
    ] {
        assert_eq!(refused(chain), "", "{chain}");
    }
}

#[test]
fn mate_completes_blocks_and_stops() {
    // White holds 0, 1, 2 of the first row: 3 completes a bridge.
    let row = [0, 20, 1, 22, 2, 24];
    let mut mate = Table4::new("mate(c=1, min=1)", AmafNeed::None);
    mate.begin(&row, None);
    assert_eq!(mate.says(&row, 6), Answer::Move(Move(3)));
    mate.begin(&row[..5], None);
    assert_eq!(mate.says(&row[..5], 5), Answer::Pass);
    let mut counted = Table4::new("mate(c=1, played=false, min=1)", AmafNeed::None);
    counted.begin(&row, None);
    assert_eq!(counted.says(&row, 6), Answer::Stop(Outcome::Win(FIRST)));
    counted.begin(&row[..5], None);
    assert_eq!(counted.says(&row[..5], 5), Answer::Pass);
    let mut block = Table4::new("mate(c=1, block=true, min=1)", AmafNeed::None);
    block.begin(&row[..5], None);
    assert_eq!(block.says(&row[..5], 5), Answer::Move(Move(3)));
    // 37 / 7 = 5.3: with six stones it is no longer active.
    let mut late = Table4::new("mate(c=7, min=1)", AmafNeed::None);
    late.begin(&row, None);
    assert_eq!(late.says(&row, 6), Answer::Rest);
    let mut by_playout = Table4::new("mate(c=7, turns=playout, min=1)", AmafNeed::None);
    by_playout.begin(&row, None);
    assert_eq!(by_playout.says(&row, 6), Answer::Move(Move(3)));
    // White holds 0, 1, 3 and sets 7: now 2 and 6 both complete the bridge.
    let double = [0, 20, 1, 22, 3, 24, 7];
    for (policy, answer) in
        [("mate(c=1)", Answer::Stop(Outcome::Win(FIRST))), ("mate(c=1, shortcut=false)", Answer::Pass)]
    {
        let mut strict = Table4::new(policy, AmafNeed::None);
        strict.begin(&double[..6], None);
        assert_eq!(strict.says(&double[..6], 6), Answer::Pass, "one cell is not enough");
        assert_eq!(strict.says(&double, 6), answer);
    }
}

#[test]
fn threats_are_counted_and_answered() {
    // White holds 0, 1, 2 of the first row: 3 completes a bridge.
    let row = [0, 20, 1, 22, 2, 24];
    let mut threats = Table4::new("threats", AmafNeed::None);
    threats.begin(&row, None);
    assert_eq!(threats.says(&row, 6), Answer::Stop(Outcome::Win(FIRST)));
    threats.begin(&row[..4], None);
    assert_eq!(threats.says(&row[..4], 4), Answer::Pass);
    assert_eq!(threats.says(&row[..5], 4), Answer::Move(Move(3)), "found from the move before");
    threats.begin(&row[..5], None);
    assert_eq!(threats.says(&row[..5], 5), Answer::Move(Move(3)), "found at the leaf");
    // White holds 0, 1, 3 and has set 7: 2 and 6 both complete the bridge. Another policy made the moves between.
    let double = [0, 20, 1, 22, 3, 2, 7];
    threats.begin(&double[..3], None);
    assert_eq!(threats.says(&double[..3], 3), Answer::Pass);
    assert_eq!(threats.says(&[0, 20, 1, 22, 3, 24, 7], 3), Answer::Stop(Outcome::Win(FIRST)));
    // Black has taken 2.
    threats.begin(&double, None);
    assert_eq!(threats.says(&double, 7), Answer::Move(Move(6)));
    let mut short = Table4::new("threats(moves=2)", AmafNeed::None);
    short.begin(&row[..4], None);
    assert_eq!(short.says(&row[..5], 4), Answer::Move(Move(3)));
    assert_eq!(short.says(&row, 4), Answer::Rest);
}

#[test]
fn rave_playouts_draw_by_weight() {
    let mut table = Table4::new("rave_playout(p=1)", AmafNeed::Both);
    // Means in -1..1 for the second side: 0.5, 0.8 and -0.2; the first side's cells must not count.
    table.amaf(false, 0, 3, 4);
    table.amaf(false, 1, 9, 10);
    table.amaf(false, 2, 4, 10);
    table.amaf(true, 3, 10, 10);
    table.begin(&[18], None);
    let seen = table.frequencies(&[18]);
    assert!(near(seen[0], 0.5 / 1.3) && near(seen[1], 0.8 / 1.3) && seen[37] == 0.0, "{seen:?}");
    assert_eq!(table.says(&[18, 30], 1), Answer::Move(Move(3)));
    assert_eq!(table.says(&[18, 1, 0, 30, 3], 1), Answer::Pass, "both are taken");
}

#[test]
fn rave_playouts_by_sum_favour_what_was_seen_often() {
    let mut table = Table4::new("rave_playout(p=1, by=sum)", AmafNeed::Both);
    // Sums in -1..1 for the second side: 2 of 4 results, 6 of 20, -2 of 10. By their means the first would come first.
    table.amaf(false, 0, 3, 4);
    table.amaf(false, 1, 13, 20);
    table.amaf(false, 2, 4, 10);
    table.begin(&[18], None);
    let seen = table.frequencies(&[18]);
    assert!(near(seen[0], 0.25) && near(seen[1], 0.75) && seen[37] == 0.0, "{seen:?}");
    table.amaf(true, 3, 9, 10);
    assert_eq!(table.known("weight", None), [(3, 8.0)]);
}

#[test]
fn corners_and_near_cells_are_drawn_more_often() {
    // 37 moves and 2 * 6 extra for the corners.
    let mut corners = Table4::new("corner_bias(w=3)", AmafNeed::None);
    let seen = corners.frequencies(&[]);
    assert!(near(seen[37], 37.0 / 49.0) && near(seen[0], 2.0 / 49.0) && seen[1] == 0.0, "{seen:?}");
    // 36 moves and 2 * 6 extra around the centre.
    let mut standard = Table4::new("proximity(w=3)", AmafNeed::None);
    let seen = standard.frequencies(&[18]);
    assert!(near(seen[37], 36.0 / 48.0) && near(seen[17], 2.0 / 48.0) && seen[0] == 0.0, "{seen:?}");
    let mut alternative = Table4::new("proximity(mode=alternative, p=0.5)", AmafNeed::None);
    let seen = alternative.frequencies(&[18]);
    assert!(near(seen[37], 0.5) && near(seen[17], 0.5 / 6.0) && seen[0] == 0.0, "{seen:?}");
    // Own last move as well: corner 0 has three neighbours; the other side's comes last.
    let mut both = Table4::new("proximity(mode=alternative, p=1, h=2)", AmafNeed::None);
    let seen = both.frequencies(&[0, 18]);
    assert!(near(seen[1], 1.0 / 9.0) && near(seen[17], 1.0 / 9.0), "{seen:?}");
}

#[test]
fn contextual_takes_the_best_tile() {
    let mut table = Table4::new("contextual(p=1, seen=2)", AmafNeed::None);
    table.observe(&[0, 20, 2, 21, 4], 1, 1.0);
    assert_eq!(table.says(&[0, 22], 1), Answer::Pass, "seen once");
    table.observe(&[2, 23, 0], 1, 1.0);
    assert_eq!(table.says(&[0, 22], 1), Answer::Move(Move(2)));
    assert_eq!(table.says(&[2, 22], 1), Answer::Move(Move(0)));
    table.observe(&[0, 23, 2], 1, 0.0);
    table.observe(&[0, 23, 2], 1, 0.0);
    assert_eq!(table.says(&[0, 22], 1), Answer::Pass, "not above the bound");
    assert_eq!(table.known("tile", Some(FIRST)), [(0, 0.5), (2, 0.5)]);
}
