import re
from collections.abc import Iterator, Sequence

from hpc_components.catalog import operating_system
from hpc_components.catalog.base_image import OLD_IMAGE_DAYS, BaseImage, recent_version
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.driver_fixes import DriverFix, missing_fixes
from hpc_components.catalog.pinned_image import PinnedImage
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem, dotted
from hpc_components.spec.node_images import has_recipe, image_place, image_users, images, who
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import words_of
from hpc_components.spec.rules._systems import use_system
from hpc_components.spec.rules.image_recipes import is_missing_recipe
from hpc_components.spec.rules.operating_systems import is_accepted, usable_systems
from hpc_components.spec.stores import uses_lustre

VERY_OLD_IMAGE_DAYS = 365


@rule("HPC-OSI-004", Level.ERROR)
def image_ids(cluster: ClusterSpec) -> Iterator[Problem]:
    """Image ids must be in the cloud's format.

    The cloud checks an id only when it launches a node. With an invalid id, no node starts. Source: on AWS, EC2 user
    guide, "Create a launch template": parameters are not fully validated.
    """
    id_mistake = catalog_of(cluster.cloud).id_mistake
    for path, node in image_users(cluster):
        image = cluster.base_of(node.image)
        if image in cluster.images or is_missing_recipe(cluster, node.image):
            continue  # other rules are about these
        if image is not None and (mistaken := id_mistake("image", image, cluster.region)):
            yield Problem(
                path=image_place(cluster, path), value=image, reason=mistaken.reason, remedy=mistaken.remedy
            )


@rule("HPC-OSI-006", Level.ERROR)
def image_published(cluster: ClusterSpec) -> Iterator[Problem]:
    """Unless an image is specified, the operating system must have a public image for every machine type.

    For machine types with GPUs or other accelerators, the image must include the driver. Source: the cloud's own
    list, as recorded in the catalogue; on AWS, the public Systems Manager parameters of Canonical, Debian and AWS.
    """
    has_image = catalog_of(cluster.cloud).has_image
    system = operating_system(cluster.os)
    if system is None or not is_accepted(system):
        return
    for path, name, image, machine in images(cluster):
        if image is None and machine and not has_image(system.name, machine):
            with_driver = f" with a driver for {machine.accelerator.model}" if machine.accelerator else ""
            others = [one.name for one in usable_systems() if has_image(one.name, machine)]
            yield Problem(
                path=(*path, "machine"),
                value=name,
                reason=f"{system.title} has no public image for {machine.arch}{with_driver}",
                remedy=f"specify your own image (image: {words_of(cluster).image_id})"
                + (f", or {use_system(cluster, others)}" if others else ""),
            )


@rule("HPC-OSI-024", Level.INFO)
def image_age(cluster: ClusterSpec) -> Iterator[Problem]:
    """A pinned image should be less than three months old.

    The image contains the packages that were current at its release, and compute nodes install no updates, so that
    nothing changes under a running job. If the image is more than a year old, the finding is a warning. Age is
    measured relative to the newest image in the catalogue rather than today's date, so that the same description
    always has the same findings. If the catalogue has a recent version of the image, the remedy names it. Source: the
    date in the image's name or serial number; docs/boot.md.
    """
    pinned_image = catalog_of(cluster.cloud).pinned_image
    lustre = uses_lustre(cluster)
    found: dict[tuple[str, bool, Path], tuple[PinnedImage, list[Path]]] = {}
    for path, _, image, machine in images(cluster):
        if machine and (pinned := pinned_image(cluster.os, machine, image, lustre)):
            found.setdefault((pinned.name, image is not None, _recipe_at(cluster, path)), (pinned, []))[1].append(
                path
            )
    for (name, named, _), (pinned, places) in found.items():
        if pinned.age_days < OLD_IMAGE_DAYS:
            continue
        compute = any(at[0] == "queues" for at in places)
        yield Problem(
            path=image_place(cluster, places[0]) if named else ("os",),
            value=name,
            about={"image": name},
            places=tuple(places),
            reason=f"the image of {who(cluster, places)} is from {pinned.made}: machines start without the security "
            f"fixes released since then{', and compute nodes never install them' if compute else ''}",
            remedy=_in_words_of(
                cluster,
                places[0],
                _newer_pin(cluster, places[0], lustre) + pinned.newer.format(region=cluster.region),
            )
            + ("; make sure that a Lustre client is available for the new image's kernel" if lustre else ""),
            level=Level.WARNING if pinned.age_days >= VERY_OLD_IMAGE_DAYS else None,
        )


def _recipe_at(cluster: ClusterSpec, place: Path) -> Path:
    """Return the path of the base of the recipe of the nodes at `place`, or () if they have no recipe."""
    return image_place(cluster, place) if has_recipe(cluster, place) else ()


def _in_words_of(cluster: ClusterSpec, place: Path, remedy: str) -> str:
    """Return a remedy about `image` in terms of the key that has the image's id: a recipe's `base`, if the nodes have
    one."""
    base = _recipe_at(cluster, place)
    return re.sub(r"\b(set|use) image\b", rf"\1 {dotted(base)}", remedy) if base else remedy


def _newer_pin(cluster: ClusterSpec, place: Path, lustre: bool) -> str:
    """Return the beginning of a remedy, with a recent version of an old image, or "" if none is known."""
    image, machine = next((base.id, base.machine) for base in images(cluster) if base.path == place)
    catalog = catalog_of(cluster.cloud)
    base = catalog.base_image(cluster.os, machine, image, lustre) if machine else None
    newest = recent_version(tuple(catalog.base_images()), base) if base else None
    client = catalog.lustre_client(cluster.os) if lustre else None
    if newest is None:
        return ""
    if client and "lustre" not in newest.software and client.lacks(newest.kernel):
        return ""
    return f"use image: {newest.id}{_contents(newest)}, or "


def _contents(image: BaseImage) -> str:
    """Return what an image contains, as an insertion into a sentence."""
    known = [f"{name} {version}" for name, version in image.software.items()]
    kernel = [f"kernel {image.kernel}"] if image.kernel else []
    return f" ({', '.join([*kernel, *known]) or 'no source states its contents'})"


@rule("HPC-OSI-025", Level.INFO)
def driver_with_fixes(cluster: ClusterSpec) -> Iterator[Problem]:
    """An image's GPU driver should have the security fixes that its vendor has published.

    Most bulletins are about holes through which an unprivileged user may become root, and users' jobs run on nodes.
    Nodes install no drivers, so the image must have the fixes. Images that are not pinned, and those whose driver's
    version is unknown, are not judged. Source: NVIDIA's security bulletins (NVIDIA/product-security), as recorded in
    the catalogue.
    """
    catalog = catalog_of(cluster.cloud)
    lustre = uses_lustre(cluster)
    found: dict[str, tuple[BaseImage, bool, list[Path]]] = {}
    for path, _, own, machine in images(cluster):
        base = catalog.base_image(cluster.os, machine, own, lustre) if machine and machine.accelerator else None
        if base is not None and not base.floating and own in (None, base.id):
            found.setdefault(base.id, (base, own is not None, []))[2].append(path)
    for base, named, places in found.values():
        for driver, version in base.software.items():
            if fixes := missing_fixes(driver, version):
                yield _old_driver(cluster, base, places, fixes, named=named)


def _old_driver(
    cluster: ClusterSpec, base: BaseImage, places: Sequence[Path], fixes: Sequence[DriverFix], *, named: bool
) -> Problem:
    driver = fixes[0].driver
    bulletins = " and ".join(f"{fix.bulletin} ({fix.published})" for fix in fixes)
    better = [
        each.id
        for each in catalog_of(cluster.cloud).base_images()
        if each.line == base.line and driver in each.software and not missing_fixes(driver, each.software[driver])
    ]
    return Problem(
        path=image_place(cluster, places[0]) if named else (*places[0], "machine"),
        value=base.id,
        about={"image": base.id},
        places=tuple(places),
        reason=f"the image of {who(cluster, places)} has driver {driver} {base.software[driver]}"
        f"{', as far as is known' * bool({'software', f'software.{driver}'} & {*base.unsure})}, without the fixes of "
        f"the security bulletin{'s' * (len(fixes) > 1)} {bulletins}; {fixes[0].fixed} has them",
        remedy=_in_words_of(cluster, places[0], f"use image: {better[0]}")
        if better
        else f"use an image with driver {fixes[0].fixed} or later",
    )
