"""Texts and tables of an acceptance test that all formats share."""

from collections.abc import Iterator

from hpc_components.accept.result import Acceptance, Figure, QueueJob, State
from hpc_components.report.parts import Column, Table, words
from hpc_components.wording import plural

GOOD, BAD, WEAK, NONE, OUT = "\N{CHECK MARK}", "\N{MULTIPLICATION X}", "!", "·", "-"

_FIGURES = 4
"""Maximum number of figures in the line of an outcome. The table has all of them."""

_BOOTS = 5
"""Maximum number of nodes in the table of boots."""

SIGNS = {State.PASSED: GOOD, State.FAILED: BAD, State.WARNED: WEAK, State.SHOWN: NONE, State.LEFT_OUT: OUT}


def verdict(acceptance: Acceptance) -> str:
    """Return the result in one line."""
    counts = [(state, sum(each.state is state for each in acceptance.outcomes)) for state in State]
    counted = ", ".join(f"{count} {state}" for state, count in counts if count)
    return f"{'accepted' if acceptance.passed else 'not accepted'}: {counted}"


def about(acceptance: Acceptance) -> str:
    what = "rehearsed on one machine" if acceptance.rehearsed else f"{acceptance.cloud}, {acceptance.region}"
    return f"{what}, tested by {acceptance.user} from {acceptance.began}, in {acceptance.seconds:,.0f} s"


def caveat(acceptance: Acceptance) -> str:
    """Return what a reader must know about the figures."""
    if not acceptance.rehearsed:
        return ""
    return (
        "This was a rehearsal: real Slurm, but hosts made of namespaces on one machine. Figures are those of this"
        " machine and are not judged; fabric and GPUs are device files without a device."
    )


def releases(acceptance: Acceptance) -> str:
    return ", ".join(f"{name} {version}" for name, version in acceptance.versions.items())


def jobs_table(acceptance: Acceptance) -> Table:
    columns = ("Queue", words("machine"), "nodes", words("job"), words("time limit"), "maximum cost, USD")
    return Table("Jobs of the test", columns, [_job(job) for job in acceptance.jobs], wraps=True)


def _job(job: QueueJob) -> tuple[str, ...]:
    cost = "unknown" if job.usd is None else f"{job.usd:,.2f}"
    shown = str(job.job) if job.job else "not submitted"
    return job.queue, job.machine, f"{job.nodes:,}", shown, plural(job.minutes, "minute"), cost


def figures_table(acceptance: Acceptance) -> Table:
    """Return all figures, with what is expected of them if anything is."""
    found = [(figure, outcome.where) for outcome in acceptance.outcomes for figure in outcome.figures]
    columns: list[Column | str] = [Column("Figure", number=False), words("where"), "measured"]
    rows = [[figure.name, where, measured(figure)] for figure, where in found]
    if any(figure.judged for figure, _ in found):
        columns += ["expected", words("source", page_only=True)]
        rows = [[*row, _limit(figure), figure.source] for row, (figure, _) in zip(rows, found, strict=True)]
    return Table("Figures", columns, rows, wraps=True)


def measured(figure: Figure) -> str:
    return f"{figure.value:,.6g} {figure.unit}"


def _limit(figure: Figure) -> str:
    marked = " (unsure)" if figure.unsure else ""
    if figure.at_least is not None:
        warned = f", warns below {figure.warn_below:,.6g}" if figure.warn_below is not None else ""
        return f"at least {figure.at_least:,.6g}{warned}{marked}"
    return f"at most {figure.at_most:,.6g}{marked}" if figure.at_most is not None else ""


def boot_table(acceptance: Acceptance) -> Table:
    """Return the seconds of each step of the first boot, a row for each step and a column for each node.

    Only the slowest nodes have a column; the document has all of them.
    """
    boots = dict(sorted(acceptance.boot_steps.items(), key=lambda each: -sum(each[1].values()))[:_BOOTS])
    steps = dict.fromkeys(step for each in boots.values() for step in each)
    rows = [(step, *(f"{each[step]:,.1f}" if step in each else "" for each in boots.values())) for step in steps]
    columns = (Column("Step", number=False), *(f"on {node}" for node in boots))
    return Table("Seconds of each step of the first boot", columns, rows)


def lines(acceptance: Acceptance) -> Iterator[tuple[State, str, str]]:
    """Yield state, condition with its place, and detail of each outcome, which begins with its figures.

    The detail of a failed outcome names those that missed their limit already.
    """
    for each in acceptance.outcomes:
        where = f"{each.where}: " if each.where else ""
        figures = each.figures[:_FIGURES] if each.state in (State.PASSED, State.SHOWN) else ()
        shown = ", ".join(map(measured, figures))
        yield each.state, f"{where}{each.what}", "; ".join(filter(None, [shown, each.detail]))
