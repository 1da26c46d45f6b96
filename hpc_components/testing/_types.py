"""What the stand-in knows of each resource type: ids, outputs, what forces a new resource, what blocks a deletion."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["Autoname", "Holders", "TypeFacts", "type_facts"]


@dataclass(frozen=True, kw_only=True)
class Autoname:
    """The property that the provider names by itself where the program does not."""

    property: str
    longest: int
    """Longest name that the cloud takes."""


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


def type_facts(type_: str) -> TypeFacts:
    """Facts of a Pulumi type token. A type without a record gets an id and nothing else."""
    return _tables().get(type_, TypeFacts(id="{hex17}"))


@cache
def _tables() -> Mapping[str, TypeFacts]:
    text = (files("hpc_components.testing") / "data" / "aws.json").read_text(encoding="utf-8")
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
