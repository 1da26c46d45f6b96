from collections.abc import Iterator

from hpc_components.azure.catalog.images import image_of, public_image
from hpc_components.azure.catalog.images import images as public_images
from hpc_components.azure.lustre_client.packages import lustre_client
from hpc_components.azure.rules._stores import lustre_systems
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.node_images import image_place, images
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._lustre_clients import unpublished_client
from hpc_components.spec.rules._systems import use_system


@rule("HPC-AML-019", Level.ERROR)
def client_of_os(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Use an operating system that Microsoft publishes a Managed Lustre client for, or custom images on all nodes.

    The client is a kernel module, which Microsoft builds for Ubuntu, Red Hat Enterprise Linux and AlmaLinux. For
    Rocky Linux, which the documentation doesn't name, the finding is only a warning. Source: Azure Managed Lustre
    documentation, "Install clients".
    """
    mounted = [store.mount for _, store in lustre_systems(cluster, new=False)]
    yield from unpublished_client(cluster, "Microsoft", mounted, lustre_client)


@rule("HPC-AML-020", Level.ERROR)
def client_of_kernel(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """In a cluster with Lustre, every image must have a kernel that Microsoft publishes a client for.

    A node without the client shuts down at boot, so its queue never runs a job. If Microsoft has published a suitable
    client since the date in the message, silence this rule and give that as the reason. Source: Azure Managed Lustre
    documentation, "Install clients".
    """
    client = lustre_client(cluster.os)
    if client is None or not any(lustre_systems(cluster, new=False)):
        return
    found: dict[str, tuple[str, list[Path]]] = {}
    for path, _, own, machine in images(cluster):
        image = public_image(own) if own else image_of(cluster.os, machine) if machine else None
        if image and image.kernel and image.os == cluster.os and client.lacks(image.kernel):
            places = found.setdefault(image.id, (image.kernel, []))[1]
            places.append(image_place(cluster, path) if own else (*path, "machine"))
    equipped = next((each.id for each in public_images() if each.os == cluster.os and "lustre" in each.software), "")
    for urn, (kernel, places) in found.items():
        yield Problem(
            path=places[0],
            value=urn,
            places=tuple(places),
            reason=f"image {urn} has kernel {kernel}, but Microsoft's newest Lustre client is for {client.kernel} "
            f"(as of {client.as_of}), so nodes would shut down at boot",
            remedy=f"use image: {equipped}, which includes the client" if equipped else use_system(cluster),
        )
