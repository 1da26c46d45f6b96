"""A page whose commands are run one after another, and whose outputs must be what comes of them."""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """Commands, and what the page shows of their output."""

    commands: str
    shown: str

    @property
    def may_end_with(self) -> set[int]:
        """Exit codes that the page announces (`# exit code 1`), beside 0."""
        return {0, *map(int, re.findall(r"# exit code (\d+)", self.commands))}


def steps(page: Path) -> list[Step]:
    """Each block of commands, with the block of text that follows it."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    found = []
    for index, (language, text) in enumerate(blocks):
        if language == "sh":
            after = blocks[index + 1] if index + 1 < len(blocks) else ("", "")
            found.append(Step(text, after[1] if after[0] == "text" else ""))
    return found


def missing_lines(shown: str, written: str) -> list[str]:
    """Lines that the page shows and the command does not write; `...` stands for any number of lines."""
    return [line for line in shown.splitlines() if line != "..." and line not in written]
