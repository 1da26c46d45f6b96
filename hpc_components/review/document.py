"""Defines the review document: the content of a report on a change, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic_core import to_jsonable_python

from hpc_components.review.change_effects import Effect

VERSION = 1
"""Version of the document's schema, stored under the key `review`."""

ABSENT = "<absent>"
"""Placeholder for a missing value. Plans have two more placeholders, `<secret>` and `<unknown>`."""


class Operation(StrEnum):
    DELETE = "delete"
    REPLACE = "replace"
    """Delete the resource and create a new one, in either order."""
    FORGET = "forget"
    """Remove the resource from the stack, but leave it in the cloud (`retain_on_delete`)."""
    UNPROTECT = "unprotect"
    """Leave the resource unchanged, but allow its deletion, because `protect` or `retain_on_delete` is removed."""
    UPDATE = "update"
    KEEP = "keep"
    """Do nothing, because an input is removed but the provider keeps its value."""
    CREATE = "create"


class Part(StrEnum):
    """The parts of a review other than the resources."""

    DESCRIPTION = "description"
    FILES = "files"
    FINDINGS = "findings"
    PEOPLE = "people"
    COST = "cost"
    QUOTAS = "quotas"
    POLICIES = "policies"


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A part that the review can't compare because it is unknown on at least one side."""

    part: Part
    reason: str
    """The reason and any remedy, worded as a clause without a full stop."""


@dataclass(frozen=True, kw_only=True)
class Side:
    source: str
    """What the side was read from: a git ref, a file, `working tree` or `deployed`."""
    commit: str = ""
    """Full commit id if the source is a git ref."""
    option: str = ""
    """The `hpc diff` option that specified the file, if any, e.g. `--pulumi`."""


@dataclass(frozen=True, kw_only=True)
class PropertyChange:
    path: str
    """Path in the provider's notation, e.g. `networkInterfaces[0].subnetId`."""
    before: Any
    """A plain JSON value, or one of the placeholders `<secret>`, `<unknown>` and `<absent>`."""
    after: Any
    replaces: bool = False
    """Whether changing this input requires replacing the resource."""


@dataclass(frozen=True, kw_only=True)
class Change:
    operation: Operation
    urn: str
    type: str
    name: str
    parent: str | None
    """URN of the component that the resource belongs to."""
    effect: Effect
    words: str
    """A sentence on what happens and who is affected; empty if the standard sentence for the effect is sufficient."""
    remedy: str = ""
    """What to do before the change, if data or jobs are at stake."""
    source: str = ""
    protected: bool = False
    """Whether Pulumi refuses to delete or replace the resource until it is unprotected."""
    properties: tuple[PropertyChange, ...] = ()
    is_file: bool = False
    """Whether the resource is a configuration file. Some providers replace such a file instead of updating it, so the
    replacement is reported as an update."""
    because: str = ""
    """URN of another resource whose replacement or deletion causes this change. Empty if the resource's own inputs
    cause it."""
    grants: bool = False
    """Whether the change grants new access. Access granted to new parts of the cluster doesn't count."""
    mount: str = ""
    """Mount point on nodes, e.g. `/home`, if the resource is a file system in the description."""
    remains: bool = False
    """Whether the old resource stays in the cloud, outside the stack."""


@dataclass(frozen=True, kw_only=True)
class DescriptionChange:
    path: str
    """Path under `hpc:cluster`, e.g. `queues[1].max`."""
    before: Any
    after: Any
    line: int | None = None
    """Line number (from 1) in the newer file, or in the older file if the key is removed."""
    caution: str = ""
    """A warning if the change affects jobs more than the changed resources suggest."""
    effect: Effect | None = None
    """Effect of the change, if the changed resources don't show it. For example, changing `mount` leaves all files
    behind."""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """A range of TCP ports that an address range outside the cluster's network can reach."""

    source: str
    """Address range, e.g. `203.0.113.0/24`."""
    low: int
    high: int
    """Last port of the range; equal to `low` for a single port."""
    before: tuple[str, ...] = ()
    """Address ranges that can reach any of these ports on the other side, i.e. before the ports are opened or after
    they are closed."""


class RightKind(StrEnum):
    """Kinds of rights that a person has on a cluster."""

    ACCESS = "access"
    """To log in and to submit jobs."""
    ADMIN = "admin"
    """To use `sudo`, and to control the jobs of others."""
    GROUP = "group"
    KEY = "key"
    UNTIL = "until"
    """To use the cluster until a day later than before, or until removed."""
    AFTER = "after"
    """To use the cluster after a day."""
    FILES = "files"
    """To use the files that belong to an id."""


@dataclass(frozen=True, kw_only=True)
class Right:
    kind: RightKind
    value: str = ""
    """Name of the group, fingerprint of the key, last day (YYYY-MM-DD), or id of the user."""


@dataclass(frozen=True, kw_only=True)
class PersonChange:
    """The rights that a person gains and loses. Someone who leaves loses access, and no other right is listed."""

    name: str
    """Login name."""
    gains: tuple[Right, ...]
    losses: tuple[Right, ...]


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """A generated text file that differs. The text is "" on a side where the file does not exist."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class ChangedFinding:
    """A finding that exists on both sides but differs in its value or places, e.g. a larger total or one more
    queue.
    """

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    added: tuple[str, ...] = ()
    """Places added to the finding, with queue names instead of indices, e.g. `queues.gpu.machine`."""
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FindingChanges:
    """Findings grouped by how they changed, in the form that `Finding.to_dict` returns."""

    new: tuple[Mapping[str, Any], ...] = ()
    changed: tuple[ChangedFinding, ...] = ()
    silenced: tuple[Mapping[str, Any], ...] = ()
    """Findings that the change silences, including findings that it also introduces. The reason is stored under the
    key `silenced`."""
    fixed: tuple[Mapping[str, Any], ...] = ()
    still: tuple[Mapping[str, Any], ...] = ()
    now: tuple[Mapping[str, Any], ...] = ()
    """Findings on the newer side, if those on the older side are unknown."""


@dataclass(frozen=True, kw_only=True)
class QueueCost:
    """A queue's machine, size and prices in USD on both sides. A price is None if it is unknown or the queue does not
    exist on that side.
    """

    queue: str
    machine_before: str | None
    machine_after: str | None
    nodes_before: int | None
    """Maximum number of nodes."""
    nodes_after: int | None
    node_hour_before: float | None
    node_hour_after: float | None
    core_hour_before: float | None
    core_hour_after: float | None


@dataclass(frozen=True, kw_only=True)
class CostChange:
    """Cost in USD. Totals have the same keys as in `cost_of` (`hour`, `month`, `at_least`).

    A total is None if the stack does not exist on that side. The totals after the change include `remains`, the cost
    of resources that leave the stack but stay in the cloud.
    """

    idle_before: Mapping[str, Any] | None
    idle_after: Mapping[str, Any] | None
    full_before: Mapping[str, Any] | None
    full_after: Mapping[str, Any] | None
    queues: tuple[QueueCost, ...] = ()
    """The queues whose cost differs."""
    as_of: str = ""
    """Date of the oldest price in the newer plan."""
    prices: str = "list prices"
    """What the prices in the newer plan are, in words."""
    remains: Mapping[str, float] | None = None
    """Cost per `hour` and `month` of resources that leave the stack but stay in the cloud, or None if no priced
    resource stays behind."""
    remaining: tuple[str, ...] = ()
    """Names of the resources in `remains`."""
    forecast_before: Mapping[str, Any] | None = None
    """Result of `forecast_of_project`, or `problem`; None if the stack names no file of jobs on that side."""
    forecast_after: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class QuotaChange:
    """A change in how much of a quota the cluster needs with all queues full."""

    code: str
    name: str
    unit: str
    before: float
    after: float
    default: float | None
    """Default quota of a new account, or None if it is unknown."""
    ask: bool
    """Whether the cluster needs more than the default quota after the change."""
    region: str = ""
    """Empty if the quota covers the whole account or the plans don't specify the region."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """The effects of a change on one stack.

    If the stack is new, all changes are creations. If it is removed, resources are deleted or stay in the cloud.
    """

    stack: str
    project: str
    cloud: str
    cluster: str
    region: str
    before: Side
    after: Side
    failure: str = ""
    """Error in the program or the description that prevented the comparison. If set, all other parts are empty."""
    changes: tuple[Change, ...] = ()
    """The changed resources, worst effect first, then in URN order."""
    opened: tuple[Opening, ...] = ()
    closed: tuple[Opening, ...] = ()
    people: tuple[PersonChange, ...] = ()
    """The people whose rights change, sorted by name. Empty if the stack is new or removed."""
    description: tuple[DescriptionChange, ...] = ()
    """Changes in the description, in line order."""
    files: tuple[FileChange, ...] = ()
    findings: FindingChanges = FindingChanges()
    cost: CostChange | None = None
    quotas: tuple[QuotaChange, ...] = ()
    gaps: tuple[Gap, ...] = ()
    """Parts that could not be compared. Even if such a part is empty, it may have changed."""
    notes: tuple[str, ...] = ()

    @property
    def worst(self) -> Effect | None:
        return min((change.effect for change in self.changes), key=lambda effect: effect.rank, default=None)

    def count(self, operation: Operation) -> int:
        return sum(change.operation is operation for change in self.changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the review as plain JSON values for `--format json`, with `worst` and `counts` added."""
        counts = {str(operation): self.count(operation) for operation in Operation}
        return {
            "review": VERSION,
            **to_jsonable_python(self),
            "worst": self.worst and str(self.worst),
            "counts": counts,
        }
