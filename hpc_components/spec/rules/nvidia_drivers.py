from collections.abc import Iterator

from hpc_components.catalog import Machine
from hpc_components.catalog.base_image import needs_proprietary_driver
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.nvidia_drivers import needs_subnet_manager, nvidia_drivers
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.node_images import image_users, images
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts
from hpc_components.spec.stores import uses_lustre
from hpc_components.wording import any_of


def _with_driver(cluster: ClusterSpec) -> Iterator[tuple[str, str]]:
    """Yield the recipes that install NVIDIA's driver, each with the branch."""
    for name, recipe in cluster.images.items():
        if recipe.nvidia_driver is not None:
            yield name, recipe.nvidia_driver


@rule("HPC-IMG-010", Level.ERROR)
def driver_in_packages(cluster: ClusterSpec) -> Iterator[Problem]:
    """`nvidia_driver` must be a branch that the operating system has in its packages.

    The driver is compiled for the kernel of the image, from packages with NVIDIA's open kernel modules. Ubuntu has
    them for NVIDIA's production branches. Source: Ubuntu's archive.
    """
    known = [f'"{driver.branch}"' for driver in nvidia_drivers() if driver.os == cluster.os]
    for name, branch in _with_driver(cluster):
        if f'"{branch}"' not in known:
            yield Problem(
                path=("images", name, "nvidia_driver"),
                value=branch,
                reason=f"{cluster.os} has no packages of NVIDIA's driver{f' {branch}' * bool(known)}",
                remedy=f"use nvidia_driver: {any_of(known)}"
                if known
                else "remove nvidia_driver, and name a base that contains the driver",
            )


@rule("HPC-IMG-011", Level.ERROR)
def gpus_of_driver(cluster: ClusterSpec) -> Iterator[Problem]:
    """Nodes of a recipe with `nvidia_driver` must have NVIDIA GPUs that need no more than this driver.

    The open kernel modules don't support GPUs older than Turing. B200 and B300 also need NVIDIA's subnet manager
    (nvlsm), which Ubuntu has no package of: without it, every CUDA program fails with "system not yet initialized".
    Source: NVIDIA open-gpu-kernel-modules, README; NVIDIA Fabric Manager User Guide, "Systems Using Fourth Generation
    NVSwitches"; awslabs/amazon-eks-ami #2239.
    """
    for path, node in image_users(cluster):
        machine = facts(cluster, node.machine)
        recipe = cluster.recipe_of(node.image)
        if recipe and cluster.images[recipe].nvidia_driver and machine and (why := _unfit(machine)):
            yield Problem(
                path=(*path, "image"),
                value=recipe,
                about={"recipe": recipe},
                reason=f"its image gets NVIDIA's driver, but {why}",
                remedy="use another image, such as a recipe without nvidia_driver whose base has the driver",
            )


def _unfit(machine: Machine) -> str | None:
    """Return why the packages of the driver don't suffice for a machine."""
    gpu = machine.accelerator
    if gpu is None or gpu.manufacturer != "NVIDIA":
        return f"{machine.name} has no NVIDIA GPUs"
    if needs_proprietary_driver(gpu.model):
        return f"the open kernel modules don't support {gpu.model}"
    if needs_subnet_manager(gpu.model):
        return f"{gpu.model} also needs NVIDIA's subnet manager (nvlsm), which is in no package"
    return None


@rule("HPC-IMG-012", Level.ERROR)
def base_without_driver(cluster: ClusterSpec) -> Iterator[Problem]:
    """A recipe with `nvidia_driver` must begin with an image that has no driver yet.

    Two versions of the driver exclude each other: programs would not find the GPUs. Images for a fast fabric often
    contain a driver.
    """
    catalog, lustre = catalog_of(cluster.cloud), uses_lustre(cluster)
    places: dict[str, Path] = {}
    for path, _, own, machine in images(cluster):
        recipe = cluster.recipe_of(next(node.image for at, node in image_users(cluster) if at == path))
        base = catalog.base_image(cluster.os, machine, own, lustre) if machine else None
        if recipe and cluster.images[recipe].nvidia_driver and base and "nvidia" in base.software:
            places.setdefault(recipe, ("images", recipe, "nvidia_driver"))
    for recipe, place in places.items():
        yield Problem(
            path=place,
            value=cluster.images[recipe].nvidia_driver,
            reason="the base of this recipe already contains NVIDIA's driver",
            remedy="remove nvidia_driver, or name a base without a driver",
        )


@rule("HPC-IMG-013", Level.WARNING)
def driver_on_this_processor(cluster: ClusterSpec) -> Iterator[Problem]:
    """`nvidia_driver` is confirmed for x86_64 only.

    Whether the archive for Arm has all packages of the driver, the fabric manager among them, has not been seen.
    """
    read = {(driver.os, driver.branch): driver.arch for driver in nvidia_drivers()}
    for path, node in image_users(cluster):
        machine, branch = facts(cluster, node.machine), cluster.nvidia_driver_of(node.image)
        arches = read.get((cluster.os, branch or ""))
        if machine and arches and machine.arch not in arches:
            yield Problem(
                path=(*path, "image"),
                value=node.image,
                reason=f"it is not confirmed that {cluster.os} has packages of NVIDIA's driver for {machine.arch}",
                remedy="make the image once before you rely on it, or name a base that contains the driver",
            )
