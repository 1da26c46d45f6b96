"""Run jobs on real Slurm with the real daemon, on a rehearsal's hosts, and see what the machines would have cost."""

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.elastic.model import Instance
from hpc_components.rehearse.cluster.adapt import Times, adapt
from hpc_components.rehearse.cluster.local_cluster import LocalCluster, as_user
from hpc_components.rehearse.cluster.setup import Setup, prepare
from hpc_components.rehearse.event_log import EventLog
from hpc_components.rehearse.hosts.host import CommandError, Host
from hpc_components.rehearse.hosts.sandbox import Sandbox
from hpc_components.rehearse.hosts.sandbox_init import Channel
from hpc_components.slurm import slurm_files
from tests.forecast.traces import Asked
from tests.rehearse.setups import changed

COLUMNS = (
    "JobID,User,Account,Partition,Submit,Eligible,Start,End,ElapsedRaw,Timelimit,NNodes,NCPUS,ReqMem,ReqTRES,State,"
    "NodeList"
)
"""What docs/forecast.md advises to export, and where each job ran."""
IDLE_SECONDS, STOP_SECONDS = 20, 5


@dataclass(frozen=True)
class Replayed:
    """What real Slurm did: its accounts, and for each machine its node and the seconds since 1970 at which it was
    launched, had booted and ended."""

    sacct: str
    machines: tuple[tuple[str, float, float, float], ...]

    @property
    def boots(self) -> list[float]:
        """Seconds that the machines took to boot."""
        return [booted - launched for _, launched, booted, _ in self.machines]


def lab_cluster(queues: Mapping[str, Mapping[str, Any]]) -> AwsClusterSpec:
    """A cluster with accounting and these queues."""
    own = [{"name": name, "placement": "none", **queue} for name, queue in queues.items()]
    return changed("aws-dev", queues=own, slurm={"accounting": {}})


TIMES = Times(idle=IDLE_SECONDS, stop=STOP_SECONDS, boot=120)


def lab_setup(cluster: AwsClusterSpec, root: Path, times: Times = TIMES) -> Setup:
    """The setup of a rehearsal with shorter times, but with the intervals of Slurm's schedulers as they are."""
    setup = prepare(cluster, root=root, times=times)
    return replace(setup, files={**setup.files, "slurm.conf": _usual_intervals(setup.files["slurm.conf"])})


def lab_files(cluster: AwsClusterSpec, release: str) -> dict[str, str]:
    """The files of `lab_setup`, on a machine without that release."""
    files, _ = adapt(slurm_files(cluster, version=release), times=TIMES, cgroups=True)
    return {**files, "slurm.conf": _usual_intervals(files["slurm.conf"])}


def _usual_intervals(conf: str) -> str:
    return conf.replace("sched_interval=2", "sched_interval=10").replace("bf_interval=2", "bf_interval=30")


def replay(setup: Setup, jobs: Mapping[str, Sequence[Asked]], boot_seconds: int) -> Replayed:
    """Submit the jobs at their times, and wait until they are done and all machines are gone."""
    with Sandbox(_replay, setup, dict(jobs), boot_seconds) as sandbox:
        return sandbox.result()


class _SteadyCluster(LocalCluster):
    """A cluster whose machines all take `boot_seconds` to boot, as if each had processors of its own: slurmd starts
    that long after the launch, and what the host needs before that fits into the time."""

    boot_seconds = 0

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.booted: dict[str, float] = {}

    def _start_services(self, machine: Instance, host: Host) -> None:
        time.sleep(max(machine.launched + self.boot_seconds - time.time(), 0))
        self.booted[machine.id] = time.time()
        super()._start_services(machine, host)


def _replay(channel: Channel, setup: Setup, jobs: Mapping[str, Sequence[Asked]], boot_seconds: int) -> Replayed:
    cluster = _SteadyCluster(setup, EventLog(lambda event: None), channel.cgroup)
    cluster.boot_seconds = boot_seconds
    cluster.open()
    cluster.start_head()
    user = next(iter(setup.people.people))
    every = sorted(((job.at, queue, job) for queue, own in jobs.items() for job in own), key=lambda each: each[0])
    cluster.head.write("/tmp/submit.sh", "\n".join([_CLOCK, *(_submission(queue, job) for _, queue, job in every)]))
    cluster.head.run(*as_user(user, "bash /tmp/submit.sh", "/tmp"), timeout=3600)
    while _jobs_remain(cluster) or cluster.cloud.alive():
        time.sleep(1)
    said = cluster.head.run("sacct", "-a", "-X", "-P", "-S", "now-1days", f"--format={COLUMNS}")
    return Replayed(said, tuple(_life(one, cluster.booted) for one in cluster.cloud.launched()))


def _jobs_remain(cluster: LocalCluster) -> bool:
    """Whether jobs wait or run. Slurm's commands may time out while this machine is busy."""
    try:
        return bool(cluster.head.run("squeue", "--noheader"))
    except CommandError:
        if cluster.controller.alive:
            return True
        raise


def _life(one: Instance, booted: Mapping[str, float]) -> tuple[str, float, float, float]:
    if one.id not in booted or one.ended is None:
        raise RuntimeError(f"the machine of {one.node} did not boot, or did not end: {one}")
    return one.node, round(one.launched, 1), round(booted[one.id], 1), round(one.ended, 1)


_CLOCK = """begin=$(date +%s.%N)
at() { sleep "$(echo "$1 $begin $(date +%s.%N)" | awk '{d=$1+$2-$3; print (d > 0 ? d : 0)}')"; }"""


def _submission(queue: str, job: Asked) -> str:
    asked = f"-N{job.nodes} -n{job.cpus} -t{job.limit_minutes} -p{shlex.quote(queue)}"
    return f"at {job.at:.2f}; sbatch -Q -o/dev/null {asked} --wrap='sleep {job.seconds}'"
