"""A preview or an update of Pulumi's engine, whichever document it was read from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hpc_components.review.engine.states import State

__all__ = ["PropertyDifference", "Run", "Step"]


@dataclass(frozen=True, kw_only=True)
class PropertyDifference:
    """What the provider says of one value."""

    replaces: bool
    of_inputs: bool
    """Whether the old value is an input; else it is what the cloud was last known to have."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """What the engine does with one resource; a replacement may be up to three steps."""

    op: str
    """`same`, `create`, `update`, `delete`, `replace`, `create-replacement`, `delete-replaced` and others.

    Source: pulumi, sdk/go/common/apitype/history.go, OpType.
    """
    urn: str
    old: State | None
    new: State | None
    changed: tuple[str, ...] = ()
    """Inputs that differ, without what is in them."""
    replacing: tuple[str, ...] = ()
    """Those of them that only a new resource can have."""
    detail: Mapping[str, PropertyDifference] = field(default_factory=dict)
    """By path, where the provider says more."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """All that is known of it."""

    steps: tuple[Step, ...]
    config: Mapping[str, str] = field(default_factory=dict)
    """The stack's configuration as it is now; secrets are blinded."""
    failure: str = ""
    """What the engine, a provider or the program says went wrong."""
    violations: tuple[Mapping[str, Any], ...] = ()
    """What policies forbid, advise and have changed, in the form of findings."""
    is_whole: bool = False
    """Whether the steps tell of every resource, also of those that stay, and of what each depends on."""
    has_policies: bool = False
    """Whether it would tell of violations."""
