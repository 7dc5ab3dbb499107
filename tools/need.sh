#!/bin/sh
# Looks for one thing that the build needs, or says what is missing and how to get it: need.sh THING.

. tools/rust.sh

# The oldest Rust that knows the crate's edition, as in Cargo.toml.
rust=$(sed -n 's/^rust-version = "1\.\([0-9]*\).*/\1/p' Cargo.toml)

missing() {
    printf 'coppice needs %s, and it is missing. To get it:\n' "$1" >&2
    shift
    printf '  %s\n' "$@" >&2
    exit 1
}

# Asks cargo itself: a file of that name may be a shim with nothing behind it.
cargo_is_there() {
    minor=$(cargo --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\).*/\1/p')
    [ -n "$minor" ] && [ "$minor" -ge "$rust" ]
}

need_python() {
    for name in python3.13 python3.12 python3.11 python3; do
        # An interpreter without venv and ensurepip (Debian splits them off) cannot make our environment.
        if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    missing "Python 3.11 or newer, with venv" \
        "Debian, Ubuntu:  sudo apt install python3 python3-venv" \
        "Fedora:          sudo dnf install python3" \
        "macOS:           brew install python" \
        "others:          https://www.python.org/downloads/"
}

need_cc() {
    # A compiler without the C library's files is no use to Rust, which links with it.
    mkdir -p .build
    if printf 'int main(void) { return 0; }\n' | cc -x c -o .build/cc-works - 2>/dev/null; then
        rm -f .build/cc-works
        return
    fi
    missing "a C compiler (cc)" \
        "Debian, Ubuntu:  sudo apt install build-essential" \
        "Fedora:          sudo dnf install gcc" \
        "macOS:           xcode-select --install"
}

need_cargo() {
    cargo_is_there && return
    # maturin's own way to a Rust when there is none, here with a place inside this folder.
    printf '%s\n' "-- no cargo 1.$rust or newer: fetching Rust into .build/rust ..."
    if .venv/bin/python -m pip install --quiet 'puccinialin>=0.1,<1' &&
        .venv/bin/python -m puccinialin --location .build/rust --info-json .build/rust.json; then
        . tools/rust.sh
        cargo_is_there && return
    fi
    rm -rf .build/rust
    missing "cargo 1.$rust or newer (Rust), which could not be fetched either" \
        "any system:      curl -sSf https://sh.rustup.rs | sh" \
        "Debian 13:       sudo apt install cargo rustfmt rust-clippy" \
        "Fedora:          sudo dnf install cargo rustfmt clippy" \
        "macOS:           brew install rust"
}

need_lint() {
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 && return
    if [ -d .build/rust ]; then
        rustup component add rustfmt clippy && return
    fi
    missing "rustfmt and clippy (for the tests)" \
        "with rustup:     rustup component add rustfmt clippy" \
        "Debian, Ubuntu:  sudo apt install rustfmt rust-clippy" \
        "Fedora:          sudo dnf install rustfmt clippy"
}

case $1 in
    python | cc | cargo | lint) "need_$1" ;;
    *)
        printf 'need.sh: unknown thing %s; there are python, cc, cargo, lint\n' "'$1'" >&2
        exit 2
        ;;
esac
