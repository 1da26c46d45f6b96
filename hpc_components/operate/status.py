"""What `hpc status` and `hpc nodes` show: Slurm's view of nodes and jobs, and that of the daemon that launches nodes.

Both come from one call on the head node, which only reads. Documents have a version; keys are only ever added to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hpc_components.elastic.report.text import trouble
from hpc_components.operate import slurm_view
from hpc_components.operate.reach import Reach
from hpc_components.operate.run_on_node import ask_node
from hpc_components.operate.sections import Section
from hpc_components.strict_json import parse_json
from hpc_components.wording import plural

VERSION = 1

_ELASTIC = ("sudo", "-n", "/opt/hpc/bin/hpc-elastic", "status", "--format", "json")
_COMMANDS: Mapping[str, Sequence[str]] = {
    "nodes": slurm_view.NODES, "jobs": slurm_view.JOBS, "elastic": _ELASTIC,
}  # fmt: skip

_NO_DAEMON = 3
"""Exit code of `hpc-elastic status` if no daemon runs."""

_FAILED_LAUNCHES = {"capacity", "refused", "throttled", "lost", "budget"}
"""Kinds of the daemon's events that say why a launch did not give nodes."""

_SHOWN_LAUNCHES = 5


def ask_status(reach: Reach) -> dict[str, Any]:
    """Return the document of `hpc status`. Raise ReachError if the head node can't be reached."""
    return status_document(reach.cluster, ask_node(reach, _COMMANDS))


def ask_nodes(reach: Reach) -> dict[str, Any]:
    """Return the document of `hpc nodes`. Raise ReachError if the head node can't be reached."""
    found = ask_node(reach, {name: _COMMANDS[name] for name in ("nodes", "jobs")})
    nodes, _, problems = _slurm(found)
    return {
        "cluster_nodes": VERSION,
        "cluster": reach.cluster,
        "nodes": [asdict(node) for node in nodes],
        "problems": problems,
    }


def status_document(cluster: str, found: Mapping[str, Section]) -> dict[str, Any]:
    """Return the document of `hpc status`, made from the sections that the head node returned.

    `problems` has a sentence for everything that keeps jobs from being served; it is empty if all is well.
    """
    nodes, jobs, problems = _slurm(found)
    daemon, why_not = _daemon(found["elastic"])
    if daemon and (wrong := trouble(daemon)):
        problems.append(f"hpc-elastic: {wrong}")
    elif found["elastic"].code == _NO_DAEMON:
        problems.append("hpc-elastic does not run, so that no node is launched or ended")
    budget = (daemon or {}).get("budget")
    if budget and budget["stopped"]:
        problems.append(f"nothing is launched: {budget['stopped']}")
    return {
        "status": VERSION,
        "cluster": cluster,
        "problems": problems,
        "queues": [
            {"name": queue, "nodes": dict(counts)} for queue, counts in sorted(slurm_view.count_states(nodes).items())
        ],
        "jobs": {
            "running": sum(job.state == "RUNNING" for job in jobs),
            "waiting": [asdict(each) for each in slurm_view.waiting_jobs(jobs)],
        },
        "down_nodes": [asdict(node) for node in nodes if node.state in ("down", "drained")],
        "launches": _launches(daemon),
        "costs": (daemon or {}).get("costs"),
        "budget": budget,
        "unknown": why_not,
    }


def _slurm(found: Mapping[str, Section]) -> tuple[list[slurm_view.NodeView], list[slurm_view.JobView], list[str]]:
    problems = []
    for name in ("nodes", "jobs"):
        if found[name].code != 0:
            said = found[name].text.strip().splitlines()
            problems.append(f"Slurm does not answer: {said[-1] if said else 'it says nothing'}")
    jobs = slurm_view.read_jobs(found["jobs"].text)
    return slurm_view.read_nodes(found["nodes"].text, jobs), jobs, problems[:1]


def _daemon(section: Section) -> tuple[dict[str, Any] | None, str]:
    """Return the daemon's document, or None and the reason why it is unknown."""
    try:
        document = parse_json(section.text)
        trouble(document)
    except (ValueError, KeyError, TypeError):
        said = section.text.strip().splitlines()
        return None, f"costs and launches: {said[-1] if said else 'hpc-elastic says nothing'}"
    return document, ""


def _launches(daemon: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return what the daemon waits for, pools that it leaves alone, and its last failed launches."""
    if daemon is None:
        return None
    failed = [event for event in daemon.get("events", ()) if event.get("kind") in _FAILED_LAUNCHES]
    return {
        "waits": daemon.get("waits", []),
        "blocked": daemon.get("blocked", []),
        "failed": failed[-_SHOWN_LAUNCHES:],
    }


def headline(document: Mapping[str, Any]) -> str:
    """Return one line that says whether all is well."""
    problems = document["problems"]
    return f"cluster {document['cluster']}: " + (plural(len(problems), "problem") if problems else "all is well")
