"""Rules on the names of what a cluster makes on Google Cloud."""

import re
from collections.abc import Iterator

from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.catalog.names import instance_name, longest_name, wrong_name
from hpc_components.gcp.home.model import Nfs
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import placement
from hpc_components.spec.rule import rule
from hpc_components.wording import plural

OURS = ("head", "login", "nodes")
"""What the cluster's own machines, subnets and service accounts are called, after its name."""


@rule("HPC-NAM-011", Level.ERROR)
def name_of_resources(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A cluster's name is one with which Google's names can begin: small letters, no hyphen at the end.

    The network has it as its name; all else begins with it. Source: Compute Engine documentation, "Naming
    resources", RFC 1035.
    """
    name = cluster.name
    if re.fullmatch(r"[a-zA-Z][a-zA-Z0-9-]{0,39}", name) and not re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", name):
        capitals = name != name.lower()
        yield Problem(
            path=("name",),
            value=name,
            reason=f"the network would be called {name}, and Google takes"
            + (" no capitals" if capitals else " no hyphen at the end of a name"),
            remedy=f"use {name.lower().rstrip('-')}",
        )


@rule("HPC-NAM-012", Level.ERROR)
def name_of_instances(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The names of the cluster and of each queue together leave room for those of machines and placement policies.

    A node's machine is called `<cluster>-<queue>-<number>`, a compact placement policy `<cluster>-<queue>-<letter of
    the zone>-<number>`; each has at most 63 characters. Source: Compute Engine documentation, "Naming resources";
    `elastic/drivers/gcp`.
    """
    most = service_limit("instance.name")
    for index, queue in enumerate(cluster.queues):
        made = [("machine", instance_name(cluster.name, f"{queue.name}-{queue.max}"))]
        if placement(queue) == "cluster":
            made.append(("placement policy", f"{cluster.name}-{queue.name}-a-0"))
        what, longest = max(made, key=lambda each: len(each[1]))
        if (over := len(longest) - most) > 0:
            yield Problem(
                path=("queues", index, "name"),
                value=queue.name,
                reason=f"a {what} of it would be called {longest}, which has {plural(over, 'character')} more than"
                f" the {most} of Google's names",
                remedy=f"shorten the queue's or the cluster's name by {over}",
            )


@rule("HPC-NAM-013", Level.ERROR)
def queue_beside_ours(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """No queue is called `head`, `login` or `nodes`.

    `<cluster>-head` and its like are names of the cluster's own machines, subnets and service accounts. Source:
    `components/` of this package.
    """
    for index, queue in enumerate(cluster.queues):
        if queue.name in OURS:
            yield Problem(
                path=("queues", index, "name"),
                value=queue.name,
                reason=f"{cluster.name}-{queue.name} is what the cluster's own {queue.name} is called",
                remedy="say what it is for: compute",
            )


@rule("HPC-NAM-014", Level.ERROR)
def name_of_file_systems(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The names of the cluster and of each file system together leave room for those of what is made for it.

    A Lustre file system is called `<cluster>-<name>`, a Filestore instance so with a random end, and what copies
    between Lustre and a bucket has a role `<cluster>_<name>_transfer`. Source: Managed Lustre and Filestore API
    references, instance ids; IAM API reference, projects.roles.create; the random end is Pulumi's.
    """
    for name, system in cluster.storage.items():
        if system.existing is not None:
            continue
        made = f"{cluster.name}-{name}"
        over = len(made) - longest_name("lustre")
        if isinstance(system, Nfs):
            over = len(made + RANDOM_SUFFIX) - longest_name("filestore")
        elif system.import_from or system.export_to:
            over = max(over, len(f"{made}-transfer") - longest_name("custom_role"))
        if over > 0:
            yield Problem(
                path=("storage", name),
                reason=f"it would be called {made}, and with what is made for it that is {plural(over, 'character')}"
                " too long for Google",
                remedy=f"shorten its name or the cluster's by {over}",
            )


@rule("HPC-NAM-015", Level.ERROR)
def name_of_config_bucket(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A cluster's name is one with which a bucket's can begin: without `google`, and without `goog` at its beginning.

    Nodes fetch their configuration from a bucket that begins with it. Source: Cloud Storage documentation, "About
    Cloud Storage buckets", bucket names.
    """
    made = f"{cluster.name.lower()}-config"
    if re.fullmatch(r"[a-z][a-z0-9-]*", made) and (wrong := wrong_name("bucket", made)):
        yield Problem(
            path=("name",),
            value=cluster.name,
            reason=f"a bucket of it would be called {made} and a random end: {wrong[0]}",
            remedy=wrong[1],
        )
