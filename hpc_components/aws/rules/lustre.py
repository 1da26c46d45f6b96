"""Rules on Lustre file systems: what FSx sells."""

from collections.abc import Iterator

from hpc_components.aws.catalog.filesystems import lustre_sold
from hpc_components.aws.catalog.limits import metadata_iops_steps
from hpc_components.aws.rules._lustre_orders import lustre_order, refused
from hpc_components.aws.rules._stores import lustre_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Lustre
from hpc_components.catalog import regions
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.wording import any_of


@rule("HPC-FSX-001", Level.ERROR)
def lustre_has_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A Lustre file system that is to be made has a size.

    FSx makes none without, and its size can grow later but never shrink. Source: FSx API reference, CreateFileSystem,
    StorageCapacity; FSx for Lustre user guide, "Managing storage capacity".
    """
    for path, _, refusal in refused(cluster, "size_gib", Why.MISSING):
        yield Problem(
            path=path,
            reason="it has neither size nor existing",
            remedy=f"add size: {_sizes(refusal) or '1200GiB (1.2TiB)'} or more; or existing",
        )


@rule("HPC-FSX-002", Level.ERROR)
def lustre_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The size of a Lustre file system is one that FSx sells.

    Its steps depend on deployment, storage, throughput and EFA. FSx calls 1,200 GiB "1.2 TiB", and so may you.
    Source: FSx API reference, CreateFileSystem; with EFA, FSx for Lustre user guide, "Managing storage capacity".
    """
    for path, lustre, refusal in refused(cluster, "size_gib", Why.NOT_SOLD):
        order = lustre_order(lustre)
        if len(order.steps) > 1:
            continue  # they depend on a throughput that is missing, of which another rule tells
        (steps,) = order.steps
        first = f"{' and '.join(map(str, steps.first_gib))} GiB and " if steps.first_gib else ""
        yield Problem(
            path=(*path, "size"),
            value=str(lustre.size),
            reason=f"FSx sells {_kind(lustre)} in {first}multiples of {steps.step_gib} GiB; "
            f"this is {order.size_gib:g} GiB",
            remedy=f"use {_sizes(refusal)}",
        )


@rule("HPC-FSX-003", Level.ERROR)
def lustre_throughput(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Persistent Lustre file systems say their throughput, scratch ones have no choice.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, PerUnitStorageThroughput.
    """
    for path, lustre, refusal in refused(cluster, "throughput"):
        wanted, sold = lustre.throughput, refusal.allowed
        if wanted is None:
            yield Problem(
                path=path,
                reason=f"{lustre.deployment} must say how many MB/s it has per TiB",
                remedy=f"add throughput: {any_of(map(str, sold))}",
            )
        elif refusal.why is Why.NOT_TAKEN:
            yield Problem(
                path=(*path, "throughput"),
                value=wanted,
                reason=f"{lustre.deployment} has 200 MB/s per TiB, without a choice",
                remedy="leave it out, or use deployment: persistent_2 with throughput: 125",
            )
        else:
            yield Problem(
                path=(*path, "throughput"),
                value=wanted,
                reason=f"{lustre.deployment} on {lustre.storage} has {any_of(map(str, sold), most=len(sold))} MB/s "
                "per TiB",
                remedy=f"use {min(map(int, sold), key=lambda one: (abs(one - wanted), -one))}",
            )


@rule("HPC-FSX-004", Level.ERROR)
def lustre_disks(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Lustre on hard disks is persistent_1.

    Source: FSx API reference, CreateFileSystem, StorageType.
    """
    for path, lustre, _ in refused(cluster, "storage"):
        yield Problem(
            path=(*path, "storage"),
            value=lustre.storage,
            reason=f"{lustre.deployment} is sold on ssd only",
            remedy="use deployment: persistent_1 with throughput: 12 and drive_cache: none; persistent_2 has SSDs",
        )


@rule("HPC-FSX-005", Level.ERROR)
def lustre_drive_cache(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`drive_cache` is said for Lustre on hard disks, and only there.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, DriveCacheType.
    """
    for path, lustre, refusal in refused(cluster, "drive_cache"):
        if refusal.why is Why.NOT_TAKEN:
            yield Problem(
                path=(*path, "drive_cache"),
                value=lustre.drive_cache,
                reason="a cache of SSDs is for hard disks",
                remedy="leave it out",
            )
        else:
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
    for path, lustre, _ in refused(cluster, "efa"):
        yield Problem(
            path=(*path, "efa"),
            value=True,
            reason=f"{lustre.deployment} can't be reached over EFA",
            remedy="leave efa out; or make it persistent_2, with a throughput and size that FSx sells over EFA",
        )


@rule("HPC-FSX-007", Level.ERROR)
def lustre_metadata(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`metadata_iops` is for persistent_2, in FSx's steps.

    Source: FSx API reference, CreateFileSystemLustreMetadataConfiguration.
    """
    for path, lustre, refusal in refused(cluster, "metadata_iops"):
        iops = lustre.metadata_iops
        if refusal.why is Why.NOT_TAKEN:
            reason = f"{lustre.deployment} has as many as its size gives"
            remedy = "leave it out, or use deployment: persistent_2 with throughput: 125"
        else:
            reason = f"FSx has 1500, 3000, 6000 and multiples of 12000 up to {metadata_iops_steps()[-1]}, not {iops}"
            remedy = f"use {any_of(map(str, refusal.allowed))}"
        yield Problem(path=(*path, "metadata_iops"), value=iops, reason=reason, remedy=remedy)


@rule("HPC-FSX-008", Level.ERROR)
def lustre_key(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A key of your own encrypts persistent Lustre file systems only.

    Scratch is encrypted as well, with FSx's own keys. Source: FSx API reference, CreateFileSystem, KmsKeyId.
    """
    for path, lustre, _ in refused(cluster, "kms_key"):
        yield Problem(
            path=(*path, "kms_key"),
            value=lustre.kms_key,
            reason=f"FSx encrypts {lustre.deployment} with its own key only",
            remedy="leave it out, or use deployment: persistent_2 with throughput: 125",
        )


@rule("HPC-FSX-009", Level.ERROR)
def lustre_backups(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Lustre file systems with backups are persistent and have no links to buckets.

    Source: FSx for Lustre user guide, "Working with backups".
    """
    for path, lustre, refusal in refused(cluster, "backup_days", Why.NOT_TAKEN):
        if refusal.because_of == "deployment":
            reason = f"{lustre.deployment} can't be backed up"
            remedy = "leave it out, or use deployment: persistent_2 with throughput: 125"
        else:
            reason = "FSx makes no backups of a file system that is linked to a bucket"
            remedy = "leave it out, and let auto_export carry the results to the bucket"
        yield Problem(path=(*path, "backups"), value=str(lustre.backups), reason=reason, remedy=remedy)


@rule("HPC-FSX-010", Level.ERROR)
def lustre_backup_days(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """FSx for Lustre keeps daily backups for 1 to 90 whole days.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, AutomaticBackupRetentionDays.
    """
    for path, lustre, refusal in refused(cluster, "backup_days", Why.NOT_SOLD):
        assert lustre.backups is not None
        least, most = int(refusal.allowed[0]), int(refusal.allowed[-1])
        days = max(least, min(most, round(lustre.backups.days)))
        yield Problem(
            path=(*path, "backups"),
            value=str(lustre.backups),
            reason=f"FSx keeps daily backups for {least} to {most} whole days, not for {lustre.backups}",
            remedy=f"use {days}d, or leave it out for none",
        )


@rule("HPC-FSX-024", Level.INFO)
def lustre_ports(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Your own security groups allow traffic between nodes and Lustre.

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


@rule("HPC-FSX-026", Level.INFO)
def lustre_sold_here(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """It is known whether FSx sells the deployment of a Lustre file system in the cluster's region.

    persistent_2 is sold in a limited number of regions. Source: FSx API reference,
    CreateFileSystemLustreConfiguration, DeploymentType.
    """
    for path, lustre in lustre_systems(cluster):
        if lustre_sold(lustre.deployment, cluster.region) is None and cluster.region in regions("aws"):
            yield Problem(
                path=(*path, "deployment"),
                value=lustre.deployment,
                reason=f"it is not known here whether FSx sells {lustre.deployment} in {cluster.region}",
                remedy="look for the region in https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-fsx-lustre.html;"
                " persistent_1 and scratch_2 are sold in all that have FSx for Lustre",
            )


def _kind(lustre: Lustre) -> str:
    words: list[str] = [lustre.deployment]
    words += [lustre.storage] if lustre.storage == "hdd" else []
    words += [f"with {lustre.throughput} MB/s per TiB"] if lustre.throughput else []
    words += ["over EFA"] if lustre.efa else []
    return " ".join(words)


def _sizes(refusal: Refusal) -> str:
    """Sizes as one writes them, and as FSx calls them."""
    return any_of(f"{gib}GiB ({int(gib) / 1000:g}TiB)" for gib in refusal.allowed)
