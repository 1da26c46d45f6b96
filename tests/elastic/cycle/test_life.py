"""What a job, the configuration and the report see of a cycle."""

from elastic.cycle.stubs import COMING, LIST_LAG, M1, M2, OFF, UP, Site, kinds, names
from hpc_components.elastic.report.events import EventKind


def test_a_job_gets_its_machines_and_they_go_when_it_is_done(site):
    site.slurm.want(1, 1, 2)
    report = site.run()
    (launch,) = site.cloud.launches
    assert (launch.pool, launch.nodes, launch.minimum) == (M1, names(1, 2), 2)
    assert kinds(report) == [EventKind.LAUNCH]
    site.run()
    assert not site.cloud.launches
    site.slurm.set(UP, 1, 2)
    assert kinds(site.run()) == [EventKind.UP]
    site.slurm.set("IDLE+CLOUD+POWERING_DOWN", 1, 2)
    site.run()
    assert site.cloud.ended == ["i-1", "i-2"]
    site.slurm.set(OFF, 1, 2)
    report = site.run()
    assert not site.cloud.ended
    assert report.events == ()


def test_slurm_is_read_before_the_cloud_and_nodes_before_jobs(site):
    order = site.slurm.asked = site.cloud.asked = []
    site.run()
    assert order == ["nodes", "jobs", "list"]


def test_400_nodes_of_100_jobs_are_one_launch(tmp_path):
    site = Site(tmp_path, 400)
    for number in range(100):
        site.slurm.want(number, *range(4 * number + 1, 4 * number + 5))
    report = site.run()
    (launch,) = site.cloud.launches
    assert (len(launch.nodes), launch.minimum, launch.sizes) == (400, 4, (4,) * 100)
    assert report.calls == 2


def test_nodes_that_are_always_up_are_powered_up(tmp_path):
    site = Site(tmp_path, minimum=2)
    site.run()
    assert site.slurm.told == [(names(1, 2), "power_up", "")]
    site.slurm.set("IDLE+CLOUD+POWER_UP+POWERED_DOWN", 1)
    site.slurm.set("IDLE+CLOUD+POWERING_UP", 2)
    site.run()
    assert site.slurm.told == []
    assert [launch.nodes for launch in site.cloud.launches] == [names(2)]


def test_nodes_that_are_always_up_wait_for_capacity_like_the_others(tmp_path):
    site = Site(tmp_path, minimum=1)
    site.cloud.free = {M1: 0, M2: 0}
    site.slurm.set("IDLE+CLOUD+POWERING_UP", 1)
    site.run()
    site.slurm.set(OFF, 1)
    site.run()
    assert site.told("power_up") == {}
    assert site.told("down").keys() >= {"q-1"}


def test_machines_of_a_queue_that_shrank_are_ended_once_slurm_knows_it(site):
    site.cloud.add("q-9")
    site.slurm.states["q-9"] = UP
    site.run()
    assert site.cloud.alive() == {"q-9": "m1"}
    del site.slurm.states["q-9"]
    site.run()
    assert site.cloud.alive() == {"q-9": "m1"}
    site.run(after=LIST_LAG)
    assert site.cloud.ended == ["i-1"]


def test_a_node_beyond_the_maximum_is_never_launched(site):
    site.slurm.states["q-9"] = COMING
    site.slurm.states["q-10"] = OFF
    site.run()
    assert site.cloud.launches == []
    assert site.told("down") == dict.fromkeys(names(9, 10), "hpc: not in elastic.json")
    assert site.told("power_down").keys() == {"q-9"}


def test_a_machine_of_a_queue_that_slurm_still_uses_works_on(site):
    site.cloud.add("old-1")
    site.slurm.states["old-1"] = UP
    for _ in range(5):
        site.run(after=100)
    assert site.cloud.alive() == {"old-1": "m1"}


def test_the_report_says_what_it_saw_and_waits_for(site):
    site.slurm.want(1, 1)
    site.run()
    report = site.run()
    assert report.cells["q-1"] == ("powering up", "running", "wait")
    assert report.cells["q-2"] == ("off", "nothing", "nothing")
    (wait,) = report.waits
    assert (wait.nodes, wait.until, wait.words) == (names(1), site.now - 5 + 600, "its machine boots")
    assert (len(report.nodes), len(report.jobs), len(report.instances), report.calls) == (8, 1, 1, 1)


def test_it_looks_often_while_machines_are_up_or_coming(site):
    assert site.run().pause == 30.0
    site.slurm.want(1, 1)
    assert site.run().pause == 5.0
    site.slurm.fails = OSError("away")
    assert site.run().pause == 5.0
