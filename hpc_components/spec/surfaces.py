"""Converts refused orders to problems, using the names and notation of the place where each order was written.

An order, e.g. for a file system, can be written on three surfaces: in a description, as component arguments, or as
the inputs of a recorded resource. Each surface has a table that maps order fields to its own keys. The offer provides
the wording of a refusal, so only paths and notation differ between surfaces.

A table must list every field of its order so that no surface misses a new field. None means that the field can't be
written on that surface. `tests/test_offers.py` checks that tables and orders have the same fields.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem, dotted
from hpc_components.spec.model import Model
from hpc_components.spec.rule import add_rule

Order = TypeVar("Order")


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Key:
    """How an order field is written on a surface."""

    path: Path
    write: Callable[[Any], Any] = _as_it_is
    """Converts a field's value to the surface's notation."""
    outside: bool = False
    """Whether the path is relative to the document's root instead of the order's own part. Used only for
    descriptions."""


Keys = Mapping[str, Key | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """An order as written in a particular place."""

    keys: Keys
    values: Mapping[str, Any]
    """Values as written in the source, keyed by order field."""
    at: Path = ()
    """Path of the whole order. Missing fields are reported there."""
    words: Callable[[Change, Path], str] = Change.in_words
    """Puts a change into words for a remedy. The second argument is the finding's path."""


def described(part: Model, at: Path, keys: Keys, document: Model) -> Surface:
    """Return the surface of an order that is written as `part`, at the path `at` in `document`.

    Paths in `keys` are relative to `part`, or to `document` if the key is `outside`.
    """
    absolute, values = dict[str, Key | None](keys), dict[str, Any]()
    for field, key in keys.items():
        if key is not None:
            absolute[field] = key if key.outside else replace(key, path=(*at, *key.path))
            value = _written(document if key.outside else part, key.path)
            if value is not None:
                values[field] = value if isinstance(value, int | float | str) else str(value)
    return Surface(keys=absolute, values=values, at=at)


def _written(node: Any, path: Path) -> Any:
    """Return the scalar that the user wrote at a path, or None if the user wrote nothing there."""
    for name in path:
        if isinstance(node, Model):
            node = getattr(node, str(name)) if node.given(str(name)) else None
        elif isinstance(node, Mapping):
            node = node.get(name)
        elif isinstance(node, Sequence) and isinstance(name, int) and name < len(node):
            node = node[name]
        else:
            return None
    return None if isinstance(node, Sequence | Mapping | Model) and not isinstance(node, str) else node


def problem_of(refusal: Refusal, surface: Surface) -> Problem:
    field, key = _place(refusal, surface)
    path = key.path if key else surface.at
    fix, other = (_changes(each, surface.keys) for each in (refusal.changes, refusal.alternative))
    words, or_else = (" and ".join(surface.words(change, path) for change in each) for each in (fix, other))
    remedies = (words, _named(refusal.advice, surface.keys), or_else and f"or {or_else}")
    return Problem(
        path=path,
        value=surface.values.get(field),
        reason=refusal.reason,
        remedy="; ".join(filter(None, remedies)),
        fix=fix,
        level=None if refusal.level is refusal.limit.level else refusal.level,
    )


def _place(refusal: Refusal, surface: Surface) -> tuple[str, Key | None]:
    """Return the field under which to report a refusal, and the field's key. The key is None if the whole order
    should be reported.
    """
    for field in (refusal.field, refusal.conflicts_with):
        if field is not None and field in surface.values:
            return field, surface.keys[field]
    return refusal.field, None


def _changes(values: Mapping[str, Any], keys: Keys) -> tuple[Change, ...]:
    """Return changes that set fields to these values. Return no changes at all if any of the fields can't be written
    on the surface.
    """
    changes = []
    for field, value in values.items():
        key = keys.get(field)
        if key is None:
            return ()
        changes.append(Change(key.path, None if value is None else key.write(value)))
    return tuple(changes)


def _named(advice: str, keys: Keys) -> str:
    """Return the advice with each `{field}` replaced by the field's name on the surface."""

    def name(field: re.Match[str]) -> str:
        key = keys.get(field[1])
        return dotted(key.path) if key else field[1]

    return re.sub(r"\{(\w+)\}", name, advice)


def refuse_first(args: Any, refusals: Iterable[Refusal], keys: Keys) -> None:
    """Raise ValueError for the first error in an order that is written as component arguments."""
    values = {field: _attribute(args, key.path) for field, key in keys.items() if key}
    surface = Surface(keys=keys, values=values, words=_as_argument)
    for refusal in (each for each in refusals if each.level is Level.ERROR):
        problem = problem_of(refusal, surface)
        # an Output's value is not known yet
        value = f" = {problem.value!r}" if isinstance(problem.value, int | float | str) else ""
        path = f"{type(args).__name__}.{dotted(problem.path)}{value}"
        raise ValueError(f"{path}: {problem.reason}; {problem.remedy}")


def _as_argument(change: Change, at: Path) -> str:
    name = dotted(change.path)
    if change.value is None:
        return "leave it out" if change.path == at else f"leave {name} out"
    return f"use {change.value!r}" if change.path == at else f"use {name}={change.value!r}"


def _attribute(args: Any, path: Path) -> Any:
    for name in path:
        args = getattr(args, str(name), None)
    return args


def offer_rules(
    module: str,
    model: type[ClusterSpec],
    limits: Iterable[Limit],
    refusals: Callable[[Order], Iterable[Refusal]],
    orders: Callable[[Any], Iterable[tuple[Order, Surface]]],
) -> None:
    """Register a rule for each of an offer's limits, as if the rules were defined in `module`.

    `orders` takes a cluster of type `model` and yields each of its orders with its surface.
    """
    problems = _problems_of_last(refusals, orders)
    for limit in limits:
        check = _limit_check(limit, problems)
        check.__name__, check.__module__, check.__doc__ = limit.id, module, limit.text
        add_rule(check, limit.id, limit.level, model)


Problems = Mapping[str, Sequence[Problem]]
"""Maps the id of each exceeded limit to the problems found."""


def _problems_of_last(
    refusals: Callable[[Any], Iterable[Refusal]], orders: Callable[[Any], Iterable[tuple[Any, Surface]]]
) -> Callable[[ClusterSpec], Problems]:
    """Return a function that finds the problems in a cluster's orders. The function caches the result for the last
    cluster, because the rules for all limits check the same cluster in turn.
    """
    last: ClusterSpec | None = None
    found: dict[str, list[Problem]] = {}

    def problems(cluster: ClusterSpec) -> Problems:
        nonlocal last, found
        if cluster is not last:
            judged: dict[str, list[Problem]] = {}
            for order, surface in orders(cluster):
                for refusal in refusals(order):
                    problem, same = problem_of(refusal, surface), judged.setdefault(refusal.limit.id, [])
                    if problem not in same:  # two orders may share a subnet
                        same.append(problem)
            last, found = cluster, judged
        return found

    return problems


def _limit_check(limit: Limit, problems: Callable[[ClusterSpec], Problems]) -> Any:
    def check(cluster: ClusterSpec) -> Iterator[Problem]:
        yield from problems(cluster).get(limit.id, ())

    return check
