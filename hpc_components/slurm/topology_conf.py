from collections.abc import Sequence

from hpc_components.slurm.queue_nodes import QueueNodes

TOP = "all_queues"
"""Name of the top-level switch. It can't clash with a queue's switch, because queue names contain no underscores."""


def topology_conf(nodes: Sequence[QueueNodes]) -> str:
    """Return the text of topology.conf: one switch for each queue, and one top-level switch that connects them.

    Each queue has a switch because its nodes are close together in a placement group or pool. Nodes are listed even
    if they are not running, because Slurm would otherwise refuse jobs that wait for them.

    topology.conf works with every release. Releases from 25.05 on prefer topology.yaml if it exists, but that file
    would have no advantage here.
    """
    leaves = [f"SwitchName={one.queue} Nodes={one.names}" for one in nodes]
    return "\n".join([*leaves, f"SwitchName={TOP} Switches={','.join(one.queue for one in nodes)}", ""])
