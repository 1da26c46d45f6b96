"""What `hpc-bill why` makes of a job, from columns of a real `squeue`."""

import pytest

from hpc_components.bill.node.concerns import Concerns
from hpc_components.bill.node.described import Node
from hpc_components.bill.node.why import job_of, minutes, told, written

QUEUES = {"cpu": Node(billing=9_600_000, cpus=96, threads_per_core=2)}

JOB = {
    "jobid": "3", "state": "PENDING", "reason": "AssocGrpBillingMinutes", "account": "lab", "username": "ada",
    "timelimit": "2:00", "partition": "cpu", "numnodes": "1-1", "numcpus": "1", "oversubscribe": "NO",
    "tres-alloc": "cpu=1,mem=1980M,node=1,billing=100000", "admin_comment": "(null)",
}  # fmt: skip


@pytest.mark.parametrize(("share", "cost"), [("OK", 2 * 200_000), ("NO", 2 * 9_600_000)])
def test_a_job_costs_whole_cores_or_whole_nodes(share: str, cost: int) -> None:
    assert job_of(JOB | {"oversubscribe": share}, QUEUES).cost == cost


def concerns(
    left: int, *, limit: int = 20, reserved: int = 0, period: str = "month", at_limit: str = "finish"
) -> Concerns:
    lab = {
        "kind": "account", "name": "lab", "account": "lab", "user": "", "period": period,
        "limit_usd": str(limit), "spent_usd": str(limit - reserved - left), "reserved_usd": str(reserved),
        "renews": "2026-12-01" if period == "month" else None,
    }  # fmt: skip
    queues = {"cpu": {"billing": 9_600_000, "cpus": 96, "threads_per_core": 2}}
    return Concerns({"at_limit": at_limit, "parents": {"lab": "root"}, "budgets": [lab], "queues": queues})


def words(found: Concerns, **changes: str) -> str:
    return "\n".join(told(job_of(JOB | changes, QUEUES), found))


def test_a_job_that_would_fit_with_less_time_is_told_so() -> None:
    said = words(concerns(10, reserved=4))
    assert "Job 3 costs up to 19.20 USD: 576.00 USD an hour, for at most 00:02:00." in said
    assert "Account lab has 10.00 USD left of 20.00 USD a month (6.00 spent, 4.00 reserved by running jobs)." in said
    assert "timelimit=00:01:00" in said
    assert "wait until 2026-12-01" in said


def test_a_job_dearer_than_the_budget_is_told_so() -> None:
    said = words(concerns(5, limit=5))
    assert "the job costs more than the whole budget of 5.00 USD" in said
    assert "wait until" not in said


def test_a_project_does_not_renew() -> None:
    said = words(concerns(1, period="total"))
    assert "It does not renew." in said
    assert "wait until" not in said


def test_other_reasons_are_not_explained_by_money() -> None:
    assert "another reason: Resources" in words(concerns(1), reason="Resources")
    assert "it is running" in words(concerns(1), state="RUNNING")


def test_a_job_that_was_ended_is_told_which_budget_was_spent() -> None:
    said = words(concerns(0), state="CANCELLED", admin_comment="hpc: ended: account lab has spent its 20.00 USD")
    assert "It does not wait: it is cancelled.\nAccount lab has spent its 20.00 USD, so it was ended." in said


def test_a_job_that_can_be_paid_again_starts_soon() -> None:
    assert "Enough is left now" in words(concerns(20))
    assert "Enough is left now" in words(concerns(1, at_limit="end"))


def test_a_job_without_limit_should_get_one() -> None:
    assert "scontrol update jobid=3 timelimit=" in words(concerns(1), timelimit="UNLIMITED")


@pytest.mark.parametrize(
    ("text", "found"), [("1-02:00:30", 1561), ("00:01:00", 1), ("5:00", 5), ("0:30", 1), ("UNLIMITED", None)]
)
def test_times_of_slurm_are_read(text: str, found: int | None) -> None:
    assert minutes(text) == found


def test_times_are_written_as_slurm_reads_them() -> None:
    assert [written(1561), written(5)] == ["1-02:01:00", "00:05:00"]
