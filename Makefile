# `make run` and `make test` set up everything they need; a second call goes on from there.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test engines ladder fair-komi system check soak bench lock clean

# Plays four real events of real engine processes; tables and charts are left in out/.
run: $(READY)
	mkdir -p out
	$(BIN)/arena run examples/pletore-9x9.toml --db out/pletore-9x9.db
	$(BIN)/arena run examples/pente.toml --db out/pente.db
	$(BIN)/arena run examples/topolo.toml --db out/topolo.db
	$(BIN)/arena run examples/plakoto.toml --db out/plakoto.db
	@echo "Tables and charts: $$(ls -d out/*-results | tr '\n' ' ')"

test: system check
	$(BIN)/python -m pytest -m "not soak"

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache > $(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }

# System packages that tests need, where they may be installed; a test says what it misses.
system:
	@if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		missing=$$(for name in $$(grep -v '^#' .ci/system-packages.txt); do \
			dpkg -s $$name > /dev/null 2>&1 || echo $$name; done); \
		if [ -n "$$missing" ]; then \
			apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing > /dev/null; \
		fi; \
	fi

# The sample engine in C, and the compiled kernels of the searching engines, ready beforehand.
engines: $(READY)
	@if command -v $(CC) > /dev/null; then \
		mkdir -p out && $(CC) -std=c11 -O2 -Wall -Wextra -o out/flat_engine sample_engines/c/flat_engine.c; \
	else echo "no C compiler ($(CC)): the engine in C is left out"; fi
	$(BIN)/python -m sample_engines.search.ready

# The ladders of docs/engines.md: every level of each game's engines against every other.
ladder: engines
	for name in ladder ladder-pletore ladder-pente ladder-topolo ladder-plakoto; do \
		$(BIN)/arena run examples/$$name.toml --db out/$$name.db || exit 1; \
	done

# The study of docs/fair-komi.md: tables and charts in out/fair-komi/SIZE, about an hour of one core.
fair-komi: engines
	for size in 5 7 9; do \
		mkdir -p out/fair-komi/$${size}x$$size; \
		$(BIN)/arena komi examples/fair-komi.toml --size $$size --db out/fair-komi/$${size}x$$size.db \
			--output out/fair-komi/$${size}x$$size || exit 1; \
	done

# What takes longer than ten minutes.
soak: $(READY) system
	$(BIN)/python -m pytest -m soak

# What a move, the clock, the rules, the start and a million games cost (docs/performance.md); needs a C
# compiler, and a machine that nobody else uses.
bench: $(READY)
	mkdir -p out/bench
	for each in per_ply clock_truth rules start scale; do \
		$(BIN)/python -m benchmarks.$$each --json out/bench/$$each.json || exit 1; \
	done

# Bytecode is written at once: where the environment forbids it (PYTHONDONTWRITEBYTECODE), every start of a
# command would compile all of its libraries.
$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q -j 0 -x '/tests?/' $(VENV)/lib arena protocol reports sample_engines
	touch $@

# The versions every machine gets, with hashes; needs uv.
lock:
	uv pip compile --quiet --universal --python-version 3.11 --all-extras --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-annotate --no-header -o requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) out
