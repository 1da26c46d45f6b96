"""What tests do with a cluster from inside: each function runs in the namespaces of a rehearsal."""

import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

from hpc_components.elastic.slurm.hostlists import expand
from hpc_components.rehearse.cluster.daemons import start_controller, wait_until
from hpc_components.rehearse.cluster.local_cluster import LocalCluster, as_user
from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.events import Code
from hpc_components.rehearse.hosts.host import Site
from hpc_components.rehearse.hosts.sandbox_init import Channel
from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.run import faults
from hpc_components.rehearse.run.checks import error_lines, late_lines
from hpc_components.rehearse.run.observer import Observer, SeenJob
from hpc_components.rehearse.run.rehearsal import RehearsalPlan, rehearse
from tests.boot.job import RENDEZVOUS

LONG_JOB = """\
#!/bin/bash
#SBATCH --partition=deep-learning --nodes=2 --ntasks-per-node=1 --output=/fsx/long.out --error=/fsx/long.err
export MASTER_ADDR=$(scontrol show hostnames | head -n 1) MASTER_PORT=29500
srun --output=/fsx/met.out python3 /fsx/rendezvous.py
srun --kill-on-bad-exit=0 bash -c 'for ((i = 0; i < 60; i++)); do echo "$(hostname) $i"; sleep 0.5; done'
"""


@dataclass
class Stage:
    """A cluster that runs."""

    cluster: LocalCluster
    observer: Observer

    def submit(self, command: str) -> int:
        return int(re.search(r"Submitted batch job (\d+)", self.run(command))[1])

    def run(self, command: str) -> str:
        """What a user of the GPU department types on the login node."""
        return self.cluster.login.run(*as_user("dave", command, "/fsx"))

    def wait_for(self, job: int, *states: str, seconds: float = 150) -> SeenJob:
        jobs = self.observer.jobs
        try:
            wait_until(f"job {job} is {states}", lambda: job in jobs and jobs[job].state in states, seconds)
        except TimeoutError as error:
            events = "\n".join(f"{event.t:.1f} {event.words}" for event in self.cluster.log.events)
            raise TimeoutError(
                f"{error}\n{events}\n{self._log('slurmctld')}\n{self._log('slurmd')}\n{self._log('elastic')}"
            ) from None
        return jobs[job]

    def names(self, nodes: Sequence[str]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """Which of the nodes each host finds at their addresses, and which stand in its hosts file."""
        hosts, found, known = self.cluster.site.hosts, {}, {}
        for name in (*nodes, self.cluster.head.name, self.cluster.login.name):
            said = hosts[name].run("getent", "ahostsv4", *nodes, check=False)
            found[name] = {
                node for node in nodes if re.search(rf"^{hosts[node].address} +STREAM {node}\b", said, re.M)
            }
            known[name] = {node for node in nodes if node in hosts[name].read("/etc/hosts").split()}
        return found, known

    def _log(self, daemon: str) -> str:
        """The ends of this daemon's logs."""
        found = sorted(self.cluster.logs.rglob(f"*{daemon}*"))
        return "\n".join(f"{path.name}:\n" + "\n".join(path.read_text().splitlines()[-40:]) for path in found)


def opened(channel: Channel, plan: RehearsalPlan) -> Stage:
    """Start the cluster."""
    log = EventLog(channel.send)
    cluster = LocalCluster(plan.setup, log, channel.cgroup)
    observer = Observer(log, lambda: {machine.node for machine in cluster.cloud.alive()})
    cluster.open()
    cluster.start_head()
    cluster.start_login()
    observer.follow(cluster.head)
    return Stage(cluster, observer)


@dataclass
class FailedOver:
    """A job whose first choice of machines was nowhere to be had."""

    states: set[str]
    """What became of the job's nodes after the cloud's error."""
    hosts: list[str]
    machines: list[str]


def fail_over(channel: Channel, plan: RehearsalPlan) -> FailedOver:
    """Run a job at once (srun) while the queue's first pool is empty."""
    stage = opened(channel, plan)
    stage.cluster.cloud.limit(stage.cluster.pools("cpu")[0], 0)
    output = stage.run("srun --partition=cpu --nodes=2 hostname")
    events = stage.cluster.log.events
    refused = next(index for index, event in enumerate(events) if event.code is Code.NO_CAPACITY)
    return FailedOver(
        states={event.state for event in events[refused:] if event.node.startswith("cpu-")},
        hosts=sorted(word for word in output.split() if word.startswith("cpu-")),
        machines=[machine.pool.machine for machine in stage.cluster.cloud.alive()],
    )


@dataclass
class Survived:
    """A job that ran on while its controller was away."""

    job: SeenJob
    nodes_before: str
    output: list[str]
    machines: int
    accounting: str
    restarts_of_elastic: int
    met: list[str]
    """What its two ranks said of their rendezvous."""
    found: dict[str, set[str]]
    """Which nodes of the job the other hosts found by name when the new head node was there, by host."""
    known: dict[str, set[str]]
    """What of the cluster stands in the hosts files of nodes, by node."""


def lose_controllers(channel: Channel, plan: RehearsalPlan) -> Survived:
    """Kill slurmctld and start it again, then lose the whole head node and replace it, with one job running."""
    stage = opened(channel, plan)
    cluster = stage.cluster
    cluster.login.write("/fsx/long.sh", LONG_JOB)
    cluster.login.write("/fsx/rendezvous.py", RENDEZVOUS)
    id = stage.submit("sbatch long.sh")
    before = stage.wait_for(id, "RUNNING").nodes
    addresses = [str(cluster.node(node).address) for node in expand(before)]
    saved = cluster.site.directory("state") / "slurmctld/node_state"
    wait_until("slurmctld has written the nodes' addresses", lambda: _mentions(saved, addresses))
    wait_until("the job's steps run", lambda: cluster.login.run("find", "/fsx", "-name", "long.out", "-size", "+0"))
    time.sleep(6)  # slurmctld writes what it knows of jobs every five seconds

    cluster.controller.kill()
    time.sleep(1)
    cluster.controller = start_controller(cluster.head, cluster.logs)
    still = cluster.head.run("squeue", "-h", "-j", str(id), "-o", "%T").strip()
    assert still == "RUNNING", still

    cluster.head.kill()
    time.sleep(1)
    cluster.start_head()
    stage.observer.follow(cluster.head)
    found, known = stage.names(expand(before))
    job = stage.wait_for(id, "COMPLETED", "FAILED", "NODE_FAIL", "CANCELLED")
    command = f"sacct -nP -X -D -j {id} -o State,NNodes"
    return Survived(
        job=job,
        nodes_before=before,
        output=cluster.login.read("/fsx/long.out").splitlines(),
        machines=len(cluster.cloud.launched()),
        accounting=stage.run(command),
        restarts_of_elastic=cluster.elastic.starts - 1,
        met=cluster.login.read("/fsx/met.out").splitlines(),
        found=found,
        known=known,
    )


def switch_off_with_notice(channel: Channel, plan: RehearsalPlan) -> Rehearsal:
    """The rehearsal of a spot notice that leaves no time: the power button is pressed with it."""
    faults.MAX_NOTICE_SECONDS = 0.0
    return rehearse(channel, plan)


@dataclass
class Late:
    """What is told of a slurmctld that answers when nobody waits any more."""

    strict: list[str]
    """The errors, if no client were known to have given up: those without the elastic daemon's log."""
    errors: list[str]
    lines: list[str]


def hold_controller(channel: Channel, plan: RehearsalPlan) -> Late:
    """Stop slurmctld for longer than Slurm's clients wait for an answer."""
    stage = opened(channel, plan)
    observer, head, logs = stage.observer, stage.cluster.head, stage.cluster.logs

    def tells(name: str) -> bool:
        return any(line.startswith(name) for line in late_lines(logs))

    wait_until("slurmctld has answered", lambda: observer.nodes)
    head.run("pkill", "-STOP", "-x", "slurmctld")
    wait_until("the observer has given up", lambda: observer.unanswered, 60)
    wait_until("the elastic daemon says that it has given up", lambda: tells("head-hpc-elastic"), 120)
    head.run("pkill", "-CONT", "-x", "slurmctld")
    wait_until("slurmctld says that nobody waits", lambda: tells("head-slurmctld"))
    taken = logs.with_name("taken")
    shutil.copytree(logs, taken)
    errors, lines = error_lines(taken), late_lines(taken)
    (taken / "head-hpc-elastic.log").unlink()
    return Late(error_lines(taken), errors, lines)


def _mentions(file: Path, words: Sequence[str]) -> bool:
    return file.exists() and all(word.encode() in file.read_bytes() for word in words)


def two_hosts(channel: Channel, stay: bool) -> list[str]:
    """Two hosts that do nothing; if they stay, until they are killed."""
    site = Site(network=IPv4Network("10.20.0.0/16"), lower=Path("/"), cgroup=channel.cgroup)
    site.open()
    hosts = [site.boot(name, site.network[number]) for number, name in enumerate(("one", "two"), 20)]
    for host in hosts:
        host.start("sleep", "1000")
    names = [host.run("hostname").strip() for host in hosts]
    if stay:
        channel.send("ready")
        time.sleep(1000)
    return names
