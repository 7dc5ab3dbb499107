//! What a part reads of its options once they are resolved.

use super::{Part, Spec, Value};

/// The options of a resolved part, read by name. A name that the part does not declare is a bug and panics.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    part: &'a Part,
}

impl<'a> Options<'a> {
    /// `part` must come out of [`Catalogue::resolve`].
    pub fn new(part: &'a Part) -> Options<'a> {
        Options { part }
    }

    pub fn part(&self) -> &'a Part {
        self.part
    }

    pub fn name(&self) -> &'a str {
        &self.part.name
    }

    /// The part with all its options, as a spec writes it.
    pub fn written(&self) -> String {
        self.part.to_string()
    }

    fn get(&self, key: &str) -> &'a Value {
        let found = self.part.arguments.iter().find(|a| a.key.as_deref() == Some(key));
        &found.unwrap_or_else(|| panic!("{} declares no option {key}", self.part.name)).value
    }

    pub fn int(&self, key: &str) -> i64 {
        self.int_or_none(key).unwrap_or_else(|| panic!("{key} may be none: use int_or_none"))
    }

    pub fn int_or_none(&self, key: &str) -> Option<i64> {
        match self.get(key) {
            Value::Int(n) => Some(*n),
            Value::None => None,
            other => panic!("{key}={other} is not a whole number"),
        }
    }

    pub fn size(&self, key: &str) -> usize {
        self.int(key) as usize
    }

    pub fn real(&self, key: &str) -> f32 {
        self.real_or_none(key).unwrap_or_else(|| panic!("{key} may be none: use real_or_none")) as f32
    }

    pub fn real_or_none(&self, key: &str) -> Option<f64> {
        match self.get(key) {
            Value::Real(x) => Some(*x),
            Value::None => None,
            other => panic!("{key}={other} is not a number"),
        }
    }

    pub fn flag(&self, key: &str) -> bool {
        match self.get(key) {
            Value::Bool(b) => *b,
            other => panic!("{key}={other} is not true or false"),
        }
    }

    pub fn choice(&self, key: &str) -> &'a str {
        match self.get(key) {
            Value::Spec(spec) => &spec.parts[0].name,
            other => panic!("{key}={other} is not a name"),
        }
    }

    pub fn text(&self, key: &str) -> &'a str {
        self.text_or_none(key).unwrap_or_else(|| panic!("{key} may be none: use text_or_none"))
    }

    pub fn text_or_none(&self, key: &str) -> Option<&'a str> {
        match self.get(key) {
            Value::Text(text) => Some(text),
            Value::None => None,
            other => panic!("{key}={other} is not a text"),
        }
    }

    pub fn spec(&self, key: &str) -> &'a Spec {
        self.spec_or_none(key).unwrap_or_else(|| panic!("{key} may be none: use spec_or_none"))
    }

    pub fn spec_or_none(&self, key: &str) -> Option<&'a Spec> {
        match self.get(key) {
            Value::Spec(spec) => Some(spec),
            Value::None => None,
            other => panic!("{key}={other} is not a spec"),
        }
    }
}
