//! Proximity as a selection bias: another policy's value plus a bonus near the last move.
//!
//! Fossel's report tried proximity in playouts only and named this in its outlook.

use super::{Choice, Context, GameFacts, Near, Open, SelectionPolicy, chosen};
use crate::spec::{Family, OptionInfo, Options, PartInfo};
use crate::terms::Terms;
use crate::tree::{EdgeId, Layout, MoveTable, Simulation, Tree};
use crate::types::{Error, Result, Rng};

pub const INFO: PartInfo = PartInfo {
    name: "proximity",
    options: &[
        OptionInfo::spec("of", Family::Selection, "rave", "the policy whose values get the bonus"),
        OptionInfo::real("weight", 0.0, 1e6, "0.1", "the bonus after n visits is weight / (n + 1)"),
        OptionInfo::int("range", 1, 100, "1", "how far from the last move counts as near"),
    ],
    positional: Some("of"),
    doc: "Another selection policy plus a bonus for children near the last move; none at the root",
};

pub fn build(options: &Options, context: &Context) -> Result<Box<dyn SelectionPolicy>> {
    let inner = super::build(options.spec("of"), context)?;
    Ok(Box::new(Proximity::new(options, inner, context.ties_first, context.facts)?))
}

pub struct Proximity {
    inner: Box<dyn SelectionPolicy>,
    weight: f32,
    range: usize,
    ties_first: bool,
    near: Near,
    nearby: Vec<u16>,
    /// By slot, whether it is near the last move.
    is_near: Vec<bool>,
}

impl Proximity {
    pub fn new(
        options: &Options,
        inner: Box<dyn SelectionPolicy>,
        ties_first: bool,
        facts: &GameFacts,
    ) -> Result<Proximity> {
        let near = facts.near.clone().ok_or_else(|| {
            Error::new(format!("selection proximity needs distances, which {} does not offer", facts.game))
        })?;
        Ok(Proximity {
            inner,
            weight: options.real("weight"),
            range: options.size("range"),
            ties_first,
            near,
            nearby: Vec::new(),
            is_near: vec![false; facts.with_slots("proximity")?],
        })
    }
}

impl SelectionPolicy for Proximity {
    fn layout(&self) -> Layout {
        self.inner.layout()
    }

    fn terms(&self) -> Terms {
        self.inner.terms()
    }

    fn select(&mut self, choice: &Choice, rng: &mut Rng) -> EdgeId {
        let ties_first = self.ties_first;
        chosen(choice, self.values(choice), ties_first, rng)
    }

    fn values(&mut self, choice: &Choice) -> &mut [f32] {
        let values = self.inner.values(choice);
        let Some(last) = choice.path.last() else { return values };
        self.nearby.clear();
        (self.near)(choice.tree.mv(last.edge), self.range, &mut self.nearby);
        self.nearby.iter().for_each(|&slot| self.is_near[slot as usize] = true);
        let (tree, is_near, weight) = (choice.tree, &self.is_near, self.weight);
        let bonus = |edge: EdgeId| {
            if is_near[tree.slot(edge)] { weight / (tree.visits(edge) as f32 + 1.0) } else { 0.0 }
        };
        match choice.open {
            Open::All => tree.children(choice.node).zip(&mut *values).for_each(|(e, v)| *v += bonus(e)),
            Open::Some(open) => open.iter().zip(&mut *values).for_each(|(&(e, _), v)| *v += bonus(e)),
        }
        self.nearby.iter().for_each(|&slot| self.is_near[slot as usize] = false);
        values
    }

    fn observe(&mut self, tree: &Tree, simulation: &Simulation) {
        self.inner.observe(tree, simulation);
    }

    fn new_root(&mut self) {
        self.inner.new_root();
    }

    fn tables(&self) -> Vec<MoveTable> {
        self.inner.tables()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::tests::{close, hand_made};
    use crate::selection::{FirstPlay, Picker, uct};
    use crate::spec::{Catalogue, Family};
    use crate::tree::{AmafNeed, ROOT, Step};
    use crate::types::{Move, Side};
    use std::sync::Arc;

    #[test]
    fn near_children_get_the_bonus_and_it_fades() {
        let tree = hand_made(AmafNeed::None);
        let catalogue = Catalogue { parts: vec![(Family::Selection, uct::INFO)], named: Vec::new() };
        let spec = catalogue.read(Family::Selection, "uct(k=0)").unwrap();
        let first_play = FirstPlay { urgency: Some(1.0), stays: false };
        let inner = uct::Uct::new(&Options::new(&spec.parts[0]), first_play, Picker::default());
        let mut policy = Proximity {
            inner: Box::new(inner),
            weight: 0.9,
            range: 1,
            ties_first: false,
            near: Arc::new(|mv, range, slots| {
                assert_eq!((mv, range), (Move(0), 1));
                slots.extend([0u16, 2]);
            }),
            nearby: Vec::new(),
            is_near: vec![false; 4],
        };
        let path = [Step { node: ROOT, edge: 0, side: Side::First }];
        let mut choice = Choice {
            tree: &tree,
            path: &path,
            node: ROOT,
            side: Side::Second,
            open: Open::All,
            backed: None,
            prior: None,
        };
        assert!(close(policy.values(&choice), &[0.75 + 0.1, 0.5, 1.9, 1.0]));
        choice.path = &[];
        assert!(close(policy.values(&choice), &[0.75, 0.5, 1.0, 1.0]));
    }
}
