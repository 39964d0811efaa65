# Two commands: `make app` shows it, `make test` proves it. Both need only python3 (3.11 or newer,
# with venv) and make; both install into .venv once and reinstall nothing after that.
PYTHON ?= python3
PORT ?= 8501
HOST ?= 127.0.0.1
PROCESSES ?= 1
VENV := .venv
PY := $(VENV)/bin/python
WORKERS ?= 2

.PHONY: app test test-fast lint types bench mutants fuzz soak readme reproduction lock twins schematic browser java \
  proxy cluster clean
.DEFAULT_GOAL := help

help:
	@echo "make app        start the dashboard on http://127.0.0.1:$(PORT)  (PORT=..., for a room"
	@echo "                HOST=0.0.0.0 and PROCESSES=2: see docs/classroom.md)"
	@echo "make test       every test, linter and type check"
	@echo "make test-fast  the same without slow and browser tests"
	@echo "make bench      speed against named peers, written to bench/RESULTS.md"
	@echo "make mutants    plant faults in what is shown and see whether a test notices"
	@echo "make fuzz       links and commands as nobody meant them, for SECONDS=3600 from SEED=1"
	@echo "make soak       VISITORS=50 at one app for SECONDS=3600: memory, errors, whose answers"
	@echo "make cluster    a Spark master and two workers on this machine, to try scale"
	@echo "make readme     rewrite README's table of questions from the registry"
	@echo "make reproduction  the full run over the papers: record, docs/REPRODUCTION.md, README line"
	@echo "make lock       rewrite the locks from requirements.txt and requirements-dev.txt"
	@echo "make twins      rebuild the synthetic twins from the real files"
	@echo "make schematic  rebuild the schematic map from public facts"

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; try make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# What is installed is what the locks say, file by file: the packages of requirements.txt and
# requirements-dev.txt with all that they need, checked by hash.
INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes

$(VENV)/app.stamp: requirements.lock | $(PY)
	$(INSTALL) -r requirements.lock
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock | $(PY)
	$(INSTALL) -r requirements-dev.lock
	@touch $(VENV)/app.stamp $@

# On Linux the C library keeps what a visit has freed, unless it is told to give large pieces back: a
# seventh less memory. Elsewhere these names mean nothing.
GIVE_BACK := MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1000000 MALLOC_TRIM_THRESHOLD_=1000000
# DATA='/data/census/*.parquet' adds records that stay where they are to the choice of data.
app: $(VENV)/app.stamp
	@echo "Starting on http://127.0.0.1:$(PORT) (stop with Ctrl-C)"
	@$(GIVE_BACK) SDC_DATA="$(DATA)" $(PY) -m sdc_core app --port $(PORT) --host $(HOST) \
	  --processes $(PROCESSES)

# A file's tests stay together, since they share what they computed; files go as conftest puts them.
PYTEST := $(PY) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test: lint types browser java proxy
	$(PYTEST)

test-fast: lint types
	$(PYTEST) -m "not slow and not browser"

lint: $(VENV)/dev.stamp
	$(PY) -m ruff check .

types: $(VENV)/dev.stamp
	$(PY) -m mypy

# The browser tests use a Chromium that is on the machine; as root on Debian it is installed.
browser: $(VENV)/dev.stamp
	@$(PY) tests/chromium.py || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  echo "No Chromium: browser tests will be skipped. On Debian: sudo apt-get install chromium"

# Tests on a Spark cluster need Java; as root on Debian it is installed.
java:
	@command -v java >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless \
	  >/dev/null; } || \
	  echo "No Java: tests on Spark will be skipped. On Debian: apt-get install openjdk-17-jre-headless"

# A Spark master and two workers of one core each on 127.0.0.1, until Ctrl-C.
proxy:
	@command -v nginx /usr/sbin/nginx >/dev/null || { [ "$$(id -u)" = 0 ] && \
	  command -v apt-get >/dev/null && apt-get update -qq && \
	  apt-get install -y -qq --no-install-recommends nginx-light >/dev/null; } || \
	  echo "No nginx: tests of several processes are skipped. On Debian: apt-get install nginx-light"

cluster: $(VENV)/dev.stamp
	$(PY) -m sdc_core.build.cluster

# Peers are installed into environments of their own under .bench, once. ONLY="topdown quality"
# takes those figures alone and writes their sections of RESULTS.md.
bench: $(VENV)/dev.stamp
	$(PY) -m bench $(ONLY)

# NUMBER=50 SEED=2 FILES=sdc_core/questions/map for a part of it.
NUMBER ?= 200
SEED ?= 1
mutants: $(VENV)/dev.stamp
	$(PY) -m bench.mutants --number $(NUMBER) --seed $(SEED) --only "$(FILES)"

# What is found is written to test-output/fuzz.jsonl, with the seed that finds it again.
SECONDS ?= 3600
fuzz: $(VENV)/dev.stamp
	$(PY) -m tests.fuzz --seconds $(SECONDS) --seed $(SEED)

# Memory every ten seconds is written to test-output/soak.csv, the server's words beside it.
VISITORS ?= 50
soak: $(VENV)/dev.stamp
	$(PY) -m tests.soak --visitors $(VISITORS) --seconds $(SECONDS) --seed $(SEED)

readme: $(VENV)/app.stamp
	$(PY) -m sdc_core.build.readme
	$(PY) -m sdc_core.build.reproduction --documents

# On the papers' own data (SDC_DATA_DIR), about a quarter of an hour; it goes on where it was stopped.
reproduction: $(VENV)/app.stamp
	$(PY) -m sdc_core.build.reproduction

twins: $(VENV)/app.stamp
	$(PY) -m sdc_core.build.write_twins

# One lock for Python 3.11 and newer on every platform. The app's is a part of the other, so that
# what is tested is what runs. Pins stay as they are unless the lists change; UPGRADE=--upgrade
# takes what is newest of what the lists leave open.
LOCK := $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --annotation-style line --custom-compile-command "make lock" $(UPGRADE)
lock: $(VENV)/dev.stamp
	$(LOCK) requirements-dev.txt --output-file requirements-dev.lock
	$(LOCK) requirements.txt --constraints requirements-dev.lock --output-file requirements.lock

schematic: $(VENV)/dev.stamp
	$(PY) -m sdc_core.build.schematic

clean:
	rm -rf $(VENV) .bench .pytest_cache .mypy_cache .ruff_cache .hypothesis test-output build dist \
	  *.egg-info
