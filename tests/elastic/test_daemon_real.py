"""The daemon as it is installed, beside a real slurmctld: nodes come when Slurm wants them and go when it does not.

The cloud is the local driver's other end, in this process: its machines are hosts with a real slurmd.
"""

import json
import signal
import socketserver
import threading
import time

import pytest

from elastic.lab import Cluster, end, wait
from elastic.lab.fixtures import lab  # noqa: F401
from hpc_components.boot.archive import archive
from hpc_components.elastic.drivers.local import answer
from hpc_components.elastic.model import Instance, InstanceState
from hpc_components.rehearse.cloud import BOOT

pytestmark = pytest.mark.slurm

NODES = """\
NodeName=q-[1-4] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
PartitionName=q Nodes=q-[1-4] Default=YES
"""
CONFIG = {
    "version": 1, "cluster": "lab", "cloud": "local", "socket": "/shared/cloud", "boot_timeout": 60, "cooldown": 30,
    "queues": [{"name": "q", "max": 4, "pools": [{"machine": "m", "zone": "z", "purchase": "on_demand"}]}],
}  # fmt: skip
COMMAND = ("/usr/bin/python3", "/shared/hpc-elastic")


class Cloud:
    """Machines that boot in no time."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.machines = {}
        self.launches = []
        self.lock = threading.Lock()

    def launch(self, launch):
        with self.lock:
            self.launches.append(launch)
            for node in launch.nodes:
                number = len(self.machines) + 1
                self.machines[f"i-{number}"] = Instance(
                    id=f"i-{number}", node=node, token=launch.token, pool=launch.pool,
                    state=InstanceState.RUNNING, launched=time.time(),
                )  # fmt: skip
                threading.Timer(BOOT, self.cluster.start_node, (node, number)).start()
            return [each for each in self.machines.values() if each.token == launch.token]

    def terminate(self, ids):
        for each in ids:
            self.machines.pop(each)

    def list(self):
        return list(self.machines.values())


@pytest.fixture(scope="module")
def cluster(lab):  # noqa: F811
    made = Cluster(lab, NODES)
    (lab.shared / "hpc-elastic").write_bytes(archive())
    made.head.write("/etc/hpc/elastic.json", json.dumps(CONFIG))
    made.head.run("install", "-d", "-o", "slurm", "/run/hpc-elastic", "/var/lib/hpc/elastic")
    return made


@pytest.fixture(scope="module")
def cloud(cluster):
    made = Cloud(cluster)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            self.wfile.write(answer(made, self.rfile.readline()))

    path = cluster.lab.shared / "cloud"
    with socketserver.ThreadingUnixStreamServer(str(path), Handler) as server:
        path.chmod(0o666)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield made
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def daemon(cluster, cloud):
    """Its processes, the one that runs last; started as its unit starts it."""
    processes = [start(cluster)]
    yield processes
    assert end(processes[-1], signal.SIGTERM) == 0
    assert not cluster.head.run("ls", "/run/hpc-elastic")


def start(cluster):
    process = cluster.head.spawn(*COMMAND, "run", "--metrics", "127.0.0.1:9818", user="slurm")
    wait(lambda: "all is well" in cluster.head.run(*COMMAND, "status", check=False))
    return process


def status(cluster):
    return json.loads(cluster.head.run(*COMMAND, "status", "--format", "json"))


def queue(cluster):
    return status(cluster)["queues"][0]


def test_check_finds_nothing_wrong(cluster, cloud):
    found = cluster.head.run(*COMMAND, "check").splitlines()
    assert [line.split()[0] for line in found] == ["ok", "ok", "ok"]


def test_before_it_runs_status_says_so(cluster):
    cluster.head.run("sh", "-c", "/usr/bin/python3 /shared/hpc-elastic status 2>/tmp/said; test $? -eq 3")
    assert "no daemon listens at /run/hpc-elastic/socket" in cluster.head.run("cat", "/tmp/said")


def test_nodes_come_when_slurm_wants_them(cluster, cloud, daemon):
    cluster.head.run("scontrol", "update", "nodename=q-[1-2]", "state=power_up")
    wait(lambda: all(cluster.state(node) == "IDLE+CLOUD" for node in ("q-1", "q-2")), 90)
    assert [launch.nodes for launch in cloud.launches] == [("q-1", "q-2")], "one call for both"
    wait(lambda: queue(cluster)["up"] == 2)
    assert status(cluster)["totals"]["wakes"]["resume"] == 1


def test_a_job_runs_on_them(cluster, daemon):
    assert sorted(cluster.head.run("srun", "-N2", "hostname", user="alice").split()) == ["q-1", "q-2"]


def test_prometheus_sees_them(cluster, daemon):
    script = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9818/metrics').read().decode())"
    assert 'hpc_elastic_machines{queue="q"} 2' in cluster.head.run("python3", "-c", script)


def test_killed_and_started_again_it_knows_them_all(cluster, cloud, daemon):
    end(daemon[-1], signal.SIGKILL)
    daemon.append(start(cluster))
    wait(lambda: queue(cluster)["up"] == 2)
    assert len(cloud.launches) == 1


def test_they_go_when_slurm_gives_them_back(cluster, cloud, daemon):
    cluster.head.run("scontrol", "update", "nodename=q-[1-2]", "state=power_down")
    wait(lambda: not cloud.machines)
    assert status(cluster)["totals"]["wakes"]["suspend"] >= 1
