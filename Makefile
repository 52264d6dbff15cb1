# Two commands matter: `make run` and `make test`. Each does all its own set-up.
# PROBE=0 leaves torch and the GPU libraries out.

PYTHON ?= python3
PROBE ?= 1
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready-$(PROBE)
TOOLS := $(VENV)/.ready-kernels
# The kernel compilers and the disassembler: the checks of the kernels' machine code need them, the product does not.

.PHONY: run test check bench kernels clean

run: $(STAMP)
	@packaging/run.sh

test: $(STAMP) $(if $(filter 0,$(PROBE)),,$(TOOLS))
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

kernels: $(TOOLS)
	$(BIN)/python -m kernels.build

$(TOOLS): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[kernels]'
	@touch $@

$(STAMP): pyproject.toml constraints.txt
	@PYTHON=$(PYTHON) PROBE=$(PROBE) packaging/setup.sh
	@touch $@

clean:
	rm -rf $(VENV) build dist out *.egg-info
