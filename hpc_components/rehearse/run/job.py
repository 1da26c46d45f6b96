from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import PurePosixPath

from hpc_components.rehearse.cluster.setup import HOME, Setup
from hpc_components.rehearse.events import Fault
from hpc_components.rehearse.result import Scale
from hpc_components.rehearse.run.job_script import asked_account, asked_partitions
from hpc_components.spec import Queue
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.source import UnreadableError

RANKS_PER_CORE = 16
"""Maximum ranks per core when a job is scaled to this machine. With this many ranks, a job still starts within
seconds (32 ranks on 2 cores: 2 s)."""

REFERENCE_NODES = 4


class JobKind(StrEnum):
    """What a job does. The programs and scripts of reference jobs are stored in `jobs/` under these names."""

    HELLO_MPI = "hello_mpi"  # each MPI rank says hello
    HELLO_GPU = "hello_gpu"  # each MPI rank says hello and names its GPU
    CHECKPOINT = "checkpoint"  # works in steps, and resumes after a requeue
    OWN = "own"  # the user's own job script


@dataclass(frozen=True, kw_only=True)
class Job:
    kind: JobKind
    queue: str
    files: Mapping[str, str]
    """Maps absolute paths on the shared file system to the contents of the files to create."""
    user: str
    directory: str
    """Directory from which the job is submitted."""
    command: tuple[str, ...]
    scale: Scale | None
    """How the job is scaled to this machine, or None for the user's own job, which is never scaled."""


def choose_queue(cluster: ClusterSpec, fault: Fault | None) -> Queue:
    """Return the first queue in which the fault can occur, or the first queue if there is no fault.

    Raise UnreadableError if the fault can't occur in any queue.
    """
    if fault is Fault.SPOT:
        spot = [queue for queue in cluster.queues if queue.purchase == "spot"]
        if not spot:
            raise UnreadableError(
                f"{cluster.name} has no spot queue, so it can't receive spot notices; rehearse another fault"
            )
        return spot[0]
    if fault is Fault.CAPACITY:
        several = [queue for queue in cluster.queues if len(queue.machines) * len(cluster.queue_zones(queue)) > 1]
        return (several or cluster.queues)[0]
    return cluster.queues[0]


def reference_job(setup: Setup, queue: Queue, *, nodes: int | None, cores: int, full: bool, checkpoints: bool) -> Job:
    """Return an MPI job that says hello from every CPU or GPU. If `checkpoints` is set, return a job that writes
    checkpoints instead.

    The job runs the published script. Unless `full` is set, an sbatch option reduces the number of ranks to suit a
    machine with `cores` cores. Raise UnreadableError if the queue has fewer nodes than requested.
    """
    user, account = setup.submitter(queue)
    gpus, cpus = setup.gpus(queue.name), setup.cpus(queue.name)
    kind = JobKind.CHECKPOINT if checkpoints else JobKind.HELLO_GPU if gpus else JobKind.HELLO_MPI
    number = nodes or (1 if checkpoints else min(REFERENCE_NODES, queue.max))
    if number > queue.max:
        raise UnreadableError(
            f"--nodes {number} is more than queue {queue.name} has; request at most {queue.max} nodes"
        )
    tasks = 1 if checkpoints else gpus or cpus
    here = tasks if full else max(1, min(tasks, RANKS_PER_CORE * cores // number))
    shared = _shared_directory(setup.cluster, user)
    folder = files("hpc_components.rehearse.run") / "jobs"
    words = {"@NODES@": number, "@TASKS@": tasks, "@QUEUE@": queue.name, "@SHARED@": shared}
    script = (folder / f"{kind}.sh").read_text()
    for word, value in words.items():
        script = script.replace(word, str(value))
    return Job(
        kind=kind,
        queue=queue.name,
        files={f"{shared}/submit_job.sh": script, f"{shared}/{kind}.py": (folder / f"{kind}.py").read_text()},
        user=user,
        directory=shared,
        command=_sbatch(
            "submit_job.sh",
            f"--account={account}" if account else "",
            f"--ntasks-per-node={here}" if here != tasks else "",
        ),
        scale=Scale(nodes=number, ranks=number * here, full_ranks=number * tasks, cpus_per_node=cpus),
    )


def own_job(setup: Setup, name: str, text: str, *, nodes: int | None) -> Job:
    queues = {queue.name: queue for queue in setup.cluster.queues}
    queue = queues.get(asked_partitions(text)[0], setup.cluster.queues[0])
    user, account = setup.submitter(queue)
    account = "" if asked_account(text) else account
    shared, script = _shared_directory(setup.cluster, user), PurePosixPath(name).name
    return Job(
        kind=JobKind.OWN,
        queue=queue.name,
        files={f"{shared}/{script}": text},
        user=user,
        directory=shared,
        command=_sbatch(script, f"--account={account}" if account else "", f"--nodes={nodes}" if nodes else ""),
        scale=None,
    )


def _sbatch(script: str, *options: str) -> tuple[str, ...]:
    return ("sbatch", *filter(None, options), script)


def _shared_directory(cluster: ClusterSpec, user: str) -> str:
    """Return a directory for the job's files on the fastest file system that all nodes mount."""
    by_speed = sorted(cluster.storage.values(), key=lambda storage: storage.type != "lustre")
    mount = by_speed[0].mount if by_speed else HOME
    return f"{HOME}/{user}" if mount == HOME else mount
