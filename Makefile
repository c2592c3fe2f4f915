PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run test slow nightly bench generate clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "symlie needs Python 3.11 or newer; choose one with: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --editable '.[dev]'
	@touch $@

run: $(STAMP) ## integrate the heavy top, print its error table, write heavy_top.png and heavy_top.nc
	$(BIN)/symlie run heavy_top -o group=SE3 --method half_explicit_5 --h '2**-11' --t-end 1 \
		--plot heavy_top.png --out heavy_top.nc --reference

test: $(STAMP) ## lint, format check, types, quick tests, generated files up to date
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest --numprocesses auto --dist loadfile
	$(BIN)/symlie generate --all --check

slow: $(STAMP) ## the slow tests
	$(BIN)/pytest --numprocesses auto -m slow

nightly: $(STAMP) ## random models 1000 to 9999 against the oracle of trajectories; goes on where it was interrupted
	$(BIN)/python -m tests.trajectories.run --seeds 1000:10000 --out .nightly.jsonl

bench: $(STAMP) ## the benchmarks
	$(BIN)/symlie bench

generate: $(STAMP) ## write the generated files anew
	$(BIN)/symlie generate --all

clean: ## remove the virtual environment, caches and outputs
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache heavy_top.png heavy_top.nc
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +
