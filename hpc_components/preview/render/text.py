"""A plan as text on a terminal."""

from collections.abc import Iterator, Mapping
from typing import IO, Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from hpc_components.console import heading, joined, literal, plain_text, print_report
from hpc_components.preview.clouds import title_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.render.wording import (
    Branch,
    Footnotes,
    ask_for,
    branches,
    count,
    hour,
    largest,
    marks,
    month,
    place,
    size,
    total,
)
from hpc_components.preview.resources import Resource
from hpc_components.spec.printable import printable

_COST_LINES = 12
_LEVELS = {"error": "bold red", "warning": "yellow", "info": "dim"}


def print_plan(plan: Plan, file: IO[str] | None = None) -> None:
    """Print `plan` to `file` (default: standard output), in colour only on a terminal without NO_COLOR."""
    print_report(_whole(plan), file)


def render_text(plan: Plan, width: int = 80) -> str:
    """Return `plan` as plain text of this width, without colour."""
    return plain_text(_whole(plan), width)


def _whole(plan: Plan) -> Group:
    parts: list[RenderableType] = [_title(plan), _tree(plan)]
    if plan.cost["lines"] or plan.cost["unknown"]:
        parts += [heading("Cost"), *_cost(plan.cost)]
    if plan.quota:
        parts += [heading("Quotas"), *_quota(plan)]
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
    """Add a branch: a line for each guarded leaf, and one for all others, on the component's line if it has only
    those.
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
    """Return the words for one resource, or for several alike."""
    resource = resources[0]
    many = len(resources) > 1
    text = joined(f"{len(resources)} " if many else "", (resource.kind, "cyan"), "" if many else f" {resource.name}")
    return text.append("".join(f"  [{mark}]" for mark in marks(resource)), "green")


def _table(*columns: str) -> Table:
    """Return a table whose first column takes the free width and whose other columns are numbers."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), expand=True, header_style="dim")
    table.add_column(columns[0], ratio=1, overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _cost(cost: Mapping[str, Any]) -> Iterator[RenderableType]:
    notes = Footnotes()
    table = _table("USD", "idle/h", "idle/month", "full/h", "full/month")
    shown, rest = largest(cost["lines"], _COST_LINES)
    for line in shown:
        marked = ",".join(map(str, notes.numbers(line["notes"])))
        what = literal(line["what"]).append(f" [{marked}]" if marked else "", "dim")
        table.add_row(what, *_amounts([line]))
    if rest:
        table.add_row(literal(count(len(rest), "smaller line")), *_amounts(rest))
    table.add_section()
    idle, full = cost["idle"], cost["full"]
    table.add_row(
        literal("Total, at least" if full["at_least"] else "Total", "bold"),
        *(hour(idle["hour"]), month(idle["month"]), hour(full["hour"]), month(full["month"])),
    )
    yield table
    if cost["queues"]:
        yield _queues(cost["queues"])
    for number, note in notes:
        yield literal(f"[{number}] {note}", "dim")
    for each in cost["unknown"]:
        yield literal(f"not in the total: {each['what']}: {each['reason']}", "yellow")
    if cost["not_counted"]:
        yield literal(f"Not counted: {'; '.join(cost['not_counted'])}.", "dim")


def _amounts(lines: list[Mapping[str, Any]]) -> tuple[str, str, str, str]:
    idle, full = (hour(total(lines, f"{state}_hour")) for state in ("idle", "full"))
    idle_month, full_month = (month(total(lines, f"{state}_month")) for state in ("idle", "full"))
    return idle, idle_month, full, full_month


def _queues(queues: list[Mapping[str, Any]]) -> Table:
    table = _table("Queue", "machine", "nodes", "USD/node-h", "USD/core-h")
    for queue in queues:
        core = "?" if queue["core_hour"] is None else f"{queue['core_hour']:.4f}"
        nodes = f"{queue['min']}-{queue['max']}"
        table.add_row(
            literal(queue["queue"]), literal(queue["machine"] or "?"), nodes, hour(queue["node_hour"]), core
        )
    return table


def _quota(plan: Plan) -> Iterator[RenderableType]:
    asked, enough = ask_for(plan)
    if asked:
        table = _table("Above the quotas of a new account", "code", "need", "default")
        for each in asked:
            default = "?" if each["default"] is None else f"{each['default']:,}"
            table.add_row(literal(each["name"]), each["code"] or "", f"{each['need']:,}", default)
        yield table
    if enough:
        yield literal(f"{count(len(enough), 'quota')} within the defaults of a new account.", "dim")


def _findings(plan: Plan) -> Iterator[RenderableType]:
    found = plan.reported
    for finding in found:
        level = str(finding["level"])
        head = joined((level, _LEVELS.get(level, "")), f" {finding['id']} ", (finding["path"], "bold"))
        yield head.append(f"  {place(finding)}", "dim") if place(finding) else head
        yield Padding(literal(f"{printable(finding['reason'])}\n→ {printable(finding['remedy'])}"), (0, 0, 0, 2))
    if not found:
        yield literal("none")
    if silenced := len(plan.findings) - len(found):
        yield literal(f"{count(silenced, 'finding')} silenced.", "dim")
