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
    words = {"protected": resource.protect, "retained": resource.retain}
    return tuple(word for word, holds in words.items() if holds)


def folded(resources: Iterable[Resource]) -> str:
    """Summarize resources by kind, e.g. `4 Subnet, NatGateway`."""
    counts = Counter(resource.kind for resource in resources)
    return ", ".join(f"{number} {kind}" if number > 1 else kind for kind, number in sorted(counts.items()))


@dataclass(frozen=True, kw_only=True)
class Branch:
    """A component or a standalone resource in a plan's tree."""

    resource: Resource
    size: int
    """Number of descendants."""
    leaves: str
    """Summary of the direct children that are not guarded and have no children."""
    guarded: tuple[tuple[Resource, ...], ...]
    """Guarded direct children that have no children. More than three similar ones form a bundle."""
    branches: tuple["Branch", ...]


def branches(resources: Resources) -> tuple[Branch, ...]:
    """Return a plan as a tree of components with summarized leaves. Guarded leaves stay visible, and providers are
    hidden.
    """
    return _branches(resources, resources.roots())


def _branches(resources: Resources, siblings: Iterable[Resource]) -> tuple[Branch, ...]:
    seen = [each for each in siblings if not is_provider(each)]
    ordered = sorted(seen, key=lambda each: (not resources.children(each), each.type, each.name))
    return tuple(_branch(resources, each) for each in ordered)


def is_provider(resource: Resource) -> bool:
    return resource.type.startswith("pulumi:providers:")


def size(resources: Resources) -> str:
    return count(sum(1 for each in resources if not is_provider(each)), "resource")


def _is_cluster(resource: Resource) -> bool:
    """Recognize a cluster, whose direct children are never summarized."""
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
    """Split cost lines into the `most` largest and the rest. If the rest is a single line, it is kept with the
    largest.
    """
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
    ordered, _ = largest(lines, len(lines))
    by_group = {
        title: [line for line in ordered if line.get("group", "other") == group] for group, title in _GROUPS.items()
    }
    return [(title, some) for title, some in by_group.items() if some]


def budget_words(cost: _Json) -> str:
    budget = cost.get("budget")
    if not budget:
        return ""
    limit = f"The budget is {budget['monthly']:,.0f} USD a month"
    days = budget["full_days"]
    if days is None or days >= DAYS_PER_MONTH:
        return f"{limit}, which is enough for a month with every queue full."
    return (
        f"{limit}: with every queue full, it is spent in {span(days)}. A budget only sends e-mail and doesn't "
        "stop anything."
    )


def login_words(access: _Json) -> str:
    return " ".join((_ssh_words(access["login"]), *access["login"].get("other", ())))


def _ssh_words(login: _Json) -> str:
    if not login["from"]:
        return "SSH is closed (network.ssh_from is empty)."
    way = "over the internet" if login["public"] else "over your private networks"
    sessions = (
        f" Each user can have {count(login['sessions'], 'session')} at a time on a node." if login["sessions"] else ""
    )
    return f"Users log in to the {login['at']} by SSH from {', '.join(login['from'])}, {way}.{sessions}"


def longest_job(queue: _Json, access: _Json) -> str:
    if queue["max_time"]:
        return str(queue["max_time"])
    limited = access["accounts"] and any(qos["max_wall"] for qos in access["qos"])
    return "set by the job's QoS" if limited else "no limit"


def total(lines: Iterable[_Json], key: str) -> float:
    return float(sum((Decimal(str(line[key])) for line in lines), Decimal(0)))


def ask_for(plan: Plan) -> tuple[list[_Json], list[_Json]]:
    return [each for each in plan.quota if each["ask"]], [each for each in plan.quota if not each["ask"]]


def total_nodes(plan: Plan) -> tuple[int, int]:
    queues = plan.cost["queues"]
    return sum(queue["min"] for queue in queues), sum(queue["max"] for queue in queues)
