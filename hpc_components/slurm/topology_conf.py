"""Writes topology.conf, which tells Slurm which nodes are close to each other."""

from collections.abc import Sequence

from hpc_components.slurm.queue_nodes import QueueNodes

TOP = "all_queues"
"""Name of the switch above all others. It can't clash with a queue's switch, because queue names contain no
underscores."""


def topology_conf(nodes: Sequence[QueueNodes]) -> str:
    """Return the text: one switch for each queue (a placement group or pool keeps its nodes close together), and one
    switch above all.

    All nodes are listed, whether running or not, because Slurm would otherwise refuse jobs that wait for them. Every
    release reads this file. 25.05 and later prefer topology.yaml if it exists, but it would have no advantage here.
    """
    leaves = [f"SwitchName={one.queue} Nodes={one.names}" for one in nodes]
    return "\n".join([*leaves, f"SwitchName={TOP} Switches={','.join(one.queue for one in nodes)}", ""])
