"""Rules on the Lustre client of nodes."""

from collections.abc import Iterator

from hpc_components.aws.catalog.images import ImageParameter
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.aws.rules._public_images import lacks_client, public_images, uses_lustre
from hpc_components.aws.rules._stores import lustre_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import who
from hpc_components.wording import any_of


@rule("HPC-OSI-009", Level.ERROR)
def client_of_kernel(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """With Lustre, AWS has a Lustre client for the kernel of each image.

    AWS publishes the client some time after the kernel, but its GPU images contain the newest kernel. A node without
    the client shuts down at boot, so its queue never runs a job. The last image with an older kernel has a different
    id in each region: `aws ec2 describe-images --owners amazon --filters 'Name=name,Values=Deep Learning Base OSS
    Nvidia Driver GPU AMI (Ubuntu 24.04) 2026071*' --query 'sort_by(Images,&CreationDate)[-1].ImageId'`. If AWS has
    published the client since the date in the message, silence this rule with that reason. Source: FSx for Lustre
    user guide, "Lustre client compatibility matrix"; AWS Deep Learning AMI release notes.
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


@rule("HPC-FSX-025", Level.WARNING)
def lustre_over_efa(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A Lustre file system with `efa: true` has clients that are configured for EFA.

    The clients in public images are not. They use TCP, and the file system is no faster than without EFA. Source: FSx
    for Lustre user guide, "Configuring EFA clients".
    """
    for path, lustre in lustre_systems(cluster):
        fast = [queue for queue in cluster.queues if fabric_on(queue)]
        plain = [queue.name for queue in fast if queue.image is None]
        if lustre.efa and (plain or not fast):
            public = f"queue {any_of(plain)} has AWS's public image, whose client is not configured for EFA"
            yield Problem(
                path=(*path, "efa"),
                value=True,
                reason=f"{public if plain else 'no queue has EFA'}: nodes reach it over TCP",
                remedy="create an image with a client that is configured for EFA, and name it for the queue (image:"
                " ami-...); or remove efa: true, which can't be added later"
                if plain
                else "use machines with EFA, or remove efa: true",
            )


def _remedy(cluster: AwsClusterSpec, image: ImageParameter) -> str:
    """Return the remedy, with a command that finds the last supported image, if there was one."""
    own = "name an image with a supported kernel (image: ami-...)"
    if image.before is None:
        return own
    return (
        f"{own}; for the last one with kernel {image.before['kernel']}: aws ec2 describe-images --region"
        f" {cluster.region} --owners amazon --filters 'Name=name,Values={image.before['name']}' --query"
        " 'sort_by(Images,&CreationDate)[-1].ImageId' --output text"
    )
