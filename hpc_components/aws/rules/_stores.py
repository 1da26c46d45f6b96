"""File systems of a description by kind, and what several of their rules say."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Efs, Lustre, Nfs
from hpc_components.catalog.refusal import Refusal
from hpc_components.spec.findings import Path, Problem
from hpc_components.spec.rules._stores import systems
from hpc_components.spec.values import Duration

__all__ = ["efs_systems", "lustre_systems", "nfs_systems", "wrong_backups"]


def lustre_systems(cluster: AwsClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Lustre]]:
    """The Lustre file systems and where they stand; `new`: only those that the cluster makes."""
    return systems(cluster, Lustre, new=new)


def nfs_systems(cluster: AwsClusterSpec, *, new: bool = True) -> Iterator[tuple[Path, Nfs]]:
    """The NFS file systems and where they stand; `new`: only those that the cluster makes."""
    return systems(cluster, Nfs, new=new)


def efs_systems(cluster: AwsClusterSpec) -> Iterator[tuple[Path, Efs]]:
    """The elastic file systems and where they stand."""
    for name, store in cluster.storage.items():
        if isinstance(store, Efs):
            yield ("storage", name), store


def wrong_backups(path: Path, kept: Duration | None, refusal: Refusal, *, none: str) -> Problem:
    """For how many days FSx keeps daily backups, which it refuses; `none` says how to have no backups."""
    assert kept is not None
    least, most = int(refusal.allowed[0]), int(refusal.allowed[-1])
    days = max(least, min(most, round(kept.days)))
    return Problem(
        path=(*path, "backups"),
        value=str(kept),
        reason=f"FSx keeps daily backups for {least} to {most} whole days, not for {kept}",
        remedy=f"use {days}d, or {none} for none",
    )
