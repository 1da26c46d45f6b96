"""Which nodes have a public image, and whether their Lustre client is to be had."""

from collections.abc import Iterator

from hpc_components.aws.catalog.images import ImageParameter, driver_for, image_parameter
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Lustre
from hpc_components.catalog.kernels import is_newer
from hpc_components.spec.findings import Path
from hpc_components.spec.rules._fleet import facts, images


def public_images(cluster: AwsClusterSpec) -> Iterator[tuple[Path, ImageParameter]]:
    """Whoever has the public image of the cluster's system, and which that is."""
    for path, name, own in images(cluster):
        machine = facts(cluster, name)
        published = (
            image_parameter(cluster.os, machine.arch, driver_for(machine)) if machine and own is None else None
        )
        if published:
            yield path, published


def uses_lustre(cluster: AwsClusterSpec) -> bool:
    """Whether nodes mount Lustre, and so need its client."""
    return any(isinstance(storage, Lustre) for storage in cluster.storage.values())


def lacks_client(image: ImageParameter) -> bool:
    """Whether the kernel in an image is newer than all that AWS has a client for, as far as is known."""
    client = lustre_client(image.os)
    if client is None or client.kernel is None or image.kernel is None:
        return False
    return is_newer(image.kernel, client.kernel)
