from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import arm_id, wrong_arm_id
from hpc_components.azure.catalog.networks import private_dns_zone
from hpc_components.azure.rules._stores import lustre_systems
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._networks import endpoints_twice


@rule("HPC-NET-031", Level.ERROR)
def head_without_way_out(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The head node needs outbound access through a NAT gateway or a public address.

    The head node launches and deletes nodes through Azure Resource Manager. The cluster has no private endpoint for
    this service, and new networks in Azure have no outbound access by default. Source: Azure documentation, "Default
    outbound access in Azure".
    """
    network = cluster.network
    if network.cidr is not None and network.nat == "none" and not cluster.head_node.public:
        yield Problem(
            path=("network", "nat"),
            value="none",
            reason="the head node can't reach management.azure.com, which it needs to launch nodes",
            remedy="use nat: one, or head_node.public: true",
        )


@rule("HPC-NET-032", Level.ERROR)
def keys_without_way_out(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Without NAT, the Key Vault must have a private endpoint so that nodes can fetch the cluster's keys.

    Storage needs no NAT, because nodes use their subnet's service endpoint. Source: Azure documentation, "Default
    outbound access in Azure" and "Virtual network service endpoints".
    """
    network = cluster.network
    if network.cidr is not None and network.nat == "none" and "vault" not in network.endpoints:
        wanted = ", ".join((*network.endpoints, "vault"))
        yield Problem(
            path=("network", "nat"),
            value="none",
            reason="compute nodes can't fetch Slurm's keys from the Key Vault, so they never join the cluster",
            remedy=f"use nat: one, or endpoints: [{wanted}]",
        )


@rule("HPC-NET-033", Level.WARNING)
def nothing_gets_out(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Nodes and Lustre servers should be able to reach Azure Monitor, which requires NAT.

    Without NAT, nodes can't send logs of failed boots or reach a licence server on the internet, and Lustre servers
    can't report to Azure. Source: Azure documentation, "Default outbound access in Azure"; Azure Managed Lustre
    documentation, "Prerequisites", network.
    """
    network = cluster.network
    if network.cidr is None or network.nat != "none":
        return
    lustre = [str(path[1]) for path, _ in lustre_systems(cluster)]
    yield Problem(
        path=("network", "nat"),
        value="none",
        reason="without NAT, nodes can't send the logs of failed boots to Azure Monitor"
        + (f"; the servers of {', '.join(lustre)} can't reach Azure Monitor either" if lustre else ""),
        remedy="use nat: one, or silence this warning",
    )


@rule("HPC-NET-034", Level.ERROR)
def endpoint_twice(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The list of private endpoints must not contain duplicates.

    A network has only one private DNS zone per service. Source: Azure Private DNS documentation, "What is a virtual
    network link?".
    """
    yield from endpoints_twice(cluster.network.endpoints)


@rule("HPC-NET-035", Level.WARNING)
def endpoint_of_nothing(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """`network.endpoints` should contain `file` only if the cluster creates an Azure Files share.

    Source: Azure Private Link documentation, "What is a private endpoint?".
    """
    network = cluster.network
    shares = [store for store in cluster.storage.values() if store.type == "nfs" and store.existing is None]
    if "file" in network.endpoints and not any(share.service == "files" for share in shares):
        yield Problem(
            path=("network", "endpoints", network.endpoints.index("file")),
            value="file",
            reason="the cluster creates no Azure Files share that could use a private endpoint",
            remedy="remove it",
        )


@rule("HPC-NET-036", Level.ERROR)
def zones_of_endpoints(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Each DNS zone of an existing network must match a listed endpoint and have the name that Azure defines.

    An account's or vault's name resolves to its private endpoint only in the zone that Azure defines for the service.
    Source: Azure Private Link documentation, "Azure Private Endpoint private DNS zone values".
    """
    network = cluster.network
    for service, id in (network.existing.dns_zones if network.existing else {}).items():
        path, zone = ("network", "existing", "dns_zones", service), private_dns_zone(service)
        named = arm_id(id, "private_dns_zone")
        if service not in network.endpoints:
            wanted = ", ".join((*network.endpoints, service))
            reason, remedy = "no private endpoint uses this zone", f"remove the zone, or use endpoints: [{wanted}]"
        elif wrong := wrong_arm_id(id, "private_dns_zone"):
            reason, remedy = wrong
        elif named and named.names[-1].lower() != zone:
            reason, remedy = (
                f"private endpoints for {service} require the zone {zone}",
                f"use {id.rpartition('/')[0]}/{zone}, or remove the zone",
            )
        else:
            continue
        yield Problem(path=path, value=id, reason=reason, remedy=remedy)
