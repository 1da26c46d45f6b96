"""Phrases that read like a translation become fewer, room by room: docs/style.md says what to write instead.

A room is a package below `hpc_components`, with its shell scripts. Names, comments, docstrings and messages are
searched, and so are the pages that are written by hand. Pages made from the code have the code's phrases.
"""

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

COUNTS = Path(__file__).with_name("stiff_phrases_counts.json")
"""Hits still to be replaced, by room and phrase. `HPC_WRITE_GOLDENS=1` lowers them, and raises none."""

PHRASES = json.loads(Path(__file__).with_name("stiff_phrases.json").read_text(encoding="utf-8"))

GAP = r"(?:\s|#|[rf]?[\"'])+"
"""Between two words: also the end of a line of a comment, or of a string that goes on in the next line."""

PATTERNS = {phrase: re.compile(entry["pattern"].replace(" ", GAP), re.DOTALL) for phrase, entry in PHRASES.items()}

NOT_SEARCHED = ("cluster", "components", "rules", "style")
"""First words of the names of pages that `make docs` writes, and of the one that lists the phrases."""

MADE_PART = re.compile(r"<!-- (\w+) -->.*?<!-- end of \1 -->", re.DOTALL)
"""A part of a page that `make docs` writes."""


def texts() -> Iterator[tuple[str, Path]]:
    """Each searched file with its room."""
    for path in sorted((ROOT / "hpc_components").rglob("*")):
        if path.suffix in (".py", ".sh"):
            parts = path.relative_to(ROOT / "hpc_components").parts
            yield parts[0] if len(parts) > 1 else "top level", path
    pages = [path for path in sorted((ROOT / "docs").glob("*.md")) if not path.name.startswith(NOT_SEARCHED)]
    yield from (("pages", path) for path in (*pages, ROOT / "README.md", ROOT / "CONTRIBUTING.md"))


def hits(text: str) -> list[tuple[str, int]]:
    """Each stiff phrase in a text with its line."""
    text = MADE_PART.sub(lambda part: "\n" * part[0].count("\n"), text)
    text = text.lower()  # faster than a pattern that ignores case
    return [
        (phrase, text.count("\n", 0, found.start()) + 1)
        for phrase, pattern in PATTERNS.items()
        for found in pattern.finditer(text)
    ]


def judged(real: Mapping[str, int], recorded: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """The phrases of a room that became more, and those whose record is too high."""
    more = [phrase for phrase, count in real.items() if count > recorded.get(phrase, 0)]
    return more, [phrase for phrase, count in recorded.items() if count > real.get(phrase, 0)]


def test_stiff_phrases_become_fewer_and_the_record_follows() -> None:
    places: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for room, path in texts():
        for phrase, line in hits(path.read_text(encoding="utf-8")):
            places[room][phrase].append(f"{path.relative_to(ROOT)}:{line}")
    real = {room: Counter({phrase: len(found) for phrase, found in each.items()}) for room, each in places.items()}
    recorded = json.loads(COUNTS.read_text(encoding="utf-8"))
    if os.environ.get("HPC_WRITE_GOLDENS"):
        lower = {room: dict(real.get(room, Counter()) & Counter(counts)) for room, counts in recorded.items()}
        recorded = {room: counts for room, counts in lower.items() if counts}
        COUNTS.write_text(json.dumps(recorded, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    complaints = []
    for room in sorted({*real, *recorded}):
        more, fewer = judged(real.get(room, {}), recorded.get(room, {}))
        for phrase in more:
            where = ", ".join(places[room][phrase])
            complaints.append(f'"{phrase}" in {room}: instead, write {PHRASES[phrase]["write"]} ({where})')
        complaints += [
            f'"{phrase}" in {room} became fewer: HPC_WRITE_GOLDENS=1 lowers the record' for phrase in fewer
        ]
    assert not complaints, "\n".join((*complaints, "docs/style.md has examples."))


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("A queue is no partition.", ["is no"]),
        ("There is no default, and it is no longer needed.", []),
        ('"the bucket is "\n    f"no bucket of {name}"', ["is no"]),
        ("    # a node that\n    # nobody names", ["nobody"]),
        ("# what the daemon is\n    # told of", ["is told", "told of"]),
        ("The text as slurm.conf\n    has it.", ["as X has it"]),
        ("if value is None: return", []),
        ("Kept for ever, whatever it is.", ["for ever", "whatever it is"]),
        ("<!-- table -->\nnobody\n<!-- end of table -->\nfor ever", ["for ever"]),
    ],
)
def test_a_phrase_is_found_across_lines_and_quotes(text: str, phrases: list[str]) -> None:
    assert [phrase for phrase, _ in hits(text)] == phrases


@pytest.mark.parametrize(
    ("real", "recorded", "expected"),
    [
        ({"nobody": 2}, {"nobody": 2}, ([], [])),
        ({"nobody": 3}, {"nobody": 2}, (["nobody"], [])),
        ({"nobody": 1}, {"nobody": 2}, ([], ["nobody"])),
        ({"is no": 1}, {"nobody": 2}, (["is no"], ["nobody"])),
    ],
)
def test_a_count_that_differs_from_the_record_is_reported(
    real: dict[str, int], recorded: dict[str, int], expected: tuple[list[str], list[str]]
) -> None:
    assert judged(real, recorded) == expected
