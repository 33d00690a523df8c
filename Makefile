PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
CONSOLE := src/deniable/doors/console/static
# hundreds of short processes import the package: what is compiled is kept, whatever is set outside
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test tests test-deep test-spark planted lint style types bench assets programs pictures docs site dist clean

demo: $(READY)            ## a count, its noise, its interval, and an audit
	@$(BIN)/deniable demo

test: $(READY) style      ## everything that must hold before a commit
	@$(MAKE) --no-print-directory -j2 types tests

tests: programs           ## three at a time on two cores: some wait for a deadline
	$(BIN)/python -m pytest -n 3 --dist worksteal -q -rs

test-deep: $(READY)       ## the same laws with far more samples
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m deep

test-spark: $(READY)      ## the tests of Spark on Spark itself: needs Java 17, and fetches 1 GB; make test asks Sail
	@[ -x .venv-spark/bin/spark-submit ] || { $(PYTHON) -m venv .venv-spark && .venv-spark/bin/pip install --quiet 'pyspark>=4,<5'; }
	$(BIN)/python -m tests.engines.on_spark .venv-spark/bin/spark-submit

planted: $(READY)         ## bugs put in one at a time, and the tests that notice; writes the table of docs/trust.md
	$(BIN)/python -m tests.planted

lint: style types

style: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)           ## and who may import whom
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

programs:                 ## Chromium, PostgreSQL and its drivers, for the tests that need them
	@sh tests/programs.sh

bench: $(READY)           ## side by side with peers; prints tables
	$(BIN)/pip install --quiet -e '.[bench]'
	$(BIN)/python -m benchmarks.samplers
	$(BIN)/python -m benchmarks.local

assets:                   ## the console's scripts, from npm; what it builds is kept, so that nobody else needs npm
	cd assets && npm install --no-package-lock --no-audit --no-fund
	cd assets && npx esbuild console.js closely.js --bundle --minify --format=iife --target=es2020 --legal-comments=none \
	--metafile=node_modules/built.json --outdir=../$(CONSOLE)
	cd assets && npx esbuild theme.js --minify --outfile=../$(CONSOLE)/theme.js
	cd assets && node licences.js node_modules/built.json ../$(CONSOLE)/LICENCES.txt
	cp assets/node_modules/axe-core/axe.min.js tests/support/assets/axe.min.js

pictures: $(READY)        ## the pictures of docs/attacks, from fresh attacks
	$(BIN)/python -m deniable.apps.attack.pictures docs/attacks

docs: $(READY)            ## the site, in build/docs; warnings are errors, and the notebooks run
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs build/docs
	@echo "open build/docs/index.html"

site: $(READY)            ## the same in build/site, beside the versions that are there, with a menu to switch between them
	DENIABLE_DOCS_SITE=1 $(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs \
	build/site/$$($(BIN)/python -c 'import deniable; print(deniable.__version__)')
	$(BIN)/python docs/versions.py build/site

dist: $(READY)            ## wheel and source, in dist/
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf build dist .venv .venv-spark .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -e '.[test]'
	@touch $(READY)
