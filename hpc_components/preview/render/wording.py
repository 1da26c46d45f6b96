"""Provides phrases and figures for all renderers, and selects the lines to show in tables."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

from hpc_components.preview.plan import Plan
from hpc_components.preview.resources import Resource, Resources
from hpc_components.report.wording import count
from hpc_components.spec.budget_span import DAYS_PER_MONTH, span

_Json = Mapping[str, Any]


def marks(resource: Resource) -> tuple[str, ...]:
    """Return the labels for a resource's protection from deletion."""
    words = {"protected": resource.protect, "retained": resource.retain}
    return tuple(word for word, holds in words.items() if holds)


def folded(resources: Iterable[Resource]) -> str:
    """Return the kinds of the resources with their counts, e.g. `4 Subnet, NatGateway`."""
    counts = Counter(resource.kind for resource in resources)
    return ", ".join(f"{number} {kind}" if number > 1 else kind for kind, number in sorted(counts.items()))


@dataclass(frozen=True, kw_only=True)
class Branch:
    """A component, or a resource that doesn't belong to one, in the tree of a plan."""

    resource: Resource
    size: int
    """Number of resources below this one, at any level."""
    leaves: str
    """Text that summarizes the direct children that are not guarded and have no children themselves."""
    guarded: tuple[tuple[Resource, ...], ...]
    """Guarded direct children that have no children themselves. Children of the same kind are bundled if there are
    many."""
    branches: tuple["Branch", ...]


def branches(resources: Resources) -> tuple[Branch, ...]:
    """Return the plan as a tree of components with folded leaves. Guarded leaves stay visible, and providers are
    hidden.
    """
    return _branches(resources, resources.roots())


def _branches(resources: Resources, siblings: Iterable[Resource]) -> tuple[Branch, ...]:
    """Return a branch for each of `siblings`, components first."""
    seen = [each for each in siblings if not is_provider(each)]
    ordered = sorted(seen, key=lambda each: (not resources.children(each), each.type, each.name))
    return tuple(_branch(resources, each) for each in ordered)


def is_provider(resource: Resource) -> bool:
    """Return whether a resource is a provider rather than something in a cloud."""
    return resource.type.startswith("pulumi:providers:")


def size(resources: Resources) -> str:
    """Return the number of resources as text, e.g. `45 resources`."""
    return count(sum(1 for each in resources if not is_provider(each)), "resource")


def _is_cluster(resource: Resource) -> bool:
    """Return whether a resource is a whole cluster, whose direct children are not folded."""
    return resource.type.startswith("hpc:") and resource.kind == "Cluster"


def _branch(resources: Resources, resource: Resource) -> Branch:
    size = sum(1 for each in resources.below(resource) if not is_provider(each))
    children = [each for each in resources.children(resource) if not is_provider(each)]
    if _is_cluster(resource):
        inner = _branches(resources, children)
        return Branch(resource=resource, size=size, leaves="", guarded=(), branches=inner)
    leaves = [each for each in children if not resources.children(each)]
    return Branch(
        resource=resource,
        size=size,
        leaves=folded(each for each in leaves if not marks(each)),
        guarded=tuple(_bundles([each for each in leaves if marks(each)])),
        branches=tuple(_branch(resources, each) for each in children if resources.children(each)),
    )


def _bundles(guarded: Sequence[Resource]) -> Iterator[tuple[Resource, ...]]:
    for _, same in groupby(guarded, key=lambda each: (each.type, marks(each))):
        bundle = tuple(same)
        yield from [bundle] if len(bundle) > 3 else [(each,) for each in bundle]


def largest(lines: Sequence[_Json], most: int) -> tuple[list[_Json], list[_Json]]:
    """Return the `most` largest cost lines and the rest. If the rest would be a single line, it is included in the
    former."""
    ordered = sorted(lines, key=lambda line: (-line["full_hour"], -line["idle_hour"], line["what"]))
    cut = len(ordered) if len(ordered) <= most + 1 else most
    return ordered[:cut], ordered[cut:]


_GROUPS = {
    "compute": "Compute nodes",
    "access": "Head and login nodes",
    "storage": "Storage",
    "network": "Network",
    "other": "Other",
}


def cost_groups(lines: Sequence[_Json]) -> list[tuple[str, list[_Json]]]:
    """Return the cost lines grouped by purpose, with the largest first in each group."""
    ordered, _ = largest(lines, len(lines))
    by_group = {
        title: [line for line in ordered if line.get("group", "other") == group] for group, title in _GROUPS.items()
    }
    return [(title, some) for title, some in by_group.items() if some]


def budget_words(cost: _Json) -> str:
    """Return sentences on how long the budget lasts, or an empty string if there is no budget."""
    budget = cost.get("budget")
    if not budget:
        return ""
    limit = f"The budget is {budget['monthly']:,.0f} USD a month"
    days = budget["full_days"]
    if days is None or days >= DAYS_PER_MONTH:
        return f"{limit}: enough for a month with every queue full."
    return f"{limit}: with every queue full it is spent in {span(days)}. A budget sends e-mail; it stops nothing."


def login_words(access: _Json) -> str:
    """Return sentences on how users log in."""
    login = access["login"]
    if not login["from"]:
        return "SSH is closed (network.ssh_from is empty)."
    way = "over the internet" if login["public"] else "over your own networks"
    sessions = (
        f" Each may have {count(login['sessions'], 'session')} at a time on a node." if login["sessions"] else ""
    )
    return f"Users log in to the {login['at']} by SSH from {', '.join(login['from'])}, {way}.{sessions}"


def longest_job(queue: _Json, access: _Json) -> str:
    """Return the time limit for a queue's jobs. If the queue has none but some QoS do, refer to the job's QoS."""
    if queue["max_time"]:
        return str(queue["max_time"])
    limited = access["accounts"] and any(qos["max_wall"] for qos in access["qos"])
    return "as its QoS says" if limited else "no limit"


def total(lines: Iterable[_Json], key: str) -> float:
    """Return the sum of the lines' amounts under `key`."""
    return float(sum((Decimal(str(line[key])) for line in lines), Decimal(0)))


def ask_for(plan: Plan) -> tuple[list[_Json], list[_Json]]:
    """Return the quotas that must be raised in a new account, and those whose defaults are sufficient."""
    return [each for each in plan.quota if each["ask"]], [each for each in plan.quota if not each["ask"]]


def total_nodes(plan: Plan) -> tuple[int, int]:
    """Return the total (minimum, maximum) number of nodes in all queues."""
    queues = plan.cost["queues"]
    return sum(queue["min"] for queue in queues), sum(queue["max"] for queue in queues)
