from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from hpc_components.azure.image_builder.args import baked_image_args, builder_args
from hpc_components.azure.image_builder.component import BakedImage, ImageBuilder
from hpc_components.azure.image_builder.retention import ImageRetention, ImageRetentionArgs
from hpc_components.azure.ports import ConfigStore, Group, Network
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.images.recipes import made_recipes
from hpc_components.made_images import MadeImages
from hpc_components.resource_options import depends_on
from hpc_components.spec.node_images import images


@dataclass(frozen=True, kw_only=True)
class ClusterImages(MadeImages[BakedImage]):
    """The images that a cluster's stack makes."""

    cluster: AzureClusterSpec
    builder: ImageBuilder | None = None
    """None if the description has no recipes."""
    nodes: Group
    """Resource group of the compute nodes, with the images."""
    tags: Tags
    opts: pulumi.ResourceOptions

    def keep_after(self, after: Sequence[pulumi.Resource]) -> None:
        """Remove old versions once all of `after` launch nodes from the new ones."""
        if self.builder is None:
            return
        args = ImageRetentionArgs(
            group=self.nodes,
            gallery_name=self.builder.gallery_name,
            run_identity=self.builder.run_identity,
            tags=self.tags,
            pinned=tuple(sorted({base.id for base in images(self.cluster) if base.id and base.id.startswith("/")})),
            keep={name: recipe.keep for name, recipe in self.cluster.images.items()},
            versions=self.versions,
        )
        ImageRetention(f"{self.cluster.name}-image-retention", args, depends_on(self.opts, *after))


def images_of_cluster(
    cluster: AzureClusterSpec,
    network: Network,
    config: ConfigStore,
    group: Group,
    nodes: Group,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> ClusterImages:
    """Make the images that nodes use, in the resource group `nodes`. `opts` must depend on the network, which the
    machines that make them need."""
    if not cluster.images:
        return ClusterImages(cluster=cluster, nodes=nodes, tags=tags, opts=opts)
    builder = ImageBuilder(f"{cluster.name}-images", builder_args(cluster, network, config, group, nodes, tags), opts)
    ready = depends_on(opts, *builder.ready)
    made = {
        recipe: BakedImage(
            f"{cluster.name}-image-{recipe}",
            baked_image_args(cluster, recipe, builder, network, config, group, nodes, tags),
            ready,
        )
        for recipe in made_recipes(cluster)
    }
    return ClusterImages(cluster=cluster, builder=builder, images=made, nodes=nodes, tags=tags, opts=opts)
