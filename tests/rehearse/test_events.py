"""Codes are what programs go by: each is documented, and of one kind."""

import pickle
from pathlib import Path

import pytest

from hpc_components.rehearse.events import Code, Event, Kind

PAGE = (Path(__file__).parents[2] / "docs/rehearse.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", Code)
def test_each_code_is_documented_beside_its_kind(code):
    (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{code}` |")]
    assert row.split("|")[2].strip() == f"`{code.kind}`"


def test_every_kind_has_a_code():
    assert {code.kind for code in Code} == set(Kind)


def test_codes_travel_from_the_sandbox_as_they_are():
    event = Event(t=1.0, kind=Kind.CLOUD, code=Code.NO_CAPACITY, words="x", pool="c7i.large")
    assert pickle.loads(pickle.dumps(event)) == event
    assert pickle.loads(pickle.dumps(event)).code is Code.NO_CAPACITY
