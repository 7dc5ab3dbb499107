//! Resolving: every name and value of a spec checked, every default written out.

use super::{Argument, Catalogue, Family, Kind, OptionInfo, Part, PartInfo, Spec, Value, moved, reader};
use crate::types::{Error, Result};

impl Catalogue {
    pub fn part(&self, family: Family, name: &str) -> Option<&PartInfo> {
        self.parts.iter().find(|(f, info)| *f == family && info.name == name).map(|(_, info)| info)
    }

    pub fn names(&self, family: Family) -> Vec<&'static str> {
        let parts = self.parts.iter().filter(|(f, _)| *f == family).map(|(_, info)| info.name);
        parts.chain(self.named.iter().filter(|n| n.family == family).map(|n| n.name)).collect()
    }

    /// Reads a text and resolves it.
    pub fn read(&self, family: Family, text: &str) -> Result<Spec> {
        self.resolve(family, &Spec::parse(text)?)
    }

    /// The canonical form: known names, allowed values, every option written out in its order.
    pub fn resolve(&self, family: Family, spec: &Spec) -> Result<Spec> {
        if spec.parts.len() > 1 && !family.chains() {
            return Err(Error::new(format!(
                "'{spec}' is a chain: only playout policies, priors and tactics form chains"
            )));
        }
        let mut parts = Vec::new();
        for part in &spec.parts {
            if let Some(info) = self.part(family, &part.name) {
                parts.push(self.resolve_part(info, part)?);
            } else if let Some(named) = self.named.iter().find(|n| n.family == family && n.name == part.name)
            {
                parts.extend(self.expand(named, part)?.parts);
            } else {
                let names = self.names(family);
                let hint = did_you_mean(&part.name, names.iter().copied());
                let names =
                    if names.is_empty() { "none are installed".to_string() } else { names.join(", ") };
                return Err(Error::new(format!("unknown {} '{}'{hint}: {names}", family.name(), part.name)));
            }
        }
        if family.is_set() {
            self.order(family, &mut parts)?;
        }
        Ok(Spec { parts })
    }

    /// Puts the members of a set into the order of the catalogue; refuses one that is named twice.
    fn order(&self, family: Family, parts: &mut [Part]) -> Result<()> {
        let at = |part: &Part| self.parts.iter().position(|(f, info)| *f == family && info.name == part.name);
        parts.sort_by_key(at);
        match parts.windows(2).find(|pair| pair[0].name == pair[1].name) {
            Some(pair) => Err(Error::new(format!("{} is named twice", pair[0].name))),
            None => Ok(()),
        }
    }

    /// The value of an option that is not given.
    pub fn default_of(&self, part: &str, option: &OptionInfo) -> Result<Value> {
        if option.default == "none" && !matches!(option.kind, Kind::Choice(_)) {
            return Ok(Value::None);
        }
        option.check(self, part, &reader::value(option.default)?)
    }

    fn resolve_part(&self, info: &PartInfo, part: &Part) -> Result<Part> {
        let given = given(info, part)?;
        let is_given = |name: &str| {
            let at = info.options.iter().position(|o| o.name == name);
            at.is_some_and(|at| matches!(given[at], Some(v) if *v != Value::None))
        };
        let mut values: Vec<Value> = Vec::new();
        for (option, value) in info.options.iter().zip(&given) {
            values.push(match value {
                Some(value) => match (option.kind, value) {
                    // `c=none` means: as k says.
                    (Kind::Twice(_), Value::None) => Value::None,
                    _ => option.check(self, &part.name, value)?,
                },
                None if option.unless.iter().any(|other| is_given(other)) => Value::None,
                None => self.default_of(&part.name, option)?,
            });
        }
        self.agree_on_twice(info, part, &given, &mut values)?;
        let options = info.options.iter().zip(values);
        let arguments =
            options.map(|(option, value)| Argument { key: Some(option.name.to_string()), value }).collect();
        Ok(Part { name: part.name.clone(), arguments })
    }

    /// Gives both spellings of a constant, the option and the one that is twice it, the value of the one that is given.
    fn agree_on_twice(
        &self,
        info: &PartInfo,
        part: &Part,
        given: &[Option<&Value>],
        values: &mut [Value],
    ) -> Result<()> {
        for (at, option) in info.options.iter().enumerate() {
            let Kind::Twice(of) = option.kind else { continue };
            let single =
                info.options.iter().position(|o| o.name == of).expect("Twice names an option of its part");
            values[at] = match (&values[at], &values[single]) {
                (Value::Real(c), Value::Real(k)) if given[single].is_some() && *c != 2.0 * k => {
                    return Err(Error::new(format!(
                        "{}: {}={c:?} and {of}={k:?} disagree: {} is twice {of}; give one of them",
                        part.name, option.name, option.name
                    )));
                }
                (Value::Real(c), _) => {
                    let c = *c;
                    values[single] = info.options[single].check(self, &part.name, &Value::Real(c / 2.0))?;
                    Value::Real(c)
                }
                (_, Value::Real(k)) => Value::Real(2.0 * k),
                _ => Value::None,
            };
        }
        Ok(())
    }
}

/// The values that a part is given, by option.
fn given<'a>(info: &PartInfo, part: &'a Part) -> Result<Vec<Option<&'a Value>>> {
    let mut given: Vec<Option<&Value>> = vec![None; info.options.len()];
    for argument in &part.arguments {
        let Some(key) = argument.key.as_deref().or(info.positional) else {
            return Err(Error::new(format!(
                "{}: the value {} needs a key=: {}",
                part.name,
                argument.value,
                options_of(info)
            )));
        };
        let Some(at) = info.options.iter().position(|o| o.name == key) else {
            if let Some(moved) = moved::find(info.name, key) {
                return Err(moved.refusal(&part.name));
            }
            let hint = did_you_mean(key, info.options.iter().map(|o| o.name));
            return Err(Error::new(format!(
                "{} has no option '{key}'{hint}: {}",
                part.name,
                options_of(info)
            )));
        };
        if given[at].replace(&argument.value).is_some() {
            return Err(Error::new(format!("{}: {key} is given twice", part.name)));
        }
    }
    Ok(given)
}

fn options_of(info: &PartInfo) -> String {
    if info.options.is_empty() {
        return format!("{} takes no options", info.name);
    }
    format!("options: {}", info.options.iter().map(|o| o.name).collect::<Vec<_>>().join(", "))
}

/// ` (did you mean 'x'?)` for the nearest name, if it is near.
pub fn did_you_mean<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> String {
    let nearest = names.map(|name| (distance(word, name), name)).min();
    match nearest {
        Some((d, name)) if d > 0 && d <= 1 + word.len() / 4 => format!(" (did you mean '{name}'?)"),
        _ => String::new(),
    }
}

/// Edits between two words: insertions, deletions, replacements.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + (x != *y) as usize).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}
