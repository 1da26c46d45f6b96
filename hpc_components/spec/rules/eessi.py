"""EESSI, which nodes read over the network."""

from collections.abc import Iterator

from hpc_components.catalog.eessi import cvmfs_systems, eessi_versions
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Problem
from hpc_components.spec.queue_defaults import root_size
from hpc_components.spec.rule import rule
from hpc_components.spec.software import Eessi
from hpc_components.spec.values import Size

EESSI = ("software", "eessi")

SYSTEM_GIB = 20
"""GiB of a root disk that the system, its packages and logs may take. An estimate."""


def _eessi(cluster: ClusterSpec) -> Eessi | None:
    return cluster.software.eessi if cluster.software else None


@rule("HPC-SFT-008", Level.ERROR)
def eessi_version_exists(cluster: ClusterSpec) -> Iterator[Problem]:
    """The version of EESSI must be one that is in production.

    Source: EESSI's documentation, Versions.
    """
    wanted, known = _eessi(cluster), [version.name for version in eessi_versions()]
    if wanted is not None and wanted.version is not None and wanted.version not in known:
        path = (*EESSI, "version")
        yield Problem(
            path=path,
            value=wanted.version,
            reason=f"the catalogue has no version {wanted.version!r} of EESSI; it has {', '.join(known)}",
            fix=(Change(path, known[-1]),),
        )


@rule("HPC-SFT-009", Level.ERROR)
def eessi_has_a_client(cluster: ClusterSpec) -> Iterator[Problem]:
    """The operating system must be one for which there are packages of CernVM-FS.

    Source: EESSI's documentation, Native installation.
    """
    if _eessi(cluster) is not None and cluster.os not in cvmfs_systems():
        yield Problem(
            path=EESSI,
            reason=f"no package archive of CernVM-FS, by which nodes read EESSI, is known for {cluster.os}",
            remedy=f"use os: {cvmfs_systems()[0]}, or leave software.eessi out",
        )


@rule("HPC-SFT-010", Level.ERROR)
def eessi_within_reach(cluster: ClusterSpec) -> Iterator[Problem]:
    """The head node or all nodes must reach the internet if the cluster uses EESSI.

    Nodes read EESSI's public servers, through a proxy on the head node if they have no way of their own.
    """
    network = cluster.network
    out = network.cidr is None or network.nat != "none" or cluster.head_node.public
    if _eessi(cluster) is not None and not out:
        yield Problem(
            path=EESSI,
            reason="without NAT, no node reaches EESSI's servers, and neither does a proxy on a head node without a "
            "public address",
            remedy="use network.nat: one, or head_node.public: true",
        )


@rule("HPC-SFT-011", Level.ERROR)
def eessi_cache_fits(cluster: ClusterSpec) -> Iterator[Problem]:
    """The cache of EESSI must fit on the root disks that hold it, beside the system.

    A full root disk stops a node. The cache of a queue with `local_scratch` is on the machines' own disks.
    """
    wanted = _eessi(cluster)
    if wanted is None:
        return
    for path, size in _root_disks(cluster):
        if wanted.cache.in_gib + SYSTEM_GIB > size.in_gib:
            room = max(1, int(size.in_gib) - SYSTEM_GIB)
            yield Problem(
                path=(*EESSI, "cache"),
                value=str(wanted.cache),
                reason=f"a cache of {wanted.cache} does not fit on the root disk of {path}, which has {size}: the "
                f"system takes up to {SYSTEM_GIB} GiB",
                remedy=f"use {room}GiB, or a larger root disk",
                about={"disk": path},
            )


def _root_disks(cluster: ClusterSpec) -> Iterator[tuple[str, Size]]:
    yield "the head node", cluster.head_node.root.size
    if cluster.login_nodes:
        yield "login nodes", cluster.login_nodes.root.size
    for queue in cluster.queues:
        if queue.local_scratch is None:
            yield f"queue {queue.name}", root_size(queue)
