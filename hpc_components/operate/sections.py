"""One call on a node that returns the output of several commands.

The node's shell runs `Sections.script`; the same object takes its output apart. Each command's output is between two
lines that begin with a random word, the second with its exit code. So users who write to a log, or name a job, can't
end a section or begin another.
"""

import re
import secrets
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_FRAME = """\
export LC_ALL=C.UTF-8
failed=
section() {{
  name=$1 needs=$2
  shift 2
  printf '{mark} %s\\n' "$name"
  case " $failed " in
  *" $needs "*) (exit {left_out}) ;;
  *) "$@" 2>&1 </dev/null ;;
  esac
  code=$?
  [ $code = 0 ] || failed="$failed $name"
  printf '\\n{mark} ends %s\\n' $code
}}
"""

LEFT_OUT = 75
"""Exit code of a section that was left out because the one that it needs had failed. Source: EX_TEMPFAIL of
sysexits.h(3head).
"""


@dataclass(frozen=True)
class Section:
    """The output of a command. Its exit code is None if the connection ended first."""

    text: str
    code: int | None


class Sections:
    """Commands by the names of their sections."""

    def __init__(self, commands: Mapping[str, Sequence[str]], needs: Mapping[str, str] | None = None) -> None:
        """`needs` maps a section to an earlier one without whose success it is left out."""
        self.commands = commands
        self._needs = needs or {}
        self.mark = f"@@hpc-{secrets.token_hex(16)}"
        self._ends = re.compile(rf"{self.mark} ends (\d+)")

    @property
    def script(self) -> list[str]:
        """The command that runs all of them."""
        lines = (
            shlex.join(["section", name, self._needs.get(name, "-"), *command])
            for name, command in self.commands.items()
        )
        return ["sh", "-c", _FRAME.format(mark=self.mark, left_out=LEFT_OUT) + "\n".join(lines)]

    def parse(self, lines: Iterable[str]) -> dict[str, Section]:
        """Return sections by name. Text outside of sections, such as a greeting of the node's shell, is left out."""
        found: dict[str, Section] = {}
        texts: dict[str, list[str]] = {}
        for name, line, code in self.events(lines):
            text = texts.setdefault(name, [])
            if line is not None:
                text.append(line)
            found[name] = Section("\n".join(text).rstrip("\n"), code)
        return found

    def events(self, lines: Iterable[str]) -> Iterator[tuple[str, str | None, int | None]]:
        """Yield (section, None, None) where a section begins, (section, line, None) for each of its lines, and
        (section, None, exit code) where it ends.
        """
        begins = {f"{self.mark} {name}": name for name in self.commands}
        name: str | None = None
        for line in lines:
            line = line.rstrip("\n")
            if name is None:
                name = begins.get(line)
                if name is not None:
                    yield name, None, None
            elif ended := self._ends.fullmatch(line):
                yield name, None, int(ended[1])
                name = None
            else:
                yield name, line, None
