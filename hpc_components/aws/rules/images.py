"""Rules on operating systems and machine images."""

import re
from collections.abc import Iterator
from typing import get_args

from hpc_components.aws.catalog.images import image_parameter
from hpc_components.aws.rules._public_images import driver, images, lacks_client, public_images, uses_lustre, who
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import OperatingSystem, operating_system, operating_systems
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, queue_machines
from hpc_components.spec.slurm import Slurm
from hpc_components.spec.slurm.packages import own_slurm
from hpc_components.wording import any_of, did_you_mean

__all__: list[str] = []


def _usable() -> list[OperatingSystem]:
    return [system for system in operating_systems() if system.status in ("default", "supported")]


@rule("HPC-OSI-001", Level.ERROR)
def known_os(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The operating system is one that nodes can be made of, in our spelling.

    Source: the catalogue's operating systems.
    """
    system = operating_system(cluster.os)
    if system and (system.status == "retired" or (system in _usable() and system.name == cluster.os)):
        return
    names = [usable.name for usable in _usable()]
    if system is None:
        reason = f"{cluster.os!r} is no operating system that we know"
        remedy = did_you_mean(cluster.os, names, f"use one of {', '.join(names)}", cutoff=0.7)
    elif system.status == "unsupported":
        reason, remedy = f"nodes can't be made of {system.title} here", f"use one of {', '.join(names)}"
    else:
        reason, remedy = f"{cluster.os!r} is another tool's name for {system.title}", f"write {system.name}"
    yield Problem(path=("os",), value=cluster.os, reason=reason, remedy=remedy)


@rule("HPC-OSI-002", Level.ERROR)
def living_os(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The operating system still gets security fixes.

    After its end, packages disappear and EFA, Lustre and GPU drivers are no longer built for it. Source: the makers'
    release cycles, as in the catalogue.
    """
    system = operating_system(cluster.os)
    if system and system.status == "retired":
        family = system.name.split("-")[0].rstrip("0123456789")
        heirs = [usable.name for usable in _usable() if usable.name.startswith(family)]
        yield Problem(
            path=("os",),
            value=cluster.os,
            reason=f"{system.title} ended on {system.end_of_life}",
            remedy=f"use {any_of(dict.fromkeys([*heirs, _usable()[0].name]))}",
        )


@rule("HPC-OSI-003", Level.ERROR)
def slurm_of_os(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The release of Slurm is the operating system's own, or it is said where it comes from.

    Source: the systems' package archives.
    """
    system, wanted = operating_system(cluster.os), cluster.slurm.version
    if system not in _usable() or system is None or cluster.slurm.package_source is not None:
        return
    own = own_slurm(system.name)
    if own != wanted:
        brings = f"{system.title} brings Slurm {own}" if own else f"{system.title} has no Slurm among its packages"
        given = cluster.given("slurm") and cluster.slurm.given("version")
        like = [usable.name for usable in _usable() if own_slurm(usable.name) == wanted]
        yield Problem(
            path=("slurm", "version") if given else ("os",),
            value=wanted if given else cluster.os,
            reason=f"{brings}, and {wanted} is wanted",
            remedy=(
                f"use slurm.version: {own}, or " if own in get_args(Slurm.model_fields["version"].annotation) else ""
            )
            + (f"use os: {any_of(like)}, or " if like else "")
            + "add slurm.package_source: the s3:// or https:// address of packages",
        )


@rule("HPC-OSI-004", Level.ERROR)
def image_ids(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The id of an image is written as EC2 writes it.

    A launch template takes any text; EC2 looks at it when a node is launched, and none starts.
    Source: EC2 user guide, "Create a launch template": parameters are not fully validated.
    """
    for path, _, image in images(cluster):
        if image is not None and not re.fullmatch(r"ami-([0-9a-f]{8}|[0-9a-f]{17})", image):
            yield Problem(
                path=(*path, "image"),
                value=image,
                reason=f"{image!r} is not the id of an image",
                remedy="write it like ami-0123456789abcdef0; a name or parameter does not stay the same image",
            )


@rule("HPC-OSI-005", Level.INFO)
def image_unseen(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """What is in an image of your own can't be seen from here.

    Architecture, system and drivers must be what its machine needs.
    """
    for path, name, image in images(cluster):
        machine = facts(cluster, name)
        if image is not None and machine:
            driver = f", the driver of {machine.accelerator.model}" if machine.accelerator else ""
            yield Problem(
                path=(*path, "image"),
                value=image,
                reason=f"nothing is known of {image}",
                remedy=f"make sure that it is {machine.arch}, with {cluster.os}{driver}, in {cluster.region}",
            )


@rule("HPC-OSI-006", Level.ERROR)
def image_published(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """There is a public image of the operating system for every machine that has no image of its own.

    With GPUs or Trainium it must hold their driver. Source: the public Systems Manager parameters of Canonical,
    Debian and AWS, as in the catalogue.
    """
    system = operating_system(cluster.os)
    if system is None or system not in _usable():
        return
    for path, name, image in images(cluster):
        machine = facts(cluster, name)
        if image is None and machine and image_parameter(system.name, machine.arch, driver(machine)) is None:
            with_driver = f" with a driver for {machine.accelerator.model}" if machine.accelerator else ""
            others = [s.name for s in _usable() if image_parameter(s.name, machine.arch, driver(machine)) is not None]
            yield Problem(
                path=(*path, "machine"),
                value=name,
                reason=f"nobody publishes an image of {system.title} for {machine.arch}{with_driver}",
                remedy="name an image of your own (image: ami-...)"
                + (f", or use os: {any_of(others)}" if others else ""),
            )


@rule("HPC-OSI-007", Level.WARNING)
def old_gpus(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """GPUs before Turing have an image with NVIDIA's closed driver.

    The public images hold the open kernel modules, which do not know them. Source: NVIDIA open-gpu-kernel-modules;
    ParallelCluster 3.16, which refuses P2, P3, G2 and G3 for it.
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if queue.image is None else ():
            if machine.family in ("p2", "p3", "p3dn", "g2", "g3", "g3s"):
                model = machine.accelerator.model if machine.accelerator else machine.family
                yield Problem(
                    path=path,
                    value=machine.name,
                    reason=f"NVIDIA's open kernel modules, which the public image holds, do not know {model}",
                    remedy="name an image with the closed driver (image: ami-...), or use g4dn or newer",
                )


@rule("HPC-OSI-008", Level.INFO)
def floating_image(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Nodes have the same image today and next month.

    Some public images are named only by "the newest": nodes of one queue may then differ, and a new kernel may have
    no Lustre client yet, without which a node does not join. Source: the public Systems Manager parameters in the
    catalogue; FSx for Lustre user guide, "Lustre client compatibility matrix".
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
            reason=f"the image of {who(cluster, places)} is whatever is the newest when a node is launched"
            + (": its kernel may be too new for the Lustre client" if lustre else ""),
            remedy="name one whose kernel AWS has a Lustre client for (image: ami-...); nodes without one never join"
            if lustre
            else "make an image of a node that works, and name it (image: ami-...)",
            level=Level.WARNING if lustre else None,
        )
