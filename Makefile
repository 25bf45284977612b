# The commands of a contributor. Needs Python 3.11 or newer, git and make; everything else goes into .venv.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help env demo fast test lint site image sites applications delays judges forge schemas crawlers axe fuzz growth measure attacks faults sbom tools audit reproduce release example lock clean
BIN := .venv/bin

# An interpreter to use instead of the first that fits: make test PYTHON=python3.13
PYTHON ?=
ENGINE ?= podman
EXAMPLES ?= 5000
# Rooms below the line, and what reads a config: the same on every system and interpreter.
FAST = $(addprefix tests/,checks compare config decide hosts html model robots runner sitemap web) $(wildcard tests/reports/test_[!h]*.py) \
    $(addprefix tests/test_,plan.py cases.py portability.py)
UV ?= uv
# With its extras: pip before 23.3 takes the newest of a package that another one names with an extra, and refuses that.
COMPILE = $(UV) pip compile --quiet --universal --no-strip-extras --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command "make lock"

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

env: ## make or refresh .venv from the locked requirements
	@PYTHON='$(PYTHON)' sh .ci/environment

demo: env ## build the example documentation, break it on purpose, check it, repair it
	@sh examples/demo.sh

fast: env ## the part of the tests that needs no server, browser or container: make fast PYTHON=python3.14
	@$(BIN)/python -m pytest -q -n auto --dist loadgroup $(FAST)

test: lint ## every check and every test
	@$(BIN)/python -m pytest -n auto --dist loadgroup

lint: env ## the checks that run no test
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy

site: env ## build the documentation as a site, in build/site; a warning is an error
	@$(BIN)/python -m mkdocs build --quiet --strict --config-file docs/site/mkdocs.yml

image: env ## build the image and run it as GitHub does: make image ENGINE=docker, or podman
	@SITEMAP_ACTION_ENGINE='$(ENGINE)' $(BIN)/python -m pytest tests/image

sites: ## build the sites of tests/generators, which tests read, with their generators from npm
	@.ci/sites

applications: ## build the client-side applications of tests/applications, which tests render, with Vite from npm
	@.ci/applications

delays: env applications ## hold each application with a router to what a person sees, at every delay of its API: 400 runs
	@$(BIN)/python tests/routers.py

judges: ## install the servers and parsers of tests/hosts/judges from npm, which judge the profiles of hosts
	@.ci/judges

axe: ## install axe-core from npm, which looks for barriers in the HTML report and the screen
	@.ci/axe

forge: ## fetch GitHub's descriptions of its API, which tests hold requests to, from npm
	@.ci/forge

schemas: ## fetch the published schemas of SARIF and JUnit, which tests hold reports to, from npm and PyPI
	@.ci/schemas

crawlers: ## install Scrapy, Crawlee and other readers from PyPI, which tests feed and benchmarks compare with
	@.ci/crawlers

fuzz: env ## fuzz every reader with many examples: make fuzz EXAMPLES=20000
	@SITEMAP_ACTION_FUZZ='$(EXAMPLES)' $(BIN)/python -m pytest -n auto tests/fuzz

growth: env ## time hostile inputs at 1x and 10x under a memory limit
	@$(BIN)/python benchmarks/growth.py

measure: env ## the shape of the package beside its goals; PEERS=--peers measures other packages, too
	@$(BIN)/python benchmarks/measure.py $(PEERS)

attacks: env ## write tests/attacks.md anew
	@$(BIN)/python tests/attacks.py

faults: env ## play every fault at every request of every flow that publishes, and write tests/faults.md anew
	@$(BIN)/python tests/publishing_table.py

sbom: env ## write sbom.cdx.json anew from requirements.txt
	@$(BIN)/python tests/sbom.py

release: env ## build the image of a release; refuses what is not pinned: make release ENGINE=docker
	@SITEMAP_ACTION_ENGINE='$(ENGINE)' .ci/release

tools: ## install what a release needs to sign and upload, from .ci/tools.txt
	@[ -x .ci/tools/bin/twine ] || python3 -m venv .ci/tools
	@.ci/tools/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .ci/tools.txt

audit: tools ## look every locked package up in the databases of vulnerabilities
	@for lock in requirements.txt requirements-dev.txt .ci/tools.txt; do \
	    .ci/tools/bin/pip-audit --strict --require-hashes --disable-pip --requirement $$lock || exit; done

reproduce: ## build the image twice and compare the bytes (needs podman)
	@.ci/reproduce

example: env ## build the example documentation and write its sitemap again
	@SOURCE_DATE_EPOCH=1767225600 $(BIN)/python -m mkdocs build --quiet --config-file examples/docs/mkdocs.yml
	@cd examples/docs && ../../$(BIN)/sitemap-action write

lock: ## lock the dependencies of pyproject.toml again (needs uv; delete the files first to take the newest)
	@$(COMPILE) --output-file requirements.txt pyproject.toml
	@$(COMPILE) --output-file requirements-dev.txt --constraints requirements.txt --extra dev --extra ui pyproject.toml
	@$(COMPILE) --output-file .ci/tools.txt --constraints requirements-dev.txt .ci/tools.in
	@$(COMPILE) --output-file .ci/crawlers.txt --constraints requirements.txt .ci/crawlers.in

clean: ## remove everything that the other targets made
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* build dist *.egg-info examples/docs/site .ci/engine .ci/tools
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
