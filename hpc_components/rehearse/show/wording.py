import re
from collections.abc import Iterable
from dataclasses import dataclass

from hpc_components.rehearse.events import NodeState
from hpc_components.rehearse.job_states import ACTIVE, ENDED, STARTING, WAITING
from hpc_components.rehearse.result import Change, Check, JobLife, Rehearsal, Scale
from hpc_components.rehearse.show.timeline import Row, fold_names
from hpc_components.spec.printable import printable
from hpc_components.wording import plural

GOOD, BAD = "\N{CHECK MARK}", "\N{MULTIPLICATION X}"


@dataclass(frozen=True, kw_only=True)
class Look:
    name: str
    """CSS class."""
    words: str
    """Name in the legend."""
    glyph: str
    style: str
    """Style on a terminal, e.g. `bold red`."""


LOOKS = (
    Look(name="wanted", words="wanted, pending", glyph="·", style="yellow"),
    Look(name="booting", words="booting", glyph="░", style="yellow"),
    Look(name="configuring", words="configuring", glyph="▒", style="blue"),
    Look(name="busy", words="busy, running", glyph="█", style="green"),
    Look(name="idle", words="idle", glyph="─", style="cyan"),
    Look(name="draining", words="draining", glyph="▞", style="magenta"),
    Look(name="down", words="down", glyph="×", style="bold red"),
    Look(name="leaving", words="leaving", glyph="‹", style="bright_black"),
    Look(name="other", words="something else", glyph="?", style="magenta"),
)
"""All looks, in the order in which a node or a job passes through them."""

_BY_NAME = {look.name: look for look in LOOKS}

_OF_JOBS = {
    **dict.fromkeys(WAITING, "wanted"), **dict.fromkeys(STARTING, "configuring"), **dict.fromkeys(ACTIVE, "busy"),
}  # fmt: skip


def look(state: str) -> Look | None:
    """Return the look of a node or job state, or None if the node is gone or the job has ended."""
    if state == NodeState.GONE or state in ENDED:
        return None
    return _BY_NAME.get(_OF_JOBS.get(state, state), _BY_NAME["other"])


def legend(states: Iterable[str]) -> tuple[Look, ...]:
    seen = {look(state) for state in states}
    return tuple(each for each in LOOKS if each in seen)


def literal(text: str) -> str:
    """Escape characters in `text` that move the cursor, change colours or change the reading direction."""
    return printable(text, keep="\n\t")


def one_line(text: str) -> str:
    return literal(text.replace("\n", " ").replace("\t", " "))


def seconds(t: float) -> str:
    return f"{t:.1f} s" if round(t, 1) < 100 else f"{round(t) // 60} min {round(t) % 60:02} s"


def ending(job: JobLife) -> str:
    """Describe how a job ended, or its last known state, e.g. `completed`, `failed with 1:0` or `still pending`."""
    last = job.spans[-1].state if job.spans else "UNKNOWN"
    word = last.lower().replace("_", " ")
    if last not in ENDED:
        return f"still {word}"
    return word if job.exit_code in ("", "0:0") else f"{word} with {job.exit_code}"


def job_summary(row: Row[JobLife]) -> str:
    """Summarise a row's jobs, e.g. `job 1 mpi-hello in compute-queue on compute-queue-[1-4], requeued once`."""
    job = row.lives[0]
    nodes = fold_names(dict.fromkeys(node for each in row.lives for node in each.nodes))
    words = f"{row.label} in {job.queue}" + (f" on {nodes}" if nodes else "")
    if job.restarts:
        often = {1: "once", 2: "twice"}.get(job.restarts, f"{job.restarts} times")
        words += f", requeued {often}"
    return words


def scaling(scale: Scale) -> str:
    cpus = f"Slurm is configured with {plural(scale.cpus_per_node, 'CPU')} per node"
    nodes = plural(scale.nodes, "node")
    if scale.ranks == scale.full_ranks:
        return f"The job ran as published: {plural(scale.ranks, 'rank')} on {nodes}; {cpus}."
    return (
        f"{scale.ranks:,} of the job's {plural(scale.full_ranks, 'rank')} ran here, on {nodes}; use --full to "
        f"run all of them. {cpus}."
    )


def verdict(checks: tuple[Check, ...]) -> str:
    if not checks:
        return "nothing was checked"
    held = sum(check.passed for check in checks)
    words = f"{held:,} of {plural(len(checks), 'check')}"
    return f"passed: {words}" if held == len(checks) else f"failed: only {words} passed"


def cut(text: str, head: int, tail: int) -> tuple[list[str], int, list[str]]:
    """Split `text` into (first lines, number of lines left out, last lines)."""
    lines = text.splitlines()
    if len(lines) <= head + tail + 1:
        return lines, 0, []
    return lines[:head], len(lines) - head - tail, lines[-tail:]


def cells_of(table: str) -> list[list[str]]:
    """Return the rows of a table printed by `sacct`, header first, or an empty list if `table` is not such a
    table.
    """
    lines = table.splitlines()
    if len(lines) < 2 or not re.fullmatch(r"-+( -+)* *", lines[1]):
        return []
    places = [found.span() for found in re.finditer(r"-+", lines[1])]
    return [[line[first:end].strip() for first, end in places] for line in (lines[0], *lines[2:])]


def grouped(changes: Iterable[Change]) -> tuple[tuple[tuple[str, str], tuple[Change, ...]], ...]:
    """Group changes by file and reason, in the order of each group's first change."""
    groups: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.file, change.why), []).append(change)
    return tuple((key, tuple(group)) for key, group in groups.items())


def other_release(rehearsal: Rehearsal) -> str:
    """Return a note if the cluster will run a different Slurm release, or "" if the release is the same or
    unknown.
    """
    ran = ".".join(rehearsal.slurm.split(".")[:2])
    if rehearsal.described in ("", ran):
        return ""
    return (
        f"The cluster will run Slurm {rehearsal.described}, but this machine has {ran}. The rehearsal used "
        f"configuration files for {ran}, so features and behaviour specific to {rehearsal.described} were not "
        "tested."
    )


def setting(rehearsal: Rehearsal) -> str:
    fault = f"; fault: {rehearsal.fault}" if rehearsal.fault else ""
    return f"Slurm {rehearsal.slurm} on {rehearsal.here}{fault}"
