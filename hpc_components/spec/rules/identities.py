"""Rules on which nodes and jobs may use a cloud identity."""

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
    """First item of the path to the nodes whose identity has more permissions."""
    other: str
    then: str
    """What sharing the identity would allow, worded as part of the reason."""
    level: Level


_HEAD = "that of the head node, which may launch and terminate machines and write the cluster's keys: so may"
PAIRS = (
    _Pair("head_node", "queues", f"{_HEAD} every job of queue {{queue}}", Level.ERROR),
    _Pair("head_node", "login_nodes", f"{_HEAD} an intruder on a login node", Level.ERROR),
    _Pair(
        "login_nodes",
        "queues",
        "that of the login nodes, which may replace their SSH host keys: so may every job of queue {queue}",
        Level.WARNING,
    ),
)


@rule("HPC-IDN-013", Level.ERROR)
def identity_of_one_kind_of_node(cluster: ClusterSpec) -> Iterator[Problem]:
    """The head node must not share its identity with other nodes.

    The metadata service also answers jobs, so jobs can get tokens for the identity that their queue specifies. With
    the head node's identity, a job could launch and terminate machines, read Slurm's keys and act as any user.
    Identities are compared as the cloud compares them: names match regardless of case, an ARN matches its name, and a
    profile matches the role of the same name. Login nodes and queues may share an identity if the administrator wants
    that, so it is only a warning. Source: EC2 user guide, "Instance metadata and user data"; Azure documentation,
    "Managed identities for Azure resources", best practice recommendations; IAM documentation of Google Cloud, "Best
    practices for using service accounts".
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

    AWS gives a machine one role, and Google Cloud one service account. If a queue specifies its own, nodes boot with
    it, so it must be allowed to read the key. But jobs can also get its credentials from the metadata service, and
    anyone with the key can act as any user of the cluster, including root on all nodes. On Azure, nodes have two
    identities, and jobs get only the one that the queue specifies. Source: EC2 user guide, "IAM roles for Amazon
    EC2"; Compute Engine documentation, "Service accounts"; MUNGE's documentation, munge(7).
    """
    for one in cluster.node_identities():
        if one.for_jobs:
            queue, key = cluster.queues[int(one.path[1])].name, str(one.path[-1])
            yield Problem(
                path=one.path,
                value=one.written,
                reason="nodes read the munge key with it, and the metadata service gives it to jobs: users with"
                f" jobs in queue {queue} can become root on all nodes",
                remedy=f"remove {key}, and let jobs use the cluster's buckets by read_from and write_from; or silence"
                " this, if all users of the queue may administer the cluster",
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
        remedy=f"remove {key}, so that the cluster creates one with minimal permissions; or name another one",
        fix=(Change(one.path), *map(Change, one.removed_with)),
        level=pair.level,
    )
