"""The documents of `hpc status` and `hpc nodes`, and how they look: wide letters, narrow windows, hostile texts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.operate.sections import Section
from hpc_components.operate.status import status_document
from hpc_components.operate.status_text import nodes_text, status_text
from hpc_components.report.text import plain_text

PAGES = Path(__file__).parents[2] / "docs"

DAEMON: dict[str, Any] = {
    "cycle": {"time": 1_790_000_000.0, "seconds": 0.4, "pause": 5.0, "problem": "", "seen": 1_790_000_000.0},
    "now": 1_790_000_003.0,
    "waits": [{"nodes": "q-[1-4]", "until": 0, "words": "its machine boots"}],
    "blocked": [{"queue": "q", "machine": "m", "zone": "z", "until": 1_790_000_600.0, "words": "no capacity"}],
    "events": [
        {"time": 1_790_000_000.0, "kind": "up", "nodes": "q-9", "words": "q-9 is up"},
        {"time": 1_790_000_001.0, "kind": "refused", "nodes": "q-1", "words": "q-1: over the quota"},
    ],
    "costs": {"month": 1_788_220_800, "total": "1234.567000000", "per_hour": "7.500000000"},
    "budget": {"limit_usd": "2000.0", "left_usd": "765.43", "stopped": "", "spent_at": None},
}

NODES = "q-1|q|mixed|Unknown|none\nq-2|q|idle~|Unknown|none\nq-3|q|down*|2026-11-29T02:59:00|Not responding\n"
JOBS = "7|RUNNING|q|alice|1|None|q-1|名前が広い仕事\n8|PENDING|q|bob|2|Resources||x\n"


def made(**changes: Any) -> dict[str, Any]:
    """The document of a cluster, with other sections."""
    sections = {"nodes": Section(NODES, 0), "jobs": Section(JOBS, 0), "elastic": Section(json.dumps(DAEMON), 0)}
    return status_document("cfd", sections | changes)


def test_a_cluster_that_serves_its_jobs_has_no_problem() -> None:
    document = made()
    assert document["problems"] == []
    assert document["queues"] == [{"name": "q", "nodes": {"busy": 1, "off": 1, "down": 1}}]
    assert [event["words"] for event in document["launches"]["failed"]] == ["q-1: over the quota"]
    text = plain_text(status_text(document), 100)
    for part in (
        "1 job running, 1 waiting", "Resources: 8 of bob (x)", "q-3 down: Not responding", "q-1: over the quota",
        "1,234.57 USD in September so far, now 7.50 USD an hour", "765.43 USD are left of the budget of 2,000.00 USD",
    ):  # fmt: skip
        assert part in text


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"jobs": Section("slurm_load_jobs error: Unable to contact slurm controller", 1)},
            "Slurm does not answer: slurm_",
        ),
        ({"nodes": Section("", None)}, "Slurm does not answer: it says nothing"),
        ({"elastic": Section("no daemon is listening", 3)}, "hpc-elastic does not run"),
        ({"elastic": Section(json.dumps(DAEMON | {"now": 1_790_009_000.0}), 1)}, "hpc-elastic: a cycle started"),
        (
            {"elastic": Section(json.dumps(DAEMON | {"budget": {**DAEMON["budget"], "stopped": "it is spent"}}), 1)},
            "nothing is launched: it is spent",
        ),
    ],
)
def test_what_keeps_jobs_waiting_is_a_problem(changes: dict[str, Section], problem: str) -> None:
    document = made(**changes)
    assert len(document["problems"]) == 1
    assert document["problems"][0].startswith(problem)
    assert plain_text(status_text(document), 100).startswith("cluster cfd: 1 problem\n")


def test_without_sudo_costs_are_unknown_and_no_problem() -> None:
    document = made(elastic=Section("sudo: a password is required", 1))
    assert document["problems"] == []
    assert (document["costs"], document["launches"]) == (None, None)
    assert "costs and launches: sudo: a password is required" in plain_text(status_text(document), 100)


@given(st.text(), st.text(), st.text())
def test_any_answer_makes_a_document_that_can_be_shown(nodes: str, jobs: str, elastic: str) -> None:
    document = made(nodes=Section(nodes, 0), jobs=Section(jobs, 0), elastic=Section(elastic, 0))
    json.dumps(document)
    shown = plain_text(status_text(document), 60)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_wide_letters_fit_into_each_window(width: int) -> None:
    document = made()
    nodes = [{"name": "名" * 12, "queue": "q", "state": "down", "jobs": ["7"] * 5, "reason": "理由", "since": ""}]
    listing = {"problems": [], "nodes": [*nodes, nodes[0] | {"state": "off"}]}
    for report in (status_text(document), nodes_text(listing, all_nodes=False)):
        assert plain_text(report, width)
    assert "1 node off" in plain_text(nodes_text(listing, all_nodes=False), width)


def test_the_pages_name_the_keys_of_the_documents() -> None:
    public = (PAGES / "public.md").read_text(encoding="utf-8")
    assert f"`status: {made()['status']}`" in public
    page = (PAGES / "at_three.md").read_text(encoding="utf-8").partition("## For programs")[2]
    for key in made():
        assert f"`{key}`" in page
