//! Names for whole specs: the same one everywhere, or one for each game.

use super::{Argument, Catalogue, Family, Kind, Part, PartInfo, Spec};
use crate::types::{Error, Result};

/// A name for a whole spec of the same family: `ppr` for a page of options.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    pub family: Family,
    pub name: &'static str,
    pub stands_for: StandsFor,
    pub doc: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub enum StandsFor {
    /// The same spec everywhere.
    One(&'static str),
    /// A spec for each game that has one.
    ByGame(&'static [InGame]),
}

/// A player that is the best known one of a game, or of its boards up to some size.
#[derive(Clone, Copy, Debug)]
pub struct Strong {
    /// Only on boards with at most so many slots, and what the largest of them is called.
    up_to: Option<(usize, &'static str)>,
    spec: &'static str,
}

impl Strong {
    pub const fn everywhere(spec: &'static str) -> Strong {
        Strong { up_to: None, spec }
    }

    pub const fn up_to(slots: usize, largest: &'static str, spec: &'static str) -> Strong {
        Strong { up_to: Some((slots, largest)), spec }
    }

    pub const fn of(self, game: &'static str) -> InGame {
        InGame { game, up_to: self.up_to, spec: self.spec }
    }
}

/// What a name stands for in a game. Of several entries for one game the first that fits counts.
#[derive(Clone, Copy, Debug)]
pub struct InGame {
    pub game: &'static str,
    /// Only on boards with at most so many slots, and what the largest of them is called.
    pub up_to: Option<(usize, &'static str)>,
    pub spec: &'static str,
}

impl InGame {
    /// The games that it is for, in words.
    pub fn title(&self) -> String {
        match self.up_to {
            Some((_, largest)) => format!("{} up to {largest}", self.game),
            None => self.game.to_string(),
        }
    }

    fn fits(&self, game: &str, slots: usize) -> bool {
        self.game == game && self.up_to.is_none_or(|(most, _)| slots <= most)
    }
}

impl Catalogue {
    /// A named spec with some of its options changed. A name that depends on the game stays what it is until a game
    /// is known ([`Catalogue::on`]); the options on which the specs of all games agree are written out, its limits
    /// among them.
    pub(super) fn expand(&self, named: &Named, given: &Part) -> Result<Spec> {
        let games = match named.stands_for {
            StandsFor::One(text) => return self.changed(named, text, given),
            StandsFor::ByGame(games) => games,
        };
        let (mut common, mut refusal): (Option<Part>, _) = (None, None);
        let mut refused = Vec::new();
        for InGame { spec: text, .. } in games {
            match (self.changed(named, text, given), &mut common) {
                (Ok(mut spec), None) => common = Some(spec.parts.swap_remove(0)),
                (Ok(spec), Some(common)) => {
                    common.arguments.retain(|argument| spec.parts[0].arguments.contains(argument));
                }
                // An option that only some of the specs have: what was not given must still suit all.
                (Err(error), _) => {
                    refusal = refusal.or(Some(error));
                    let mut known = given.clone();
                    known.arguments.retain(|argument| {
                        let alone = Part { arguments: vec![argument.clone()], ..given.clone() };
                        self.changed(named, text, &alone).is_ok()
                    });
                    refused.extend(self.changed(named, text, &known)?.parts);
                }
            }
        }
        if let Some(common) = &mut common {
            let is_given =
                |argument: &Argument| given.arguments.iter().any(|other| other.key == argument.key);
            let suits_all =
                |argument: &Argument| refused.iter().all(|part: &Part| part.arguments.contains(argument));
            common.arguments.retain(|argument| is_given(argument) || suits_all(argument));
        }
        match (common, refusal) {
            (Some(part), _) => Ok(Spec { parts: vec![Part { name: named.name.to_string(), ..part }] }),
            (None, Some(refusal)) => Err(refusal),
            (None, None) => Err(Error::new(format!("{} stands for nothing", named.name))),
        }
    }

    /// Whether a resolved spec is a name that stands for another one in each game.
    pub fn depends_on_game(&self, family: Family, spec: &Spec) -> bool {
        self.by_game(family, spec).is_some()
    }

    fn by_game(&self, family: Family, spec: &Spec) -> Option<(&Named, &'static [InGame])> {
        self.named.iter().find_map(|named| match named.stands_for {
            StandsFor::ByGame(games) if named.family == family && named.name == spec.parts[0].name => {
                Some((named, games))
            }
            _ => None,
        })
    }

    /// What a resolved spec stands for in the game with this name, on a board with so many slots.
    pub fn on(&self, family: Family, spec: &Spec, game: &str, slots: usize) -> Result<Spec> {
        let Some((named, games)) = self.by_game(family, spec) else { return Ok(spec.clone()) };
        let Some(found) = games.iter().find(|entry| entry.fits(game, slots)) else {
            let all = games.iter().filter(|entry| entry.up_to.is_none());
            let names: Vec<&str> = all.map(|entry| entry.game).collect();
            return Err(Error::new(format!(
                "there is no {} for {game}, only for {}: name another {}",
                named.name,
                names.join(", "),
                family.name()
            )));
        };
        self.changed(named, found.spec, &spec.parts[0])
    }

    /// The spec `text` of a name with some of its options changed.
    fn changed(&self, named: &Named, text: &str, given: &Part) -> Result<Spec> {
        let mut template = Spec::parse(text)?;
        let [whole] = template.parts.as_mut_slice() else {
            if given.arguments.is_empty() {
                return self.resolve(named.family, &template);
            }
            return Err(Error::new(format!("{} is a chain and takes no options", named.name)));
        };
        let info = self.part(named.family, &whole.name);
        for argument in &given.arguments {
            let Some(key) = argument.key.as_deref().or(info.and_then(|i| i.positional)) else {
                return Err(Error::new(format!("{}: the value {} needs a key=", named.name, argument.value)));
            };
            // A new budget replaces the template's, whatever unit either is in; c replaces k and k replaces c.
            let replaced = |old: &str| -> bool {
                let tied = |a: &str, b: &str| {
                    info.and_then(|i| i.options.iter().find(|o| o.name == a))
                        .is_some_and(|o| o.unless.contains(&b) || o.kind == Kind::Twice(string_in(info, b)))
                };
                old == key || tied(old, key) || tied(key, old)
            };
            whole.arguments.retain(|old| !old.key.as_deref().is_some_and(replaced));
        }
        let mut arguments = std::mem::take(&mut whole.arguments);
        arguments.extend(given.arguments.iter().cloned());
        whole.arguments = arguments;
        self.resolve(named.family, &template).map_err(|e| e.within(named.name))
    }
}

/// The static name of an option, so that it can be compared inside a `Kind`.
fn string_in(info: Option<&PartInfo>, name: &str) -> &'static str {
    info.and_then(|i| i.options.iter().find(|o| o.name == name)).map_or("", |o| o.name)
}
