"""What `hpc-bill why` makes of a job, from lines of a real `scontrol show job`."""

import pytest

from hpc_components.bill.node.concerns import Concerns
from hpc_components.bill.node.described import Node
from hpc_components.bill.node.why import job_of, minutes, told, written

QUEUES = {"cpu": Node(billing=9_600_000, cpus=96, threads_per_core=2)}

OLD = (
    "JobId=3 JobName=wrap UserId=ada(2101) Account=lab JobState=PENDING Reason=AssocGrpBillingMinutes "
    "TimeLimit=00:02:00 Partition=cpu NumNodes=1-1 NumCPUs=1 TRES=cpu=1,mem=1980M,node=1,billing=100000 "
    "OverSubscribe={share}\n"
)
NEW = OLD.replace(" TRES=", " ReqTRES=").replace(" OverSubscribe", " AllocTRES=(null) OverSubscribe")


@pytest.mark.parametrize("line", [OLD, NEW], ids=["22.05", "24.11"])
def test_a_job_costs_whole_cores_or_whole_nodes(line: str) -> None:
    assert job_of(line.format(share="OK"), QUEUES).cost == 2 * 200_000
    assert job_of(line.format(share="NO"), QUEUES).cost == 2 * 9_600_000


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
    text = OLD.format(share="NO")
    for old, new in changes.items():
        text = text.replace(old, new)
    return "\n".join(told(job_of(text, QUEUES), found))


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
    assert "another reason: Resources" in words(concerns(1), AssocGrpBillingMinutes="Resources")
    assert "it is running" in words(concerns(1), PENDING="RUNNING")


def test_a_job_that_can_be_paid_again_starts_soon() -> None:
    assert "Enough is left now" in words(concerns(20))
    assert "Enough is left now" in words(concerns(1, at_limit="end"))


def test_a_job_without_limit_should_get_one() -> None:
    assert "scontrol update jobid=3 timelimit=" in words(concerns(1), **{"00:02:00": "UNLIMITED"})


@pytest.mark.parametrize(("text", "found"), [("1-02:00:30", 1561), ("00:01:00", 1), ("UNLIMITED", None)])
def test_times_of_slurm_are_read(text: str, found: int | None) -> None:
    assert minutes(text) == found


def test_times_are_written_as_slurm_reads_them() -> None:
    assert [written(1561), written(5)] == ["1-02:01:00", "00:05:00"]
