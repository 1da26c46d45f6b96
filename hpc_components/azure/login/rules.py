from collections.abc import Iterator

from hpc_components.azure.fleet.offer import most_in_group
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-LOG-006", Level.ERROR)
def zones_or_none(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Login nodes must either all be in zones or all have no zone, so don't list the region together with zones.

    All login nodes are in the same scale set, which either has zones or has none. Source: Azure documentation,
    "Create a Virtual Machine Scale Set that uses Availability Zones".
    """
    login = cluster.login_nodes
    if login and len(login.zones) > 1 and cluster.region in login.zones:
        zones = [zone for zone in login.zones if zone != cluster.region]
        yield Problem(
            path=("login_nodes", "zones"),
            value=", ".join(login.zones),
            reason=f"{cluster.region} means that login nodes have no zone, so it can't be combined with zones",
            remedy=f"use [{', '.join(zones)}]",
        )


@rule("HPC-LOG-007", Level.ERROR)
def no_more_than_a_group(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A cluster on Azure can have at most 100 login nodes.

    They form one Uniform scale set with a single placement group. Source: Azure documentation, "Working with large
    Virtual Machine Scale Sets".
    """
    login, most = cluster.login_nodes, most_in_group(fabric=True)
    if login and login.max > most:
        yield Problem(
            path=("login_nodes", "max"),
            value=login.max,
            reason=f"all login nodes are in one placement group, which is limited to {most} machines",
            remedy=f"use {most} or fewer",
        )
