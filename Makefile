# The commands of the project: each does all its own set-up inside this folder and re-does nothing up to date.

export CARGO_TARGET_DIR := $(CURDIR)/target
export CARGO_BUILD_JOBS ?= 2
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# PyO3 asks a Python what it builds for; let it always be the same one.
export PYO3_PYTHON := $(CURDIR)/.venv/bin/python

PYTHON := .venv/bin/python
STEP := tools/step.sh
RUST_SOURCES := $(shell find src -name '*.rs') $(wildcard build.rs) Cargo.toml Cargo.lock fingerprints.txt \
	$(wildcard python/coppice/data/*.json python/coppice/data/patterns/*.json python/coppice/rules/*/*.lua)

# A virtual environment knows its own path: it is made anew when it is gone or the folder was moved.
ifneq ($(shell test -x $(PYTHON) && cat .build/where 2>/dev/null),$(CURDIR))
.build/venv: FORCE
endif

.DEFAULT_GOAL := help
.PHONY: help need setup run test quick lint bench evidence mutants tables docs gallery lock audit wheel clean
.PHONY: core-lane python-lane lint-core lint-python FORCE

help:  ## say what each target does
	@sed -n 's/^\([a-z]*\):.*  ## /\1: /p' Makefile | while IFS=: read -r name text; do \
		printf 'make %-10s%s\n' "$$name" "$$text"; done

need: .build/venv  ## check that Python, a C compiler and cargo are there
	@tools/need.sh cargo

setup: .build/setup  ## build the package into .venv; leaves .venv/bin/coppice

run: .build/setup  ## start the app in the browser
	@.venv/bin/coppice web

# Two lanes side by side, because the core needs neither a Python package nor the built module. The core's tests run
# with every access checked; `make evidence` runs them without.
test: .build/venv  ## check everything, in minutes
	@tools/need.sh cargo
	@$(MAKE) --no-print-directory -j2 core-lane python-lane
	@echo "make test: everything passed"

core-lane: lint-core
	@$(STEP) "cargo test, checked" cargo test --locked --quiet --lib --no-default-features --features checked

python-lane: lint-python
	@$(STEP) "pytest" $(PYTHON) -m pytest -q -n logical --dist loadfile --no-loadscope-reorder

quick: .build/test  ## check what the changed files need, in a minute
	@. tools/rust.sh && $(PYTHON) tools/quick.py

lint: lint-core lint-python  ## check format, lints and types

# A test binary with PyO3 in it needs a libpython, which not every Python brings: clippy reads the
# `python` feature, pytest runs it, and cargo tests the core without it.
lint-core: .build/venv
	@tools/need.sh cargo && tools/need.sh lint
	@$(STEP) "cargo fmt" cargo fmt --check
	@$(STEP) "cargo clippy" cargo clippy --locked --quiet --all-targets -- -D warnings
	@$(STEP) "cargo clippy, checked" \
		cargo clippy --locked --quiet --all-targets --no-default-features --features checked -- -D warnings

lint-python: .build/test
	@$(STEP) "ruff check" $(PYTHON) -m ruff check --quiet .
	@$(STEP) "ruff format" $(PYTHON) -m ruff format --quiet --diff .
	@$(STEP) "mypy --strict" $(PYTHON) -m mypy --strict
	@$(STEP) "stub of coppice._core" env MYPYPATH=python $(PYTHON) -m mypy.stubtest coppice._core

bench: .build/test  ## measure speed (on a quiet machine)
	@$(STEP) "benchmarks" $(PYTHON) -m pytest -q -s -m bench

evidence: .build/test  ## check what takes long
	@$(STEP) "cargo test, evidence" \
		cargo test --locked --quiet --release --lib --no-default-features -- --include-ignored
	@$(STEP) "pytest, evidence" $(PYTHON) -m pytest -q -m evidence --timeout 0

ROOM ?= all
SEED ?= 1
FAULTS ?= 30
mutants: .build/test .build/cargo/bin/cargo-mutants  ## ask whether tests notice faults (ROOM=all SEED=1 FAULTS=30)
	@$(STEP) "mutants" nice -n 15 $(PYTHON) tools/mutants.py run --room $(ROOM) --seed $(SEED) --number $(FAULTS)

FOR ?= 2h
tables: .build/setup  ## add games to results/ for a while (FOR=2h), at the lowest priority
	@.venv/bin/coppice run --all --for $(FOR) --results results --store tables.db

docs: .build/test  ## build the documentation into docs/_build
	@$(STEP) "documentation" $(PYTHON) -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build

gallery: docs  ## photograph every game and page onto contact sheets in gallery/
	@$(PYTHON) tools/gallery.py --out gallery

lock: .build/venv  ## write requirements.lock anew: versions and hashes of all that the app needs
	@$(STEP) "lock" tools/lock.sh $(PYTHON)

audit: .build/test  ## ask what is known against the locked versions (needs the network)
	@$(STEP) "audit" $(PYTHON) tools/audit.py

wheel: .build/setup  ## build a wheel into dist/
	@$(STEP) "wheel" .venv/bin/maturin build --release --locked --out dist

clean:  ## remove everything that was built
	rm -rf .build .venv dist gallery target docs/_build docs/_generated .mypy_cache .pytest_cache .ruff_cache .hypothesis python/coppice/_core*.so
	find python tests tools -name __pycache__ -type d -exec rm -rf {} +

.build/cargo/bin/cargo-mutants:
	@tools/need.sh cargo
	@$(STEP) "cargo-mutants" env CARGO_TARGET_DIR=target/tools \
		cargo install cargo-mutants --locked --quiet --root .build/cargo

# The stamps. What a stamp depends on is what makes it out of date.

.build/venv:
	@tools/need.sh cc
	@python=$$(tools/need.sh python) && mkdir -p .build && \
		$(STEP) "virtual environment in .venv" "$$python" -m venv --clear .venv
	@pwd > .build/where
	@touch $@

.build/tools: .build/venv pyproject.toml tools/requirements.py
	@tools/need.sh cargo
	@$(PYTHON) tools/requirements.py build run lab app > .build/requirements.txt
	@$(STEP) "Python packages" $(PYTHON) -m pip install --quiet -r .build/requirements.txt
	@touch $@

.build/setup: .build/tools $(RUST_SOURCES)
	@$(PYTHON) -m pip uninstall -qq --yes coppice # the name of this package before it was coppice-mcts
	@$(STEP) "release build" env PIP_QUIET=1 .venv/bin/maturin develop --release --locked --quiet
	@touch $@

# `make quick` takes the module as it was built last: to build it would take the minute.
ifneq ($(MAKECMDGOALS) $(wildcard .build/setup),quick .build/setup)
.build/test: .build/setup
endif

.build/test: .build/tools pyproject.toml tools/requirements.py
	@$(PYTHON) tools/requirements.py test dev docs > .build/requirements-test.txt
	@$(STEP) "Python packages of the tests" $(PYTHON) -m pip install --quiet -r .build/requirements-test.txt
	@touch $@
