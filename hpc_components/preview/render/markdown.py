"""A plan as GitHub Markdown, for a job's summary or a comment of a pull request."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from hpc_components.preview.clouds import title_of
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.picture.scene import Scene, scene_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.render.wording import (
    Branch,
    Footnotes,
    ask_for,
    branches,
    budget_words,
    cost_groups,
    count,
    hour,
    largest,
    marks,
    month,
    place,
    size,
    total,
    total_nodes,
)
from hpc_components.preview.resources import Resource
from hpc_components.spec.printable import printable

__all__ = ["BUDGET", "escaped", "render_markdown"]

BUDGET = 60_000
"""Bytes of a body. GitHub takes 65,536 characters of a comment; a caller may have a word of its own to add."""

_LINES = 15
_LEVELS = {"error": "🛑", "warning": "⚠️", "info": "ℹ️"}


def render_markdown(plan: Plan, budget: int = BUDGET) -> str:
    """`plan` as Markdown of at most `budget` UTF-8 bytes; what does not fit is left out whole, item by item."""
    body = _Body(budget)
    body.add(_title(plan))
    body.section("Findings", _findings(plan))
    if plan.cost["lines"] or plan.cost["unknown"]:
        body.section("Cost", _cost(plan.cost))
    if plan.quota:
        body.section("Quotas", _quota(plan))
    if plan.cost["lines"]:
        body.details(f"Cost by line, {count(len(plan.cost['lines']), 'line')}", _cost_lines(plan.cost))
    body.details("Picture", [_picture(scene_of(plan.resources, plan.cloud, plan.region))])
    body.details(size(plan.resources), _resources(plan))
    return body.text


class _Body:
    """Text that grows by whole items while they fit."""

    _CUT = "\n_More did not fit here; `hpc preview` shows all._\n"
    _CLOSE = "\n</details>\n"

    def __init__(self, budget: int) -> None:
        self.text = ""
        self._left = budget - len(self._CUT.encode()) - len(self._CLOSE.encode())
        self._full = False

    def add(self, item: str) -> bool:
        """Add `item` if it fits; nothing more fits after one that did not."""
        size = len(item.encode())
        if self._full or size > self._left:
            if not self._full:
                self.text += self._CUT
            self._full = True
            return False
        self.text += item
        self._left -= size
        return True

    def section(self, title: str, items: Iterable[str]) -> None:
        if self.add(f"\n### {title}\n\n"):
            all(self.add(item) for item in items)

    def details(self, title: str, items: Iterable[str]) -> None:
        if self.add(f"\n<details><summary>{title}</summary>\n\n"):
            self._left -= len(self._CLOSE.encode())
            all(self.add(item) for item in items)
            self.text += self._CLOSE


def escaped(text: object) -> str:
    """`text` shown literally: no HTML, no Markdown, no table cell ended, nobody mentioned, on one line."""
    flat = printable(" ".join(str(text).split()))
    flat = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    flat = re.sub(r"([\\`*_{}\[\]()#!|~$])", r"\\\1", flat)
    return flat.replace("@", "@\u200b").replace("://", ":\u200b//")


def _title(plan: Plan) -> str:
    cost, (fewest, most) = plan.cost, total_nodes(plan)
    idle, full = cost["idle"], cost["full"]
    where = f"{escaped(plan.cluster)} on {title_of(plan.cloud)}, {escaped(plan.region)}"
    figures = (
        size(plan.resources),
        f"{fewest} to {count(most, 'node')}",
        f"idle {_least(idle)}{_both(idle)}",
        f"full {_least(full)}{_both(full)}",
    )
    return f"## {escaped(plan.stack)}\n\n{where}: {', '.join(figures)}.\n"


def _both(total: Mapping[str, Any]) -> str:
    return f"USD {month(total['hour'])} an hour ({total['month']:,.0f} a month)"


def _least(total: Mapping[str, Any]) -> str:
    return "at least " if total["at_least"] else ""


def _findings(plan: Plan) -> Iterator[str]:
    found = plan.reported
    for finding in found:
        level = str(finding["level"])
        where = f" ({escaped(place(finding))})" if place(finding) else ""
        yield (
            f"- {_LEVELS.get(level, '')} **{level}** `{finding['id']}` **{escaped(finding['path'])}**{where}<br>"
            f"{escaped(finding['reason'])}<br>→ {escaped(finding['remedy'])}\n"
        )
    if not found:
        yield "None.\n"
    if silenced := len(plan.findings) - len(found):
        yield f"\n{count(silenced, 'finding')} silenced.\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _head(*cells: str) -> str:
    return _row(cells) + _row((":---", *("---:" for _ in cells[1:])))


def _cost(cost: Mapping[str, Any]) -> Iterator[str]:
    if words := budget_words(cost):
        yield f"{escaped(words)}\n\n"
    idle, full = cost["idle"], cost["full"]
    amounts = (hour(idle["hour"]), month(idle["month"]), hour(full["hour"]), month(full["month"]))
    name = "Total, at least" if full["at_least"] else "Total"
    yield (
        _head("USD", "idle, hour", "idle, month", "full, hour", "full, month")
        + _row([f"**{text}**" for text in (name, *amounts)])
        + "".join(_row([title, *_amounts(lines)]) for title, lines in cost_groups(cost["lines"]))
    )
    if cost["queues"]:
        yield "\n" + _head("Queue", "machine", "nodes", "USD a node-hour", "USD a core-hour")
        for queue in cost["queues"]:
            core = "?" if queue["core_hour"] is None else f"{queue['core_hour']:.4f}"
            machine = escaped(queue["machine"] or "?")
            nodes = f"{queue['min']}–{queue['max']}"
            yield _row([escaped(queue["queue"]), machine, nodes, hour(queue["node_hour"]), core])
    if cost["unknown"]:
        yield "\n"
    for each in cost["unknown"]:
        yield f"- Not in the total: {escaped(each['what'])}: {escaped(each['reason'])}\n"
    if cost["not_counted"]:
        yield f"\nNot counted: {'; '.join(map(escaped, cost['not_counted']))}.\n"


def _cost_lines(cost: Mapping[str, Any]) -> Iterator[str]:
    """The largest lines, and notes on their prices."""
    notes = Footnotes()
    shown, rest = largest(cost["lines"], _LINES)
    yield (
        _head("USD", "idle, hour", "idle, month", "full, hour", "full, month")
        + "".join(_row([_noted(line, notes), *_amounts([line])]) for line in shown)
        + (_row([count(len(rest), "smaller line"), *_amounts(rest)]) if rest else "")
    )
    yield "\n" + "".join(f"<sup>{number}</sup> {escaped(note)}<br>\n" for number, note in notes)


def _noted(line: Mapping[str, Any], notes: Footnotes) -> str:
    numbers = ",".join(map(str, notes.numbers(line["notes"])))
    return escaped(line["what"]) + (f" <sup>{numbers}</sup>" if numbers else "")


def _amounts(lines: Sequence[Mapping[str, Any]]) -> tuple[str, str, str, str]:
    return (
        hour(total(lines, "idle_hour")),
        month(total(lines, "idle_month")),
        hour(total(lines, "full_hour")),
        month(total(lines, "full_month")),
    )


def _quota(plan: Plan) -> Iterator[str]:
    asked, enough = ask_for(plan)
    if asked:
        yield _head("Ask for more than a new account has", "code", "need", "default")
    for each in asked:
        default = "?" if each["default"] is None else f"{each['default']:,}"
        yield _row([escaped(each["name"]), each["code"] or "", f"{each['need']:,}", default])
    if enough:
        yield f"\n{count(len(enough), 'quota')} within the defaults of a new account.\n"


def _resources(plan: Plan) -> Iterator[str]:
    for branch in branches(plan.resources):
        yield "".join(_branch(branch, 0))


def _branch(branch: Branch, depth: int) -> Iterator[str]:
    leaves = f": {escaped(branch.leaves)}" if branch.leaves else ""
    yield f"{'  ' * depth}- {_named(branch.resource)}{leaves}\n"
    for bundle in branch.guarded:
        yield f"{'  ' * (depth + 1)}- {_named(*bundle)}\n"
    for each in branch.branches:
        yield from _branch(each, depth + 1)


def _named(*resources: Resource) -> str:
    """One resource, or several alike."""
    resource = resources[0]
    guards = "".join(f" ({mark})" for mark in marks(resource))
    if len(resources) > 1:
        return f"{len(resources)} **{escaped(resource.kind)}**{guards}"
    return f"**{escaped(resource.kind)}** {escaped(resource.name)}{guards}"


_ABREAST = 4
"""Queues or file systems side by side; more of them are one box, else GitHub shrinks the whole to fit."""


def _picture(scene: Scene) -> str:
    """The way of a job as a Mermaid flowchart: from people to nodes, file systems and buckets, a row each."""
    machines = [*scene.across, *(card for zone in scene.zones for card in (*zone.public, *zone.private)), *scene.wide]
    rows: dict[str, list[Card]] = {
        "people": [scene.users] if scene.users else [],
        "balancers": [card for card in machines if card.kind == "balancer"],
        "logins": [card for card in machines if card.kind == "login"],
        "heads": [card for card in machines if card.kind == "head"],
        "queues": [card for card in machines if card.kind == "fleet"],
        "stores": list(scene.all_file_systems),
    }
    lines = ["```mermaid", "flowchart TB"]
    for name, row in rows.items():
        lines += _row_of_boxes(name, row)
    there = [name for name, row in rows.items() if row]
    lines += [f"{one} --> {other}" for one, other in pairwise(there)]
    linked = dict.fromkeys(link for card in scene.all_file_systems for link in card.links)
    if linked:
        lines += [f'buckets[("{_label(*linked)}")]', "stores <--> buckets"]
    return "\n".join([*lines, "```", ""])


def _row_of_boxes(name: str, row: Sequence[Card]) -> Iterator[str]:
    """A box for each card in a frame; one box for all where they are too many, none around a single card."""
    if len(row) == 1:
        yield f'{name}["{_label(row[0].title, *row[0].lines)}"]'
    elif len(row) > _ABREAST:
        yield f'{name}["{_label(*(": ".join((card.title, ", ".join(card.lines))) for card in row))}"]'
    elif row:
        yield f'subgraph {name}[" "]'
        yield from (f'{name}{index}["{_label(card.title, *card.lines)}"]' for index, card in enumerate(row))
        yield "end"


def _label(*texts: str) -> str:
    """A Mermaid label: one line each, with character codes for what would end it or be taken for code."""
    return "<br>".join(re.sub(r"[^\w .,:/()+·×–-]", lambda match: f"#{ord(match[0])};", text) for text in texts)
