//! Specs: the text in which games, policies and players are named, `name(key=value, ...)`, read and written.
//!
//! A spec is parsed without knowing what it names; a [`Catalogue`] then *resolves* it: checks every name
//! and value, and writes every default out. The resolved spec is canonical: one meaning, one spelling.

mod moved;
mod named;
mod options;
mod reader;
mod resolve;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::types::{Error, Result};
pub use named::{InGame, Named, StandsFor, Strong};
pub use options::Options;
pub use resolve::did_you_mean;

/// `name`, `name(arguments)` or a chain `a+b(...)+c`.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    pub parts: Vec<Part>,
}

/// One link of a chain: a name and its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub name: String,
    pub arguments: Vec<Argument>,
}

/// `key=value`, or a value alone where the part declares which option it means.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub key: Option<String>,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    None,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(String),
    /// A bare name is a spec of one part without arguments.
    Spec(Spec),
}

// ------------------------------------------------------------------------------------------------ writing

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                f.write_str("+")?;
            }
            write!(f, "{part}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        for (i, argument) in self.arguments.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            if let Some(key) = &argument.key {
                write!(f, "{key}=")?;
            }
            write!(f, "{}", argument.value)?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::None => f.write_str("none"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            // Debug always shows a point or an exponent, so that a real reads back as a real.
            Value::Real(x) => write!(f, "{x:?}"),
            Value::Text(text) => {
                f.write_str("\"")?;
                for c in text.chars() {
                    match c {
                        '"' => f.write_str("\\\"")?,
                        '\\' => f.write_str("\\\\")?,
                        '\n' => f.write_str("\\n")?,
                        '\t' => f.write_str("\\t")?,
                        '\r' => f.write_str("\\r")?,
                        c => write!(f, "{c}")?,
                    }
                }
                f.write_str("\"")
            }
            Value::Spec(spec) => write!(f, "{spec}"),
        }
    }
}

// ---------------------------------------------------------------------------------------------- describing

/// What kind of thing a part is; each family is one namespace of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    Game,
    Player,
    Root,
    Selection,
    Candidates,
    Expansion,
    Prior,
    Tactics,
    Playout,
    Backup,
    Worlds,
    Final,
    Openings,
}

impl Family {
    pub const ALL: [Family; 13] = [
        Family::Game,
        Family::Player,
        Family::Root,
        Family::Selection,
        Family::Candidates,
        Family::Expansion,
        Family::Prior,
        Family::Tactics,
        Family::Playout,
        Family::Backup,
        Family::Worlds,
        Family::Final,
        Family::Openings,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Family::Game => "game",
            Family::Player => "player",
            Family::Root => "root",
            Family::Selection => "selection",
            Family::Candidates => "candidates",
            Family::Expansion => "expansion",
            Family::Prior => "prior",
            Family::Tactics => "tactics",
            Family::Playout => "playout",
            Family::Backup => "backup",
            Family::Worlds => "worlds",
            Family::Final => "final",
            Family::Openings => "openings",
        }
    }

    /// Whether several members may stand together, as a chain `a+b`.
    pub fn chains(self) -> bool {
        self == Family::Playout || self.is_set()
    }

    /// Whether the order of a chain means nothing. Such a chain is written in the order of the catalogue, each member once;
    /// in any other chain the first link that does not pass decides.
    pub fn is_set(self) -> bool {
        matches!(self, Family::Prior | Family::Tactics)
    }

    /// What a value of the family is, in words.
    fn in_words(self) -> &'static str {
        match self {
            Family::Game => "a game",
            Family::Player => "a player",
            Family::Root => "a root",
            Family::Selection => "a selection",
            Family::Candidates => "a candidates",
            Family::Expansion => "an expansion",
            Family::Prior => "a prior or a chain a+b",
            Family::Tactics => "a tactic or a chain a+b",
            Family::Playout => "a playout policy or a chain a+b",
            Family::Backup => "a backup",
            Family::Worlds => "a way to choose worlds",
            Family::Final => "a final rule",
            Family::Openings => "an openings",
        }
    }
}

/// The values an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Int {
        min: i64,
        max: i64,
    },
    Real {
        min: f64,
        max: f64,
    },
    Bool,
    Choice(&'static [&'static str]),
    Text,
    Spec(Family),
    /// Another spelling of the real option named here, on the scale of results -1..1: always twice it.
    Twice(&'static str),
}

/// One option of a part: parser, help, error messages, catalogue and web forms are all made from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OptionInfo {
    pub name: &'static str,
    pub kind: Kind,
    /// As it would be written in a spec.
    pub default: &'static str,
    /// Whether `none` is a value.
    pub or_none: bool,
    /// The default gives way to `none` when one of these options is given.
    pub unless: &'static [&'static str],
    pub doc: &'static str,
}

impl OptionInfo {
    const fn new(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> OptionInfo {
        OptionInfo { name, kind, default, or_none: false, unless: &[], doc }
    }

    pub const fn int(
        name: &'static str,
        min: i64,
        max: i64,
        default: &'static str,
        doc: &'static str,
    ) -> OptionInfo {
        OptionInfo::new(name, Kind::Int { min, max }, default, doc)
    }

    pub const fn real(
        name: &'static str,
        min: f64,
        max: f64,
        default: &'static str,
        doc: &'static str,
    ) -> OptionInfo {
        OptionInfo::new(name, Kind::Real { min, max }, default, doc)
    }

    pub const fn flag(name: &'static str, default: &'static str, doc: &'static str) -> OptionInfo {
        OptionInfo::new(name, Kind::Bool, default, doc)
    }

    pub const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        default: &'static str,
        doc: &'static str,
    ) -> OptionInfo {
        OptionInfo::new(name, Kind::Choice(choices), default, doc)
    }

    pub const fn text(name: &'static str, default: &'static str, doc: &'static str) -> OptionInfo {
        OptionInfo::new(name, Kind::Text, default, doc)
    }

    pub const fn spec(
        name: &'static str,
        family: Family,
        default: &'static str,
        doc: &'static str,
    ) -> OptionInfo {
        OptionInfo::new(name, Kind::Spec(family), default, doc)
    }

    /// `c`, the constant of papers that count results as -1..1; follows `of`.
    pub const fn twice(name: &'static str, of: &'static str, doc: &'static str) -> OptionInfo {
        OptionInfo::new(name, Kind::Twice(of), "none", doc)
    }

    pub const fn or_none(mut self) -> OptionInfo {
        self.or_none = true;
        self
    }

    pub const fn unless(mut self, others: &'static [&'static str]) -> OptionInfo {
        self.unless = others;
        self.or_none = true;
        self
    }

    /// The allowed values in words.
    pub fn allowed(&self) -> String {
        let mut text = match self.kind {
            Kind::Int { min, max } if max == i64::MAX => format!("a whole number from {min}"),
            Kind::Int { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Real { min, max } if max == f64::INFINITY => format!("a number from {min}"),
            Kind::Real { min, max } => format!("a number from {min} to {max}"),
            Kind::Bool => "true or false".to_string(),
            Kind::Choice(choices) => choices.join(", "),
            Kind::Text => "a quoted text".to_string(),
            Kind::Spec(family) => family.in_words().to_string(),
            Kind::Twice(of) => format!("a number, twice {of}"),
        };
        if self.or_none {
            text.push_str(", or none");
        }
        text
    }

    fn check(&self, catalogue: &Catalogue, part: &str, value: &Value) -> Result<Value> {
        let refuse =
            || Error::new(format!("{part}: {}={value} is not allowed: {}", self.name, self.allowed()));
        Ok(match (self.kind, value) {
            (_, Value::None) if self.or_none => Value::None,
            (Kind::Int { min, max }, Value::Int(n)) if (min..=max).contains(n) => Value::Int(*n),
            // 1e4 is how people write ten thousand.
            (Kind::Int { min, max }, Value::Real(x))
                if x.fract() == 0.0 && x.abs() < 9e15 && (min..=max).contains(&(*x as i64)) =>
            {
                Value::Int(*x as i64)
            }
            (Kind::Real { min, max }, Value::Real(x)) if (min..=max).contains(x) => Value::Real(*x),
            (Kind::Real { min, max }, Value::Int(n)) if (min..=max).contains(&(*n as f64)) => {
                Value::Real(*n as f64)
            }
            (Kind::Twice(_), Value::Real(x)) => Value::Real(*x),
            (Kind::Twice(_), Value::Int(n)) => Value::Real(*n as f64),
            (Kind::Bool, Value::Bool(b)) => Value::Bool(*b),
            (Kind::Text, Value::Text(text)) => Value::Text(text.clone()),
            (Kind::Choice(choices), Value::Spec(spec)) => match spec.parts.as_slice() {
                [one] if one.arguments.is_empty() && choices.contains(&one.name.as_str()) => value.clone(),
                [one] if one.arguments.is_empty() => {
                    let hint = did_you_mean(&one.name, choices.iter().copied());
                    return Err(Error::new(format!(
                        "{part}: {}={value} is not allowed{hint}: {}",
                        self.name,
                        self.allowed()
                    )));
                }
                _ => return Err(refuse()),
            },
            // The reader makes values of `none` and `true` before it knows that they are names of choices.
            (Kind::Choice(choices), Value::None) if choices.contains(&"none") => {
                Value::Spec(Spec::single("none", vec![]))
            }
            (Kind::Spec(_), Value::Int(_) | Value::Real(_)) if moved::find(part, self.name).is_some() => {
                return Err(moved::find(part, self.name).map_or_else(refuse, |moved| moved.refusal(part)));
            }
            (Kind::Spec(family), Value::Spec(spec)) => Value::Spec(
                catalogue.resolve(family, spec).map_err(|e| e.within(format!("{part}: {}", self.name)))?,
            ),
            _ => return Err(refuse()),
        })
    }
}

/// One thing that a spec can name.
#[derive(Clone, Copy, Debug)]
pub struct PartInfo {
    pub name: &'static str,
    pub options: &'static [OptionInfo],
    /// The option that a value without key means.
    pub positional: Option<&'static str>,
    pub doc: &'static str,
}

/// Everything that a spec can name, in the order in which it is shown.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    pub parts: Vec<(Family, PartInfo)>,
    pub named: Vec<Named>,
}
