"""Rules of the plan, and their registry: what must hold of the resources that a program registers, ours or not.

`hpc preview` and the policy pack apply the same rules. Their texts are found from here, so that `hpc rules` has them;
what they look at is made known by `hpc_components.preview`.
"""

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.spec.findings import Level
from hpc_components.spec.rule import ID, RuleText

__all__ = ["Check", "PlanRule", "plan_rules", "resource_rule", "stack_rule"]

_EVERYWHERE = "hpc_components.preview.rules"
"""Package of the rules that hold on every cloud. A cloud's own are in `plan.rules` of its package."""

Check = Callable[[Any], Iterator[Any]]
"""The function behind a rule: of a `Resource` or of `Resources`, it yields a `Violation` for each fault."""

_registry: dict[str, "PlanRule"] = {}


@dataclass(frozen=True)
class PlanRule(RuleText):
    """One thing that must hold of the resources of a plan."""

    check: Check
    whole: bool
    """Whether it looks at all resources of the stack; else at one at a time."""
    said_by: str | None
    """The rule that says the same of a description; where that one speaks, this one need not."""


def resource_rule(id: str, level: Level, *, said_by: str | None = None) -> Callable[[Check], Check]:
    """Register a generator function as the rule `id`, applied to each `Resource` alone."""
    return _registering(id, level, whole=False, said_by=said_by)


def stack_rule(id: str, level: Level) -> Callable[[Check], Check]:
    """Register a generator function as the rule `id`, applied to all `Resources` of a stack at once."""
    return _registering(id, level, whole=True, said_by=None)


def plan_rules() -> tuple[PlanRule, ...]:
    """Every rule of the plan, of every cloud, sorted by id."""
    return _rules_of(tuple(CLOUDS))


def _registering(id: str, level: Level, *, whole: bool, said_by: str | None) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        title, _, explanation = inspect.cleandoc(check.__doc__ or "").partition("\n")
        if not ID.fullmatch(id) or id in _registry or not title:
            raise TypeError(f"{check!r}: the id {id!r} must be new and like HPC-PLN-003, and a docstring given")
        _registry[id] = PlanRule(id, level, title.rstrip("."), explanation.strip(), check, whole, said_by)
        return check

    return register


@cache
def _rules_of(clouds: tuple[str, ...]) -> tuple[PlanRule, ...]:
    found = [import_module(_EVERYWHERE), *filter(None, (_own_rules(name) for name in clouds))]
    packages = [each.__name__ for each in found]
    for package in found:
        for module in pkgutil.iter_modules(package.__path__):
            import_module(f"{package.__name__}.{module.name}")
    return tuple(rule for _, rule in sorted(_registry.items()) if rule.check.__module__.startswith(tuple(packages)))


def _own_rules(cloud: str) -> Any:
    """A cloud's package of rules; None where it has none."""
    name = f"{cloud_named(cloud).package}.plan"
    try:
        return cloud_named(cloud).part("plan.rules")
    except ModuleNotFoundError as error:
        if error.name not in (name, f"{name}.rules"):
            raise
        return None
