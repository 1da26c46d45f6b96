import pulumi

from hpc_components.gcp.image_builder.args import baked_image_args, builder_args
from hpc_components.gcp.image_builder.component import BakedImage, ImageBuilder
from hpc_components.gcp.ports import ConfigStore, Network
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.images.recipes import made_recipes
from hpc_components.made_images import MadeImages
from hpc_components.resource_options import depends_on


def images_of_cluster(
    cluster: GcpClusterSpec, network: Network, config: ConfigStore, tags: Tags, opts: pulumi.ResourceOptions
) -> MadeImages[BakedImage]:
    """Make the images that nodes use. `opts` must depend on the network, which the machines that make them need."""
    recipes = made_recipes(cluster)
    if not recipes:
        return MadeImages()
    builder = ImageBuilder(f"{cluster.name}-images", builder_args(cluster, config), opts)
    ready = depends_on(opts, *builder.ready)
    return MadeImages(
        images={
            recipe: BakedImage(
                f"{cluster.name}-image-{recipe}",
                baked_image_args(cluster, recipe, builder, network, config, tags),
                ready,
            )
            for recipe in recipes
        }
    )
