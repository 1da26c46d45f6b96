from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hpc_components.preview.clouds import title_of
from hpc_components.report.text import plain_text, print_report
from hpc_components.report.wording import month
from hpc_components.spec.printable import printable

_Json = Mapping[str, Any]
_Row = tuple[str, list[str]]

_NONE = "-"
_LEAST_COLUMN = 18


def print_comparison(document: _Json, file: IO[str] | None = None) -> None:
    """Print a comparison to `file` (default: standard output). Colour is used only if the output is a terminal and
    NO_COLOR is not set.
    """
    print_report(_whole(document), file)


def comparison_text(document: _Json, width: int = 80) -> str:
    """Return a comparison as plain text. The text is wider than `width` if the stacks need more space."""
    width = max(width, _LEAST_COLUMN * (len(document["stacks"]) + 1))
    return plain_text(_whole(document), width)


def comparison_markdown(document: _Json) -> str:
    stacks = document["stacks"]
    lines = [["", *(stack["stack"] for stack in stacks)], [":--", *(["--:"] * len(stacks))]]
    for section in _sections(stacks):
        lines += [[label, *values] for label, values in section]
    table = "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)
    return f"{table}\n\n{_footer(stacks)}\n"


def _cell(text: str) -> str:
    return printable(text).replace("|", "\\|").strip().replace("<", "&lt;")


def _whole(document: _Json) -> Group:
    stacks = document["stacks"]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), header_style="bold")
    table.add_column("", no_wrap=True)
    for stack in stacks:
        table.add_column(Text(printable(stack["stack"])), justify="right", overflow="fold")
    for section in _sections(stacks):
        for label, values in section:
            style = "dim" if label.startswith(" ") else ""
            table.add_row(Text(printable(label), style=style), *(Text(printable(value)) for value in values))
        table.add_section()
    return Group(table, Text(_footer(stacks), style="dim"))


def _sections(stacks: Sequence[_Json]) -> Iterator[list[_Row]]:
    yield [
        ("cloud", [title_of(stack["cloud"]) for stack in stacks]),
        ("region", [stack["region"] for stack in stacks]),
    ]
    for name in dict.fromkeys(queue["queue"] for stack in stacks for queue in stack["queues"]):
        yield _queue_rows(name, [_named(stack["queues"], name) for stack in stacks])
    yield [
        ("cores, full", [_known(stack["cores"], "{:,}") for stack in stacks]),
        *([("GPUs, full", [_known(stack["gpus"], "{:,}") for stack in stacks])] if _any(stacks, "gpus") else []),
        ("USD a month, idle", [_sum(stack["idle"], "month") for stack in stacks]),
        ("USD an hour, full", [_sum(stack["full"], "hour") for stack in stacks]),
        ("USD a month, full", [_sum(stack["full"], "month") for stack in stacks]),
        ("errors", [str(stack["errors"]) for stack in stacks]),
        ("warnings", [str(stack["warnings"]) for stack in stacks]),
    ]


def _queue_rows(name: str, queues: Sequence[_Json | None]) -> list[_Row]:
    def row(label: str, say: Callable[[_Json], str]) -> _Row:
        return f"  {label}", [say(queue) if queue else _NONE for queue in queues]

    rows = [
        (name, [(queue["machine"] or "?") if queue else _NONE for queue in queues]),
        row("nodes", lambda queue: f"{queue['min']} to {queue['max']:,}"),
        row("bought", lambda queue: queue["purchase"].replace("_", " ")),
        row("cores a node", lambda queue: _known(queue["cores"], "{:,}")),
        row("memory a node", lambda queue: _known(queue["memory_gib"], "{:,g} GiB")),
        row(
            "fabric",
            lambda queue: f"{queue['fabric']}, {queue['fabric_gbps']:g} Gbit/s" if queue["fabric"] else _NONE,
        ),
        row("USD a core-hour", lambda queue: _known(queue["core_hour"], "{:.4f}")),
    ]
    if any(queue and queue["gpus"] for queue in queues):
        rows.insert(
            4, row("GPUs a node", lambda queue: f"{queue['gpus']} x {queue['gpu']}" if queue["gpus"] else _NONE)
        )
        rows.append(
            row("USD a GPU-hour", lambda queue: _known(queue["gpu_hour"], "{:.3f}") if queue["gpus"] else _NONE)
        )
    return rows


def _named(queues: Sequence[_Json], name: str) -> _Json | None:
    return next((queue for queue in queues if queue["queue"] == name), None)


def _any(stacks: Sequence[_Json], what: str) -> bool:
    return any(stack[what] for stack in stacks)


def _known(value: float | None, form: str) -> str:
    return "?" if value is None else form.format(value)


def _sum(cost: _Json, per: str) -> str:
    return f"{'at least ' if cost['at_least'] else ''}{month(cost[per])}"


def _footer(stacks: Sequence[_Json]) -> str:
    unsure = [f"{stack['stack']} {stack['unsure']}" for stack in stacks if stack["unsure"]]
    doubt = (
        f" Prices that are unconfirmed, fluctuate or are for another region: {', '.join(unsure)}." if unsure else ""
    )
    rated = [stack["stack"] for stack in stacks if stack["prices"] != "list prices"]
    rates = f", and rates of your contract ({', '.join(rated)})" if rated else ""
    return (
        f"List prices{rates}, not a quotation.{doubt} `hpc preview STACK` shows each price with its source and date."
    )
