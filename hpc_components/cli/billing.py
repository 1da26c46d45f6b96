import datetime
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Command, Refused, show
from hpc_components.cli.output import check_writable, say, write_text

if TYPE_CHECKING:
    from hpc_components.bill.bill import Bill
    from hpc_components.bill.export import Export

BY = ("organization", "account", "user", "queue", "job")
SHARED = ("in_proportion", "equally", "apart")


class _Month(click.ParamType):
    """A calendar month in UTC, e.g. `2026-11`, as its first moment and that of the next month, in milliseconds."""

    name = "month"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        if not re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", value):
            self.fail(f"{value!r} is not a month, such as 2026-11", param, ctx)
        year, month = map(int, value.split("-"))
        following = (year + 1, 1) if month == 12 else (year, month + 1)
        return _milliseconds(datetime.datetime(year, month, 1)), _milliseconds(datetime.datetime(*following, 1))


class _Time(click.ParamType):
    """A day or a time in UTC, e.g. `2026-11-28` or `2026-11-28T12:00`, in milliseconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            time = datetime.datetime.fromisoformat(value.removesuffix("Z"))
        except ValueError:
            self.fail(f"{value!r} is not a day or time, such as 2026-11-28 or 2026-11-28T12:00 (UTC)", param, ctx)
        if not 1970 <= time.year < 2200:
            self.fail(f"there are no records of the year {time.year}", param, ctx)
        return _milliseconds(time)


def _milliseconds(time: datetime.datetime) -> int:
    return round(time.replace(tzinfo=time.tzinfo or datetime.UTC).timestamp() * 1000)


@click.command(cls=Command)
@click.argument("export", metavar="EXPORT", type=click.Path(path_type=Path))
@click.option("--month", type=_Month(), metavar="YYYY-MM", help="Calendar month in UTC. Default: the whole export.")
@click.option("--since", type=_Time(), metavar="TIME", help="First moment of the period (UTC).")
@click.option("--until", type=_Time(), metavar="TIME", help="End of the period (UTC).")
@click.option(
    "--by",
    type=click.Choice(BY),
    help="What a row is. Default: organization; with --organization, or without any, account.",
)
@click.option("--organization", metavar="NAME", help="Only this organization's jobs and part of the shared costs.")
@click.option(
    "--shared",
    "rule",
    type=click.Choice(SHARED),
    default=SHARED[0],
    show_default=True,
    help="How to divide boot, idle time and services: in proportion to the costs of jobs, equally among"
    " organizations, or not at all.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "csv", "json", "focus"]),
    default="text",
    show_default=True,
    help="Output format. csv: a line for each run of a job; focus: the FinOps specification FOCUS 1.0.",
)
@click.option(
    "--compare",
    "charges",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare the ledger with the cloud's cost export, in its own format or FOCUS: CSV or JSON lines, also"
    " packed with gzip.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE.")
def bill(
    export: Path,
    month: tuple[int, int] | None,
    since: int | None,
    until: int | None,
    by: str | None,
    organization: str | None,
    rule: str,
    format_: str,
    charges: Path | None,
    out: Path | None,
) -> None:
    """Show what a cluster cost, divided among its organizations and people.

    EXPORT is a file that `hpc-elastic ledger export` made on the head node, or a folder with its content. Each second
    of a machine is boot, idle, or paid by the jobs on it, at the price of that time. Exit code 0: done; 1: with
    --compare, machines, file systems or network differ by more than 5 %; 2: a file or an option is wrong.

    \b
    Examples:
      hpc bill export.tar.gz --month 2026-11
      hpc bill export.tar.gz --month 2026-11 --organization acme --by user
      hpc bill export.tar.gz --month 2026-11 --shared equally
      hpc bill export.tar.gz --month 2026-11 --format csv --out november.csv
      hpc bill export.tar.gz --month 2026-11 --compare costs-november.csv.gz
    """
    check_writable(out)
    if format_ == "focus" and (by or organization):
        raise Refused("--format focus has all charges, each with its account; leave out --by and --organization")
    if format_ == "csv" and by:
        raise Refused("--format csv has a line for each run of a job; leave out --by")
    read = _read(export)
    period = _period(read, month, since, until)
    agrees = True
    if charges:
        if format_ != "text" or by or organization:
            raise Refused(
                "--compare shows a text about the whole cluster; leave out --format, --by and --organization"
            )
        text, agrees = _compared(read, period, charges)
    elif format_ == "focus":
        text = _focus(read, period, rule)
    else:
        from hpc_components.bill.bill import make_bill

        made = make_bill(read.ledger, read.runs, read.about, *period, rule=rule)
        text = _rendered(made, by, organization, format_)
    if out is None:
        show(text, nl=False)
    else:
        write_text(out, text)
        say(f"wrote {out}")
    if not agrees:
        raise click.exceptions.Exit(1)


def _compared(read: "Export", period: tuple[int, int], charges: Path) -> tuple[str, bool]:
    from hpc_components.bill.compare.comparison import compare, whole_days
    from hpc_components.bill.compare.formats import FOCUS
    from hpc_components.bill.compare.reading import read_costs
    from hpc_components.bill.compare.text import comparison_text
    from hpc_components.bill.records import LedgerError
    from hpc_components.cloud import CLOUDS, cloud_named
    from hpc_components.spec.printable import printable
    from hpc_components.user_files import MAX_DOCUMENT_BYTES, read_regular

    cluster, (since, until) = read.about.cluster, whole_days(read.about, *period)
    if since >= until:
        raise Refused("clouds tell the costs of whole days (UTC), and the export has none of this period")
    formats = [FOCUS, *filter(None, (cloud_named(name).parts.cost_export for name in CLOUDS))]
    try:
        costs = read_costs(read_regular(charges, 8 * MAX_DOCUMENT_BYTES), str(charges), formats, cluster)
    except LedgerError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        raise Refused(f"can't read {charges}: {error.strerror}") from None
    if not costs.rows:
        raise Refused(
            f"{charges}: none of {costs.other_rows} rows has the tag ClusterName with the value {cluster!r}; activate"
            " it as a cost allocation tag, or export the tags (docs/bill.md)"
        )
    compared = compare(read.ledger, read.about, since, until, costs)
    return printable(comparison_text(compared, cluster, str(charges)), keep="\n"), compared.agrees


def _read(export: Path) -> "Export":
    from hpc_components.bill.export import read_export, unpacked
    from hpc_components.bill.records import LedgerError
    from hpc_components.user_files import MAX_DOCUMENT_BYTES, read_regular

    try:
        if export.is_dir():
            return read_export(str(export), lambda name: read_regular(export / name, 8 * MAX_DOCUMENT_BYTES))
        files = unpacked(str(export), read_regular(export, MAX_DOCUMENT_BYTES))
        return read_export(str(export), files.__getitem__)
    except LedgerError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        raise Refused(f"can't read {error.filename or export}: {error.strerror}") from None


def _period(read: "Export", month: tuple[int, int] | None, since: int | None, until: int | None) -> tuple[int, int]:
    from hpc_components.bill.wording import moment

    if month and (since is not None or until is not None):
        raise Refused("use either --month or --since and --until")
    about = read.about
    begin, end = month or (about.since if since is None else since, about.until if until is None else until)
    if begin >= end:
        raise Refused(f"the period ends before it begins: {moment(begin)} to {moment(end)}")
    if end <= about.since or begin >= about.until:
        raise Refused(
            f"the export covers {moment(about.since)} to {moment(about.until)} UTC, nothing of"
            f" {moment(begin)} to {moment(end)}; make one with `hpc-elastic ledger export --since ... --until ...`"
        )
    return begin, end


def _focus(read: "Export", period: tuple[int, int], rule: str) -> str:
    """Make a bill for each calendar month, because a charge of FOCUS belongs to one."""
    from hpc_components.bill.bill import make_bill
    from hpc_components.bill.focus_bill import focus_bill
    from hpc_components.bill.wording import month_of
    from hpc_components.spec.printable import printable

    since, until = max(period[0], read.about.since), min(period[1], read.about.until)
    bills = []
    while since < until:
        end = min(until, month_of(since)[1])
        bills.append(make_bill(read.ledger, read.runs, read.about, since, end, rule=rule))
        since = end
    return printable(focus_bill(bills), keep="\n")


def _rendered(made: "Bill", by: str | None, organization: str | None, format_: str) -> str:
    from hpc_components.bill.views import organizations_in, view_of
    from hpc_components.spec.printable import printable

    known = organizations_in(made)
    if organization is not None and organization not in known:
        named = f"the organizations are {', '.join(known)}" if known else "the cluster has no organizations"
        raise Refused(f"--organization: there is no organization {organization!r}; {named}")
    by = by or ("organization" if known and not organization else "account")
    if format_ == "csv":
        from hpc_components.bill.csv_bill import csv_bill
        from hpc_components.bill.lines import lines_of

        return printable(csv_bill(lines_of(made, organization)), keep="\n")
    if format_ == "json":
        from hpc_components.bill.json_bill import json_bill

        return json_bill(view_of(made, by, organization, decimals=9))
    from hpc_components.bill.text_bill import text_bill

    return printable(text_bill(view_of(made, by, organization)), keep="\n")
