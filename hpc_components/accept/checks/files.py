"""Home directories, shared files, and the throughput of shared file systems."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from hpc_components.accept import expected
from hpc_components.accept.checks.part import Part, QueueRun, below, by_node, on_each_node, quoted, silent
from hpc_components.accept.result import Code, Figure, Outcome, held, judged, left_out
from hpc_components.spec.storage import LustreFileSystem

HOME_LINE = 'h=$(getent passwd "$(id -un)" | cut -d: -f6); echo "$(id -un) $(stat -c "%U %a" "$h" 2>&1) $h"'
"""Prints account, owner of the home directory, its mode and its path."""

MARKER = "from-login"

_STEPS: Sequence[Literal["write", "read"]] = ("write", "read")

_STARTING_SECONDS = 2
"""Time for srun to start on all nodes before they begin to write or read."""

_STRIPED = "striped {mount}"
"""Printed if files of the test lie on all disks of a Lustre file system. By default, a file may lie on one disk,
whose throughput is only a part of the stated one. Source: lfs-setstripe(1), --stripe-count.
"""

MEASURED = re.compile(r"^(write|read) (\d+) ([\d.]+) ([\d.]+) (\w+)$")
"""Line of throughput.py: step, bytes, begin and end in seconds, kind of I/O."""


def home_faults(line: str, user: str) -> list[str]:
    """Return what is wrong with a home directory, given what `HOME_LINE` printed for it."""
    words = line.split()
    if len(words) != 4 or not re.fullmatch("[0-7]+", words[2]):
        return [f"no home directory: {line.strip() or 'no answer'}"]
    account, owner, mode, path = words
    faults = [] if account == user else [f"the account is {account}, not {user}"]
    if owner != user:
        faults.append(f"{path} belongs to {owner}, so that {user} can't log in with a key or write there")
    if int(mode, 8) & 0o022:
        faults.append(f"others may write to {path} (mode {mode}), so that sshd refuses the user's keys")
    return faults


def home(run: QueueRun) -> Part:
    """The home directory must belong to the user on every node. sshd demands it too (sshd(8), StrictModes)."""

    def judge(text: str) -> Iterator[Outcome]:
        found = by_node(text)
        wrong = silent(found, run, text)
        for node, lines in sorted(found.items()):
            wrong += [f"{node}: {fault}" for fault in home_faults(lines[-1], run.user)]
        yield held(Code.HOME, "the home directory on compute nodes is the user's", run.queue.name, wrong)

    return Part(code=Code.HOME, script=on_each_node(HOME_LINE), judge=judge)


def shared(run: QueueRun) -> Part | None:
    """A file written where users log in must be read on every node, and each node must be able to write beside it."""
    if not run.folders:
        return None

    def judge(text: str) -> Iterator[Outcome]:
        found = by_node(text)
        for mount, folder in run.folders.items():
            wrong = silent(found, run, text)
            for node, lines in sorted(found.items()):
                said = next((line.removeprefix(f"{folder} ") for line in lines if line.startswith(f"{folder} ")), "")
                if said != "same":
                    wrong.append(f"{node}: {said or 'no answer'}")
            what = f"{mount} is the same on compute nodes as where users log in, and can be written"
            yield held(Code.SHARED_FILES, what, run.queue.name, wrong)

    token = below(run.folder).rpartition("-")[2]
    lines = [
        f'd={quoted(folder)}; if [ "$(cat "$d/{MARKER}" 2>&1)" != {token} ]; then echo "$d not the same files";'
        f' elif ! echo "$(hostname -s)" >"$d/from-$(hostname -s)"; then echo "$d can not be written";'
        f' else echo "$d same"; fi'
        for folder in run.folders.values()
    ]
    return Part(code=Code.SHARED_FILES, script=on_each_node("\n".join(lines)), judge=judge)


def throughput(run: QueueRun) -> Part | None:
    """Every node writes a file on each shared file system, then reads that of another node."""
    if not run.folders:
        return None
    stores = {store.mount: store for store in run.cluster.storage.values() if store.mount in run.folders}
    lines = [
        f"lfs setstripe --stripe-count -1 {quoted(run.folders[mount])} && echo {quoted(_STRIPED.format(mount=mount))}"
        for mount, store in stores.items()
        if isinstance(store, LustreFileSystem)
    ]
    for mount, folder in run.folders.items():
        for step in _STEPS:
            here = f"python3 throughput.py {step} {quoted(folder)} {run.mib} $at"
            lines += [
                f"echo '@ {mount} {step}'",
                f"export at=$(($(date +%s) + {_STARTING_SECONDS}))",
                on_each_node(here),
            ]
        lines.append(f"rm -f {quoted(folder)}/$SLURM_JOB_ID-*.data")

    def judge(text: str) -> Iterator[Outcome]:
        spread = text.partition("@ ")[0].splitlines()
        for mount in run.folders:
            figures, wrong, how = [], [], set()
            store = stores[mount]
            on_one_disk = isinstance(store, LustreFileSystem) and _STRIPED.format(mount=mount) not in spread
            for step in _STEPS:
                section = text.partition(f"@ {mount} {step}\n")[2].partition("\n@ ")[0]
                found = [
                    match for lines in by_node(section).values() for line in lines if (match := MEASURED.match(line))
                ]
                if len(found) != run.nodes:
                    wrong.append(f"{step}: {len(found)} of {run.nodes} nodes measured it: {_last(section)}")
                    continue
                how |= {match[5] for match in found}
                times = [(int(m[2]), float(m[3]), float(m[4])) for m in found]
                limit = expected.throughput(store, step, run.queue, run.nodes) if run.speeds_count else None
                if limit and on_one_disk:
                    limit = replace(limit, unsure=True)
                figures += list(_figures(mount, step, times, limit))
            what = f"sequential throughput of {mount}"
            detail = f"{run.mib} MiB a node, {' and '.join(sorted(how))} I/O" if how else ""
            if on_one_disk and any(figure.judged for figure in figures):
                detail += "; lfs could not spread the files over all disks, so a low figure only warns"
            yield judged(Code.THROUGHPUT, what, run.queue.name, figures, detail, wrong="; ".join(wrong))

    return Part(
        code=Code.THROUGHPUT,
        script=f"trap 'rm -f {' '.join(f'{folder}/$SLURM_JOB_ID-*.data' for folder in run.folders.values())}' EXIT\n"
        + "\n".join(lines),
        judge=judge,
        seconds=240 * len(run.folders),
    )


def _figures(
    mount: str, step: str, found: list[tuple[int, float, float]], limit: expected.Limit | None
) -> Iterator[Figure]:
    """Yield the slowest node's throughput and that of all together, given (bytes, begin, end) of each node."""
    mib = 2**20
    slowest = min(size / max(end - begin, 1e-9) for size, begin, end in found) / mib
    seconds = max(end for _, _, end in found) - min(begin for _, begin, _ in found)
    total = sum(size for size, _, _ in found) / max(seconds, 1e-9) / mib
    yield Figure(name=f"{mount} {step}, slowest node", value=round(slowest, 1), unit="MiB/s")
    yield Figure(
        name=f"{mount} {step}, all nodes",
        value=round(total, 1),
        unit="MiB/s",
        at_least=round(limit.value, 1) if limit else None,
        warn_below=round(limit.warn_below, 1) if limit and limit.warn_below else None,
        source=limit.source if limit else "",
        unsure=bool(limit and limit.unsure),
    )


def closed_mounts(run: QueueRun) -> Iterator[Outcome]:
    """Yield the file systems that can't be tested, because the user may not write there."""
    for mount in run.closed:
        what = f"{mount} is the same on all nodes"
        yield left_out(Code.SHARED_FILES, what, "", f"{run.user} has no folder there and may not create one")


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("@ ")]
    return lines[-1].strip() if lines else "no message"
