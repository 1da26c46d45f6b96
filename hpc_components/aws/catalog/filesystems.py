"""What FSx for Lustre, EBS and S3 sell: capacity steps, throughput values, volume limits, storage classes.

Sizes are GiB. AWS calls 1,200 GiB of Lustre "1.2 TiB"; here it stays 1200.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hpc_components.catalog.by_kind import RecordsByKind

_of_kind = RecordsByKind("filesystems", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreSteps:
    """The capacities that one kind of Lustre file system comes in: some first ones, then every multiple of a step.

    `throughput` is MB/s per TiB as ordered (None for scratch, where there is no choice), `mbps_per_tib` as delivered.
    """

    deployment: str
    storage: str
    throughput: int | None
    efa: bool
    first_gib: Sequence[int]
    step_gib: int
    mbps_per_tib: int
    source: str
    as_of: str

    def allows(self, gib: int) -> bool:
        """Whether FSx sells that capacity."""
        return gib > 0 and (gib in self.first_gib or gib % self.step_gib == 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EbsType:
    """Limits of one EBS volume type; None where it takes no such setting."""

    type: str
    min_gib: int
    max_gib: int
    min_iops: int | None = None
    max_iops: int | None = None
    iops_per_gib: int | None = None
    min_mibs: int | None = None
    max_mibs: int | None = None
    mibs_per_iops: float | None = None
    notes: str = ""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Class:
    """A storage class: the youngest age at which a rule may move objects there, and the days they are paid for."""

    name: str
    min_days_before: int
    min_days_kept: int
    source: str
    as_of: str


def lustre_kinds(deployment: str, *, storage: str = "ssd") -> tuple[LustreSteps, ...]:
    """The steps of every kind of Lustre file system with that deployment type and storage."""
    wanted = {"deployment": deployment, "storage": storage}
    return tuple(LustreSteps(**r) for r in _of_kind("lustre") if r.items() >= wanted.items())


def lustre_deployments(*, storage: str | None = None, efa: bool = False) -> tuple[str, ...]:
    """The deployment types of FSx for Lustre; with `storage` or `efa`, those that are sold with it."""
    sold = (r for r in _of_kind("lustre") if storage in (None, r["storage"]) and efa in (False, r["efa"]))
    return tuple(dict.fromkeys(r["deployment"] for r in sold))


def lustre_throughputs(deployment: str, *, storage: str = "ssd") -> tuple[int, ...]:
    """The throughputs per unit that a deployment type takes, ascending; empty where it takes none."""
    found = (r for r in _of_kind("lustre") if (r["deployment"], r["storage"]) == (deployment, storage))
    return tuple(sorted({r["throughput"] for r in found if r["throughput"] is not None}))


def lustre_versions(deployment: str) -> tuple[str, ...]:
    """The Lustre versions that a deployment type can run, ascending; file systems with EFA need 2.15."""
    return next((tuple(r["versions"]) for r in _of_kind("lustre_version") if r["deployment"] == deployment), ())


def nearest_capacities(steps: LustreSteps, gib: int) -> tuple[int, ...]:
    """The capacities on sale next to a wanted one, ascending: itself, or the next below (if any) and above."""
    if steps.allows(gib):
        return (gib,)
    below = gib // steps.step_gib * steps.step_gib
    sold = {*steps.first_gib, below, below + steps.step_gib} - {0}
    lower, upper = [s for s in sold if s < gib], [s for s in sold if s > gib]
    return (*([max(lower)] if lower else []), min(upper))


def lustre_sold(deployment: str, region: str) -> bool | None:
    """Whether a region has a deployment type of FSx for Lustre; None where no source at hand says so.

    FSx for Lustre is in all regions of the catalogue, with every type that has no list of regions of its own.
    """
    for record in _of_kind("lustre_regions"):
        if record["deployment"] == deployment:
            return True if region in record["offered"] else None
    return True


def ebs_type(name: str) -> EbsType | None:
    """An EBS volume type such as `gp3`."""
    return next((EbsType(**r) for r in _of_kind("ebs") if r["type"] == name), None)


def ebs_types() -> tuple[str, ...]:
    """The EBS volume types."""
    return tuple(r["type"] for r in _of_kind("ebs"))


def s3_class(name: str) -> S3Class | None:
    """An S3 storage class such as `deep_archive`."""
    return next((S3Class(**r) for r in _of_kind("s3_class") if r["name"] == name), None)


def storage_limit(key: str) -> int:
    """One limit of FSx, such as `lustre.associations` (8 per file system).

    Raises:
        KeyError: the catalogue has no limit of that name.
    """
    return {record["key"]: record["value"] for record in _of_kind("limit")}[key]


def reserved_mounts() -> tuple[str, ...]:
    """Directories of nodes in which software of AWS is, and under which nothing may be mounted."""
    return tuple(record["path"] for record in _of_kind("reserved_mount"))
