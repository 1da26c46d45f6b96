from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.aws.catalog.machines import regions
from hpc_components.aws.lustre.capacities import (
    LustreSteps,
    lustre_deployments,
    lustre_kinds,
    lustre_limit,
    lustre_sold,
    lustre_throughputs,
    metadata_iops_deployments,
    metadata_iops_steps,
    nearest_capacities,
)
from hpc_components.catalog.level import Level
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.wording import any_of

_PERSISTENT = {"deployment": "persistent_2", "throughput": 125}
"""Changes that select the newest persistent type with its lowest throughput."""

_SMALLEST_GIB = 1200
"""Size, in GiB, to suggest if the kind of file system is unknown."""

_SIZE_GIVEN = Limit(
    id="HPC-FSX-001",
    title="A new FSx for Lustre file system must specify a size",
    why="FSx requires a size, which can grow later but never shrink.",
    source="FSx API reference, CreateFileSystem, StorageCapacity; FSx for Lustre user guide, "
    '"Managing storage capacity"',
)
_SIZE = Limit(
    id="HPC-FSX-002",
    title="The size of a Lustre file system must be one that FSx offers",
    why="Sizes depend on deployment, storage, throughput and EFA. As in FSx, 1,200 GiB can also be written as "
    '"1.2 TiB".',
    source='FSx API reference, CreateFileSystem; with EFA, FSx for Lustre user guide, "Managing storage capacity"',
)
_THROUGHPUT = Limit(
    id="HPC-FSX-003",
    title="A persistent Lustre file system must have a throughput that FSx offers; a scratch one must not specify "
    "a throughput",
    source="FSx API reference, CreateFileSystemLustreConfiguration, PerUnitStorageThroughput",
)
_STORAGE = Limit(
    id="HPC-FSX-004",
    title="Lustre on hard disks must use persistent_1",
    source="FSx API reference, CreateFileSystem, StorageType",
)
_DRIVE_CACHE = Limit(
    id="HPC-FSX-005",
    title="`drive_cache` must be specified for Lustre on hard disks, and must not be specified for SSDs",
    source="FSx API reference, CreateFileSystemLustreConfiguration, DriveCacheType",
)
_EFA = Limit(
    id="HPC-FSX-006",
    title="Lustre with EFA must use persistent_2",
    source='FSx for Lustre user guide, "EFA-enabled file systems"',
)
_METADATA_IOPS = Limit(
    id="HPC-FSX-007",
    title="`metadata_iops` requires persistent_2 and must be one of the values that FSx offers",
    source="FSx API reference, CreateFileSystemLustreMetadataConfiguration",
)
_KEY = Limit(
    id="HPC-FSX-008",
    title="Only persistent Lustre file systems can be encrypted with a customer-managed key",
    why="FSx encrypts scratch file systems with its own keys.",
    source="FSx API reference, CreateFileSystem, KmsKeyId",
)
_BACKUPS = Limit(
    id="HPC-FSX-009",
    title="A Lustre file system with backups must be persistent and must not have links to buckets",
    source='FSx for Lustre user guide, "Working with backups"',
)
_BACKUP_DAYS = Limit(
    id="HPC-FSX-010",
    title="Daily backups of a Lustre file system must be kept for 1 to 90 whole days",
    source="FSx API reference, CreateFileSystemLustreConfiguration, AutomaticBackupRetentionDays",
)
_LINKABLE = Limit(
    id="HPC-FSX-012",
    title="A scratch_1 file system must not have links to buckets",
    why="For scratch_1, FSx offers only an older kind of link, which this project does not support.",
    source="FSx API reference, CreateDataRepositoryAssociation",
)
_LINKS = Limit(
    id="HPC-FSX-013",
    title="A Lustre file system must not have more than 8 links to buckets",
    source="FSx API reference, CreateDataRepositoryAssociation",
)
_SOLD = Limit(
    id="HPC-FSX-026",
    title="The deployment type of a Lustre file system should be available in the cluster's region",
    why="persistent_2 is available only in some regions.",
    source="FSx API reference, CreateFileSystemLustreConfiguration, DeploymentType",
    level=Level.INFO,
)

LIMITS = (
    _SIZE_GIVEN, _SIZE, _THROUGHPUT, _STORAGE, _DRIVE_CACHE, _EFA, _METADATA_IOPS, _KEY, _BACKUPS, _BACKUP_DAYS,
    _LINKABLE, _LINKS, _SOLD,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOrder:
    """An order for a file system. None means that a value is not specified, or is unknown until another resource
    exists.
    """

    deployment: str
    region: str | None = None
    storage: str = "ssd"
    """Disk type: `ssd` or `hdd`."""
    size_gib: float | None = None
    throughput: float | None = None
    """Throughput in MB/s per TiB."""
    drive_cache: str | None = None
    """Read cache: `none` or `read`."""
    efa: bool = False
    metadata_iops: float | None = None
    kms_key: bool = False
    """Whether a customer-managed key encrypts the file system."""
    backup_days: float | None = None
    """Number of days to keep daily backups, or None for no backups."""
    links: int = 0

    @property
    def steps(self) -> tuple[LustreSteps, ...]:
        """Capacities for the kinds of file system that match the order: several if the order has no throughput, none
        if FSx offers no matching kind.
        """
        efa = self.efa and self.deployment in lustre_deployments(efa=True)
        kinds = lustre_kinds(self.deployment, storage=self.storage)
        return tuple(k for k in kinds if k.efa == efa and self.throughput in (None, k.throughput))

    @property
    def kind(self) -> str:
        """The kind of file system, worded for messages."""
        words = [self.deployment]
        words += [self.storage] if self.storage == "hdd" else []
        words += [f"with {self.throughput} MB/s per TiB"] if self.throughput else []
        words += ["with EFA"] if self.efa else []
        return " ".join(words)


def refusals(order: LustreOrder) -> Iterator[Refusal]:
    """Yield the reasons why FSx would refuse a new file system.

    Source: FSx API reference, CreateFileSystem and CreateFileSystemLustreConfiguration.
    """
    deployments = lustre_deployments()
    if order.deployment not in deployments:
        reason = f"FSx for Lustre offers only the deployment types {', '.join(deployments)}"
        yield _SOLD.refuse("deployment", reason=reason, changes={"deployment": deployments[-1]}, level=Level.ERROR)
        return
    yield from _disks(order)
    yield from _throughput(order)
    if order.efa and order.deployment not in lustre_deployments(efa=True):
        yield _EFA.refuse(
            "efa",
            reason=f"{order.deployment} does not support EFA",
            changes={"efa": None},
            advice="or use persistent_2 with a throughput and a size that FSx offers with EFA",
            conflicts_with="deployment",
        )
    yield from _size(order)
    yield from _extras(order)
    yield from _backups(order)
    yield from _links(order)
    if order.region in regions() and lustre_sold(order.deployment, order.region) is None:
        yield _SOLD.refuse(
            "deployment",
            reason=f"it is not known whether FSx offers {order.deployment} in {order.region}",
            advice="look up the region at https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html; "
            "persistent_1 and scratch_2 are available in all regions with FSx for Lustre",
        )


def _disks(order: LustreOrder) -> Iterator[Refusal]:
    if order.deployment not in lustre_deployments(storage=order.storage):
        yield _STORAGE.refuse(
            "storage",
            reason=f"{order.deployment} is available only with SSDs",
            changes={"deployment": "persistent_1", "throughput": 12, "drive_cache": "none"},
            alternative={"storage": "ssd"},
            conflicts_with="deployment",
        )
    elif order.storage == "hdd" and order.drive_cache is None:
        yield _DRIVE_CACHE.refuse(
            "drive_cache",
            reason="for Lustre on hard disks, you must choose whether to order an SSD read cache; the cache costs "
            "extra and has 20 % of the file system's capacity",
            changes={"drive_cache": "read"},
            alternative={"drive_cache": "none"},
        )
    if order.storage == "ssd" and order.drive_cache is not None:
        reason = "an SSD read cache is available only for hard disks"
        yield _DRIVE_CACHE.refuse(
            "drive_cache", reason=reason, changes={"drive_cache": None}, conflicts_with="storage"
        )


def _throughput(order: LustreOrder) -> Iterator[Refusal]:
    sold, mbps = lustre_throughputs(order.deployment, storage=order.storage), order.throughput
    choice = any_of(map(str, sold), most=len(sold))
    if mbps is None and sold:
        yield _THROUGHPUT.refuse(
            "throughput",
            reason=f"{order.deployment} must be ordered with {choice} MB/s per TiB",
            changes={"throughput": sold[0]},
        )
    elif mbps is not None and sold and mbps not in sold:
        nearest = min(sold, key=lambda one: (abs(one - mbps), -one))
        yield _THROUGHPUT.refuse(
            "throughput",
            reason=f"{order.deployment} on {order.storage} is available only with {choice} MB/s per TiB",
            changes={"throughput": nearest},
            conflicts_with="deployment",
        )
    elif mbps is not None and not sold and order.storage == "ssd":
        yield _persistent_only(_THROUGHPUT, "throughput", f"{order.deployment} always has 200 MB/s per TiB")


def _size(order: LustreOrder) -> Iterator[Refusal]:
    gib, texts = order.size_gib, dict.fromkeys(steps.text for steps in order.steps)
    sold = f"FSx offers {order.kind} in sizes of {' or '.join(texts)}"
    if gib is None:
        first = min((nearest_capacities(steps, 1)[0] for steps in order.steps), default=_SMALLEST_GIB)
        yield _SIZE_GIVEN.refuse(
            "size_gib",
            reason=f"the size is missing; {sold}" if texts else "the size is missing",
            changes={"size_gib": first},
            advice="or mount an existing file system",
        )
    elif texts and not any(steps.allows(gib) for steps in order.steps):
        near = {size for steps in order.steps for size in nearest_capacities(steps, max(1, int(gib)))}
        below, above = [size for size in near if size < gib], [size for size in near if size > gib]
        yield _SIZE.refuse(
            "size_gib",
            reason=f"{sold}, not of {gib:g} GiB",
            changes={"size_gib": min(above, default=max(near))},
            alternative={"size_gib": max(below)} if above and below else None,
            conflicts_with="deployment",
        )


def _extras(order: LustreOrder) -> Iterator[Refusal]:
    if order.kms_key and _is_scratch(order):
        yield _persistent_only(_KEY, "kms_key", f"FSx encrypts {order.deployment} only with its own key")
    iops, sold = order.metadata_iops, metadata_iops_steps()
    if iops is not None and order.deployment not in metadata_iops_deployments():
        yield _persistent_only(
            _METADATA_IOPS,
            "metadata_iops",
            f"the metadata performance of {order.deployment} can't be chosen; the file system's size determines it",
        )
    elif iops is not None and iops not in sold:
        below, above = [step for step in sold if step < iops], [step for step in sold if step > iops]
        yield _METADATA_IOPS.refuse(
            "metadata_iops",
            reason=f"FSx sells 1500, 3000, 6000 and multiples of 12000 up to {sold[-1]}, not {iops}",
            changes={"metadata_iops": min(above, default=sold[-1])},
            alternative={"metadata_iops": max(below)} if above and below else None,
        )


def _backups(order: LustreOrder) -> Iterator[Refusal]:
    days, most = order.backup_days, lustre_limit("backup_days")
    if days is None:
        return
    if _is_scratch(order):
        yield _persistent_only(_BACKUPS, "backup_days", f"{order.deployment} can't be backed up")
    elif order.links:
        yield _BACKUPS.refuse(
            "backup_days",
            reason="FSx can't back up a file system that is linked to a bucket",
            changes={"backup_days": None},
            advice="export the results to the bucket instead",
            conflicts_with="links",
        )
    if days not in range(1, most + 1):
        yield _BACKUP_DAYS.refuse(
            "backup_days",
            reason=f"FSx keeps daily backups for 1 to {most} whole days",
            changes={"backup_days": max(1, min(most, round(days)))},
            advice="or disable backups",
        )


def _links(order: LustreOrder) -> Iterator[Refusal]:
    if order.links and order.deployment == "scratch_1":
        yield _LINKABLE.refuse(
            "deployment",
            reason="scratch_1 can't be linked to buckets",
            changes={"deployment": "scratch_2"},
            advice="or remove the links",
            conflicts_with="links",
        )
    if order.links > (most := lustre_limit("associations")):
        yield _LINKS.refuse(
            "links",
            reason=f"the file system has {order.links} links, but FSx allows at most {most}",
            advice="link a prefix that several links have in common, or use a second file system",
        )


def _persistent_only(limit: Limit, field: str, reason: str) -> Refusal:
    return limit.refuse(
        field, reason=reason, changes={field: None}, alternative=_PERSISTENT, conflicts_with="deployment"
    )


def _is_scratch(order: LustreOrder) -> bool:
    return order.deployment.startswith("scratch")
