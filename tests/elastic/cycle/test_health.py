"""Nodes that hpc-health has drained: their machines end and are counted, and a broken pool is left alone."""

import pytest

from elastic.cycle.stubs import LIST_LAG, M1, OFF, UP, Site
from hpc_components.elastic.model import InstanceState
from hpc_components.elastic.report.events import EventKind, FailedCheck

REASON = "hpc: health: gpus: 7 GPUs, but slurm.conf says 8"


def drained(site, *numbers, states="IDLE+CLOUD+DRAIN", reason=REASON):
    site.slurm.set(states, *numbers, reason=reason)


def with_machines(tmp_path, *numbers, nodes=8):
    site = Site(tmp_path, nodes, pools=(M1,))
    for number in numbers:
        site.cloud.add(f"q-{number}")
    site.slurm.set(UP, *numbers)
    site.run()
    return site


def events(report, kind):
    return [event for event in report.events if event.kind is kind]


def test_an_idle_node_that_fails_a_check_is_powered_down_at_once(tmp_path):
    site = with_machines(tmp_path, 1)
    drained(site, 1)
    report = site.run()
    assert "q-1" in site.told("power_down")
    assert report.failed_checks == (FailedCheck(queue="q", machine="m1", check="gpus"),)
    (event,) = events(report, EventKind.UNHEALTHY)
    assert event.nodes == ("q-1",)
    assert event.words.endswith("(m1) failed its health check gpus: 7 GPUs, but slurm.conf says 8")


def test_a_busy_node_keeps_its_machine_until_its_jobs_have_ended(tmp_path):
    site = with_machines(tmp_path, 1)
    drained(site, 1, states="ALLOCATED+CLOUD+DRAIN")
    assert len(site.run().failed_checks) == 1
    assert "q-1" not in site.told("power_down")
    drained(site, 1)
    assert not site.run().failed_checks, "it is counted once"
    assert "q-1" in site.told("power_down")


@pytest.mark.parametrize("reason", ["looks odd", "hpc: spot notice", "Prolog error"])
def test_a_node_drained_for_another_reason_is_not_counted(tmp_path, reason):
    site = with_machines(tmp_path, 1)
    drained(site, 1, reason=reason)
    assert not site.run().failed_checks


def test_a_script_that_always_fails_before_jobs_stops_the_pool(tmp_path):
    site = with_machines(tmp_path, 1, 2, 3)
    drained(site, 1, 2, 3, reason="Prolog error")
    assert not site.run().failed_checks
    report = site.run(after=LIST_LAG)
    assert [one.check for one in report.failed_checks] == ["prolog"] * 3
    assert report.blocked


def fail(site, number):
    site.cloud.add(f"q-{number}")
    drained(site, number)
    return site.run()


def test_three_unhealthy_machines_within_an_hour_stop_the_pool(tmp_path):
    site = with_machines(tmp_path)
    assert not fail(site, 1).blocked
    assert not fail(site, 2).blocked
    (blocked,) = fail(site, 3).blocked
    assert blocked.pool == M1
    assert blocked.told == "machines fail their health checks: 3 machines failed within an hour"


def test_machines_that_fail_rarely_stop_nothing(tmp_path):
    site = with_machines(tmp_path)
    for number in range(1, 7):
        assert not fail(site, number).blocked
        site.run(after=2000)


def test_three_unhealthy_machines_of_a_large_fleet_stop_nothing(tmp_path):
    site = with_machines(tmp_path, *range(1, 41), nodes=40)
    for number in (1, 2, 3):
        drained(site, number)
        assert not site.run().blocked


def test_each_pause_of_a_broken_pool_is_twice_as_long(tmp_path):
    site, pauses = with_machines(tmp_path), []
    for _ in range(3):
        reports = [fail(site, number) for number in (1, 2, 3)]
        (blocked,) = reports[-1].blocked
        pauses.append(round(blocked.until - site.now))
        for machine in list(site.cloud.machines.values()):
            site.cloud.change(machine.id, state=InstanceState.GONE)
        site.slurm.set(OFF, 1, 2, 3)
        site.run(after=pauses[-1] + 1)
    assert pauses == [300, 600, 1200]
