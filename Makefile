# Every target does its own set-up, says what it is doing, and can be run again at once.
#
#   make demo        build, then show the models of examples/demo.py
#   make test        everything that a change has to pass
#   make test-torch TORCH=2.14.1   the tests of the bridge with another PyTorch
#   make test-opinfo PyTorch's samples of all its operators (JOBS processes; not in `test`)
#   make bench       benchmarks, each a ratio against a peer in the same run
#   make bench-gnn   the same for layers that pass messages, against PyG and Inductor
#   make fmt         format C++ and Python
#   make lint        formatting, ruff, mypy, include direction, sizes
#   make docs-check  run every code block of the documentation
#   make fuzz        fuzz the parsers for FUZZ_SECONDS each (60)
#   make fuzz-graphs run FUZZ_GRAPHS random graphs (20000) against eager mode
#   make test-models run the models of transformers against eager mode
#   make dgl-pairs   compare DGL_PAIRS (10,000) random functions with DGL
#   make wheel       build a wheel into dist/
#   make clean       remove build/ and dist/; the environment .venv stays
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export PATH := $(CURDIR)/.venv/bin:$(PATH)

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
DGL_PAIRS ?= 10000
FUZZ_GRAPHS ?= 20000
PACKAGES := .venv/.packages
ENVIRONMENT := .venv/.requirements
REPORTS := build/reports
NATIVE = $$(git ls-files --cached --others --exclude-standard -- '*.h' '*.hpp' '*.cpp' '*.c')
PYTEST := pytest -q -n $(JOBS) --dist worksteal --durations=5
SUITES = $(wildcard tests/conventions tests/docs tests/python tests/numeric tests/abi \
	tests/conformance)

.PHONY: help setup build demo test bench bench-gnn fmt lint docs-check dgl-pairs fuzz fuzz-graphs wheel clean
.PHONY: lint-format lint-python lint-layers test-unit test-golden test-sanitizer test-python
.PHONY: test-models test-torch test-opinfo

help:
	@sed -n 's/^#   //p' $(MAKEFILE_LIST)

# --- set-up ---------------------------------------------------------------------------
setup: $(ENVIRONMENT)

$(PACKAGES): scripts/apt-packages.txt scripts/install_packages.sh
	@echo "==> Debian packages"
	@scripts/install_packages.sh
	@mkdir -p .venv && touch $@

$(ENVIRONMENT): requirements-dev.txt scripts/install_environment.sh $(PACKAGES)
	@echo "==> Python environment .venv (a few minutes the first time)"
	@scripts/install_environment.sh
	@touch $@

# --- build ----------------------------------------------------------------------------
# Configures a preset once; ninja repeats that by itself when CMake files change.
build/%/build.ninja: | $(ENVIRONMENT)
	@echo "==> configuring ($*)"
	@cmake --preset $* --log-level=WARNING >/dev/null

build: build/release/build.ninja $(ENVIRONMENT)
	@echo "==> building (release)"
	@cmake --build --preset release --target products

demo: build
	@echo "==> demo"
	@python examples/demo.py

# --- tests ----------------------------------------------------------------------------
# The closing lines of the runners come last, so that a log's end tells the outcome.
test: lint test-unit test-golden test-sanitizer test-python
	@echo "==> all passed"
	@grep -h 'tests passed' $(REPORTS)/sanitizer.log | sed 's/$$/ (sanitizers)/'
	@grep -h 'tests passed' $(REPORTS)/unit.log
	@grep -hE '^ +Passed *:' $(REPORTS)/golden.log | sed 's/^ */golden: /'
	@tail -n 1 $(REPORTS)/python.log

test-unit: build
	@echo "==> C++ unit tests (release)"
	@mkdir -p $(REPORTS)
	@cmake --build --preset release --target unit_tests
	@ctest --preset release -j $(JOBS) | tee $(REPORTS)/unit.log

test-golden: build
	@echo "==> golden tests"
	@mkdir -p $(REPORTS)
	@lit -j $(JOBS) tests/golden | tee $(REPORTS)/golden.log

# The layers whose tests are seen clean under the sanitizers; add one when it is.
SANITIZED := support expr ir loop partition
empty :=
space := $(empty) $(empty)

test-sanitizer: build/asan/build.ninja $(ENVIRONMENT)
	@echo "==> C++ unit tests of $(SANITIZED) (address and undefined behaviour sanitizers)"
	@mkdir -p $(REPORTS)
	@cmake --build --preset asan --target $(SANITIZED:%=%_test)
	@ctest --preset asan -j $(JOBS) -R '^($(subst $(space),|,$(SANITIZED)))_test$$' | \
		tee $(REPORTS)/sanitizer.log

# Each worker gets one thread; tests of threading set their own number.
test-python: build
	@echo "==> Python tests: $(SUITES)"
	@mkdir -p $(REPORTS)
	@OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(PYTEST) $(SUITES) | tee $(REPORTS)/python.log

dgl-pairs: build
	@echo "==> $(DGL_PAIRS) random message and reduce functions, compared with DGL"
	@OMP_NUM_THREADS=1 python tests/python/test_dgl_generated.py $(DGL_PAIRS)

# Half an hour on two cores; `test` has one shard of it.
test-opinfo: build
	@echo "==> PyTorch's samples of all its operators"
	@mkdir -p $(REPORTS)
	@python tests/conformance/opinfo.py --jobs $(JOBS) | tee $(REPORTS)/opinfo.log

docs-check: build
	@echo "==> code blocks of the documentation"
	@$(PYTEST) tests/docs

# Another release of PyTorch, in an environment under build/: make test-torch TORCH=2.14.1
test-torch: build
	@echo "==> bridge and back end with torch $(TORCH)"
	@scripts/test_torch.sh $(TORCH)

# --- looks ----------------------------------------------------------------------------
lint: lint-format lint-python lint-layers

lint-format: $(ENVIRONMENT)
	@echo "==> clang-format"
	@xargs -n 16 -P $(JOBS) clang-format-19 --dry-run --Werror --ferror-limit=1 <<<"$(NATIVE)"

lint-python: $(ENVIRONMENT)
	@echo "==> ruff and mypy"
	@ruff format --check .
	@ruff check .
	@mypy

lint-layers: $(ENVIRONMENT)
	@echo "==> include direction and sizes"
	@python scripts/check_includes.py
	@python scripts/check_sizes.py

fmt: $(ENVIRONMENT)
	@echo "==> formatting"
	@clang-format-19 -i $(NATIVE)
	@ruff format .
	@ruff check --fix .

# --- speed, fuzzing, packaging --------------------------------------------------------
bench: build
	@echo "==> building benchmarks (release)"
	@cmake --build --preset release --target benchmarks
	@for program in build/release/bench/*; do echo "==> $$program"; "$$program"; done
	@for script in benchmarks/*.py; do echo "==> $$script"; python "$$script"; done

bench-gnn: build
	@python benchmarks/gnn/layers.py

fuzz: build/fuzz/build.ninja $(ENVIRONMENT)
	@echo "==> building fuzz targets"
	@cmake --build --preset fuzz --target fuzzers
	@scripts/run_fuzzers.sh $(FUZZ_SECONDS)

fuzz-graphs: build
	@echo "==> random graphs against eager mode"
	@OMP_NUM_THREADS=1 python tests/fuzz/graphs.py --count $(FUZZ_GRAPHS) --save build/fuzz-graphs

test-models: build
	@echo "==> models of transformers against eager mode"
	@OMP_NUM_THREADS=1 python tests/conformance/transformers_models.py --all

wheel: $(ENVIRONMENT)
	@echo "==> wheel"
	@pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

clean:
	@echo "==> removing build/ and dist/"
	@rm -rf build dist
