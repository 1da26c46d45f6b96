"""Machines that the cloud's list forgets, or does not show yet."""

import pytest

from elastic.cycle.stubs import LIST_LAG, LOST, M1, OFF, UP, Site, kinds, names
from hpc_components.elastic.model import InstanceState
from hpc_components.elastic.report.events import EventKind


@pytest.fixture
def booting(site) -> Site:
    """A node whose machine was launched more than two minutes ago, and is listed."""
    site.slurm.want(1, 1)
    site.run()
    for _ in range(3):
        site.run(after=LIST_LAG)
    return site


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("unknown", [False, True])
def test_a_machine_that_one_list_forgets_gets_no_twin(booting, restarted, unknown):
    site = booting
    site.cloud.hidden = {"i-1"}
    site.cloud.unknown = {"i-1"} if unknown else set()
    if restarted:
        site.start()
    site.run()
    assert site.cloud.launches == []
    site.cloud.hidden.clear()
    site.run()
    assert (site.cloud.launches, site.cloud.ended) == ([], [])
    assert len(site.cloud.machines) == 1


def test_a_machine_that_the_list_lacks_for_long_is_asked_for_by_its_id(booting):
    site = booting
    site.cloud.hidden = {"i-1"}
    for _ in range(5):
        site.run(after=45)
        assert site.cloud.asked[-1] == "find"
        assert site.cloud.launches == []


def test_a_machine_ended_unseen_is_replaced_at_once(booting):
    site = booting
    site.cloud.hidden = {"i-1"}
    site.cloud.change("i-1", state=InstanceState.GONE)
    site.run()
    assert [launch.nodes for launch in site.cloud.launches] == [names(1)]


def test_one_that_nobody_knows_for_two_minutes_is_ended_by_its_id_before_another_is_launched(booting):
    site = booting
    site.cloud.hidden = site.cloud.unknown = {"i-1"}
    site.run()
    site.run(after=LIST_LAG - 1)
    assert site.cloud.launches == []
    site.cloud.fails["terminate"] = [LOST]
    site.run(after=1)
    assert site.cloud.launches == []
    site.run()
    assert site.cloud.ended == ["i-1"]
    assert [launch.nodes for launch in site.cloud.launches] == [names(1)]


def test_without_an_answer_about_it_nothing_is_done(booting):
    site = booting
    site.cloud.hidden = {"i-1"}
    site.cloud.fails["find"] = [LOST] * 9
    for _ in range(9):
        assert kinds(site.run(after=60)) == [EventKind.CLOUD_AWAY]
    assert site.cloud.launches == []


def test_nobody_is_asked_for_while_the_list_shows_all(booting):
    assert "find" not in booting.cloud.asked


def test_a_launch_is_in_the_journal_until_its_machines_have_registered_or_ended(booting):
    site = booting
    assert [entry.machines for entry in site.journal.entries] == [{"q-1": "i-1"}]
    site.slurm.set(UP, 1)
    site.run()
    assert not site.journal.entries
    site.slurm.want(2, 2)
    site.run()
    site.run(after=LIST_LAG)
    assert site.journal.entries
    site.cloud.change("i-2", state=InstanceState.GONE)
    site.slurm.jobs_now.clear()
    site.slurm.set(OFF, 2)
    site.run()
    assert not site.journal.entries


def test_a_daemon_that_has_just_started_looks_twice_before_it_launches(site):
    """While it was away, a node went off and is to come up again; the list lacks its former machine for once."""
    site.cloud.free = {M1: 0}  # of which it is left a journal
    site.slurm.want(1, 1)
    site.run()
    site.slurm.jobs_now.clear()
    old = site.cloud.add("q-2", M1)
    site.cloud.hidden = {old.id}
    site.start()
    site.slurm.want(2, 2)
    site.run()
    assert site.cloud.launches == []
    site.cloud.hidden.clear()
    site.run()
    assert site.cloud.launches == []


def test_a_machine_that_was_forgotten_while_its_node_went_off_is_ended_before_the_node_comes_up_again(booting):
    site = booting
    site.cloud.hidden = {"i-1"}
    site.slurm.jobs_now.clear()
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1)
    site.run()
    assert site.cloud.ended == ["i-1"]
    site.slurm.want(2, 1)
    site.run()
    assert site.cloud.alive() == {"q-1": "m1"}
    assert site.cloud.machines["i-1"].state is InstanceState.STOPPING


def test_one_that_somebody_took_out_of_the_list_while_it_worked_is_left_to_them(site):
    site.cloud.add("q-1", M1)
    site.slurm.set(UP, 1)
    site.run()
    site.cloud.hidden = {"i-1"}
    site.run()
    site.run(after=LIST_LAG)
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1)
    site.run()
    site.slurm.set(OFF, 1)
    site.run()
    assert site.cloud.ended == []
    assert "find" not in site.cloud.asked
