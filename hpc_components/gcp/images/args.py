from collections.abc import Mapping

from pulumi import Input

from hpc_components.catalog import operating_system
from hpc_components.gcp.catalog.images import image_of
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.lustre_client.packages import lustre_client
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.node_images import machine_of_base


def image(cluster: GcpClusterSpec, machine_type: str, own: str | None) -> str:
    """Return the image `own` if it is specified, otherwise a public image whose kernel the Lustre client supports."""
    base = cluster.base_of(own)
    if base is not None:
        return base
    facts = machine_of_base(cluster, machine_type, own)
    client = lustre_client(cluster.os) if any(isinstance(each, Lustre) for each in cluster.storage.values()) else None
    found = image_of(cluster.os, facts, client.kernel if client else None) if facts else None
    if found is None:
        raise ValueError(
            f"the catalogue has no {cluster.os} image for {machine_type}; specify your own image with image: "
            "projects/<project>/global/images/<name>"
        )
    return found.id


def node_image(
    cluster: GcpClusterSpec, machine_type: str, own: str | None, made: Mapping[str, Input[str]]
) -> Input[str]:
    """Return the image that a recipe of the stack has made, if `own` names one. `made` maps recipes to images."""
    found = None if own is None else made.get(own)
    return found if found is not None else image(cluster, machine_type, own)


def run_by_agent(cluster: GcpClusterSpec) -> bool:
    """Return whether Google's guest agent runs the boot script. Google's images of Rocky Linux have no cloud-init.

    Source: Cluster Toolkit 1.95.0, which starts them with the metadata key `startup-script`.
    """
    system = operating_system(cluster.os)
    return system is not None and system.family == "redhat"
