from collections.abc import Iterator

from pulumi import Input

from hpc_components.aws.catalog.images import root_device
from hpc_components.aws.image_builder.component import BakedImageArgs, ImageBuilderArgs
from hpc_components.aws.images.args import image
from hpc_components.aws.ports import ConfigStore, Network
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.tags import Tags
from hpc_components.catalog import machine
from hpc_components.images.bundle import bundle
from hpc_components.images.recipes import root_gib, users_of
from hpc_components.images.version import image_version

_MACHINES = {
    "x86_64": ("c7i.2xlarge", "c6i.2xlarge", "m7i.2xlarge", "m6i.2xlarge"),
    "arm64": ("c7g.2xlarge", "c6g.2xlarge", "m7g.2xlarge", "m6g.2xlarge"),
}
"""Machine types for making images: 8 cores, because Lustre modules and DKMS drivers are compiled."""


BUCKETS = "s3://"


def builder_args(cluster: AwsClusterSpec, config: ConfigStore, tags: Tags) -> ImageBuilderArgs:
    return ImageBuilderArgs(
        config=config,
        reads=tuple(dict.fromkeys(_reads(cluster))),
        permissions_boundary=cluster.iam.permissions_boundary,
        role_path=cluster.iam.role_path,
        tags=tags,
    )


def _reads(cluster: AwsClusterSpec) -> Iterator[str]:
    source = cluster.slurm.package_source
    if source is not None and source.startswith(BUCKETS):
        yield f"{source.removeprefix(BUCKETS).rstrip('/')}/*"
    for script in cluster.scripts.values():
        if script.at == "image" and script.address and script.address.startswith(BUCKETS):
            yield script.address.removeprefix(BUCKETS)


def baked_image_args(
    cluster: AwsClusterSpec,
    recipe: str,
    network: Network,
    config: ConfigStore,
    instance_profile: Input[str],
    tags: Tags,
) -> BakedImageArgs:
    first = users_of(cluster, recipe)[0]
    base = image(cluster, first.machine, recipe)
    text, size = bundle(cluster, recipe), root_gib(cluster, recipe)
    return BakedImageArgs(
        recipe=recipe,
        version=image_version(text, base, {"root_gib": size}),
        bundle=text,
        base=base,
        machines=build_machines(cluster, first.machine),
        root_gib=size,
        root_device=root_device(cluster.os),
        region=cluster.region,
        zone=cluster.zone,
        network=network,
        config=config,
        instance_profile=instance_profile,
        tags=tags,
    )


def build_machines(cluster: AwsClusterSpec, machine_type: str) -> tuple[str, ...]:
    """Return the machine types that make an image for nodes of this type: those that the region offers, or the type
    itself if the catalogue lists none of them there.
    """
    facts = machine("aws", machine_type)
    known = (machine("aws", name) for name in _MACHINES[facts.arch if facts else "x86_64"])
    offered = tuple(
        each.name for each in known if each and cluster.zone in each.offered.get(cluster.region, "").split()
    )
    return offered or (machine_type,)
