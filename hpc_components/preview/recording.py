"""A recording: the resources, outputs and messages of a program, as plain values."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpc_components.errors import HpcError


class ProgramError(HpcError):
    """The program could not be recorded. The message begins with the place in the user's own files, if known.

    Attributes: `message`, and `place` (`infra/vpc.py:12`, relative to the project). `__cause__` is the original
    error.
    """

    def __init__(self, message: str, place: str | None = None) -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.place = place


class RecordingLookupError(HpcError, LookupError):
    """A recording has no such resource, or more than one. The message lists what it has."""


@dataclass(frozen=True, kw_only=True)
class RecordedResource:
    """One registration, as the engine would have seen it.

    `inputs` are plain JSON under the provider's own (camelCase) names: `<unknown>` for values that only the cloud
    knows, `<secret>` for values that must not be seen; a file is `{"asset": {"path": ..., "sha256": ...}}`, a text
    asset `{"asset": {"text": ..., "sha256": ...}}`, an archive the same under `archive`; a resource is its URN.
    Protection, retention and provider are those in force after inheritance from the parents, by the engine's own
    rules.
    """

    urn: str
    type: str
    """Type token, `aws:ec2/vpc:Vpc`."""
    name: str
    parent: str | None = None
    """URN of the parent; None for resources directly below the stack."""
    inputs: dict[str, Any] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    """URNs, sorted: explicit dependencies (for a component, its children) and those that inputs come from."""
    property_dependencies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of an input -> URNs that its value comes from."""
    custom: bool = True
    """False for components."""
    protect: bool = False
    retain: bool = False
    provider: str | None = None
    """Reference of an explicit provider, `<urn>::<id>`; None for the default provider."""
    ignore_changes: tuple[str, ...] = ()
    replace_on_changes: tuple[str, ...] = ()
    delete_before_replace: bool = False
    deleted_with: str | None = None
    """URN of the resource whose deletion also deletes this one."""
    aliases: tuple[str, ...] = ()
    """Former URNs, including those inherited from its parents' aliases."""
    import_id: str | None = None
    """Id of the existing cloud object that it would adopt."""


@dataclass(frozen=True, kw_only=True)
class SaidLine:
    """A message of the program for the user; `severity` is `info`, `warning` or `error`."""

    severity: str
    text: str
    urn: str | None = None


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Everything that a program registered, in the order of the URNs, without the stack itself."""

    project: str
    stack: str
    resources: tuple[RecordedResource, ...] = ()
    reads: tuple[RecordedResource, ...] = ()
    """Existing cloud objects that the program only reads, including stack references."""
    outputs: dict[str, Any] = field(default_factory=dict)
    """The stack's exports, in the notation of inputs."""
    logs: tuple[SaidLine, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict, compare=False, repr=False)
    """Paths of the files and folders of assets and archives on this machine, by their `sha256`."""

    def all(self, type: str, *, under: RecordedResource | None = None) -> tuple[RecordedResource, ...]:
        """Return all resources of a type, given as a token or its last word (`Vpc`); with `under`, only those below
        it.
        """
        found = (each for each in self.resources if _has_type(each, type))
        if under is None:
            return tuple(found)
        parents = {each.urn: each.parent for each in self.resources}
        return tuple(each for each in found if _is_below(each, under.urn, parents))

    def one(self, type: str, name: str | None = None) -> RecordedResource:
        """Return the only resource of this type (and name); RecordingLookupError names the resources there are
        instead.
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
        """Return the resource with this URN."""
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
