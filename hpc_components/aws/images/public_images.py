from collections.abc import Iterator

from hpc_components.aws.catalog.images import ImageParameter, driver_for, image_parameter
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.node_images import images


def public_images(cluster: AwsClusterSpec) -> Iterator[tuple[Path, ImageParameter]]:
    for path, _, own, machine in images(cluster):
        published = (
            image_parameter(cluster.os, machine.arch, driver_for(machine)) if machine and own is None else None
        )
        if published:
            yield path, published


def lacks_client(image: ImageParameter) -> bool:
    """Return whether the image's kernel is known to be newer than any kernel that AWS's Lustre client supports."""
    client = lustre_client(image.os)
    return client is not None and client.lacks(image.kernel)
