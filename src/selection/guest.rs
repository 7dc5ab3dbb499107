//! The selection policy `python`: a formula that lives outside the core.

use super::{Child, Choice, Context, FirstPlay, GameFacts, Picker, SelectionPolicy};
use crate::guest::{self, Host, or_fail};
use crate::spec::{Options, PartInfo};
use crate::tree::{Amaf, AmafFrom, AmafNeed, EdgeId, Layout, Simulation, Tree};
use crate::types::{Error, Move, Result, Rng, Side};

pub const INFO: PartInfo = guest::info("A selection formula written in Python");

pub fn build(options: &Options, context: &Context) -> Result<Box<dyn SelectionPolicy>> {
    Ok(Box::new(Guest::new(options, context.first_play, context.picker(), context.facts)?))
}

/// A child as a guest's formula sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuestChild {
    pub mv: Move,
    /// 0 where the game has no tables over moves.
    pub slot: usize,
    /// With what first-play urgency adds; 0 for an unvisited child that goes before all others.
    pub visits: f32,
    /// Mean result for the side that decides, in 0..1; infinite for such a child.
    pub mean: f32,
    /// ln of the visits of the parent (or of the times the child was available), at least 0.
    pub log_parent: f32,
    /// Zeros unless the guest asked for them.
    pub amaf: Amaf,
}

/// A node at which a guest's formula is asked.
pub struct GuestNode {
    /// Who decides.
    pub side: Side,
    pub visits: u32,
    /// Moves from the root to here.
    pub depth: usize,
    pub children: Vec<GuestChild>,
}

/// What a guest must be able to do; see [`SelectionPolicy`] for what each has to give.
pub trait GuestSelection: Send {
    /// Whether `observe` is to be called.
    fn observes(&self) -> bool;
    /// Whether the formula reads AMAF statistics.
    fn reads_amaf(&self) -> bool;
    /// Appends a number for each child; the largest is chosen.
    fn values(&mut self, node: GuestNode, values: &mut Vec<f32>) -> Result<()>;
    fn observe(&mut self, simulation: &Simulation) -> Result<()>;
    fn new_root(&mut self) -> Result<()>;
}

/// Who finds the formulas that a text names.
pub static HOST: Host<Box<dyn GuestSelection>> = Host::new();

pub struct Guest {
    formula: Box<dyn GuestSelection>,
    first_play: FirstPlay,
    /// Holds the values, adds priors and breaks ties as for every formula.
    picker: Picker,
    /// The guest and the game, as errors name them.
    name: String,
}

impl Guest {
    /// `options` are resolved.
    pub fn new(options: &Options, first_play: FirstPlay, picker: Picker, facts: &GameFacts) -> Result<Guest> {
        let (formula, name) = HOST.find(options).map_err(|e| e.within("selection"))?;
        if formula.reads_amaf() {
            facts.with_slots(&name)?;
        }
        let name = format!("selection {name} in {}", facts.game);
        Ok(Guest { formula, first_play, picker, name })
    }

    fn done<T>(&self, result: Result<T>) -> T {
        or_fail(result.map_err(|e| e.within(&self.name)))
    }

    fn child(&self, choice: &Choice, child: &Child) -> GuestChild {
        let amaf = if self.formula.reads_amaf() {
            choice.tree.amaf(choice.node)[child.slot]
        } else {
            Amaf::default()
        };
        let (mean, visits) = self.first_play.mean_and_visits(child).unwrap_or((f32::INFINITY, 0.0));
        let (mv, slot, log_parent) = (choice.tree.mv(child.edge), child.slot, child.log_parent);
        GuestChild { mv, slot, visits, mean, log_parent, amaf }
    }

    fn fill(&mut self, choice: &Choice) {
        let children: Vec<GuestChild> =
            choice.children().iter().map(|child| self.child(choice, child)).collect();
        let (side, visits) = (choice.side, choice.tree.node(choice.node).visits);
        let wanted = children.len();
        let node = GuestNode { side, visits, depth: choice.path.len(), children };
        self.picker.values.clear();
        let asked = self.formula.values(node, &mut self.picker.values);
        self.done(asked.and_then(|()| check(&self.picker.values, wanted)));
        self.picker.add_priors(choice);
    }
}

/// One number per child, and each comparable with the others.
fn check(values: &[f32], wanted: usize) -> Result<()> {
    if values.len() != wanted {
        return Err(Error::new(format!(
            "values gave {} numbers: {wanted} are needed, one for each child",
            values.len()
        )));
    }
    match values.iter().position(|value| value.is_nan()) {
        Some(at) => Err(Error::new(format!("the value of child {at} is not a number (nan)"))),
        None => Ok(()),
    }
}

impl SelectionPolicy for Guest {
    fn layout(&self) -> Layout {
        let amaf = if self.formula.reads_amaf() { AmafNeed::Mover } else { AmafNeed::None };
        Layout { moves: self.formula.observes(), ..Layout::amaf(amaf, AmafFrom::Simulation) }
    }

    fn select(&mut self, choice: &Choice, rng: &mut Rng) -> EdgeId {
        self.fill(choice);
        self.picker.chosen(choice, rng)
    }

    fn observe(&mut self, _tree: &Tree, simulation: &Simulation) {
        if self.formula.observes() {
            let observed = self.formula.observe(simulation);
            self.done(observed);
        }
    }

    fn new_root(&mut self) {
        let told = self.formula.new_root();
        self.done(told);
    }

    fn values(&mut self, choice: &Choice) -> &mut [f32] {
        self.fill(choice);
        &mut self.picker.values
    }
}

#[cfg(test)]
mod tests {
    use crate::spec::Family;

    #[test]
    fn without_a_host_there_are_no_guests() {
        let error = crate::catalogue::read(Family::Selection, "python(\"a:B\")").unwrap_err().to_string();
        assert!(error.starts_with("unknown selection 'python'"), "{error}");
    }
}
