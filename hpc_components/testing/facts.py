"""What the stand-in knows of a cloud: the contract of its part `testing`, and the facts of each resource type."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hpc_components.cloud import CLOUDS, cloud_named

if TYPE_CHECKING:
    from hpc_components.testing.stand_in_cloud import StandInCloud

__all__ = [
    "Autoname",
    "Holders",
    "StandIn",
    "TypeFacts",
    "read_types",
    "stand_in_of",
    "stand_ins",
    "type_facts",
]


@dataclass(frozen=True, kw_only=True)
class Autoname:
    """The property that the provider names by itself where the program does not."""

    property: str
    longest: int | None = None
    """Longest name that the cloud takes, to which the provider cuts; None where it cuts nothing."""
    form: str = "{name}-{hex7}"
    """How the provider makes it: of the logical `{name}` and digits (`{hex7}`, `{hex8}`), or a `{uuid}`."""

    @property
    def is_lasting(self) -> bool:
        """Whether a successor gets the same name, and can't be made before the old one is gone."""
        return self.form == "{name}"


@dataclass(frozen=True, kw_only=True)
class Holders:
    """Types whose resources keep this one from being deleted as long as they mention its id."""

    types: tuple[str, ...]
    error: str
    """What the cloud says then; `{id}` stands for the id."""
    unless: str | None = None
    """Input that, when true, makes the provider delete the holders as well."""


@dataclass(frozen=True, kw_only=True)
class TypeFacts:
    """One type. Ids and outputs are templates, whose fields `_invent.py` explains."""

    id: str
    autoname: Autoname | None = None
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """Properties that the cloud fills in where the program did not."""
    force_new: tuple[str, ...] = ()
    """Property paths that only a new resource can change."""
    force_new_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Paths that force a new resource where the property of the key is true."""
    grow_only: tuple[str, ...] = ()
    """Numbers that only a new resource can lower."""
    held_by: Holders | None = None
    takes_along: tuple[str, ...] = ()
    """Types whose resources vanish with this one where they mention its id."""

    def replacing(self, inputs: Mapping[str, Any]) -> tuple[str, ...]:
        """All paths that force a new resource for these inputs. Nothing moves to another region."""
        on_demand = (
            path for when, paths in self.force_new_when.items() if inputs.get(when) is True for path in paths
        )
        return ("region", *self.force_new, *on_demand)


class StandIn:
    """What the stand-in provider and the matchers know of one cloud.

    A cloud's part `stand_in` is an instance of a subclass. What it does not override is as in an unknown cloud:
    resources get an id, everything can be changed in place and deleted.
    """

    default_region = ""
    """Where resources go that name no region, if the provider's configuration names none either."""
    environment: tuple[str, ...] = ()
    """Beginnings of environment variables that would give the provider an account: `AWS_`."""
    region_input = "region"
    """The input of resources, and of the provider's configuration, that names the region."""
    tags_input = "tags"
    """The input that holds a resource's tags."""
    other_tags_inputs: Mapping[str, str] = {}
    """The same of types that call it otherwise, by type."""
    tags_output: str | None = None
    """The output that repeats them, with the provider's own."""

    def types(self) -> Mapping[str, TypeFacts]:
        """Facts by type token. A type without any gets an id and nothing else."""
        return {}

    def field(self, name: str, region: str, inputs: Mapping[str, Any]) -> str | None:
        """The value of a field of a template that only this cloud has, such as `{zone}`; None for all others.

        `region` is that of the resource, `inputs` are its own, without secrets.
        """
        return None

    def answers(self, region: str) -> Mapping[str, Mapping[str, Any]]:
        """Answers to the calls that programs make, by token: `aws:index/getRegion:getRegion`."""
        return {}

    def given_back(self, type_: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Inputs of a resource in the form that they have among its outputs."""
        return inputs

    def happens(
        self, cloud: "StandInCloud", type_: str, id_: str, inputs: Mapping[str, Any], *, action: str
    ) -> str | None:
        """What else the cloud does when a resource is made or deleted (`action`: `create`, `delete`), running a
        function for one; returns why that failed, and with it the request, or None. `id_` is the resource's own.
        """
        return None


_NO_CLOUD = StandIn()


def stand_in_of(package: str) -> StandIn:
    """The stand-in of a provider's package (`aws`); one that knows nothing, where no cloud has that package."""
    found = (each for each in map(cloud_named, CLOUDS) if each.pulumi_package == package)
    return next((each.parts.stand_in for each in found), _NO_CLOUD)


def stand_ins() -> tuple[StandIn, ...]:
    """Those of all clouds."""
    return tuple(cloud_named(name).parts.stand_in for name in CLOUDS)


def type_facts(type_: str) -> TypeFacts:
    """Facts of a Pulumi type token."""
    return stand_in_of(type_.partition(":")[0]).types().get(type_, TypeFacts(id="{hex17}"))


def read_types(text: str) -> dict[str, TypeFacts]:
    """Facts from JSON: by type token under `types`, with the keys of `TypeFacts` in camelCase."""
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
