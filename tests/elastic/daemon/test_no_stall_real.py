"""slurmctld answers at all times while a job wants nodes that ran before and that the cloud has no capacity for.

The head node resolves names as the real one does: by name server and forwarder of the generated configuration, and
the tables that the daemon writes. Where a name is unknown, slurmctld stands still for 10 s a node.
"""

import re
import signal
import subprocess
import threading
import time

import pytest
from boot.cluster import spec

from elastic.lab import Cluster, end, wait
from elastic.lab.cloud import Cloud, install_daemon, start_daemon
from elastic.lab.fixtures import lab  # noqa: F401
from hpc_components.boot.name_service import FORWARDER_PORT, domain_of, name_files
from hpc_components.elastic.drivers.contract import CapacityError
from hpc_components.spec.addresses import head_address

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

MANY = 100
ALL = f"q-[1-{MANY}]"
NAMES = [f"q-{number}" for number in range(1, MANY + 1)]
NODES = f"""\
NodeName=q-[1-{MANY}] NodeAddr=127.0.0.1 Port=[7001-{7000 + MANY}] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
PartitionName=q Nodes=q-[1-{MANY}] Default=YES
"""
COOLDOWN = 12
"""Seconds: as on a real cluster, longer than a requeued job is held back by Slurm (`cred_expire` and a second)."""
STALL = 5.0
"""Seconds. An unknown name takes twice as long; otherwise an answer takes less than one, also on a busy machine."""


OWN_DIRECTORIES = """
mount -t tmpfs tmpfs /mnt && mkdir -p /mnt/munge /mnt/slurm
mount --bind /run/munge /mnt/munge && mount --rbind /mnt /run
mount -t tmpfs tmpfs /var/spool/slurmd
exec "$@"
"""
"""Slurmd kills another one whose pid is in its file."""


class OneHost(Cluster):
    """All nodes are slurmds on one host, at ports of their own: a hundred hosts would take minutes to make.

    They are nice, since on a real cluster the boot of a hundred nodes costs the head node no processor time.
    """

    def __init__(self, lab):  # noqa: F811
        super().__init__(lab, NODES)
        self.machine = lab.host("machine", "10.77.1.1")
        self.slurmds = {}

    def start_node(self, name, number):
        slurmd = ("slurmd", "-D", "-b", "--conf-server", "head:6817", "-N", name)  # -b: the machine has just booted
        self.slurmds[number] = self.machine.spawn(
            "nice", "-n19", "unshare", "-m", "sh", "-c", OWN_DIRECTORIES, "-", *slurmd
        )


class Scarce(Cloud):
    """Has machines or has none; knows when it refused and accepted launches."""

    def __init__(self, cluster):
        super().__init__(cluster)
        self.has_capacity = True
        self.refused = []
        self.accepted = []

    def launch(self, launch):
        if not self.has_capacity:
            self.refused.append(time.monotonic())
            raise CapacityError("InsufficientInstanceCapacity")
        self.accepted.append(time.monotonic())
        return super().launch(launch)

    def terminate(self, ids):
        gone = [int(each[2:]) for each in ids if each in self.machines]
        super().terminate(ids)
        for number in gone:
            if slurmd := self.cluster.slurmds.pop(number, None):
                end(slurmd, signal.SIGKILL)


class Watch:
    """Asks slurmctld again and again; `longest` is what the slowest answer took, in seconds."""

    QUESTIONS = (("scontrol", "ping"), ("squeue",), ("scontrol", "show", "node", "q-1"))

    def __init__(self, head):
        self.head = head
        self.longest = 0.0
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self.ask, args=(question,)) for question in self.QUESTIONS]

    def ask(self, question):
        while not self.stopped.wait(0.3):
            began = time.monotonic()
            subprocess.run([*self.head.enter, *question], capture_output=True, timeout=300)
            self.longest = max(self.longest, time.monotonic() - began)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join()


def resolve_names(head):
    """Let the head node find names as the real one does."""
    cluster = spec(network={"cidr": "10.77.0.0/16"})
    files = name_files(cluster)
    head.run("ip", "addr", "add", f"{head_address(cluster)}/32", "dev", "eth0")
    head.write("/etc/resolv.conf", f"nameserver 127.0.0.1\nsearch {domain_of(cluster)}\n")
    for path in ("head/name-server.conf", "head/names.conf"):
        head.write(f"/etc/hpc/{path}", files[path].replace(f"port={FORWARDER_PORT}\n", ""))  # no systemd-resolved
        head.spawn("dnsmasq", "--keep-in-foreground", f"--conf-file=/etc/hpc/{path}")


def shown(cluster, field):
    """A field of each node, by name."""
    lines = cluster.head.run("scontrol", "show", "nodes", "--oneliner").splitlines()
    return {line.split()[0].removeprefix("NodeName="): line.partition(f" {field}=")[2].split()[0] for line in lines}


def all_are(cluster, state):
    return set(shown(cluster, "State").values()) == {state}


@pytest.fixture(scope="module")
def cluster(lab):  # noqa: F811
    made = OneHost(lab)
    install_daemon(made, nodes=MANY, cooldown=COOLDOWN)
    resolve_names(made.head)
    return made


@pytest.fixture(scope="module")
def cloud(cluster):
    with Scarce(cluster).served() as made:
        yield made


@pytest.fixture(scope="module")
def daemon(cluster, cloud):
    return start_daemon(cluster)


def power_down(cluster, cloud):
    """Back to where Slurm goes by the nodes' names."""
    wait(lambda: all_are(cluster, "IDLE+CLOUD"))
    cluster.head.run("scontrol", "update", f"nodename={ALL}", "state=power_down")
    wait(lambda: all_are(cluster, "IDLE+CLOUD+POWERED_DOWN") and not cloud.machines)
    assert shown(cluster, "NodeAddr") == dict(zip(NAMES, NAMES, strict=True))


def state_of(cluster, job):
    return cluster.head.run("squeue", "--noheader", "--jobs", job, "--format=%T").strip()


def submit(cluster):
    command = ("sbatch", "--parsable", f"-N{MANY}", "--output=/dev/null", "--wrap=sleep 600")
    return cluster.head.run(*command, user="alice").strip()


def test_slurmctld_answers_while_nodes_that_ran_before_can_t_be_launched(cluster, cloud, daemon):
    cluster.head.run("scontrol", "update", f"nodename={ALL}", "state=power_up")
    power_down(cluster, cloud)
    cloud.has_capacity = False
    with Watch(cluster.head) as refusing:
        job = submit(cluster)
        wait(lambda: len(cloud.refused) >= 2)
        cloud.has_capacity = True
        wait(lambda: len(cloud.accepted) == 2)
    with Watch(cluster.head) as booting:
        wait(lambda: not any("POWERING_UP" in state for state in shown(cluster, "State").values()))
        up = time.monotonic()
        wait(lambda: state_of(cluster, job) == "RUNNING")
        runs = time.monotonic()
    refused, accepted = cloud.refused[-1], cloud.accepted[-1]
    print(
        f"{cluster.version}: longest answer {refusing.longest:.2f} s without capacity, {booting.longest:.2f} s later"
    )
    print(f"{accepted - refused:.1f} s until the launch (cool-down {COOLDOWN} s), then {up - accepted:.1f} s until")
    print(f"{MANY} nodes are up, then {runs - up:.1f} s until the job runs")
    assert max(refusing.longest, booting.longest) < STALL
    cluster.head.run("scancel", job)
    power_down(cluster, cloud)
    end(daemon, signal.SIGTERM)


def agents(cluster):
    """Messages to nodes that wait or are on their way."""
    counts = re.findall(r"^Agent (?:queue size|count): +(\d+)", cluster.head.run("sdiag"), re.MULTILINE)
    return sum(map(int, counts))


def test_slurmctld_answers_while_it_ends_a_job_on_nodes_that_are_off(cluster, cloud):
    """Without the daemon, so that the job is past its prolog: Slurm then sends its end to each of the nodes."""
    run = cluster.head.run
    with Watch(cluster.head) as watch:
        job = submit(cluster)
        wait(lambda: all("POWERING_UP" in state for state in shown(cluster, "State").values()))
        run("scontrol", "update", f"nodename={ALL}", "state=down", "reason=a test")
        run("scontrol", "update", f"nodename={ALL}", "state=power_down")
        wait(lambda: all_are(cluster, "IDLE+CLOUD+POWERED_DOWN"))
        wait(lambda: not agents(cluster))
    print(f"{cluster.version}: longest answer {watch.longest:.2f} s")
    assert watch.longest < STALL
    run("scancel", job)


def test_slurmctld_starts_while_nodes_that_ran_before_boot(cluster):
    """It looks up all of them then, and takes one that is unknown for a node that it will never have."""
    cluster.head.run("scontrol", "update", f"nodename={ALL}", "state=power_up")
    wait(lambda: all("POWERING_UP" in state for state in shown(cluster, "State").values()))
    end(cluster.controller, signal.SIGTERM)
    began = time.monotonic()
    cluster.start_controller()
    print(f"{cluster.version}: slurmctld started in {time.monotonic() - began:.2f} s")
    assert time.monotonic() - began < STALL
    states = shown(cluster, "State").values()
    assert all("CLOUD" in state and "POWERING_UP" in state for state in states), states
