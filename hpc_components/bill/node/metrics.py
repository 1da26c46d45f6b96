"""The verb `metrics`: budgets for Prometheus, in a file that node_exporter reads.

Source: node_exporter, README, "Textfile Collector": a file must be replaced as a whole.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hpc_components.bill.node.concerns import my_concerns
from hpc_components.bill.node.money import exact
from hpc_components.bill.node.standing import Standing
from hpc_components.bill.node.verb import Verb

FILE = Path("/var/lib/prometheus/node-exporter/budgets.prom")
"""In the directory of Debian's and Ubuntu's packages of node_exporter."""


def exposition(budgets: Sequence[Standing]) -> str:
    """Return the budgets in Prometheus's text format. Names are those of accounts, organizations and people in
    Slurm, which contain nothing that the format would escape.
    """
    return "".join(f"{line}\n" for line in _lines(budgets))


def _lines(budgets: Sequence[Standing]) -> Iterator[str]:
    for name, words, amount in (
        ("hpc_budget_dollars", "Budget of a period.", lambda one: one.limit),
        ("hpc_budget_spent_dollars", "Spent of the budget in this period.", lambda one: one.spent),
        ("hpc_budget_reserved_dollars", "What running jobs may still cost.", lambda one: one.reserved),
    ):
        yield f"# HELP {name} {words}"
        yield f"# TYPE {name} gauge"
        for one in budgets:
            yield f'{name}{{kind="{one.kind}",name="{one.name}",period="{one.period}"}} {exact(amount(one))}'


def _write(options: argparse.Namespace) -> int:
    new = options.file.with_name(f".{options.file.name}.new")  # node_exporter reads *.prom only
    try:
        budgets = my_concerns().budgets
    except OSError:
        options.file.unlink(missing_ok=True)  # rather no amounts than old ones
        raise
    new.write_text(exposition(budgets), encoding="utf-8")
    new.chmod(0o644)
    os.replace(new, options.file)
    return 0


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, default=FILE, metavar="FILE", help=f"default: {FILE}")


VERB = Verb(name="metrics", help="head node: write budgets for Prometheus", do=_write, arguments=_arguments)
