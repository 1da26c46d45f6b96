"""Where orders are written: names and notation of their fields, and what a refusal says there.

A description, the arguments of a component and the inputs of a recorded resource each have a table from the fields of
an order to their own keys. The words of a refusal are the offer's; only paths and notation differ.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """One order as it is written."""

    keys: Mapping[str, Key]
    """By field of the order. A field without a key can't be written on this surface."""
    values: Mapping[str, Any]
    """What is written, as it is written, by field of the order."""
    at: Path = ()
    """The place of the whole order, where findings on a missing field stand."""
    words: Callable[[Change, Path], str] = Change.in_words
    """A change as a remedy says it; the second argument is the place of the finding."""


def described(part: Model, at: Path, keys: Mapping[str, Key], **elsewhere: Any) -> Surface:
    """Return the surface of an order that is written as a part of a description at `at`.

    `elsewhere` are the values of fields that stand outside of the part; None where nothing is written.
    """
    values = dict(elsewhere)
    for field, key in keys.items():
        name = str(key.path[-1])
        if key.path[:-1] == at and part.given(name):
            values[field] = getattr(part, name)
    written = {field: value for field, value in values.items() if value is not None}
    plain = {field: each if isinstance(each, int | float | str) else str(each) for field, each in written.items()}
    return Surface(keys=keys, values=plain, at=at)


def problem_of(refusal: Refusal, surface: Surface) -> Problem:
    """Return a refusal with the paths and the notation of a surface."""
    place = next((each for each in (refusal.field, refusal.because_of) if each in surface.values), None)
    path = surface.at if place is None else surface.keys[place].path
    fix, other = (_changes(each, surface.keys) for each in (refusal.changes, refusal.otherwise))
    words, or_else = (" and ".join(surface.words(change, path) for change in each) for each in (fix, other))
    remedies = (words, _named(refusal.advice, surface.keys), or_else and f"or {or_else}")
    return Problem(
        path=path,
        value=None if place is None else surface.values[place],
        reason=refusal.reason,
        remedy="; ".join(filter(None, remedies)),
        fix=fix,
        level=None if refusal.level is refusal.limit.level else refusal.level,
    )


def _changes(values: Mapping[str, Any], keys: Mapping[str, Key]) -> tuple[Change, ...]:
    """Return the changes that give fields these values; none where a field can't be written on the surface."""
    if not values.keys() <= keys.keys():
        return ()
    return tuple(
        Change(keys[name].path, None if value is None else keys[name].write(value)) for name, value in values.items()
    )


def _named(advice: str, keys: Mapping[str, Key]) -> str:
    """Return the advice with each `{field}` replaced by its name on a surface."""
    return re.sub(r"\{(\w+)\}", lambda match: dotted(keys[match[1]].path) if match[1] in keys else match[1], advice)


def refuse_first(args: Any, refusals: Iterable[Refusal], keys: Mapping[str, Key]) -> None:
    """Raise ValueError for the first error of an order that is written as arguments of a component."""
    values = {field: _attribute(args, key.path) for field, key in keys.items()}
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
