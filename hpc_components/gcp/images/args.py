"""Determines the image id for described nodes."""

from hpc_components.catalog import machine
from hpc_components.gcp.images.offer import image_of
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.lustre_client.packages import lustre_client
from hpc_components.gcp.spec.cluster import GcpClusterSpec


def image(cluster: GcpClusterSpec, machine_type: str, own: str | None) -> str:
    """Return the given image or, by default, one for the machine with a kernel that the Lustre client supports."""
    if own is not None:
        return own
    facts = machine("gcp", machine_type)
    client = lustre_client(cluster.os) if any(isinstance(each, Lustre) for each in cluster.storage.values()) else None
    found = image_of(cluster.os, facts, client.kernel if client else None) if facts else None
    if found is None:
        raise ValueError(
            f"the catalogue has no image of {cluster.os} for {machine_type}; name one as image:"
            " projects/<project>/global/images/<name>"
        )
    return found.id
