"""The verb `budgets`: what the caller may still spend."""

import argparse
import json
from collections.abc import Sequence

from hpc_components.bill.node.concerns import my_concerns
from hpc_components.bill.node.money import in_cents, shown
from hpc_components.bill.node.standing import Standing
from hpc_components.bill.node.verb import Verb, with_format

_HEADINGS = ("budget", "period", "limit", "spent", "reserved", "left", "renews")
_AMOUNTS = ("limit", "spent", "reserved", "left")

EXAMPLES = """  hpc-bill budgets                  what you, your account and your organization may still spend
  hpc-bill budgets --format json    the same for programs"""


def _show(options: argparse.Namespace) -> int:
    concerns = my_concerns()
    if options.format == "json":
        print(json.dumps(concerns.document, indent=1))
    elif concerns.budgets:
        print(table(concerns.budgets))
    else:
        print("No budget limits what you may spend.")
    return 0


def table(budgets: Sequence[Standing]) -> str:
    """Return a table of amounts in USD, in which the limit is the sum of the next three."""
    rows = [_HEADINGS, *map(_row, budgets)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(_cell, row, widths, range(len(row)))).rstrip() for row in rows]
    return "\n".join(
        [*lines, "", "Amounts are in USD. Reserved: what running jobs may still cost until their time limits."]
    )


def _cell(text: str, width: int, column: int) -> str:
    return text.rjust(width) if _HEADINGS[column] in _AMOUNTS else text.ljust(width)


def _row(one: Standing) -> Sequence[str]:
    spent, reserved, left = in_cents((one.spent, one.reserved, one.left))
    amounts = (spent + reserved + left, spent, reserved, left)
    return (f"{one.kind} {one.name}", one.period, *map(shown, amounts), one.renews or "never")


VERB = Verb(
    name="budgets",
    help="show what you may still spend: of your own budget, your account's and your organization's",
    examples=EXAMPLES,
    do=_show,
    arguments=with_format,
)
