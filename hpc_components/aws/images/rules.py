"""Rules on operating systems, machine images, and the images' Lustre client."""

from collections.abc import Iterator

from hpc_components.aws.catalog.images import ImageParameter
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.aws.images.public_images import lacks_client, public_images, uses_lustre
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, images, queue_machines, who


@rule("HPC-OSI-005", Level.INFO)
def image_unseen(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A custom image must match its machine, which can't be checked from the description.

    Its architecture, operating system and drivers must be right for the machine.
    """
    lustre = " and a kernel for which AWS has a Lustre client" if uses_lustre(cluster) else ""
    for path, name, image in images(cluster):
        machine = facts(cluster, name)
        if image is not None and machine:
            driver = f", the driver of {machine.accelerator.model}" if machine.accelerator else ""
            yield Problem(
                path=(*path, "image"),
                value=image,
                reason=f"the content of {image} is unknown here",
                remedy=f"make sure that it is {machine.arch}, with {cluster.os}{driver}{lustre}, in {cluster.region}",
            )


@rule("HPC-OSI-007", Level.WARNING)
def old_gpus(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Pre-Turing GPUs need an image with NVIDIA's proprietary driver.

    Public images contain the open kernel modules, which don't support these GPUs. Source: NVIDIA
    open-gpu-kernel-modules; ParallelCluster 3.16, which refuses P2, P3, G2 and G3 for this reason.
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if queue.image is None else ():
            if machine.family in ("p2", "p3", "p3dn", "g2", "g3", "g3s"):
                model = machine.accelerator.model if machine.accelerator else machine.family
                yield Problem(
                    path=path,
                    value=machine.name,
                    reason=f"the public image contains NVIDIA's open kernel modules, which don't support {model}",
                    remedy="name an image with the proprietary driver (image: ami-...), or a newer machine (g4dn or"
                    " g5)",
                )


@rule("HPC-OSI-008", Level.INFO)
def floating_image(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A node's image should not change over time.

    For some public images, there is only a name that refers to the newest version. Nodes of one queue may then
    differ, and a new kernel may not yet have a Lustre client, without which a node can't join. Source: the public
    Systems Manager parameters in the catalogue; FSx for Lustre user guide, "Lustre client compatibility matrix".
    """
    found: dict[str, list[Path]] = {}
    lustre = uses_lustre(cluster)
    for path, published in public_images(cluster):
        if published.floating and not (lustre and lacks_client(published)):
            found.setdefault(published.parameter, []).append(path)
    for parameter, places in found.items():
        yield Problem(
            path=(*places[0], "machine"),
            value=parameter,
            about={"image": parameter},
            places=tuple(places),
            reason=f"the image of {who(cluster, places)} is the newest one at each launch"
            + ("; its kernel may be too new for the Lustre client" if lustre else ""),
            remedy="name an image whose kernel the Lustre client supports (image: ami-...)"
            if lustre
            else "create an image from a working node, and name it (image: ami-...)",
            level=Level.WARNING if lustre else None,
        )


@rule("HPC-OSI-009", Level.ERROR)
def client_of_kernel(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """If a cluster uses Lustre, AWS must offer a Lustre client for each image's kernel.

    AWS publishes the client some time after the kernel, but its GPU images contain the newest kernel. A node without
    the client shuts down at boot, so its queue never runs a job. The last image with an older kernel has a different
    id in each region: `aws ec2 describe-images --owners amazon --filters 'Name=name,Values=Deep Learning Base OSS
    Nvidia Driver GPU AMI (Ubuntu 24.04) 2026071*' --query 'sort_by(Images,&CreationDate)[-1].ImageId'`. If AWS has
    published the client since the date in the message, silence this rule and give that as the reason. Source: FSx for
    Lustre user guide, "Lustre client compatibility matrix"; AWS Deep Learning AMI release notes.
    """
    client = lustre_client(cluster.os)
    if client is None or not uses_lustre(cluster):
        return
    found: dict[str, tuple[ImageParameter, list[Path]]] = {}
    for path, image in public_images(cluster):
        if lacks_client(image):
            found.setdefault(image.parameter, (image, []))[1].append(path)
    for image, places in found.values():
        yield Problem(
            path=(*places[0], "machine"),
            value=image.parameter,
            about={"image": image.parameter},
            places=tuple(places),
            reason=f"the newest image, used by {who(cluster, places)}, {'probably ' * bool(image.unsure)}has kernel"
            f" {image.kernel} ({image.as_of}), but AWS's Lustre client supports {client.kernel} at most"
            f" ({client.as_of}): nodes would shut down at boot",
            remedy=_remedy(cluster, image),
        )


def _remedy(cluster: AwsClusterSpec, image: ImageParameter) -> str:
    """Return the remedy, including a command that finds the last supported image, if there was one."""
    own = "name an image with a supported kernel (image: ami-...)"
    if image.before is None:
        return own
    return (
        f"{own}; for the last one with kernel {image.before['kernel']}: aws ec2 describe-images --region"
        f" {cluster.region} --owners amazon --filters 'Name=name,Values={image.before['name']}' --query"
        " 'sort_by(Images,&CreationDate)[-1].ImageId' --output text"
    )
