import re
from functools import cache

from hpc_components.elastic.model import Job, Node
from hpc_components.elastic.slurm.hostlists import expand

_REASON = re.compile(r" Reason=(.*?)(?: \[[^\s\[\]]+@[^\s\[\]]+\]|$)")


def field(line: str, key: str) -> str:
    """Return the value of `key` in a one-line record, up to the next space, or an empty string if the key is missing.

    For example, `field("JobId=7 JobName=wing JobState=RUNNING", "JobState")` returns `RUNNING`.
    """
    mark = f"{key}="
    if not line.startswith(mark):
        mark = f" {mark}"
    start = line.find(mark)
    if start < 0:
        return ""
    start += len(mark)
    end = line.find(" ", start)
    return line[start:end] if end >= 0 else line[start:]


def parse_nodes(text: str) -> list[Node]:
    """Parse the CLOUD nodes from the output of `scontrol show nodes --oneliner`, run with SLURM_TIME_FORMAT=%s."""
    nodes: list[Node] = []
    for line in text.splitlines():
        states = _states(field(line, "State"))
        if not line.startswith("NodeName=") or "CLOUD" not in states:
            continue
        name, address = field(line, "NodeName"), field(line, "NodeAddr")
        booted = field(line, "BootTime")
        reason = _REASON.search(line) if " Reason=" in line else None
        nodes.append(
            Node(
                name=name,
                states=states,
                reason=reason[1] if reason else "",
                booted_at=float(booted) if booted.isdigit() else 0.0,
                address=address if address != name else "",
            )
        )
    return nodes


def parse_jobs(text: str) -> list[Job]:
    """Parse the output of `squeue --noheader --format '%A|%T|%N'`."""
    rows = (line.split("|") for line in text.splitlines())
    return [Job(id=int(id_), state=state, nodes=_expand(nodes)) for id_, state, nodes in rows]


@cache
def _states(text: str) -> frozenset[str]:
    """Split a state: `MIXED+CLOUD` -> MIXED, CLOUD. Cached because thousands of nodes share a handful of states."""
    return frozenset(text.split("+"))


def _expand(hostlist: str) -> tuple[str, ...]:
    return expand(hostlist) if hostlist else ()
