from typing import TYPE_CHECKING, cast

from pulumi import Input

from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.azure.image_builder.component import BakedImageArgs, ImageBuilder, ImageBuilderArgs
from hpc_components.azure.images.args import image, image_plan
from hpc_components.azure.ports import ConfigStore, Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.catalog import machine
from hpc_components.images.bundle import bundle
from hpc_components.images.recipes import root_gib, users_of
from hpc_components.images.version import image_version

if TYPE_CHECKING:
    from hpc_components.azure.images.model import Node

_MACHINES = {"x86_64": "Standard_D8s_v5", "arm64": "Standard_D8ps_v5"}
"""VM sizes for making images: 8 processors, because Lustre modules and DKMS drivers are compiled."""


def builder_args(
    cluster: AzureClusterSpec, network: Network, config: ConfigStore, group: Group, nodes: Group, tags: Tags
) -> ImageBuilderArgs:
    """Return the arguments of the builder, whose gallery is in the group of the compute nodes."""
    return ImageBuilderArgs(
        group=nodes, network=network, network_group_id=_network_group(cluster, group), config=config, tags=tags
    )


def _network_group(cluster: AzureClusterSpec, group: Group) -> Input[str]:
    if cluster.network.existing is None:
        return group.id
    found = arm_id(cluster.network.existing.vnet)
    assert found is not None, "a rule checks that this is the id of a network"
    return f"/subscriptions/{found.subscription}/resourceGroups/{found.group}"


def baked_image_args(
    cluster: AzureClusterSpec,
    recipe: str,
    builder: ImageBuilder,
    network: Network,
    config: ConfigStore,
    group: Group,
    nodes: Group,
    tags: Tags,
) -> BakedImageArgs:
    first = users_of(cluster, recipe)[0]
    facts = machine("azure", first.machine)
    arch = facts.arch if facts else "x86_64"
    base = image(cluster, first.machine, recipe)
    text, size = bundle(cluster, recipe), root_gib(cluster, recipe)
    return BakedImageArgs(
        recipe=recipe,
        version=image_version(text, base, {"root_gib": size, "machine": _MACHINES[arch]}),
        bundle=text,
        base=base,
        base_plan=image_plan(cluster, cast("Node", first)),
        machine=_MACHINES[arch],
        arm=arch == "arm64",
        root_gib=size,
        group=nodes,
        gallery_name=builder.gallery_name,
        network=network,
        config=config,
        config_group=group,
        build_identity=builder.build_identity,
        run_identity=builder.run_identity,
        tags=tags,
    )
