"""Takes the answers one by one. Each is judged, together with the earlier ones, by the rules for stack files."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.init import WORKLOADS
from hpc_components.init.answers import FURTHER_QUESTIONS, Answers, Beginning, Zone, beginning
from hpc_components.init.reading import (
    NOTHING,
    AnswerError,
    addresses,
    money,
    one_of,
    own_key_file,
    public_key,
    ranges,
)
from hpc_components.spec.address_ranges import free_range
from hpc_components.spec.findings import Finding
from hpc_components.spec.judge import Judgement, judge
from hpc_components.spec.project import CLUSTER_KEY, Project
from hpc_components.spec.source import UnreadableError, read_yaml

__all__ = ["QUESTIONS", "Interview", "Question"]


@dataclass(frozen=True)
class Question:
    """One question."""

    field: str
    text: str

    @property
    def flag(self) -> str:
        """The option that answers it."""
        return "--" + self.field.replace("_", "-")


QUESTIONS = (
    Question("cloud", "Cloud"),
    Question("region", "Region"),
    Question("project", "Id of the project that it is made in"),
    Question("workload", "What it is for"),
    Question("machine", "Machine type of the compute nodes"),
    Question("ssh_from", f"Address ranges that people log in from by SSH, or {NOTHING}"),
    Question("ssh_key", f"Your public SSH key, or the file that it is in, or {NOTHING}"),
    Question("budget", f"Budget in USD a month, or {NOTHING}"),
    Question("billing_account", "Id of the billing account that the budget is of"),
    Question("notify", "Mail addresses that hear when it is nearly spent"),
    Question("name", "Name of the cluster"),
)

_PATHS = {
    "project": ("project",),
    "billing_account": ("billing_account",),
    "zone": ("zone", "queues[0].zones"),
    "machine": ("queues[0].machine",),
    "ssh_from": ("network.ssh_from",),
    "ssh_key": ("head_node.ssh_key", "login_nodes.ssh_key"),
    "budget": ("budget.monthly",),
    "notify": ("budget.notify",),
    "name": ("name",),
}
"""The keys of the description that an answer decides."""

_OF_BUDGET = ("billing_account", "notify")
"""Questions that only a budget raises."""


class Interview:
    """The answers so far, and what follows from them."""

    def __init__(self, project: Project | None) -> None:
        described = list(_described(project)) if project else []
        self._names = {str(one.get("name")) for one in described} | set(project.stacks if project else ())
        self._ranges = [found for one in described if (found := _range_of(one))]
        self._known: dict[str, Any] = {}

    def take(self, field: str, answer: str) -> None:
        """Take an answer as it was typed. If it can't be taken, forget it and raise AnswerError."""
        before = dict(self._known)
        try:
            self._read(field, answer)
            self._check(field)
        except AnswerError:
            self._known = before
            raise

    def take_all(self, answers: Mapping[str, str]) -> None:
        """Take several answers at once: read all, then judge each. AnswerError names the flag.

        What must be right before anything can be described is judged first, else another flag would be blamed for it.
        """
        fields = dict.fromkeys(
            ("cloud", "region", "workload", "machine", *(question.field for question in QUESTIONS), "zone")
        )
        given = [field for field in fields if field in answers]
        for check in (lambda field: self._read(field, answers[field]), self._check):
            for field in given:
                try:
                    check(field)
                except AnswerError as error:
                    raise AnswerError(f"--{field.replace('_', '-')} {answers[field]}: {error}") from None

    def open(self) -> Iterator[Question]:
        """The questions still open; evaluated again after each answer, because one may settle others."""
        for question in QUESTIONS:
            if question.field not in self._known and not self._is_settled(question.field):
                yield question

    def is_needed(self, field: str) -> bool:
        """Whether there is no proposal for it, so that the user must answer."""
        return field not in ("machine", "name") and (field not in _OF_BUDGET or "budget" in self._known)

    def default(self, field: str) -> str | None:
        """The proposed answer."""
        match field:
            case "cloud":
                return next(iter(CLOUDS))
            case "workload":
                machine = self._known.get("machine")
                return self._cloud.workload_of(machine) if machine else next(iter(WORKLOADS))
            case "region":
                return self._cloud.default_region()
            case "machine":
                return self._cloud.machine_for(self._workload, self._known["region"])
            case "name":
                return self._new_name()
            case "ssh_key":
                return own_key_file() or NOTHING
            case "ssh_from" | "budget":
                return NOTHING
        return None

    @property
    def answers(self) -> Answers:
        """All answers, with proposals for those not given."""
        known = {key: value for key, value in self._known.items() if key != "cloud"}
        known.setdefault("workload", self._workload)
        known.setdefault("machine", self._machine)
        known.setdefault("zone", self.zone.id)
        known.setdefault("name", "cluster")
        near = [*self._ranges, *map(IPv4Network, known.get("ssh_from", ()))]
        return Answers(**known, cidr=free_range(known["name"], near))

    @property
    def zone(self) -> Zone:
        """The zone of the cluster."""
        if "zone" in self._known:
            return Zone(self._known["zone"])
        return self._cloud.zone_for(self._machine, self._known["region"])

    @property
    def cloud(self) -> str:
        """The cloud's name."""
        return self._known["cloud"]

    def description(self) -> str:
        """The text of the stack file."""
        return self._cloud.describe(self.answers)

    def judgement(self, file: str) -> Judgement:
        """The judgement of the description, as if it were in `file`."""
        return judge(read_yaml(self.description(), file).below("config", CLUSTER_KEY))

    @property
    def _cloud(self) -> Beginning:
        return beginning(self._known.get("cloud") or next(iter(CLOUDS)))

    @property
    def _workload(self) -> str:
        return self._known.get("workload") or self.default("workload") or ""

    @property
    def _machine(self) -> str:
        return self._known.get("machine") or self._cloud.machine_for(self._workload, self._known["region"])

    def _is_settled(self, field: str) -> bool:
        return (
            (field in _OF_BUDGET and self._known.get("budget", 0) is None)
            or (field == "workload" and "machine" in self._known)
            or (field in FURTHER_QUESTIONS and field not in self._cloud.asks)
        )

    def _read(self, field: str, answer: str) -> None:
        readers: dict[str, Callable[[str], Any]] = {
            "cloud": lambda text: one_of(text, CLOUDS),
            "workload": lambda text: one_of(text, WORKLOADS),
            "ssh_from": ranges,
            "ssh_key": public_key,
            "budget": money,
            "notify": addresses,
            "name": self._free_name,
        }
        self._known[field] = readers.get(field, str.strip)(answer)

    def _check(self, field: str) -> None:
        """AnswerError if the cloud's facts or the rules reject the answer."""
        if field in FURTHER_QUESTIONS and field not in self._cloud.asks:
            raise AnswerError(f"a first cluster on {cloud_named(self.cloud).title} is not given one; leave it out")
        if field in _OF_BUDGET and self._known.get("budget", 0) is None:
            raise AnswerError("there is no budget that it would be of; name an amount as budget, or leave it out")
        if "region" not in self._known:
            return
        try:
            if field == "region":
                self._cloud.check_region(self._known["region"])
            if field == "machine" or (field == "workload" and "machine" not in self._known):
                self._cloud.zone_for(self._machine, self._known["region"])
            judged = self.judgement("").errors if field in _PATHS else ()
        except ValueError as error:
            raise AnswerError(str(error)) from None
        against = [error for error in judged if _is_about(error, field)]
        if against:
            raise AnswerError("; ".join(f"{error.reason}; {error.remedy}" for error in against))

    def _free_name(self, text: str) -> str:
        name = text.strip()
        if name in self._names:
            raise AnswerError(
                f"{name} is another cluster of this project, and its nodes are found by that name; choose another"
            )
        return name

    def _new_name(self) -> str:
        """A name that no other cluster of this project or account has."""
        while True:
            end = "".join(random.choices("bcdfghjkmnpqrstvwxz23456789", k=4))
            name = f"{self._workload}-{end}"
            if name not in self._names:
                return name


def _described(project: Project) -> Iterator[dict[str, Any]]:
    """The clusters of a project's stacks, as far as they can be read."""
    for stack in project.stacks:
        try:
            cluster = project.open(stack).config.get(CLUSTER_KEY)
        except UnreadableError:
            continue
        if isinstance(cluster, dict):
            yield cluster


def _range_of(cluster: dict[str, Any]) -> IPv4Network | None:
    network = cluster.get("network")
    try:
        return IPv4Network(network["cidr"]) if isinstance(network, dict) else None
    except (KeyError, ValueError):
        return None


def _is_about(finding: Finding, field: str) -> bool:
    return any(
        finding.path == path or finding.path.startswith((f"{path}[", f"{path}.")) for path in _PATHS.get(field, ())
    )
