"""Nodes and jobs from Slurm's columns; what they say of real nodes is in test_reach_real.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.operate.slurm_view import STATES, count_states, read_jobs, read_nodes, state_of, waiting_jobs


@pytest.mark.parametrize(
    ("slurm", "ours"),
    [
        ("idle", "idle"), ("idle~", "off"), ("idle#", "booting"), ("idle%", "ending"), ("idle!", "ending"),
        ("allocated", "busy"), ("mixed", "busy"), ("mixed#", "booting"), ("completing", "busy"), ("planned", "idle"),
        ("allocated*", "down"), ("idle*", "down"), ("down", "down"), ("down~", "down"), ("down*", "down"),
        ("drained", "drained"), ("draining", "drained"), ("drained~", "drained"), ("powering_down", "ending"),
        ("powered_down", "off"), ("powering_up", "booting"), ("fail", "down"), ("maint", "drained"),
    ],
)  # fmt: skip
def test_each_state_of_slurm_is_one_of_ours(slurm: str, ours: str) -> None:
    assert state_of(slurm) == ours
    assert ours in STATES


def test_a_state_that_is_not_known_keeps_slurm_s_word() -> None:
    assert state_of("hovering") == "hovering"


def test_texts_of_people_may_have_the_separator() -> None:
    (node,) = read_nodes("q-1|q|drained|2026-11-29T03:00:00|bad | disk\n")
    assert (node.reason, node.since) == ("bad | disk", "2026-11-29T03:00:00")
    (job,) = read_jobs("7_[1-3%2]|PENDING|q|alice|2|Resources||näme|x")
    assert (job.id, job.name, job.on) == ("7_[1-3%2]", "näme|x", ())


def test_a_reason_of_none_is_empty() -> None:
    (node,) = read_nodes("q-1|q|idle|Unknown|none")
    assert (node.reason, node.since) == ("", "")


def test_nodes_have_the_jobs_that_run_there() -> None:
    jobs = read_jobs("1|RUNNING|q|a|2|None|q-[1-2]|x\n2|RUNNING|q|b|1|None|q-2|y\n3|RUNNING|q|b|1|None|q-[|y")
    nodes = read_nodes("q-1|q|mixed|Unknown|none\nq-2|q|mixed|Unknown|none", jobs)
    assert [node.jobs for node in nodes] == [("1",), ("1", "2")]
    assert count_states(nodes) == {"q": {"busy": 2}}


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    jobs = read_jobs(text)
    read_nodes(text, jobs)
    waiting_jobs(jobs)


def test_waiting_jobs_are_counted_by_reason() -> None:
    lines = [f"{number}|PENDING|q|a|1|{'Resources' if number % 3 else 'Priority'}||j" for number in range(9)]
    found = waiting_jobs(read_jobs("\n".join([*lines, "9|RUNNING|q|a|1|None|q-1|j"])))
    assert [(each.reason, each.count, len(each.first)) for each in found] == [("Resources", 6, 3), ("Priority", 3, 3)]
