"""A review: everything that a report of a change says, as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from hpc_components.review.change_effects import Effect

__all__ = [
    "ABSENT",
    "VERSION",
    "Change",
    "ChangedFinding",
    "CostChange",
    "DescriptionChange",
    "FileChange",
    "FindingChanges",
    "Gap",
    "Opening",
    "Operation",
    "Part",
    "PropertyChange",
    "QueueCost",
    "QuotaChange",
    "Review",
    "Side",
]  # fmt: skip

VERSION = 1
"""Version of the document's shape, under the key `review`."""

ABSENT = "<absent>"
"""Stands for a value that is not there at all, beside the marks `<secret>` and `<unknown>` of a plan."""


class Operation(StrEnum):
    """What Pulumi does with a resource."""

    DELETE = "delete"
    REPLACE = "replace"
    """Deletes it and makes it anew, in either order."""
    FORGET = "forget"
    """Takes it out of the stack and leaves it in the cloud (`retain_on_delete`)."""
    UNPROTECT = "unprotect"
    """Leaves it as it is, but from then on may delete it: `protect` or `retain_on_delete` is taken off."""
    UPDATE = "update"
    KEEP = "keep"
    """Does nothing: an input is removed, and the provider keeps its value."""
    CREATE = "create"


class Part(StrEnum):
    """What a review tells of beside the resources."""

    DESCRIPTION = "description"
    FILES = "files"
    FINDINGS = "findings"
    COST = "cost"
    QUOTAS = "quotas"
    POLICIES = "policies"


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A part of which the review can't say whether it changes: it is not known for both sides."""

    part: Part
    reason: str
    """Why, and the way out where there is one: half a sentence."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of the two plans."""

    source: str
    """A git ref, a file, `working tree` or `deployed`, as a user would name it."""
    commit: str = ""
    """Full id, where the source is a git ref."""
    option: str = ""
    """The option of `hpc diff` that named the file, if one did: `--pulumi`."""


@dataclass(frozen=True, kw_only=True)
class PropertyChange:
    """One input that differs."""

    path: str
    """In the provider's names: `networkInterfaces[0].subnetId`."""
    before: Any
    """Plain JSON, `<secret>`, `<unknown>` or `<absent>`."""
    after: Any
    replaces: bool = False
    """Whether it is a reason for the replacement."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What becomes of one resource, and what that means."""

    operation: Operation
    urn: str
    type: str
    name: str
    parent: str | None
    """URN of the component it belongs to."""
    effect: Effect
    words: str
    """One sentence: what happens to whom. Empty where the effect's own words say enough."""
    remedy: str = ""
    """What to do before, where data or jobs are at stake."""
    source: str = ""
    """Where the effect is known from."""
    protected: bool = False
    """Pulumi refuses to delete or replace it until the protection is off."""
    properties: tuple[PropertyChange, ...] = ()
    is_file: bool = False
    """Whether it is a file of the configuration, which a provider may replace where others change it."""
    because: str = ""
    """URN of the resource whose replacement or deletion entails this change, if no input of its own does."""
    grants: bool = False
    """Whether it allows something that was not allowed before, other than to a part of the cluster that is new."""
    mount: str = ""
    """Directory at which nodes mount it, of a file system that the description names: `/home`."""
    remains: bool = False
    """Whether what was there before stays in the cloud, outside of the stack."""


@dataclass(frozen=True, kw_only=True)
class DescriptionChange:
    """A line of the cluster's description that differs, as the user wrote it."""

    path: str
    """Below `hpc:cluster`: `queues[1].max`."""
    before: Any
    after: Any
    line: int | None = None
    """From 1, in the file of the side that has it (the new one if both do)."""
    caution: str = ""
    """What to know before, where the change means more for jobs than its resources show."""
    effect: Effect | None = None
    """What that amounts to, where no resource shows it: another `mount` leaves all files behind."""


@dataclass(frozen=True, kw_only=True)
class Opening:
    """TCP ports that a range of addresses outside of the cluster's network reaches."""

    source: str
    """Address range: `203.0.113.0/24`."""
    low: int
    high: int
    """The last port, `low` if there is one only."""
    before: tuple[str, ...] = ()
    """Ranges that reached one of these ports on the other side."""


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """A generated text file that differs; "" on a side that does not have it."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class ChangedFinding:
    """A finding on both sides, with another value or of other places: a larger sum, a queue more."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    added: tuple[str, ...] = ()
    """Places that it concerns besides, with the names of queues: `queues.gpu.machine`."""
    removed: tuple[str, ...] = ()
    """Those that it no longer concerns."""


@dataclass(frozen=True, kw_only=True)
class FindingChanges:
    """Findings by what became of them, as `Finding.to_dict` has them."""

    new: tuple[Mapping[str, Any], ...] = ()
    changed: tuple[ChangedFinding, ...] = ()
    silenced: tuple[Mapping[str, Any], ...] = ()
    """Not reported, since the change silences them, those that it brings among them; `silenced` is the reason."""
    fixed: tuple[Mapping[str, Any], ...] = ()
    still: tuple[Mapping[str, Any], ...] = ()
    now: tuple[Mapping[str, Any], ...] = ()
    """Of the newer side, where nobody knows whether the older one had them."""


@dataclass(frozen=True, kw_only=True)
class QueueCost:
    """A queue's prices in USD on both sides; None on a side without the queue or without a price."""

    queue: str
    machine_before: str | None
    machine_after: str | None
    nodes_before: int | None
    """At most."""
    nodes_after: int | None
    node_hour_before: float | None
    node_hour_after: float | None
    core_hour_before: float | None
    core_hour_after: float | None


@dataclass(frozen=True, kw_only=True)
class CostChange:
    """USD by list prices; totals as `cost_of` has them (`hour`, `month`, `at_least`), None on a side not there.

    Those after the change have what leaves the stack and stays in the cloud, `remains`, in them.
    """

    idle_before: Mapping[str, Any] | None
    idle_after: Mapping[str, Any] | None
    full_before: Mapping[str, Any] | None
    full_after: Mapping[str, Any] | None
    queues: tuple[QueueCost, ...] = ()
    """Those that differ."""
    as_of: str = ""
    """Date of the oldest price in the newer plan."""
    remains: Mapping[str, float] | None = None
    """`hour` and `month` of what stays in the cloud outside of the stack; None if nothing does that has a price."""
    remaining: tuple[str, ...] = ()
    """Names of the resources that `remains` is the price of."""


@dataclass(frozen=True, kw_only=True)
class QuotaChange:
    """A quota of which more or less is needed when all queues are full."""

    code: str
    name: str
    unit: str
    before: float
    after: float
    default: float | None
    """What a new account has; None if not known."""
    ask: bool
    """Whether the new need is above that."""
    region: str = ""
    """Empty where one quota holds for the whole account, or the plans do not say it."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """What becomes of one stack. A stack that is new, or gone, has only creations, or none but those that end."""

    stack: str
    project: str
    cloud: str
    cluster: str
    region: str
    before: Side
    after: Side
    failure: str = ""
    """Why there is no comparison: the error of the program or the description. All else is empty then."""
    changes: tuple[Change, ...] = ()
    """The worst first, then by URN. Resources that stay as they are do not appear."""
    opened: tuple[Opening, ...] = ()
    """What is reached from outside that was not before."""
    closed: tuple[Opening, ...] = ()
    description: tuple[DescriptionChange, ...] = ()
    """In the order of the description."""
    files: tuple[FileChange, ...] = ()
    findings: FindingChanges = FindingChanges()
    cost: CostChange | None = None
    quotas: tuple[QuotaChange, ...] = ()
    gaps: tuple[Gap, ...] = ()
    """What it can't say, so that nothing under their names is no news."""
    notes: tuple[str, ...] = ()
    """Sentences that a reader must know besides."""

    @property
    def worst(self) -> Effect | None:
        """The worst effect; None if nothing changes."""
        return min((change.effect for change in self.changes), key=lambda effect: effect.rank, default=None)

    def count(self, operation: Operation) -> int:
        """How many resources Pulumi treats so."""
        return sum(change.operation is operation for change in self.changes)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON, for `--format json`; `worst` and `counts` are added."""
        counts = {str(operation): self.count(operation) for operation in Operation}
        return {"review": VERSION, **_plain(asdict(self)), "worst": self.worst and str(self.worst), "counts": counts}


def _plain(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value
