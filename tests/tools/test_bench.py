"""What the bench counts rather than times."""

import importlib
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(TOOLS)])
    monkeypatch.setattr(importlib.import_module("bench_account"), "LATENCY", 0.0)
    return importlib.import_module("bench_resume")


@pytest.mark.parametrize("case", range(3))
def test_jobs_get_their_machines_in_a_handful_of_calls(case, bench):
    outcome = bench.run_ours(bench.CASES[case])
    assert outcome.machines == 400
    assert outcome.calls <= bench.CASES[case].calls
