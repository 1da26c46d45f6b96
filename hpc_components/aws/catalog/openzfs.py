"""What FSx for OpenZFS sells, decided in one place."""

from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.aws.catalog.filesystems import openzfs, openzfs_deployments, openzfs_sold, storage_limit
from hpc_components.catalog.refusal import Refusal, Why

__all__ = ["OpenZfsOrder", "openzfs_refusals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfsOrder:
    """A file system as one orders it. None is what is not given, or not known before something else is made."""

    deployment: str
    """As in `single_az_1`."""
    region: str | None = None
    size_gib: float | None = None
    throughput: float | None = None
    """MB/s."""
    backup_days: float | None = None
    """Days for which daily backups are kept; None for no backups."""


def openzfs_refusals(order: OpenZfsOrder) -> Iterator[Refusal]:
    """What FSx would refuse of a new file system, by the names of the order's fields.

    A region of which it is not known whether it has the deployment type is not refused; `openzfs_sold` says so.
    Source: FSx API reference, CreateFileSystem and CreateFileSystemOpenZFSConfiguration.
    """
    sold = openzfs(order.deployment)
    if sold is None:
        yield Refusal(field="deployment", why=Why.UNKNOWN, allowed=openzfs_deployments())
        return
    if order.region is not None and openzfs_sold(order.deployment, order.region) is False:
        yield Refusal(field="deployment", why=Why.NOT_SOLD, because_of="region", allowed=("single_az_1",))
    sizes = range(sold.min_gib, sold.max_gib + 1)
    if order.size_gib is None:
        yield Refusal(field="size_gib", why=Why.MISSING, allowed=sizes)
    elif order.size_gib != int(order.size_gib) or int(order.size_gib) not in sizes:
        yield Refusal(field="size_gib", why=Why.NOT_SOLD, allowed=sizes)
    if order.throughput is not None and order.throughput not in sold.throughputs:
        yield Refusal(field="throughput", why=Why.NOT_SOLD, allowed=tuple(sold.throughputs))
    kept = range(1, storage_limit("fsx.backup_days") + 1)
    if order.backup_days is not None and order.backup_days not in kept:
        yield Refusal(field="backup_days", why=Why.NOT_SOLD, allowed=kept)
