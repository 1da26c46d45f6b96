from collections.abc import Iterator

from hpc_components.aws.catalog.images import ImageParameter, driver_for, image_parameter
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.aws.images.public_images import lacks_client, public_images
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog.nvidia_drivers import nvidia_drivers
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.node_images import has_recipe, image_place, images, who
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import queue_machines
from hpc_components.spec.stores import uses_lustre


@rule("HPC-OSI-005", Level.INFO)
def image_unseen(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A custom image must match its machine type.

    The image's architecture, operating system and drivers must suit the machine. The description doesn't show what an
    image contains, so this rule can only remind you to check.
    """
    lustre = " and a kernel that AWS's Lustre client supports" if uses_lustre(cluster) else ""
    joint = ", " if lustre else " and "
    for path, _, image, machine in images(cluster):
        if image is not None and machine:
            driver = f"{joint}the {machine.accelerator.model} driver" if machine.accelerator else ""
            yield Problem(
                path=image_place(cluster, path),
                value=image,
                reason=f"the description does not show what {image} contains",
                remedy=f"make sure that this is an {machine.arch} image in {cluster.region} with "
                f"{cluster.os}{driver}{lustre}",
            )


@rule("HPC-OSI-007", Level.WARNING)
def old_gpus(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Pre-Turing GPUs must use an image with NVIDIA's proprietary driver.

    Public images contain the open kernel modules, which don't support these GPUs. Source: NVIDIA
    open-gpu-kernel-modules; ParallelCluster 3.16, which refuses P2, P3, G2 and G3 for this reason.
    """
    for index, queue in enumerate(cluster.queues):
        if cluster.base_of(queue.image) is not None or cluster.nvidia_driver_of(queue.image):
            continue
        for path, machine in queue_machines(index, queue):
            image = image_parameter(cluster.os, machine.arch, driver_for(machine))
            if machine.accelerator and image and not image.drives(machine):
                yield Problem(
                    path=path,
                    value=machine.name,
                    reason="the public image contains NVIDIA's open kernel modules, which don't support "
                    f"{machine.accelerator.model}",
                    remedy="specify an image with the proprietary driver (image: ami-...), or use a newer machine "
                    "type (g4dn or g5)",
                )


@rule("HPC-OSI-008", Level.INFO)
def floating_image(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A node's image should not change over time.

    Some public images have only a name that always refers to the newest version. Nodes in the same queue may then run
    different versions, and the newest kernel may not have a Lustre client yet; without one, a node can't join.
    Source: the public Systems Manager parameters in the catalogue; FSx for Lustre user guide, "Lustre client
    compatibility matrix".
    """
    found: dict[str, list[Path]] = {}
    lustre = uses_lustre(cluster)
    for path, published in public_images(cluster):
        if has_recipe(cluster, path):
            continue
        if published.floating and not (lustre and lacks_client(published)):
            found.setdefault(published.parameter, []).append(path)
    for parameter, places in found.items():
        yield Problem(
            path=(*places[0], "machine"),
            value=parameter,
            about={"image": parameter},
            places=tuple(places),
            reason=f"the image for {who(cluster, places)} is whichever version is newest at launch"
            + ("; that version's kernel may be too new for the Lustre client" if lustre else ""),
            remedy="specify an image whose kernel the Lustre client supports (image: ami-...)"
            if lustre
            else "create an image from a working node, and specify it (image: ami-...)",
            level=Level.WARNING if lustre else None,
        )


@rule("HPC-OSI-009", Level.ERROR)
def client_of_kernel(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """If a cluster uses Lustre, AWS must offer a Lustre client for each image's kernel.

    AWS publishes the client some time after the kernel, but its GPU images contain the newest kernel. A node without
    the client shuts down at boot, so its queue never runs a job. The id of the last image with an older kernel
    differs by region; find it with `aws ec2 describe-images --owners amazon --filters 'Name=name,Values=Deep Learning
    Base OSS Nvidia Driver GPU AMI (Ubuntu 24.04) 2026071*' --query 'sort_by(Images,&CreationDate)[-1].ImageId'`. If
    AWS has published a client for the kernel since the date in the message, silence this rule and give that as the
    reason. Source: FSx for Lustre user guide, "Lustre client compatibility matrix"; AWS Deep Learning AMI release
    notes.
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
            reason=f"the newest image, used by {who(cluster, places)}, {'probably ' * bool(image.unsure)}has kernel "
            f"{image.kernel} ({image.as_of}), but AWS's Lustre client supports kernels only up to "
            f"{client.kernel} ({client.as_of}), so nodes would shut down at boot",
            remedy=_remedy(cluster, image),
        )


def _remedy(cluster: AwsClusterSpec, image: ImageParameter) -> str:
    own = "specify an image with a supported kernel (image: ami-...)"
    branches = [driver.branch for driver in nvidia_drivers() if driver.os == image.os and image.arch in driver.arch]
    if image.accelerator == "nvidia" and branches:
        own = f'use a recipe that installs the driver (images: {{gpu: {{nvidia_driver: "{branches[0]}"}}}}), or {own}'
    if image.before is None:
        return own
    return (
        f"{own}; to find the last one with kernel {image.before['kernel']}, run: aws ec2 describe-images "
        f"--region {cluster.region} --owners amazon --filters 'Name=name,Values={image.before['name']}' "
        "--query 'sort_by(Images,&CreationDate)[-1].ImageId' --output text"
    )
