"""Defines the facts that stand-in providers need: the interface of a cloud's `stand_in` part, and facts about
resource types."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hpc_components.cloud import CLOUDS, cloud_named

if TYPE_CHECKING:
    from hpc_components.testing.stand_in_cloud import StandInCloud


@dataclass(frozen=True, kw_only=True)
class Autoname:
    """How the provider generates a name if the program specifies none, and the property that contains it."""

    property: str
    longest: int | None = None
    """Maximum length to which the provider truncates names, or None if it doesn't truncate them."""
    form: str = "{name}-{hex7}"
    """Format of the name, in which `{name}` is the logical name, `{hex7}` and `{hex8}` are hex digits, and `{uuid}`
    is a UUID."""

    @property
    def is_lasting(self) -> bool:
        """Whether a replacement gets the same name, so that the old resource must be deleted before the new one is
        created."""
        return self.form == "{name}"


@dataclass(frozen=True, kw_only=True)
class Holders:
    """Resource types that prevent a resource from being deleted as long as resources of these types mention its
    id."""

    types: tuple[str, ...]
    error: str
    """The cloud's error message, in which `{id}` stands for the id."""
    unless: str | None = None
    """Name of an input that, if true, makes the provider delete the holders as well."""


@dataclass(frozen=True, kw_only=True)
class TypeFacts:
    """Facts about a resource type. Ids and outputs are templates, whose fields are defined in `_invent.py`."""

    id: str
    autoname: Autoname | None = None
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """Properties that the cloud sets if the program doesn't."""
    force_new: tuple[str, ...] = ()
    """Paths of properties that can't be changed without replacing the resource."""
    force_new_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Property name -> paths that can't be changed without replacing the resource if this property is true."""
    grow_only: tuple[str, ...] = ()
    """Paths of numbers that can't be lowered without replacing the resource."""
    held_by: Holders | None = None
    takes_along: tuple[str, ...] = ()
    """Resource types that are deleted along with this resource if they mention its id."""

    def replacing(self, inputs: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the paths, including the region, that can't be changed without a replacement if the resource has
        these inputs."""
        on_demand = (
            path for when, paths in self.force_new_when.items() if inputs.get(when) is True for path in paths
        )
        return ("region", *self.force_new, *on_demand)


class StandIn:
    """Facts about a cloud that the stand-in provider and the assertions need.

    A cloud's `stand_in` part is an instance of a subclass. The defaults apply to unknown clouds: resources get an id,
    and everything can be changed in place and deleted.
    """

    default_region = ""
    """Region of resources if neither they nor the provider's configuration specify one."""
    environment: tuple[str, ...] = ()
    """Prefixes of environment variables that would give the provider access to an account, e.g. `AWS_`."""
    region_input = "region"
    """Name of the region key in resources' inputs and in the provider's configuration."""
    tags_input = "tags"
    """Name of the input that holds a resource's tags."""
    other_tags_inputs: Mapping[str, str] = {}
    """Type -> name of the input that contains tags, for types that use a different name."""
    tags_output: str | None = None
    """Name of the output that contains the resource's tags as well as the provider's, or None if there isn't one."""

    def types(self) -> Mapping[str, TypeFacts]:
        """Map type tokens to facts. Resources of types without facts get an id and nothing else."""
        return {}

    def field(self, name: str, region: str, inputs: Mapping[str, Any]) -> str | None:
        """Return the value of a template field that is specific to this cloud, such as `{zone}`. Return None for
        other fields.

        `region` is the resource's region, and `inputs` are its inputs without secrets.
        """
        return None

    def answers(self, region: str) -> Mapping[str, Mapping[str, Any]]:
        """Map the token of each call that programs make, e.g. `aws:index/getRegion:getRegion`, to its result."""
        return {}

    def given_back(self, type_: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a resource's inputs in the form in which they appear among its outputs."""
        return inputs

    def happens(
        self, cloud: "StandInCloud", type_: str, id_: str, inputs: Mapping[str, Any], *, action: str
    ) -> str | None:
        """Simulate the side effects of creating or deleting a resource, such as running a function.

        `action` is `create` or `delete`, and `id_` is the resource's id. Return the error if the request fails, or
        None if it succeeds.
        """
        return None


_NO_CLOUD = StandIn()


def stand_in_of(package: str) -> StandIn:
    """Return the stand-in for a provider's package, e.g. `aws`. If no cloud has this package, return one without
    facts.
    """
    found = (each for each in map(cloud_named, CLOUDS) if each.pulumi_package == package)
    return next((each.parts.stand_in for each in found), _NO_CLOUD)


def stand_ins() -> tuple[StandIn, ...]:
    """Return the stand-ins for all clouds."""
    return tuple(cloud_named(name).parts.stand_in for name in CLOUDS)


def type_facts(type_: str) -> TypeFacts:
    """Return the facts about a Pulumi type token."""
    return stand_in_of(type_.partition(":")[0]).types().get(type_, TypeFacts(id="{hex17}"))


def read_types(text: str) -> dict[str, TypeFacts]:
    """Parse JSON that contains facts under `types`, with the keys of `TypeFacts` in camelCase, and map type tokens to
    them."""
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
