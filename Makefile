# Two commands matter: `make run` and `make test`. Each does all its own set-up.
# PROBE=0 leaves torch and the GPU libraries out.

PYTHON ?= python3
PROBE ?= 1
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready-$(PROBE)

.PHONY: run test check bench kernels clean

run: $(STAMP)
	@packaging/run.sh

test: $(STAMP)
	@packaging/system.sh test
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest -n 2 --dist loadfile

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy engine app kernels
	$(BIN)/lint-imports
	$(BIN)/waypost catalogue check assets/catalogue
	$(BIN)/python -m pytest -q tests/app/test_translations.py

bench: $(STAMP)
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.bench

kernels: $(STAMP)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[kernels]'
	$(BIN)/python -m kernels.build

$(STAMP): pyproject.toml constraints.txt
	@PYTHON=$(PYTHON) PROBE=$(PROBE) packaging/setup.sh
	@touch $@

clean:
	rm -rf $(VENV) build dist out *.egg-info
