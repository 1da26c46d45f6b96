"""Conducts the `hpc init` interview. Each answer is validated, along with all earlier ones, against the rules for
descriptions.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any

from hpc_components.catalog import regions
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.first_cluster import WORKLOADS
from hpc_components.first_cluster.answers import FURTHER_QUESTIONS, Answers, FirstCluster, Zone
from hpc_components.first_cluster.proposals import has_login_nodes, machine_words
from hpc_components.first_cluster.questions import OF_BUDGET, PATHS, PROPOSED, QUESTIONS, Question
from hpc_components.first_cluster.reading import (
    NOTHING,
    AnswerError,
    addresses,
    count,
    money,
    one_of,
    own_key_file,
    public_key,
    ranges,
    users,
    yes_or_no,
)
from hpc_components.spec.address_ranges import free_range
from hpc_components.spec.findings import Finding
from hpc_components.spec.project import CLUSTER_KEY, Project
from hpc_components.spec.source import UnreadableError, read_yaml
from hpc_components.spec.validate import Judgement, judge


class Interview:
    def __init__(self, project: Project | None) -> None:
        described = list(_described(project)) if project else []
        self._names = {str(one.get("name")) for one in described} | set(project.stacks if project else ())
        self._ranges = [found for one in described if (found := _range_of(one))]
        self._known: dict[str, Any] = {}

    def take(self, field: str, answer: str) -> None:
        """Parse and store an answer as typed by the user. If the answer is invalid, discard it and raise
        AnswerError.
        """
        before = dict(self._known)
        try:
            self._read(field, answer)
            self._check(field)
        except AnswerError:
            self._known = before
            raise

    def take_all(self, answers: Mapping[str, str]) -> None:
        """Parse several answers, then validate each. If an answer is invalid, raise AnswerError with the name of its
        flag.

        The answers that every description needs are validated first, so that an error in one of them is not reported
        for another flag.
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
        """Yield the questions that are still open.

        Each question is chosen only after the previous answer, because an answer may settle other questions.
        """
        for question in QUESTIONS:
            if question.field not in self._known and not self._is_settled(question.field):
                yield question

    def is_needed(self, field: str) -> bool:
        """Return whether the question has no proposed answer, so that the user must answer it."""
        if field == "ssh_key":
            return own_key_file() is None
        return field not in PROPOSED and (field not in OF_BUDGET or "budget" in self._known)

    def choices(self, field: str) -> list[tuple[str, str]]:
        """Return the possible answers with their descriptions, or an empty list if any text is allowed."""
        match field:
            case "cloud":
                return [(name, cloud_named(name).title) for name in CLOUDS]
            case "region":
                return [(name, "") for name in regions(self._known["cloud"])]
            case "workload":
                return list(WORKLOADS.items())
            case "machine":
                names = self._cloud.machines_for(self._workload, self._known["region"])
                return [(name, machine_words(self.cloud, name, self._known["region"])) for name in names]
        return []

    def default(self, field: str) -> str | None:
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
            case "max_nodes":
                return str(self._cloud.max_nodes_for(self._workload))
            case "scratch":
                return self._cloud.scratch_for(self._workload) or NOTHING
            case "bucket":
                return "no"
            case "login_nodes":
                return "yes" if has_login_nodes(self.answers) else "no"
            case "ssh_from" | "budget" | "key_pair" | "users":
                return NOTHING
        return None

    @property
    def answers(self) -> Answers:
        """All answers. Missing ones are filled in with proposals."""
        known = {key: value for key, value in self._known.items() if key != "cloud"}
        known.setdefault("workload", self._workload)
        known.setdefault("machine", self._machine)
        known.setdefault("max_nodes", self._cloud.max_nodes_for(known["workload"]))
        known.setdefault("scratch", self._cloud.scratch_for(known["workload"]))
        known.setdefault("zone", self.zone.id)
        known.setdefault("name", "cluster")
        near = [*self._ranges, *map(IPv4Network, known.get("ssh_from", ()))]
        return Answers(**known, cidr=free_range(known["name"], near))

    @property
    def zone(self) -> Zone:
        if "zone" in self._known:
            return Zone(self._known["zone"])
        return self._cloud.zone_for(self._machine, self._known["region"])

    @property
    def cloud(self) -> str:
        return self._known["cloud"]

    def description(self) -> str:
        return self._cloud.describe(self.answers)

    def judgement(self, file: str) -> Judgement:
        """Check the description and return the verdict. `file` is the file name to show in findings."""
        return judge(read_yaml(self.description(), file).below("config", CLUSTER_KEY))

    @property
    def _cloud(self) -> FirstCluster:
        return cloud_named(self._known.get("cloud") or next(iter(CLOUDS))).parts.first_cluster

    @property
    def _workload(self) -> str:
        return self._known.get("workload") or self.default("workload") or ""

    @property
    def _machine(self) -> str:
        return self._known.get("machine") or self._cloud.machine_for(self._workload, self._known["region"])

    def _is_settled(self, field: str) -> bool:
        return (
            (field in OF_BUDGET and self._known.get("budget", 0) is None)
            or (field == "workload" and "machine" in self._known)
            or (field in FURTHER_QUESTIONS and field not in self._cloud.asks)
        )

    def _read(self, field: str, answer: str) -> None:
        readers: dict[str, Callable[[str], Any]] = {
            "cloud": lambda text: one_of(text, CLOUDS),
            "workload": lambda text: one_of(text, WORKLOADS),
            "max_nodes": count,
            "scratch": lambda text: "" if text.strip().lower() == NOTHING else text.strip(),
            "bucket": yes_or_no,
            "login_nodes": yes_or_no,
            "key_pair": lambda text: "" if text.strip().lower() == NOTHING else text.strip(),
            "ssh_from": ranges,
            "ssh_key": public_key,
            "users": users,
            "budget": money,
            "notify": addresses,
            "name": self._free_name,
        }
        self._known[field] = readers.get(field, str.strip)(answer)

    def _check(self, field: str) -> None:
        """Raise AnswerError if the answer is not possible on this cloud or breaks a rule."""
        if field in FURTHER_QUESTIONS and field not in self._cloud.asks:
            way = self._cloud.instead.get(field, "leave it out")
            raise AnswerError(f"`hpc init` does not use this option on {cloud_named(self.cloud).title}; {way}")
        if field in OF_BUDGET and self._known.get("budget", 0) is None:
            raise AnswerError(
                "this option applies only if there is a budget; set a monthly amount with --budget, or leave "
                "this option out"
            )
        if "region" not in self._known:
            return
        try:
            if field == "region":
                self._cloud.check_region(self._known["region"])
            if field == "machine" or (field == "workload" and "machine" not in self._known):
                self._cloud.zone_for(self._machine, self._known["region"])
            judged = self.judgement("").errors if field in PATHS else ()
        except ValueError as error:
            raise AnswerError(str(error)) from None
        against = [error for error in judged if _is_about(error, field)]
        if against:
            raise AnswerError("; ".join(f"{error.reason}; {error.remedy}" for error in against))

    def _free_name(self, text: str) -> str:
        name = text.strip()
        if name in self._names:
            raise AnswerError(
                f"the project already has a cluster named {name}, but cluster names must be unique because "
                "nodes are looked up by name; choose another name"
            )
        return name

    def _new_name(self) -> str:
        """Return a random name that is unique in this project, and probably in the account."""
        while True:
            end = "".join(random.choices("bcdfghjkmnpqrstvwxz23456789", k=4))
            name = f"{self._workload}-{end}"
            if name not in self._names:
                return name


def _described(project: Project) -> Iterator[dict[str, Any]]:
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
        finding.path == path or finding.path.startswith((f"{path}[", f"{path}.")) for path in PATHS.get(field, ())
    )
