from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi import Output

from hpc_components.gcp.image_builder.args import baked_image_args, builder_args
from hpc_components.gcp.image_builder.component import BakedImage, ImageBuilder
from hpc_components.gcp.ports import ConfigStore, Network
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.images.recipes import made_recipes
from hpc_components.resource_options import depends_on


@dataclass(frozen=True, kw_only=True)
class ClusterImages:
    """The images that a cluster's stack makes."""

    images: Mapping[str, BakedImage] = field(default_factory=dict)
    """Keyed by recipe."""

    @property
    def ids(self) -> dict[str, Output[str]]:
        return {recipe: image.image_id for recipe, image in self.images.items()}

    @property
    def outputs(self) -> dict[str, Any]:
        return {recipe: {"id": one.image_id, "version": one.version} for recipe, one in self.images.items()}


def images_of_cluster(
    cluster: GcpClusterSpec, network: Network, config: ConfigStore, tags: Tags, opts: pulumi.ResourceOptions
) -> ClusterImages:
    """Make the images that nodes use. `opts` must depend on the network, which the machines that make them need."""
    recipes = made_recipes(cluster)
    if not recipes:
        return ClusterImages()
    builder = ImageBuilder(f"{cluster.name}-images", builder_args(cluster, config), opts)
    ready = depends_on(opts, *builder.ready)
    return ClusterImages(
        images={
            recipe: BakedImage(
                f"{cluster.name}-image-{recipe}",
                baked_image_args(cluster, recipe, builder, network, config, tags),
                ready,
            )
            for recipe in recipes
        }
    )
