"""Where orders are written: names and notation of their fields, and what a refusal says there.

A description, the arguments of a component and the inputs of a recorded resource each have a table from the fields of
an order to their own keys. The words of a refusal are the offer's; only paths and notation differ.

A table names every field of its order, so that a new field can't be forgotten on one surface: None says that the
field can't be written there. `tests/test_offers.py` compares tables with orders.
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
    """A field of an order on one surface."""

    path: Path
    write: Callable[[Any], Any] = _as_it_is
    """A value of the field in the notation of the surface."""
    outside: bool = False
    """In a description: whether the path begins at the whole document rather than at the part that is the order."""


Keys = Mapping[str, Key | None]
"""Keys by the fields of an order; None for a field that can't be written on the surface."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """One order as it is written."""

    keys: Keys
    values: Mapping[str, Any]
    """What is written, as it is written, by field of the order."""
    at: Path = ()
    """The place of the whole order, where findings on a missing field stand."""
    words: Callable[[Change, Path], str] = Change.in_words
    """A change as a remedy says it; the second argument is the place of the finding."""


def described(part: Model, at: Path, keys: Keys, document: Model) -> Surface:
    """Return the surface of an order that is written as the part of `document` at `at`.

    Paths of `keys` begin at that part; those that are `outside` begin at the document.
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
    """Return the value at a path of a model; None where the user wrote none, or a list."""
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
    """Return a refusal with the paths and the notation of a surface."""
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
    """Return the field where a finding stands, with its key; without a key, it stands at the whole order."""
    for field in (refusal.field, refusal.conflicts_with):
        if field is not None and field in surface.values:
            return field, surface.keys[field]
    return refusal.field, None


def _changes(values: Mapping[str, Any], keys: Keys) -> tuple[Change, ...]:
    """Return the changes that give fields these values; none where a field can't be written on the surface."""
    changes = []
    for field, value in values.items():
        key = keys.get(field)
        if key is None:
            return ()
        changes.append(Change(key.path, None if value is None else key.write(value)))
    return tuple(changes)


def _named(advice: str, keys: Keys) -> str:
    """Return the advice with each `{field}` replaced by its name on a surface."""

    def name(field: re.Match[str]) -> str:
        key = keys.get(field[1])
        return dotted(key.path) if key else field[1]

    return re.sub(r"\{(\w+)\}", name, advice)


def refuse_first(args: Any, refusals: Iterable[Refusal], keys: Keys) -> None:
    """Raise ValueError for the first error of an order that is written as arguments of a component."""
    values = {field: _attribute(args, key.path) for field, key in keys.items() if key}
    surface = Surface(keys=keys, values=values, words=_as_argument)
    for refusal in (each for each in refusals if each.level is Level.ERROR):
        problem = problem_of(refusal, surface)
        # an Output has no value to show
        value = f" = {problem.value!r}" if isinstance(problem.value, int | float | str) else ""
        path = f"{type(args).__name__}.{dotted(problem.path)}{value}"
        raise ValueError(f"{path}: {problem.reason}; {problem.remedy}")


def _as_argument(change: Change, at: Path) -> str:
    """Return a change of an argument as Python writes it."""
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
    """Register one rule for each limit of an offer, as rules of `module`.

    `orders` yields the orders of a cluster of `model`, each with its surface.
    """
    for limit in limits:
        check = _limit_check(limit, refusals, orders)
        check.__name__, check.__module__, check.__doc__ = limit.id, module, limit.text
        add_rule(check, limit.id, limit.level, model)


def _limit_check(limit: Limit, refusals: Callable[[Any], Iterable[Refusal]], orders: Callable[[Any], Any]) -> Any:
    def check(cluster: ClusterSpec) -> Iterator[Problem]:
        found: list[Problem] = []
        for order, surface in orders(cluster):
            for refusal in refusals(order):
                problem = problem_of(refusal, surface)
                if refusal.limit is limit and problem not in found:  # two orders may share a subnet
                    found.append(problem)
        yield from found

    return check
