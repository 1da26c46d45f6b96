"""The images that a cluster's stack makes, as its component passes them on: the same on every cloud."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from pulumi import Output


class Made(Protocol):
    """A component that makes an image."""

    image_id: Output[str]
    version: str


M = TypeVar("M", bound=Made)


@dataclass(frozen=True, kw_only=True)
class MadeImages(Generic[M]):
    images: Mapping[str, M] = field(default_factory=dict)
    """Keyed by recipe."""

    @property
    def ids(self) -> dict[str, Output[str]]:
        return {recipe: image.image_id for recipe, image in self.images.items()}

    @property
    def outputs(self) -> dict[str, Any]:
        return {recipe: {"id": one.image_id, "version": one.version} for recipe, one in self.images.items()}

    @property
    def versions(self) -> dict[str, str]:
        return {recipe: image.version for recipe, image in self.images.items()}
