"""`hpc-elastic ledger`: the record of costs, for administrators."""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from hpc_components.elastic.config import Config

_EXPORT = """\
Writes a .tar.gz with costs and jobs to standard output, from which `hpc bill` makes bills on another machine. Run it
as root.
"""
_REBUILD = """\
Estimates the machines that came and went while nothing was recorded, from the jobs in Slurm's accounting, and adds
them to the record, marked as rebuilt. Run it as root, once after the record was lost. On a cluster that had no record
in earlier months, such as an upgraded one, these months are left out unless you name a day with --since.
"""


def add_ledger(commands: Any, config: Path, folder: Path, load: Callable[[Path], Config]) -> None:
    """Add the command to the subparsers `commands`. The record is in `folder`."""
    about = f"The record of what machines and services cost, in {folder}."
    ledger = commands.add_parser("ledger", help="export or repair the record of costs", description=about)
    verbs = ledger.add_subparsers(required=True, metavar="COMMAND")

    export = verbs.add_parser("export", help="write costs and jobs to standard output", description=_EXPORT)
    export.add_argument(
        "--since", type=day, metavar="DAY", help="first day (UTC), e.g. 2026-11-01; default: the first of this month"
    )
    export.add_argument("--until", type=day, metavar="DAY", help="day after the last one (UTC); default: now")
    export.add_argument("--config", type=Path, default=config, help=f"default: {config}")
    export.set_defaults(do=lambda options: _export(options, folder, load(options.config)))

    rebuild = verbs.add_parser("rebuild", help="fill gaps of the record from Slurm's jobs", description=_REBUILD)
    rebuild.add_argument(
        "--since", type=day, metavar="DAY", help="first day (UTC), e.g. 2026-11-01; default: the first of this month"
    )
    rebuild.add_argument("--config", type=Path, default=config, help=f"default: {config}")
    rebuild.set_defaults(do=lambda options: _rebuild(options, folder, load(options.config)))


def day(text: str) -> float:
    """Return the beginning of a UTC day. Raise ValueError, which argparse reports, if `text` is not a day."""
    return datetime.strptime(f"{text} +0000", "%Y-%m-%d %z").timestamp()


def _export(options: argparse.Namespace, folder: Path, config: Config) -> int:
    from hpc_components.elastic import months
    from hpc_components.elastic.drivers import limits_of
    from hpc_components.elastic.ledger.export import Period, export
    from hpc_components.elastic.ledger.file import LedgerFiles
    from hpc_components.elastic.slurm.scontrol import run_in_utc

    if sys.stdout.isatty():
        raise ValueError("the output is an archive; redirect it: `hpc-elastic ledger export > november.tar.gz`")
    now = time.time()
    since = months.begins(now) if options.since is None else options.since
    until = now if options.until is None else min(options.until, now)
    if since >= until:
        raise ValueError("--since must be before --until, and not in the future")
    period = Period(since=since, until=until)
    export(sys.stdout.buffer, config, limits_of(config.cloud), LedgerFiles(folder), run_in_utc, period, now)
    return 0


def _rebuild(options: argparse.Namespace, folder: Path, config: Config) -> int:
    from hpc_components.elastic import months
    from hpc_components.elastic.ledger.export import utc
    from hpc_components.elastic.ledger.file import LedgerFiles, read
    from hpc_components.elastic.ledger.news import Known
    from hpc_components.elastic.ledger.rebuild import idle_times, jobs_in, rebuilt, running_jobs, uses
    from hpc_components.elastic.ledger.records import Gap
    from hpc_components.elastic.slurm.scontrol import run_in_utc

    files, known, gaps, now = LedgerFiles(folder), Known(), [], time.time()
    since = float(months.begins(now)) if options.since is None else options.since
    for record in read(files.days(), lambda words: print(f"hpc-elastic: {words}", file=sys.stderr)):
        known.apply(record)
        if isinstance(record, Gap) and record.until > since:
            gaps.append(replace(record, since=max(record.since, since)))
    if not gaps:
        print(f"the ledger has no gap since {utc(since)} UTC, so there is nothing to rebuild")
        return 0
    found = uses(jobs_in(run_in_utc, gaps), running_jobs(run_in_utc), now)
    records = rebuilt(config, known, gaps, found, idle_times(run_in_utc, config.by_name))
    if records:
        files.append_to_last(records)
    added = f"{len(records) // 2} machines since {utc(min(gap.since for gap in gaps))} UTC were added"
    print(f"{added}; restart hpc-elastic so that its sums include them")
    return 0
