"""Which image the nodes of a description boot from."""

from collections.abc import Iterable, Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.nodes import HeadNode, LoginNodes
from hpc_components.spec.queues import Queue


def images(cluster: ClusterSpec) -> Iterator[tuple[Path, str, str | None]]:
    """Yield (path, machine type, image id) for the head node, login nodes and queues. The image id is that of the
    recipe's base if the nodes have a recipe, and None if the description doesn't specify an image.
    """
    for path, node in image_users(cluster):
        yield path, node.machine, cluster.base_of(node.image)


def image_users(cluster: ClusterSpec) -> Iterator[tuple[Path, HeadNode | LoginNodes | Queue]]:
    yield ("head_node",), cluster.head_node
    if cluster.login_nodes:
        yield ("login_nodes",), cluster.login_nodes
    for index, queue in enumerate(cluster.queues):
        yield ("queues", index), queue


def image_place(cluster: ClusterSpec, path: Path) -> Path:
    """Return the path of the image id of the nodes at `path`: that of their recipe's base, if they have a recipe."""
    recipe = recipe_of(cluster, path)
    return ("images", recipe, "base") if recipe else (*path, "image")


def recipe_of(cluster: ClusterSpec, path: Path) -> str | None:
    """Return the recipe of the nodes at `path`, or None if the stack does not make their image."""
    return next(cluster.recipe_of(node.image) for at, node in image_users(cluster) if at == path)


def has_recipe(cluster: ClusterSpec, path: Path) -> bool:
    """Return whether the nodes at `path` boot from an image that the stack makes. Its base is resolved once."""
    return recipe_of(cluster, path) is not None


def who(cluster: ClusterSpec, places: Iterable[Path]) -> str:
    """Return a phrase for the nodes at these paths, e.g. `head_node, queue gpu`."""
    return ", ".join(f"queue {cluster.queues[int(at[1])].name}" if at[0] == "queues" else str(at[0]) for at in places)
