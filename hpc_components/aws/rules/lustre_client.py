"""The rule on the kernel of images, for which AWS must have a Lustre client."""

from collections.abc import Iterator

from hpc_components.aws.catalog.images import ImageParameter
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.aws.rules._public_images import lacks_client, public_images, uses_lustre
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import who


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
