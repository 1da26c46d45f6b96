from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import words_of


@rule("HPC-NET-016", Level.ERROR)
def packages_without_nat(cluster: ClusterSpec) -> Iterator[Problem]:
    """Without NAT, every node must use an image that already contains its software.

    The package archives for operating systems, fabrics and Lustre are on the internet, which a node can't reach
    without NAT. Compute nodes would terminate themselves at boot, and the head node would never become ready.
    """
    if cluster.network.cidr is None or cluster.network.nat != "none":
        return
    plain = [f"queue {queue.name}" for queue in cluster.queues if queue.image is None]
    if cluster.login_nodes and cluster.login_nodes.image is None:
        plain.insert(0, "login_nodes")
    if not cluster.head_node.public and cluster.head_node.image is None:
        plain.insert(0, "head_node")
    if plain:
        yield Problem(
            path=("network", "nat"),
            value="none",
            reason=f"{', '.join(plain)} would use a public image, but without NAT, no software can be installed at "
            "first boot",
            remedy=f"specify images that contain Slurm and the drivers (image: {words_of(cluster).image_id}), or use "
            "nat: one",
        )
