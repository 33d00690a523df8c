PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test test-deep lint bench pictures clean

demo: $(READY)            ## a count, its noise, its interval, and an audit
	@$(BIN)/deniable demo

test: $(READY) lint       ## everything that must hold before a commit
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

test-deep: $(READY)       ## the same laws with far more samples
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m deep

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: $(READY)           ## side by side with peers; prints tables
	$(BIN)/pip install --quiet -e '.[bench]'
	$(BIN)/python -m benchmarks.samplers

pictures: $(READY)        ## the pictures of docs/attacks, from fresh attacks
	$(BIN)/python -m deniable.apps.attack.pictures docs/attacks

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -e '.[test]'
	@touch $(READY)
