# Everything a newcomer needs; `make` alone prints this list.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install -q --no-compile # modules are compiled when first imported: half the time
PROCESSES ?= 4 # of the tests, which wait more than they work
FORMATTED := newsspider demo tools bench setup.py
QUICK := tests/core tests/commands tests/topics tests/test_docs.py tests/test_house.py newsspider
BENCHMARKS := bench bench.strategies "bench.revisit --lists 200" bench.reader bench.fleet \
	"bench.reprints --articles 100000" bench.ranks bench.search bench.attention bench.briefings bench.similar bench.words \
	bench.places "bench.web --articles 5000 --seconds 20" bench.bytes bench.idle bench.workers bench.hostile \
	"bench.frontier --urls 100000 --others 1000000"
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo quick test test-long test-opensearch coverage check house docs lock wheel release bench soak crawl clean

help:  ## print this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

demo: .venv/run  ## install, start the sample portal, crawl it, show what was found
	@$(BIN)/python -m demo run

quick: .venv/test  ## within a minute: core, doctests, the rule of the house, docs, commands
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile -m "not slow" $(QUICK)

test: .venv/test  ## install what the tests need and run them, but for the long ones
	$(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist loadfile -m "not long"

test-long: .venv/test  ## the others: fleets, faults, hostile hosts, browsers, long crawls
	$(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist loadfile -m long

test-opensearch: .venv/test  ## the search index on real OpenSearch nodes; needs java and mvn, else it is skipped
	$(BIN)/python -m pytest tests/opensearch

coverage: .venv/test  ## run all tests and print which lines and branches of the package they ran
	$(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist loadfile --cov --cov-report=term:skip-covered --cov-fail-under=90

check: .venv/test  ## lint, format and strict types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet $(FORMATTED)
	$(BIN)/mypy

house: .venv/test  ## counts that keep the code readable, each with its limit
	$(BIN)/python tools/house.py

docs: .venv/test  ## write the reference pages that follow from the code
	$(BIN)/python tools/docs.py

lock: .venv/test  ## pin what the image installs, and the tests run with, to the versions of this environment
	$(BIN)/python tools/lock.py

wheel: .venv/bin/python  ## build dist/newsspider-VERSION-py3-none-any.whl, which pip installs
	rm -rf build
	$(BIN)/python -m pip wheel -q --no-deps --wheel-dir dist .

release: .venv/release  ## build wheel and source archive, check them, and crawl the sample with each in a new environment
	rm -rf build dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m tools.try_release dist/*

bench: .venv/bench  ## the benchmarks: ratios against named peers in the same run; at the end, which missed a figure
	test -f data/demo/newsspider.db || $(BIN)/python -m demo run
	@trap 'exit 130' INT; missed=; for benchmark in $(BENCHMARKS); do \
		echo "---- $$benchmark"; $(BIN)/python -m $$benchmark || missed="$$missed\n  $$benchmark"; \
	done; test -z "$$missed" || { printf '%b\n' "---- failed, or worse than wanted:$$missed"; exit 1; }

soak: .venv/test  ## crawl 120 loopback hosts for 20 minutes: memory, descriptors, loop delay and rate every minute
	$(BIN)/python -m bench.soak

crawl: .venv/run  ## one round over the enabled sites
	$(BIN)/scrapy crawl education

clean:  ## remove the environment and what the tests left
	rm -rf .venv .coverage* build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "newsspider needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv

.venv/run: .venv/bin/python requirements.txt pyproject.toml
	$(INSTALL) -e '.[web,alerts,docx,mcp,xlsx,archive,train]' # all that the console offers
	@touch $@

.venv/test: .venv/bin/python requirements.txt pyproject.toml deploy/docker/constraints.txt
	$(INSTALL) -c deploy/docker/constraints.txt -e '.[test]'
	@touch $@ .venv/run

.venv/release: .venv/bin/python requirements.txt pyproject.toml
	$(INSTALL) -e '.[release]'
	@touch $@

.venv/bench: .venv/bin/python requirements.txt pyproject.toml
	$(BIN)/python -m pip install -q 'pip>=24' # older ones fail where two packages spell an extra of lxml in two ways
	$(INSTALL) -e '.[test,bench]'
	@touch $@ .venv/run .venv/test
