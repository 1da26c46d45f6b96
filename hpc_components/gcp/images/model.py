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


def order_of(
    node: Model, path: Path, cluster: "GcpClusterSpec", *, image: str, machine: Machine
) -> tuple[ImageOrder, Surface]:
    return ImageOrder(image=image, os=cluster.os, machine=machine), described(node, path, KEYS, cluster)
