"""The verb `metrics`: budgets for Prometheus, in a file that node_exporter reads."""

import argparse
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from hpc_components.bill.node.concerns import my_concerns
from hpc_components.bill.node.money import MICROS
from hpc_components.bill.node.standing import Standing
from hpc_components.bill.node.verb import Verb
from hpc_components.textfile import Metric, write, written

FILE = Path("/var/lib/prometheus/node-exporter/budgets.prom")
"""In the directory of Debian's and Ubuntu's packages of node_exporter."""


def exposition(budgets: Sequence[Standing]) -> str:
    """Return the budgets in Prometheus's text format."""
    return written(_metrics(budgets), max_series=None)


def _metrics(budgets: Sequence[Standing]) -> Iterator[Metric]:
    for name, words, amount in (
        ("hpc_budget_dollars", "Budget of a period.", lambda one: one.limit),
        ("hpc_budget_spent_dollars", "Spent of the budget in this period.", lambda one: one.spent),
        ("hpc_budget_reserved_dollars", "What running jobs may still cost.", lambda one: one.reserved),
    ):
        yield Metric(name, "gauge", words, tuple((_labels(one), Decimal(amount(one)) / MICROS) for one in budgets))


def _labels(one: Standing) -> dict[str, str]:
    return {"kind": one.kind, "name": one.name, "period": one.period}


def _write(options: argparse.Namespace) -> int:
    try:
        budgets = my_concerns().budgets
    except OSError:
        options.file.unlink(missing_ok=True)  # rather no amounts than old ones
        raise
    write(options.file, exposition(budgets))
    return 0


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, default=FILE, metavar="FILE", help=f"default: {FILE}")


VERB = Verb(name="metrics", help="head node: write budgets for Prometheus", do=_write, arguments=_arguments)
