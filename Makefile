# Every check by name; `.ci/run` runs them all in a fresh environment.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
ARGS ?=

.PHONY: help quick lint types imports core test coverage release documents modules package versions windows bench all

help:  ## what there is
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

quick: lint types imports  ## lint, format, types, import rules

lint:  ## style and format
	ruff check .
	ruff format --check .

types:  ## mypy, strict; types of public names for other checkers
	mypy
	.ci/types

imports:  ## which package may import which
	lint-imports

core:  ## kernels against textbooks, compiled and as plain Python
	python -m pytest -m core tests
	NUMBA_DISABLE_JIT=1 python -m pytest -m core tests

test:  ## all tests; ARGS="tests/game -n 0" for some
	python -m pytest $(ARGS)

coverage:  ## lines and branches that the tests reach; kernels run compiled, so theirs are not counted
	python -m pytest --cov=claimeven --cov-branch --cov-report=term:skip-covered

documents:  ## the site, strictly
	mkdocs build --strict --quiet --site-dir build/site

modules:  ## the WebAssembly modules of the page, compared with a new build
	python -m doctools.webassembly --check

package:  ## the archive and the wheel, installed elsewhere and used
	.ci/package

versions:  ## other Pythons, lowest dependencies
	.ci/versions

windows:  ## a Windows Python under Wine
	.ci/windows/run

bench:  ## the benchmark of searches
	claimeven bench

release:  ## VERSION=1.0.0: write the version, build, check, commit, tag
	.ci/release $(VERSION)

all:  ## everything, as on the server
	.ci/run
