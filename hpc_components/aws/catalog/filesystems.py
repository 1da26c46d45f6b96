"""Capacities and throughputs of FSx for Lustre, limits of EBS volumes, storage classes of S3.

Sizes are in GiB. What AWS calls 1.2 TiB of Lustre is 1,200 GiB here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hpc_components.catalog.by_kind import RecordsByKind

_of_kind = RecordsByKind("filesystems", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreSteps:
    """The capacities of one kind of Lustre file system: a few small ones, then all multiples of a step.

    `throughput` is the MB/s per TiB to order (None for scratch, which has no choice), `mbps_per_tib` what is
    delivered.
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
        """Return whether FSx sells that capacity."""
        return gib > 0 and (gib in self.first_gib or gib % self.step_gib == 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EbsType:
    """Limits of one EBS volume type; None for settings that it does not support."""

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
    """A storage class: minimum age in days for objects that a rule moves there, and minimum days that are billed."""

    name: str
    min_days_before: int
    min_days_kept: int
    source: str
    as_of: str


def lustre_kinds(deployment: str, *, storage: str = "ssd") -> tuple[LustreSteps, ...]:
    """Return the capacities of each kind of Lustre file system with that deployment type and storage."""
    wanted = {"deployment": deployment, "storage": storage}
    return tuple(LustreSteps(**r) for r in _of_kind("lustre") if r.items() >= wanted.items())


def lustre_deployments(*, storage: str | None = None, efa: bool = False) -> tuple[str, ...]:
    """Return the deployment types of FSx for Lustre, or those that are sold with that `storage` or with `efa`."""
    sold = (r for r in _of_kind("lustre") if storage in (None, r["storage"]) and efa in (False, r["efa"]))
    return tuple(dict.fromkeys(r["deployment"] for r in sold))


def lustre_throughputs(deployment: str, *, storage: str = "ssd") -> tuple[int, ...]:
    """Return the throughputs per TiB that a deployment type offers, ascending; empty if it offers no choice."""
    found = (r for r in _of_kind("lustre") if (r["deployment"], r["storage"]) == (deployment, storage))
    return tuple(sorted({r["throughput"] for r in found if r["throughput"] is not None}))


def lustre_versions(deployment: str) -> tuple[str, ...]:
    """Return the Lustre versions that a deployment type supports, ascending; file systems with EFA need 2.15."""
    return next((tuple(r["versions"]) for r in _of_kind("lustre_version") if r["deployment"] == deployment), ())


def nearest_capacities(steps: LustreSteps, gib: int) -> tuple[int, ...]:
    """Return the capacity itself if FSx sells it, else the next smaller (if any) and the next larger one."""
    if steps.allows(gib):
        return (gib,)
    below = gib // steps.step_gib * steps.step_gib
    sold = {*steps.first_gib, below, below + steps.step_gib} - {0}
    lower, upper = [s for s in sold if s < gib], [s for s in sold if s > gib]
    return (*([max(lower)] if lower else []), min(upper))


def lustre_sold(deployment: str, region: str) -> bool | None:
    """Return whether a region has a deployment type of FSx for Lustre; None if our sources don't say.

    FSx for Lustre is in all regions of the catalogue. Types without their own list of regions are in all of them.
    """
    for record in _of_kind("lustre_regions"):
        if record["deployment"] == deployment:
            return True if region in record["offered"] else None
    return True


def ebs_type(name: str) -> EbsType | None:
    """Return the EBS volume type of that name, such as `gp3`."""
    return next((EbsType(**r) for r in _of_kind("ebs") if r["type"] == name), None)


def ebs_types() -> tuple[str, ...]:
    """Return the names of the EBS volume types."""
    return tuple(r["type"] for r in _of_kind("ebs"))


def s3_class(name: str) -> S3Class | None:
    """Return the S3 storage class of that name, such as `deep_archive`."""
    return next((S3Class(**r) for r in _of_kind("s3_class") if r["name"] == name), None)


def storage_limit(key: str) -> int:
    """Return a limit of FSx, such as `lustre.associations` (8 per file system); KeyError if it is unknown."""
    return {record["key"]: record["value"] for record in _of_kind("limit")}[key]


def reserved_mounts() -> tuple[str, ...]:
    """Return the directories of nodes that contain software of AWS, so that nothing may be mounted below."""
    return tuple(record["path"] for record in _of_kind("reserved_mount"))
