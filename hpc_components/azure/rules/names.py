import re
from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import wrong_arm_id
from hpc_components.azure.catalog.names import longest_name, reserved_word
from hpc_components.azure.catalog.size_names import short_name
from hpc_components.azure.catalog.zones import zone_number
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.rules._values import Wrong, cluster_name, queue_names, too_long, value_rule

_GROUP_OF_ID = re.compile(r"/subscriptions/[^/]+/resourceGroups/([^/]+)", re.IGNORECASE)


@value_rule("HPC-NAM-008", Level.ERROR, queue_names)
def scale_set_names(cluster: AzureClusterSpec, path: Path, name: str) -> Wrong | None:
    """`<cluster>-<queue>` must be short enough to be part of a scale set name.

    A scale set is called `<cluster>-<queue>-<size>-<zone>`, followed by a random suffix. Source: Azure Resource
    Manager documentation, "Naming rules and restrictions for Azure resources".
    """
    queue = cluster.queues[int(path[1])]
    sizes = max(map(short_name, queue.machines), key=len)
    zones = max((_zone(zone, cluster.region) for zone in cluster.queue_zones(queue)), key=len)
    made = f"{cluster.name}-{name}-{sizes}-{zones}"
    return too_long(made, longest_name("scale_set"), what="a scale set", end=RANDOM_SUFFIX)


def _addresses(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str]]:
    yield from cluster_name(cluster)
    yield from ((("buckets", key, "name"), bucket.name) for key, bucket in cluster.buckets.items() if bucket.name)


@value_rule("HPC-NAM-009", Level.ERROR, _addresses)
def reserved_words(_: AzureClusterSpec, path: Path, name: str) -> Wrong | None:
    """Names that become part of an address must not contain a word that Azure reserves.

    The names of storage accounts and the Key Vault begin with the cluster's name. Source: Azure Resource Manager
    documentation, "Resolve errors for reserved resource names".
    """
    word = reserved_word(name)
    reason = (
        f"Azure refuses this name for a storage account or Key Vault, because it contains the reserved word {word}"
    )
    return (reason, "use another name") if word else None


def _resource_group(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str]]:
    if cluster.resource_group is not None:
        yield ("resource_group",), cluster.resource_group


@value_rule("HPC-NAM-010", Level.ERROR, _resource_group)
def group_id(_: AzureClusterSpec, path: Path, group: str) -> Wrong | None:
    """An existing resource group must be specified by its id.

    Source: Azure REST API reference, Resource Groups - Get.
    """
    return wrong_arm_id(group, "resource_group")


def _texts(cluster: AzureClusterSpec) -> Iterator[tuple[Path, str]]:
    return _texts_below(cluster.model_dump(mode="json", exclude_unset=True), ())


@value_rule("HPC-NAM-018", Level.ERROR, _texts)
def nothing_in_the_group_of_nodes(cluster: AzureClusterSpec, path: Path, id: str) -> Wrong | None:
    """The description must not refer to anything in `<cluster>-nodes`, the compute nodes' own resource group.

    `pulumi destroy` deletes this group and everything in it. Azure ignores case in resource group names. Source:
    Azure Resource Manager documentation, "Delete resource groups"; `node_reaper/component.py` of this package.
    """
    group, found = f"{cluster.name}-nodes", _GROUP_OF_ID.match(id)
    if found is None or found[1].lower() != group.lower():
        return None
    return (
        f"{group} is the resource group for this cluster's compute nodes; pulumi destroy deletes this group "
        "and everything in it",
        "use another resource group"
        if path == ("resource_group",)
        else "move the resource to another resource group first, or give the cluster another name",
    )


@value_rule("HPC-NAM-019", Level.WARNING, cluster_name)
def named_like_a_group_of_nodes(cluster: AzureClusterSpec, path: Path, name: str) -> Wrong | None:
    """A cluster's name should not end in `-nodes`.

    Cluster `cfd-nodes` creates the resource group `cfd-nodes`, which is also the resource group for the compute nodes
    of cluster `cfd` in the same subscription. Therefore, destroying `cfd` deletes the group and everything in it.
    Source: Azure Resource Manager documentation, "Delete resource groups"; `node_reaper/component.py` of this
    package.
    """
    other = name.removesuffix("-nodes")
    if other == name or cluster.resource_group is not None:
        return None
    return (
        f"resource group {name} would also contain the compute nodes of a cluster called {other}, so "
        f"destroying {other} would delete this entire cluster",
        f"use another name, e.g. {other}-2, or specify an existing resource_group",
    )


def _texts_below(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts_below(below, (*path, key))


def _zone(zone: str, region: str) -> str:
    try:
        return zone_number(zone, region) or "r"
    except ValueError:
        return "r"
