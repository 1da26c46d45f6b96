"""The daemon as it is installed, beside a real slurmctld: nodes come when Slurm wants them and go when it does not.

The cloud is the local driver's other end, in this process: its machines are hosts with a real slurmd.
"""

import json
import signal
import time

import pytest

from elastic.lab import Cluster, end, wait
from elastic.lab.cloud import COMMAND, TARGETS, Cloud, install_daemon, start_daemon
from elastic.lab.fixtures import lab  # noqa: F401
from hpc_components.rehearse.cluster.local_cloud import BOOT_SECONDS

pytestmark = pytest.mark.slurm

NODES = """\
NodeName=q-[1-10] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
PartitionName=q Nodes=q-[1-10] Default=YES
"""


@pytest.fixture(scope="module")
def cluster(lab):  # noqa: F811
    made = Cluster(lab, NODES)
    install_daemon(made, nodes=10)
    return made


@pytest.fixture(scope="module")
def cloud(cluster):
    with Cloud(cluster).served() as made:
        yield made


@pytest.fixture(scope="module")
def daemon(cluster, cloud):
    """Its processes, the one that runs last; started as its unit starts it."""
    processes = [start_daemon(cluster)]
    yield processes
    assert end(processes[-1], signal.SIGTERM) == 0
    assert not cluster.head.run("ls", "/run/hpc-elastic")


def status(cluster):
    return json.loads(cluster.head.run(*COMMAND, "status", "--format", "json"))


def queue(cluster):
    return status(cluster)["queues"][0]


def test_check_finds_nothing_wrong(cluster, cloud):
    found = cluster.head.run(*COMMAND, "check").splitlines()
    assert [line.split()[0] for line in found] == ["ok", "ok", "ok"]


def test_before_it_runs_status_says_so(cluster):
    cluster.head.run("sh", "-c", "/usr/bin/python3 /shared/hpc-elastic status 2>/tmp/said; test $? -eq 3")
    assert "no daemon is listening at /run/hpc-elastic/socket" in cluster.head.run("cat", "/tmp/said")


def test_nodes_come_when_slurm_wants_them(cluster, cloud, daemon):
    cluster.head.run("scontrol", "update", "nodename=q-[1-2]", "state=power_up")
    wait(lambda: all(cluster.state(node) == "IDLE+CLOUD" for node in ("q-1", "q-2")), 90)
    assert [launch.nodes for launch in cloud.launches] == [("q-1", "q-2")], "one call for both"
    wait(lambda: queue(cluster)["up"] == 2)
    assert status(cluster)["totals"]["wakes"]["resume"] == 1


def test_the_name_server_hears_of_them(cluster, daemon):
    wait(lambda: len(names_told(cluster)) == 2)
    shown = cluster.head.run("scontrol", "show", "node", "q-1", "--oneliner").split()
    assert f"NodeAddr={names_told(cluster)['q-1']}" in shown


def names_told(cluster):
    lines = cluster.head.run("cat", "/var/lib/hpc/names/nodes").splitlines()
    return {name: address for address, name in map(str.split, lines)}


def test_a_job_runs_on_them(cluster, daemon):
    assert sorted(cluster.head.run("srun", "-N2", "hostname", user="alice").split()) == ["q-1", "q-2"]


def metrics(cluster, path):
    script = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:9818{path}').read().decode())"
    return cluster.head.run("python3", "-c", script).splitlines()


def test_prometheus_can_read_the_machines(cluster, daemon):
    wait(lambda: 'hpc_elastic_nodes_free{queue="q"} 2' in metrics(cluster, "/metrics"))
    assert 'hpc_elastic_machines{queue="q"} 2' in metrics(cluster, "/metrics")


def test_prometheus_finds_the_nodes_and_their_machines(cluster, daemon):
    def found():
        return json.loads(cluster.head.run("cat", f"{TARGETS}/nodes.json"))

    wait(lambda: len(found()) == 2)
    labels = {"instance": "q-1", "queue": "q", "machine": "m", "zone": "z", "purchase": "on_demand"}
    assert found()[0] == {"targets": [f"{names_told(cluster)['q-1']}:9100"], "labels": labels}


def test_prometheus_learns_why_jobs_wait(cluster, daemon):
    job = cluster.head.run("sbatch", "--parsable", "--hold", "-N3", "--wrap=true", user="alice").strip()
    seen = metrics(cluster, "/metrics/slurm")
    cluster.head.run("scancel", job)
    assert {
        "hpc_slurm_up 1",
        'hpc_slurm_pending_jobs{queue="q",reason="JobHeldUser"} 1',
        "hpc_slurm_dbd_agent_queue 0",
    } <= set(seen)
    assert {line.partition(" ")[0] for line in seen} >= {
        'hpc_slurm_schedule_cycle_seconds{scheduler="main"}', "hpc_slurm_jobs_submitted_total",
        'hpc_slurm_jobs_ended_total{state="completed"}', "hpc_slurm_server_threads", "hpc_slurm_agent_queue",
    }  # fmt: skip


def test_killed_and_started_again_it_knows_them_all(cluster, cloud, daemon):
    end(daemon[-1], signal.SIGKILL)
    daemon.append(start_daemon(cluster))
    wait(lambda: queue(cluster)["up"] == 2)
    assert len(cloud.launches) == 1


def test_they_go_when_slurm_gives_them_back(cluster, cloud, daemon):
    cluster.head.run("scontrol", "update", "nodename=q-[1-2]", "state=power_down")
    wait(lambda: not cloud.machines)
    assert status(cluster)["totals"]["wakes"]["suspend"] >= 1
    wait(lambda: not names_told(cluster))
    wait(lambda: cluster.head.run("cat", f"{TARGETS}/nodes.json") == "[]\n")


class Held:
    """A job on two nodes whose machines are launched and do not boot yet: its prolog waits."""

    def __init__(self, cluster, cloud, nodes):
        self.cluster = cluster
        self.cloud = cloud
        self.nodes = nodes
        script = ("--nodes=2", f"--nodelist={','.join(nodes)}", "--output=/dev/null", "--wrap=sleep 600")
        self.id = cluster.head.run("sbatch", "--parsable", *script, user="alice").strip()
        self.wait_for_prolog()
        wait(lambda: set(nodes) <= {machine.node for machine in cloud.list()})

    def wait_for_prolog(self):
        wait(lambda: self.state == "CONFIGURING" and self.prologs == 1)

    @property
    def state(self):
        return self.cluster.head.run("squeue", "--noheader", "--jobs", self.id, "--format=%T").strip()

    @property
    def prologs(self):
        return len(self.cluster.head.run("pgrep", "--full", "hpc-prolog", check=False).split())

    @property
    def restarts(self):
        shown = self.cluster.head.run("scontrol", "show", "job", self.id, "--oneliner")
        return int(shown.partition(" Restarts=")[2].split()[0])

    def save(self):
        """Let slurmctld write down that the job has its nodes; it does so seconds later."""
        look = ("stat", "--format=%.Y", "/var/spool/slurmctld/job_state")
        before = self.cluster.head.run(*look, check=False)
        self.cluster.head.run("scontrol", "update", f"jobid={self.id}", "comment=changed")
        wait(lambda: self.cluster.head.run(*look, check=False) not in ("", before))

    def boot(self):
        time.sleep(BOOT_SECONDS)
        for node in self.nodes:
            self.cloud.boot(node)

    def started_by_its_prolog(self):
        log = (self.cluster.lab.shared / "head.slurmctld.log").read_text()
        return f"prolog_running_decr: Configuration for JobId={self.id} is complete" in log


@pytest.fixture
def hold(cluster, cloud, daemon):
    """Submits a job and gives it back when its prolog waits; it ends with the test."""
    cloud.boots = False
    jobs = []

    def begin(*nodes):
        jobs.append(Held(cluster, cloud, nodes))
        return jobs[-1]

    yield begin
    for job in jobs:
        cluster.head.run("scancel", job.id)
        wait(lambda job=job: not job.prologs)


def test_a_job_starts_by_its_prolog_though_slurmctld_was_killed_meanwhile(cluster, hold):
    job = hold("q-3", "q-4")
    job.save()
    cluster.stop_controller()
    wait(lambda: not job.prologs)
    cluster.start_controller()
    job.wait_for_prolog()
    job.boot()
    wait(lambda: job.state == "RUNNING")
    assert job.started_by_its_prolog()


def test_killed_the_daemon_leaves_jobs_to_slurm(cluster, daemon, hold):
    job = hold("q-5", "q-6")
    end(daemon[-1], signal.SIGKILL)
    wait(lambda: not job.prologs)
    assert job.state == "CONFIGURING"
    daemon.append(start_daemon(cluster))
    job.boot()
    wait(lambda: job.state == "RUNNING")
    assert job.restarts == 0


def test_a_job_that_loses_a_node_does_not_wait_for_the_other(cluster, hold):
    job = hold("q-7", "q-8")
    cluster.head.run("scontrol", "update", "nodename=q-7", "state=down", "reason=a test")
    wait(lambda: not job.prologs and job.state == "PENDING")


def test_a_job_that_is_put_back_into_the_queue_waits_no_longer(cluster, hold):
    job = hold("q-9", "q-10")
    cluster.head.run("scontrol", "requeue", job.id)
    wait(lambda: not job.prologs and job.state == "PENDING")
