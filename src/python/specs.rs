//! Specs as trees for Python: what a text says, part by part, before it is looked up what it means.

use pyo3::prelude::*;
use pyo3::types::PyList;

use super::raised;
use crate::spec::{Spec, Value};

/// The parts of a spec in their order: of each its text, its name and its options as (key, value). The key is None where
/// none stands. A value is None, a bool, an int, a float, a str (a quoted text) or a list of parts; a bare word is a part
/// without options. Nothing is resolved: a text from elsewhere can be read before it does anything.
#[pyfunction]
pub fn parse_spec<'py>(py: Python<'py>, spec: &str) -> PyResult<Bound<'py, PyList>> {
    parts(py, &Spec::parse(spec).map_err(raised)?)
}

fn parts<'py>(py: Python<'py>, spec: &Spec) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for part in &spec.parts {
        let options = PyList::empty(py);
        for argument in &part.arguments {
            options.append((argument.key.as_deref(), value(py, &argument.value)?))?;
        }
        list.append((part.to_string(), part.name.as_str(), options))?;
    }
    Ok(list)
}

fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::None => py.None().into_bound(py),
        Value::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Int(number) => number.into_pyobject(py)?.into_any(),
        Value::Real(number) => number.into_pyobject(py)?.into_any(),
        Value::Text(text) => text.as_str().into_pyobject(py)?.into_any(),
        Value::Spec(spec) => parts(py, spec)?.into_any(),
    })
}
