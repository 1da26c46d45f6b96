"""Looks up nested values in a resource's inputs. Any part of a path may be missing, unknown or secret."""

from collections.abc import Mapping
from typing import Any

from hpc_components.preview.resources import SECRET, STANDIN, UNKNOWN
from hpc_components.spec.findings import Path


def value_at(inputs: Any, path: str | Path) -> Any:
    """Return the value at a path such as `sku.name` or `("rules", 0, "port")`, or None if any part of the path is
    missing, unknown or secret."""
    for key in path.split(".") if isinstance(path, str) else path:
        if isinstance(inputs, Mapping):
            inputs = inputs.get(key)
        elif isinstance(inputs, list | tuple) and isinstance(key, int) and key < len(inputs):
            inputs = inputs[key]
        else:
            return None
    return None if inputs in (SECRET, UNKNOWN) else inputs


def text_at(inputs: Any, path: str) -> str | None:
    value = value_at(inputs, path)
    return value if isinstance(value, str) else None


def number_at(inputs: Any, path: str) -> int | None:
    value = value_at(inputs, path)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def items(inputs: Any, path: str) -> tuple[Any, ...]:
    value = value_at(inputs, path)
    return tuple(value) if isinstance(value, list | tuple) else ()


def is_known(inputs: Any, path: str) -> bool:
    """Return whether no part of the path is unknown or secret.

    Missing values are considered known.
    """
    for key in path.split("."):
        if not isinstance(inputs, Mapping):
            break
        inputs = inputs.get(key)
    return inputs not in (SECRET, UNKNOWN)


def is_true(inputs: Any, path: str) -> bool:
    """Accept text too, because some providers write flags as strings such as `"true"`."""
    return value_at(inputs, path) in (True, "true")


def is_open(value: Any) -> bool:
    """Return whether a value can't be checked because it is unknown, secret or, in an update, a stand-in."""
    return isinstance(value, str) and (value in (UNKNOWN, SECRET) or STANDIN in value)
