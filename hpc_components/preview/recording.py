"""A recording: the resources, outputs and messages of a program, as plain values."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpc_components.errors import HpcError

__all__ = ["ProgramError", "RecordedResource", "Recording", "RecordingLookupError", "SaidLine"]


class ProgramError(HpcError):
    """The program could not be recorded. The message begins with the place in the user's own files, where known.

    Attributes: `message`, and `place` (`infra/vpc.py:12`, relative to the project). `__cause__` is the error itself.
    """

    def __init__(self, message: str, place: str | None = None) -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.place = place


class RecordingLookupError(HpcError, LookupError):
    """A recording holds no such resource, or more than one. The message says what there is."""


@dataclass(frozen=True, kw_only=True)
class RecordedResource:
    """One registration, as the engine would have seen it.

    `inputs` are plain JSON under the provider's own (camelCase) names: `<unknown>` where only the cloud knows the
    value, `<secret>` where it must not be seen; a file is `{"asset": {"path": ..., "sha256": ...}}`, a text asset
    `{"asset": {"text": ..., "sha256": ...}}`, an archive the same under `archive`; a resource is its URN. Protection,
    retention and provider are those in force after inheritance from the parents, by the engine's own rules.
    """

    urn: str
    type: str
    """Type token, `aws:ec2/vpc:Vpc`."""
    name: str
    parent: str | None = None
    """URN of the parent; None for those that stand directly below the stack."""
    inputs: dict[str, Any] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    """URNs, sorted: explicit dependencies (a component stands for its children) and those that inputs come from."""
    property_dependencies: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Input name -> URNs its value comes from."""
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
    """URN of the resource whose deletion takes this one along."""
    aliases: tuple[str, ...] = ()
    """URNs it may have had before, those inherited from its parents' aliases included."""
    import_id: str | None = None
    """Identifier of the existing cloud object that it would adopt."""


@dataclass(frozen=True, kw_only=True)
class SaidLine:
    """A message of the program for the user: `severity` is `info`, `warning` or `error`."""

    severity: str
    text: str
    urn: str | None = None


@dataclass(frozen=True, kw_only=True)
class Recording:
    """All that a program registered, in the order of the URNs; the stack itself is not among them."""

    project: str
    stack: str
    resources: tuple[RecordedResource, ...] = ()
    reads: tuple[RecordedResource, ...] = ()
    """Existing cloud objects that the program only looks at, stack references among them."""
    outputs: dict[str, Any] = field(default_factory=dict)
    """What the stack exports, in the notation of the inputs."""
    logs: tuple[SaidLine, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict, compare=False, repr=False)
    """Where the files and folders of its assets and archives are on this machine, by their `sha256`."""

    def all(self, type: str, *, under: RecordedResource | None = None) -> tuple[RecordedResource, ...]:
        """All resources of a type, given as a whole token or by its last word (`Vpc`), also only those below one."""
        found = (each for each in self.resources if _has_type(each, type))
        if under is None:
            return tuple(found)
        parents = {each.urn: each.parent for each in self.resources}
        return tuple(each for each in found if _is_below(each, under.urn, parents))

    def one(self, type: str, name: str | None = None) -> RecordedResource:
        """The only resource of this type (and name); RecordingLookupError names what there is instead."""
        found = [each for each in self.all(type) if name is None or each.name == name]
        if len(found) == 1:
            return found[0]
        wanted = f"{type} {name!r}" if name is not None else type
        if found:
            raise RecordingLookupError(f"{len(found)} resources are {wanted}: {_listed(found, lambda r: r.name)}")
        if same_type := self.all(type):
            raise RecordingLookupError(f"there is no {wanted}; there is {_listed(same_type, lambda r: r.name)}")
        raise RecordingLookupError(f"there is no {wanted}; there is {_listed(self.resources, lambda r: r.type)}")

    def of(self, urn: str) -> RecordedResource:
        """The resource with this URN."""
        for each in self.resources:
            if each.urn == urn:
                return each
        raise RecordingLookupError(f"there is no resource {urn}")

    def children(self, resource: RecordedResource) -> tuple[RecordedResource, ...]:
        """Those whose parent is `resource`."""
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
