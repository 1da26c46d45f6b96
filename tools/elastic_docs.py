"""Generates the tables of docs/elastic.md from the code; the rest of the page is written by hand."""

from collections.abc import Collection, Iterable
from enum import Enum
from pathlib import Path

from hpc_components.elastic.act.pool_blocks import ENDING_PAUSE_SECONDS
from hpc_components.elastic.decide.table import TABLE
from hpc_components.elastic.report.waiting import BUSY_PAUSE_SECONDS, MIN_PAUSE_SECONDS
from hpc_components.slurm.elastic_json import COOLDOWN_SECONDS
from hpc_components.slurm.slurm_conf import REQUEUE_HOLD_SECONDS, SCHEDULER_INTERVAL_SECONDS, SUSPEND_TIMEOUT_SECONDS


def elastic_page(path: Path) -> str:
    """Return the page with current tables: the waits of a job without capacity, and the daemon's decision table."""
    text = path.read_text(encoding="utf-8")
    text = with_table(text, "waits", ("from", "to", "how long"), _waits())
    head = ("Slurm says", "the cloud has", "for", "what is done", "why")
    rows = ((*map(_any_of, (row.slurm, row.cloud, row.age)), row.action.value, row.why) for row in TABLE)
    return with_table(text, "table", head, rows)


def with_table(text: str, name: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    before, mark, rest = text.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->\n")
    lines = [f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows)]
    return before + mark + "\n" + "\n".join(lines) + "\n\n" + end + after


def _waits() -> Iterable[tuple[str, str, str]]:
    yield (
        "all pools of the queue have refused",
        "the next try",
        f"{COOLDOWN_SECONDS} s, or {ENDING_PAUSE_SECONDS:.0f} s while machines of our own are leaving the pool; at"
        f" least {SUSPEND_TIMEOUT_SECONDS} s, for which Slurm keeps nodes that are powered down (`SuspendTimeout`)",
    )
    yield (
        "the time of the next try",
        "the nodes are free for the job",
        f"at most {MIN_PAUSE_SECONDS:.0f} s; {BUSY_PAUSE_SECONDS:.0f} s while other nodes are up, coming or going",
    )
    yield (
        "the nodes are free",
        "the launch is sent",
        "at most 4 s: Slurm looks at the queue within 3 s (`batch_sched_delay`), and powers nodes up every second",
    )
    yield (
        "the launch is accepted",
        "the job starts",
        "as long as its slowest node takes to boot, [and a second](#jobs-start-when-their-nodes-are-there)",
    )
    yield (
        "a job was requeued, and nodes are free",
        "it has them",
        f"{REQUEUE_HOLD_SECONDS + 1} s, for which Slurm holds a requeued job (`cred_expire`, and a second), and at"
        f" most {SCHEDULER_INTERVAL_SECONDS} s until it looks at the queue (`sched_interval`)",
    )
    yield (
        "the `BeginTime` of a job that was over the quota",
        "it has nodes",
        f"at most {SCHEDULER_INTERVAL_SECONDS} s",
    )


def _any_of(values: Collection[Enum]) -> str:
    """Return the values in the order of their definition; empty for any value."""
    (kind,) = {type(value) for value in values}
    return "" if len(values) == len(kind) else "; ".join(value.value for value in kind if value in values)
