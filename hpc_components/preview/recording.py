from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpc_components.errors import HpcError


class ProgramError(HpcError):
    """Raised if a program can't be recorded. The message begins with the place in the user's own files, if known.

    `place` is a path and line relative to the project (e.g. `infra/vpc.py:12`), or None if unknown. `message` is the
    message without the place. `__cause__` is the original error.
    """

    def __init__(self, message: str, place: str | None = None) -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.place = place


class RecordingLookupError(HpcError, LookupError):
    """Raised if a recording doesn't contain exactly one matching resource. The message lists candidates."""


@dataclass(frozen=True, kw_only=True)
class RecordedResource:
    """A registered resource or component, as the engine would have received it.

    `inputs` contains plain JSON values, keyed by the provider's (camelCase) names. Values that are unknown before
    deployment are `<unknown>`, and secrets are `<secret>`. File assets have the form `{"asset": {"path": ...,
    "sha256": ...}}`, and text assets have the form `{"asset": {"text": ..., "sha256": ...}}`. Archives have the same
    forms under the key `archive`. References to other resources are URNs. Protection, retention and provider include
    inherited values, according to the engine's rules.
    """

    urn: str
    type: str
    """Type token, e.g. `aws:ec2/vpc:Vpc`."""
    name: str
    parent: str | None = None
    """URN of the parent, or None if the resource has no parent except the stack."""
    inputs: dict[str, Any] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    """Sorted URNs of explicit dependencies and of resources whose outputs are used as inputs. Components are replaced
    by their children."""
    property_dependencies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Maps each input to the URNs of the resources whose outputs it uses."""
    custom: bool = True
    """Whether this is a resource (true) or a component (false)."""
    protect: bool = False
    retain: bool = False
    provider: str | None = None
    """Reference to an explicit provider, `<urn>::<id>`, or None if the resource uses the default provider."""
    ignore_changes: tuple[str, ...] = ()
    replace_on_changes: tuple[str, ...] = ()
    delete_before_replace: bool = False
    deleted_with: str | None = None
    """URN of the resource whose deletion also deletes this one."""
    aliases: tuple[str, ...] = ()
    """Former URNs, including those derived from the aliases of parents."""
    import_id: str | None = None
    """Id of the existing cloud object that the resource would import, or None if it would be created."""


@dataclass(frozen=True, kw_only=True)
class SaidLine:
    """A message from the program to the user. `severity` is `info`, `warning` or `error`."""

    severity: str
    text: str
    urn: str | None = None


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Everything that a program registered except the stack itself, in URN order."""

    project: str
    stack: str
    resources: tuple[RecordedResource, ...] = ()
    reads: tuple[RecordedResource, ...] = ()
    """Existing cloud objects that the program reads, including references to other stacks."""
    outputs: dict[str, Any] = field(default_factory=dict)
    """The stack's exports, in the same form as resource inputs."""
    logs: tuple[SaidLine, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict, compare=False, repr=False)
    """Maps each `sha256` of an asset or archive to the path of the file or folder on this machine."""

    def all(self, type: str, *, under: RecordedResource | None = None) -> tuple[RecordedResource, ...]:
        """Return all resources of a type, which is specified as a token or its last part, e.g. `Vpc`.

        With `under`, return only descendants of that resource.
        """
        found = (each for each in self.resources if _has_type(each, type))
        if under is None:
            return tuple(found)
        parents = {each.urn: each.parent for each in self.resources}
        return tuple(each for each in found if _is_below(each, under.urn, parents))

    def one(self, type: str, name: str | None = None) -> RecordedResource:
        """Return the only resource with this type and, if specified, this name.

        Raise RecordingLookupError if there isn't exactly one. The message lists candidates.
        """
        found = [each for each in self.all(type) if name is None or each.name == name]
        if len(found) == 1:
            return found[0]
        wanted = f"{type} {name!r}" if name is not None else type
        if found:
            raise RecordingLookupError(f"{len(found)} resources match {wanted}: {_listed(found, lambda r: r.name)}")
        if same_type := self.all(type):
            raise RecordingLookupError(
                f"there is no {wanted}; the recording contains {_listed(same_type, lambda r: r.name)}"
            )
        raise RecordingLookupError(
            f"there is no {wanted}; the recording contains {_listed(self.resources, lambda r: r.type)}"
        )

    def of(self, urn: str) -> RecordedResource:
        """Return the resource with this URN. Raise RecordingLookupError if it doesn't exist."""
        for each in self.resources:
            if each.urn == urn:
                return each
        raise RecordingLookupError(f"the recording contains no resource {urn}")

    def children(self, resource: RecordedResource) -> tuple[RecordedResource, ...]:
        """Return the direct children of `resource`."""
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
