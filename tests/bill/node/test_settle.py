"""When limits are settled and how, with Slurm's commands stood in for."""

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from hpc_components.bill.node import settle
from hpc_components.bill.node.associations import Association, Key
from hpc_components.bill.node.described import Budget, Described
from hpc_components.bill.node.settle import Reading, limit_of
from hpc_components.bill.node.spending import Spending

MIDNIGHT = datetime.datetime(2026, 12, 1).timestamp()

LAB = Association(account="lab", user="", parent="root", limit=50, used=40, reserved=0)


def budget(period: Literal["month", "total"], micros: int = 100) -> Budget:
    return Budget(kind="account", name="lab", association=("lab", ""), period=period, micros=micros)


def reading(association: Association = LAB, *, this_month: int = 30, earlier: int = 60, unknown: str = "") -> Reading:
    key: Key = ("lab", "")
    return Reading(found={key: association}, this_month={key: this_month}, earlier={key: earlier}, unknown=unknown)


def test_a_limit_leaves_what_is_left_of_the_month_or_of_all_time() -> None:
    assert limit_of(budget("month"), reading()) == 40 + 70
    assert limit_of(budget("total"), reading()) == 40 + 10
    assert limit_of(budget("total"), reading(earlier=400)) == 0


def test_a_total_is_never_raised_while_its_spending_is_unknown() -> None:
    assert limit_of(budget("total"), reading(earlier=0, unknown="no answer")) == 50
    assert limit_of(budget("total"), reading(earlier=65, unknown="no answer")) == 40 + 5
    assert limit_of(budget("month"), reading(earlier=0, unknown="no answer")) == 40 + 70
    assert limit_of(budget("total"), reading(replace(LAB, limit=None), earlier=0, unknown="no answer")) == 40 + 70


class Commands:
    """Slurm, with one account: its limit, its usage, and the commands that change them."""

    def __init__(self, at_limit: Literal["finish", "end"]) -> None:
        self.at_limit: Literal["finish", "end"] = at_limit
        self.lab = LAB
        self.open = [self.lab_left]
        self.dies_at = ""
        self.earlier, self.unknown = 60, ""

    @property
    def lab_left(self) -> int:
        return (self.lab.limit or 0) - self.lab.used

    def output_of(self, *command: str) -> str:
        _, _, word = command[-1].partition("rawusage=")
        if self.dies_at and self.dies_at in command[-1]:
            raise OSError("killed")
        if word:
            self.lab = replace(self.lab, used=0)
        else:
            self.lab = replace(self.lab, limit=int(command[-1].removeprefix("grptresmins=billing=")))
        self.open.append(self.lab_left)
        return ""

    def read(self, began: float, earlier: Spending, unknown: str) -> Reading:
        return reading(self.lab, earlier=earlier.get(("lab", ""), 0), unknown=unknown)


@pytest.fixture(params=["finish", "end"])
def commands(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Commands:
    made = Commands(request.param)
    described = Described(cluster="c", at_limit=made.at_limit, budgets=[budget("total")], queues={})
    monthly = Budget(kind="account", name="far", association=("far", ""), period="month", micros=1)
    budgets = [*described.budgets, monthly]
    for name, value in {
        "read": lambda: replace(described, budgets=budgets),
        "output_of": made.output_of,
        "_read": made.read,
        "_earlier": lambda began: ({("lab", ""): made.earlier}, made.unknown),
        "_start_of_slurmctld": lambda: 0.0,
        "counted": lambda: 1,
        "_state": lambda began: "0 2 x",
    }.items():
        monkeypatch.setattr(settle, name, value)
    for name in ("DONE", "UNSETTLED", "LOCK"):
        monkeypatch.setattr(settle, name, tmp_path / name)
    settle.DONE.write_text("0 1 x", encoding="utf-8")
    return made


def test_a_new_month_sets_usage_to_zero_and_opens_no_total(commands: Commands) -> None:
    settle._settle_if_needed()
    assert (commands.lab.used, commands.lab.limit) == (0, 10)
    assert settle.DONE.read_text() == "0 2 x"
    if commands.at_limit == "finish":
        assert max(commands.open) == 10
    else:
        assert min(commands.open) == 10  # a lower limit would end jobs


@pytest.mark.parametrize("dies_at", ["rawusage", "grptresmins"])
def test_what_was_left_undone_is_done_by_the_next_run(commands: Commands, dies_at: str) -> None:
    commands.dies_at = dies_at
    with pytest.raises(OSError, match="killed"):
        settle._settle_if_needed()
    assert settle.UNSETTLED.read_text() == "killed"
    if commands.at_limit == "finish":
        assert max(commands.open) == 10
    commands.dies_at = ""
    settle._settle_if_needed()
    assert (commands.lab.used, commands.lab.limit) == (0, 10)
    assert not settle.UNSETTLED.exists()


def test_a_total_that_is_unknown_opens_nothing_and_is_tried_again(commands: Commands) -> None:
    commands.earlier, commands.unknown = 0, "no answer"
    with pytest.raises(OSError, match="no answer"):
        settle._settle_if_needed()
    assert (commands.lab.used, commands.lab.limit, set(commands.open)) == (40, 50, {10})
    assert settle.DONE.read_text() == "0 1 x"
    assert "totals stay limited to what was left before: no answer" in settle.UNSETTLED.read_text()


def test_the_last_run_of_a_month_waits_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    times, settled = [MIDNIGHT - 60], []

    def sleep(seconds: float) -> None:
        times[0] += seconds

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> "Clock":
            return cls.fromtimestamp(times[0])

    monkeypatch.setattr(settle.time, "time", lambda: times[0])
    monkeypatch.setattr(settle.time, "sleep", sleep)
    monkeypatch.setattr(settle.datetime, "datetime", Clock)
    monkeypatch.setattr(settle.os, "geteuid", lambda: 0)
    monkeypatch.setattr(settle, "_settle_if_needed", lambda *, every=False: settled.append(times[0]))
    settle.VERB.do(settle.argparse.Namespace(all=False))
    assert settled == [MIDNIGHT - 60, MIDNIGHT]
    times[0], settled[:] = MIDNIGHT - 120, []
    settle.VERB.do(settle.argparse.Namespace(all=False))
    assert settled == [MIDNIGHT - 120]
