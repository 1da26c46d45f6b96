from collections.abc import Sequence

from hpc_components.slurm.queue_nodes import QueueNodes
from hpc_components.spec.slurm.tres import Gpus


def gres_conf(nodes: Sequence[QueueNodes]) -> str:
    """Return the text.

    Device files are listed, because autodetection would find all of a machine's GPUs, whereas slurm.conf contains the
    number of GPUs in the queue's smallest machine.

    GPU shares have no line, because Slurm distributes the count in slurm.conf evenly over the GPUs. With a line for
    `mps`, jobs would get 0 percent of their GPU. Source: run on Slurm 22.05 and 24.11.
    """
    lines = [_line(one.names, one.gpus) for one in nodes if one.gpus]
    return "\n".join(["AutoDetect=off", *lines, ""])


def _line(names: str, gpus: Gpus) -> str:
    files, flag = gpus.devices.pattern(gpus.count), gpus.devices.slurm_flag
    return f"NodeName={names} Name=gpu Type={gpus.type} File={files} Flags={flag}"
