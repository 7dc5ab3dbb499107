//! What the slots and options of `mcts` say of themselves, as one list: `terms::check` refuses what does not go together.

use super::{INFO, Recipe};
use crate::game::Game;
use crate::playout::Chain;
use crate::search::{Driver, Parts};
use crate::spec::{Options, Spec};
use crate::tactics;
use crate::terms::{
    COUNTED, DRIVER, FIRST_PLAY, KEPT_TREE, ONE_BY_ONE, POSITIONS, Said, THREADS, Terms, UNTRIED_COMPARED,
};
use crate::tree::Layout;

impl Recipe {
    /// `parts` and `playout` are what it searches with.
    pub(super) fn said<G: Game>(&self, parts: &Parts<G>, playout: &Chain<G>) -> Vec<Said> {
        let (settings, options) = (&self.settings, &Options::new(&self.part));
        let mut said = vec![self.driver(options, parts)];
        let mut slot = |slot: &'static str, terms: Terms| said.push(filled(slot, options, terms));
        slot("root", of(parts.root.iter().map(|part| (part.layout(), part.terms()))));
        slot("selection", of([(parts.selection.layout(), parts.selection.terms())]));
        slot("expansion", settings.expansion.terms());
        slot("tactics", tactics::terms(settings.solve, &parts.tactics));
        slot("backup", of(parts.backup.iter().map(|part| (part.layout(), part.terms()))));
        slot("final", settings.final_move.terms());
        let growing = parts.growing.iter();
        slot("candidates", of(growing.clone().map(|of| (of.candidates.layout(), of.candidates.terms()))));
        slot("worlds", of(growing.map(|of| (of.worlds.layout(), of.worlds.terms()))));
        if parts.priors.is_empty() {
            slot("prior", Terms::default());
        }
        let names = options.spec_or_none("prior").into_iter().flat_map(|spec| &spec.parts);
        for (name, prior) in names.zip(&parts.priors) {
            said.push(one("prior", &name.name, of([(prior.layout(), prior.terms())])));
        }
        said.extend(playout.terms().map(|(name, terms)| one("playout", name, terms.clone())));
        said.extend(settings.terms().into_iter().map(|(name, value, terms)| one(name, &value, terms)));
        said.extend(self.own_options(options));
        said
    }

    /// How simulations are made, and why so.
    fn driver<G: Game>(&self, options: &Options, parts: &Parts<G>) -> Said {
        let (driver, who) = match parts.growing {
            Some(_) if G::HIDDEN => {
                let who = "a game with hidden information, where nodes grow child by child";
                (Driver::Worlds, format!("{}, {who}", G::INFO.name))
            }
            Some(_) => {
                let candidates = &options.spec("candidates").parts[0].name;
                let who = format!("candidates={candidates}, with which nodes grow child by child");
                (Driver::Worlds, who)
            }
            None if self.shared => (Driver::Threads, "parallel=tree".to_string()),
            None => (Driver::Plain, "a search in one thread".to_string()),
        };
        Said { slot: DRIVER, who, usual: String::new(), terms: driver.terms::<G>() }
    }

    /// The options that neither fill a slot nor are read by the loop.
    fn own_options(&self, options: &Options) -> Vec<Said> {
        let terms = Terms::default;
        let threads = if self.threads == 1 { &ONE_BY_ONE } else { &THREADS };
        let in_tree = options.choice("parallel") == "tree";
        let first = self.first_play.urgency;
        let limit = self.limit.simulations;
        let named = |value: Option<String>| value.unwrap_or_else(|| "none".to_string());
        vec![
            one("threads", &self.threads.to_string(), terms().gives(threads)),
            one(
                "parallel",
                options.choice("parallel"),
                terms()
                    .needs(&THREADS, "it says how several threads search")
                    .needs(&POSITIONS, "its threads meet in nodes that have all their moves")
                    .only_if(in_tree),
            ),
            one(
                "reuse",
                &self.reuse.to_string(),
                terms()
                    .needs(&POSITIONS, "it goes on from the node of another position")
                    .gives(&KEPT_TREE)
                    .only_if(self.reuse),
            ),
            one(
                "simulations",
                &named(limit.map(|n| n.to_string())),
                terms().gives(&COUNTED).only_if(limit.is_some()),
            ),
            one(
                "fpu",
                &named(first.map(|value| value.to_string())),
                // A value that stays is a part of every mean.
                terms()
                    .needs(&UNTRIED_COMPARED, "no child is compared there before it has been tried")
                    .only_if(!self.first_play.stays)
                    .and(terms().gives(&FIRST_PLAY))
                    .only_if(first.is_some()),
            ),
            one(
                "fpu_mode",
                options.choice("fpu_mode"),
                terms()
                    .needs(&FIRST_PLAY, "it says how long the value of an unvisited child counts")
                    .only_if(self.first_play.stays),
            ),
        ]
    }
}

/// What parts say with all that follows from what they keep in the tree.
fn of(parts: impl IntoIterator<Item = (Layout, Terms)>) -> Terms {
    parts
        .into_iter()
        .fold(Terms::default(), |all, (layout, terms)| all.and(Terms::of_layout(&layout)).and(terms))
}

fn one(slot: &'static str, value: &str, terms: Terms) -> Said {
    Said { slot, who: format!("{slot}={value}"), usual: format!("{slot}={}", usual(slot)), terms }
}

/// What a slot is filled with.
fn filled(slot: &'static str, options: &Options, terms: Terms) -> Said {
    let names = |spec: &Spec| -> String {
        let names: Vec<&str> = spec.parts.iter().map(|part| &part.name[..]).collect();
        // The usual part with other arguments than the usual ones is told from itself by them.
        if names == [usual(slot)] { spec.to_string() } else { names.join("+") }
    };
    one(slot, &options.spec_or_none(slot).map_or_else(|| "none".to_string(), names), terms)
}

/// What stands in a slot unless told otherwise.
fn usual(slot: &str) -> &'static str {
    INFO.options.iter().find(|option| option.name == slot).map_or("", |option| option.default)
}
