"""Registry of plan rules, which check all of a program's resources, including those that don't come from this
package.

`hpc preview` and the policy pack apply the same rules, and `hpc rules` lists them. The types that the rules examine
are in `hpc_components.preview`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.spec.findings import Level
from hpc_components.spec.rule import RuleText, import_modules, new_text

_EVERYWHERE = "hpc_components.preview.rules"
"""Package of the rules that apply to every cloud. A cloud's own rules are in its `plan_rules` package."""

Check = Callable[[Any], Iterator[Any]]
"""A rule's function, which takes a `Resource` or `Resources` and yields a `ResourceFinding` for each violation."""

_registry: dict[str, "PlanRule"] = {}


@dataclass(frozen=True)
class PlanRule(RuleText):
    """A rule that checks a plan's resources."""

    check: Check
    whole: bool
    """Whether the check takes all of the stack's resources at once rather than one at a time."""
    said_by: str | None
    """Id of the rule that finds the same problem in a description. If that rule reports the problem, this rule
    doesn't."""
    asks_what_is_secret: bool
    """Whether the check must know which values are secret. The policy pack omits such checks, because Pulumi doesn't
    tell policies which values are secret."""


def resource_rule(
    id: str, level: Level, *, said_by: str | None = None, asks_what_is_secret: bool = False
) -> Callable[[Check], Check]:
    """Register a generator function as the rule `id`, which checks each `Resource` separately."""
    return _registering(id, level, whole=False, said_by=said_by, asks_what_is_secret=asks_what_is_secret)


def stack_rule(id: str, level: Level) -> Callable[[Check], Check]:
    """Register a generator function as the rule `id`, which checks all of a stack's `Resources` at once."""
    return _registering(id, level, whole=True, said_by=None, asks_what_is_secret=False)


def plan_rules() -> tuple[PlanRule, ...]:
    return _rules_of(tuple(CLOUDS))


def _registering(id: str, level: Level, **traits: Any) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        title, explanation = new_text(check, id, _registry)
        _registry[id] = PlanRule(id, level, title, explanation, check, **traits)
        return check

    return register


@cache
def _rules_of(clouds: tuple[str, ...]) -> tuple[PlanRule, ...]:
    own = (cloud_named(name).parts.plan_rules for name in clouds)
    found = [import_module(_EVERYWHERE), *(package for package in own if package is not None)]
    packages = [each.__name__ for each in found]
    for package in found:
        import_modules(package)
    return tuple(rule for _, rule in sorted(_registry.items()) if rule.check.__module__.startswith(tuple(packages)))
