"""Which image the nodes of a description boot from."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from hpc_components.catalog import Machine, machine
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.nodes import HeadNode, LoginNodes
from hpc_components.spec.queues import Queue


class BaseOfNodes(NamedTuple):
    """The image that the head node, the login nodes or a queue's nodes begin with."""

    path: Path
    machine_type: str
    id: str | None
    """The image id: that of the recipe's base if the nodes have a recipe, and None if the description doesn't specify
    an image."""
    machine: Machine | None
    """What the base must suit, or None if the catalogue doesn't list the machine type."""


def images(cluster: ClusterSpec) -> Iterator[BaseOfNodes]:
    """Yield the bases of the head node, login nodes and queues."""
    for path, node in image_users(cluster):
        base = cluster.base_of(node.image)
        yield BaseOfNodes(path, node.machine, base, machine_of_base(cluster, node.machine, node.image))


def machine_of_base(cluster: ClusterSpec, machine_type: str, image: str | None) -> Machine | None:
    """Return the machine that the base of nodes with this `image` must suit: one without GPUs, if their recipe
    brings the driver. Return None if the catalogue doesn't list the machine type.
    """
    found = machine(cluster.cloud, machine_type)
    return replace(found, accelerator=None) if found and cluster.nvidia_driver_of(image) else found


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
