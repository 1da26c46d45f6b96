"""The interface of a cloud's `stand_in` part, and the facts about resource types that stand-in providers need."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hpc_components.cloud import CLOUDS, cloud_named

if TYPE_CHECKING:
    from hpc_components.testing.stand_in_cloud import StandInCloud


@dataclass(frozen=True, kw_only=True)
class Autoname:
    """How a provider generates names for resources if the program doesn't specify any, and which property contains
    the name.
    """

    property: str
    longest: int | None = None
    """Length to which the provider truncates names, or None if it doesn't truncate them."""
    form: str = "{name}-{hex7}"
    """Format of the name: `{name}` is the logical name, `{hex7}` and `{hex8}` are 7 and 8 hex digits, and `{uuid}` is
    a UUID."""

    @property
    def is_lasting(self) -> bool:
        """Whether a replacement has the same name. If so, the old resource must be deleted before the new one is
        created.
        """
        return self.form == "{name}"


@dataclass(frozen=True, kw_only=True)
class Holders:
    """Resources that prevent another resource from being deleted: those of `types` whose inputs contain the id of
    that resource.
    """

    types: tuple[str, ...]
    error: str
    """The cloud's error message, with `{id}` as the placeholder for the id."""
    unless: str | None = None
    """Name of an input, e.g. `forceDestroy`, that lifts this restriction if it is true."""


@dataclass(frozen=True, kw_only=True)
class TypeFacts:
    """Facts about a resource type. Ids and outputs are templates, and `_invent.py` defines their fields."""

    id: str
    autoname: Autoname | None = None
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """Templates for the properties that the cloud sets if the program doesn't."""
    force_new: tuple[str, ...] = ()
    """Paths of properties that can't be changed without replacing the resource."""
    force_new_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Maps each boolean property to paths that can't be changed without replacing the resource while the property is
    true."""
    grow_only: tuple[str, ...] = ()
    """Paths of numbers that can't be lowered without replacing the resource."""
    held_by: Holders | None = None
    takes_along: tuple[str, ...] = ()
    """Resource types that are deleted along with this resource if their inputs contain its id."""

    def replacing(self, inputs: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the paths that can't be changed without replacing a resource with these inputs. The region is always
        included.
        """
        on_demand = (
            path for when, paths in self.force_new_when.items() if inputs.get(when) is True for path in paths
        )
        return ("region", *self.force_new, *on_demand)


class StandIn:
    """Facts about a cloud that the stand-in provider and the assertions need.

    A cloud's `stand_in` part is an instance of a subclass. The defaults apply to unknown clouds: resources have an
    id, everything except the region can be changed in place, and all resources can be deleted.
    """

    default_region = ""
    """Region to use if neither the resource nor the provider's configuration specifies one."""
    environment: tuple[str, ...] = ()
    """Prefixes of environment variables that would give the provider access to an account, e.g. `AWS_`."""
    region_input = "region"
    """Name of the region key, both in resource inputs and in the provider's configuration."""
    tags_input = "tags"
    """Name of the input that contains a resource's tags."""
    other_tags_inputs: Mapping[str, str] = {}
    """Names of the tags input for resource types that don't use `tags_input`, keyed by type."""
    tags_output: str | None = None
    """Name of the output that combines a resource's tags with the provider's default tags, or None if the cloud has
    no such output."""

    def types(self) -> Mapping[str, TypeFacts]:
        """Map type tokens to facts. For all other types, the stand-in invents only an id."""
        return {}

    def field(self, name: str, region: str, inputs: Mapping[str, Any]) -> str | None:
        """Return the value of a template field that is specific to this cloud, such as `{zone}`, or None for any
        other field.

        `region` is the resource's region. `inputs` are the resource's inputs, with secrets in plain text.
        """
        return None

    def answers(self, region: str) -> Mapping[str, Mapping[str, Any]]:
        """Map each function that programs may call, e.g. `aws:index/getRegion:getRegion`, to its result."""
        return {}

    def lists(self, cloud: "StandInCloud") -> Mapping[str, Mapping[str, Any]]:
        """Map each function that lists what exists to its result."""
        return {}

    def given_back(self, type_: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a resource's inputs as they appear in its outputs."""
        return inputs

    def happens(
        self, cloud: "StandInCloud", type_: str, id_: str, inputs: Mapping[str, Any], *, action: str
    ) -> str | None:
        """Simulate the side effects of creating or deleting a resource, such as running a function.

        `action` is `create` or `delete`, and `id_` is the resource's id. Return an error message if the request
        fails, otherwise None.
        """
        return None


_NO_CLOUD = StandIn()


def stand_in_of(package: str) -> StandIn:
    """Return the stand-in for a Pulumi package, e.g. `aws`. For a package that belongs to none of our clouds, return
    a stand-in without facts.
    """
    found = (each for each in map(cloud_named, CLOUDS) if each.pulumi_package == package)
    return next((each.parts.stand_in for each in found), _NO_CLOUD)


def stand_ins() -> tuple[StandIn, ...]:
    """Return the stand-ins for all clouds."""
    return tuple(cloud_named(name).parts.stand_in for name in CLOUDS)


def type_facts(type_: str) -> TypeFacts:
    """Return the facts about a resource type. `type_` is a Pulumi type token."""
    return stand_in_of(type_.partition(":")[0]).types().get(type_, TypeFacts(id="{hex17}"))


def read_types(text: str) -> dict[str, TypeFacts]:
    """Parse JSON that maps type tokens to facts under the key `types`. The fields of `TypeFacts` are in camelCase."""
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
