import re
from collections.abc import Iterator

from hpc_components.catalog.cluster_limits import cluster_limit
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import words_of
from hpc_components.spec.rules._values import Wrong, cluster_name, queue_names, value_rule

MAX_QUEUE_NAME_LENGTH = 25
MAX_STORE_NAME_LENGTH = 30

RESERVED_QUEUE_NAMES = ("head", "login")
"""Names that a queue can't have, because the cluster's own machines and identities are called `<cluster>-head` and
`<cluster>-login`."""


@value_rule("HPC-NAM-001", Level.ERROR, cluster_name)
def valid_cluster_name(_: ClusterSpec, path: Path, name: str) -> Wrong | None:
    """A cluster name must consist of at most 40 letters, digits and hyphens, and begin with a letter.

    The name becomes Slurm's ClusterName, and part of the names of cloud resources and accounting database tables. The
    limit of 40 characters keeps table names short enough for MariaDB. Source: ParallelCluster 3.16,
    ClusterNameValidator.
    """
    wrong = (
        f"{name!r} is not a valid cluster name",
        "use at most 40 letters, digits and hyphens, beginning with a letter",
    )
    return None if re.fullmatch(r"[a-zA-Z][a-zA-Z0-9-]{0,39}", name) else wrong


@value_rule("HPC-NAM-002", Level.ERROR, queue_names)
def valid_queue_name(_: ClusterSpec, path: Path, name: str) -> Wrong | None:
    """A queue name must consist of at most 25 lower-case letters, digits and hyphens, and begin with a letter.

    Nodes are named `<queue>-<number>`, which must be a valid host name. The name `default` is not allowed, because
    Slurm uses it for settings that apply to all partitions. Source: ParallelCluster 3.16, NameValidator;
    slurm.conf(5), PartitionName.
    """
    return _wrong_name(name, MAX_QUEUE_NAME_LENGTH, "a queue's name")


@value_rule("HPC-NAM-016", Level.ERROR, queue_names)
def reserved_queue_names(cluster: ClusterSpec, path: Path, name: str) -> Wrong | None:
    """A queue must not be called `head` or `login`.

    The cluster's own machines and identities are named `<cluster>-head` and `<cluster>-login`. Source: `cluster.py`
    of each cloud's package.
    """
    reason = f"{cluster.name}-{name} is the name of the cluster's own {name} node"
    return (
        (reason, "use a name that describes the queue's purpose, e.g. compute")
        if name in RESERVED_QUEUE_NAMES
        else None
    )


@rule("HPC-NAM-003", Level.ERROR)
def queue_names_differ(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queue names must be unique.

    Nodes are named after their queue, so nodes in two queues would have the same names.
    """
    first: dict[str, int] = {}
    for index, queue in enumerate(cluster.queues):
        if first.setdefault(queue.name, index) != index:
            yield Problem(
                path=("queues", index, "name"),
                value=queue.name,
                reason=f"queues[{first[queue.name]}] is also called {queue.name!r}",
                remedy="rename one of the queues",
            )


def _store_names(cluster: ClusterSpec) -> Iterator[tuple[Path, None, str]]:
    for kind, stores in (("storage", cluster.storage), ("buckets", cluster.buckets)):
        yield from (((kind, name), None, name) for name in stores)


@value_rule("HPC-NAM-004", Level.ERROR, _store_names)
def valid_store_names(_: ClusterSpec, path: Path, value: None, name: str) -> Wrong | None:
    """File system and bucket names must consist of at most 30 lower-case letters, digits and hyphens.

    These names become part of cloud resource names. Source: ParallelCluster 3.16, SharedStorageNameValidator.
    """
    return _wrong_name(name, MAX_STORE_NAME_LENGTH, f"a name under {path[0]}")


@rule("HPC-NAM-005", Level.ERROR)
def queue_count(cluster: ClusterSpec) -> Iterator[Problem]:
    """A cluster must have 1 to 50 queues.

    The number is limited because each queue needs a launch template, a role and separate entries in Slurm's tables.
    Source: ParallelCluster 3.16, queue limit.
    """
    most = cluster_limit("slurm.queues")
    if not 1 <= len(cluster.queues) <= most:
        few = not cluster.queues
        yield Problem(
            path=("queues",),
            value=len(cluster.queues),
            reason="without a queue, no job can run" if few else f"{len(cluster.queues)} queues are too many",
            remedy=f"add a queue: {{name: cpu, machine: {words_of(cluster).machines.queue}, max: 4}}"
            if few
            else f"use at most {most}; merge queues that share a machine type into one queue with several QoS",
        )


@value_rule("HPC-NAM-006", Level.WARNING, cluster_name)
def lower_case_cluster(_: ClusterSpec, path: Path, name: str) -> Wrong | None:
    """A cluster's name should be in lower case.

    Slurm's database uses lower case, and bucket names can't contain capitals, so the same cluster would go by two
    names. Source: slurm.conf(5), ClusterName.
    """
    reason = f"Slurm's accounting and the buckets would use {name.lower()!r}, but the tags would use {name!r}"
    return (reason, f"use {name.lower()}") if name != name.lower() else None


def _wrong_name(name: str, most: int, what: str) -> Wrong | None:
    if name == "default":
        return f"'default' can't be {what}", "use a name that describes the purpose"
    if re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", name) and len(name) <= most:
        return None
    length = f": it has {len(name)} characters, but the maximum is {most}" if len(name) > most else ""
    proposed = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-0123456789")[:most].strip("-")
    return (
        f"{name!r} can't be {what}{length}",
        f"use at most {most} lower-case letters, digits and hyphens, beginning with a letter"
        + (f": {proposed}" if proposed and proposed not in (name, "default") else ""),
    )
