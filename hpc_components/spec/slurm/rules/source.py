from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.node_images import image_users
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.sources import slurm_sources, source_of
from hpc_components.wording import any_of


@rule("HPC-SLM-043", Level.ERROR)
def known_source(cluster: ClusterSpec) -> Iterator[Problem]:
    """Slurm can be built from source only in a release whose source has a known checksum, and instead of packages.

    Nodes run what they build as root, so they build only a file whose SHA-256 several projects publish. Source: the
    catalogue of Slurm's sources.
    """
    slurm = cluster.slurm
    if not slurm.from_source:
        return
    if slurm.package_source is not None:
        yield Problem(
            path=("slurm", "package_source"),
            value=slurm.package_source,
            reason="Slurm can't be both installed from packages and built from source",
            remedy="remove package_source, or remove from_source",
        )
    if source_of(slurm.version) is None:
        releases = [f'"{known.release}"' for known in slurm_sources()]
        yield Problem(
            path=("slurm", "version") if slurm.given("version") else ("slurm", "from_source"),
            value=slurm.version if slurm.given("version") else True,
            reason=f"no checksum is known for the source of Slurm {slurm.version}",
            remedy=f"use slurm.version: {any_of(releases)}, or packages of Slurm {slurm.version} (package_source)",
        )


@rule("HPC-SLM-044", Level.WARNING)
def built_at_boot(cluster: ClusterSpec) -> Iterator[Problem]:
    """Nodes of queues should have an image that contains Slurm, if it is built from source.

    Otherwise every new node of a queue installs a compiler and builds Slurm before it joins: minutes in which the
    whole machine is paid for, and only with access to the internet. Source: measured, five minutes on two CPUs.
    """
    if not cluster.slurm.from_source:
        return
    places = tuple(path for path, node in image_users(cluster) if path[0] == "queues" and node.image is None)
    if places:
        yield Problem(
            path=("slurm", "from_source"),
            places=places,
            reason="each new node of a queue without its own image builds Slurm at boot, which takes minutes",
            remedy="describe a recipe under images, and name it under the queue's image, or use packages "
            "(package_source)",
        )
