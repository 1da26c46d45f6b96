"""Types for deciding and explaining, in a single place, why a cloud would refuse an order.

A product's `offer` module defines an order (a dataclass), its limits, and `refusals(order)`. An order can be written
on different surfaces: as keys of a description, as a component's arguments, or as recorded inputs. Surfaces differ
only in names and notation, which `hpc_components.spec.surfaces` translates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from hpc_components.catalog.level import Level

_WIDTH = 114


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A product's requirement, as printed by `hpc rules ID`."""

    id: str
    """Permanent id, in the same format as the ids of other rules, e.g. `HPC-NET-003`."""
    title: str
    """The requirement, in one sentence."""
    why: str = ""
    """Further explanation, in complete sentences."""
    source: str
    level: Level = Level.ERROR

    @property
    def text(self) -> str:
        """Title, explanation and source, formatted like a rule's docstring."""
        return f"{self.title}.\n\n" + fill(f"{self.why} Source: {self.source}.".strip(), _WIDTH)

    def refuse(
        self,
        field: str,
        *,
        reason: str,
        changes: Mapping[str, Any] | None = None,
        alternative: Mapping[str, Any] | None = None,
        advice: str = "",
        conflicts_with: str | None = None,
        level: Level | None = None,
    ) -> "Refusal":
        """Return a refusal of a field's value, or of an order in which the field is missing.

        `level` replaces the limit's own level.
        """
        return Refusal(
            limit=self,
            field=field,
            reason=reason,
            changes=changes or {},
            alternative=alternative or {},
            advice=advice,
            conflicts_with=conflicts_with,
            level=level or self.level,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A fault in an order, worded so that it is true on every surface."""

    limit: Limit
    field: str
    """The order field that is wrong."""
    reason: str
    """What the product offers or requires, in the terms of its documentation, without names of keys or arguments."""
    changes: Mapping[str, Any]
    """The remedy: new values, keyed by order field. All of these changes are needed. None means that the field should
    be left out."""
    alternative: Mapping[str, Any]
    """An alternative to `changes`, in the same format."""
    advice: str
    """Other advice. `{field}` stands for the name of the field on the surface."""
    conflicts_with: str | None
    """Another field that rules out the value. If the order does not specify `field`, the problem is reported at the
    other field."""
    level: Level
    """The limit's level, or a lower one if the underlying fact is uncertain. Only an error stops a component."""
