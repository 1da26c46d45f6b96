from collections.abc import Iterator

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, nearest, queue_machines
from hpc_components.wording import any_of

MAX_SHARES_PER_GPU = {"shards": 64, "mps": 100}
"""Maximum number of shares per GPU, by kind. MPS shares are percentages of a GPU, although an MPS server supports
only 48 processes. The maximum number of shards is our own choice.

Source: NVIDIA Multi-Process Service, "Client-Server Connection Limits"; Slurm's GRES guide, "MPS Management".
"""

MPS_MANUFACTURER = "NVIDIA"

MIN_SHARE_GIB = 1.0
"""Minimum GPU memory per share. A process's CUDA context alone takes a few hundred MiB. The minimum is our own
choice."""


def _sharing(cluster: ClusterSpec) -> Iterator[tuple[Path, str, int, int, Queue]]:
    """Yield (path, `shards` or `mps`, number of shares, queue index, queue) for each queue that shares GPUs."""
    for index, queue in enumerate(cluster.queues):
        if queue.gpu_sharing is not None:
            ((key, number),) = queue.gpu_sharing.model_dump().items()
            yield ("queues", index, "gpu_sharing"), key, number, index, queue


@rule("HPC-GPU-001", Level.ERROR)
def gpus_to_share(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queues with `gpu_sharing` must have machines with GPUs.

    Source: gres.conf(5): shards and MPS shares are fractions of a gres/gpu.
    """
    for path, _, _, index, queue in _sharing(cluster):
        for _, machine in queue_machines(index, queue):
            if machine.gpu is None:
                with_gpus = nearest(machine, [m for m in in_region(cluster) if m.gpu and m.arch == machine.arch])
                yield Problem(
                    path=path,
                    reason=f"{machine.name} has no GPUs to share",
                    remedy=f"remove gpu_sharing, or use {any_of(with_gpus)}" if with_gpus else "remove it",
                )


@rule("HPC-GPU-002", Level.ERROR)
def number_of_shares(cluster: ClusterSpec) -> Iterator[Problem]:
    """A shared GPU must have 2 to 64 shards, or 2 to 100 MPS shares.

    A single share is the whole GPU. Source: NVIDIA Multi-Process Service, "Client-Server Connection Limits".
    """
    for path, key, number, _, _ in _sharing(cluster):
        if not 2 <= number <= MAX_SHARES_PER_GPU[key]:
            yield Problem(
                path=(*path, key),
                value=number,
                reason=f"a GPU can't have {number} shares" if number != 1 else "one share is the whole GPU",
                remedy=f"use 2 to {MAX_SHARES_PER_GPU[key]}, or remove gpu_sharing",
            )


@rule("HPC-GPU-003", Level.WARNING)
def memory_of_a_shard(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each shard should have at least 1 GiB of GPU memory.

    Jobs on the same GPU share its memory without isolation: when the memory is full, the next allocation fails. The
    minimum is our own choice; memory sizes come from the catalogue.
    """
    for path, key, number, index, queue in _sharing(cluster):
        for _, machine in queue_machines(index, queue) if key == "shards" and number > 1 else ():
            if machine.gpu and machine.gpu.memory_gib / number < MIN_SHARE_GIB:
                yield Problem(
                    path=(*path, key),
                    value=number,
                    reason=f"{number} jobs would share the {machine.gpu.memory_gib:g} GiB of memory in one "
                    f"{machine.gpu.model}",
                    remedy=f"use at most {int(machine.gpu.memory_gib / MIN_SHARE_GIB)}",
                )


@rule("HPC-GPU-004", Level.WARNING)
def one_way_of_sharing(cluster: ClusterSpec) -> Iterator[Problem]:
    """A cluster should share all its GPUs in the same way, with either shards or MPS.

    If both are used, Slurm does not set `CUDA_VISIBLE_DEVICES` for jobs with shards. Source: run on Slurm 24.11.
    """
    first: tuple[Path, str] | None = None
    for path, key, _, _, queue in _sharing(cluster):
        at, other = first = first or (path, key)
        if key != other:
            yield Problem(
                path=path,
                reason=f"queue {queue.name} shares GPUs with {key}, but another queue uses {other}: Slurm then does "
                "not set CUDA_VISIBLE_DEVICES for jobs with shards",
                remedy=f"use {other} here as well",
                places=(at, path),
            )


@rule("HPC-GPU-005", Level.WARNING)
def shards_of_ubuntu(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queues with shards need a Slurm release that counts shards correctly.

    Release 23.11.4, which comes with Ubuntu 24.04, may allocate a whole GPU to one job and the GPU's shards to others
    at the same time. Source: Slurm's NEWS, 23.11.5.
    """
    bucket = cloud_named(cluster.cloud).bucket_scheme
    if cluster.slurm.version != "23.11" or not cluster.slurm.of_system:
        return
    for path, key, _, _, _ in _sharing(cluster):
        if key == "shards":
            yield Problem(
                path=path,
                reason="Slurm 23.11.4, which comes with Ubuntu 24.04, may allocate a whole GPU to one job and its "
                "shards to others",
                remedy='use packages of a later release, e.g. slurm: {version: "24.11", package_source: '
                f'"{bucket}://..."}}',
            )


@rule("HPC-GPU-006", Level.WARNING)
def server_of_mps(cluster: ClusterSpec) -> Iterator[Problem]:
    """Nodes that share GPUs with MPS must run the MPS server.

    Slurm counts the shares and passes each job its percentage, but only NVIDIA's MPS server enforces the percentage.
    Nodes don't start the server by themselves: that requires an image that does, or a script with `at: boot`.
    Source: Slurm's GRES guide, "MPS Management".
    """
    for path, key, _, index, queue in _sharing(cluster):
        makers = {machine.gpu.manufacturer for _, machine in queue_machines(index, queue) if machine.gpu}
        if key == "mps" and makers and MPS_MANUFACTURER not in makers:
            yield Problem(
                path=path,
                reason=f"MPS works only on {MPS_MANUFACTURER} GPUs, but this queue's GPUs are from "
                f"{any_of(sorted(makers))}: shares are not enforced",
                remedy="use {shards: 4}",
                fix=(Change(path), Change((*path, "shards"), 4)),
            )
        elif key == "mps" and cluster.base_of(queue.image) is None:
            yield Problem(
                path=path,
                reason="nodes don't start an MPS server, so a job with --gres=mps:25 may use a whole GPU",
                remedy="use {shards: 4}, or set the queue's image to one that starts nvidia-cuda-mps-control",
                fix=(Change(path), Change((*path, "shards"), 4)),
            )
