"""Metrics of Slurm's queue and of slurmctld, named `hpc_slurm_...`."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from hpc_components.elastic.report.exposition import family
from hpc_components.elastic.slurm.queue_figures import QueueFigures

MIN_AGE_SECONDS = 30.0
"""Seconds for which figures are shown again, so that many scrapers cost slurmctld no more than one."""

_ENDED = ("completed", "canceled", "failed")


class SlurmMetrics:
    """Reads figures when they are scraped, at most every 30 s. May be used from any thread."""

    def __init__(self, read: Callable[[], QueueFigures], clock: Callable[[], float] = time.monotonic) -> None:
        """`read` raises OSError if slurmctld does not answer, and may be slow."""
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._text = ""
        self._until = clock()

    def text(self) -> str:
        """Return the metrics. If slurmctld does not answer, `hpc_slurm_up` is 0 and stands alone."""
        with self._lock:
            if not self._text or self._clock() >= self._until:
                try:
                    self._text = as_prometheus(self._read())
                except OSError:
                    self._text = _up(False)
                self._until = self._clock() + MIN_AGE_SECONDS
            return self._text


def as_prometheus(figures: QueueFigures) -> str:
    return _up(True) + "".join(_families(figures))


def _up(answers: bool) -> str:
    return family("hpc_slurm_up", "gauge", "1 if slurmctld answers.", [({}, answers)])


def _families(figures: QueueFigures) -> Iterator[str]:
    pending = [({"queue": queue, "reason": why}, count) for (queue, why), count in sorted(figures.pending.items())]
    yield _gauge("pending_jobs", "Pending jobs by queue and reason. An array counts as one job.", pending)
    accounts = [({"account": name}, count) for name, count in figures.pending_of_accounts.items()]
    yield _gauge("pending_jobs_of_account", "Pending jobs of the accounts with the most.", accounts)
    smallest = [({"queue": queue}, nodes) for queue, nodes in sorted(figures.smallest.items())]
    words = "Nodes of the smallest job that waits for nothing but free nodes."
    yield _gauge("smallest_waiting_job_nodes", words, smallest)
    counts = figures.counts
    jobs = [({"state": name}, counts[f"jobs_{name}"]) for name in ("pending", "running") if f"jobs_{name}" in counts]
    yield _gauge("jobs", "Jobs by state, as slurmctld counts them.", jobs)
    for name, words in (
        ("server_threads", "Threads of slurmctld that serve requests. New ones wait above 256."),
        ("agent_queue", "Messages that slurmctld has yet to send to nodes."),
        ("dbd_agent_queue", "Records that slurmctld has yet to send to slurmdbd."),
    ):
        yield _gauge(name, words, _one(counts.get(name)))
    for name in ("submitted", "started"):
        words = f"Jobs {name} since slurmctld began to count, at midnight (UTC) at the latest."
        yield family(f"hpc_slurm_jobs_{name}_total", "counter", words, _one(counts.get(name)))
    ended = [({"state": state}, counts[state]) for state in _ENDED if state in counts]
    words = "Jobs ended since slurmctld began to count, at midnight (UTC) at the latest."
    yield family("hpc_slurm_jobs_ended_total", "counter", words, ended)
    cycles = [({"scheduler": name}, seconds) for name, seconds in sorted(figures.cycle_seconds.items())]
    yield _gauge("schedule_cycle_seconds", "Duration of the scheduler's last cycle.", cycles)


def _one(value: int | None) -> list[tuple[dict[str, str], Any]]:
    return [] if value is None else [({}, value)]


def _gauge(name: str, words: str, samples: Any) -> str:
    return family(f"hpc_slurm_{name}", "gauge", words, samples)
