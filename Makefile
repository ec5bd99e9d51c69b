# Everything runs in .venv, made by scripts/setup. `make` alone lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
TOOLS := .tools
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup
DOCUMENTS ?= 5000
OPTIONS ?=

# Driver and workers must be the same Python; Spark would take the first python3 on the path for the workers.
export PYSPARK_PYTHON := $(abspath $(BIN)/python)
export PYSPARK_DRIVER_PYTHON := $(PYSPARK_PYTHON)
# Local sessions talk to themselves alone; a laptop's host name may not resolve.
export SPARK_LOCAL_IP ?= 127.0.0.1
# The Spark of .venv is meant, not another one that this shell points to.
unexport SPARK_HOME SPARK_CONF_DIR

.PHONY: help setup demo test test-nightly test-connect lint bench dist docs clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s  %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP)  ## virtual environment with the package and its tools; Java 17 or later

$(STAMP): pyproject.toml requirements/locked.txt scripts/setup
	scripts/setup $(VENV)
	touch $@

demo: $(STAMP)  ## find the duplicates of a sample corpus (DOCUMENTS=5000, OPTIONS='--max-distance 4') and show some
	$(BIN)/python jobs/demo.py --documents $(DOCUMENTS) $(OPTIONS)

test: $(STAMP)  ## all tests that need nothing but this checkout
	$(BIN)/python -m pytest -n 2 --dist loadfile -m 'not shared and not processes' --durations 15

test-nightly: $(STAMP)  ## the tests that take too long for every change: all pages' commands, the largest components
	$(BIN)/python -m pytest -m 'nightly and not shared' --durations 15

test-connect: $(STAMP)  ## tests of stages, pipeline, public functions and jobs on a Spark Connect server, some minutes
	SIMHASH_TEST_CONNECT=1 $(BIN)/python -m pytest tests/stages tests/test_functions.py tests/test_udf.py \
	  tests/test_pipeline.py tests/test_alarms.py
	$(BIN)/python -m pytest tests/connect

lint: $(STAMP)  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports

bench: $(STAMP)  ## speed of the fingerprint kernel and of the band join in one process, a few minutes
	$(BIN)/python -m benchmarks.fingerprint_kernel
	$(BIN)/python -m benchmarks.band_join_kernel

dist: $(STAMP)  ## dist/: the wheel, and this environment packed for the executors of a cluster
	scripts/dist $(BIN)/python dist

docs: $(STAMP)  ## the documentation as a site in site/, which asks nothing of any network
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	$(BIN)/python scripts/check_site.py site

coverage: $(STAMP)  ## lines and branches that the tests run: all of the kernel, 95 % of the rest
	$(BIN)/python -m coverage run --source simhash_udf.kernel -m pytest -q -m 'not shared and not processes' tests/kernel
	$(BIN)/python -m coverage report --fail-under 100
	$(BIN)/python -m coverage run -m pytest -q -m 'not shared'
	$(BIN)/python -m coverage report --omit 'simhash_udf/kernel/*' --fail-under 95

.PHONY: coverage lock audit sbom

lock: $(TOOLS)  ## requirements/locked.txt: the newest versions that pyproject.toml allows, with their hashes
	$(TOOLS)/bin/uv pip compile pyproject.toml --extra report --extra test --extra lint --extra docs --universal \
	  --python-version 3.10 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command 'make lock' \
	  --upgrade --quiet --output-file requirements/locked.txt

audit: $(TOOLS)  ## look every locked package up in the list of known weaknesses (needs the network)
	$(TOOLS)/bin/pip-audit --requirement requirements/locked.txt --require-hashes --disable-pip --strict

sbom: $(STAMP) $(TOOLS)  ## build/sbom.json: every package of .venv with version and licence (CycloneDX)
	mkdir -p build
	$(TOOLS)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o build/sbom.json $(BIN)/python

$(TOOLS): pyproject.toml
	python3 -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install -qq $$(sed -nE 's/^security = \[(.*)\]/\1/p' pyproject.toml | tr -d '",')
	touch $(TOOLS)

clean:  ## remove results and caches; environments stay
	rm -rf demo site build dist *.egg-info spark-warehouse metastore_db derby.log
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
