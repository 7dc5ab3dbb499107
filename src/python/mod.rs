//! The Python extension module `coppice._core`: text specs in, plain records out.
