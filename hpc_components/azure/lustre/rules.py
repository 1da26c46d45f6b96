from collections.abc import Iterator

from hpc_components.azure.catalog.zones import has_zones
from hpc_components.azure.lustre import link_rules  # noqa: F401 - registers its rules
from hpc_components.azure.lustre.model import order_of
from hpc_components.azure.lustre.offer import LIMITS, LustreOrder, is_offered, refusals
from hpc_components.azure.rules._stores import lustre_systems, lustre_zone
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.catalog import regions
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import lustre_servers
from hpc_components.spec.surfaces import Surface, offer_rules
from hpc_components.wording import any_of


def _orders(cluster: AzureClusterSpec) -> Iterator[tuple[LustreOrder, Surface]]:
    return (order_of(lustre, path, cluster) for path, lustre in lustre_systems(cluster))


offer_rules(__name__, AzureClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-AML-004", Level.WARNING)
def lustre_in_a_zone(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """In a region with zones, a Lustre file system should be in the same zone as the nodes.

    A file system is always in a single datacenter. If no zone is specified, you can't tell which one. Source: Azure
    Managed Lustre documentation, "Create a file system", availability zone.
    """
    for path, lustre in lustre_systems(cluster):
        if lustre_zone(cluster, lustre) == cluster.region and has_zones(cluster.region):
            yield Problem(
                path=(*path, "zone") if lustre.zone else ("zone",),
                value=cluster.region,
                reason=f"{path[1]} and the nodes may be far apart, in different zones of {cluster.region}",
                remedy=f"use zone: {cluster.region}-1, or another zone that offers the cluster's machine types",
            )


@rule("HPC-AML-005", Level.INFO)
def lustre_across_zones(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Nodes should be in the same zone as the Lustre file systems they use.

    From another zone, latency is higher, and a failure of the file system's zone also affects the nodes there.
    Source: Azure Managed Lustre documentation, "Create a file system", which recommends placing the file system in
    its clients' zone.
    """
    for path, lustre in lustre_systems(cluster):
        zone = lustre_zone(cluster, lustre)
        for index, queue in enumerate(cluster.queues):
            away = [other for other in cluster.queue_zones(queue) if other != zone]
            if away and zone != cluster.region:
                listed = bool(queue.zones)
                yield Problem(
                    path=("queues", index, "zones", queue.zones.index(away[0])) if listed else (*path, "zone"),
                    value=away[0] if listed else zone,
                    reason=f"{path[1]} is in {zone}, but nodes of queue {queue.name} may be in {any_of(away)}",
                    remedy=f"run data-intensive jobs in {zone}",
                )


@rule("HPC-AML-007", Level.ERROR)
def lustre_subnet(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An existing network must have a dedicated subnet for a new Lustre file system.

    Source: Azure Managed Lustre documentation, "Prerequisites", network.
    """
    existing = cluster.network.existing
    for path, _ in lustre_systems(cluster):
        if existing is not None and existing.lustre is None:
            yield Problem(
                path=path,
                reason="network.existing specifies no subnet for Lustre",
                remedy=f"add network.existing.lustre: {{id: {existing.vnet}/subnets/..., cidr: ...}}",
            )


@rule("HPC-AML-009", Level.WARNING)
def all_squashed(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Avoid `root_squash: all`, which maps all users to one account on every node except the head node.

    All users' files then have the same owner, so any user can read and delete them. Source: Azure Managed Lustre
    documentation, "Use root squash".
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.root_squash == "all":
            yield Problem(
                path=(*path, "root_squash"),
                value="all",
                reason="all files have the same owner, so every user can delete other users' files",
                remedy="use root_squash: root_only",
            )


@rule("HPC-AML-010", Level.INFO)
def lustre_ports(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """In an existing network, the security groups must allow traffic between nodes and Lustre.

    Source: Azure Managed Lustre documentation, "Configure a network security group".
    """
    existing = cluster.network.existing
    for path, _ in lustre_systems(cluster):
        if existing is not None and existing.lustre is not None:
            yield Problem(
                path=("network", "existing", "lustre"),
                reason=f"the description does not show the rules of the subnet's security group; storage {path[1]} "
                "needs TCP ports 988 and 1019 to 1023 open to and from the nodes, and outbound access to "
                "Azure",
                remedy="make sure that the subnet's security group allows this traffic",
            )
            return


@rule("HPC-AML-022", Level.INFO)
def lustre_sold_here(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Make sure that the cluster's region offers Azure Managed Lustre.

    Microsoft publishes no list of the regions that do. In a region without Managed Lustre, `pulumi up` fails when it
    creates the file system. Source: Azure Resource Manager REST API reference, Providers - Get (`locations` of a
    resource type).
    """
    for path, _ in lustre_systems(cluster):
        if is_offered(cluster.region) is None and cluster.region in regions("azure"):
            yield Problem(
                path=path,
                reason="the catalogue has no information on whether Azure Managed Lustre is offered in "
                f"{cluster.region}",
                remedy="look for the region in the output of: az provider show --namespace Microsoft.StorageCache "
                "--query \"resourceTypes[?resourceType=='amlFilesystems'].locations\"",
            )
            return


@rule("HPC-MNT-011", Level.ERROR)
def lustre_server(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An existing Lustre file system must have a valid management server address and a valid mount name.

    Both are written to fstab, as `server@tcp:/name`. Source: Azure Managed Lustre documentation, "Connect clients";
    Lustre manual, mount.lustre: a name has at most eight characters.
    """
    yield from lustre_servers(
        cluster,
        "remove mount_name (Azure names all file systems lustrefs), or set mount_name to the name that "
        "follows @tcp:/",
    )
