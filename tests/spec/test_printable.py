import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.spec.printable import printable, printable_json

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
    assert printable_json(json.dumps(text, ensure_ascii=False)) == json.dumps(text, ensure_ascii=False)


def test_what_is_to_be_kept_is_kept() -> None:
    assert printable("a\nb\tc\r", keep="\n\t") == "a\nb\tc\\r"


@given(st.text(st.characters(codec=None)))
def test_json_means_the_same(text: str) -> None:
    document = printable_json(json.dumps({"a": text, "b": [text]}, indent=1, ensure_ascii=False))
    assert json.loads(document) == {"a": text, "b": [text]}
    assert printable(document, keep="\n") == document
