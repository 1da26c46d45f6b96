# `make demo` and `make test` set up all they need on a fresh machine with Python 3.11 or newer, in .venv and build/.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# Python compiles what it runs once, whatever the caller says: tests and commands start in half the time.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STACK ?= aws-cfd

# What a rehearsal needs of Debian, and what tests need beside.
SLURM_PACKAGES := slurmctld slurmd slurmdbd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin munge \
  slurm-wlm-jwt-plugin mariadb-server openmpi-bin libpmix-dev python3-mpi4py environment-modules iproute2 dnsmasq-base
TEST_PACKAGES := debootstrap sudo systemd-container shellcheck cloud-init slirp4netns nftables openssh-server slurmrestd \
  libpam-slurm-adopt libopenmpi-dev curl gnupg user-mode-linux slapd python3-ldap \
  prometheus prometheus-alertmanager prometheus-node-exporter \
  samba samba-ad-provision samba-dsdb-modules samba-vfs-modules python3-samba ldb-tools

help:  ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */\1\t/' | column -t -s "$$(printf '\t')"

demo: $(VENV)/.aws  ## the plan of aws-cfd, also as build/aws-cfd.html; then, where it can be, the cluster runs here
	@mkdir -p build
	@$(BIN)/hpc preview $(STACK)
	@$(BIN)/hpc preview $(STACK) --format html --out build/$(STACK).html
	@tools/system_packages.sh $(SLURM_PACKAGES)
	@$(BIN)/hpc rehearse $(STACK) || test $$? -eq 2
	@printf '\nNext:\n'
	@printf '  %-46s %s\n' \
	  'build/$(STACK).html' 'the plan with its picture, for a browser' \
	  '$(BIN)/hpc rehearse $(STACK) --fault spot' 'a machine is taken away under the job' \
	  '$(BIN)/hpc init' 'a cluster of your own' \
	  'docs/tutorial.md' 'ten minutes, step by step'

test: parts  ## everything: formatter, linter, types, doors, tests
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

check: $(VENV)/.dev lint  ## the fast lane: without real engine, real daemons, real boots and slow tests
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not engine and not slow and not slurm and not boot"

rehearse: $(VENV)/.aws  ## installs Slurm if need be and runs the cluster of STACK here: real daemons, its own job
	@tools/system_packages.sh $(SLURM_PACKAGES)
	@$(BIN)/hpc rehearse $(STACK)

# Root file systems wait for network and disk mostly: meanwhile, the rest is done.
parts:
	@$(MAKE) --no-print-directory --jobs 3 $(VENV)/.compiled lint system

# Real parts that tests run ours on; where they can't be had, these tests are skipped and say so.
system:
	@tools/system_packages.sh $(SLURM_PACKAGES) $(TEST_PACKAGES)
	@tools/root_fs.sh
	@tools/boot_layer.sh
	@tools/package_archive.sh
	@PYTHON=$(PYTHON) tools/focus_validator.sh
	@tools/grafana_types.sh

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/ty check
	$(BIN)/ty check --extra-search-path tests tests/clouds/toy/cloud.py
	$(BIN)/ty check --extra-search-path tests --config 'src.include=["tests"]' --exclude tests/clouds/toy \
	  --exclude hpc_components --ignore all --error import-not-found --error missing-module-member
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## let the formatter and the linter mend what they can
	$(BIN)/ruff check --fix --exit-zero --quiet .
	$(BIN)/ruff format .
	$(BIN)/ruff check .

bench: $(VENV)/.dev  ## speed: medians of whole processes
	$(BIN)/python tools/bench.py

catalog: $(VENV)/.dev  ## make the catalogue's data files anew
	$(BIN)/python tools/make_catalog.py

docs: $(VENV)/.dev  ## make the reference pages anew
	$(BIN)/python tools/make_docs.py

lock: $(VENV)/.dev  ## resolve the dependencies anew, with hashes
	$(BIN)/python tools/lock.py

clean:  ## remove what was made here
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis

# Installed compiled to bytecode: without it, start-up takes two to three times as long.
$(VENV)/.aws: requirements/aws.txt pyproject.toml
	$(call install,aws)

$(VENV)/.dev: requirements/dev.txt pyproject.toml
	$(call install,dev)

# Tests are compiled as well: or else each worker does it for itself.
$(VENV)/.compiled: $(VENV)/.dev
	@$(BIN)/python -m pytest --collect-only --quiet >/dev/null || true
	@touch $@

define install
@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed: apt-get install python3-venv" >&2; exit 1; }
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
@echo "setting up $(VENV) from requirements/$(1).txt ..."
@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/$(1).txt
@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
@$(BIN)/python -m compileall -q hpc_components
@touch $@
endef

.PHONY: help demo rehearse test check parts system lint format bench catalog docs lock clean
