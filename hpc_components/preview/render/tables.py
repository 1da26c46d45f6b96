from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hpc_components.preview.images import MadeImage
from hpc_components.preview.rates import kinds_of_prices
from hpc_components.preview.render.wording import cost_groups, largest, longest_job, total
from hpc_components.report.parts import Cell, Column, Footnotes, Table, words
from hpc_components.report.wording import count, hour, month

_Json = Mapping[str, Any]

_AMOUNTS = (
    Column("idle, hour", "idle/h"),
    Column("idle, month", "idle/month", aside=True),
    Column("full, hour", "full/h"),
    Column("full, month", "full/month", aside=True),
)

_LISTED_NEEDS = 3


def images_made(images: Sequence[MadeImage]) -> Table:
    columns = (words("image"), words("version"), words("nodes"), words("base"))
    rows = ((each.recipe, each.version, ", ".join(each.nodes), each.base) for each in images)
    return Table("Images that the stack makes", columns, rows)


def cost_by_purpose(cost: _Json) -> Table:
    rows = ((title, *amounts(lines)) for title, lines in cost_groups(cost["lines"]))
    return Table("Cost by purpose", _columns(cost), rows, total=_total(cost), wraps=True)


def cost_by_line(cost: _Json, notes: Footnotes, most: int, *, with_total: bool) -> Table:
    """Return a table of the `most` largest cost lines, with one row for the sum of all others. Footnotes are added to
    `notes`.
    """
    shown, rest = largest(cost["lines"], most)
    rows = [(Cell(line["what"], notes=notes.numbers(line["notes"])), *amounts([line])) for line in shown]
    if rest:
        rows.append((Cell(count(len(rest), "smaller line")), *amounts(rest)))
    return Table("Cost by line", _columns(cost), rows, total=_total(cost) if with_total else (), wraps=True)


def _columns(cost: _Json) -> tuple[Column | str, ...]:
    return words(f"USD, {kinds_of_prices(cost)}", short="USD"), *_AMOUNTS


def amounts(lines: Sequence[_Json]) -> tuple[str, str, str, str]:
    return (
        hour(total(lines, "idle_hour")),
        month(total(lines, "idle_month")),
        hour(total(lines, "full_hour")),
        month(total(lines, "full_month")),
    )


def _total(cost: _Json) -> tuple[str, ...]:
    idle, full = cost["idle"], cost["full"]
    name = "Total, at least" if full["at_least"] else "Total"
    return name, hour(idle["hour"]), month(idle["month"]), hour(full["hour"]), month(full["month"])


def queue_prices(queues: Sequence[_Json]) -> Table:
    columns = (
        "Queue",
        words("machine"),
        words("bought", aside=True, page_only=True),
        "nodes",
        Column("USD a node-hour", "USD/node-h"),
        Column("USD a core-hour", "USD/core-h", aside=True),
    )
    rows = (
        (
            queue["queue"],
            queue["machine"] or "?",
            queue["purchase"].replace("_", " "),
            f"{queue['min']}–{queue['max']}",
            hour(queue["node_hour"]),
            "?" if queue["core_hour"] is None else f"{queue['core_hour']:.4f}",
        )
        for queue in queues
    )
    return Table("Price of each queue", columns, rows)


def quotas_to_ask_for(asked: Sequence[_Json]) -> Table:
    return _quotas("Quotas to request", "Above a new account's quotas", asked)


def other_quotas(enough: Sequence[_Json]) -> Table:
    return _quotas("Other quotas", "Quota", enough)


def _quotas(label: str, title: str, quotas: Sequence[_Json]) -> Table:
    columns = (
        title,
        words("code", aside=True, look="code"),
        "need",
        "default",
        words("for", aside=True, page_only=True, look="soft"),
    )
    rows = (
        (
            each["name"],
            each["code"] or "",
            f"{each['need']:,}",
            "?" if each["default"] is None else f"{each['default']:,}",
            "\n".join(_needed_for(each)),
        )
        for each in quotas
    )
    return Table(label, columns, rows, wraps=True)


def _needed_for(quota: _Json) -> Iterator[str]:
    yield from (part["what"] for part in quota["for"][:_LISTED_NEEDS])
    if len(quota["for"]) > _LISTED_NEEDS:
        yield f"and {len(quota['for']) - _LISTED_NEEDS} more"


def queue_access(access: _Json) -> Table:
    columns = ("Queue", words("longest job"), words("default", aside=True), words("who can use it"))
    rows = (
        (
            queue["queue"],
            longest_job(queue, access),
            queue["default_time"] or "the longest",
            "; ".join(queue["only"]) or "everyone",
        )
        for queue in access["queues"]
    )
    return Table("Who can use each queue", columns, rows)


def accounts(access: _Json) -> Table:
    columns = ("Account", words("users"), words("QoS"), Column("share", aside=True))
    rows = (
        (
            Cell(each["account"], soft="" if each["parent"] == "root" else f"below {each['parent']}"),
            ", ".join(each["users"]) or "no users",
            ", ".join(each["qos"]) or "as above it",
            str(each["fairshare"]),
        )
        for each in access["accounts"]
    )
    return Table("Accounts", columns, rows)


def qos_limits(access: _Json) -> Table:
    columns = ("QoS", words("longest job"), words("maximum per user"), Column("priority", aside=True))
    rows = (
        (
            qos["qos"],
            qos["max_wall"] or "no limit",
            ", ".join(f"{most:,} {name}" for name, most in sorted(qos["max_per_user"].items())) or "no limit",
            str(qos["priority"]),
        )
        for qos in access["qos"]
    )
    return Table("QoS", columns, rows)
