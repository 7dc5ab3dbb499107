//! Reading a spec from text, with errors that point at the place.

use super::{Argument, Part, Spec, Value};
use crate::types::{Error, Result};

/// Deeper specs than this are refused: the parser recurses, and no real spec is so deep.
const MAX_DEPTH: usize = 24;
const MAX_LENGTH: usize = 64 * 1024;

impl Spec {
    pub fn parse(text: &str) -> Result<Spec> {
        if text.len() > MAX_LENGTH {
            return Err(Error::new(format!(
                "a spec has at most {MAX_LENGTH} characters, this one {}",
                text.len()
            )));
        }
        let mut reader = Reader { text, at: 0 };
        reader.skip_space();
        if reader.at == text.len() {
            return Err(Error::new("the spec is empty: expected a name such as uct or havannah(size=6)"));
        }
        let spec = reader.spec(0)?;
        match reader.peek() {
            None => Ok(spec),
            Some(c) => Err(reader.error(format!("'{c}' is one too many here"))),
        }
    }

    /// A spec of one part.
    pub fn single(name: &str, arguments: Vec<Argument>) -> Spec {
        Spec { parts: vec![Part { name: name.to_string(), arguments }] }
    }
}

/// The value that `text` begins with.
pub(super) fn value(text: &str) -> Result<Value> {
    Reader { text, at: 0 }.value(0)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip_space(&mut self) {
        while let Some(c) = self.peek().filter(|c| c.is_whitespace()) {
            self.at += c.len_utf8();
        }
    }

    /// Takes `c` and the space behind it.
    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
            self.skip_space();
        }
        found
    }

    fn error(&self, what: String) -> Error {
        let before: String =
            self.text[..self.at].chars().rev().take(20).collect::<Vec<_>>().into_iter().rev().collect();
        Error::new(format!(
            "spec, character {}: {what} (after '{before}')",
            self.text[..self.at].chars().count() + 1
        ))
    }

    fn name(&mut self) -> Result<String> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = &rest[..length];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let seen = self.peek().map_or("the end".to_string(), |c| format!("'{c}'"));
            return Err(self.error(format!("expected a name, found {seen}")));
        }
        self.at += length;
        self.skip_space();
        Ok(name.to_string())
    }

    fn spec(&mut self, depth: usize) -> Result<Spec> {
        if depth > MAX_DEPTH {
            return Err(self.error(format!("more than {MAX_DEPTH} levels of brackets")));
        }
        let mut parts = vec![self.part(depth)?];
        while self.take('+') {
            parts.push(self.part(depth)?);
        }
        Ok(Spec { parts })
    }

    fn part(&mut self, depth: usize) -> Result<Part> {
        let name = self.name()?;
        let mut arguments = Vec::new();
        if self.take('(') && !self.take(')') {
            loop {
                arguments.push(self.argument(depth)?);
                if self.take(')') {
                    break;
                }
                if !self.take(',') {
                    let seen = self.peek().map_or("the end".to_string(), |c| format!("'{c}'"));
                    return Err(self.error(format!("expected ',' or ')', found {seen}")));
                }
            }
        }
        Ok(Part { name, arguments })
    }

    fn argument(&mut self, depth: usize) -> Result<Argument> {
        let start = self.at;
        if self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            let key = self.name()?;
            if self.take('=') {
                return Ok(Argument { key: Some(key), value: self.value(depth)? });
            }
            self.at = start;
        }
        Ok(Argument { key: None, value: self.value(depth)? })
    }

    fn value(&mut self, depth: usize) -> Result<Value> {
        let value = match self.peek() {
            Some('"') => Value::Text(self.quoted()?),
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | '.' | '+') => self.number()?,
            _ => {
                let spec = self.spec(depth + 1)?;
                match spec.parts.as_slice() {
                    [part] if part.arguments.is_empty() => match part.name.as_str() {
                        "none" => Value::None,
                        "true" => Value::Bool(true),
                        "false" => Value::Bool(false),
                        _ => Value::Spec(spec),
                    },
                    _ => Value::Spec(spec),
                }
            }
        };
        self.skip_space();
        Ok(value)
    }

    fn quoted(&mut self) -> Result<String> {
        let mut out = String::new();
        let mut escaped = false;
        for (i, c) in self.text[self.at + 1..].char_indices() {
            match (escaped, c) {
                (true, 'n') => out.push('\n'),
                (true, 't') => out.push('\t'),
                (true, 'r') => out.push('\r'),
                (true, c) => out.push(c),
                (false, '\\') => {
                    escaped = true;
                    continue;
                }
                (false, '"') => {
                    self.at += 1 + i + 1;
                    return Ok(out);
                }
                (false, c) => out.push(c),
            }
            escaped = false;
        }
        Err(self.error("this quoted text never ends".to_string()))
    }

    /// A number, a percentage (`80%` is 0.8) or a number of bytes (`64MiB`).
    fn number(&mut self) -> Result<Value> {
        let rest = &self.text[self.at..];
        let mut length = 0;
        let bytes = rest.as_bytes();
        while length < bytes.len() {
            let c = bytes[length];
            let exponent_sign =
                matches!(c, b'-' | b'+') && length > 0 && matches!(bytes[length - 1], b'e' | b'E');
            let first_sign = matches!(c, b'-' | b'+') && length == 0;
            if c.is_ascii_digit() || matches!(c, b'.' | b'e' | b'E' | b'_') || exponent_sign || first_sign {
                length += 1;
            } else {
                break;
            }
        }
        let digits = rest[..length].replace('_', "");
        let not_a_number = |reader: &Self| reader.error(format!("'{}' is not a number", &rest[..length]));
        let whole = digits.parse::<i64>().ok();
        let real = digits.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| not_a_number(self))?;
        self.at += length;
        if self.take('%') {
            return Ok(Value::Real(real / 100.0));
        }
        for (unit, bytes) in [("KiB", 1i64 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)] {
            if self.text[self.at..].starts_with(unit) {
                let count = whole.and_then(|n| n.checked_mul(bytes)).ok_or_else(|| not_a_number(self))?;
                self.at += unit.len();
                return Ok(Value::Int(count));
            }
        }
        Ok(whole.map_or(Value::Real(real), Value::Int))
    }
}
