"""What a cloud refuses in an order, decided and put into words once.

A product's `offer` has an order (a dataclass), its limits, and `refusals(order)`. A description, the arguments of a
component and recorded inputs are surfaces on which an order is written. They differ in names and notation alone,
which `hpc_components.spec.surfaces` knows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from hpc_components.catalog.level import Level

_WIDTH = 114
"""Characters of a line of an explanation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Something that a product requires; `hpc rules ID` prints it."""

    id: str
    """Stable, with the other rules: `HPC-NET-003`."""
    title: str
    """What must hold, in one sentence."""
    why: str = ""
    """What else there is to know, in whole sentences."""
    source: str
    """The documentation that says so."""
    level: Level = Level.ERROR

    @property
    def text(self) -> str:
        """Title, reason and source, as the docstring of a rule has them."""
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
        """Refuse the value of a field, or a field that is missing; `level` in place of the limit's own."""
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
    """One thing that is wrong with an order, in words that hold on every surface."""

    limit: Limit
    field: str
    """The field of the order."""
    reason: str
    """What the product has or needs, in the words of its documentation, without names of keys or arguments."""
    changes: Mapping[str, Any]
    """The remedy as new values of fields of the order, all of them needed; None: leave the field out."""
    alternative: Mapping[str, Any]
    """Another remedy, in the same form."""
    advice: str
    """What else helps; `{field}` stands for the name that a field of the order has on the surface."""
    conflicts_with: str | None
    """The other field that excludes the value. A finding stands there where `field` itself is not written."""
    level: Level
    """That of the limit, or a lower one where the fact behind it is unsure. Only an error stops a component."""
