"""EFS has no limits here, because it has no sizes or tiers to choose from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.level import Level
from hpc_components.catalog.offer import Limit, Refusal

_GIB_OF_TIB = 1024

_FIRST = "single_az_1"
"""Deployment type that is available in all regions."""

_SIZE_GIVEN = Limit(
    id="HPC-NFS-001",
    title="A new NFS file system must specify a size",
    why="FSx requires it.",
    source="FSx API reference, CreateFileSystem, StorageCapacity: from 64 GiB with OpenZFS",
)
_SIZE = Limit(
    id="HPC-NFS-002",
    title="An NFS file system must be between 64 GiB and 512 TiB, in whole GiB",
    source="FSx API reference, CreateFileSystem, StorageCapacity",
)
_THROUGHPUT = Limit(
    id="HPC-NFS-003",
    title="The throughput of an NFS file system must be one that its deployment type offers",
    source="FSx API reference, CreateFileSystemOpenZFSConfiguration, ThroughputCapacity",
)
_KEPT_DAYS = Limit(
    id="HPC-NFS-004",
    title="Daily backups with FSx for OpenZFS must be kept for 1 to 90 whole days",
    source="FSx API reference, CreateFileSystemOpenZFSConfiguration, AutomaticBackupRetentionDays",
)
_ZONES = Limit(
    id="HPC-NFS-005",
    title="An NFS file system must be in one zone, or in two zones if it has failover",
    why="With failover, the cluster's first two zones are used.",
    source="FSx API reference, CreateFileSystem, SubnetIds",
)
_ROUTE_TABLES = Limit(
    id="HPC-NFS-011",
    title="An NFS file system with failover requires a network that the cluster creates",
    why="FSx adds the file system's floating address to the route tables of all clients, but the cluster doesn't "
    "change existing networks.",
    source="FSx API reference, CreateFileSystemOpenZFSConfiguration, RouteTableIds",
)
_SOLD = Limit(
    id="HPC-NFS-013",
    title="The deployment type of an NFS file system must be available in the cluster's region",
    why="The second generation is not available in every region.",
    source='FSx for OpenZFS user guide, "Availability by AWS Region"',
)

LIMITS = (_SIZE_GIVEN, _SIZE, _THROUGHPUT, _KEPT_DAYS, _ZONES, _ROUTE_TABLES, _SOLD)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfs:
    """A deployment type of FSx for OpenZFS. Throughputs are in MB/s."""

    deployment: str
    min_gib: int
    max_gib: int
    throughputs: Sequence[int]
    source: str
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfsOrder:
    """An order for a file system. None means that a value is not specified, or is unknown until another resource
    exists.
    """

    deployment: str
    region: str | None = None
    size_gib: float | None = None
    throughput: float | None = None
    """Throughput in MB/s."""
    backup_days: float | None = None
    """Number of days to keep daily backups, or None for no backups."""
    zones: tuple[str, ...] | None = None
    route_tables: bool | None = None
    """Whether route tables are specified for the floating address."""


def refusals(order: OpenZfsOrder) -> Iterator[Refusal]:
    """Yield the reasons why FSx would refuse the order, and a warning if the deployment type may not be available in
    the region.
    """
    yield from _kept(order)
    yield from _size(order)
    sold = openzfs(order.deployment)
    if sold is None:
        reason = "FSx for OpenZFS has no such deployment type"
        yield _SOLD.refuse("deployment", reason=reason, changes=_first_generation(order))
        return
    yield from _region(order)
    yield from _throughput(order, sold)
    yield from _place(order)


def _region(order: OpenZfsOrder) -> Iterator[Refusal]:
    sold = order.region is None or openzfs_sold(order.deployment, order.region)
    if not sold:
        known = f"FSx for OpenZFS does not offer {order.deployment} in {order.region}"
        unknown = f"it is unknown whether FSx for OpenZFS offers {order.deployment} in {order.region}"
        yield _SOLD.refuse(
            "deployment",
            reason=unknown if sold is None else known,
            changes=_first_generation(order),
            level=Level.WARNING if sold is None else None,
        )


def _size(order: OpenZfsOrder) -> Iterator[Refusal]:
    gib, sold = order.size_gib, _sizes(order.deployment)
    least, most = sold[0], sold[-1]
    if gib is None:
        reason = f"no size is specified, and FSx for OpenZFS requires at least {least} GiB"
        yield _SIZE_GIVEN.refuse(
            "size_gib", reason=reason, changes={"size_gib": _GIB_OF_TIB}, advice="or mount an existing file system"
        )
    elif not least <= gib <= most:
        reason, nearest = (
            f"FSx for OpenZFS offers {least} GiB to {most // _GIB_OF_TIB} TiB",
            min(max(gib, least), most),
        )
        yield _SIZE.refuse("size_gib", reason=reason, changes={"size_gib": nearest}, conflicts_with="deployment")
    elif gib != int(gib):
        reason = f"the size is {gib:.2f} GiB, but FSx offers only whole GiB"
        yield _SIZE.refuse("size_gib", reason=reason, changes={"size_gib": int(gib) + 1}, conflicts_with="deployment")


def _throughput(order: OpenZfsOrder, sold: OpenZfs) -> Iterator[Refusal]:
    if order.throughput is not None and order.throughput not in sold.throughputs:
        choice = ", ".join(map(str, sold.throughputs))
        yield _THROUGHPUT.refuse(
            "throughput",
            reason=f"{order.deployment} offers {choice} MB/s, not {order.throughput}",
            changes={"throughput": _at_least(order.throughput, sold)},
            conflicts_with="deployment",
        )


def _kept(order: OpenZfsOrder) -> Iterator[Refusal]:
    days, most = order.backup_days, facts_of_kind("kept")[0]["max_days"]
    if days is not None and days not in range(1, most + 1):
        yield _KEPT_DAYS.refuse(
            "backup_days",
            reason=f"FSx keeps daily backups for 1 to {most} whole days",
            changes={"backup_days": max(1, min(most, round(days)))},
            advice="or turn off backups",
        )


def _place(order: OpenZfsOrder) -> Iterator[Refusal]:
    failover = has_failover(order.deployment)
    instead = _first_generation(order) if failover else None
    if order.zones is not None and len(order.zones) != (2 if failover else 1):
        yield _ZONES.refuse(
            "zones",
            reason=f"{order.deployment} requires {'two zones' if failover else 'one zone'}, not "
            f"{', '.join(order.zones)}",
            alternative=instead,
            advice=f"specify {'a second zone' if failover else 'a single zone'} in {{zones}}",
            conflicts_with="deployment",
        )
    if order.route_tables is False and failover:
        yield _ROUTE_TABLES.refuse(
            "route_tables",
            reason=f"FSx must add the floating address of {order.deployment} to the route tables of all clients, but "
            "no route tables are available",
            alternative=instead,
            advice="mount an existing file system, or use EFS, which needs no route tables",
            conflicts_with="deployment",
        )
    elif order.route_tables and not failover:
        reason = f"{order.deployment} has no floating address, so it doesn't use route tables"
        yield _ROUTE_TABLES.refuse("route_tables", reason=reason, changes={"route_tables": None})


def _first_generation(order: OpenZfsOrder) -> Mapping[str, Any]:
    """Return changes that select the deployment type available in all regions. If possible, the throughput is not
    reduced.
    """
    first = openzfs(_FIRST)
    assert first is not None, "the facts include the deployment type that is available in all regions"
    if order.throughput is None:
        return {"deployment": _FIRST}
    return {"deployment": _FIRST, "throughput": _at_least(order.throughput, first)}


def _at_least(throughput: float, sold: OpenZfs) -> int:
    return next((mbps for mbps in sold.throughputs if mbps >= throughput), sold.throughputs[-1])


def has_failover(deployment: str) -> bool:
    return deployment.startswith("multi_az")


def _sizes(deployment: str) -> range:
    """Return the range of sizes, in GiB, that a deployment type allows. If the type is unknown, return the range
    across all types.
    """
    one = openzfs(deployment)
    sold = (one,) if one else tuple(filter(None, map(openzfs, openzfs_deployments())))
    return range(min(each.min_gib for each in sold), max(each.max_gib for each in sold) + 1)


def openzfs(deployment: str) -> OpenZfs | None:
    return next((OpenZfs(**r) for r in facts_of_kind("openzfs") if r["deployment"] == deployment), None)


def openzfs_deployments() -> tuple[str, ...]:
    return tuple(r["deployment"] for r in facts_of_kind("openzfs"))


def openzfs_sold(deployment: str, region: str) -> bool | None:
    """Return whether a region offers a deployment type, or None if our sources don't say."""
    for record in facts_of_kind("openzfs_regions"):
        if record["deployment"] == deployment:
            return None if region in record["unconfirmed"] else region not in record["not_sold"]
    return True
