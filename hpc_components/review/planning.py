"""Plans stacks in other processes, so that each side runs its own code."""

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from hpc_components.preview.plan import Plan

__all__ = ["Failure", "Place", "Task", "plan_all"]

_PREVIEWS = """\
import gc, sys
from contextlib import redirect_stderr
from hpc_components.cli import main

gc.disable()
folder, *stacks = sys.argv[1:]
for stack in stacks:
    with open(f"{folder}/{stack}.txt", "w", encoding="utf-8") as said, redirect_stderr(said):
        try:
            main(["preview", stack, "--format", "json", "--out", f"{folder}/{stack}.json"])
        except SystemExit:
            pass
"""
"""`hpc preview` of several stacks: to import the SDK takes longer than to plan one.

The garbage collector would walk all that is imported again and again; what a plan leaves is ten megabytes.
"""


@dataclass(frozen=True)
class Failure:
    """Why there is no plan, in the words of `hpc preview`."""

    text: str


@dataclass(frozen=True)
class Place:
    """Where the files of one side are."""

    tree: Path
    """The repository's work tree, or a copy of a ref's."""
    project: Path
    """The project in it."""
    stack_dir: Path


@dataclass(frozen=True)
class Task:
    """One stack of one side."""

    place: Place
    stack: str


def plan_all(tasks: Sequence[Task]) -> Mapping[Task, Plan | Failure]:
    """Plan all of them, in as many processes as there are processors. Ctrl-C ends all processes."""
    return asyncio.run(_plan_all(tasks))


async def _plan_all(tasks: Sequence[Task]) -> Mapping[Task, Plan | Failure]:
    found: dict[Task, Plan | Failure] = {}
    with TemporaryDirectory(prefix="hpc-diff-") as folder:
        shares = list(_shares(tasks))
        folders = [Path(folder) / str(number) for number in range(len(shares))]
        for plans in await asyncio.gather(*map(_plan, shares, folders)):
            found |= plans
    return found


def _shares(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    """The tasks of each process: of one side, and as many as of the others of that side."""
    sides = [list(some) for _, some in groupby(tasks, key=lambda task: task.place)]
    most = max(1, (os.cpu_count() or 1) // max(1, len(sides)))
    for side in sides:
        yield from filter(None, (side[first::most] for first in range(most)))


async def _plan(tasks: Sequence[Task], folder: Path) -> Mapping[Task, Plan | Failure]:
    folder.mkdir()
    place = tasks[0].place
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c", _PREVIEWS, str(folder), *(task.stack for task in tasks)),
        cwd=place.project,
        env=os.environ | {"PYDANTIC_DISABLE_PLUGINS": "__all__"} | _own_package(place.tree),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    end = said.decode(errors="replace").strip() or f"its process ends with code {process.returncode}"
    return {task: _read(task, folder, end) for task in tasks}


def _read(task: Task, folder: Path, end: str) -> Plan | Failure:
    """The plan that a process wrote, else what it said of this stack, else `end`."""
    plan, said = folder / f"{task.stack}.json", folder / f"{task.stack}.txt"
    if plan.exists():
        return Plan.from_json(plan.read_text(encoding="utf-8"))
    text = said.read_text(encoding="utf-8", errors="replace").strip() if said.exists() else ""
    # Files are named from the root of the repository, wherever the copy is.
    return Failure((text.removeprefix("Error: ") or end).replace(f"{task.place.tree}{os.sep}", ""))


def _own_package(tree: Path) -> dict[str, str]:
    """The environment in which a repository that holds this package uses its own."""
    if not (tree / "hpc_components" / "__init__.py").is_file():
        return {}
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(tree), os.environ.get("PYTHONPATH")]))}
