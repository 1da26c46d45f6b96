"""Plans stacks in separate processes, so that each side runs its own code."""

import os
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from hpc_components.preview.plan import Plan, UnreadablePlanError
from hpc_components.review.bytecode import has_package
from hpc_components.user_files import MAX_DOCUMENT_BYTES, read_regular, read_user_text

_PREVIEWS = """\
import atexit, gc, sys
from contextlib import redirect_stderr
from hpc_components.cli import main

gc.disable()
atexit.register(gc.freeze)
folder, *stacks = sys.argv[1:]
for stack in stacks:
    with open(f"{folder}/{stack}.txt", "w", encoding="utf-8") as said, redirect_stderr(said):
        try:
            main(["preview", stack, "--format", "json", "--out", f"{folder}/{stack}.json"])
        except SystemExit:
            pass
"""
"""Program that runs `hpc preview` for several stacks. The stacks share a process, because importing the SDK takes
longer than planning a stack.

Garbage collection is disabled to save time; each plan leaves only ten megabytes of garbage.
"""


_SAID = "said"
"""Name of the file for output that does not belong to any stack."""


@dataclass(frozen=True)
class Failure:
    """The error that prevented a stack from being planned, as printed by `hpc preview`."""

    text: str


@dataclass(frozen=True)
class Place:
    tree: Path
    """The repository's work tree, or a temporary copy of a commit's files."""
    project: Path
    stack_dir: Path


@dataclass(frozen=True)
class Task:
    place: Place
    stack: str


def plan_all(tasks: Sequence[Task]) -> Mapping[Task, Plan | Failure]:
    """Plan all stacks, with about one process per processor. Ctrl-C stops all processes."""
    found: dict[Task, Plan | Failure] = {}
    with TemporaryDirectory(prefix="hpc-diff-") as folder, ExitStack() as running:
        begun = [
            running.enter_context(_begun(share, Path(folder) / str(number)))
            for number, share in enumerate(_shares(tasks))
        ]
        for share in begun:
            found |= share.plans()
    return found


def _shares(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    """Yield the tasks for each process. Each process handles a single side, and each side's tasks are divided
    evenly.
    """
    sides = [list(some) for _, some in groupby(tasks, key=lambda task: task.place)]
    most = max(1, (os.cpu_count() or 1) // max(1, len(sides)))
    for side in sides:
        yield from filter(None, (side[first::most] for first in range(most)))


@dataclass(frozen=True)
class _Share:
    """A process that plans some of one side's stacks."""

    process: subprocess.Popen[bytes]
    tasks: Sequence[Task]
    folder: Path

    def plans(self) -> Mapping[Task, Plan | Failure]:
        code = self.process.wait()
        said = _words(self.folder / _SAID)
        return {task: self._read(task, said or f"the planning process ended with code {code}") for task in self.tasks}

    def _read(self, task: Task, end: str) -> Plan | Failure:
        """Return the stack's plan, or a failure if there is no readable plan. If nothing was printed, the failure's
        text is `end`.
        """
        plan, said = self.folder / f"{task.stack}.json", self.folder / f"{task.stack}.txt"
        if plan.exists():
            try:
                return Plan.from_json(read_user_text(plan, MAX_DOCUMENT_BYTES))
            except UnreadablePlanError as error:  # written by another release of this package
                return Failure(str(error))
            except (OSError, UnicodeDecodeError) as error:
                return Failure(f"the plan can't be read: {error}")
        text = _words(said) if said.exists() else ""
        # Show paths relative to the repository's root instead of the copy's location.
        return Failure((text.removeprefix("Error: ") or end).replace(f"{task.place.tree}{os.sep}", ""))


def _words(file: Path) -> str:
    """Return what a process wrote to a file, or why the file can't be read. The file may be unreadable, because the
    program under review may have replaced it.
    """
    try:
        return read_regular(file).decode("utf-8", "replace").strip()
    except OSError as error:
        return f"the output of the planning process can't be read: {error.strerror}"


@contextmanager
def _begun(tasks: Sequence[Task], folder: Path) -> Generator[_Share]:
    """Start a process for these tasks, and kill it when the `with` block ends."""
    folder.mkdir()
    place = tasks[0].place
    with (folder / _SAID).open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-B", "-P", "-c", _PREVIEWS, str(folder), *(task.stack for task in tasks)],
            cwd=place.project,
            env=_environment() | _own_package(place.tree),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
    try:
        yield _Share(process, tasks, folder)
    finally:
        process.kill()
        process.wait()


def _environment() -> dict[str, str]:
    """Return the environment for programs under review.

    The token for writing comments is left out, because the author of the change may not be trustworthy.
    """
    environment = os.environ | {"PYDANTIC_DISABLE_PLUGINS": "__all__"}
    return {name: value for name, value in environment.items() if name != "GITHUB_TOKEN"}


def _own_package(tree: Path) -> dict[str, str]:
    """Return the environment variables that make a repository with its own copy of this package use that copy."""
    if not has_package(tree):
        return {}
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(tree), os.environ.get("PYTHONPATH")]))}
