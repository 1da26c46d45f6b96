"""The job of a rehearsal: the reference job of the cluster, made to its measure, or one of the user's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath

from hpc_components.rehearse.cluster.setup import Setup
from hpc_components.rehearse.result import Fault, Scale
from hpc_components.rehearse.run.job_script import asked_account, asked_partitions
from hpc_components.spec import Queue
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.source import UnreadableError

__all__ = ["HOME", "RANKS_PER_CORE", "Job", "choose_queue", "own_job", "reference_job"]

RANKS_PER_CORE = 16
"""Ranks that a core of this machine starts in a second or so (32 on 2 cores: 2 s; 384: 100 s)."""

HOME = "/home"
"""Where users have a directory each; what is mounted elsewhere is for all to write to."""

NODES = 4
"""Nodes of the reference job, where the queue has so many."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job, ready to be submitted."""

    kind: str
    """`hello_mpi`, `hello_gpu`, `checkpoint`, or `own`."""
    queue: str
    """The partition that it is sent to."""
    files: Mapping[str, str]
    """What must lie on the nodes' shared file system: text by absolute path."""
    user: str
    """Who submits it."""
    directory: str
    """Where it is submitted from."""
    command: tuple[str, ...]
    """How it is submitted there."""
    scale: Scale | None
    """How it is scaled to this machine; None for the user's own, which is not touched."""


def choose_queue(cluster: ClusterSpec, fault: Fault | None) -> Queue:
    """The first queue; with a fault, the first that can show it. UnreadableError if none can."""
    if fault is Fault.SPOT:
        spot = [queue for queue in cluster.queues if queue.purchase == "spot"]
        if not spot:
            raise UnreadableError(f"{cluster.name} has no spot queue, so no spot notice; rehearse another fault")
        return spot[0]
    if fault is Fault.CAPACITY:
        several = [queue for queue in cluster.queues if len(queue.machines) * len(cluster.queue_zones(queue)) > 1]
        return (several or cluster.queues)[0]
    return cluster.queues[0]


def reference_job(setup: Setup, queue: Queue, *, nodes: int | None, cores: int, full: bool, steps: bool) -> Job:
    """MPI ranks that say hello from every CPU or GPU of each node; `steps`: work with checkpoints instead.

    The script is the published one; what is scaled for a machine of `cores` is scaled on the command line.
    """
    user, account = setup.submitter(queue)
    gpus, cpus = setup.gpus(queue.name), setup.cpus(queue.name)
    kind = "checkpoint" if steps else "hello_gpu" if gpus else "hello_mpi"
    number = nodes or (1 if steps else min(NODES, queue.max))
    if number > queue.max:
        raise UnreadableError(f"queue {queue.name} has at most {queue.max} nodes; {number} are more")
    tasks = 1 if steps else gpus or cpus
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
    """A job script of the user's own, as it is."""
    queues = {queue.name: queue for queue in setup.cluster.queues}
    queue = queues.get(asked_partitions(text)[0], setup.cluster.queues[0])
    user, account = setup.submitter(queue)
    account = "" if asked_account(text) else account
    shared, script = _shared_directory(setup.cluster, user), PurePosixPath(name).name
    return Job(
        kind="own",
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
    """Where a job's files lie: on the fastest file system that all nodes mount."""
    stores = sorted(cluster.storage.values(), key=lambda store: store.type != "lustre")
    mount = stores[0].mount if stores else HOME
    return f"{HOME}/{user}" if mount == HOME else mount
