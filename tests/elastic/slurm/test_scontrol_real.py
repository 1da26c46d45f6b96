"""Slurm's commands on real daemons of two releases."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from elastic.lab import Cluster, wait
from elastic.lab.fixtures import lab  # noqa: F401
from hpc_components.elastic.slurm.scontrol import Scontrol, run

pytestmark = pytest.mark.slurm

NODES = """\
NodeName=q-[1-2000] NodeAddr=127.0.0.1 CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
NodeName=login-1 NodeAddr=10.77.0.9 CPUs=2 RealMemory=1000
PartitionName=q Nodes=q-[1-2000] Default=YES
PartitionName=static Nodes=login-1
"""


@pytest.fixture(scope="module")
def cluster(lab):  # noqa: F811
    made = Cluster(lab, NODES)
    made.wish_for("q-[1-2]", "q-2")
    made.start_node("q-1", 1)
    wait(lambda: made.state("q-1") == "IDLE+CLOUD")
    return made


@pytest.fixture
def slurm(cluster):
    """As the daemon uses it: the user slurm on the head node."""
    as_slurm = [*cluster.head.enter, "setpriv", "--reuid=slurm", "--regid=slurm", "--clear-groups"]
    return Scontrol(lambda command: run([*as_slurm, *command]))


def states(slurm):
    return {node.name: node.states - {"CLOUD", "NOT_RESPONDING"} for node in slurm.nodes()}


def test_all_cloud_nodes_are_seen_and_no_other(slurm):
    seen = states(slurm)
    assert len(seen) == 2000
    assert seen["q-1"] == {"IDLE"}
    assert seen["q-2"] == {"IDLE", "POWERING_UP"}
    assert seen["q-2000"] == {"IDLE", "POWERED_DOWN"}


def test_a_node_that_is_up_says_when_it_booted(slurm, cluster):
    booted = {node.name: node.booted_at for node in slurm.nodes()}
    now = float(cluster.head.run("date", "+%s"))
    assert now - 600 < booted["q-1"] <= now
    assert booted["q-2000"] == 0


def test_the_state_of_nodes_is_written_when_it_is_asked_for(slurm, cluster):
    (directory,) = re.findall(r"^StateSaveLocation *= (\S+)", cluster.head.run("scontrol", "show", "config"), re.M)
    file = f"{directory}/node_state"
    cluster.head.run("rm", "-f", file)
    time.sleep(6)  # whatever was to be written by then has been
    assert cluster.head.run("find", file, check=False) == ""
    (node,) = (node for node in slurm.nodes() if node.name == "q-1")
    slurm.save_nodes(node.name, node.address)
    wait(lambda: cluster.head.run("find", file, check=False))
    assert cluster.head.run("grep", "--text", "--count", node.address, file)
    assert [node.address for node in slurm.nodes() if node.name == "q-1"] == [node.address]


def test_many_nodes_are_set_down_and_lifted_at_once(slurm):
    many = {f"q-{number}" for number in range(101, 2000, 2)} | {"q-90", "q-92"}
    slurm.update(many, "down", "hpc: no capacity; next try 12:40")
    nodes = {node.name: node for node in slurm.nodes()}
    assert {name for name, node in nodes.items() if "DOWN" in node.states} == many
    assert {nodes[name].reason for name in many} == {"hpc: no capacity; next try 12:40"}
    slurm.update(
        {*many, "q-100"}, "resume", "hpc: ready for jobs again"
    )  # q-100 is not down: refused for it, done for the others
    lifted = slurm.nodes()
    assert not any("DOWN" in node.states for node in lifted)
    assert {node.reason for node in lifted} <= {"", "hpc: ready for jobs again"}  # 22.05 forgets it


def test_jobs_are_seen_from_the_first_moment(slurm, cluster):
    cluster.head.run("sbatch", "-N2", "-w", "q-[1-2]", "-o", "/dev/null", "--wrap", "sleep 60", user="alice")
    wait(slurm.jobs)
    assert [(job.state, job.nodes) for job in slurm.jobs()] == [("CONFIGURING", ("q-1", "q-2"))]
    cluster.head.run("scancel", "--user=alice")
    wait(lambda: not slurm.jobs())


def test_a_job_that_may_not_be_requeued_waits_again_if_it_has_not_begun(slurm, cluster):
    submit = ("sbatch", "--parsable", "-o", "/dev/null", "--no-requeue", "--wrap", "sleep 60")
    job = int(cluster.head.run(*submit, "-w", "q-3", user="alice"))
    cluster.head.run(*submit[:-2], "--requeue", "-w", "q-4", *submit[-2:], user="alice")
    wait(lambda: len(slurm.jobs()) == 2)
    assert slurm.bound() == [job]
    slurm.set_requeue([job], True)
    slurm.update(["q-3"], "down", "hpc: no capacity")
    slurm.set_requeue([job], False)
    shown = cluster.head.run("scontrol", "show", "job", str(job))
    assert "JobState=PENDING" in shown
    assert "Requeue=0" in shown
    slurm.update(["q-3"], "power_down")
    cluster.head.run("scancel", "--user=alice")
    wait(lambda: not slurm.jobs())


def test_a_job_that_was_put_back_waits_visibly_until_its_time(slurm, cluster):
    submit = ("sbatch", "--parsable", "-w", "q-7", "-o", "/dev/null", "--wrap", "sleep 60")
    job = int(cluster.head.run(*submit, user="alice"))
    wait(lambda: [job.state for job in slurm.jobs()] == ["CONFIGURING"])
    with pytest.raises(OSError, match="no longer pending"):
        slurm.postpone([job], 600, "hpc: too early")
    slurm.update(["q-7"], "down", "hpc: this job: refused; next try 14:05")
    slurm.postpone([job], 600, "hpc: this job: refused; next try 14:05")
    slurm.update(["q-7"], "power_down")
    time.sleep(15)  # Slurm's own delay of a job that was put back is over
    shown = cluster.head.run("squeue", "--noheader", "--states", "all", "--format", "%T %r", "--jobs", str(job))
    assert shown.split() == ["PENDING", "BeginTime"]
    assert "hpc: this job: refused; next try 14:05" in cluster.head.run("scontrol", "show", "job", str(job))
    cluster.head.run("scancel", "--user=alice")


def test_a_down_of_a_person_stays_although_the_node_answers(slurm, cluster):
    slurm.update(["q-1"], "down", "tom: disk")
    cluster.head.run("scontrol", "reconfigure")
    cluster.nodes["q-1"].run("pkill", "-HUP", "slurmd")  # it registers again
    time.sleep(4)
    assert states(slurm)["q-1"] == {"DOWN"}
    slurm.update(["q-1"], "resume")
    wait(lambda: states(slurm)["q-1"] == {"IDLE"})


def test_a_node_that_comes_up_for_nobody_is_called_off(slurm):
    slurm.update(["q-5", "q-6"], "power_up")
    wait(lambda: all("POWERING_UP" in states(slurm)[name] for name in ("q-5", "q-6")))
    slurm.update(["q-6"], "power_down")
    slurm.update(["q-5", "q-6"], "power_down_force")
    wait(lambda: all(states(slurm)[name] == {"IDLE", "POWERED_DOWN"} for name in ("q-5", "q-6")))


def test_a_node_that_is_powered_down_lets_its_job_end_first(slurm, cluster):
    submit = ("sbatch", "--parsable", "-w", "q-1", "-o", "/dev/null", "--wrap", "sleep 4")
    job = cluster.head.run(*submit, user="alice").strip()
    wait(lambda: [job.state for job in slurm.jobs()] == ["RUNNING"])
    slurm.update(["q-1"], "power_down")
    assert [job.state for job in slurm.jobs()] == ["RUNNING"]
    wait(lambda: states(slurm)["q-1"] == {"IDLE", "POWERED_DOWN"})
    assert "JobState=COMPLETED" in cluster.head.run("scontrol", "show", "job", job)


def test_what_slurmctld_does_not_know_is_an_os_error(slurm):
    with pytest.raises(OSError, match="Invalid node name"):
        slurm.update(["q-4711"], "power_down")


def test_a_slurmctld_that_is_gone_is_an_os_error(slurm, cluster):
    cluster.stop_controller()
    try:
        with ThreadPoolExecutor() as pool:  # each takes Slurm's nine seconds to give up
            asked = [
                pool.submit(slurm.nodes),
                pool.submit(slurm.jobs),
                pool.submit(slurm.update, ["q-3"], "power_up"),
            ]
        for answer in asked:
            with pytest.raises(OSError, match="Unable to contact slurm controller"):
                answer.result()
    finally:
        cluster.start_controller()
    assert len(slurm.nodes()) == 2000
