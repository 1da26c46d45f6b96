"""Rules on Lustre file systems: what FSx sells."""

from collections.abc import Iterator

from hpc_components.aws.rules._stores import beside_existing, lustre_systems, wrong_backups
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Lustre
from hpc_components.catalog import LustreSteps, lustre_steps, lustre_throughputs, nearest_capacities, storage_limit
from hpc_components.catalog.cluster_limits import is_metadata_iops, metadata_iops_steps
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of

__all__: list[str] = []


@rule("HPC-FSX-001", Level.ERROR)
def lustre_has_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A Lustre file system that is to be made has a size.

    FSx makes none without, and its size can grow later but never shrink. Source: FSx API reference, CreateFileSystem,
    StorageCapacity; FSx for Lustre user guide, "Managing storage capacity".
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.size is None:
            steps = _steps(lustre)
            first = _sold(steps, nearest_capacities(steps, 1)) if steps else "1200GiB (1.2TiB)"
            yield Problem(
                path=path,
                reason="it has neither size nor existing",
                remedy=f"add size: {first} or more; or existing",
            )


@rule("HPC-FSX-002", Level.ERROR)
def lustre_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The size of a Lustre file system is one that FSx sells.

    Its steps depend on deployment, storage, throughput and EFA. FSx calls 1,200 GiB "1.2 TiB", and so may you.
    Source: FSx API reference, CreateFileSystem; with EFA, FSx for Lustre user guide, "Managing storage capacity".
    """
    for path, lustre in lustre_systems(cluster):
        steps = _steps(lustre)
        if lustre.size is None or steps is None:
            continue
        gib = lustre.size.lustre_gib
        if gib == int(gib) and steps.allows(int(gib)):
            continue
        first = f"{' and '.join(map(str, steps.first_gib))} GiB and " if steps.first_gib else ""
        yield Problem(
            path=(*path, "size"),
            value=str(lustre.size),
            reason=f"FSx sells {_kind(lustre)} in {first}multiples of {steps.step_gib} GiB; this is {gib:g} GiB",
            remedy=f"use {_sold(steps, nearest_capacities(steps, max(1, int(gib))))}",
        )


@rule("HPC-FSX-003", Level.ERROR)
def lustre_throughput(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Persistent Lustre file systems say their throughput, scratch ones have no choice.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, PerUnitStorageThroughput.
    """
    for path, lustre in lustre_systems(cluster):
        sold, wanted = lustre_throughputs(lustre.deployment, storage=lustre.storage), lustre.throughput
        if wanted is None and sold:
            yield Problem(
                path=path,
                reason=f"{lustre.deployment} must say how many MB/s it has per TiB",
                remedy=f"add throughput: one of {', '.join(map(str, sold))}",
            )
        elif wanted is not None and not sold and lustre.storage == "ssd":
            yield Problem(
                path=(*path, "throughput"),
                value=wanted,
                reason=f"{lustre.deployment} has 200 MB/s per TiB, without a choice",
                remedy="leave it out, or use deployment: persistent_2",
            )
        elif wanted is not None and sold and wanted not in sold:
            yield Problem(
                path=(*path, "throughput"),
                value=wanted,
                reason=f"{lustre.deployment} on {lustre.storage} has {any_of(map(str, sold), most=len(sold))} MB/s "
                "per TiB",
                remedy=f"use {min(sold, key=lambda one: (abs(one - wanted), -one))}",
            )


@rule("HPC-FSX-004", Level.ERROR)
def lustre_disks(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Lustre on hard disks is persistent_1.

    Source: FSx API reference, CreateFileSystem, StorageType.
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.storage == "hdd" and lustre.deployment != "persistent_1":
            yield Problem(
                path=(*path, "storage"),
                value="hdd",
                reason=f"{lustre.deployment} is sold on ssd only",
                remedy="use deployment: persistent_1 with throughput 12 or 40, or storage: ssd",
            )


@rule("HPC-FSX-005", Level.ERROR)
def lustre_drive_cache(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`drive_cache` is said for Lustre on hard disks, and only there.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, DriveCacheType.
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.storage == "ssd" and lustre.drive_cache is not None:
            yield Problem(
                path=(*path, "drive_cache"),
                value=lustre.drive_cache,
                reason="a cache of SSDs is for hard disks",
                remedy="leave it out",
            )
        elif lustre.storage == "hdd" and lustre.drive_cache is None and lustre.deployment == "persistent_1":
            yield Problem(
                path=path,
                reason="Lustre on hard disks must say whether it has a cache of SSDs",
                remedy="add drive_cache: read (20 % of the capacity, paid extra) or drive_cache: none",
            )


@rule("HPC-FSX-006", Level.ERROR)
def lustre_efa(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Lustre over EFA is persistent_2.

    Source: FSx for Lustre user guide, "EFA-enabled file systems".
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.efa and lustre.deployment != "persistent_2":
            yield Problem(
                path=(*path, "efa"),
                value=True,
                reason=f"{lustre.deployment} can't be reached over EFA",
                remedy="use deployment: persistent_2 with a throughput, or leave efa out",
            )


@rule("HPC-FSX-007", Level.ERROR)
def lustre_metadata(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`metadata_iops` is for persistent_2, in FSx's steps.

    Source: FSx API reference, CreateFileSystemLustreMetadataConfiguration.
    """
    for path, lustre in lustre_systems(cluster):
        iops = lustre.metadata_iops
        if iops is None:
            continue
        if lustre.deployment != "persistent_2":
            reason = f"{lustre.deployment} has as many as its size gives"
            remedy = "leave it out, or use deployment: persistent_2"
        elif not is_metadata_iops(iops):
            steps = metadata_iops_steps()
            near = [*[s for s in steps if s < iops][-1:], *[s for s in steps if s > iops][:1]]
            reason = f"FSx has 1500, 3000, 6000 and multiples of 12000 up to {steps[-1]}, not {iops}"
            remedy = f"use {any_of(map(str, near))}"
        else:
            continue
        yield Problem(path=(*path, "metadata_iops"), value=iops, reason=reason, remedy=remedy)


@rule("HPC-FSX-008", Level.ERROR)
def lustre_key(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A key of your own encrypts persistent Lustre file systems only.

    Scratch is encrypted as well, with FSx's own keys. Source: FSx API reference, CreateFileSystem, KmsKeyId.
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.kms_key is not None and lustre.deployment.startswith("scratch"):
            yield Problem(
                path=(*path, "kms_key"),
                value=lustre.kms_key,
                reason=f"FSx encrypts {lustre.deployment} with its own key only",
                remedy="leave it out, or use deployment: persistent_2",
            )


@rule("HPC-FSX-009", Level.ERROR)
def lustre_backups(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Lustre file systems with backups are persistent and have no links to buckets.

    Source: FSx for Lustre user guide, "Working with backups".
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.backups is None:
            continue
        if lustre.deployment.startswith("scratch"):
            reason = f"{lustre.deployment} can't be backed up"
            remedy = "leave it out, or use deployment: persistent_2"
        elif lustre.links:
            reason = "FSx makes no backups of a file system that is linked to a bucket"
            remedy = "leave it out, and let auto_export carry the results to the bucket"
        else:
            continue
        yield Problem(path=(*path, "backups"), value=str(lustre.backups), reason=reason, remedy=remedy)


@rule("HPC-FSX-010", Level.ERROR)
def lustre_backup_days(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """FSx for Lustre keeps daily backups for 1 to 90 whole days.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, AutomaticBackupRetentionDays.
    """
    for path, lustre in lustre_systems(cluster):
        if problem := wrong_backups(path, lustre.backups, storage_limit("fsx.backup_days"), none="leave it out"):
            yield problem


@rule("HPC-FSX-011", Level.ERROR)
def lustre_existing(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A Lustre file system that is there already is only mounted.

    Source: ParallelCluster 3.16, which refuses creation parameters beside the id of a file system.
    """
    for path, lustre in lustre_systems(cluster, new=False):
        if lustre.existing:
            yield from beside_existing(path, lustre)


@rule("HPC-FSX-024", Level.INFO)
def lustre_ports(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Your own security groups let nodes and Lustre talk to each other.

    Over EFA, all traffic between them must pass, both ways. Source: FSx for Lustre user guide, "File system access
    control with Amazon VPC".
    """
    groups = cluster.network.existing.security_groups if cluster.network.existing else None
    systems = list(lustre_systems(cluster))
    if groups is not None and systems:
        efa = any(lustre.efa for _, lustre in systems)
        ports = "all traffic" if efa else "TCP 988 and 1018 to 1023"
        yield Problem(
            path=("network", "existing", "security_groups"),
            reason=f"what they let through can't be seen from here, and Lustre needs {ports} both ways",
            remedy=f"make sure that {', '.join(groups.storage) or 'the storage groups'} let it through to and from "
            "the nodes' groups, and to themselves",
        )


def _steps(lustre: Lustre) -> LustreSteps | None:
    """The steps of its size; None where another rule says that there is no such file system."""
    efa = lustre.efa and lustre.deployment == "persistent_2"
    return lustre_steps(lustre.deployment, lustre.throughput, efa, storage=lustre.storage)


def _kind(lustre: Lustre) -> str:
    words: list[str] = [lustre.deployment]
    words += [lustre.storage] if lustre.storage == "hdd" else []
    words += [f"with {lustre.throughput} MB/s per TiB"] if lustre.throughput else []
    words += ["over EFA"] if lustre.efa else []
    return " ".join(words)


def _sold(steps: LustreSteps, sizes: tuple[int, ...]) -> str:
    """Sizes as one writes them, and as FSx calls them."""
    return any_of(f"{gib}GiB ({gib / 1000:g}TiB)" for gib in sizes if steps.allows(gib))
