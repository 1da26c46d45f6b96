"""topology.conf: which nodes are close to each other."""

from collections.abc import Sequence

from hpc_components.slurm.queue_nodes import QueueNodes

TOP = "all_queues"
"""The switch over all others; no queue has an underscore in its name."""


def topology_conf(nodes: Sequence[QueueNodes]) -> str:
    """Return the text: one switch per queue, whose nodes a placement group or pool keeps close together, and one
    above all.

    All nodes are listed, running or not: Slurm would otherwise refuse a job that waits for them. Every release reads
    this file; topology.yaml, which 25.05 and later read instead if it exists, would say nothing more.
    """
    leaves = [f"SwitchName={one.queue} Nodes={one.names}" for one in nodes]
    return "\n".join([*leaves, f"SwitchName={TOP} Switches={','.join(one.queue for one in nodes)}", ""])
