import re
from collections.abc import Iterator

from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.catalog.names import instance_name, longest_name, wrong_name
from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import Lustre
from hpc_components.spec.findings import Level, Path
from hpc_components.spec.queue_defaults import placement
from hpc_components.spec.rules._values import (
    Wrong,
    bucket_of_cluster,
    cluster_name,
    queue_names,
    too_long,
    value_rule,
)

RESERVED_QUEUE_NAMES = ("nodes",)
"""Queue names that clash with the cluster's own resources: `<cluster>-nodes` is the compute nodes' subnet."""


@value_rule("HPC-NAM-011", Level.ERROR, cluster_name)
def name_of_resources(_: GcpClusterSpec, path: Path, name: str) -> Wrong | None:
    """A cluster's name must be lower-case and must not end with a hyphen, as Google requires of network names.

    The network has the same name as the cluster, and all other names begin with the cluster's name. Source: Compute
    Engine documentation, "Naming resources", RFC 1035.
    """
    if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9-]{0,39}", name) or re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", name):
        return None
    wrong = "no capitals" if name != name.lower() else "no hyphen at the end of a name"
    return f"the network would be called {name}, but Google allows {wrong}", f"use {name.lower().rstrip('-')}"


@value_rule("HPC-NAM-012", Level.ERROR, queue_names)
def name_of_instances(cluster: GcpClusterSpec, path: Path, name: str) -> Wrong | None:
    """`<cluster>-<queue>` must be short enough for the names of machines and placement policies.

    Machines are called `<cluster>-<queue>-<number>`. In the names of compact placement policies, the zone's letter
    comes before the number. All of these names are limited to 63 characters. Source: Compute Engine documentation,
    "Naming resources"; `elastic/drivers/gcp`.
    """
    queue = cluster.queues[int(path[1])]
    made = [(instance_name(cluster.name, f"{name}-{queue.max}"), "a machine")]
    if placement(queue) == "cluster":
        made.append((f"{cluster.name}-{name}-a-0", "a placement policy"))
    longest, what = max(made, key=lambda each: len(each[0]))
    return too_long(longest, service_limit("instance.name"), what=what)


@value_rule("HPC-NAM-013", Level.ERROR, queue_names)
def reserved_queue_names(cluster: GcpClusterSpec, path: Path, name: str) -> Wrong | None:
    """A queue must not be called `nodes`.

    The compute nodes' subnet is already called `<cluster>-nodes`. Source: `network/` of this package.
    """
    reason = f"{cluster.name}-{name} is already the name of the cluster's {name} subnet"
    return (reason, "name the queue after its purpose, e.g. compute") if name in RESERVED_QUEUE_NAMES else None


def _file_systems(cluster: GcpClusterSpec) -> Iterator[tuple[Path, None, str, Nfs | Lustre]]:
    for name, system in cluster.storage.items():
        if system.existing is None:
            yield ("storage", name), None, name, system


@value_rule("HPC-NAM-014", Level.ERROR, _file_systems)
def name_of_file_systems(
    cluster: GcpClusterSpec, path: Path, value: None, name: str, system: Nfs | Lustre
) -> Wrong | None:
    """`<cluster>-<file system>` must be short enough for the resource names derived from it.

    A Lustre file system is called `<cluster>-<name>`. A Filestore instance has the same name, followed by a random
    suffix that Pulumi adds. The role for transfers between Lustre and a bucket is called `<cluster>_<name>_transfer`.
    Source: Managed Lustre and Filestore API references, instance ids; IAM API reference, projects.roles.create.
    """
    made = f"{cluster.name}-{name}"
    if isinstance(system, Nfs):
        return too_long(
            made,
            longest_name("filestore"),
            what="an instance",
            whose="the file system's or the cluster's name",
            end=RANDOM_SUFFIX,
        )
    role, most = f"{made}-transfer", longest_name("custom_role")
    if (system.import_from or system.export_to) and len(role) - most > len(made) - longest_name("lustre"):
        return too_long(role.replace("-", "_"), most, what="a role", whose="the file system's or the cluster's name")
    return too_long(made, longest_name("lustre"), what="an instance", whose="the file system's or the cluster's name")


@value_rule("HPC-NAM-015", Level.ERROR, cluster_name)
def name_of_config_bucket(_: GcpClusterSpec, path: Path, name: str) -> Wrong | None:
    """A cluster's name must not contain `google` or begin with `goog`, because bucket names can't.

    Nodes fetch their configuration from a bucket whose name begins with the cluster's name. Source: Cloud Storage
    documentation, "About Cloud Storage buckets", bucket names.
    """
    return bucket_of_cluster(name, lambda made: wrong_name("bucket", made))
