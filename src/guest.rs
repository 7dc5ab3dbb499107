//! What games and policies that live outside the core have in common: how they are named, found, and fail.
//!
//! Nothing of the core's own can fail in the middle of a search; a guest can, at any call. Its failure unwinds
//! as a [`Failure`], which those who drive games turn into an error that names the guest and what it did.

use std::panic::panic_any;
use std::sync::OnceLock;

use crate::spec::{OptionInfo, Options, PartInfo};
use crate::types::{Error, Result};

const OPTIONS: &[OptionInfo] = &[
    OptionInfo::text("class", "none", "where it is written: module:Class or ./file.py:Class").or_none(),
    OptionInfo::text("options", "none", "a text that the class is built with").or_none(),
];

/// The entry of a guest in the catalogue of its family.
pub const fn info(doc: &'static str) -> PartInfo {
    PartInfo { name: "python", options: OPTIONS, positional: Some("class"), doc }
}

/// Finds the guest that a text names, with the options it is given.
pub type Finder<T> = fn(&str, Option<&str>) -> Result<T>;

/// Who finds the guests of one family. Without a host the family has none.
pub struct Host<T: 'static>(OnceLock<Finder<T>>);

impl<T> Host<T> {
    pub const fn new() -> Host<T> {
        Host(OnceLock::new())
    }

    /// From now on there are guests.
    pub fn set(&self, finder: Finder<T>) {
        // A second host would be the same one: the extension module is loaded once.
        let _ = self.0.set(finder);
    }

    pub fn is_set(&self) -> bool {
        self.0.get().is_some()
    }

    /// The guest that resolved options name, and what it is called in errors.
    pub fn find(&self, options: &Options) -> Result<(T, String)> {
        let Some(class) = options.text_or_none("class") else {
            return Err(Error::new("python needs a class: python(\"module:Class\")"));
        };
        let Some(finder) = self.0.get() else {
            return Err(Error::new("what is written in Python needs the Python package"));
        };
        let name = format!("python(\"{class}\")");
        let found = finder(class, options.text_or_none("options")).map_err(|e| e.within(&name))?;
        Ok((found, name))
    }
}

impl<T> Default for Host<T> {
    fn default() -> Host<T> {
        Host::new()
    }
}

/// What a guest did wrong, as the payload of a panic.
pub struct Failure(pub Error);

/// Unwinds with what went wrong.
pub fn fail(error: &Error) -> ! {
    panic_any(Failure(error.clone().of_guest()))
}

pub fn or_fail<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| fail(&error))
}
