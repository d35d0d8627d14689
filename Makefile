# `make league` sets up and plays the quickstart event; `make test` sets up and runs every test;
# `make setup` sets up and no more; `make reference` plays the event that says how strong the sample bots are.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup league test test-slow lint bench soak pictures reference clean

setup: $(VENV)/ready

league: $(VENV)/ready
	$(BIN)/sternhalma run tournaments/events/quickstart.toml --again

test: $(VENV)/ready-test
	$(BIN)/pytest -n auto -m "not slow"

test-slow: $(VENV)/ready-test
	$(BIN)/pytest -n auto -m slow

lint: $(VENV)/ready-lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(VENV)/ready-test
	$(BIN)/python -m bench

soak: $(VENV)/ready-test
	$(BIN)/python -m bench.soak

# The pictures of pages are made by the tests that look at them.
pictures: $(VENV)/ready-test
	PICTURES=docs/images $(BIN)/pytest tests/browser

# The tables are those of an event that was really played, and are kept beside its file.
reference: $(VENV)/ready
	mkdir -p tournaments/reference/build
	$(CC) -std=c11 -O2 -o tournaments/reference/build/strong clients/c/strong/*.c
	$(BIN)/sternhalma run tournaments/reference/reference.toml --again
	cp results/reference/standings.md tournaments/reference/standings.md
	$(BIN)/sternhalma ratings results/reference --format md --superiority > tournaments/reference/ratings.md

clean:
	rm -rf $(VENV) .bench-venv results

$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "expected Python 3.11 or later, got $$($(PYTHON) --version): try make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[web]'
	@touch $@

# What only tests need is much more than what a league needs.
$(VENV)/ready-test: $(VENV)/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

$(VENV)/ready-lint: $(VENV)/ready-test
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[lint]'
	@touch $@
