# Touchstone's commands. Plain `make` lists them.

PY := .venv/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes
LOCK := $(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-header
PYTEST := $(PY) -m pytest
PARALLEL := -n 2 --dist worksteal -m "not browser"
# What knows no database runs once.
ONCE := $(addprefix --ignore=,tests/evaluator tests/catalogue/test_demo_folder.py \
        tests/catalogue/test_probe_media.py)

.PHONY: help install demo test lint format bench lock screenshots
.DELETE_ON_ERROR:

help: ## list these commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

install: .venv/.dev ## the environment for development, in .venv

demo: .venv/.platform ## a demo study with web server and worker (CLIPS=DIR: of your own clips)
	$(PY) -m scripts.demo $(if $(CLIPS),--clips "$(CLIPS)")

test: lint ## everything: linters, tests on SQLite, in Chromium, and on PostgreSQL
	$(PYTEST) $(PARALLEL)
	$(PYTEST) -n 2 --dist worksteal -m browser
	TEST_DATABASE=postgresql $(PYTEST) $(PARALLEL) $(ONCE)

lint: .venv/.dev ## style, types, import contracts, missing migrations
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy .
	.venv/bin/lint-imports
	DJANGO_SETTINGS_MODULE=tests.settings $(PY) manage.py makemigrations --check --dry-run

format: .venv/.dev ## put the code in its standard form
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

bench: .venv/.dev ## measure what is promised about speed, on servers of its own
	$(PY) -m bench

lock: .venv/.dev ## resolve the dependencies of pyproject.toml anew (UPGRADE=1: to newer versions)
	$(LOCK) $(if $(UPGRADE),--upgrade) --group dev --output-file requirements/dev.txt
	$(LOCK) --group platform --constraints requirements/dev.txt --output-file requirements/platform.txt

screenshots: .venv/.dev ## the pictures of the README, taken from a demo
	$(PY) -m scripts.screenshots

.venv/bin/python:
	python="$$(sh scripts/find_python.sh)" && "$$python" -m venv --clear .venv

# dev.txt holds everything of platform.txt in the same versions.
.venv/.platform: requirements/platform.txt | .venv/bin/python
	$(PIP) -r requirements/platform.txt
	touch $@

.venv/.dev: requirements/dev.txt requirements/platform.txt | .venv/bin/python
	$(PIP) -r requirements/dev.txt
	touch .venv/.platform $@
