"""What FSx for Lustre sells."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from hpc_components.aws.catalog.filesystems import (
    LustreSteps,
    lustre_deployments,
    lustre_kinds,
    lustre_throughputs,
    nearest_capacities,
    storage_limit,
)
from hpc_components.aws.catalog.limits import metadata_iops_deployments, metadata_iops_steps
from hpc_components.catalog.refusal import Refusal, Why


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOrder:
    """An order of a file system. None means not given, or unknown until another resource exists."""

    deployment: str
    """Deployment type, such as `persistent_2`."""
    storage: str = "ssd"
    """`ssd` or `hdd`."""
    size_gib: float | None = None
    throughput: float | None = None
    """MB/s per TiB."""
    drive_cache: str | None = None
    """`none` or `read`."""
    efa: bool = False
    metadata_iops: float | None = None
    kms_key: bool = False
    """Whether a customer-managed key encrypts it."""
    backup_days: float | None = None
    """Days for which daily backups are kept; None for no backups."""
    links: int = 0
    """Number of links to buckets."""

    @property
    def steps(self) -> tuple[LustreSteps, ...]:
        """The steps that its size may follow: one kind's, those of several where the throughput is not given, none
        where FSx has no such kind."""
        efa = self.efa and self.deployment in lustre_deployments(efa=True)
        kinds = lustre_kinds(self.deployment, storage=self.storage)
        return tuple(k for k in kinds if k.efa == efa and self.throughput in (None, k.throughput))


def lustre_refusals(order: LustreOrder) -> Iterator[Refusal]:
    """What FSx would refuse of a new file system, by the names of the order's fields.

    What is not given is `missing` where FSx wants it. A size is judged where FSx has such a kind of file system.
    Source: FSx API reference, CreateFileSystem and CreateFileSystemLustreConfiguration.
    """
    deployments = lustre_deployments()
    if order.deployment not in deployments:
        yield Refusal(field="deployment", why=Why.UNKNOWN, allowed=deployments)
        return
    yield from _disks(order)
    yield from _throughput(order)
    if order.efa and order.deployment not in (able := lustre_deployments(efa=True)):
        yield Refusal(field="efa", why=Why.NOT_TAKEN, because_of="deployment", allowed=able)
    yield from _size(order)
    yield from _extras(order)


def is_link_path(path: str) -> bool:
    """Whether a directory of the file system can be linked to a bucket under that name."""
    return re.fullmatch(r"/|(/[^/\s]+)+/?", path) is not None and ".." not in path.split("/")


def link_paths_overlap(one: str, other: str) -> bool:
    """Whether one directory is the other or lies in it: FSx links directories side by side only."""
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first.is_relative_to(second) or second.is_relative_to(first)


def _disks(order: LustreOrder) -> Iterator[Refusal]:
    if order.deployment not in lustre_deployments(storage=order.storage):
        yield Refusal(field="storage", why=Why.NOT_SOLD, because_of="deployment", allowed=("ssd",))
    elif order.storage == "hdd" and order.drive_cache is None:
        yield Refusal(field="drive_cache", why=Why.MISSING, allowed=("none", "read"))
    if order.storage == "ssd" and order.drive_cache is not None:
        yield Refusal(field="drive_cache", why=Why.NOT_TAKEN, because_of="storage")


def _throughput(order: LustreOrder) -> Iterator[Refusal]:
    sold = lustre_throughputs(order.deployment, storage=order.storage)
    if order.throughput is None and sold:
        yield Refusal(field="throughput", why=Why.MISSING, allowed=sold)
    elif order.throughput is not None and sold and order.throughput not in sold:
        yield Refusal(field="throughput", why=Why.NOT_SOLD, allowed=sold)
    elif order.throughput is not None and not sold and order.storage == "ssd":
        yield Refusal(field="throughput", why=Why.NOT_TAKEN, because_of="deployment")


def _size(order: LustreOrder) -> Iterator[Refusal]:
    gib = order.size_gib
    if gib is None:
        first = sorted({size for steps in order.steps for size in nearest_capacities(steps, 1)})
        yield Refusal(field="size_gib", why=Why.MISSING, allowed=first)
    elif order.steps and not any(gib == int(gib) and steps.allows(int(gib)) for steps in order.steps):
        near = sorted({size for steps in order.steps for size in nearest_capacities(steps, max(1, int(gib)))})
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, allowed=near)


def _extras(order: LustreOrder) -> Iterator[Refusal]:
    scratch = order.deployment.startswith("scratch")
    if order.kms_key and scratch:
        yield Refusal(field="kms_key", why=Why.NOT_TAKEN, because_of="deployment")
    if order.backup_days is not None:
        if scratch:
            yield Refusal(field="backup_days", why=Why.NOT_TAKEN, because_of="deployment")
        elif order.links:
            yield Refusal(field="backup_days", why=Why.NOT_TAKEN, because_of="links")
        if order.backup_days not in (kept := range(1, storage_limit("fsx.backup_days") + 1)):
            yield Refusal(field="backup_days", why=Why.NOT_SOLD, allowed=kept)
    iops = order.metadata_iops
    if iops is not None and order.deployment not in metadata_iops_deployments():
        yield Refusal(field="metadata_iops", why=Why.NOT_TAKEN, because_of="deployment")
    elif iops is not None and iops not in (steps := metadata_iops_steps()):
        near = [*[step for step in steps if step < iops][-1:], *[step for step in steps if step > iops][:1]]
        yield Refusal(field="metadata_iops", why=Why.NOT_SOLD, allowed=near)
    if order.links and order.deployment == "scratch_1":
        yield Refusal(field="links", why=Why.NOT_TAKEN, because_of="deployment")
    if order.links > (most := storage_limit("lustre.associations")):
        yield Refusal(field="links", why=Why.NOT_SOLD, allowed=range(most + 1))
