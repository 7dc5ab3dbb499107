//! Tests of the tree: its memory, its children, AMAF tables and subtrees.

use super::*;

fn moves(n: u32) -> Vec<Move> {
    (0..n).map(Move).collect()
}

fn slot(mv: Move) -> usize {
    mv.0 as usize
}

#[test]
fn the_cap_holds_and_is_final() {
    let mut tree = Tree::new(10, Layout::amaf(AmafNeed::Mover, AmafFrom::Simulation), 1000, || 0);
    assert!(tree.add_edges(ROOT, &moves(10), slot, true));
    let mut made = 0;
    while tree.add_node(1).is_some() {
        made += 1;
    }
    assert!(made > 0 && tree.bytes() <= 1000 && tree.is_full());
    assert!(!tree.add_edges(1, &moves(1), slot, true), "what is full stays full");
}

#[test]
fn untried_edges_are_tried_one_at_a_time() {
    let mut tree = Tree::new(0, Layout::default(), 1 << 20, || 0);
    tree.add_edges(ROOT, &moves(4), |_| 0, false);
    assert!(tree.children(ROOT).is_empty());
    let edge = tree.try_edge(ROOT, 2);
    assert_eq!(tree.mv(edge), Move(2));
    assert_eq!(tree.children(ROOT).len(), 1);
    let left: Vec<u32> = tree.untried(ROOT).map(|e| tree.mv(e).0).collect();
    assert_eq!(left, [1, 0, 3]);
    // A node that was made for it must not come to stand behind another move.
    let node = tree.add_node(0).unwrap();
    tree.set_node_behind(edge, node);
    tree.untry_edge(ROOT, edge);
    assert!(tree.children(ROOT).is_empty());
    let edge = tree.try_edge(ROOT, 1);
    assert_eq!(tree.behind(edge), None);
    // One that has been visited since, or behind which others were tried, stays.
    let next = tree.try_edge(ROOT, 0);
    tree.untry_edge(ROOT, edge);
    assert_eq!(tree.children(ROOT).len(), 2);
    tree.add_virtual_loss(next);
    tree.untry_edge(ROOT, next);
    assert_eq!(tree.children(ROOT).len(), 2);
}

#[test]
fn amaf_counts_moves_after_the_node_by_its_mover_once() {
    let mut tree = Tree::new(4, Layout::amaf(AmafNeed::Both, AmafFrom::Simulation), 1 << 20, || 0);
    tree.add_edges(ROOT, &moves(4), slot, true);
    let leaf = tree.add_node(1).unwrap();
    let (first, second) = (Side::First, Side::Second);
    let path = [Step { node: ROOT, edge: 0, side: first }];
    // First plays 0, second 1, first 2, second 1 again; the first side has won.
    let moves = [(Move(0), first), (Move(1), second), (Move(2), first), (Move(1), second)];
    let simulation = Simulation {
        path: &path,
        leaf: Some(leaf),
        moves: &moves,
        slots: &[0, 1, 2, 1],
        value: 1.0,
        root_side: first,
    };
    AmafUpdate::default().apply(&mut tree, &simulation, Some(AmafFrom::Simulation));
    let seen = |row: &[Amaf]| row.iter().map(|a| (a.visits as u32, a.score as u32)).collect::<Vec<_>>();
    assert_eq!(seen(tree.amaf(ROOT)), [(1, 1), (0, 0), (1, 1), (0, 0)]);
    assert_eq!(seen(tree.amaf_other(ROOT)), [(0, 0), (1, 0), (0, 0), (0, 0)]);
    assert_eq!(seen(tree.amaf(leaf)), [(0, 0), (1, 0), (0, 0), (0, 0)]);
    assert_eq!(seen(tree.amaf_other(leaf)), [(0, 0), (0, 0), (1, 1), (0, 0)]);
}

#[test]
fn amaf_of_the_tree_counts_no_move_of_the_playout() {
    let mut tree = Tree::new(5, Layout::amaf(AmafNeed::Both, AmafFrom::Simulation), 1 << 20, || 0);
    tree.add_edges(ROOT, &moves(5), slot, true);
    let [below, leaf] = [1, 1].map(|visits| tree.add_node(visits).unwrap());
    let (first, second) = (Side::First, Side::Second);
    let path = [Step { node: ROOT, edge: 0, side: first }, Step { node: below, edge: 1, side: second }];
    // In the tree the first side plays 0 and the second 1; then 2, 3 and 4. The second side has won.
    let moves = [(Move(0), first), (Move(1), second), (Move(2), first), (Move(3), second), (Move(4), first)];
    let simulation = Simulation {
        path: &path,
        leaf: Some(leaf),
        moves: &moves,
        slots: &[0, 1, 2, 3, 4],
        value: 0.0,
        root_side: first,
    };
    AmafUpdate::default().apply(&mut tree, &simulation, Some(AmafFrom::Tree));
    let seen = |row: &[Amaf]| row.iter().map(|a| (a.visits as u32, a.score as u32)).collect::<Vec<_>>();
    let (none, lost, won) = ((0, 0), (1, 0), (1, 1));
    assert_eq!(seen(tree.amaf(ROOT)), [lost, none, none, none, none]);
    assert_eq!(seen(tree.amaf_other(ROOT)), [none, won, none, none, none]);
    assert_eq!(seen(tree.amaf(below)), [none, won, none, none, none]);
    assert_eq!(seen(tree.amaf_other(below)), [none; 5]);
    assert_eq!([seen(tree.amaf(leaf)), seen(tree.amaf_other(leaf))], [[none; 5], [none; 5]]);
}

#[test]
fn a_subtree_keeps_its_statistics() {
    let mut tree = Tree::new(3, Layout::amaf(AmafNeed::Mover, AmafFrom::Simulation), 1 << 20, || 0);
    tree.add_edges(ROOT, &moves(3), slot, true);
    let child = tree.add_node(2).unwrap();
    tree.set_node_behind(1, child);
    tree.add_edges(child, &moves(2), slot, false);
    let edge = tree.try_edge(child, 1);
    tree.add_result(edge, 1.0);
    tree.add_amaf(child, true, &[1], 1.0);
    let part = tree.subtree(1).unwrap();
    assert_eq!(part.node(ROOT).visits, 2);
    assert_eq!(part.children(ROOT).map(|e| (part.mv(e).0, part.visits(e))).collect::<Vec<_>>(), [(1, 1)]);
    assert_eq!(part.amaf(ROOT)[1], Amaf { visits: 1.0, score: 1.0 });
    assert!(tree.subtree(0).is_none());
}

static EDGE: Column = Column { name: "edge", begins: 0.5 };
static NODE: Column = Column { name: "node", begins: 0.0 };

#[test]
fn a_column_goes_with_its_edges_and_nodes_wherever_they_go() {
    let layout = Layout { edges: vec![&EDGE], nodes: vec![&NODE], keys: true, ..Layout::default() };
    let mut tree = Tree::new(0, layout, 1 << 20, || 7);
    let before = tree.bytes();
    tree.add_edges(ROOT, &moves(3), |_| 0, false);
    assert_eq!(tree.bytes() - before, 3 * (EDGE_BYTES + 4));
    tree.edge_column_mut(&EDGE, ROOT).unwrap().copy_from_slice(&[0.0, 0.1, 0.2]);
    assert_eq!(tree.untried_column(&EDGE, ROOT).unwrap(), [0.0, 0.1, 0.2]);
    let edge = tree.try_edge(ROOT, 2);
    assert_eq!((tree.of_edge(&EDGE, edge), tree.child_column(&EDGE, ROOT).unwrap()), (0.2, &[0.2f32][..]));
    let child = tree.add_node(1).unwrap();
    tree.set_key(8);
    tree.set_node_behind(edge, child);
    tree.add_edges(child, &moves(2), |_| 0, true);
    tree.set_edge(&EDGE, tree.children(child).start + 1, 0.9);
    tree.set_node(&NODE, child, 3.0);
    let lone = tree.add_lone_edge(Move(9), 0, 0).unwrap();
    assert_eq!(tree.of_edge(&EDGE, lone), 0.5);
    tree.remove_lone_edge(0);
    let part = tree.subtree(edge).unwrap();
    assert_eq!(part.child_column(&EDGE, ROOT).unwrap(), [0.5, 0.9]);
    assert_eq!((part.of_node(&NODE, ROOT), part.node_of(8)), (3.0, Some(ROOT)));
    // What no part has asked for is not kept.
    tree.set_edge(&NODE, edge, 1.0);
    tree.set_node(&EDGE, ROOT, 1.0);
    assert_eq!((tree.of_edge(&NODE, edge), tree.of_node(&EDGE, ROOT)), (0.0, 0.5));
    assert!(tree.child_column(&NODE, ROOT).is_none() && tree.edge_column_mut(&NODE, ROOT).is_none());
}
