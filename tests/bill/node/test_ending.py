"""Which jobs end when, with Slurm's commands stood in for."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.bill.node import ending
from hpc_components.bill.node.associations import Association, Key
from hpc_components.bill.node.described import Budget, Described
from hpc_components.bill.node.ending import Running, of_budget, running_of, seconds_left

BILLING = 600_000
"""A cent a second."""


def association(account: str, user: str = "", *, used: int = 0, limit: int | None = 1_000_000) -> Association:
    parent = {"lab": "acme", "acme": "root"}.get(account, "")
    return Association(account=account, user=user, parent=parent, limit=limit, used=used, reserved=0)


def job(name: str, account: str = "lab", user: str = "ada", start: int = 1000, comment: str = "") -> Running:
    return Running(id=name, account=account, user=user, start=start, billing=BILLING, comment=comment)


def budget(account: str, user: str = "") -> Budget:
    return Budget(kind="account", name=account, association=(account, user), period="month", micros=1_000_000)


def test_the_money_lasts_until_what_runs_has_spent_it() -> None:
    lab = association("lab", used=400_000)
    assert seconds_left(lab, [job("1")], 1000, 1000) == 60
    assert seconds_left(lab, [job("1"), job("2")], 1000, 1010) == 20
    assert seconds_left(lab, [job("1", start=1005)], 1000, 1010) == 55
    assert seconds_left(lab, [job("1")], 1000, 1070) == -10
    assert seconds_left(lab, [], 1000, 1070) is None
    assert seconds_left(association("lab", limit=None), [job("1")], 1000, 1070) is None


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.lists(st.integers(900, 1100), min_size=1), st.integers(0, 60))
def test_a_time_is_left_as_long_as_slurm_will_count_less_than_the_limit(
    used: int, limit: int, starts: list[int], since: int
) -> None:
    found = [job(str(at), start=start) for at, start in enumerate(starts)]
    now = 1100 + since
    left = seconds_left(association("lab", used=used, limit=limit), found, 1000, now)
    counts = used * 60 + sum(BILLING * (now - max(1000, start)) for start in starts)
    assert left is not None
    assert (left > 0) == (counts < limit * 60)


def test_a_budget_pays_for_its_account_those_below_and_its_person() -> None:
    parents = {"lab": "acme", "acme": "root", "birch": "root"}
    every = [job("1"), job("2", user="bob"), job("3", account="acme"), job("4", account="birch")]
    assert [one.id for one in of_budget(budget("acme"), every, parents)] == ["1", "2", "3"]
    assert [one.id for one in of_budget(budget("lab", "ada"), every, parents)] == ["1"]


def test_a_task_ends_alone_and_a_heterogeneous_job_whole() -> None:
    row = {
        "account": "lab",
        "username": "ada",
        "starttime": "5",
        "tres-alloc": "billing=7",
        "admin_comment": "(null)",
    }
    found = [running_of(row | {"jobarrayid": name}) for name in ("12", "12_3", "12+1")]
    assert [one.id for one in found] == ["12", "12_3", "12"]
    assert (found[0].start, found[0].billing, found[0].comment) == (5, 7, "")


class Slurm:
    """What Slurm knows, and the commands that were called."""

    def __init__(self, at_limit: Literal["finish", "end"] = "end") -> None:
        self.described = Described(
            cluster="lab", at_limit=at_limit, budgets=[budget("lab"), budget("far")], queues={}
        )
        self.found: dict[Key, Association] = {("lab", ""): association("lab"), ("acme", ""): association("acme")}
        self.jobs = [job("1"), job("2", comment="hpc: next try 14:05"), job("3", comment="mine"), job("9", "birch")]
        self.settled = True
        self.now = 1000.0
        self.counts = [1000]
        self.calls: list[str] = []

    def called(self, *command: str) -> str:
        self.calls.append(" ".join(command))
        return ""

    def counted(self) -> int:
        return self.counts.pop(0) if len(self.counts) > 1 else self.counts[0]


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch) -> Slurm:
    made = Slurm()
    for name, value in {
        "associations": lambda: made.found,
        "running": lambda: made.jobs,
        "counted": made.counted,
        "is_settled": lambda: made.settled,
        "output_of": made.called,
    }.items():
        monkeypatch.setattr(ending, name, value)
    monkeypatch.setattr(ending.time, "time", lambda: made.now)
    return made


def test_it_waits_for_the_second_in_which_the_money_is_spent(slurm: Slurm) -> None:
    assert ending._look(slurm.described) == ending.LOOK_SECONDS
    slurm.now = 1030
    assert ending._look(slurm.described) == pytest.approx(100 / 3 - 30 + ending.LATE_SECONDS)
    slurm.now = 1034
    ending._look(slurm.described)
    assert slurm.calls == []
    slurm.now = 1035
    ending._look(slurm.described)
    said = "hpc: ended: account lab has spent its 1.00 USD of this month"
    assert slurm.calls == [f"scontrol update jobid=1,2 admincomment={said}", "scancel -Q 1 2 3"]


def test_nothing_ends_by_figures_that_do_not_belong_together(slurm: Slurm) -> None:
    slurm.now, slurm.counts = 1060, [1000, 1060]
    assert ending._look(slurm.described) < 1
    slurm.counts, slurm.settled = [1000], False
    ending._look(slurm.described)
    assert slurm.calls == []


def test_nothing_ends_where_jobs_may_finish(slurm: Slurm) -> None:
    slurm.now = 2000
    ending._look(Slurm("finish").described)
    assert slurm.calls == []


def test_jobs_end_although_others_can_take_no_comment_or_have_ended(
    slurm: Slurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*command: str) -> str:
        slurm.called(*command)
        if "1000" in command or command[0] == "scontrol":
            raise OSError("Invalid job id specified")
        return ""

    monkeypatch.setattr(ending, "output_of", fails)
    slurm.now, slurm.jobs = 2000, [job(str(number)) for number in range(1000, 1250)]
    with pytest.raises(OSError, match="Invalid job id"):
        ending._look(slurm.described)
    assert slurm.calls[-1] == f"scancel -Q {' '.join(map(str, range(1200, 1250)))}"
