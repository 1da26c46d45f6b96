"""What all renderers share: amounts, marks, and which lines of a table are shown."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

from hpc_components.preview.plan import Plan
from hpc_components.preview.resources import Resource, Resources
from hpc_components.spec.budget_span import MONTH, span
from hpc_components.wording import plural

__all__ = [
    "Branch", "Footnotes", "ask_for", "branches", "budget_words", "cost_groups", "count", "folded", "hour",
    "is_provider", "largest", "login_words", "longest_job", "marks", "month", "place", "size", "total", "total_nodes",
]  # fmt: skip

_Json = Mapping[str, Any]


def hour(usd: float | None) -> str:
    """An hourly price with three decimals, `?` where it is not known."""
    return "?" if usd is None else f"{usd:,.3f}"


def month(usd: float) -> str:
    """A larger sum, in cents."""
    return f"{usd:,.2f}"


def count(number: int, noun: str) -> str:
    """`1 resource`, `45 resources`; `info` has no plural."""
    return f"{number:,} {noun}" if noun == "info" else plural(number, noun)


def marks(resource: Resource) -> tuple[str, ...]:
    """What protects a resource from deletion, in words."""
    words = {"protected": resource.protect, "retained": resource.retain}
    return tuple(word for word, holds in words.items() if holds)


def folded(resources: Iterable[Resource]) -> str:
    """Kinds with their counts: `4 Subnet, NatGateway`."""
    counts = Counter(resource.kind for resource in resources)
    return ", ".join(f"{number} {kind}" if number > 1 else kind for kind, number in sorted(counts.items()))


@dataclass(frozen=True, kw_only=True)
class Branch:
    """A component, or a resource that stands alone."""

    resource: Resource
    size: int
    """Resources below."""
    leaves: str
    """Resources directly below that have none themselves and are not guarded, folded."""
    guarded: tuple[tuple[Resource, ...], ...]
    """Those among them that are guarded; many of one kind together."""
    branches: tuple["Branch", ...]


def branches(resources: Resources) -> tuple[Branch, ...]:
    """The plan as a tree of components with their leaves folded; guarded leaves stay visible, providers do not."""
    return _branches(resources, resources.roots())


def _branches(resources: Resources, siblings: Iterable[Resource]) -> tuple[Branch, ...]:
    """Return a branch for each of `siblings`, components first."""
    seen = [each for each in siblings if not is_provider(each)]
    ordered = sorted(seen, key=lambda each: (not resources.children(each), each.type, each.name))
    return tuple(_branch(resources, each) for each in ordered)


def is_provider(resource: Resource) -> bool:
    """Whether it is a provider, not a resource in a cloud."""
    return resource.type.startswith("pulumi:providers:")


def size(resources: Resources) -> str:
    """`45 resources`."""
    return count(sum(1 for each in resources if not is_provider(each)), "resource")


def _is_cluster(resource: Resource) -> bool:
    """Return whether it is a whole cluster, in which no resource is folded that stands beside its components."""
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
    """The cost lines that matter most, and the rest."""
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
    """The cost lines by what they are for, the largest first in each group."""
    ordered, _ = largest(lines, len(lines))
    by_group = {
        title: [line for line in ordered if line.get("group", "other") == group] for group, title in _GROUPS.items()
    }
    return [(title, some) for title, some in by_group.items() if some]


def budget_words(cost: _Json) -> str:
    """How long the budget lasts; empty where there is none."""
    budget = cost.get("budget")
    if not budget:
        return ""
    limit = f"The budget is {budget['monthly']:,.0f} USD a month"
    days = budget["full_days"]
    if days is None or days >= MONTH:
        return f"{limit}: enough for a month with every queue full."
    return f"{limit}: with every queue full it is spent in {span(days)}. A budget sends mail, it stops nothing."


def login_words(access: _Json) -> str:
    """How people log in."""
    login = access["login"]
    if not login["from"]:
        return "Nobody is let in by SSH (network.ssh_from is empty)."
    way = "over the internet" if login["public"] else "over your own networks"
    sessions = (
        f" Each may have {count(login['sessions'], 'session')} at a time on a node." if login["sessions"] else ""
    )
    return f"People log in to the {login['at']} by SSH from {', '.join(login['from'])}, {way}.{sessions}"


def longest_job(queue: _Json, access: _Json) -> str:
    """The time limit of a queue's jobs: its own, else that of their QoS, if any has one."""
    if queue["max_time"]:
        return str(queue["max_time"])
    limited = access["accounts"] and any(qos["max_wall"] for qos in access["qos"])
    return "as its QoS says" if limited else "no limit"


def total(lines: Iterable[_Json], key: str) -> float:
    """Sum of one amount of several lines."""
    return float(sum((Decimal(str(line[key])) for line in lines), Decimal(0)))


class Footnotes:
    """Notes of cost lines, numbered in the order in which they are first needed."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def numbers(self, notes: Iterable[str]) -> tuple[int, ...]:
        """The numbers of these notes."""
        return tuple(sorted(self._numbers.setdefault(note, len(self._numbers) + 1) for note in notes))

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return iter((number, note) for note, number in self._numbers.items())


def place(finding: _Json) -> str:
    """Where a finding is: `stacks/config/Pulumi.aws-cfd.yaml:12:5`, as far as it is known."""
    parts = (finding.get(key) for key in ("file", "line", "column"))
    return ":".join(str(part) for part in parts if part is not None)


def ask_for(plan: Plan) -> tuple[list[_Json], list[_Json]]:
    """Quotas above the default of a new account, and those within it."""
    return [each for each in plan.quota if each["ask"]], [each for each in plan.quota if not each["ask"]]


def total_nodes(plan: Plan) -> tuple[int, int]:
    """Fewest and most nodes of all queues."""
    queues = plan.cost["queues"]
    return sum(queue["min"] for queue in queues), sum(queue["max"] for queue in queues)
