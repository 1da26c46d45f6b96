from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic_core import PydanticUndefined

from hpc_components.cloud import CLOUDS
from hpc_components.spec.model import Model
from hpc_components.spec.parsing import model_of
from hpc_components.spec.schema_walk import field_docs, models_in, type_name, type_words

ANY = "<name>"
"""Placeholder in a path for a name that the user chooses, e.g. in `storage.<name>.size`."""


@dataclass(frozen=True, kw_only=True)
class KeyText:
    """The reference text of a key. Clouds with the same text share one entry."""

    path: str
    """Path of the key, e.g. `queues[].machine` or `storage.<name>.size`."""
    kind: str
    """The `type` of the mapping that contains the key (e.g. `lustre`). Empty if only one type is possible."""
    takes: str
    """The key's type in words, e.g. `list of text` or `mapping of lustre or nfs by name`."""
    default: str
    """The default as YAML, or `required`. Empty if the key is optional and has no default value."""
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key's text and the clouds to which it applies."""

    text: KeyText
    clouds: tuple[str, ...]


def keys_of(clouds: Sequence[str] = tuple(CLOUDS)) -> list[Key]:
    """Return all description keys for these clouds, in the order in which the models declare them."""
    owners: dict[KeyText, list[str]] = {}
    for cloud in clouds:
        for text in _walk(model_of(cloud), "", ""):
            found = owners.setdefault(text, [])
            if cloud not in found:
                found.append(cloud)
    return [Key(text=text, clouds=tuple(found)) for text, found in owners.items()]


def find_keys(wanted: str, keys: Sequence[Key]) -> list[Key]:
    """Return the keys that match `wanted`, which is a complete or partial path.

    For example, `queues[0].machine`, `queues.machine` and `machine` match `queues[].machine`, while
    `storage.scratch.size` and `lustre.size` match `storage.<name>.size`. If `wanted` is a complete path, longer paths
    that end with `wanted` are not returned.
    """
    parts = _parts(wanted)
    kinds = {key.text.kind for key in keys} - {""}
    whole = [key for key in keys if _is_path(parts, _parts(key.text.path))]
    return whole or [key for key in keys if _is_end(parts, key.text, kinds)]


def keys_below(key: Key, keys: Sequence[Key]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the keys directly under `key` as {`type` of the mapping: {key name: clouds}}."""
    depth = len(_parts(key.text.path)) + key.text.takes.startswith("mapping of")
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for below in keys:
        parts = _parts(below.text.path)
        clouds = [cloud for cloud in below.clouds if cloud in key.clouds]
        is_below = below.text.path.startswith((f"{key.text.path}.", f"{key.text.path}[]."))
        if is_below and clouds and len(parts) == depth + 1 and key.text.kind in ("", below.text.kind):
            names = found.setdefault(below.text.kind, {})
            names[parts[-1]] = tuple(dict.fromkeys((*names.get(parts[-1], ()), *clouds)))
    return found


def similar_keys(wanted: str, keys: Sequence[Key]) -> list[str]:
    """Return up to three known key names that resemble the last part of `wanted`."""
    names = {_parts(key.text.path)[-1] for key in keys}
    return get_close_matches(_parts(wanted)[-1] if _parts(wanted) else "", sorted(names))


def default_of(field: Any) -> str:
    value = field.default
    if value is None or value is PydanticUndefined or value in ((), {}):
        return ""
    if isinstance(value, Model):
        given = value.model_dump(mode="json", exclude_unset=True)
        return ", ".join(f"{key}: {part}" for key, part in given.items())
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return shown.lower() if isinstance(value, bool) else shown


def _walk(model: type[Model], above: str, kind: str) -> Iterator[KeyText]:
    docs = field_docs(model)
    for name, field in model.model_fields.items():
        annotation = field.rebuild_annotation()
        path = f"{above}{name}"
        yield KeyText(
            path=path,
            kind=kind,
            takes=_takes(annotation),
            default="required" if field.is_required() else default_of(field),
            meaning=docs.get(name, ""),
        )
        below = models_in(annotation)
        for each in below:
            word = type_words(each)[0] if len(below) > 1 and type_words(each) else ""
            yield from _walk(each, path + _step(annotation), word or kind)


def _takes(annotation: Any) -> str:
    """Mappings that have a `type` are described by that type rather than by their model."""
    name, models = type_name(annotation).replace("`", ""), models_in(annotation)
    if not models:
        return name.replace("Size", "size").replace("Duration", "duration").replace("Day", "day")
    words = dict.fromkeys(word for model in models for word in type_words(model))
    for prefix in ("list of ", "mapping of "):
        if name.startswith(prefix):
            return f"{prefix}{' or '.join(words) or 'mappings'}" + " by name" * name.endswith(" by name")
    names = {model.__name__ for model in models}
    plain = [part for part in name.split(" or ") if part not in names]
    return " or ".join((*plain, f"mapping (type: {' or '.join(words)})" if words else "mapping"))


def _step(annotation: Any) -> str:
    shown = type_name(annotation)
    if shown.startswith("list of"):
        return "[]."
    return f".{ANY}." if shown.startswith("mapping of") else "."


def _parts(path: str) -> list[str]:
    below = path.removeprefix("config.").removeprefix("hpc:cluster.")
    return [name for part in below.split(".") if (name := part.partition("[")[0])]


def _is_path(wanted: Sequence[str], path: Sequence[str]) -> bool:
    return len(wanted) == len(path) and all(there in (ANY, part) for part, there in zip(wanted, path, strict=True))


def _is_end(wanted: Sequence[str], text: KeyText, kinds: set[str]) -> bool:
    """Return whether `wanted` matches the end of the path. `wanted` may omit any part of the path except the last."""
    path = _parts(text.path)
    if not wanted or wanted[-1] != path[-1]:
        return False
    rest = iter(path[:-1])
    return all(
        part == text.kind if part in kinds else any(there in (ANY, part) for there in rest) for part in wanted[:-1]
    )
