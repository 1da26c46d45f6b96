from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.catalog.image_builds import image_build
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import ServiceUse
from hpc_components.report.wording import count


@dataclass(frozen=True, kw_only=True)
class MadeImage:
    """An image that the stack makes from a recipe."""

    recipe: str
    version: str
    """12 hexadecimal digits: the hash of everything that goes into the image."""
    base: str
    """Image to begin with."""
    nodes: tuple[str, ...]
    """Which nodes boot from it, e.g. `head_node` or `queue gpu`."""

    def to_dict(self) -> dict[str, Any]:
        return {"recipe": self.recipe, "version": self.version, "base": self.base, "nodes": list(self.nodes)}


def made_images(resources: Resources, description: Mapping[str, Any] | None) -> tuple[MadeImage, ...]:
    """Return the images that a plan makes. `description` is the description as written, from which the nodes are
    read.
    """
    users = dict[str, list[str]]()
    for nodes, image in _users(description or {}):
        users.setdefault(image, []).append(nodes)
    return tuple(
        MadeImage(
            recipe=recipe,
            version=each.text("version") or "",
            base=each.text("base") or "",
            nodes=tuple(users.get(recipe, ())),
        )
        for each in baked(resources)
        if (recipe := each.text("recipe"))
    )


def image_storage(resources: Resources, item: str) -> Iterator[ServiceUse]:
    """Yield the storage of each recipe's versions, at the price of `item`."""
    kept = dict[str, int]()
    for each in resources:
        if (
            each.component
            and each.kind == "ImageRetention"
            and isinstance(numbers := each.inputs.get("keep"), Mapping)
        ):
            kept.update(numbers)
    gib = image_build().gib
    for each in baked(resources):
        own = each.inputs.get("keep")
        versions = kept.get(each.text("recipe") or "", own if isinstance(own, int) else 1)
        yield ServiceUse(
            what=f"image {each.text('recipe')}: {count(versions, 'version')}",
            resource=each.urn,
            item=item,
            idle=gib * versions,
            full=gib * versions,
            group="other",
            note=f"an estimate: {gib} GiB a version, with as many versions as are kept; GPU drivers take more",
        )


def not_counted_builds(resources: Resources) -> Iterator[str]:
    if baked(resources):
        yield f"machines that make images: two for each new version, {image_build().time_words}"


def baked(resources: Resources) -> list[Resource]:
    """Return the components that make images."""
    return [each for each in resources if each.component and each.kind == "BakedImage"]


def _users(description: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    queues = description.get("queues")
    named = [(key, description.get(key)) for key in ("head_node", "login_nodes")]
    named += [(f"queue {queue.get('name')}", queue) for queue in queues or () if isinstance(queue, Mapping)]
    for nodes, node in named:
        if isinstance(node, Mapping) and isinstance(image := node.get("image"), str):
            yield nodes, image
