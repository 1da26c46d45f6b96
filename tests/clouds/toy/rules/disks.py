"""Rules on disks."""

from collections.abc import Iterator

from clouds.toy.spec.cluster import ToyClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-TOY-002", Level.WARNING)
def fast_state(cluster: ToyClusterSpec) -> Iterator[Problem]:
    """Slurm's state is on a fast disk.

    slurmctld writes it at every change of a job. Source: the toy cloud's manual.
    """
    if cluster.head_node.state.type == "slow":
        yield Problem(
            path=("head_node", "state", "type"),
            value="slow",
            reason="slurmctld waits for this disk at every change of a job",
            remedy="use type: fast",
        )
