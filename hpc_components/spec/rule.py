"""What a rule is, and the registry of all rules.

A rule is a generator function over a cluster. Its docstring is its explanation (`hpc rules ID` prints it): the first
line is the title; the rest says why, and names the source.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem

__all__ = ["Check", "Rule", "RuleText", "all_rules", "find_rule", "rule"]


class Check(Protocol):
    """The function behind a rule."""

    __name__: str

    def __call__(self, cluster: AwsClusterSpec, /) -> Iterator[Problem]:
        """The problems of `cluster`."""
        ...


_ID = re.compile(r"HPC-[A-Z]{3}-\d{3}")
_registry: dict[str, "Rule"] = {}


@dataclass(frozen=True)
class RuleText:
    """What is said of one thing that is checked, wherever it is checked."""

    id: str
    """Stable for ever: `HPC-NET-003`."""
    level: Level
    title: str
    explanation: str


@dataclass(frozen=True)
class Rule(RuleText):
    """One thing that is checked in a cluster."""

    check: Check

    def __call__(self, cluster: AwsClusterSpec) -> Iterator[Problem]:
        """The problems that `cluster` has with this rule."""
        return self.check(cluster)


def rule(id: str, level: Level) -> Callable[[Check], Check]:
    """Register a function as the rule `id`."""

    def register(check: Check) -> Check:
        title, _, explanation = inspect.cleandoc(check.__doc__ or "").partition("\n")
        if not _ID.fullmatch(id) or id in _registry or not title:
            raise TypeError(
                f"{check.__name__}: the id {id!r} must be new and like HPC-NET-003, and a docstring given"
            )
        _registry[id] = Rule(id, level, title.rstrip("."), explanation.strip(), check)
        return check

    return register


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, sorted by id."""
    from hpc_components.spec import rules

    for module in pkgutil.iter_modules(rules.__path__):
        importlib.import_module(f"{rules.__name__}.{module.name}")
    return tuple(_registry[id] for id in sorted(_registry))


def find_rule(id: str) -> Rule | None:
    """The rule with this id."""
    all_rules()
    return _registry.get(id.upper())
