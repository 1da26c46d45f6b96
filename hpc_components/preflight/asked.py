from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpc_components.catalog._load import records
from hpc_components.preflight.account import Action
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.source import Document


@dataclass(frozen=True, kw_only=True)
class Made:
    """A resource that the plan creates."""

    type: str
    name: str
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the cloud is asked about: a described cluster, and what its plan needs."""

    cluster: ClusterSpec
    document: Document
    """The description, for the places of findings."""
    config: Mapping[str, object] = field(default_factory=dict)
    """The stack's configuration, in which the provider's own settings may choose an account."""
    quotas: Sequence[Mapping[str, Any]] = ()
    """`Plan.quota`."""
    made: Sequence[Made] = ()

    def types(self) -> Iterable[str]:
        """Return the types of the plan's resources, without duplicates."""
        return dict.fromkeys(each.type for each in self.made)

    def path_of(self, key: str) -> Path:
        """Return the path of a top-level key of the description, or that of the whole description if it lacks the
        key.
        """
        return (key,) if key and (key,) in self.document.keys else ()

    def place_of(self, what: str) -> Path:
        """Return the path of what needs most of a quota, given its displayed name in the plan."""
        words = what.split(":")[0]
        for index, queue in enumerate(self.cluster.queues):
            if words.endswith(f"queue {queue.name}"):
                return ("queues", index, "max")
        if words.endswith("head node"):
            return ("head_node", "machine")
        if words.endswith("login nodes"):
            return ("login_nodes", "max")
        names = (name for name in self.cluster.storage if words.endswith(f"-{name}"))
        return next((("storage", name) for name in names), ())


def actions_of(asked: Asked, file: str) -> Iterator[Action]:
    """Yield the actions that creating the plan's resources needs, by `data/actions.json` beside `file`."""
    by_type = {record["type"]: record for record in records("actions", file)}
    for type in asked.types():
        record = by_type.get(type, {"actions": (), "key": ""})
        for name in record["actions"]:
            yield Action(name=name, type=type, key=record["key"])


def sources_of(file: str) -> Mapping[str, str]:
    """Return the documentation of the calls that each read makes, by `data/calls.json` beside `file`."""
    found: dict[str, list[str]] = {}
    for record in records("calls", file):
        for read in record["reads"]:
            found.setdefault(read, []).append(record["source"])
    return {read: "; ".join(sources) for read, sources in found.items()}
