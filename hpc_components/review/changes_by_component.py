import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from hpc_components.preview.resources import UNKNOWN
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import Change, Operation, PropertyChange
from hpc_components.review.wording import Urgency, kind_of, named, urgency_of

_DERIVED_INPUTS = ("tagsAll",)
"""Inputs that a provider derives from other inputs, besides those that begin with two underscores."""


@dataclass(frozen=True, kw_only=True)
class Node:
    """A changed resource, or an unchanged component that contains changed resources."""

    urn: str
    alike: tuple[Change, ...]
    """The change, along with similar changes to siblings that differ only in name. Empty for an unchanged
    component."""
    children: tuple["Node", ...]

    @property
    def kind(self) -> str:
        """The resource type without its package and module."""
        return named(self.urn)[0]

    @property
    def name(self) -> str:
        return named(self.urn)[1]

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        return (*self.alike, *(change for child in self.children for change in child.changes))

    @property
    def worst(self) -> Effect:
        return min((change.effect for change in self.changes), key=lambda effect: effect.rank)


@dataclass(frozen=True, kw_only=True)
class Outline:
    roots: tuple[Node, ...]
    """The branches, worst first."""
    noise: int
    """Number of changes left out: harmless changes to providers, and changes to derived inputs."""


def outline_of(changes: Sequence[Change]) -> Outline:
    """Return the tree of `changes`, with each change under its component, even if the component is unchanged.

    The cluster component is left out, because it contains everything and its name is a prefix of all names.
    """
    seen = [change for change in changes if not is_noise(change)]
    by_urn = {change.urn: change for change in seen}
    below: dict[str | None, list[str]] = defaultdict(list)
    known = dict.fromkeys((*by_urn, *(change.parent for change in seen if change.parent)))
    for urn in known:
        below[by_urn[urn].parent if urn in by_urn else _around(urn, known)].append(urn)
    outer = _nodes(below[None], by_urn, below)
    roots = [each for node in outer for each in (node.children if _is_cluster(node) else (node,))]
    roots.sort(key=lambda node: (node.worst.rank, node.urn))
    return Outline(roots=tuple(roots), noise=len(changes) - len(seen))


def _is_cluster(node: Node) -> bool:
    kind = _split(node.urn)[0].rpartition("$")[2]
    return not node.alike and kind.startswith("hpc:") and kind.endswith(":Cluster")


def _around(urn: str, known: Iterable[str]) -> str | None:
    """Return the URN of the component that contains an unchanged component.

    A URN lists only the types of outer components, so the component is found by name: a child's name begins with its
    parent's name.
    """
    types, name = _split(urn)
    outer = types.rpartition("$")[0]
    fitting = [other for other in known if _split(other)[0] == outer and name.startswith(_split(other)[1])]
    return max(fitting, key=len, default=None) if outer else None


def _split(urn: str) -> tuple[str, str]:
    head, _, name = urn.rpartition("::")
    return head.rpartition("::")[2], name


def _nodes(urns: Iterable[str], by_urn: dict[str, Change], below: dict[str | None, list[str]]) -> list[Node]:
    """Return the nodes for sibling URNs. Similar siblings without children are merged into one node."""
    nodes: list[Node] = []
    leaves: list[Change] = []
    for urn in urns:
        if below.get(urn):
            alike = (by_urn[urn],) if urn in by_urn else ()
            nodes.append(Node(urn=urn, alike=alike, children=tuple(_nodes(below[urn], by_urn, below))))
        else:
            leaves.append(by_urn[urn])
    nodes += [
        Node(urn=some[0].urn, alike=some, children=())
        for some in _alike(leaves, lambda each: (each.type, each.properties))
    ]
    return sorted(nodes, key=lambda node: (node.worst.rank, node.urn))


def groups(changes: Iterable[Change], urgency: Urgency) -> list[tuple[Change, ...]]:
    """Return the changes of this urgency in groups of similar changes, worst first.

    Changes to resources of different types are grouped only if they have no inputs to show.
    """
    found = [change for change in changes if urgency_of(change) is urgency and not is_noise(change)]
    return sorted(
        _alike(found, lambda each: (reasons(each), each.type if reasons(each) else "")),
        key=lambda some: (some[0].effect.rank, some[0].urn),
    )


def by_kind(some: Iterable[Change]) -> list[tuple[str, list[Change]]]:
    found: dict[str, list[Change]] = defaultdict(list)
    for change in some:
        found[kind_of(change.type)].append(change)
    return list(found.items())


def also(found: Iterable[tuple[Change, ...]]) -> list[tuple[Change, ...]]:
    """Merge groups that have the same effect, operation and type."""
    larger: dict[tuple[str, ...], list[Change]] = defaultdict(list)
    for change in (change for some in found for change in some):
        larger[change.effect, change.operation, change.type].append(change)
    return list(map(tuple, larger.values()))


def reasons(change: Change) -> tuple[PropertyChange, ...]:
    """Return the inputs that explain a change. For a replacement, these are the inputs that require it, if known.

    An input is left out if it differs only because of the resource in `because`.
    """
    if change.operation not in (Operation.UPDATE, Operation.REPLACE):
        return ()
    known = inputs(change)
    if change.because:
        known = tuple(each for each in known if not each.before == each.after == UNKNOWN)
    if change.operation is Operation.UPDATE:
        return known
    causes = tuple(each for each in known if each.replaces)
    return causes or (() if change.because else known)


def inputs(change: Change) -> tuple[PropertyChange, ...]:
    """Return the inputs that differ.

    List items that are unknown on both sides are merged into one input, e.g. `securityGroupIds[*]`.
    """
    found: dict[str, PropertyChange] = {}
    for each in change.properties:
        is_unknown = each.before == each.after == UNKNOWN
        path = re.sub(r"\[\d+\]$", "[*]", each.path) if is_unknown else each.path
        twin = found.get(path)
        found[path] = replace(each, path=path, replaces=each.replaces or twin.replaces) if twin else each
    return tuple(found.values())


def is_noise(change: Change) -> bool:
    if change.operation is not Operation.UPDATE or urgency_of(change) is Urgency.ALARM:
        return False
    if change.type.startswith("pulumi:providers:"):
        return urgency_of(change) is Urgency.FINE
    return bool(change.properties) and all(map(_is_derived, change.properties))


def _is_derived(change: PropertyChange) -> bool:
    keys = change.path.replace("[", ".").split(".")
    return any(key.startswith("__") or key in _DERIVED_INPUTS for key in keys)


def _alike(changes: Iterable[Change], detail: Callable[[Change], object]) -> Iterator[tuple[Change, ...]]:
    """Yield groups of similar changes for which `detail` returns the same result. Names and types may differ within a
    group.
    """
    found: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        key = (change.effect, change.operation, change.words, change.remedy, change.protected)
        found[repr((key, change.because and named(change.because), detail(change)))].append(change)
    yield from map(tuple, found.values())
