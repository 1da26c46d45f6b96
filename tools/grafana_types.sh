#!/usr/bin/env bash
# Installs the types of Grafana's dashboards, and a compiler that checks them, into build/grafana, once for each version of
# their list. Never fails: tests that need them are then skipped.
set -uo pipefail

fail() { echo "not installed: $1 (the tests that need it are skipped)" >&2; exit 0; }

target=build/grafana wanted=requirements/grafana
cmp -s "$wanted/package-lock.json" "$target/package-lock.json" && [[ -e $target/node_modules/typescript ]] && exit 0
command -v npm >/dev/null || fail "types of Grafana's dashboards, which need npm"
rm -rf "$target"
mkdir -p "$target"
cp "$wanted"/package{,-lock}.json "$target"
(cd "$target" && npm ci --silent --ignore-scripts --no-audit --no-fund) || { rm -rf "$target"; fail "types of Grafana's dashboards"; }
