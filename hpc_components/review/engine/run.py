"""Represents a preview or update by Pulumi's engine, regardless of the document it was read from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hpc_components.review.engine.states import State


@dataclass(frozen=True, kw_only=True)
class PropertyDifference:
    replaces: bool
    of_inputs: bool
    """Whether the old value is an input rather than the last known value in the cloud."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """An operation that the engine performs on one resource. A replacement has up to three steps."""

    op: str
    """`same`, `create`, `update`, `delete`, `replace`, `create-replacement`, `delete-replaced` and others.

    Source: pulumi, sdk/go/common/apitype/history.go, OpType.
    """
    urn: str
    old: State | None
    new: State | None
    changed: tuple[str, ...] = ()
    """Top-level inputs that differ."""
    replacing: tuple[str, ...] = ()
    """Top-level inputs whose change requires a replacement."""
    detail: Mapping[str, PropertyDifference] = field(default_factory=dict)
    """Maps paths to differences. Empty if the provider reports no details."""


@dataclass(frozen=True, kw_only=True)
class Run:
    steps: tuple[Step, ...]
    config: Mapping[str, str] = field(default_factory=dict)
    """The stack's current configuration; secrets are redacted."""
    failure: str = ""
    """Error messages of the engine, a provider or the program."""
    violations: tuple[Mapping[str, Any], ...] = ()
    """Policy violations and remediations, as findings."""
    is_whole: bool = False
    """Whether the steps cover all resources, including unchanged ones, along with their dependencies."""
    has_policies: bool = False
    """Whether documents of this kind include policy violations."""
