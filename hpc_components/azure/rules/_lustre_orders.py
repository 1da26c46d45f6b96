"""Lustre file systems of a cluster as orders."""

from collections.abc import Iterator

from hpc_components.azure.catalog.lustre import LustreOrder, lustre_refusals
from hpc_components.azure.rules._stores import lustre_systems
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.storage import Lustre
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.findings import Path


def refused(cluster: AzureClusterSpec, field: str, *whys: Why) -> Iterator[tuple[Path, Lustre, Refusal]]:
    """Yield the refusals of a field in the cluster's new file systems, for any or some reasons."""
    for path, lustre in lustre_systems(cluster):
        for refusal in lustre_refusals(_order(cluster, lustre)):
            if refusal.field == field and (not whys or refusal.why in whys):
                yield path, lustre, refusal


def _order(cluster: AzureClusterSpec, lustre: Lustre) -> LustreOrder:
    return LustreOrder(
        throughput=lustre.throughput,
        size_tib=None if lustre.size is None else lustre.size.in_gib / 1024,
        subnet_prefix=_prefix(cluster),
        maintenance=lustre.maintenance,
    )


def _prefix(cluster: AzureClusterSpec) -> int | None:
    """Return the prefix length of the subnet for Lustre; None without one, which other rules report."""
    existing = cluster.network.existing
    if existing is not None:
        return existing.lustre.cidr.prefixlen if existing.lustre else None
    try:
        return cluster.subnet("lustre").prefixlen
    except ValueError:
        return None
