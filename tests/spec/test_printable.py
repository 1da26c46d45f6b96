import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.spec.printable import json_text, printable

OBEYED = {
    "\x1b[31m": r"\x1b[31m",
    "\x9b31m": r"\x9b31m",
    "a\rb\nc\td": r"a\rb\nc\td",
    "\x00\x7f": r"\x00\x7f",
    "\u202egpj.exe": r"\u202egpj.exe",
    "\u2066\u200f\u061c": r"\u2066\u200f\u061c",
    "\u2028": r"\u2028",
    "\ud800": r"\ud800",
    "\U000e0041": r"\U000e0041",
}


@pytest.mark.parametrize(("text", "shown"), OBEYED.items(), ids=list(OBEYED.values()))
def test_what_a_terminal_obeys_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", ["plain", "é ü ß 名前 кластер", "→ – … ½", "👩‍🔬 ✓", "a\u00a0b", ""])
def test_what_people_write_stays(text: str) -> None:
    assert printable(text) == text
    assert json_text(text) == json.dumps(text, ensure_ascii=False)


def test_what_is_to_be_kept_is_kept() -> None:
    assert printable("a\nb\tc\r", keep="\n\t") == "a\nb\tc\\r"


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec=None)), inner),
)


@given(DOCUMENTS)
def test_json_means_the_same(document: Any) -> None:
    text = json_text(document)
    assert json.loads(text) == document
    assert printable(text, keep="\n") == text


@given(st.text().filter(str.isprintable), st.integers(), st.integers(1, 4))
def test_json_looks_the_same_whether_anything_is_escaped_or_not(text: str, number: int, indent: int) -> None:
    document = {"b": [text, {}, [], [number, None]], "a": {text: True}}
    plain = json.dumps(document, sort_keys=True, indent=indent, ensure_ascii=False)
    assert json_text(document, indent=indent) == plain
    escaped = json_text({"x": document, "y": "\x9b"}, indent=indent)
    assert escaped == json_text({"x": document, "y": "?"}, indent=indent).replace('"y": "?"', r'"y": "\u009b"')
