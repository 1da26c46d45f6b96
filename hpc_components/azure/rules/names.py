"""Rules on the names of what Azure keeps."""

import re
from collections.abc import Iterator

from hpc_components.azure.catalog.arm_ids import wrong_arm_id
from hpc_components.azure.catalog.names import longest_name, reserved_word
from hpc_components.azure.catalog.size_names import short_name
from hpc_components.azure.catalog.zones import zone_number
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule

RANDOM_SUFFIX = 8
"""What Pulumi appends to a name: eight hexadecimal digits."""


_GROUP = re.compile(r"/subscriptions/[^/]+/resourceGroups/([^/]+)", re.IGNORECASE)
"""The beginning of an id, as far as its resource group."""

OURS = ("head", "login")
"""What the cluster's own machines and their identities are called, after its name."""


@rule("HPC-NAM-008", Level.ERROR)
def scale_set_names(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The names of the cluster and of each queue together leave room for the names of scale sets.

    A scale set is called `<cluster>-<queue>-<size>-<zone>` with a random end. Source: Azure Resource Manager
    documentation, "Naming rules and restrictions for Azure resources".
    """
    most = longest_name("scale_set") - RANDOM_SUFFIX
    for index, queue in enumerate(cluster.queues):
        made = max(
            (
                f"{cluster.name}-{queue.name}-{short_name(machine)}-{_zone(zone, cluster.region)}"
                for machine in queue.machines
                for zone in cluster.queue_zones(queue)
            ),
            key=len,
        )
        if len(made) > most:
            yield Problem(
                path=("queues", index, "name"),
                value=queue.name,
                reason=f"a scale set of it would be called {made} and a random end, which is {len(made) - most} too"
                " long for Azure",
                remedy=f"shorten the queue's or the cluster's name by {len(made) - most}",
            )


@rule("HPC-NAM-009", Level.ERROR)
def reserved_words(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Names that become part of an address have no word that Azure keeps for itself.

    Storage accounts and the Key Vault begin with the cluster's name. Source: Azure Resource Manager documentation,
    "Resolve errors for reserved resource names".
    """
    places: list[tuple[Path, str]] = [(("name",), cluster.name)]
    places += [(("buckets", key, "name"), bucket.name) for key, bucket in cluster.buckets.items() if bucket.name]
    for path, name in places:
        if word := reserved_word(name):
            yield Problem(
                path=path,
                value=name,
                reason=f"Azure makes no storage account or Key Vault with {word} in its name like that",
                remedy="use another name",
            )


@rule("HPC-NAM-010", Level.ERROR)
def group_id(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An existing resource group is named by its id.

    Source: Azure REST API reference, Resource Groups - Get.
    """
    group = cluster.resource_group
    if group is not None and (wrong := wrong_arm_id(group, "resource_group")):
        yield Problem(path=("resource_group",), value=group, reason=wrong[0], remedy=wrong[1])


@rule("HPC-NAM-016", Level.ERROR)
def queue_beside_ours(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """No queue is called `head` or `login`.

    `<cluster>-head` and `<cluster>-login` are names of the cluster's own identities. Source: `program.py` of this
    package.
    """
    for index, queue in enumerate(cluster.queues):
        if queue.name in OURS:
            yield Problem(
                path=("queues", index, "name"),
                value=queue.name,
                reason=f"{cluster.name}-{queue.name} is the identity of the cluster's own {queue.name}",
                remedy="say what it is for: compute",
            )


@rule("HPC-NAM-018", Level.ERROR)
def nothing_in_the_group_of_nodes(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Nothing that the description names is in `<cluster>-nodes`, the compute nodes' own resource group.

    `pulumi destroy` deletes this group with everything in it. Azure compares names of groups without case. Source:
    Azure Resource Manager documentation, "Delete resource groups"; `components/node_reaper.py` of this package.
    """
    group = f"{cluster.name}-nodes"
    for path, id in _texts(cluster.model_dump(mode="json", exclude_unset=True)):
        found = _GROUP.match(id)
        if found is not None and found[1].lower() == group.lower():
            yield Problem(
                path=path,
                value=id,
                reason=f"{group} is the resource group of this cluster's compute nodes: pulumi destroy deletes it"
                " with everything in it",
                remedy="name another resource group"
                if path == ("resource_group",)
                else "move it into another resource group first, or give the cluster another name",
            )


@rule("HPC-NAM-019", Level.WARNING)
def named_like_a_group_of_nodes(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A cluster's name does not end in `-nodes`.

    A cluster `cfd-nodes` makes the resource group `cfd-nodes`, which is that of the compute nodes of a cluster `cfd`
    in the same subscription: whoever destroys `cfd` deletes it with everything in it. Source: Azure Resource Manager
    documentation, "Delete resource groups"; `components/node_reaper.py` of this package.
    """
    other = cluster.name.removesuffix("-nodes")
    if other != cluster.name and cluster.resource_group is None:
        yield Problem(
            path=("name",),
            value=cluster.name,
            reason=f"its resource group {cluster.name} is that of the compute nodes of a cluster {other}: who"
            f" destroys {other} deletes all of this cluster",
            remedy=f"use another name, e.g. {other}-2; or name a resource_group",
        )


def _texts(value: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """All texts below `value`, and where they are."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from _texts(below, (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _texts(below, (*path, index))


def _zone(zone: str, region: str) -> str:
    try:
        return zone_number(zone, region) or "r"
    except ValueError:
        return "r"
