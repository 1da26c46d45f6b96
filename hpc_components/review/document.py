"""A review: everything that a report on a change says, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic_core import to_jsonable_python

from hpc_components.review.change_effects import Effect

VERSION = 1
"""Version of the document's shape, under the key `review`."""

ABSENT = "<absent>"
"""Mark in place of a missing value, beside the marks `<secret>` and `<unknown>` of a plan."""


class Operation(StrEnum):
    """What Pulumi does with a resource."""

    DELETE = "delete"
    REPLACE = "replace"
    """Delete it and make a new one, in either order."""
    FORGET = "forget"
    """Remove it from the stack and leave it in the cloud (`retain_on_delete`)."""
    UNPROTECT = "unprotect"
    """Leave it unchanged, but allow its deletion from then on: `protect` or `retain_on_delete` is removed."""
    UPDATE = "update"
    KEEP = "keep"
    """Do nothing: an input is removed, and the provider keeps its value."""
    CREATE = "create"


class Part(StrEnum):
    """The parts of a review besides the resources."""

    DESCRIPTION = "description"
    FILES = "files"
    FINDINGS = "findings"
    COST = "cost"
    QUOTAS = "quotas"
    POLICIES = "policies"


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A part that the review can't compare, because it is not known for both sides."""

    part: Part
    reason: str
    """The reason, and the remedy if there is one: half a sentence."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of the two sides of a review."""

    source: str
    """A git ref, a file, `working tree` or `deployed`, as a user would name it."""
    commit: str = ""
    """Full id, if the source is a git ref."""
    option: str = ""
    """The option of `hpc diff` that named the file, if any: `--pulumi`."""


@dataclass(frozen=True, kw_only=True)
class PropertyChange:
    """One input that differs."""

    path: str
    """Path in the provider's names: `networkInterfaces[0].subnetId`."""
    before: Any
    """Plain JSON, `<secret>`, `<unknown>` or `<absent>`."""
    after: Any
    replaces: bool = False
    """Whether it is a reason for the replacement."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What happens to one resource, and what that means."""

    operation: Operation
    urn: str
    type: str
    name: str
    parent: str | None
    """URN of the component that it belongs to."""
    effect: Effect
    words: str
    """One sentence: what happens, and whom it affects. Empty if the effect's own words suffice."""
    remedy: str = ""
    """What to do beforehand, if data or jobs are at stake."""
    source: str = ""
    """The source of what is known about the effect."""
    protected: bool = False
    """Whether Pulumi refuses to delete or replace it until it is unprotected."""
    properties: tuple[PropertyChange, ...] = ()
    is_file: bool = False
    """Whether it is a configuration file, which some providers replace where others update it."""
    because: str = ""
    """URN of the resource whose replacement or deletion causes this change, unless its own inputs do."""
    grants: bool = False
    """Whether it allows something that was not allowed before, other than to a new part of the cluster."""
    mount: str = ""
    """Mount point on nodes, of a file system that the description names: `/home`."""
    remains: bool = False
    """Whether the old resource stays in the cloud, outside the stack."""


@dataclass(frozen=True, kw_only=True)
class DescriptionChange:
    """A line of the cluster's description that differs, as the user wrote it."""

    path: str
    """Path below `hpc:cluster`: `queues[1].max`."""
    before: Any
    after: Any
    line: int | None = None
    """Line (from 1) in the file of the side that has it, the newer one if both do."""
    caution: str = ""
    """What to know beforehand, if the change affects jobs more than its resources show."""
    effect: Effect | None = None
    """The resulting effect, if no resource shows it: another `mount` leaves all files behind."""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """TCP ports that an address range outside the cluster's network can reach."""

    source: str
    """Address range: `203.0.113.0/24`."""
    low: int
    high: int
    """The last port; equal to `low` for a single port."""
    before: tuple[str, ...] = ()
    """Ranges that could reach one of these ports on the other side."""


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """A generated text file that differs; "" on a side without it."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class ChangedFinding:
    """A finding on both sides, with another value or other places: a larger total, one more queue."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    added: tuple[str, ...] = ()
    """Places that it now concerns too, with the names of queues: `queues.gpu.machine`."""
    removed: tuple[str, ...] = ()
    """Places that it no longer concerns."""


@dataclass(frozen=True, kw_only=True)
class FindingChanges:
    """Findings by how they changed, as `Finding.to_dict` returns them."""

    new: tuple[Mapping[str, Any], ...] = ()
    changed: tuple[ChangedFinding, ...] = ()
    silenced: tuple[Mapping[str, Any], ...] = ()
    """Findings that the change silences, including those that it causes; `silenced` is the reason."""
    fixed: tuple[Mapping[str, Any], ...] = ()
    still: tuple[Mapping[str, Any], ...] = ()
    now: tuple[Mapping[str, Any], ...] = ()
    """Findings of the newer side, if those of the older side are not known."""


@dataclass(frozen=True, kw_only=True)
class QueueCost:
    """A queue's prices in USD on both sides; None on a side without the queue or the price."""

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
    """Cost in USD by list prices; totals as in `cost_of` (`hour`, `month`, `at_least`), None on a missing side.

    The totals after the change include `remains`, the cost of what leaves the stack and stays in the cloud.
    """

    idle_before: Mapping[str, Any] | None
    idle_after: Mapping[str, Any] | None
    full_before: Mapping[str, Any] | None
    full_after: Mapping[str, Any] | None
    queues: tuple[QueueCost, ...] = ()
    """The queues that differ."""
    as_of: str = ""
    """Date of the oldest price in the newer plan."""
    remains: Mapping[str, float] | None = None
    """`hour` and `month` of what stays in the cloud outside the stack; None if nothing with a price does."""
    remaining: tuple[str, ...] = ()
    """Names of the resources in `remains`."""


@dataclass(frozen=True, kw_only=True)
class QuotaChange:
    """A quota whose need changes, if all queues are full."""

    code: str
    name: str
    unit: str
    before: float
    after: float
    default: float | None
    """The quota of a new account; None if unknown."""
    ask: bool
    """Whether the new need exceeds the default."""
    region: str = ""
    """Empty if the quota covers the whole account, or the plans do not name the region."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """The effects of a change on one stack.

    A new stack has only creations; a removed one only deletions, and resources that stay in the cloud.
    """

    stack: str
    project: str
    cloud: str
    cluster: str
    region: str
    before: Side
    after: Side
    failure: str = ""
    """Why there is no comparison: the error of the program or the description. All other parts are empty then."""
    changes: tuple[Change, ...] = ()
    """The changes, worst first, then by URN. Unchanged resources are left out."""
    opened: tuple[Opening, ...] = ()
    """Access from outside that did not exist before."""
    closed: tuple[Opening, ...] = ()
    description: tuple[DescriptionChange, ...] = ()
    """In the order of the description."""
    files: tuple[FileChange, ...] = ()
    findings: FindingChanges = FindingChanges()
    cost: CostChange | None = None
    quotas: tuple[QuotaChange, ...] = ()
    gaps: tuple[Gap, ...] = ()
    """The parts that could not be compared. If one of them is empty, that does not mean that nothing changes."""
    notes: tuple[str, ...] = ()
    """Further sentences that a reader must know."""

    @property
    def worst(self) -> Effect | None:
        """The worst effect; None if nothing changes."""
        return min((change.effect for change in self.changes), key=lambda effect: effect.rank, default=None)

    def count(self, operation: Operation) -> int:
        """Return the number of resources with this operation."""
        return sum(change.operation is operation for change in self.changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the review as plain JSON, for `--format json`, with `worst` and `counts` added."""
        counts = {str(operation): self.count(operation) for operation in Operation}
        return {
            "review": VERSION,
            **to_jsonable_python(self),
            "worst": self.worst and str(self.worst),
            "counts": counts,
        }
