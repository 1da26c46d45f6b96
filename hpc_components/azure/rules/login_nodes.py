"""Rules on login nodes: their zones, and how many there are."""

from collections.abc import Iterator

from hpc_components.azure.catalog.capacity import most_in_group
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-LOG-006", Level.ERROR)
def zones_or_none(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Login nodes are in zones, or in none: the region does not stand among zones.

    They are one scale set, which names its zones or leaves them out. Source: Azure documentation, "Create a Virtual
    Machine Scale Set that uses Availability Zones".
    """
    login = cluster.login_nodes
    if login and len(login.zones) > 1 and cluster.region in login.zones:
        zones = [zone for zone in login.zones if zone != cluster.region]
        yield Problem(
            path=("login_nodes", "zones"),
            value=", ".join(login.zones),
            reason=f"{cluster.region} means no zone, and login nodes are in zones or in none",
            remedy=f"use [{', '.join(zones)}]",
        )


@rule("HPC-LOG-007", Level.ERROR)
def no_more_than_a_group(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """There are at most 100 login nodes.

    They are one Uniform scale set with a single placement group. Source: Azure documentation, "Working with large
    Virtual Machine Scale Sets".
    """
    login, most = cluster.login_nodes, most_in_group(fabric=True)
    if login and login.max > most:
        yield Problem(
            path=("login_nodes", "max"),
            value=login.max,
            reason=f"login nodes are one placement group, which holds {most}",
            remedy=f"use {most} or fewer",
        )
