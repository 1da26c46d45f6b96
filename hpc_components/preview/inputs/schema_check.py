import enum
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hpc_components.preview.inputs.documented import documented_range, documented_values
from hpc_components.preview.inputs.input_facts import InputFacts
from hpc_components.preview.inputs.input_fault import PropertyFault, closest
from hpc_components.preview.nested import is_open
from hpc_components.preview.recorder.sdk_types import Property, alternatives, is_argument_class, properties
from hpc_components.spec.input_rules import FaultKind
from hpc_components.wording import closest_word

_FLAGS = (True, False, "true", "false")


def schema_faults(
    arguments: type, value: Mapping[str, Any], facts: InputFacts, known: frozenset[str]
) -> Iterator[PropertyFault]:
    """Yield the faults in `value` according to the argument class `arguments`.

    `known` contains paths, with `[]` in place of any index. At these paths, only the types are checked here, because
    the values are checked against the rules in `facts`.
    """
    return _Walk(known, facts).object(arguments, value, "")


class _Walk:
    def __init__(self, known: frozenset[str], facts: InputFacts) -> None:
        self._known = known
        self._dated = facts.dated_enums
        self._enums = facts.has_whole_enums

    def object(self, arguments: type, value: Mapping[str, Any], path: str) -> Iterator[PropertyFault]:
        declared = properties(arguments)
        for name in value:
            if name in declared:
                yield from self._property(declared[name], value[name], _join(path, name))
            elif not name.startswith("__"):
                yield _unknown_name(_join(path, name), name, value[name], declared.values())
        for each in declared.values():
            if each.required and each.name not in value:
                yield PropertyFault(
                    kind=FaultKind.MISSING,
                    path=_join(path, each.name),
                    value=None,
                    reason="is required",
                    remedy=f"set `{each.python}`",
                )

    def _property(self, declared: Property, value: Any, path: str) -> Iterator[PropertyFault]:
        types = alternatives(declared.type)
        if _pattern(path) in self._known or declared.name in self._dated:
            yield from self._typed(list(_without_enums(types)), value, path)
            return
        wrong = self._typed(types, value, path)
        yield from wrong
        if wrong:
            return
        for position, each in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(each, dict | list) and not is_open(each) and each != "":
                yield from _documented(declared, each, path if position is None else f"{path}[{position}]")

    def _typed(self, types: Sequence[Any], value: Any, path: str) -> list[PropertyFault]:
        """Return the value's faults for the type that fits best. The list is empty if the value has one of the
        types.
        """
        if is_open(value) or value is None or not types:
            return []
        verdicts = [list(self._as(each, value, path)) for each in types]
        if self._enums and (members := [each for each in types if _is_enum(each)]):
            return verdicts[types.index(members[0])]
        return min(verdicts, key=len)

    def _as(self, hint: Any, value: Any, path: str) -> Iterator[PropertyFault]:
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if isinstance(origin, type) and issubclass(origin, Sequence):
            if not isinstance(value, list):
                yield _wrong_type(path, value, "a list", "put the value in square brackets")
                return
            for position, each in enumerate(value):
                yield from self._typed(alternatives(inner[0]), each, f"{path}[{position}]")
        elif isinstance(origin, type) and issubclass(origin, Mapping):
            if not isinstance(value, dict):
                yield _wrong_type(path, value, "an object", "use a dictionary of names and values")
                return
            for name, each in value.items():
                yield from self._typed(alternatives(inner[1]), each, _join(path, name))
        elif isinstance(hint, type):
            yield from self._plain(hint, value, path)

    def _plain(self, hint: Any, value: Any, path: str) -> Iterator[PropertyFault]:
        if _is_enum(hint):
            values = [str(each.value) for each in hint.__members__.values()]
            if _text(value) not in values:
                yield _none_of(path, value, values)
        elif is_argument_class(hint):
            if not isinstance(value, dict):
                yield _wrong_type(
                    path,
                    value,
                    "an object",
                    f"use an object with these properties: {_names(properties(hint).values())}",
                )
            else:
                yield from self.object(hint, value, path)
        elif issubclass(hint, bool):
            if value not in _FLAGS or (isinstance(value, int | float) and not isinstance(value, bool)):
                yield _wrong_type(path, value, "a boolean", "write `True` or `False`")
        elif issubclass(hint, int | float):
            if not _is_number(value, whole=issubclass(hint, int)):
                kind = "a whole number" if issubclass(hint, int) else "a number"
                yield _wrong_type(path, value, kind, "write the number without quotes or units")
        elif issubclass(hint, str) and isinstance(value, dict | list):
            yield _wrong_type(path, value, "a text", "use a single text; `json.dumps` converts a document to text")


def _documented(declared: Property, value: Any, path: str) -> Iterator[PropertyFault]:
    values = documented_values(declared.doc)
    if values and _text(value) not in values:
        yield _none_of(path, value, values)
    numeric = any(isinstance(each, type) and issubclass(each, int | float) for each in alternatives(declared.type))
    limits = documented_range(declared.doc) if numeric else None
    if limits is not None and _is_number(value, whole=False) and float(value) not in limits:
        yield PropertyFault(
            kind=FaultKind.OUT_OF_RANGE,
            path=path,
            value=value,
            reason="is out of range",
            remedy=f"use a value from {limits}",
        )


def _unknown_name(path: str, name: str, value: Any, declared: Iterable[Property]) -> PropertyFault:
    """Use Python names in the remedy, as programs do."""
    by_name = {each.name: each.python for each in declared}
    near = closest_word(name, [*by_name, *by_name.values()])
    remedy = f"did you mean `{by_name.get(near, near)}`?" if near else f"use one of {_names(declared)}"
    reason = f"the property `{name}` does not exist"
    return PropertyFault(kind=FaultKind.UNKNOWN, path=path, value=value, reason=reason, remedy=remedy)


def _none_of(path: str, value: Any, values: Sequence[str]) -> PropertyFault:
    listed = ", ".join(f"`{each}`" for each in values)
    remedy = closest(_text(value), values)
    reason = f"is not one of {listed}"
    return PropertyFault(kind=FaultKind.NOT_ALLOWED, path=path, value=value, reason=reason, remedy=remedy)


def _wrong_type(path: str, value: Any, wanted: str, remedy: str) -> PropertyFault:
    return PropertyFault(kind=FaultKind.WRONG_TYPE, path=path, value=value, reason=f"is not {wanted}", remedy=remedy)


def _names(declared: Iterable[Property]) -> str:
    return ", ".join(f"`{each.python}`" for each in declared)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_number(value: Any, *, whole: bool) -> bool:
    """Return whether a value is a number, or a string that providers convert to a number."""
    if isinstance(value, bool):
        return False
    try:
        return float(value).is_integer() or not whole
    except (TypeError, ValueError, OverflowError):
        return False


def _without_enums(types: Iterable[Any]) -> Iterator[Any]:
    for each in types:
        if typing.get_origin(each) is Sequence:
            yield from (Sequence[inner] for inner in _without_enums(alternatives(typing.get_args(each)[0])))
        elif not _is_enum(each):
            yield each


def _is_enum(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, enum.Enum)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _pattern(path: str) -> str:
    """Replace each index in a path with `[]`, e.g. `blockDevices[0].ebs` with `blockDevices[].ebs`."""
    head, *rest = path.split("[")
    return head + "".join(f"[]{part.partition(']')[2]}" for part in rest)
