"""Stops and starts queues by Slurm's own means: no new job starts on a partition that is down."""

from collections.abc import Sequence
from typing import Literal

from hpc_components.operate.reach import Reach, checked_name
from hpc_components.operate.run_on_node import ask_node
from hpc_components.operate.ways import ReachError

State = Literal["DOWN", "UP"]


def set_queues(reach: Reach, queues: Sequence[str], state: State) -> list[str]:
    """Set the state of these queues, or of all if `queues` is empty. Return their names.

    Jobs that run go on, and jobs may be submitted. Source: scontrol(1), PARTITIONS, State.

    Raise ReachError if a queue does not exist, or if the account may not do this.
    """
    for queue in queues:
        checked_name(queue, "QUEUE")
    known = _queues(reach)
    if unknown := [queue for queue in queues if queue not in known]:
        raise ReachError(f"cluster {reach.cluster} has no queue {unknown[0]}; its queues are {', '.join(known)}")
    chosen = list(dict.fromkeys(queues)) or known
    found = ask_node(
        reach,
        {each: ("sudo", "-n", "scontrol", "update", f"partitionname={each}", f"state={state}") for each in chosen},
    )
    for queue, section in found.items():
        if section.code != 0:
            raise ReachError(f"queue {queue} keeps its state: {section.text.strip() or 'scontrol says nothing'}")
    return chosen


def _queues(reach: Reach) -> list[str]:
    found = ask_node(reach, {"queues": ("sinfo", "--all", "--noheader", "--format=%R")})["queues"]
    if found.code != 0:
        raise ReachError(f"Slurm does not answer: {found.text.strip()}")
    return sorted(set(found.text.split()))
