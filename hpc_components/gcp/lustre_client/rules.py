from collections.abc import Iterator

from hpc_components.gcp.catalog.images import image_of, public_image, release_with_lustre
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.lustre_client.packages import lustre_client
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.node_images import image_place, images
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._lustre_clients import unpublished_client
from hpc_components.spec.stores import systems


@rule("HPC-GML-010", Level.ERROR)
def client_of_os(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Use an operating system for which Google publishes a Lustre client, or use custom images on all nodes.

    The client is a kernel module, which Google builds for Ubuntu and Rocky Linux. If sources disagree about an
    operating system, as they do about Debian 12, or name only one with the same kernels, as for AlmaLinux, the
    finding is only a warning. Source: Managed Lustre documentation, "Connect from Compute Engine".
    """
    mounted = [store.mount for _, store in systems(cluster, Lustre, new=False)]
    yield from unpublished_client(cluster, "Google", mounted, lustre_client)


@rule("HPC-GML-011", Level.ERROR)
def client_of_kernel(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """With Lustre, an image must have a kernel for which Google publishes a client.

    A node without the client shuts itself down at boot, so its queue never runs a job. If Google has published a
    client for this kernel since the date in the message, silence the finding and give that as the reason. Source:
    Managed Lustre documentation, "Connect from Compute Engine"; Artifact Registry, project lustre-client-binaries.
    """
    client = lustre_client(cluster.os)
    if client is None or not any(systems(cluster, Lustre, new=False)):
        return
    seen: set[str] = set()
    for path, _, own, machine in images(cluster):
        fit = image_of(cluster.os, machine, client.kernel) if machine else None
        image = public_image(own) if own else fit
        if image is None or image.id in seen or image.os != cluster.os:
            continue
        if not client.lacks(image.kernel):
            continue
        seen.add(image.id)
        known = "" if not {"kernel"} & {*image.unsure, *client.unsure} else ", as far as we know"
        older = fit is not None and fit.kernel is not None and not client.lacks(fit.kernel)
        yield Problem(
            path=image_place(cluster, path) if own else (*path, "machine"),
            value=own or image.id,
            reason=f"{own or image.id} has kernel {image.kernel}{known}, but Google's Lustre client supports only "
            f"kernels up to {client.kernel} (as of {client.as_of}), so nodes would shut themselves down at "
            "boot",
            remedy=(f"use {fit.id}" if fit and older else f"use an image with kernel {client.kernel}")
            + ", or use a custom image that includes the client, or check for a newer client with: gcloud "
            "artifacts packages list --project lustre-client-binaries --location us --repository "
            f"{client.repository}",
        )


@rule("HPC-GML-012", Level.WARNING)
def client_of_unknown_kernel(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """With Lustre, avoid images whose kernel is unknown, because Google may not publish a client for it.

    No source states which kernels Google's GPU images have, and a node without the client shuts itself down at boot,
    after several billed minutes. Google's own example installs the client on one particular release. Source: Cluster
    Toolkit 1.95.0, examples/machine-learning/a3-ultragpu-8g (install_managed_lustre).
    """
    if lustre_client(cluster.os) is None or not any(systems(cluster, Lustre, new=False)):
        return
    for path, _, own, machine in images(cluster):
        image = public_image(own) if own else image_of(cluster.os, machine) if machine else None
        if image is None or image.kernel is not None or image.lustre or machine is None:
            continue
        proven = release_with_lustre(cluster.os, machine)
        yield Problem(
            path=image_place(cluster, path) if own else (*path, "machine"),
            value=own or image.id,
            reason=f"no source states which kernel {own or image.id} has, and Google's Lustre client supports only "
            "some kernels: with any other kernel, nodes would shut themselves down at boot",
            remedy=(f"use image: {proven.id}, or " if proven else "")
            + "try a single node first, or use a custom image that includes the client",
        )
