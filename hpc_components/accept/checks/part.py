"""A part of a queue's job: what runs, and how its output is judged."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import PurePosixPath

from hpc_components.accept.result import Code, Outcome
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queues import Queue

_NODE = re.compile(r"@[A-Za-z0-9-]+")


@dataclass(frozen=True, kw_only=True)
class QueueRun:
    """What the parts of a queue's job know."""

    cluster: ClusterSpec
    queue: Queue
    nodes: int
    ranks_per_node: int
    user: str
    folder: str = ""
    """Folder of this run on a file system that all nodes mount."""
    folders: Mapping[str, str] = field(default_factory=dict)
    """Folder of this run on each shared file system where the user may write, by mount point."""
    closed: Sequence[str] = ()
    """Mount points where the user may not write."""
    mib: int = 1024
    """Size in MiB of each node's file for measuring throughput."""
    speeds_count: bool = True
    """Whether figures are judged. Those of a rehearsal are not."""


@dataclass(frozen=True, kw_only=True)
class Part:
    code: Code
    script: str
    """Bash. It runs in the folder of the run, on the first node of the job."""
    judge: Callable[[str], Iterator[Outcome]]
    """Yields outcomes, given what the script printed."""
    seconds: int = 60
    """Time after which it is stopped."""


def program(name: str) -> str:
    """Return the text of a program that parts bring to the nodes."""
    return (files("hpc_components.accept.checks") / "programs" / name).read_text(encoding="utf-8")


PROGRAMS = ("pingpong.c", "throughput.py", "bucket.py")


def on_each_node(command: str) -> str:
    """Return Bash that runs a command once on each node of the job, and prefixes its lines with `@<node>: `.

    srun's own messages begin with a word and a colon too, but not with `@`.
    """
    inner = f'{{ {command}\n}} 2>&1 | sed "s|^|@$(hostname -s): |"'
    return f"srun --ntasks-per-node=1 --ntasks=$SLURM_JOB_NUM_NODES bash -c {quoted(inner)}"


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\"'\"'") + "'"


def by_node(text: str) -> dict[str, list[str]]:
    """Return the lines of each node, as `on_each_node` prefixes them."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        node, colon, rest = line.partition(": ")
        if colon and _NODE.fullmatch(node):
            found.setdefault(node[1:], []).append(rest)
    return found


def silent(found: Mapping[str, object], run: QueueRun, text: str) -> list[str]:
    """Return what is wrong if not all nodes answered."""
    if len(found) == run.nodes:
        return []
    said = [line for line in text.strip().splitlines() if line][-1:]
    return [f"{len(found)} of {run.nodes} nodes answered" + (f": {said[0]}" if said else "")]


def below(base: str, *parts: str) -> str:
    return str(PurePosixPath(base, *parts))
