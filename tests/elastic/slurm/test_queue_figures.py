"""Figures of the queue, from what Slurm's commands print."""

from hpc_components.elastic.report.slurm_metrics import MIN_AGE_SECONDS, SlurmMetrics, as_prometheus
from hpc_components.elastic.slurm.queue_figures import MAX_ACCOUNTS, QueueFigures, figures, parse_pending

PENDING = """\
debug|aero|4|Resources
debug,large|aero|2|Priority
large|bio|8|(null)
debug|bio|1|ReqNodeNotAvail, UnavailableNodes:debug-[1-3]
debug|bio|1-4|JobHeldUser
"""
SDIAG = """\
*******************************************************
Server thread count:  3
Agent queue size:     0
DBD Agent queue size: 12
Jobs submitted: 40
Jobs pending:   7

Main schedule statistics (microseconds):
	Last cycle:   2500
	Max cycle:    9000
Backfilling stats
	Last cycle when: Thu Nov 26 10:00:00 2026 (1795687200)
	Last cycle: 1500000
	Max cycle:  2000000
"""


def test_pending_jobs_are_counted_by_queue_and_reason():
    found = figures(parse_pending(PENDING), SDIAG)
    assert found.pending["debug", "Resources"] == found.pending["debug", "Priority"] == 1
    assert found.pending_of_accounts == {"bio": 3, "aero": 2}


def test_free_text_of_a_reason_makes_no_series():
    found = figures(parse_pending(PENDING), SDIAG)
    assert {why for _, why in found.pending} == {"Resources", "Priority", "JobHeldUser", "Other"}


def test_only_jobs_that_wait_for_nodes_count_as_the_smallest():
    assert figures(parse_pending(PENDING), SDIAG).smallest == {"debug": 2}


def test_figures_of_slurmctld_are_read():
    found = figures((), SDIAG)
    assert found.counts == {
        "server_threads": 3, "agent_queue": 0, "dbd_agent_queue": 12, "submitted": 40, "jobs_pending": 7,
    }  # fmt: skip
    assert found.cycle_seconds == {"main": 0.0025, "backfill": 1.5}


def test_accounts_with_few_jobs_are_counted_together():
    jobs = [("debug", f"project-{number}", 1, "Priority") for number in range(MAX_ACCOUNTS + 5)]
    counted = figures([*jobs, jobs[-1]], "").pending_of_accounts
    assert len(counted) == MAX_ACCOUNTS + 1
    assert counted[f"project-{MAX_ACCOUNTS + 4}"] == 2
    assert counted["other"] == 5


def test_many_scrapers_ask_slurm_once():
    now, asked = [0.0], []

    def read() -> QueueFigures:
        asked.append(now[0])
        return figures((), SDIAG)

    metrics = SlurmMetrics(read, lambda: now[0])
    assert metrics.text() == metrics.text() == as_prometheus(figures((), SDIAG))
    now[0] += MIN_AGE_SECONDS
    metrics.text()
    assert asked == [0.0, MIN_AGE_SECONDS]


def test_a_silent_slurmctld_is_a_metric():
    def read() -> QueueFigures:
        raise OSError("squeue: Unable to contact slurm controller")

    assert SlurmMetrics(read).text().splitlines()[-1] == "hpc_slurm_up 0"
