"""Which nodes use a recipe, and what that means for its image."""

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.node_images import image_users
from hpc_components.spec.nodes import HeadNode, LoginNodes
from hpc_components.spec.queue_defaults import root_size
from hpc_components.spec.queues import Queue


def made_recipes(cluster: ClusterSpec) -> tuple[str, ...]:
    """Return the recipes whose images are made: those that nodes use."""
    return tuple(name for name in cluster.images if users_of(cluster, name))


def users_of(cluster: ClusterSpec, recipe: str) -> tuple[HeadNode | LoginNodes | Queue, ...]:
    return tuple(node for _, node in image_users(cluster) if node.image == recipe)


def root_gib(cluster: ClusterSpec, recipe: str) -> int:
    """Return the size of an image's disk: that of the smallest root disk among its nodes, because a disk can't be
    smaller than its image.
    """
    sizes = [root_size(node) if isinstance(node, Queue) else node.root.size for node in users_of(cluster, recipe)]
    return int(min(size.in_gib for size in sizes))
