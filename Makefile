# `make league` sets up and plays the quickstart event; `make test` sets up and runs every test.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: league test test-slow lint bench soak clean

league: $(VENV)/ready
	$(BIN)/sternhalma run tournaments/events/quickstart.toml --again

test: $(VENV)/ready
	$(BIN)/pytest -n auto -m "not slow"

test-slow: $(VENV)/ready
	$(BIN)/pytest -n auto -m slow

lint: $(VENV)/ready-lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(VENV)/ready
	$(BIN)/python -m bench

soak: $(VENV)/ready
	$(BIN)/python -m bench.soak

clean:
	rm -rf $(VENV) .bench-venv results

$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "expected Python 3.11 or later, got $$($(PYTHON) --version): try make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

$(VENV)/ready-lint: $(VENV)/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[lint]'
	@touch $@
