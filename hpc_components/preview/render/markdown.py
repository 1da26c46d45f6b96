"""Renders a plan as GitHub Markdown for a job summary or pull request comment."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from hpc_components.preview.clouds import title_of
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.picture.scene import Scene, scene_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.render.software import software_lines
from hpc_components.preview.render.tables import (
    cost_by_line,
    cost_by_purpose,
    images_made,
    queue_prices,
    quotas_to_ask_for,
)
from hpc_components.preview.render.wording import Branch, ask_for, branches, budget_words, marks, size, total_nodes
from hpc_components.preview.resources import Resource
from hpc_components.report.body import BUDGET, Body
from hpc_components.report.markdown import escaped, finding_item, label, markdown_table
from hpc_components.report.parts import Footnotes
from hpc_components.report.wording import count, month

_COST_LINES = 15


def render_markdown(plan: Plan, budget: int = BUDGET) -> str:
    """Render a plan as Markdown of at most `budget` UTF-8 bytes. Items that don't fit are left out."""
    body = Body(budget, "`hpc preview`")
    body.add(_title(plan))
    body.section("Findings", _findings(plan))
    if plan.cost["lines"] or plan.cost["unknown"]:
        body.section("Cost", _cost(plan.cost))
    if plan.images:
        body.section("Images", markdown_table(images_made(plan.images)))
    if plan.quota:
        body.section("Quotas", _quota(plan))
    if software := software_lines(plan):
        body.section("Software", [f"- {escaped(line)}\n" for line in software])
    if plan.cost["lines"]:
        body.details(f"Cost by line, {count(len(plan.cost['lines']), 'line')}", _cost_lines(plan.cost))
    body.details("Picture", [_picture(scene_of(plan.resources, plan.cloud, plan.region))])
    body.details(size(plan.resources), _resources(plan))
    return body.text


def _title(plan: Plan) -> str:
    cost, (fewest, most) = plan.cost, total_nodes(plan)
    idle, full = cost["idle"], cost["full"]
    where = f"{escaped(plan.cluster)} on {escaped(title_of(plan.cloud))}, {escaped(plan.region)}"
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
    yield from map(finding_item, found)
    if not found:
        yield "None.\n"
    if silenced := len(plan.findings) - len(found):
        yield f"\n{count(silenced, 'finding')} silenced.\n"


def _cost(cost: Mapping[str, Any]) -> Iterator[str]:
    if words := budget_words(cost):
        yield f"{escaped(words)}\n\n"
    yield "".join(markdown_table(cost_by_purpose(cost)))
    if cost["queues"]:
        yield "\n"
        yield from markdown_table(queue_prices(cost["queues"]))
    if cost["unknown"]:
        yield "\n"
    for each in cost["unknown"]:
        yield f"- Not in the total: {escaped(each['what'])}: {escaped(each['reason'])}\n"
    if cost["not_counted"]:
        yield f"\nNot counted: {'; '.join(map(escaped, cost['not_counted']))}.\n"


def _cost_lines(cost: Mapping[str, Any]) -> Iterator[str]:
    notes = Footnotes()
    yield "".join(markdown_table(cost_by_line(cost, notes, _COST_LINES, with_total=False)))
    yield "\n" + "".join(f"<sup>{number}</sup> {escaped(note)}<br>\n" for number, note in notes)


def _quota(plan: Plan) -> Iterator[str]:
    asked, enough = ask_for(plan)
    if asked:
        yield from markdown_table(quotas_to_ask_for(asked))
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
    resource = resources[0]
    guards = "".join(f" ({mark})" for mark in marks(resource))
    if len(resources) > 1:
        return f"{len(resources)} **{escaped(resource.kind)}**{guards}"
    return f"**{escaped(resource.kind)}** {escaped(resource.name)}{guards}"


_BOXES_ABREAST = 4
"""Maximum number of boxes to draw side by side. A longer row is drawn as a single box, because otherwise GitHub would
shrink the picture."""


def _picture(scene: Scene) -> str:
    """Return a Mermaid flowchart of a job's path from users through login and head nodes to queues, file systems and
    buckets.
    """
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
        lines += [f'buckets[("{label(*linked)}")]', "stores <--> buckets"]
    return "\n".join([*lines, "```", ""])


def _row_of_boxes(name: str, row: Sequence[Card]) -> Iterator[str]:
    if len(row) == 1:
        yield f'{name}["{label(row[0].title, *row[0].lines)}"]'
    elif len(row) > _BOXES_ABREAST:
        yield f'{name}["{label(*(": ".join((card.title, ", ".join(card.lines))) for card in row))}"]'
    elif row:
        yield f'subgraph {name}[" "]'
        yield from (f'{name}{index}["{label(card.title, *card.lines)}"]' for index, card in enumerate(row))
        yield "end"
