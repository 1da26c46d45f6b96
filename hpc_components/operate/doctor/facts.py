"""The answers of a cluster, read. A fact that was not answered is empty, and `left_out` says why."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from hpc_components.elastic.report.text import trouble
from hpc_components.operate import slurm_view
from hpc_components.operate.doctor import machine_facts
from hpc_components.operate.sections import LEFT_OUT, Section
from hpc_components.strict_json import InvalidJsonError, parse_json

_DIGITS = 12
"""Digits of seconds since the epoch that no clock has."""

_RECENT_SECONDS = 3600
"""How old a line of a log may be to count as a sign of what is wrong now."""

_NAMES = {
    "space": "free space", "inodes": "free inodes", "shared": "shared file systems", "units": "services",
    "synchronized": "the clock", "said": "the services' last errors", "killed": "what the kernel ended for memory",
    "munge": "munge", "munge_keys": "munge's keys", "boot": "the last run of the boot's steps",
    "accounts": "the accounting database", "controller_log": "slurmctld's log", "partitions": "queues",
    "nodes": "nodes", "jobs": "jobs", "names": "names of nodes", "elastic": "hpc-elastic's launches",
    "check": "hpc-elastic's check", "record": "Slurm's record of the node",
}  # fmt: skip

_TIMED_OUT = 124
"""Exit code of timeout(1)."""


@dataclass(frozen=True)
class Facts:
    """Answers of the head node, or of a node, by the names in `questions`."""

    answers: Mapping[str, Section]
    began: float | None = None
    """This machine's time when it began to ask, in seconds since the epoch."""
    ended: float = field(default_factory=time.time)
    """This machine's time when the answers came."""

    def text(self, name: str) -> str:
        """Return an answer, or an empty text if the question failed."""
        found = self.answers.get(name)
        return found.text if found and found.code == 0 else ""

    def code(self, name: str) -> int | None:
        found = self.answers.get(name)
        return found.code if found else None

    def said(self, name: str) -> str:
        """Return the last line of an answer, whether the command failed or not."""
        found = self.answers.get(name)
        lines = found.text.strip().splitlines() if found else []
        return lines[-1].strip() if lines else ""

    @cached_property
    def nodes(self) -> list[slurm_view.NodeView]:
        """Nodes, each once, with their jobs."""
        found = slurm_view.read_nodes(self.text("nodes"), self.jobs)
        return list({node.name: node for node in found}.values())

    @cached_property
    def queues_of(self) -> Mapping[str, set[str]]:
        """Maps each node to its queues."""
        queues: dict[str, set[str]] = {}
        for node in slurm_view.read_nodes(self.text("nodes")):
            queues.setdefault(node.name, set()).add(node.queue)
        return queues

    @cached_property
    def jobs(self) -> list[slurm_view.JobView]:
        return slurm_view.read_jobs(self.text("jobs"))

    @cached_property
    def waiting(self) -> list[slurm_view.JobView]:
        return [job for job in self.jobs if job.state == "PENDING"]

    @cached_property
    def partitions(self) -> Mapping[str, str]:
        """Maps each queue to its state in Slurm: `up`, `down`, `drain` or `inact`."""
        rows = (line.split("|") for line in self.text("partitions").splitlines())
        return {row[0].strip(): row[1].strip() for row in rows if len(row) == 2}

    @cached_property
    def slurm_answers(self) -> bool:
        return self.code("ping") == 0

    @cached_property
    def has_accounting(self) -> bool:
        return self.code("accounting") == 0

    @cached_property
    def daemon(self) -> Mapping[str, Any] | None:
        """The document of `hpc-elastic status`, or None."""
        try:
            document = parse_json(self.answers["elastic"].text)
            trouble(document)
        except (InvalidJsonError, KeyError, TypeError):
            return None
        return document

    @cached_property
    def units(self) -> Mapping[str, machine_facts.Unit]:
        return machine_facts.read_units(self.text("units"))

    @cached_property
    def space(self) -> list[machine_facts.FileSystem]:
        return machine_facts.read_file_systems(self._even_if_failed("space"))

    @cached_property
    def inodes(self) -> list[machine_facts.FileSystem]:
        return machine_facts.read_file_systems(self._even_if_failed("inodes"))

    @cached_property
    def shares(self) -> list[machine_facts.Share]:
        return machine_facts.read_shares(self.text("shared"))

    @cached_property
    def mounts(self) -> Mapping[str, tuple[str, ...]]:
        return machine_facts.read_mounts(self.text("mounted"))

    @cached_property
    def boot_result(self) -> str:
        return machine_facts.read_boot_result(self.text("boot"))

    @cached_property
    def last_errors(self) -> Mapping[str, str]:
        return machine_facts.read_last_errors(self._even_if_failed("said"))

    @cached_property
    def ahead(self) -> float | None:
        """Seconds by which the node's clock is at least ahead of this machine's (negative: behind), or None if
        unknown. 0 if the node answered between the beginning and the end of the question.
        """
        epoch = self.text("time").partition(" ")[0]
        if not (epoch.isdecimal() and len(epoch) < _DIGITS):
            return None
        began = self.ended if self.began is None else self.began
        return max(0.0, float(epoch) - self.ended) or min(0.0, float(epoch) - began)

    @cached_property
    def controller_errors(self) -> list[str]:
        """Errors in slurmctld's log of the last hour, without their times.

        Lines begin with `[2026-11-29T03:00:00.123] `, in the head node's time.
        """
        since = self._local_time_before(_RECENT_SECONDS)
        rows = (line.partition("] ") for line in self.text("controller_log").splitlines())
        return [words for moment, _, words in rows if since and moment[1:] >= since]

    def _local_time_before(self, seconds: int) -> str:
        _, _, local = self.text("time").partition(" ")
        try:
            return (datetime.fromisoformat(local.strip()) - timedelta(seconds=seconds)).isoformat()
        except ValueError:
            return ""

    def _even_if_failed(self, name: str) -> str:
        """Some commands print all they know, and fail for the rest."""
        found = self.answers.get(name)
        return found.text if found else ""

    @cached_property
    def left_out(self) -> list[tuple[str, str]]:
        """What could not be asked, with the reason."""
        return [
            (_NAMES.get(name, name), because)
            for name, section in self.answers.items()
            if (because := _why_left_out(name, section))
        ]


_MAY_FAIL = {"accounting", "munge", "accounts", "check", "elastic", "ping", "credential", "names", "server"}
"""Questions whose failure is an answer."""

_FINDS_NOTHING = {"killed", "said", "controller_log"}
"""Searches, which fail without a word if there is nothing to find."""


def _why_left_out(name: str, section: Section) -> str:
    words = section.text.strip().splitlines()
    last = words[-1].strip() if words else ""
    if section.code == LEFT_OUT:
        return "slurmctld does not answer"
    if section.code is None:
        return "the connection ended"
    if section.code == _TIMED_OUT:
        return "no answer in time"
    if last.startswith("sudo: "):
        return f"the account may not use sudo ({last})"
    if section.code == 0 or name in _MAY_FAIL or (name in _FINDS_NOTHING and not last):
        return ""
    return last or f"exit code {section.code}"
