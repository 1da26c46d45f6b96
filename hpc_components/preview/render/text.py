from collections.abc import Iterator, Mapping
from typing import IO, Any

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from hpc_components.preview.clouds import title_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.render.software import software_lines
from hpc_components.preview.render.tables import cost_by_line, images_made, queue_prices, quotas_to_ask_for
from hpc_components.preview.render.wording import Branch, ask_for, branches, marks, size
from hpc_components.preview.resources import Resource
from hpc_components.report.parts import Footnotes
from hpc_components.report.text import (
    TextTable,
    advice,
    finding_lines,
    heading,
    joined,
    literal,
    plain_text,
    print_report,
)
from hpc_components.report.wording import count

_COST_LINES = 12


def print_plan(plan: Plan, file: IO[str] | None = None) -> None:
    """Print a plan to `file` (default: standard output). Colour is used only if the output is a terminal and NO_COLOR
    is not set.
    """
    print_report(_whole(plan), file)


def render_text(plan: Plan, width: int = 80) -> str:
    return plain_text(_whole(plan), width)


def _whole(plan: Plan) -> Group:
    parts: list[RenderableType] = [_title(plan), _tree(plan)]
    if plan.cost["lines"] or plan.cost["unknown"]:
        parts += [heading("Cost"), *_cost(plan.cost)]
    if plan.images:
        parts += [heading("Images"), TextTable(images_made(plan.images))]
    if plan.quota:
        parts += [heading("Quotas"), *_quota(plan)]
    if software := software_lines(plan):
        parts += [heading("Software"), *map(literal, software)]
    parts += [heading("Findings"), *_findings(plan)]
    return Group(*parts)


def _title(plan: Plan) -> Text:
    where = f"cluster {plan.cluster} on {title_of(plan.cloud)}, {plan.region}"
    return joined((plan.stack, "bold"), f"  {where}, {size(plan.resources)}")


def _tree(plan: Plan) -> Tree:
    tree = Tree(literal(plan.stack), hide_root=True, guide_style="dim")
    for branch in branches(plan.resources):
        _grow(tree, branch)
    return tree


def _grow(tree: Tree, branch: Branch) -> None:
    """Add a branch to the tree.

    Each guarded leaf or bundle has its own line. All other leaves share one line, which is the component's line if
    the component contains nothing else.
    """
    label = _named(branch.resource)
    if branch.size:
        label.append(f"  {branch.size}", style="bold dim")
    flat = not branch.branches and not branch.guarded
    if flat and branch.leaves:
        label.append(f": {branch.leaves}", "dim")
    node = tree.add(label)
    for each in branch.branches:
        _grow(node, each)
    for bundle in branch.guarded:
        node.add(_named(*bundle))
    if not flat and branch.leaves:
        node.add(literal(branch.leaves, "dim"))


def _named(*resources: Resource) -> Text:
    resource = resources[0]
    many = len(resources) > 1
    text = joined(f"{len(resources)} " if many else "", (resource.kind, "cyan"), "" if many else f" {resource.name}")
    return text.append("".join(f"  [{mark}]" for mark in marks(resource)), "green")


def _cost(cost: Mapping[str, Any]) -> Iterator[RenderableType]:
    notes = Footnotes()
    yield TextTable(cost_by_line(cost, notes, _COST_LINES, with_total=True))
    if cost["queues"]:
        yield TextTable(queue_prices(cost["queues"]))
    for number, note in notes:
        yield literal(f"[{number}] {note}", "dim")
    for each in cost["unknown"]:
        yield literal(f"not in the total: {each['what']}: {each['reason']}", "yellow")
    if cost["not_counted"]:
        yield literal(f"Not counted: {'; '.join(cost['not_counted'])}.", "dim")


def _quota(plan: Plan) -> Iterator[RenderableType]:
    asked, enough = ask_for(plan)
    if asked:
        yield TextTable(quotas_to_ask_for(asked))
    if enough:
        yield literal(f"{count(len(enough), 'quota')} within the defaults of a new account.", "dim")


def _findings(plan: Plan) -> Iterator[RenderableType]:
    found = plan.reported
    for finding in found:
        yield from finding_lines(finding, advice(finding))
    if not found:
        yield literal("none")
    if silenced := len(plan.findings) - len(found):
        yield literal(f"{count(silenced, 'finding')} silenced.", "dim")
