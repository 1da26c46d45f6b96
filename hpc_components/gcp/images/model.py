"""The named image of a node in a description, and the order that it forms."""

from typing import TYPE_CHECKING

from hpc_components.catalog.machine_type import Machine
from hpc_components.gcp.images.offer import ImageOrder
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Model
from hpc_components.spec.surfaces import Key, Keys, Surface, described

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec

KEYS: Keys = {
    "image": Key(("image",)),
    "os": Key(("os",), outside=True),
    "machine": Key(("machine",)),
}
"""Keys of a node by the fields of an order."""


def order_of(
    node: Model, path: Path, cluster: "GcpClusterSpec", *, image: str, machine: Machine
) -> tuple[ImageOrder, Surface]:
    """Return the order of the image of the node at `path` of a cluster, and its surface."""
    return ImageOrder(image=image, os=cluster.os, machine=machine), described(node, path, KEYS, cluster)
