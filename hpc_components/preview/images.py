from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.preview.resources import Resources


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
        for each in resources
        if each.component and each.kind == "BakedImage" and (recipe := each.text("recipe"))
    )


def _users(description: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    queues = description.get("queues")
    named = [(key, description.get(key)) for key in ("head_node", "login_nodes")]
    named += [(f"queue {queue.get('name')}", queue) for queue in queues or () if isinstance(queue, Mapping)]
    for nodes, node in named:
        if isinstance(node, Mapping) and isinstance(image := node.get("image"), str):
            yield nodes, image
