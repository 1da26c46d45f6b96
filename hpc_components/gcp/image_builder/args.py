from hpc_components.catalog import machine
from hpc_components.gcp.image_builder.component import BakedImageArgs, ImageBuilder, ImageBuilderArgs
from hpc_components.gcp.images.args import image
from hpc_components.gcp.ports import ConfigStore, Network
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.images.bundle import bundle
from hpc_components.images.recipes import root_gib, users_of
from hpc_components.images.version import image_version

_MACHINES = {"x86_64": ("n2-standard-8", "pd-balanced"), "arm64": ("c4a-standard-8", "hyperdisk-balanced")}
"""Machine types for making images, and the types of their disks. They have 8 processors, because Lustre modules and
DKMS drivers are compiled. Source: Compute Engine documentation, "Machine families resource and comparison guide"."""


def builder_args(cluster: GcpClusterSpec, config: ConfigStore) -> ImageBuilderArgs:
    return ImageBuilderArgs(project=cluster.project, config=config, prefix=f"{cluster.name}-image-")


def baked_image_args(
    cluster: GcpClusterSpec, recipe: str, builder: ImageBuilder, network: Network, config: ConfigStore, tags: Tags
) -> BakedImageArgs:
    first = users_of(cluster, recipe)[0]
    facts = machine("gcp", first.machine)
    kind, disk_type = _MACHINES[facts.arch if facts else "x86_64"]
    base = image(cluster, first.machine, recipe)
    text, size = bundle(cluster, recipe), root_gib(cluster, recipe)
    return BakedImageArgs(
        project=cluster.project,
        zone=cluster.zone,
        recipe=recipe,
        version=image_version(text, base, {"root_gib": size, "machine": kind}),
        bundle=text,
        base=base,
        machine=kind,
        disk_type=disk_type,
        root_gib=size,
        network=network,
        config=config,
        identity=builder.identity,
        keep=cluster.images[recipe].keep,
        tags=tags,
    )
