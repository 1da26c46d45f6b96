"""Facts for the stand-in: the interface of a cloud's part `testing`, and the facts of each resource type."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hpc_components.cloud import CLOUDS, cloud_named

if TYPE_CHECKING:
    from hpc_components.testing.stand_in_cloud import StandInCloud


@dataclass(frozen=True, kw_only=True)
class Autoname:
    """The property that the provider generates a name for if the program gives none."""

    property: str
    longest: int | None = None
    """Maximum length of a name, to which the provider truncates; None if it does not truncate."""
    form: str = "{name}-{hex7}"
    """Format of the name: the logical `{name}` and digits (`{hex7}`, `{hex8}`), or a `{uuid}`."""

    @property
    def is_lasting(self) -> bool:
        """Whether a replacement gets the same name, so that the old resource must be deleted first."""
        return self.form == "{name}"


@dataclass(frozen=True, kw_only=True)
class Holders:
    """Types whose resources prevent this one's deletion as long as they mention its id."""

    types: tuple[str, ...]
    error: str
    """The cloud's error message; `{id}` stands for the id."""
    unless: str | None = None
    """Input that, if true, makes the provider delete the holders too."""


@dataclass(frozen=True, kw_only=True)
class TypeFacts:
    """Facts of one type. Ids and outputs are templates, whose fields `_invent.py` explains."""

    id: str
    autoname: Autoname | None = None
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """Properties that the cloud fills in if the program does not."""
    force_new: tuple[str, ...] = ()
    """Paths of properties whose change requires a replacement."""
    force_new_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Paths whose change requires a replacement if the property in the key is true."""
    grow_only: tuple[str, ...] = ()
    """Paths of numbers that only a replacement can lower."""
    held_by: Holders | None = None
    takes_along: tuple[str, ...] = ()
    """Types whose resources are deleted with this one if they mention its id."""

    def replacing(self, inputs: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the paths whose change requires a replacement for these inputs, including the region."""
        on_demand = (
            path for when, paths in self.force_new_when.items() if inputs.get(when) is True for path in paths
        )
        return ("region", *self.force_new, *on_demand)


class StandIn:
    """Facts about one cloud for the stand-in provider and the matchers.

    A cloud's part `stand_in` is an instance of a subclass. The defaults are those of an unknown cloud:
    resources get an id, and everything can be changed in place and deleted.
    """

    default_region = ""
    """Region of resources if neither they nor the provider's configuration name one."""
    environment: tuple[str, ...] = ()
    """Prefixes of environment variables that would give the provider an account: `AWS_`."""
    region_input = "region"
    """Name of the region in inputs of resources and in the provider's configuration."""
    tags_input = "tags"
    """The input that holds a resource's tags."""
    other_tags_inputs: Mapping[str, str] = {}
    """The input for tags of types that use another name, by type."""
    tags_output: str | None = None
    """The output that repeats the tags, with those of the provider."""

    def types(self) -> Mapping[str, TypeFacts]:
        """Return facts by type token. A type without facts gets an id and nothing else."""
        return {}

    def field(self, name: str, region: str, inputs: Mapping[str, Any]) -> str | None:
        """Return the value of a template's field that only this cloud has, such as `{zone}`; None for any other.

        `region` is that of the resource, `inputs` are its own, without secrets.
        """
        return None

    def answers(self, region: str) -> Mapping[str, Mapping[str, Any]]:
        """Return answers to the calls that programs make, by token: `aws:index/getRegion:getRegion`."""
        return {}

    def given_back(self, type_: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return inputs of a resource in the form that they have among its outputs."""
        return inputs

    def happens(
        self, cloud: "StandInCloud", type_: str, id_: str, inputs: Mapping[str, Any], *, action: str
    ) -> str | None:
        """Simulate side effects of creating or deleting a resource (`action`: `create`, `delete`), such as running a
        function.

        Return the error that makes the request fail, or None. `id_` is the resource's id.
        """
        return None


_NO_CLOUD = StandIn()


def stand_in_of(package: str) -> StandIn:
    """Return the stand-in of a provider's package (`aws`), or one without facts if no cloud has that package."""
    found = (each for each in map(cloud_named, CLOUDS) if each.pulumi_package == package)
    return next((each.parts.stand_in for each in found), _NO_CLOUD)


def stand_ins() -> tuple[StandIn, ...]:
    """Return the stand-ins of all clouds."""
    return tuple(cloud_named(name).parts.stand_in for name in CLOUDS)


def type_facts(type_: str) -> TypeFacts:
    """Return the facts of a Pulumi type token."""
    return stand_in_of(type_.partition(":")[0]).types().get(type_, TypeFacts(id="{hex17}"))


def read_types(text: str) -> dict[str, TypeFacts]:
    """Return facts from JSON: by type token under `types`, with the keys of `TypeFacts` in camelCase."""
    return {type_: _facts(record) for type_, record in json.loads(text)["types"].items()}


def _facts(record: Mapping[str, Any]) -> TypeFacts:
    return TypeFacts(
        id=record["id"],
        autoname=Autoname(**record["autoname"]) if "autoname" in record else None,
        outputs=record["outputs"],
        force_new=tuple(record["forceNew"]),
        force_new_when={when: tuple(paths) for when, paths in record.get("forceNewWhen", {}).items()},
        grow_only=tuple(record.get("growOnly", ())),
        held_by=_holders(record["heldBy"]) if "heldBy" in record else None,
        takes_along=tuple(record.get("takesAlong", ())),
    )


def _holders(record: Mapping[str, Any]) -> Holders:
    return Holders(types=tuple(record["types"]), error=record["error"], unless=record.get("unless"))
