from collections.abc import Iterator

from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.disks.model import AwsDisk, disks, order_of, root_of
from hpc_components.aws.disks.offer import HARD_DISKS, LIMITS, VolumeOrder, refusals
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._quotas import QuotaSum, about_quota
from hpc_components.spec.surfaces import Surface, offer_rules


def _orders(cluster: AwsClusterSpec) -> Iterator[tuple[VolumeOrder, Surface]]:
    return (order_of(use, cluster) for use in disks(cluster))


offer_rules(__name__, AwsClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-EBS-008", Level.WARNING)
def state_on_ssd(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The head node's state should be stored on an SSD volume.

    Slurm writes many small files, and the accounting database syncs after each transaction. Source: Slurm's High
    Throughput Computing guide, StateSaveLocation.
    """
    if cluster.head_node.state.type in HARD_DISKS:
        yield Problem(
            path=("head_node", "state", "type"),
            value=cluster.head_node.state.type,
            reason="each job causes several small writes, and a hard disk performs only about a hundred per second",
            remedy="use gp3",
        )


@rule("HPC-QTA-005", Level.WARNING)
def gp3_quota(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The quota for gp3 volumes must cover the disks of all nodes.

    Source: EBS endpoints and quotas.
    """
    need = QuotaSum(service_quota("gp3_storage"))
    head = cluster.head_node
    volumes: list[tuple[AwsDisk, int, str, Path]] = [
        (head.root, 1, "head node", ("head_node",)),
        (head.state, 1, "Slurm's state", ("head_node",)),
        *((root_of(q), q.max, f"queue {q.name}", ("queues", i, "max")) for i, q in enumerate(cluster.queues)),
    ]
    if login := cluster.login_nodes:
        volumes.append((login.root, login.max, "login nodes", ("login_nodes",)))
    need.parts = [(int(disk.size.in_gib * n), what, at) for disk, n, what, at in volumes if disk.type == "gp3"]
    allowed = need.quota.default
    if need.parts and allowed is not None and need.total > allowed * 1024:
        yield Problem(
            path=need.path,
            value=need.total,
            reason=f"the disks of all nodes need {need.total / 1024:.1f} TiB of gp3 ({need.text} GiB), but the "
            f"default quota is {allowed} TiB",
            remedy=f"request a quota of {-(-need.total // 1024)} TiB ({need.quota.code}), or use smaller root disks",
            about=about_quota(need.quota, cluster.region),
        )
