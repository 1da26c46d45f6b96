"""The verb `jobs`: what jobs have cost."""

import argparse
import datetime
import json
import pwd
from collections.abc import Mapping, Sequence
from os import getuid

from hpc_components.bill.node.money import exact, in_cents, shown
from hpc_components.bill.node.spending import Run, runs_since
from hpc_components.bill.node.verb import Verb, with_format

_HEADINGS = ("job", "user", "account", "runs", "hours", "USD")
_RIGHT = ("runs", "hours", "USD")

EXAMPLES = """  hpc-bill jobs                           what your jobs have cost this month
  hpc-bill jobs --since 2026-11-01        since a day
  hpc-bill jobs --account nlp             all jobs of an account whose jobs Slurm lets you see
  hpc-bill jobs --format json             the same for programs"""


def _show(options: argparse.Namespace) -> int:
    now = datetime.datetime.now()
    since = options.since or now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    whose = ("-a", "-A", options.account) if options.account else ("-u", pwd.getpwuid(getuid()).pw_name)
    costs = job_costs(runs_since(since.timestamp(), whose), since.timestamp(), now.timestamp())
    if options.format == "json":
        print(json.dumps(_document(costs, since), indent=1))
    elif costs:
        print(table(costs, since))
    else:
        print(f"No job has run since {since:%Y-%m-%d}.")
    return 0


class JobCost:
    """What a job has cost in all of its runs."""

    def __init__(self, first: Run) -> None:
        self.job, self.user, self.account = first.job, first.user, first.account
        self.runs = 0
        self.seconds = 0
        self._sixtieths = 0

    def add(self, run: Run, since: float, until: float) -> None:
        seconds = max(0, round((until if run.end is None else run.end) - max(run.start, since)))
        self.runs += 1
        self.seconds += seconds
        self._sixtieths += seconds * run.billing

    @property
    def micros(self) -> int:
        """Millionths of a dollar."""
        return self._sixtieths // 60


def job_costs(runs: Sequence[Run], since: float, until: float) -> Sequence[JobCost]:
    """Return what each job has cost between two times, the dearest first. Runs that have not ended count until
    `until`.
    """
    found: dict[tuple[str, str], JobCost] = {}
    for run in runs:
        found.setdefault((run.job, run.account), JobCost(run)).add(run, since, until)
    return sorted(found.values(), key=lambda one: (-one.micros, one.job))


def table(costs: Sequence[JobCost], since: datetime.datetime) -> str:
    """Return a table whose amounts add up to its total."""
    cents = in_cents([one.micros for one in costs])
    rows = [
        _HEADINGS,
        *(
            (one.job, one.user, one.account, str(one.runs), f"{one.seconds / 3600:.2f}", shown(amount))
            for one, amount in zip(costs, cents, strict=True)
        ),
        ("total", "", "", "", "", shown(sum(cents))),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(_cell, row, widths, _HEADINGS)).rstrip() for row in rows]
    lines.insert(-1, "-" * max(map(len, lines)))
    rule = f"Since {since:%Y-%m-%d}, at the prices on which budgets are kept; without boot and idle time of nodes."
    return "\n".join([*lines, "", rule])


def _cell(text: str, width: int, heading: str) -> str:
    return text.rjust(width) if heading in _RIGHT else text.ljust(width)


def _document(costs: Sequence[JobCost], since: datetime.datetime) -> Mapping[str, object]:
    return {
        "version": 1,
        "currency": "USD",
        "since": since.isoformat(timespec="seconds"),
        "jobs": [
            {
                "job": one.job,
                "user": one.user,
                "account": one.account,
                "runs": one.runs,
                "seconds": one.seconds,
                "usd": exact(one.micros),
            }
            for one in costs
        ],
    }


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="DAY", type=_day, help="default: the first of this month")
    parser.add_argument("--account", metavar="NAME", help="the jobs of an account instead of yours")
    with_format(parser)


def _day(text: str) -> datetime.datetime:
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%d")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day, e.g. 2026-11-01") from None


VERB = Verb(name="jobs", help="show what your jobs have cost", examples=EXAMPLES, do=_show, arguments=_arguments)
