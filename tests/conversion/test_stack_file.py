"""A stack file is written so that Pulumi and our reader get the same values."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpc_components.convert.notes import Conversion, Note, Outcome
from hpc_components.convert.stack_file import stack_text
from hpc_components.spec.source import read_yaml

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PLAIN = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | WORDS
NESTED = st.recursive(PLAIN, lambda below: st.lists(below) | st.dictionaries(WORDS, below), max_leaves=12)


def written(cluster: dict[str, Any], *notes: Note) -> str:
    return stack_text(Conversion(source="c.yaml", format="x", settings={}, cluster=cluster, notes=notes))


def read(text: str) -> Any:
    return read_yaml(text, "Pulumi.mine.yaml").data["config"]["hpc:cluster"]


def to_decide(*place: str | int, reason: str = "why") -> Note:
    return Note(outcome=Outcome.DECIDE, key="A.B", line=7, column=1, reason=reason, remedy="how", place=place)


@settings(max_examples=50)
@given(st.dictionaries(WORDS, NESTED, min_size=1))
def test_what_is_written_is_read_again(cluster: dict[str, Any]) -> None:
    if "<<" not in str(cluster):  # a merge key, which no description has
        assert read(written(cluster)) == cluster


@pytest.mark.parametrize(
    "word", ["on", "No", "y", "1e3", "0x1f", "010", "1:30", "2026-01-31", "null", "~", "", " a", "#a"]
)
def test_a_text_that_looks_like_something_else_is_quoted(word: str) -> None:
    assert f'{{name: "{word}"}}' in written({"cluster": {"name": word}})


@pytest.mark.parametrize("word", ["10.0.0.0/16", "c7i.large", "1200GiB", "1.2TiB", "10m", "use2-az2", "/fsx"])
def test_a_usual_word_is_plain(word: str) -> None:
    assert f"{{name: {word}}}" in written({"cluster": {"name": word}})


def test_a_comment_stands_above_what_it_is_about() -> None:
    queues = [{"name": "a", "max": 1}, {"name": "b", "max": 2}]
    lines = written({"queues": queues}, to_decide("queues", 1, "max")).splitlines()
    place = next(number for number, line in enumerate(lines) if "DECIDE" in line)
    assert lines[place].strip() == "# DECIDE A.B, line 7: why; how"
    assert lines[place + 1].strip() == "max: 2"
    assert read("\n".join(lines)) == {"queues": queues}


def test_a_comment_on_what_is_not_there_stands_above_what_is_around_it() -> None:
    lines = written({"network": {"cidr": "10.0.0.0/16"}}, to_decide("network", "existing")).splitlines()
    assert lines[-1] == "    network: {cidr: 10.0.0.0/16}"
    assert "DECIDE" in lines[-2]


@pytest.mark.parametrize("reason", ["two\nlines: []", "an end\u2028of line", "x\x1b[2Jy", "word " * 60])
def test_a_comment_stays_one(reason: str) -> None:
    assert read(written({"name": "a"}, to_decide("name", reason=reason))) == {"name": "a"}
