"""Model of the recipes by which a stack makes images for its nodes."""

from hpc_components.spec.model import Int, Model


class ImageRecipe(Model):
    """How to make an image: the packages, drivers and settings of its nodes are added to a base image, once, so that
    nodes need not do it each time they boot. Nodes use it by its name: `image: cpu`."""

    base: str | None = None
    """Image id to begin with. Default: the image that the nodes would have without a recipe."""
    nvidia_driver: str | None = None
    """Branch of NVIDIA's driver to install for nodes with NVIDIA GPUs, e.g. `"580"`. The base is then a public image
    without a driver, whose kernel the Lustre client supports. Default: none, because the public images for nodes with
    GPUs contain a driver."""
    keep: Int = 3
    """Number of versions to keep, the one in use included. Older ones are deleted."""
