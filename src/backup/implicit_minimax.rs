//! Implicit minimax backups (Lanctot, Winands, Pepels and Sturtevant 2014): beside the mean result x every edge holds v,
//! the minimax value of the game's evaluation in the tree below it, and formulas read (1 - alpha) x + alpha v.
//!
//! v is set for all edges when a node is expanded. On the way up, an edge takes the largest v of the node behind it, or
//! one minus it where the other side moves there. What is proven counts 0, 1/2 or 1.

use super::{Backup, Built, evaluation_of};
use crate::family::Context;
use crate::game::{Game, Here};
use crate::spec::{OptionInfo, Options, PartInfo};
use crate::tree::{Backed, Column, Layout, NodeId, Step, Tree};
use crate::types::{Move, Result, Side};

pub const INFO: PartInfo = PartInfo {
    name: "implicit_minimax",
    options: &[
        OptionInfo::real("alpha", 0.0, 1.0, "0.4", "how much the minimax value counts instead of the mean"),
        OptionInfo::real(
            "fade",
            0.0,
            1e9,
            "0.0",
            "visits of a child at which it counts half as much; 0: it never fades",
        ),
    ],
    positional: Some("alpha"),
    doc: "Minimax values of the game's evaluation, mixed with the mean results where a child is chosen",
};

/// By edge: the value of the position behind it for the side that plays the edge.
static VALUE: Column = Column { name: "implicit minimax", begins: 0.5 };

pub struct ImplicitMinimax {
    alpha: f32,
    fade: f32,
}

pub fn build<G: Game>(options: &Options, context: &Context<G>) -> Result<Built<G>> {
    evaluation_of(INFO.name, context.variant)?;
    Ok(Some(Box::new(ImplicitMinimax { alpha: options.real("alpha"), fade: options.real("fade") })))
}

impl<G: Game> Backup<G> for ImplicitMinimax {
    fn layout(&self) -> Layout {
        Layout { edges: vec![&VALUE], ..Layout::default() }
    }

    fn backed(&self) -> Backed {
        Backed { column: &VALUE, weight: self.alpha, fade: self.fade }
    }

    fn expand(&mut self, here: &Here<G>, moves: &[Move], node: NodeId, tree: &mut Tree) {
        let Here { variant, state, .. } = *here;
        let Some(evaluation) = variant.evaluation() else { return };
        let side = variant.game.side_to_move(state);
        let Some(values) = tree.edge_column_mut(&VALUE, node) else { return };
        for (value, &mv) in values.iter_mut().zip(moves) {
            let mut after = state.clone();
            variant.game.play(&mut after, mv);
            *value = match variant.outcome(&after) {
                Some(outcome) => outcome.score(side),
                None if side == Side::First => evaluation.value(&after),
                None => 1.0 - evaluation.value(&after),
            };
        }
    }

    fn back_up(&mut self, tree: &mut Tree, path: &[Step]) {
        for (depth, step) in path.iter().enumerate().rev() {
            let below = tree.behind(step.edge).and_then(|node| tree.edge_column_mut(&VALUE, node));
            let best = below.filter(|values| !values.is_empty()).map(|values| {
                values.iter().fold(0.0f32, |best, &value| if value > best { value } else { best })
            });
            // Who moves there; behind the last edge of the path, the other side.
            let mover = path.get(depth + 1).map_or(step.side.other(), |next| next.side);
            let seen = best.map(|best| if mover == step.side { best } else { 1.0 - best });
            if let Some(value) = tree.proof(step.edge).score().or(seen) {
                tree.set_edge(&VALUE, step.edge, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalogue;
    use crate::game::{Present, Rules, Variant};
    use crate::games::breakthrough::Breakthrough;
    use crate::games::tic_tac_toe::TicTacToe;
    use crate::scripts::PlayerFiles;
    use crate::spec::Family;
    use crate::tree::{Proof, ROOT};

    fn built_for<G: Game>(spec: &str, variant: Variant<G>) -> Result<Built<G>> {
        let (variant, files) = (Arc::new(variant), PlayerFiles::default());
        let context = Context { variant: &variant, files: &files, game_seed: 0 };
        crate::backup::build(&catalogue::read(Family::Backup, spec)?, &context)
    }

    fn built(spec: &str) -> Result<Built<Breakthrough>> {
        built_for(spec, Variant { game: Breakthrough::new(5, 5, 2), misere: false })
    }

    /// The root has two edges; behind the first one a node with two.
    fn hand_made() -> Tree {
        let layout = Layout { edges: vec![&VALUE], ..Layout::default() };
        let mut tree = Tree::new(0, layout, 1 << 20, || 0);
        tree.add_edges(ROOT, &[Move(0), Move(1)], |_| 0, true);
        let below = tree.add_node(1).unwrap();
        tree.set_node_behind(0, below);
        tree.add_edges(below, &[Move(2), Move(3)], |_| 0, true);
        tree
    }

    // Values 0.7 and 0.4 below give 0.7 there and 0.3 on the edge above (the numbers of the specification).
    #[test]
    fn the_best_below_goes_up_for_the_other_side() {
        let mut backup = ImplicitMinimax { alpha: 0.4, fade: 0.0 };
        let mut tree = hand_made();
        tree.edge_column_mut(&VALUE, 1).unwrap().copy_from_slice(&[0.7, 0.4]);
        let path =
            [Step { node: ROOT, edge: 0, side: Side::First }, Step { node: 1, edge: 2, side: Side::Second }];
        let mut back_up = |tree: &mut Tree, path: &[Step]| {
            Backup::<Breakthrough>::back_up(&mut backup, tree, path);
            tree.of_edge(&VALUE, 0)
        };
        assert!((back_up(&mut tree, &path) - 0.3).abs() < 1e-6);
        assert_eq!(tree.of_edge(&VALUE, 2), 0.7, "nothing is below it yet");
        // The same side moves again.
        let again = [path[0], Step { side: Side::First, ..path[1] }];
        assert!((back_up(&mut tree, &again) - 0.7).abs() < 1e-6);
        // What is proven is certain.
        tree.set_proof(2, Proof::Loss);
        assert!((back_up(&mut tree, &path) - 0.6).abs() < 1e-6);
        assert_eq!(tree.of_edge(&VALUE, 2), 0.0);
        tree.set_proof(0, Proof::Draw);
        assert_eq!(back_up(&mut tree, &path), 0.5);
    }

    // x = 0.5 and 0.6, v = 0.7 and 0.4, alpha = 0.4: 0.58 and 0.52 (the numbers of the specification).
    #[test]
    fn formulas_read_the_mixture() {
        let mixed = |backed: Backed, x: f32, v: f32, visits: f32| {
            let mut tree = hand_made();
            tree.set_edge(&VALUE, 0, v);
            backed.score(&tree, 0, visits, x * visits) / visits
        };
        let backed = Backed { column: &VALUE, weight: 0.4, fade: 0.0 };
        assert!((mixed(backed, 0.5, 0.7, 10.0) - 0.58).abs() < 1e-6);
        assert!((mixed(backed, 0.6, 0.4, 10.0) - 0.52).abs() < 1e-6);
        // After ten visits it counts half as much.
        let fading = Backed { fade: 10.0, ..backed };
        assert!((mixed(fading, 0.5, 0.7, 10.0) - 0.54).abs() < 1e-6);
        assert_eq!(mixed(Backed { weight: 0.0, ..backed }, 0.625, 0.1, 8.0), 0.625);
    }

    #[test]
    fn every_edge_of_a_new_node_is_valued_for_the_mover() {
        let variant = Variant { game: Breakthrough::new(5, 5, 2), misere: false };
        let mut backup = built("implicit_minimax").unwrap().unwrap();
        for (text, first) in
            [("b..../..w../...../...../....w first", true), ("b..../...../...../..b../....w second", false)]
        {
            let state = variant.game.parse_state(text).unwrap();
            let mut moves = Vec::new();
            variant.game.legal_moves(&state, &mut moves);
            let mut tree = Tree::new(0, backup.layout(), 1 << 20, || 0);
            tree.add_edges(ROOT, &moves, |_| 0, true);
            let here = Here { variant: &variant, state: &state, last: None };
            backup.expand(&here, &moves, ROOT, &mut tree);
            for edge in tree.children(ROOT) {
                let mut after = state.clone();
                variant.game.play(&mut after, tree.mv(edge));
                let wins = variant.outcome(&after).is_some();
                let plain = variant.evaluation().unwrap().value(&after);
                let expected = if wins {
                    1.0
                } else if first {
                    plain
                } else {
                    1.0 - plain
                };
                assert_eq!(tree.of_edge(&VALUE, edge), expected);
                assert!(wins || expected > 0.5, "its man is far ahead");
            }
            assert!(tree.children(ROOT).any(|edge| tree.of_edge(&VALUE, edge) == 1.0));
        }
    }

    #[test]
    fn a_game_without_an_evaluation_is_refused() {
        let refused = |misere| {
            let variant = Variant { game: Breakthrough::new(5, 5, 2), misere };
            built_for(INFO.name, variant).err().map(|error| error.to_string())
        };
        assert_eq!(refused(false), None);
        let told = "backup implicit_minimax needs an evaluation of positions, which";
        assert_eq!(refused(true), Some(format!("{told} misere breakthrough does not offer")));
        let variant = Variant {
            game: TicTacToe::from_options(&Options::new(
                &catalogue::read(Family::Game, "tic_tac_toe").unwrap().parts[0],
            ))
            .unwrap(),
            misere: false,
        };
        let other = built_for(INFO.name, variant).err().map(|error| error.to_string());
        assert_eq!(other, Some(format!("{told} tic_tac_toe does not offer")));
        assert!(built("mean").unwrap().is_none());
    }
}
