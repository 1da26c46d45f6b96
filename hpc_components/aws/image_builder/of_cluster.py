from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from hpc_components.aws.image_builder.args import baked_image_args, builder_args
from hpc_components.aws.image_builder.component import BakedImage, ImageBuilder
from hpc_components.aws.image_builder.retention import ImageRetention, ImageRetentionArgs
from hpc_components.aws.ports import ConfigStore, Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.images.recipes import made_recipes
from hpc_components.made_images import MadeImages
from hpc_components.resource_options import depends_on


@dataclass(frozen=True, kw_only=True)
class ClusterImages(MadeImages[BakedImage]):
    """The images that a cluster's stack makes."""

    cluster: AwsClusterSpec
    builder: ImageBuilder | None = None
    """None if the description has no recipes."""
    opts: pulumi.ResourceOptions

    def keep_after(self, after: Sequence[pulumi.Resource]) -> None:
        """Remove old versions once all of `after` launch nodes from the new ones."""
        if self.builder is None:
            return
        args = ImageRetentionArgs(
            function_name=self.builder.function_name,
            keep={name: recipe.keep for name, recipe in self.cluster.images.items()},
            versions=self.versions,
        )
        ImageRetention(f"{self.cluster.name}-image-retention", args, depends_on(self.opts, *after))


def images_of_cluster(
    cluster: AwsClusterSpec, network: Network, config: ConfigStore, tags: Tags, opts: pulumi.ResourceOptions
) -> ClusterImages:
    """Make the images that nodes use. `opts` must depend on the network, which the machines that make them need."""
    if not cluster.images:
        return ClusterImages(cluster=cluster, opts=opts)
    builder = ImageBuilder(f"{cluster.name}-images", builder_args(cluster, config, tags), opts)
    ready = depends_on(opts, *builder.ready)
    images = {
        recipe: BakedImage(
            f"{cluster.name}-image-{recipe}",
            baked_image_args(cluster, recipe, network, config, builder.instance_profile, tags),
            ready,
        )
        for recipe in made_recipes(cluster)
    }
    return ClusterImages(cluster=cluster, builder=builder, images=images, opts=opts)
