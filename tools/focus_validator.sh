#!/usr/bin/env bash
# Installs the validator of FOCUS files into build/focus, once for each version of its requirements. Never fails: tests
# that need it are then skipped.
set -uo pipefail

fail() { echo "not installed: $1 (the tests that need it are skipped)" >&2; exit 0; }

python=${PYTHON:-python3} target=build/focus wanted=requirements/focus.txt
cmp -s "$wanted" "$target/requirements.txt" && exit 0
"$python" -c 'import sys; sys.exit(sys.version_info >= (3, 13))' || fail "FOCUS validator, which needs Python 3.12 or older"
rm -rf "$target"
"$python" -m venv "$target" || fail "FOCUS validator: no virtual environment"
"$target/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement "$wanted" ||
  { rm -rf "$target"; fail "FOCUS validator"; }
cp "$wanted" "$target/requirements.txt"
