"""The resources of a plan, and lookups among them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

SECRET = "<secret>"
"""Mark in place of a value that must not be seen."""

UNKNOWN = "<unknown>"
"""Mark in place of a value that only the cloud will know."""

STANDIN = "standin-"
"""Text in every stand-in value, which tells the checks of inputs to skip the value."""


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource or component, as the stack program described it."""

    urn: str
    type: str
    """Pulumi type token, `aws:ec2/vpc:Vpc`."""
    name: str
    """Logical name."""
    parent: str | None = None
    """URN of the component that it belongs to."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON with the provider's own (camelCase) names; secrets and unknown values are replaced by marks."""
    depends_on: tuple[str, ...] = ()
    """URNs of the resources that it depends on, including those whose outputs it takes."""
    protect: bool = False
    """Whether Pulumi refuses to delete it."""
    retain: bool = False
    """Whether it stays in the cloud when it leaves the stack."""
    component: bool = False
    """Whether it only groups resources, and does not exist in the cloud itself."""
    property_dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """URNs of the resources whose outputs an input takes, by the input's name."""
    ignore_changes: tuple[str, ...] = ()
    """Paths of inputs that Pulumi does not update: `tags`, `networkInterfaces[*].subnetId`, `*` for all."""
    replace_on_changes: tuple[str, ...] = ()
    """Paths of inputs whose change replaces the resource, whatever the provider says."""
    delete_before_replace: bool = False
    deleted_with: str | None = None
    """URN of the resource whose deletion also deletes this one; Pulumi replaces both together."""
    aliases: tuple[str, ...] = ()
    """Former URNs."""

    @property
    def kind(self) -> str:
        """The type without package and module: `Vpc`."""
        return self.type.rpartition(":")[2]

    def number(self, key: str) -> int | None:
        """Return the input `key` as an int; None if it is missing or unknown."""
        value = self.inputs.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return int(value)

    def text(self, key: str) -> str | None:
        """Return the input `key` if it is a text; None if it is missing, unknown or secret."""
        value = self.inputs.get(key)
        return value if isinstance(value, str) and value not in (SECRET, UNKNOWN) else None


class Resources:
    """All resources of a plan, in the order of their URNs, with the tree given by their parents."""

    def __init__(self, items: Iterable[Resource]) -> None:
        self._by_urn = {item.urn: item for item in sorted(items, key=lambda item: item.urn)}
        self._by_type: dict[str, list[Resource]] = defaultdict(list)
        self._children: dict[str | None, list[Resource]] = defaultdict(list)
        for item in self:
            self._by_type[item.type].append(item)
            self._children[item.parent if item.parent in self._by_urn else None].append(item)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resources) and list(self) == list(other)

    __hash__ = None  # compared by content

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._by_urn.values())

    def __len__(self) -> int:
        return len(self._by_urn)

    def of_type(self, *types: str) -> tuple[Resource, ...]:
        """Return all resources of these types."""
        return tuple(item for kind in types for item in self._by_type.get(kind, ()))

    def roots(self) -> tuple[Resource, ...]:
        """Return the resources without a parent."""
        return tuple(self._children[None])

    def children(self, resource: Resource) -> tuple[Resource, ...]:
        """Return the resources directly below `resource`."""
        return tuple(self._children.get(resource.urn, ()))

    def below(self, resource: Resource) -> Iterator[Resource]:
        """Yield everything below `resource`, parents before children."""
        for child in self.children(resource):
            yield child
            yield from self.below(child)

    def below_of_type(self, resource: Resource, kind: str) -> tuple[Resource, ...]:
        """Return everything of type `kind` below `resource`."""
        return tuple(item for item in self.below(resource) if item.type == kind)

    def parent(self, resource: Resource) -> Resource | None:
        """Return the component that `resource` belongs to."""
        return self._by_urn.get(resource.parent) if resource.parent else None

    def owner(self, resource: Resource, kind: str) -> Resource | None:
        """Return the nearest component of type `kind` around `resource`."""
        above = self.parent(resource)
        while above is not None and above.type != kind:
            above = self.parent(above)
        return above

    def needed(self, resource: Resource, kind: str) -> tuple[Resource, ...]:
        """Return the resources of type `kind` that `resource` directly depends on."""
        found = (self._by_urn.get(urn) for urn in resource.depends_on)
        return tuple(item for item in found if item is not None and item.type == kind)
