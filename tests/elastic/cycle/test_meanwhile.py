"""What Slurm does while a cycle runs: a call of the cloud takes a second or half a minute."""

import pytest

from elastic.cycle.stubs import M1, Site, names
from hpc_components.elastic.model import InstanceState, Job


def during(cloud, call, happens):
    """Let something happen while the cloud is asked."""
    real = getattr(cloud, call)

    def asked(*what):
        happens()
        return real(*what)

    setattr(cloud, call, asked)


@pytest.fixture
def empty(tmp_path) -> Site:
    """A queue whose only pool has no machines."""
    site = Site(tmp_path, pools=(M1,))
    site.cloud.free = {M1: 0}
    return site


def spared(site, job, node):
    """Whether a job that may not be requeued is let back into the queue before its node is set down."""
    told = [(what, state) for what, state, _ in site.slurm.told]
    ends = next(place for place, (nodes, _) in enumerate(told) if node in nodes)
    return told[ends - 1] == ((job,), "requeue=1") and told[ends + 1] == ((job,), "requeue=0")


def test_a_job_that_gets_a_free_node_while_capacity_runs_out_is_not_lost(empty):
    def next_job():
        empty.slurm.jobs_now = [*empty.slurm.jobs_now, Job(id=2, state="CONFIGURING", nodes=names(3))]
        empty.slurm.bound_jobs = [2]

    empty.slurm.want(1, 1)
    during(empty.cloud, "launch", next_job)
    empty.run()
    assert "q-3" in empty.told("down")
    assert spared(empty, 2, "q-3")


def test_a_job_that_has_begun_meanwhile_is_not_requeued(empty):
    def next_job():
        empty.slurm.jobs_now = [*empty.slurm.jobs_now, Job(id=2, state="RUNNING", nodes=names(3))]
        empty.slurm.bound_jobs = [2]

    empty.slurm.want(1, 1)
    during(empty.cloud, "launch", next_job)
    empty.run()
    assert not empty.told("requeue=1")


def test_what_has_begun_on_a_node_of_a_job_that_is_given_up_works_on(empty):
    def next_job():
        empty.slurm.jobs_now = [*empty.slurm.jobs_now, Job(id=2, state="RUNNING", nodes=names(1))]

    empty.cloud.add("q-1", M1)
    empty.slurm.want(1, 1, 2)
    empty.slurm.set("MIXED+CLOUD", 1)
    during(empty.cloud, "launch", next_job)
    empty.run()
    assert empty.told("power_down").keys() == {"q-1", "q-2"}
    assert "q-1" not in empty.told("down")
    assert not empty.told("power_down_force")


def test_a_job_that_gets_a_node_that_is_called_off_is_not_lost(site):
    def next_job():
        site.slurm.jobs_now = [Job(id=2, state="CONFIGURING", nodes=names(1))]
        site.slurm.bound_jobs = [2]

    site.slurm.want(1, 1)
    site.run()
    site.slurm.jobs_now = []
    site.slurm.set("IDLE+CLOUD+POWERING_UP", 1)
    site.cloud.change("i-1", state=InstanceState.GONE)
    during(site.cloud, "list", next_job)
    site.run()
    assert site.told("power_down_force").keys() == {"q-1"}
    assert spared(site, 2, "q-1")
