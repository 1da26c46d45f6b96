import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from hpc_components.catalog import Machine
from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.node_images import image_users, who
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, words_of
from hpc_components.spec.rules._values import Wrong, recipe_names, value_rule
from hpc_components.wording import any_of

MAX_RECIPE_NAME_LENGTH = 20

_NAME = re.compile(rf"[a-z][a-z0-9-]{{0,{MAX_RECIPE_NAME_LENGTH - 1}}}")


@value_rule("HPC-IMG-001", Level.ERROR, recipe_names)
def valid_recipe_name(_: ClusterSpec, path: Path, __: None, name: str) -> Wrong | None:
    """A recipe's name must consist of at most 20 lower-case letters, digits and hyphens, and begin with a letter.

    The name becomes part of the names of the image and of the resources that make it. It can't begin with `ami-`,
    because a node's `image` may be either a name or an image id. Source: EC2 Image Builder API reference,
    CreateComponent; Azure resource naming rules; Compute Engine, images.insert.
    """
    if _NAME.fullmatch(name) and not name.startswith("ami-"):
        return None
    return (
        f"{name!r} is not a valid name for a recipe",
        f"use at most {MAX_RECIPE_NAME_LENGTH} lower-case letters, digits and hyphens, beginning with a letter, but "
        "not with ami-",
    )


@rule("HPC-IMG-002", Level.WARNING)
def recipe_used(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each recipe should be the `image` of some node.

    The stack makes no image from a recipe that no node uses.
    """
    used = {cluster.recipe_of(node.image) for _, node in image_users(cluster)}
    for name in cluster.images:
        if name not in used:
            yield Problem(
                path=("images", name),
                reason="no node has this image, so it is not made",
                remedy="name it as the image of a queue, of head_node or of login_nodes, or remove the recipe",
            )


@rule("HPC-IMG-003", Level.ERROR)
def recipe_there(cluster: ClusterSpec) -> Iterator[Problem]:
    """An `image` must be the id of an image, or the name of a recipe under `images`.

    Nodes with any other `image` would not start.
    """
    for path, node in image_users(cluster):
        if is_missing_recipe(cluster, node.image):
            near = get_close_matches(str(node.image), cluster.images, n=1)
            yield Problem(
                path=(*path, "image"),
                value=node.image,
                reason="this is neither an image id nor a recipe under images",
                remedy=f"did you mean {near[0]}?" if near else f"use {any_of(sorted(cluster.images))}",
            )


def is_missing_recipe(cluster: ClusterSpec, image: str | None) -> bool:
    """Return whether `image` looks like the name of a recipe, in a cluster that has others."""
    if image is None or not cluster.images or image in cluster.images:
        return False
    return (
        bool(_NAME.fullmatch(image))
        and catalog_of(cluster.cloud).id_mistake("image", image, cluster.region) is not None
    )


@rule("HPC-IMG-004", Level.ERROR)
def base_fits_all(cluster: ClusterSpec) -> Iterator[Problem]:
    """Nodes with the same recipe must have the same architecture and the same kind of accelerator.

    A recipe has one base, which contains one architecture's programs and one manufacturer's drivers.
    """
    for name in cluster.images:
        groups = [(path, _kind(machine)) for path, machine in _users(cluster, name) if machine]
        others = [path for path, kind in groups if kind != groups[0][1]]
        if others:
            kinds = ", ".join(f"{who(cluster, [path])} with {kind}" for path, kind in groups)
            yield Problem(
                path=(*others[0], "image"),
                value=name,
                about={"recipe": name},
                places=tuple((*path, "image") for path in others),
                reason=f"no single base fits all nodes with this recipe: {kinds}",
                remedy="add a recipe for each kind of machine under images",
            )


def _users(cluster: ClusterSpec, recipe: str) -> Sequence[tuple[Path, Machine | None]]:
    return [(at, facts(cluster, node.machine)) for at, node in image_users(cluster) if node.image == recipe]


def _kind(machine: Machine) -> str:
    maker = machine.accelerator.manufacturer if machine.accelerator else None
    return machine.arch + (f" and accelerators from {maker}" if maker else "")


@rule("HPC-IMG-005", Level.ERROR)
def base_is_an_id(cluster: ClusterSpec) -> Iterator[Problem]:
    """The `base` of a recipe must be the id of an image, not another recipe.

    Images are made independently of each other, all at the same time.
    """
    for name, recipe in cluster.images.items():
        if recipe.base in cluster.images:
            yield Problem(
                path=("images", name, "base"),
                value=recipe.base,
                reason=f"{recipe.base} is a recipe itself, and a recipe can't begin with the image of another one",
                remedy=f"use an image id ({words_of(cluster).image_id}), or leave out base",
            )


@rule("HPC-IMG-006", Level.ERROR)
def keeps_the_image_in_use(cluster: ClusterSpec) -> Iterator[Problem]:
    """`keep` must be at least 1, because it includes the version in use.

    Nodes are launched from this version. Each one that is kept costs its storage.
    """
    for name, recipe in cluster.images.items():
        if recipe.keep < 1:
            yield Problem(
                path=("images", name, "keep"),
                value=recipe.keep,
                reason="the version in use must be kept",
                remedy="use keep: 1 or more; with 2 or more, there is a way back to an earlier version",
            )


@rule("HPC-IMG-007", Level.INFO)
def head_node_follows_its_recipe(cluster: ClusterSpec) -> Iterator[Problem]:
    """A changed recipe replaces the head node that uses it.

    Jobs keep running, and the new head node takes over the address and the state, but sessions on the head node end,
    and no jobs can be submitted in the meantime. Other nodes get the new image when they are launched.
    """
    if recipe := cluster.recipe_of(cluster.head_node.image):
        yield Problem(
            path=("head_node", "image"),
            value=recipe,
            reason="each new version of this image replaces the head node",
            remedy="leave out the head node's image if it need not boot fast",
        )


@rule("HPC-IMG-008", Level.ERROR)
def packages_for_image(cluster: ClusterSpec) -> Iterator[Problem]:
    """Without NAT, no image can be made from a recipe.

    The machine that makes the image is in a subnet for nodes. The archives for packages, fabrics and Lustre are on
    the internet, which a machine there can't reach without NAT.
    """
    used = [name for name in cluster.images if _users(cluster, name)]
    if used and cluster.network.cidr is not None and cluster.network.nat == "none":
        yield Problem(
            path=("network", "nat"),
            value="none",
            reason=f"without NAT, no software can be installed into the image {any_of(used)}",
            remedy="use nat: one",
        )
