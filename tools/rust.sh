# Sourced by the other scripts: puts the Rust that `need.sh` fetched into this folder, if any, on the path.

if [ -x .build/rust/cargo/bin/cargo ]; then
    RUSTUP_HOME=$PWD/.build/rust/rustup
    CARGO_HOME=$PWD/.build/rust/cargo
    PATH=$CARGO_HOME/bin:$PATH
    export RUSTUP_HOME CARGO_HOME PATH
fi
