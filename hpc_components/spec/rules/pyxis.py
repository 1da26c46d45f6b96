"""Containers that jobs run in by `srun --container-image`."""

from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.node_images import image_users
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.settings import global_settings

PYXIS = ("software", "pyxis")


def _pyxis(cluster: ClusterSpec) -> bool:
    return cluster.software is not None and cluster.software.pyxis


def _without_image(cluster: ClusterSpec) -> tuple[Path, ...]:
    return tuple(path for path, node in image_users(cluster) if node.image is None)


@rule("HPC-SFT-012", Level.ERROR)
def pyxis_within_reach(cluster: ClusterSpec) -> Iterator[Problem]:
    """Nodes without a way to the internet need an image that contains Enroot and Pyxis.

    Nodes build both from their sources, which are on the internet.
    """
    network = cluster.network
    places = _without_image(cluster)
    if _pyxis(cluster) and network.cidr is not None and network.nat == "none" and places:
        yield Problem(
            path=PYXIS,
            value=True,
            places=places,
            reason="without NAT, nodes can't fetch the sources of Enroot and Pyxis, and these nodes have no image of "
            "their own",
            remedy="use network.nat: one, or name images that contain both",
        )


@rule("HPC-SFT-013", Level.WARNING)
def pyxis_built_at_boot(cluster: ClusterSpec) -> Iterator[Problem]:
    """Nodes of queues should have an image that contains Enroot and Pyxis.

    Otherwise every new node of a queue builds both before it joins. Source: measured, 48 seconds of CPU time on
    Debian 12, besides the installation of a compiler.
    """
    places = tuple(path for path in _without_image(cluster) if path[0] == "queues")
    if _pyxis(cluster) and places:
        yield Problem(
            path=PYXIS,
            value=True,
            places=places,
            reason="each new node of a queue without its own image builds Enroot and Pyxis at boot",
            remedy="describe a recipe under images, and name it under the queue's image",
        )


@rule("HPC-SFT-014", Level.ERROR)
def pyxis_has_the_plugstack(cluster: ClusterSpec) -> Iterator[Problem]:
    """`slurm.settings` must not name a `PlugStackConfig` besides Pyxis.

    Slurm reads one such file, and nodes write the one by which it finds Pyxis. Source: slurm.conf(5),
    PlugStackConfig.
    """
    setting = global_settings(cluster).get("plugstackconfig")
    if _pyxis(cluster) and setting is not None:
        yield Problem(
            path=setting.path,
            value=setting.value,
            reason="Slurm reads one file of plugins, and with software.pyxis nodes write it themselves",
            remedy="remove it, or leave software.pyxis out and set up Pyxis in your own image",
        )
