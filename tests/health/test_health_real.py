"""hpc-health beside real daemons of Slurm and the elastic daemon: a broken machine is drained, ended and replaced.

The machines' GPUs and ports are emulated; slurmd runs the programs as on a cluster.
"""

import json
from pathlib import Path

import pytest
from elastic.lab import Cluster, Host, wait
from elastic.lab.cloud import COMMAND, Cloud, install_daemon, start_daemon
from elastic.lab.fixtures import lab  # noqa: F401

from hpc_components.boot.archive import node_archive
from hpc_components.slurm.job_scripts import job_programs
from tests.health.emulated import Emulated, described, file

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

NODES = """\
NodeName=q-[1-4] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
PartitionName=q Nodes=q-[1-4] Default=YES
HealthCheckProgram=/opt/hpc/bin/hpc-health-idle
HealthCheckInterval=5
HealthCheckNodeState=IDLE
"""

PROGRAM = """\
#!/bin/sh
# on the emulated machine of this host
export PATH=/emulated/bin:$PATH
exec /shared/hpc-health "$@" --root /emulated
"""


class Sick(Cluster):
    """Nodes with hpc-health, each on an emulated machine that can be broken."""

    machines: dict[str, Emulated]
    passes_prolog: bool

    def start_controller(self) -> None:
        self.machines = {}
        self.passes_prolog = self.version >= "23"
        shared = self.lab.shared / "hpc-health"
        shared.write_bytes(node_archive("health"))
        shared.chmod(0o755)
        if self.passes_prolog:
            self.head.write("/etc/slurm/hpc-job-prolog", job_programs(described(), "24.11")["hpc-job-prolog"])
            self.head.run("sh", "-c", "echo Prolog=hpc-job-prolog >>/etc/slurm/slurm.conf")
            again = "s/^SchedulerParameters=/&nohold_on_prolog_fail,/"  # as generated for this release
            self.head.run("sed", "-i", again, "/etc/slurm/slurm.conf")
        super().start_controller()

    def start_node(self, name: str, number: int) -> Host:
        machine = Emulated(self.lab.shared / f"machine-{number}")
        machine.build().write("etc/hpc/health.json", file().replace('"gpu": {', '"q": {'))
        host = self.nodes[name] = self.lab.host(name, f"10.77.1.{number}")
        host.run("ln", "-s", f"/shared/machine-{number}", "/emulated")
        host.write("/opt/hpc/bin/hpc-health", PROGRAM, mode="755")
        idle = "#!/bin/sh\nexec /opt/hpc/bin/hpc-health check --at idle --drain\n"
        host.write("/opt/hpc/bin/hpc-health-idle", idle, mode="755")
        self.machines[name] = machine
        host.spawn("slurmd", "-D", "--conf-server", "head:6817", "-N", name)
        return host

    def reason(self, node: str) -> str:
        line = self.head.run("scontrol", "show", "node", node, "-o")
        return line.partition(" Reason=")[2].partition(" [")[0]


class EndingCloud(Cloud):
    """A cloud whose machines end when they are terminated."""

    def terminate(self, ids):
        for id in ids:
            if machine := self.machines.get(id):
                self.cluster.lab.kill(machine.node)
        super().terminate(ids)


@pytest.fixture(scope="module")
def cluster(lab):  # noqa: F811
    made = Sick(lab, NODES)
    install_daemon(made, nodes=4)
    return made


@pytest.fixture(scope="module")
def cloud(cluster):
    with EndingCloud(cluster).served() as made:
        yield made


@pytest.fixture(scope="module")
def daemon(cluster, cloud):
    return start_daemon(cluster)


def status(cluster):
    return json.loads(cluster.head.run(*COMMAND, "status", "--format", "json"))


def up(cluster, node):
    cluster.head.run("scontrol", "update", f"nodename={node}", "state=power_up")
    wait(lambda: cluster.state(node) == "IDLE+CLOUD")


def lose_a_gpu(machine: Emulated) -> None:
    (machine.root / "proc/driver/nvidia/gpus/0000:03:00.0").rmdir()


def machine_of(cloud, node):
    return next((machine.id for machine in cloud.list() if machine.node == node), None)


def counted(cluster):
    return {one["check"]: one["machines"] for one in status(cluster)["failed_checks"]}


def test_an_idle_node_that_breaks_is_drained_and_its_machine_ends(cluster, cloud, daemon):
    up(cluster, "q-1")
    broken = machine_of(cloud, "q-1")
    lose_a_gpu(cluster.machines["q-1"])
    wait(lambda: machine_of(cloud, "q-1") is None)
    words = [event["words"] for event in status(cluster)["events"] if event["kind"] == "unhealthy"]
    assert words == [f"q-1: machine {broken} (m) failed its health check gpus: 7 GPUs, but slurm.conf says 8"]
    assert counted(cluster) == {"gpus": 1}


def test_the_next_start_of_the_node_has_a_new_and_healthy_machine(cluster, cloud, daemon):
    wait(lambda: "POWERED_DOWN" in cluster.state("q-1") and "DRAIN" not in cluster.state("q-1"))
    assert cluster.head.run("srun", "-w", "q-1", "hostname", user="alice").strip() == "q-1"
    assert counted(cluster) == {"gpus": 1}


def test_prometheus_sees_the_failed_check(cluster, daemon):
    script = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9818/metrics').read().decode())"
    sample = 'hpc_elastic_unhealthy_nodes_total{queue="q",machine="m",check="gpus"} 1'
    assert sample in cluster.head.run("python3", "-c", script).splitlines()


def test_a_node_that_an_administrator_has_drained_is_left_alone(cluster, cloud, daemon):
    up(cluster, "q-2")
    cluster.head.run("scontrol", "update", "nodename=q-2", "state=drain", "reason=looks odd")
    lose_a_gpu(cluster.machines["q-2"])
    said = cluster.nodes["q-2"].run("/opt/hpc/bin/hpc-health-idle", check=False)
    assert said.splitlines()[-1] == "already drained by an administrator: looks odd"
    assert cluster.reason("q-2") == "looks odd"
    assert machine_of(cloud, "q-2")


def test_a_job_does_not_start_on_a_broken_machine(cluster, cloud, daemon):
    if not cluster.passes_prolog:
        pytest.skip("this release of Slurm passes no prolog on to nodes")
    up(cluster, "q-3")
    broken = machine_of(cloud, "q-3")
    batch = ("sbatch", "--parsable", "-w", "q-3", "-n1", "--output=/dev/null")
    first = cluster.head.run(*batch, "--wrap=touch /shared/began; sleep 25", user="alice").strip()
    wait((cluster.lab.shared / "began").exists)  # a job is RUNNING before its prolog has run
    lose_a_gpu(cluster.machines["q-3"])
    second = cluster.head.run(*batch, "--requeue", "--wrap=hostname; sleep 600", user="alice").strip()
    wait(lambda: cluster.reason("q-3").startswith("hpc: health: gpus: 7 GPUs, but slurm.conf says 8"))
    assert job(cluster, second, "JobState") == "PENDING"
    assert job(cluster, first, "JobState") == "RUNNING", "a job that runs is not disturbed"
    assert machine_of(cloud, "q-3") == broken
    wait(lambda: job(cluster, second, "JobState") == "RUNNING", 300)
    assert job(cluster, first, "JobState") == "COMPLETED"
    assert job(cluster, second, "Restarts") == "1"
    assert machine_of(cloud, "q-3") not in (None, broken)
    assert counted(cluster) == {"gpus": 2}


def job(cluster, id: str, field: str) -> str:
    return cluster.head.run("scontrol", "show", "job", id, "-o").partition(f" {field}=")[2].split()[0]


def test_no_healthy_node_was_drained_meanwhile(cluster, daemon):
    drained = {event["nodes"] for event in status(cluster)["events"] if event["kind"] == "unhealthy"}
    assert drained <= {"q-1", "q-3"}
    assert not Path(cluster.lab.shared / "q-4.slurmd.log").exists()
