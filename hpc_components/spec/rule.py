"""Registry of the rules that check a cluster's description.

A rule is a generator function that takes a cluster. Its docstring is the explanation that `hpc rules ID` prints: the
first line is the title, and the rest gives the reason and the source. A rule whose parameter is annotated with
`ClusterSpec` applies to every cloud. A rule whose parameter is annotated with a cloud's own model applies only to
that cloud.
"""

import inspect
import pkgutil
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.products import product_modules
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.retired import RETIRED

_EVERYWHERE = ("hpc_components.spec.rules", "hpc_components.spec.slurm.rules")
"""Packages of the rules that apply to every cloud. Cloud-specific rules are in the cloud's `rules` package and in its
products' `rules` modules."""


class Check(Protocol):
    """A rule's function."""

    __name__: str
    __module__: str

    def __call__(self, cluster: Any, /) -> Iterator[Problem]:
        """Yield the problems of `cluster`, an instance of the annotated model."""
        ...


_ID = re.compile(r"HPC-[A-Z]{3}-\d{3}")
_registry: dict[str, "Rule"] = {}


@dataclass(frozen=True)
class RuleText:
    """Id, level, title and explanation of a check."""

    id: str
    """Permanent id, e.g. `HPC-NET-003`."""
    level: Level
    title: str
    explanation: str


@dataclass(frozen=True)
class Rule(RuleText):
    """A rule that checks a cluster's description."""

    check: Check
    model: type[ClusterSpec]
    """Model of the clusters that the rule applies to."""

    def __call__(self, cluster: ClusterSpec) -> Iterator[Problem]:
        return self.check(cluster)


def new_text(check: Any, id: str, taken: Collection[str]) -> tuple[str, str]:
    """Return a new rule's title and explanation from its docstring. Raise TypeError if the docstring is missing, if
    its first line is not a whole paragraph, or if the id is malformed or already used."""
    title, _, explanation = inspect.cleandoc(check.__doc__ or "").partition("\n")
    if explanation.strip() and not explanation.startswith("\n"):
        raise TypeError(f"{check.__name__}: the title must fit on the docstring's first line")
    if not _ID.fullmatch(id) or id in taken or id in RETIRED or not title:
        raise TypeError(f"{check.__name__} needs a docstring and a new id like HPC-NET-003, not {id!r}")
    return title.rstrip("."), explanation.strip()


def import_modules(package: ModuleType) -> None:
    """Import all modules of a package, which registers their rules."""
    for module in pkgutil.iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")


def rule(id: str, level: Level) -> Callable[[Check], Check]:
    """Register a function as the rule `id`."""

    def register(check: Check) -> Check:
        (cluster, *_) = inspect.signature(check).parameters.values()
        add_rule(check, id, level, cluster.annotation)
        return check

    return register


def add_rule(check: Check, id: str, level: Level, model: Any) -> None:
    title, explanation = new_text(check, id, _registry)
    if not (isinstance(model, type) and issubclass(model, ClusterSpec)):
        raise TypeError(f"{check.__name__}: the parameter must be annotated with ClusterSpec or a cloud's subclass")
    _registry[id] = Rule(id, level, title, explanation, check, model)


def all_rules() -> tuple[Rule, ...]:
    """Return the rules of all clouds, sorted by id."""
    return _rules_of(tuple(CLOUDS))


def rules_for(cluster: ClusterSpec) -> Iterator[Rule]:
    """Yield the rules that apply to `cluster`, sorted by id."""
    return (rule for rule in _rules_of((cluster.cloud,)) if isinstance(cluster, rule.model))


def find_rule(id: str) -> Rule | None:
    """Return the rule with this id, ignoring case, or None if there isn't one."""
    return _registry.get(id.upper()) or next((rule for rule in all_rules() if rule.id == id.upper()), None)


@cache
def _rules_of(clouds: tuple[str, ...]) -> tuple[Rule, ...]:
    packages = (*map(import_module, _EVERYWHERE), *(cloud_named(name).parts.rules for name in clouds))
    for package in packages:
        import_modules(package)
    names = {package.__name__ for package in packages}
    for name in (name for cloud in clouds for name in product_modules(cloud_named(cloud).package, "rules")):
        import_module(name)
        names.add(name.rpartition(".")[0])
    return tuple(
        found for _, found in sorted(_registry.items()) if found.check.__module__.rpartition(".")[0] in names
    )
