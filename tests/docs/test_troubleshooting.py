"""What docs/troubleshooting.md says that people see is what they see."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
SEEN = [
    row.split(" | ")[0].removeprefix("| ") for row in re.findall(r"^\| (?!what you see|---).*$", PAGE, re.MULTILINE)
]
CODE = "\n".join(
    file.read_text(encoding="utf-8")
    for file in sorted((ROOT / "hpc_components").rglob("*"))
    if file.suffix in (".py", ".sh", ".lua")
)
WORDS = [words for seen in SEEN for words in re.findall(r"`([^`]+)`", seen)]


@pytest.mark.parametrize("words", [words for words in WORDS if not re.fullmatch(r"[\w.<>-]+", words)])
def test_the_words_are_ours(words: str) -> None:
    assert words in CODE or words in CODE.replace('"\n            f"', "").replace('"\n        "', ""), words


def test_it_has_a_row_for_each_kind_of_trouble() -> None:
    assert len(SEEN) > 35
    contents, headings = re.findall(r"^- \[(.+)\]", PAGE, re.M), re.findall(r"^## (.+)$", PAGE, re.M)
    assert contents == headings
