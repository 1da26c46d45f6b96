"""A rehearsal as the cluster that is tested: real Slurm on this machine, no cloud."""

import os
import shlex
import subprocess
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from hpc_components.accept.cluster import TIMED_OUT, Answer, Submitter
from hpc_components.accept.interruption import SpotMachine
from hpc_components.accept.plan import Plan, plan_acceptance
from hpc_components.accept.result import Acceptance, Code
from hpc_components.accept.run import accept
from hpc_components.cloud import cloud_named
from hpc_components.rehearse.cluster.adapt import Times
from hpc_components.rehearse.cluster.local_cluster import LocalCluster
from hpc_components.rehearse.cluster.setup import Setup, prepare
from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.hosts.sandbox import Sandbox
from hpc_components.rehearse.hosts.sandbox_init import Channel
from hpc_components.rehearse.result import Scale
from hpc_components.rehearse.run.faults import MAX_NOTICE_SECONDS
from hpc_components.rehearse.run.job import Job, JobKind
from hpc_components.rehearse.run.requirements import missing, obstacles
from hpc_components.rehearse.run.runner import ImpossibleError
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.queues import Queue


class RehearsedCluster:
    """A cluster on hosts of this machine. `start` must be called first, inside a sandbox."""

    rehearsed = True

    def __init__(self, cluster: LocalCluster) -> None:
        self.cluster = cluster
        self.places: Sequence[str] = tuple(dict.fromkeys((cluster.setup.login, "head")))

    def start(self) -> None:
        """Start the head node and the login node."""
        self.cluster.open()
        self.cluster.start_head()
        self.cluster.start_login()

    def submitter(self, queue: Queue | None = None) -> Submitter:
        """Return the first user who may submit to the queue."""
        return Submitter(*self.cluster.setup.submitter(queue or self.cluster.setup.cluster.queues[0]))

    def run(self, script: str, *, place: str, user: str, stdin: str = "", seconds: int = 60) -> Answer:
        inner = shlex.join(["timeout", str(seconds), "bash", "-c", script])
        host = self.cluster.site.hosts[place]
        try:
            done = subprocess.run(
                host.command("runuser", "-l", user, "-c", inner),
                input=stdin.encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=seconds + 30,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer(f"no answer from {place} within {seconds} s", TIMED_OUT)
        return Answer(done.stdout.decode(errors="replace"), done.returncode)

    def take_away(self, machine: SpotMachine, say: Callable[[str], None]) -> bool:
        """Do what `hpc rehearse --fault spot` does."""
        (taken,) = self.cluster.cloud.alive(machine.node)
        cloud = cloud_named(self.cluster.setup.cluster.cloud)
        self.cluster.reclaim(taken, min(MAX_NOTICE_SECONDS, cloud.spot_notice_seconds))
        return True


def prepare_rehearsal(
    cluster: ClusterSpec,
    *,
    queues: Collection[str] = (),
    nodes: int | None = None,
    skip: Collection[Code] = (),
    spot: bool = False,
    root: Path = Path("/"),
) -> tuple[Setup, Plan]:
    """Plan the test of a rehearsal. Raise ImpossibleError if this machine can't run it."""
    if lacks := missing(root=root, accounting=cluster.slurm.accounting is not None):
        raise ImpossibleError(tuple(map(str, lacks)))
    cores = os.cpu_count() or 1
    plan = plan_acceptance(cluster, queues=queues, nodes=nodes, skip=skip, spot=spot, rehearsed_on_cores=cores)
    setup = prepare(cluster, root=root, times=Times())
    if reasons := obstacles(setup, _largest(plan)):
        raise ImpossibleError(reasons)
    return setup, plan


def _largest(plan: Plan) -> Job:
    """Return a job with the nodes and ranks of all queues, whose memory this machine must have."""
    nodes = sum(run.nodes for run in plan.runs)
    ranks = sum(run.nodes * run.ranks_per_node for run in plan.runs)
    scale = Scale(nodes=nodes, ranks=ranks, full_ranks=ranks, cpus_per_node=1)
    return Job(kind=JobKind.OWN, queue="", files={}, user="", directory="", command=(), scale=scale)


def accept_rehearsal(setup: Setup, plan: Plan, say: Callable[[str], None]) -> Acceptance:
    """Rehearse the cluster and test it. However this ends, nothing is left behind."""
    with Sandbox(_inside, setup, plan) as sandbox:
        return sandbox.result(say)


def _inside(channel: Channel, setup: Setup, plan: Plan) -> Acceptance:
    channel.send(f"starting {setup.cluster.name} on this machine, with Slurm {setup.release}")
    rehearsed = RehearsedCluster(LocalCluster(setup, EventLog(lambda event: None), channel.cgroup))
    rehearsed.start()
    return accept(plan, rehearsed, channel.send)
