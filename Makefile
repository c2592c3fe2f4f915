PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST := -m pytest --numprocesses auto --dist loadfile

# Environments of the matrix: each has a separate folder with a separate cache, so that all models are derived and
# compiled there.
MATRIX := $(CURDIR)/.matrix
UV := $(BIN)/uv
OLDEST_PYTHON := $(shell sed -n 's/^requires-python = ">=\(.*\)"/\1/p' pyproject.toml)
NEWEST_PYTHON ?= $(shell $(BIN)/python tests/matrix/pythons.py)
# Tests of each environment: a selection that depends on versions and compilers. All quick tests: TESTS=tests.
TESTS := tests/cli/test_run.py tests/runtime/test_families.py tests/runtime/test_files.py \
	tests/runtime/test_solution_files.py tests/runtime/test_figures.py tests/export/test_c.py \
	tests/modeling/test_loads.py tests/certify/test_checker.py tests/written

.DEFAULT_GOAL := help
.PHONY: help run test test-distributed test-import import-all test-browser test-export viewer viewer-check docs test-site slow random metamorphic heaps mutations matrix matrix-sample oldest newest \
	clang without-compiler wheel cross release sanitizers nightly bench generate clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "symlie needs Python 3.11 or newer; choose one with: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --editable '.[dev]'
	@touch $@

run: $(STAMP) ## integrate the heavy top, print its error table, write heavy_top.png and heavy_top.nc
	$(BIN)/symlie run heavy_top -o group=SE3 --method half_explicit_5 --h '2**-11' --t-end 1 \
		--plot heavy_top.png --out heavy_top.nc --reference

test: $(STAMP) ## check lint, format, types and generated files, and run the quick tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python $(PYTEST) --covering
	$(BIN)/symlie generate --all --check

test-distributed: $(STAMP) ## test ensembles on Dask and MPI, with killed processes; TOOLS=--all-tools skips none
	$(BIN)/python -m pytest -m 'distributed and not slow' $(TOOLS) tests/distributed

# Pinocchio and robots of other projects, which only these tests need, in a separate environment.
test-import: export SYMLIE_CACHE = $(MATRIX)/import/cache
test-import: $(STAMP) ## compare imported robots with MuJoCo and Pinocchio; IMPORT_TESTS='-m "slow or not slow"' runs all
	$(call environment,import,$(BIN)/python)
	$(UV) pip install --quiet --python $(MATRIX)/import 'pin>=4,<5'
	$(UV) pip install --quiet --python $(MATRIX)/import --no-deps 'dm_control>=1.0.20,<2' 'example-robot-data>=5,<7'
	$(MATRIX)/import/bin/python $(PYTEST) --all-tools $(IMPORT_TESTS) tests/importing

test-browser: $(STAMP) ## test 3-D views in headless Chromium; TOOLS=--all-tools skips none
	$(BIN)/python -m pytest -m 'browser and not slow' $(TOOLS) tests/browser

FMI_STAMP := $(VENV)/.fmi
$(FMI_STAMP): $(STAMP)
	$(PIP) install --editable '.[fmi]'
	@touch $@

EXPORT_TOOLS := arm-none-eabi-gcc qemu-system-arm cppcheck
EXPORT_PACKAGES := gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm cppcheck
test-export: $(FMI_STAMP) ## test exported C on emulated boards and functional mock-up units; TOOLS=--all-tools skips none
	@for tool in $(EXPORT_TOOLS); do command -v $$tool >/dev/null || { \
		echo "$$tool was not found; install it, on Debian with: apt-get install $(EXPORT_PACKAGES)" >&2; exit 1; }; done
	$(BIN)/python $(PYTEST) -m 'export and not slow' $(TOOLS) tests/export

# npm packages are outside templates/, which is copied into wheels; users need neither npm packages nor Node.js.
VIEWER := templates/viewer
MODULES := .viewer/node_modules
$(MODULES)/.installed: $(VIEWER)/package-lock.json
	mkdir -p .viewer
	cp $(VIEWER)/package.json $(VIEWER)/package-lock.json .viewer
	npm ci --prefix .viewer --ignore-scripts --no-audit --no-fund
	@touch $@

viewer: $(MODULES)/.installed ## build the script of 3-D views, templates/viewer/viewer.js, from its sources
	node $(VIEWER)/build.mjs $(MODULES) $(VIEWER)/viewer.js

viewer-check: $(MODULES)/.installed ## check that templates/viewer/viewer.js is up to date
	node $(VIEWER)/build.mjs $(MODULES) .viewer/viewer.js
	cmp .viewer/viewer.js $(VIEWER)/viewer.js

slow: $(STAMP) ## run the slow tests
	$(BIN)/python -m pytest --numprocesses auto -m slow

# MathJax for the site, from the npm package of the lock file.
MATHJAX := site/static/mathjax/LICENSE
$(MATHJAX): docs/site_build/mathjax/package-lock.json
	@command -v npm >/dev/null || { echo 'npm was not found; install it, on Debian with: apt-get install npm' >&2; exit 1; }
	mkdir -p site/npm $(@D)
	cp docs/site_build/mathjax/package.json docs/site_build/mathjax/package-lock.json site/npm
	npm ci --prefix site/npm --ignore-scripts --no-audit --no-fund
	cp site/npm/node_modules/mathjax/es5/tex-svg-full.js $(@D)
	cp site/npm/node_modules/mathjax/LICENSE $@

DOCS_STAMP := $(VENV)/.docs
$(DOCS_STAMP): $(STAMP)
	$(PIP) install --editable '.[docs]'
	@touch $@

docs: $(DOCS_STAMP) $(MATHJAX) ## build the site: pages, reference and gallery, in site/html/index.html
	$(BIN)/python -m sphinx -q -W --keep-going --jobs auto -d site/doctrees docs site/html

test-site: docs ## test all pages of the site in a browser, without a network; TOOLS=--all-tools skips none
	$(BIN)/python -m pytest -m browser $(TOOLS) tests/site

random: $(STAMP) ## compare random models 1000 to 9999 with reference trajectories; resumable
	$(BIN)/python -m tests.trajectories.run --seeds 1000:10000 --out .nightly.jsonl

metamorphic: $(STAMP) ## test 2,000 random mechanisms in other units, frames, names, orders, coordinates, backends; resumable
	$(BIN)/python -m tests.metamorphic.run --seeds 0:2000 --out .metamorphic.jsonl

heaps: $(STAMP) ## time stepping of 500 random heaps of balls, and of 500 with boxes in a container; resumable
	$(BIN)/python -m tests.runtime.heap_runs --kind balls --seeds 0:500 --out .heaps.jsonl
	$(BIN)/python -m tests.runtime.heap_runs --kind container --seeds 0:500 --out .heaps.jsonl

mutations: $(STAMP) ## run quick tests with 300 mutations of symlie and its templates, and print undetected ones; resumable
	$(BIN)/python -m tests.mutations.run --seeds 0:300 --reach .mutations.reach --out .mutations.jsonl --cache .mutations

ENVIRONMENTS := oldest newest clang without-compiler sanitizers
matrix: $(ENVIRONMENTS) wheel ## run selected tests in all of the following environments

# The sum of the characters of the commit selects the environment, so that other environments follow with other commits.
CHOSEN = $(shell git rev-parse HEAD | od -An -tu1 -v | tr -s ' ' '\n' | awk '{ s += $$1 } END { print s % $(words $(ENVIRONMENTS)) + 1 }')
matrix-sample: wheel ## run the wheel and selected tests in one environment, chosen by the commit
	$(MAKE) $(word $(CHOSEN),$(ENVIRONMENTS))

# $(call environment,NAME,PYTHON,OPTIONS) creates an environment and replaces an existing one.
define environment
@echo "$(1): Python $(2)"
$(UV) venv --quiet --clear --python $(2) $(MATRIX)/$(1)
$(UV) pip install --quiet --python $(MATRIX)/$(1) $(3) --editable '.[dev]'
endef

oldest: export SYMLIE_CACHE = $(MATRIX)/oldest/cache
oldest: $(STAMP) ## run selected tests with the oldest supported Python and packages
	$(call environment,oldest,$(OLDEST_PYTHON),--resolution lowest-direct --constraints tests/matrix/oldest.txt)
	$(MATRIX)/oldest/bin/python $(PYTEST) --covering $(TESTS)
	$(MATRIX)/oldest/bin/symlie generate --all --check

newest: export SYMLIE_CACHE = $(MATRIX)/newest/cache
newest: $(STAMP) ## run selected tests with the newest packages and the newest installed Python, or NEWEST_PYTHON=...
	$(call environment,newest,$(NEWEST_PYTHON),--upgrade)
	$(MATRIX)/newest/bin/python $(PYTEST) --covering $(TESTS)
	$(MATRIX)/newest/bin/symlie generate --all --check

clang: export SYMLIE_CACHE = $(MATRIX)/clang/cache
clang: $(STAMP) ## run selected tests with clang
	@command -v clang || { echo 'clang was not found; install it, on Debian with: apt-get install clang' >&2; exit 1; }
	rm -rf $(MATRIX)/clang
	CC=clang $(BIN)/python $(PYTEST) --covering --as-users $(TESTS)

without-compiler: export SYMLIE_CACHE = $(MATRIX)/without-compiler/cache
without-compiler: $(STAMP) ## run selected tests with NumPy, with all programs except compilers on the path
	rm -rf $(MATRIX)/without-compiler
	$(BIN)/python tests/matrix/programs.py $(MATRIX)/without-compiler/bin
	env -u CC PATH=$(MATRIX)/without-compiler/bin $(BIN)/python $(PYTEST) --covering $(TESTS)

wheel: export SYMLIE_CACHE = $(MATRIX)/wheel/cache
wheel: $(STAMP) ## build an sdist and a wheel from it; install the wheel without extras and run it
	rm -rf $(MATRIX)/wheel
	$(UV) build --quiet --python $(BIN)/python --out-dir $(MATRIX)/wheel
	$(UV) venv --quiet --python $(BIN)/python $(MATRIX)/wheel/installed
	$(UV) pip install --quiet --python $(MATRIX)/wheel/installed $(MATRIX)/wheel/*.whl
	cd $(MATRIX)/wheel && env -u PYTHONPATH installed/bin/symlie run heavy_top --t-end 0.1 --out heavy_top.npz
	cd $(MATRIX)/wheel && env -u PYTHONPATH installed/bin/symlie generate heavy_top --out generated
	cd $(MATRIX)/wheel && installed/bin/python -I $(CURDIR)/tests/matrix/installed.py

ZIG := ziglang>=0.13,<1
cross: export SYMLIE_CACHE = $(MATRIX)/cross/cache
cross: $(STAMP) ## cross-compile all kernels and time loops for Windows, macOS and 64-bit ARM
	$(call environment,cross,$(BIN)/python,'$(ZIG)')
	$(MATRIX)/cross/bin/python $(PYTEST) -m slow tests/emit/test_cross_compilation.py

# Each artifact in a clean environment of each Python.
RELEASE := 3.11 3.12 3.13 3.14
release: export SYMLIE_CACHE = $(MATRIX)/release/cache
release: $(STAMP) ## build sdist and wheel, check them, and run both in clean environments of Python 3.11 to 3.14
	rm -rf dist $(MATRIX)/release
	$(UV) build --quiet --python $(BIN)/python --out-dir dist
	$(UV) tool run --quiet twine check --strict dist/*.whl dist/*.tar.gz
	@set -e; for version in $(RELEASE); do for artifact in $(CURDIR)/dist/*.whl $(CURDIR)/dist/*.tar.gz; do \
		echo "release: $$(basename $$artifact) with Python $$version"; \
		place=$(MATRIX)/release/$$version-$${artifact##*.}; \
		$(CURDIR)/$(UV) venv --quiet --clear --python $$($(CURDIR)/$(BIN)/python tests/matrix/pythons.py $$version) $$place; \
		$(CURDIR)/$(UV) pip install --quiet --python $$place $$artifact; \
		cd $$place; \
		env -u PYTHONPATH bin/symlie run heavy_top --t-end 0.1 --out heavy_top.npz; \
		bin/python -I $(CURDIR)/tests/matrix/installed.py; \
		cd $(CURDIR); \
	done; done

sanitizers: $(STAMP) ## run exported C with the address and undefined behaviour sanitizers
	$(BIN)/python -m pytest --numprocesses auto -m slow -k sanitizers tests/export

import-all: $(STAMP) ## compare 200 random trees and all foreign files with MuJoCo and Pinocchio
	$(MAKE) test-import IMPORT_TESTS='-m "slow or not slow"'

NIGHTLY := slow import-all oldest newest clang without-compiler wheel cross random metamorphic heaps
nightly: $(STAMP) ## run slow tests, all quick tests in each environment, and random models; takes hours
	@failed=; for job in $(NIGHTLY); do \
		echo "nightly: make $$job TESTS=tests"; \
		$(MAKE) $$job TESTS=tests || failed="$$failed $$job"; \
	done; \
	test -z "$$failed" || { echo "nightly: failed:$$failed" >&2; exit 1; }

bench: $(STAMP) ## run the benchmarks
	$(BIN)/symlie bench

generate: $(STAMP) ## regenerate the generated files
	$(BIN)/symlie generate --all

clean: ## remove the virtual environment, caches and outputs
	rm -rf $(VENV) $(MATRIX) .viewer site docs/api docs/examples build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache heavy_top.png heavy_top.nc
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +
