"""Defines recordings, which contain a program's resources, outputs and messages as plain values."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpc_components.errors import HpcError


class ProgramError(HpcError):
    """Raised if a program can't be recorded. The message begins with the place in the user's own files, if known.

    `place` is this place, relative to the project (e.g. `infra/vpc.py:12`), or None. `message` is the message without
    the place. `__cause__` is the original error.
    """

    def __init__(self, message: str, place: str | None = None) -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.place = place


class RecordingLookupError(HpcError, LookupError):
    """Raised if a recording doesn't have exactly one matching resource. The message lists what it has."""


@dataclass(frozen=True, kw_only=True)
class RecordedResource:
    """A registered resource or component, as the engine would have received it.

    `inputs` contains plain JSON values under the provider's own (camelCase) names. Values that only the cloud knows
    are `<unknown>`, and secrets are `<secret>`. A file is `{"asset": {"path": ..., "sha256": ...}}`, and a text asset
    is `{"asset": {"text": ..., "sha256": ...}}`. Archives have the same form under the key `archive`. A reference to
    another resource is that resource's URN. Protection, retention and provider include what is inherited from
    parents, according to the engine's own rules.
    """

    urn: str
    type: str
    """Type token, e.g. `aws:ec2/vpc:Vpc`."""
    name: str
    parent: str | None = None
    """URN of the parent, or None if the resource is directly below the stack."""
    inputs: dict[str, Any] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    """Sorted URNs of explicit dependencies and of resources whose outputs are used as inputs. A component is replaced
    by its children."""
    property_dependencies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Input name -> URNs of the resources that its value comes from."""
    custom: bool = True
    """Whether this is a resource rather than a component."""
    protect: bool = False
    retain: bool = False
    provider: str | None = None
    """Reference to an explicit provider, `<urn>::<id>`, or None if the default provider is used."""
    ignore_changes: tuple[str, ...] = ()
    replace_on_changes: tuple[str, ...] = ()
    delete_before_replace: bool = False
    deleted_with: str | None = None
    """URN of the resource whose deletion also deletes this one."""
    aliases: tuple[str, ...] = ()
    """Former URNs, including those that follow from the parents' aliases."""
    import_id: str | None = None
    """Id of the existing cloud object that the resource would adopt, if any."""


@dataclass(frozen=True, kw_only=True)
class SaidLine:
    """A message from the program to the user. `severity` is `info`, `warning` or `error`."""

    severity: str
    text: str
    urn: str | None = None


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Everything that a program registered, except the stack itself, in URN order."""

    project: str
    stack: str
    resources: tuple[RecordedResource, ...] = ()
    reads: tuple[RecordedResource, ...] = ()
    """Existing cloud objects that the program only reads, including references to other stacks."""
    outputs: dict[str, Any] = field(default_factory=dict)
    """The stack's exports, in the same form as inputs."""
    logs: tuple[SaidLine, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict, compare=False, repr=False)
    """Maps each `sha256` in assets and archives to the file's or folder's path on this machine."""

    def all(self, type: str, *, under: RecordedResource | None = None) -> tuple[RecordedResource, ...]:
        """Return all resources of a type, specified as a token or its last word, e.g. `Vpc`. With `under`, return
        only those below that resource.
        """
        found = (each for each in self.resources if _has_type(each, type))
        if under is None:
            return tuple(found)
        parents = {each.urn: each.parent for each in self.resources}
        return tuple(each for each in found if _is_below(each, under.urn, parents))

    def one(self, type: str, name: str | None = None) -> RecordedResource:
        """Return the only resource with this type and, if given, this name. Raise RecordingLookupError, which lists
        the existing resources, if there isn't exactly one.
        """
        found = [each for each in self.all(type) if name is None or each.name == name]
        if len(found) == 1:
            return found[0]
        wanted = f"{type} {name!r}" if name is not None else type
        if found:
            raise RecordingLookupError(f"{len(found)} resources are {wanted}: {_listed(found, lambda r: r.name)}")
        if same_type := self.all(type):
            raise RecordingLookupError(
                f"there is no {wanted}; the recording has {_listed(same_type, lambda r: r.name)}"
            )
        raise RecordingLookupError(
            f"there is no {wanted}; the recording has {_listed(self.resources, lambda r: r.type)}"
        )

    def of(self, urn: str) -> RecordedResource:
        """Return the resource with this URN. Raise RecordingLookupError if there isn't one."""
        for each in self.resources:
            if each.urn == urn:
                return each
        raise RecordingLookupError(f"there is no resource {urn}")

    def children(self, resource: RecordedResource) -> tuple[RecordedResource, ...]:
        """Return the resources whose parent is `resource`."""
        return tuple(each for each in self.resources if each.parent == resource.urn)


def _is_below(resource: RecordedResource, ancestor: str, parents: Mapping[str, str | None]) -> bool:
    above = resource.parent
    while above is not None and above != ancestor:
        above = parents.get(above)
    return above is not None


def _has_type(resource: RecordedResource, type: str) -> bool:
    return type in (resource.type, resource.type.rpartition(":")[2])


def _listed(resources: Iterable[RecordedResource], text: Callable[[RecordedResource], str]) -> str:
    return ", ".join(sorted({text(each) for each in resources})) or "nothing at all"
