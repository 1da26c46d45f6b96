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


LOG = """\
[2026-11-22T07:18:39.083] sched: Allocate JobId=1 NodeList=q-[1-2] #CPUs=2 Partition=q
[2026-11-22T07:18:39.583] sched/backfill: _start_job: Started JobId=2 in q on q-3
[2026-11-22T07:18:42.306] Node q-1 now responding
[2026-11-22T07:18:42.454] Node q-2 now responding
[2026-11-22T07:18:42.954] prolog_running_decr: Configuration for JobId=1 is complete
[2026-11-22T07:18:43.000] Node q-3 now responding
[2026-11-22T07:19:08.000] job_time_limit: Configuration for JobId=2 complete
[2026-11-22T07:19:09.000] Node q-3 now responding
"""


def test_a_job_starts_so_long_after_its_last_node_has_registered(bench):
    starts = importlib.import_module("bench_starts")
    assert starts.delays(LOG) == pytest.approx([0.5, 25.0])
