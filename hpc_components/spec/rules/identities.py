from collections.abc import Iterator
from dataclasses import dataclass

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Problem
from hpc_components.spec.identities import NodeIdentity
from hpc_components.spec.rule import rule


@dataclass(frozen=True)
class _Pair:
    """Two kinds of nodes that must not share an identity."""

    mighty: str
    """Kind of nodes whose identity has more permissions, as the first key of their path in the description, e.g.
    `head_node`."""
    other: str
    then: str
    """A clause about the shared identity and what sharing it would allow. The clause follows "it is" in the finding's
    reason."""
    level: Level


_HEAD = (
    "also the head node's identity, which may launch and terminate machines and write the cluster's keys; "
    "sharing it gives the same permissions to"
)
PAIRS = (
    _Pair("head_node", "queues", f"{_HEAD} every job in queue {{queue}}", Level.ERROR),
    _Pair("head_node", "login_nodes", f"{_HEAD} an intruder on a login node", Level.ERROR),
    _Pair(
        "login_nodes",
        "queues",
        "also the login nodes' identity, which may replace their SSH host keys; sharing it gives the same "
        "permission to every job in queue {queue}",
        Level.WARNING,
    ),
)


@rule("HPC-IDN-013", Level.ERROR)
def identity_of_one_kind_of_node(cluster: ClusterSpec) -> Iterator[Problem]:
    """The head node must not share its identity with other nodes.

    Jobs can also reach the metadata service and get tokens for the identity that their queue specifies. With the head
    node's identity, a job could launch and terminate machines, read Slurm's keys and act as any user. Identities are
    compared the way the cloud compares them: names match regardless of case, an ARN matches the name it contains, and
    an instance profile matches the role of the same name. Login nodes and queues may share an identity on purpose, so
    that is only a warning. Source: EC2 user guide, "Instance metadata and user data"; Azure documentation, "Managed
    identities for Azure resources", best practice recommendations; IAM documentation of Google Cloud, "Best practices
    for using service accounts".
    """
    found = tuple(cluster.node_identities())
    for pair in PAIRS:
        mighty: dict[str, NodeIdentity] = {
            name: one for one in found if one.path[0] == pair.mighty for name in one.known_as
        }
        for one in found:
            shared = min(one.known_as & mighty.keys(), default=None) if one.path[0] == pair.other else None
            if shared is not None:
                yield _shared(cluster, pair, one, mighty[shared])


@rule("HPC-IDN-014", Level.WARNING)
def munge_key_within_reach_of_jobs(cluster: ClusterSpec) -> Iterator[Problem]:
    """Jobs should not be able to read the munge key.

    A machine can have only one role on AWS, and only one service account on Google Cloud. If a queue specifies its
    own, the queue's nodes boot with that identity, which must therefore be allowed to read the key. But jobs can get
    the same credentials from the metadata service, and anyone with the key can act as any user of the cluster,
    including root on all nodes. On Azure, nodes have two identities, and jobs get only the one that the queue
    specifies. Source: EC2 user guide, "IAM roles for Amazon EC2"; Compute Engine documentation, "Service accounts";
    MUNGE's documentation, munge(7).
    """
    for one in cluster.node_identities():
        if one.for_jobs:
            queue, key = cluster.queues[int(one.path[1])].name, str(one.path[-1])
            yield Problem(
                path=one.path,
                value=one.written,
                reason="nodes use this identity to read the munge key, and jobs can get its credentials from the "
                f"metadata service: users with jobs in queue {queue} can become root on all nodes",
                remedy=f"remove {key}, and give jobs access to the cluster's buckets with read_from and write_from, "
                "or silence this rule if all users of the queue may administer the cluster",
                fix=(Change(one.path), *map(Change, one.removed_with)),
            )


def _shared(cluster: ClusterSpec, pair: _Pair, one: NodeIdentity, theirs: NodeIdentity) -> Problem:
    queue = cluster.queues[int(one.path[1])].name if pair.other == "queues" else ""
    key = str(one.path[-1])
    return Problem(
        path=one.path,
        value=one.written,
        places=(one.path, theirs.path),
        reason=f"it is {pair.then.format(queue=queue)}",
        remedy=f"remove {key}, so that the cluster creates an identity with minimal permissions, or specify another "
        "identity",
        fix=(Change(one.path), *map(Change, one.removed_with)),
        level=pair.level,
    )
