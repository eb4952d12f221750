# One word for each thing to do; `make` lists them. CI uses the same words.

# Makes .venv, once; after that the one in .venv is used.
PYTHON ?= python3

VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := Cargo.toml Cargo.lock $(shell find src -name '*.rs' -o -name Cargo.toml)

# cargo and maturin must build for the same interpreter.
export PYO3_PYTHON := $(BIN)/python
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport PYTHONHOME PYTHONPATH CONDA_PREFIX

.PHONY: help demo test check bench stubs mutants wheels rust

help:
	@echo 'make demo    histories that went wrong, a repair, and two loops compared (examples/)'
	@echo 'make test    everything: check, then the Rust tests, then the Python tests'
	@echo 'make check   formats, lints and types, of Rust and of Python'
	@echo 'make bench   speed and memory beside others; options: make bench ARGS=--quick'
	@echo 'make stubs   generate the stub of the compiled module and compare the one we ship'
	@echo 'make mutants take each rule out in turn: some test must fail (about 6 minutes)'
	@echo 'make wheels  a wheel for this interpreter, and the sdist, into dist/'

demo: $(VENV)/built
	@$(BIN)/python examples/quickstart.py
	@$(BIN)/python examples/experiment.py

test: check
	cargo test --locked --quiet
	$(BIN)/python -m pytest $(ARGS)

check: $(VENV)/built $(VENV)/dev
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	cd tests/benchmarks && $(BIN)/mypy --config-file $(CURDIR)/pyproject.toml .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/stubtest toolpair --mypy-config-file pyproject.toml \
		--allowlist tests/typing/stubtest-allowed.txt

bench: $(VENV)/built $(VENV)/bench
	$(BIN)/python tests/benchmarks/bench.py $(ARGS)

# The generator knows names and parameters, but not what dicts, lists and callables hold. So the
# stub is written by hand, and what the generator knows must agree.
stubs: $(VENV)/built
	$(BIN)/maturin generate-stubs --quiet --locked --features pyo3/experimental-inspect \
		--interpreter $(BIN)/python --out target/stubs
	$(BIN)/python tests/typing/signatures.py python/toolpair/_core.pyi \
		target/stubs/toolpair/_core.pyi

mutants: $(VENV)/bin/python | rust
	$(BIN)/python tests/mutants.py $(ARGS)

wheels: $(VENV)/built
	$(BIN)/maturin build --release --locked --quiet --sdist --interpreter $(BIN)/python --out dist

# --- the environment: made once, renewed only when what it was made from has changed --------------

rust:
	@command -v cargo >/dev/null \
		|| { echo 'toolpair needs a Rust toolchain: cargo was not found (rustup installs one)' >&2; exit 1; }
	@command -v cc >/dev/null \
		|| { echo 'toolpair needs a linker: cc was not found (on Debian: gcc; on macOS: xcode-select --install)' >&2; exit 1; }

$(VENV)/bin/python: | rust
	@command -v '$(PYTHON)' >/dev/null \
		|| { echo 'toolpair needs Python 3.10 or newer: $(PYTHON) was not found (say make PYTHON=...)' >&2; exit 1; }
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
		|| { echo 'toolpair needs Python 3.10 or newer: $(PYTHON) is older (say make PYTHON=...)' >&2; exit 1; }
	@'$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo 'toolpair needs the venv module: $(PYTHON) lacks it (on Debian: python3-venv)' >&2; exit 1; }
	@'$(PYTHON)' -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/pip: | $(VENV)/bin/python
	@echo 'preparing $(VENV) ...'
	@$(PIP) install 'pip>=25.1' # the first that knows dependency groups
	@touch $@

$(VENV)/build $(VENV)/dev $(VENV)/bench: pyproject.toml $(VENV)/pip
	@echo 'installing the dependency group $(@F) ...'
	@$(PIP) install --group $(@F)
	@touch $@

$(VENV)/built: $(SOURCES) pyproject.toml $(VENV)/build | rust
	@echo 'building the compiled module ...'
	@$(BIN)/maturin develop --release --locked --quiet --group build # without it: all of dev
	@touch $@
