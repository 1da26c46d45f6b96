"""gres.conf: the GPUs of each queue's nodes."""

from collections.abc import Iterator, Sequence

from hpc_components.slurm.queue_nodes import Gpus, QueueNodes

__all__ = ["gres_conf"]


def gres_conf(nodes: Sequence[QueueNodes]) -> str:
    """Devices are named, not found: slurmd would find what the machine has, and Slurm knows the queue's smallest."""
    lines = [line for one in nodes if one.gpus for line in _lines(one.names, one.gpus)]
    return "\n".join(["AutoDetect=off", *lines, ""])


def _lines(names: str, gpus: Gpus) -> Iterator[str]:
    devices = "/dev/nvidia0" if gpus.count == 1 else f"/dev/nvidia[0-{gpus.count - 1}]"
    yield f"NodeName={names} Name=gpu Type={gpus.type} File={devices} Flags=nvidia_gpu_env"
    if gpus.shares:
        kind, of_each = gpus.shares
        yield f"NodeName={names} Name={kind} Count={of_each * gpus.count} Flags=nvidia_gpu_env"
