"""A budget that is spent: nothing starts any more, what runs ends in peace, and the next month begins at once."""

import pytest

from elastic.cycle.stubs import COMING, LOST, M1, M2, OFF, UP, Site, kinds, names
from hpc_components.elastic.config import BudgetConfig
from hpc_components.elastic.drivers.contract import BudgetError
from hpc_components.elastic.model import Job
from hpc_components.elastic.money import NANO_PER_USD
from hpc_components.elastic.report.events import EventKind
from hpc_components.people.node.jobs import HELD

USD = NANO_PER_USD
NOVEMBER_28, DECEMBER_1 = 1_795_867_200.0, 1_796_083_200.0  # 2026, 12:00 and 0:00 UTC
WHY = "hpc: budget: the cluster's budget of 100 USD for November is spent; renews on 1 December, 0:00 UTC"
DRAINING, SET_DOWN = "ALLOCATED+CLOUD+DRAIN", "DOWN+CLOUD+POWERED_DOWN"


@pytest.fixture
def spent(site: Site) -> Site:
    """On 28 November, a budget of 100 USD is spent."""
    site.now = NOVEMBER_28
    site.spending.spent = 100 * USD
    restart(site, 100)
    return site


def restart(site: Site, usd: int, *, stop: bool = True) -> None:
    site.budget = BudgetConfig(monthly=usd * USD, stop_launches=stop)
    site.start()
    site.run()  # a daemon that has just started only looks


def test_a_spent_budget_launches_nothing_and_the_job_learns_why(spent):
    spent.slurm.want(1, 1, 2)
    report = spent.run()
    assert spent.cloud.launches == []
    assert spent.told("down") == dict.fromkeys(names(*range(1, 9)), WHY)
    assert spent.told("power_down").keys() == set(names(1, 2))
    assert report.budget
    assert report.budget.stopped


def test_what_runs_until_the_next_look_counts(site):
    site.now = NOVEMBER_28
    site.spending.spent, site.spending.hourly = 99 * USD, 60 * USD  # 0.50 USD in 30 s
    restart(site, 100)
    site.slurm.want(1, 1)
    site.run()
    assert site.cloud.alive() == {"q-1": "m1"}
    site.spending.spent += USD // 2
    site.slurm.want(2, 2)
    site.run()
    assert site.cloud.launches == []
    assert site.told("down")["q-2"] == WHY


def test_running_jobs_finish_and_their_nodes_take_no_others(spent):
    spent.cloud.add("q-1")
    spent.slurm.set(UP, 1)
    spent.slurm.jobs_now.append(Job(id=1, state="RUNNING", nodes=names(1)))
    spent.run()
    assert spent.told("drain") == {"q-1": WHY}
    spent.slurm.set(DRAINING, 1, reason=WHY)
    spent.run()
    assert not {"q-1"} & {*spent.told("down"), *spent.told("power_down"), *spent.told("drain")}
    assert spent.cloud.ended == []
    spent.slurm.jobs_now.clear()
    spent.slurm.set("IDLE+CLOUD+DRAIN", 1, reason=WHY)
    spent.run()
    assert spent.told("power_down").keys() == {"q-1"}


def test_machines_that_are_booting_for_a_whole_job_are_kept_until_it_ends(spent):
    spent.cloud.add("q-1")
    spent.slurm.want(1, 1)
    spent.run()
    assert spent.cloud.ended == []
    assert "q-1" not in spent.told("down")


def test_a_job_that_gets_no_more_machines_keeps_none(spent):
    spent.cloud.add("q-1")
    spent.slurm.want(1, 1, 2)
    spent.run()
    assert spent.cloud.ended == ["i-1"]
    assert {"q-1", "q-2"} <= spent.told("power_down").keys()


def test_a_launch_without_an_answer_is_not_sent_again(site):
    site.now = NOVEMBER_28
    restart(site, 100)
    site.cloud.fails["launch"] = [LOST]
    site.slurm.want(1, 1)
    site.run()
    assert len(site.cloud.launches) == 1
    site.spending.spent = 100 * USD
    site.run()
    assert site.cloud.launches == []
    site.run(after=240)
    assert site.cloud.launches == []
    assert site.told("down")["q-1"] == WHY


def test_nodes_that_are_always_up_are_powered_down_too(tmp_path):
    site = Site(tmp_path, minimum=1)
    site.now = NOVEMBER_28
    site.cloud.add("q-1")
    site.slurm.set("IDLE+CLOUD", 1)
    restart(site, 100)
    site.spending.spent = 100 * USD
    site.run()
    assert site.told("drain") == {"q-1": WHY}
    site.slurm.set(OFF, 1)
    site.run()
    assert site.cloud.ended == ["i-1"]
    site.run()
    assert site.told("power_up") == {}
    assert site.told("down")["q-1"] == WHY
    site.slurm.set(SET_DOWN, *range(1, 9), reason=WHY)
    site.now, site.spending.spent = DECEMBER_1, 0
    site.run()
    assert site.told("resume").keys() == set(names(*range(1, 9)))
    site.slurm.set(OFF, *range(1, 9))
    site.run()
    assert site.told("power_up").keys() == {"q-1"}


def test_the_next_month_starts_in_its_first_cycle(spent):
    spent.slurm.set(SET_DOWN, *range(1, 8), reason=WHY)
    spent.cloud.add("q-8")
    spent.slurm.set(DRAINING, 8, reason=WHY)
    spent.slurm.jobs_now.append(Job(id=1, state="RUNNING", nodes=names(8)))
    spent.run()
    assert spent.told("resume") == {}
    spent.now, spent.spending.spent = DECEMBER_1, 0
    report = spent.run(after=0)
    assert spent.told("resume").keys() == set(names(*range(1, 9)))
    assert EventKind.BUDGET in kinds(report)


def test_a_quiet_cluster_looks_again_when_the_month_ends(spent):
    spent.slurm.set(SET_DOWN, *range(1, 9), reason=WHY)
    spent.now = DECEMBER_1 - 20
    assert spent.run(after=0).pause == 20.0


def test_a_restart_launches_nothing_even_if_the_ledger_is_lost(spent):
    spent.spending.spent = 0
    spent.start()
    spent.run()
    spent.slurm.want(1, 1)
    report = spent.run()
    assert spent.cloud.launches == []
    assert report.budget.spent == 100 * USD


@pytest.mark.parametrize(("before", "after", "launches"), [(100, 101, True), (200, 100, False), (100, 100, False)])
def test_a_changed_limit_applies_at_once(site, before, after, launches):
    site.now = NOVEMBER_28
    site.spending.spent = 100 * USD
    restart(site, before)
    restart(site, after)
    site.slurm.want(1, 1)
    site.run()
    assert bool(site.cloud.launches) == launches


def test_a_rate_that_falls_after_the_stop_does_not_start_launches_again(site):
    site.now = NOVEMBER_28
    site.spending.spent, site.spending.hourly = 100 * USD - 1, 60 * USD
    restart(site, 100)
    site.spending.hourly = 0
    site.slurm.want(1, 1)
    site.run()
    assert site.cloud.launches == []


def test_a_clock_that_is_set_back_into_a_spent_month_stops_again(spent):
    spent.ahead = DECEMBER_1 - NOVEMBER_28
    spent.spending.spent = 0
    assert not spent.run().budget.stopped
    spent.ahead = 0.0
    assert spent.run().budget.stopped


def test_nodes_of_closed_pools_get_the_reason_that_holds_now(site):
    site.now = NOVEMBER_28
    restart(site, 100)
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.want(1, 1)
    site.run()
    reason = site.told("down")["q-1"]
    site.slurm.jobs_now.clear()
    site.slurm.set(SET_DOWN, *range(1, 9), reason=reason)
    site.spending.spent = 100 * USD
    site.run()
    assert set(site.told("down").values()) == {WHY}
    site.slurm.set(SET_DOWN, *range(1, 9), reason=WHY)
    restart(site, 200)
    assert set(site.told("down").values()) == {reason}


def test_without_the_key_a_spent_budget_stops_nothing(spent):
    restart(spent, 100, stop=False)
    spent.slurm.want(1, 1)
    report = spent.run()
    assert spent.cloud.alive() == {"q-1": "m1"}
    assert report.budget.left == 0


def test_nodes_that_wait_for_machines_wait_for_the_answer_under_way(site):
    """A call that is under way when the budget ends is answered, and its machine used."""
    site.now = NOVEMBER_28
    restart(site, 100)
    site.calls.slow.add(M1)
    site.slurm.want(1, 1)
    site.run()
    site.spending.spent = 100 * USD
    site.run()
    assert "q-1" not in site.told("down")
    site.calls.slow.clear()
    site.run()
    assert site.cloud.alive() == {"q-1": "m1"}
    site.slurm.set(COMING, 1)
    site.run()
    assert site.cloud.ended == []


def test_a_full_disk_does_not_hide_that_the_budget_is_spent(site, monkeypatch):
    site.now = NOVEMBER_28
    restart(site, 100)

    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("hpc_components.elastic.budget.record.replace_whole", full)
    site.spending.spent = 100 * USD
    site.slurm.want(1, 1)
    report = site.run()
    assert site.cloud.launches == []
    assert any("can't write the budget's record" in event.words for event in report.events)


def test_machines_without_a_price_are_named_once(site):
    site.now = NOVEMBER_28
    restart(site, 100)
    site.spending.without_price = [M1]
    words = "the budget does not count machines without a known price: m1 in z, on_demand"
    assert words in [event.words for event in site.run().events]
    assert words not in [event.words for event in site.run().events]


def test_a_denial_by_the_clouds_own_budget_is_called_so_and_tried_again(site):
    site.now = NOVEMBER_28
    site.cloud.fails["launch"] = [BudgetError("AWS denies launches"), BudgetError("AWS denies launches")]
    site.slurm.want(1, 1)
    report = site.run()
    assert kinds(report)[:2] == [EventKind.BUDGET, EventKind.BUDGET]
    reason = site.told("down")["q-1"]
    assert reason.startswith("hpc: budget: m1 in z, on_demand: AWS denies launches; next try ")
    site.slurm.jobs_now.clear()
    site.slurm.set(SET_DOWN, *range(1, 9), reason=reason)
    site.run(after=300)
    assert site.told("resume").keys() == set(names(*range(1, 9)))


def test_jobs_in_the_queue_are_told_once_why_they_wait_and_that_the_budget_was_raised_in_vain(spent):
    spent.slurm.comments = {7: "", 8: "hpc: no capacity; next try 14:05", 9: HELD}
    spent.run()
    told = WHY.replace("budget: ", "", 1)[:80]
    assert spent.slurm.comments == {7: told, 8: told, 9: HELD}
    spent.slurm.refuses["explain"] = OSError("Job is no longer pending execution")
    assert EventKind.SLURM_AWAY not in kinds(spent.run())
    del spent.slurm.refuses["explain"]
    restart(spent, 99)
    assert "budget of 99 USD" in spent.slurm.comments[7]


def test_when_there_is_money_again_no_job_says_that_it_is_spent(spent):
    spent.slurm.comments = dict.fromkeys(range(3, 800), "") | {1: "hpc: no capacity; next try 14:05", 2: HELD}
    for _ in range(2):
        spent.run()
    spent.slurm.comments[1] = "hpc: no capacity; next try 14:05"
    restart(spent, 1000)
    spent.run()
    assert set(spent.slurm.comments.values()) == {"", "hpc: no capacity; next try 14:05", HELD}
    spent.slurm.comments[5] = WHY.replace("budget: ", "", 1)
    spent.run()
    assert spent.slurm.comments[5]  # it has not been asked again


def test_many_jobs_are_told_in_several_cycles(spent):
    spent.slurm.comments = dict.fromkeys(range(1200), "")
    for left in (700, 200, 0):
        spent.run()
        assert sum(not comment for comment in spent.slurm.comments.values()) == left


def test_a_job_that_starts_meanwhile_stops_nothing_else(spent):
    spent.slurm.comments = {7: ""}
    spent.slurm.refuses["explain"] = OSError("Job is no longer pending execution")
    report = spent.run()
    assert EventKind.SLURM_AWAY in kinds(report)
    assert spent.told("down")
    assert EventKind.SLURM_AWAY not in kinds(spent.run())
