from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

SECRET = "<secret>"
"""Placeholder for secrets."""

UNKNOWN = "<unknown>"
"""Placeholder for values that are unknown before deployment."""

STANDIN = "standin-"
"""Contained in every stand-in value, so that input checks can skip stand-ins."""


@dataclass(frozen=True, kw_only=True)
class Resource:
    urn: str
    type: str
    """Pulumi type token, e.g. `aws:ec2/vpc:Vpc`."""
    name: str
    parent: str | None = None
    """URN of the resource's parent, or None if the stack is the parent."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON values, keyed by the provider's (camelCase) names. Secrets and unknown values are replaced by
    placeholders."""
    depends_on: tuple[str, ...] = ()
    """URNs of the resources that this one depends on, explicitly or by using their outputs."""
    protect: bool = False
    retain: bool = False
    """Whether the resource stays in the cloud after it is removed from the stack."""
    component: bool = False
    """Whether this is a component, which only groups resources and doesn't exist in the cloud."""
    property_dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Maps each input to the URNs of the resources whose outputs it uses."""
    ignore_changes: tuple[str, ...] = ()
    """Paths of inputs that Pulumi doesn't update, e.g. `tags` or `networkInterfaces[*].subnetId`."""
    replace_on_changes: tuple[str, ...] = ()
    """Paths of inputs that force a replacement when they change, even if the provider could update them in place."""
    delete_before_replace: bool = False
    deleted_with: str | None = None
    """URN of the resource whose deletion also deletes this one. Pulumi always replaces both resources together."""
    aliases: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Last part of the type token, e.g. `Vpc`."""
        return self.type.rpartition(":")[2]

    def number(self, key: str) -> int | None:
        """Return an input as an int, or None if it is missing, unknown or not a number."""
        value = self.inputs.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return int(value)

    def text(self, key: str) -> str | None:
        """Return an input as text, or None if it is missing, unknown, secret or not a text."""
        value = self.inputs.get(key)
        return value if isinstance(value, str) and value not in (SECRET, UNKNOWN) else None


class Resources:
    """A plan's resources in URN order, with lookups by type, parent and dependency."""

    def __init__(self, items: Iterable[Resource]) -> None:
        self._by_urn = {item.urn: item for item in sorted(items, key=lambda item: item.urn)}
        self._by_type: dict[str, list[Resource]] = defaultdict(list)
        self._children: dict[str | None, list[Resource]] = defaultdict(list)
        for item in self:
            self._by_type[item.type].append(item)
            self._children[item.parent if item.parent in self._by_urn else None].append(item)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resources) and list(self) == list(other)

    __hash__ = None  # unhashable, because instances are compared by content

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._by_urn.values())

    def __len__(self) -> int:
        return len(self._by_urn)

    def of_type(self, *types: str) -> tuple[Resource, ...]:
        return tuple(item for kind in types for item in self._by_type.get(kind, ()))

    def roots(self) -> tuple[Resource, ...]:
        return tuple(self._children[None])

    def children(self, resource: Resource) -> tuple[Resource, ...]:
        return tuple(self._children.get(resource.urn, ()))

    def below(self, resource: Resource) -> Iterator[Resource]:
        """Yield all descendants of `resource`, parents before children."""
        for child in self.children(resource):
            yield child
            yield from self.below(child)

    def below_of_type(self, resource: Resource, kind: str) -> tuple[Resource, ...]:
        return tuple(item for item in self.below(resource) if item.type == kind)

    def parent(self, resource: Resource) -> Resource | None:
        return self._by_urn.get(resource.parent) if resource.parent else None

    def owner(self, resource: Resource, kind: str) -> Resource | None:
        """Return the nearest ancestor of type `kind`, or None if there isn't one."""
        above = self.parent(resource)
        while above is not None and above.type != kind:
            above = self.parent(above)
        return above

    def needed(self, resource: Resource, kind: str) -> tuple[Resource, ...]:
        """Return the direct dependencies of `resource` that have type `kind`."""
        found = (self._by_urn.get(urn) for urn in resource.depends_on)
        return tuple(item for item in found if item is not None and item.type == kind)
