"""One call on a node that returns the output of several commands.

The node's shell runs `script_of(...)`; `parse_sections` takes its output apart. Each command's output is between
two lines that begin with `MARK`, the second with its exit code.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

MARK = "@@hpc"

_ENDS = re.compile(rf"{MARK} ends (\d+)")

_FRAME = f"""\
export LC_ALL=C.UTF-8
section() {{
  printf '{MARK} %s\\n' "$1"
  shift
  "$@" 2>&1 </dev/null
  printf '\\n{MARK} ends %s\\n' $?
}}
"""


@dataclass(frozen=True)
class Section:
    """The output of a command. Its exit code is None if the connection ended first."""

    text: str
    code: int | None


def script_of(commands: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the command that runs all these commands, each in a section with its name."""
    lines = (shlex.join(["section", name, *command]) for name, command in commands.items())
    return ["sh", "-c", _FRAME + "\n".join(lines)]


def parse_sections(lines: Iterable[str]) -> dict[str, Section]:
    """Return sections by name. Text outside of sections, such as a greeting of the node's shell, is left out."""
    found: dict[str, Section] = {}
    texts: dict[str, list[str]] = {}
    for name, line, code in events(lines):
        text = texts.setdefault(name, [])
        if line is not None:
            text.append(line)
        found[name] = Section("\n".join(text).rstrip("\n"), code)
    return found


def events(lines: Iterable[str]) -> Iterator[tuple[str, str | None, int | None]]:
    """Yield (section, line, None) for each line, and (section, None, exit code) at the end of a section."""
    name: str | None = None
    for line in lines:
        line = line.rstrip("\n")
        ended = _ENDS.fullmatch(line)
        if ended and name is not None:
            yield name, None, int(ended[1])
            name = None
        elif line.startswith(f"{MARK} ") and name is None:
            name = line.removeprefix(f"{MARK} ")
            yield name, None, None
        elif name is not None:
            yield name, line, None
