"""Aligns deployed resources with planned ones, so that only real differences remain.

A state contains values that a plan doesn't: values known only to the cloud, values added by the provider's Check, and
encrypted values.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hpc_components.preview.resources import SECRET, UNKNOWN, Resource
from hpc_components.review.engine.states import State, resource_of
from hpc_components.review.engine.values import defaults_of


def align_with_plan(state: State, planned: Resource) -> Resource:
    """Return the resource in `state`, taking values from `planned` wherever the program may have set the same
    value.
    """
    resource, raw = resource_of(state), state.get("inputs") or {}
    given = state.get("propertyDependencies") or {}  # has a key for each input that the program set
    defaults = defaults_of(raw)
    added = {name for name in raw if name in defaults or (given and name not in given)}
    inputs = {
        name: _aligned(value, planned.inputs.get(name), raw.get(name))
        for name, value in resource.inputs.items()
        if name in planned.inputs or name not in added
    }
    return replace(resource, inputs=inputs)


def _aligned(value: Any, planned: Any, raw: Any) -> Any:
    if planned in (UNKNOWN, SECRET) or (value == SECRET and planned is not None):
        return planned
    if isinstance(value, Mapping) and isinstance(planned, Mapping):
        if _is_packed(value) and _is_packed(planned):
            return planned
        added = defaults_of(raw)
        return {
            key: _aligned(each, planned.get(key), raw.get(key) if isinstance(raw, Mapping) else None)
            for key, each in value.items()
            if key in planned or key not in added
        }
    if isinstance(value, list) and isinstance(planned, list):
        raws = raw if isinstance(raw, list) else [None] * len(value)
        common = [_aligned(*each) for each in zip(value, planned, raws, strict=False)]
        return [*common, *value[len(common) :]]
    return planned if _text(value) is not None and _text(value) == _text(planned) else value


def _is_packed(value: Mapping[str, Any]) -> bool:
    """Return whether `value` is an archive made from a whole folder or packed file, rather than from individual
    assets. Pulumi and plans hash such archives differently.
    """
    archive = value.get("archive")
    return isinstance(archive, Mapping) and "assets" not in archive


def _text(value: Any) -> str | None:
    """Return a plain value as the text that a provider would write, e.g. `true` or `64`, or None for other values."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}" if value != int(value) else str(int(value))
    return value if isinstance(value, str) else None
