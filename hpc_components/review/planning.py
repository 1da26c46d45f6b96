"""Plans stacks in processes of their own, so that each side runs its own code."""

import asyncio
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hpc_components.preview.plan import Plan

__all__ = ["Failure", "Place", "Task", "plan_all"]

_HPC = "from hpc_components.start import main; main()"


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
    """Plan all of them, as many at once as there are processors. Ctrl-C ends all their processes."""
    return asyncio.run(_plan_all(tasks))


async def _plan_all(tasks: Sequence[Task]) -> Mapping[Task, Plan | Failure]:
    slots = asyncio.Semaphore(max(2, os.cpu_count() or 2))
    with TemporaryDirectory(prefix="hpc-diff-") as folder:
        files = [Path(folder) / f"{number}.json" for number in range(len(tasks))]
        jobs = (_plan(task, file, slots) for task, file in zip(tasks, files, strict=True))
        return dict(zip(tasks, await asyncio.gather(*jobs), strict=True))


async def _plan(task: Task, out: Path, slots: asyncio.Semaphore) -> Plan | Failure:
    arguments = ["preview", task.stack, "--format", "json", "--out", str(out)]
    async with slots:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _HPC, *arguments),
            cwd=task.place.project,
            env=os.environ | _own_package(task.place.tree),
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
    if out.exists():
        return Plan.from_json(out.read_text(encoding="utf-8"))
    text = said.decode(errors="replace").strip().removeprefix("Error: ")
    return Failure(_without_paths(text, [task.place.tree]) or f"hpc preview ends with code {process.returncode}")


def _own_package(tree: Path) -> Mapping[str, str]:
    """The environment in which a repository that holds this package uses its own."""
    if not (tree / "hpc_components" / "__init__.py").is_file():
        return {}
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(tree), os.environ.get("PYTHONPATH")]))}


def _without_paths(text: str, folders: Iterable[Path]) -> str:
    """`text` with files named from the root of the repository, wherever the copy is."""
    for folder in folders:
        text = text.replace(f"{folder}{os.sep}", "")
    return text
