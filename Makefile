# The two commands a newcomer needs: `make run` and `make test`. `make help` lists the rest.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup build run test test-tsan test-asan interop lint format docs screenshots bench build-time web-million sim soak fuzz clean

JOBS ?= $(shell nproc)
DATA ?= build/data
LISTEN ?= 127.0.0.1:8443
# `--second-try` on a machine that is shared with others: tools/run_tests.py says which tests have one.
SECOND_TRY ?=
NINJA_STATUS := [%f/%t %es] 
export NINJA_STATUS

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what is missing: Debian packages of tools/packages.txt, npm's of web/
	@tools/setup.sh

build: setup ## Build the programs into build/bin
	@echo "build: compiling (the first time takes some minutes)"
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release -j $(JOBS) --target programs

run: build ## Set up, build and run a cluster on this machine with three agents; Ctrl-C stops it
	@DATA='$(DATA)' LISTEN='$(LISTEN)' tools/run.sh

test: build ## Set up, build and run all tests but the long ones
	@echo "test: units, contracts (real etcd, NATS, PostgreSQL), simulation, integration (real servers)"
	@cmake --build --preset release -j $(JOBS) --target tests_unit tests_contract tests_program tests_sim tests_integration
	@tools/run_tests.py --build build/release $(SECOND_TRY)

test-tsan: setup ## What makes threads, under the thread sanitizer
	@cmake --preset tsan --log-level=WARNING
	@cmake --build --preset tsan -j $(JOBS) --target tests_threads
	@ctest --preset tsan

test-asan: setup ## Units and simulation under the address and undefined-behaviour sanitizers
	@cmake --preset asan --log-level=WARNING
	@cmake --build --preset asan -j $(JOBS) --target tests_unit tests_sim
	@ctest --preset asan

interop: build ## Ask peers from PyPI whether the API is what its document says
	@tools/interop.sh

lint: setup ## Check formatting, layers and bans, headers, and run clang-tidy
	@tools/lint.sh

format: setup ## Rewrite the sources with clang-format
	@git ls-files -co --exclude-standard '*.h' '*.cpp' | xargs clang-format-19 -i

docs: build ## Write the reference pages of docs/ from the programs and their sources
	@tools/reference.py

screenshots: build ## Write the pictures of docs/images with a real cluster and browser
	@cd web && node node_modules/@playwright/test/cli.js test --config playwright.screenshots.config.ts

bench: build ## Run the benchmarks: each prints a ratio to a reference of the same run
	@cmake --build --preset release -j $(JOBS)
	@tools/bench.sh

build-time: ## Measure a clean build and one after a small change
	@tools/build_time.sh

# Fails for each goal that is missed; STRICT= only tells.
web-million: STRICT ?= 1
web-million: build ## Measure the Cluster UI with a million systems in a browser
	@cmake --build --preset release -j $(JOBS) --target synthetic_fleet
	@cd web && STRICT=$(STRICT) node node_modules/@playwright/test/cli.js test --config playwright.load-tests.config.ts

sim: build ## Simulate clusters under faults, 200 seeds a scenario
	@build/bin/muster-sim --seeds 200

soak: build fuzz test-asan ## The long tests: 10,000 seeds a scenario, contracts under sanitizers, fuzzers
	@build/bin/muster-sim --seeds 10000
	@cmake --preset asan --log-level=WARNING
	@cmake --build --preset asan -j $(JOBS) --target tests_contract
	@ctest --preset asan-contract
	@cmake --preset tsan --log-level=WARNING
	@cmake --build --preset tsan -j $(JOBS) --target tests_unit
	@ctest --preset tsan-unit
	@tools/fuzz.sh 600
	@tools/lint.sh --all

fuzz: setup
	@cmake --preset fuzz --log-level=WARNING
	@cmake --build --preset fuzz -j $(JOBS) --target fuzzers

# The cluster of `make run` is nothing that another build brings back.
clean: ## Remove what was built; what `make run` keeps in build/data stays
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name 'data*' -exec rm -rf {} +; fi
	@if [ -d build/data ]; then echo "clean: the cluster of \`make run\` is still there; rm -rf build/data removes it"; fi
