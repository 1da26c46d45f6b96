import re
from collections.abc import Iterator

from hpc_components.aws.catalog.file_system_names import read_file_system_name
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.lustre.model import Lustre, order_of
from hpc_components.aws.lustre.offer import LIMITS, LustreOrder, refusals
from hpc_components.aws.rules._stores import cut_name, lustre_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._lustre_clients import unpublished_client
from hpc_components.spec.rules._quotas import QuotaSum, about_quota
from hpc_components.spec.surfaces import Surface, offer_rules
from hpc_components.wording import any_of


def _orders(cluster: AwsClusterSpec) -> Iterator[tuple[LustreOrder, Surface]]:
    return (order_of(lustre, path, cluster) for path, lustre in lustre_systems(cluster))


offer_rules(__name__, AwsClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-FSX-024", Level.INFO)
def lustre_ports(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Existing security groups must allow traffic between nodes and Lustre.

    With EFA, they must allow all traffic in both directions. Source: FSx for Lustre user guide, "File system access
    control with Amazon VPC".
    """
    groups = cluster.network.existing.security_groups if cluster.network.existing else None
    systems = list(lustre_systems(cluster))
    if groups is not None and systems:
        efa = any(lustre.efa for _, lustre in systems)
        ports = "all traffic" if efa else "TCP 988 and 1018 to 1023"
        yield Problem(
            path=("network", "existing", "security_groups"),
            reason=f"the description does not show what the security groups allow; Lustre needs {ports} open in "
            "both directions",
            remedy=f"make sure that {', '.join(groups.storage) or 'the storage groups'} allow this traffic to and "
            "from the nodes' groups and among themselves",
        )


@rule("HPC-FSX-018", Level.INFO)
def scratch_is_scratch(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A scratch file system should export its files to a bucket.

    Scratch file systems are not replicated: if a server fails, the files on that server are lost. Source: FSx for
    Lustre user guide, "Deployment options".
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.deployment.startswith("scratch") and not any(link.auto_export for link in lustre.links):
            yield Problem(
                path=(*path, "deployment") if lustre.given("deployment") else path,
                value=lustre.deployment,
                reason="if a server fails, the files on it are lost, and no link exports them to a bucket",
                remedy="link a bucket with import_from or associations; for data that must last, set deployment: "
                "persistent_2 and throughput: 125",
            )


@rule("HPC-FSX-019", Level.INFO)
def lustre_across_zones(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Nodes should be in the same zone as the Lustre file system.

    From other zones, access is slower and traffic is billed. Source: EC2 pricing, data transfer between zones; FSx
    for Lustre user guide, "Accessing file systems".
    """
    if not any(lustre_systems(cluster, new=True)):
        return
    for index, queue in enumerate(cluster.queues):
        away = [zone for zone in queue.zones if zone != cluster.zone]
        if away:
            yield Problem(
                path=("queues", index, "zones", queue.zones.index(away[0])),
                value=away[0],
                reason=f"Lustre is in {cluster.zone}, so traffic between Lustre and nodes in {', '.join(away)} is "
                "billed per GB",
                remedy=f"run data-intensive jobs in {cluster.zone}",
            )


@rule("HPC-FSX-020", Level.WARNING)
def lustre_efa_used(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A Lustre file system with EFA should have clients with EFA.

    Without such clients, EFA brings no benefit and only raises the file system's minimum size. Source: FSx for Lustre
    user guide, "EFA-enabled file systems".
    """
    if any(fabric_on(queue) for queue in cluster.queues):
        return
    for path, lustre in lustre_systems(cluster):
        if lustre.efa and lustre.deployment == "persistent_2":
            yield Problem(
                path=(*path, "efa"), value=True, reason="no queue has nodes with EFA", remedy="leave it out"
            )


@rule("HPC-FSX-021", Level.ERROR)
def client_of_os(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """AWS must offer a Lustre client for the operating system, unless all nodes have custom images.

    The client is a kernel module, which must be built for each kernel. For AlmaLinux, which the guide doesn't name,
    the finding is only a warning: it has the kernels of Rocky Linux. Source: FSx for Lustre user guide, "Installing
    the Lustre client".
    """
    mounted = [store.mount for _, store in lustre_systems(cluster, new=False)]
    yield from unpublished_client(cluster, "AWS", mounted, lustre_client)


@rule("HPC-FSX-022", Level.ERROR)
def lustre_id(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The id, DNS name and mount name of an existing Lustre file system must be well-formed.

    Source: FSx API reference, DescribeFileSystems.
    """
    for path, lustre in lustre_systems(cluster, new=False):
        if not lustre.existing:
            continue
        patterns = {"id": r"fs-[0-9a-f]{8,17}", "dns_name": r"[a-z0-9.-]+", "mount_name": r"[A-Za-z0-9_-]{1,8}"}
        likes = {"id": "fs-0123456789abcdef0", "dns_name": "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com"}
        for field, pattern in patterns.items():
            value = getattr(lustre.existing, field)
            if not re.fullmatch(pattern, value):
                yield Problem(
                    path=(*path, "existing", field),
                    value=value,
                    reason=f"{value!r} is not a valid {field} for a file system",
                    remedy=f"write it like {likes.get(field, 'fsx or 3pzlabmv, the name after @tcp:/')}",
                )


@rule("HPC-FSX-025", Level.WARNING)
def lustre_over_efa(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Clients of a Lustre file system with `efa: true` should be configured for EFA.

    The client in public images is not configured for EFA and uses TCP, so the file system gains nothing from EFA.
    Source: FSx for Lustre user guide, "Configuring EFA clients".
    """
    for path, lustre in lustre_systems(cluster):
        fast = [queue for queue in cluster.queues if fabric_on(queue)]
        plain = [queue.name for queue in fast if cluster.base_of(queue.image) is None]
        if lustre.efa and (plain or not fast):
            public = f"queue {any_of(plain)} uses AWS's public image, whose Lustre client is not configured for EFA"
            yield Problem(
                path=(*path, "efa"),
                value=True,
                reason=f"{public if plain else 'no queue has EFA'}, so nodes reach the file system over TCP",
                remedy="create an image whose Lustre client is configured for EFA, and specify it for the queue "
                "(image: ami-...), or remove efa: true (EFA can't be turned on later)"
                if plain
                else "use machines with EFA, or remove efa: true",
            )


@rule("HPC-MNT-008", Level.ERROR)
def lustre_name(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An existing Lustre file system's DNS name must match its id, the FSx service and the cluster's region.

    Otherwise, the mount fails on every node and no node joins, or nodes mount the wrong file system. A file system in
    another region can be reached only through peered networks, by its address. Source: FSx for Lustre user guide,
    "Mounting from on-premises or a peered Amazon VPC".
    """
    for path, lustre in lustre_systems(cluster, new=False):
        if lustre.existing is None:
            continue
        host, id = lustre.existing.dns_name, lustre.existing.id
        name = read_file_system_name(host)
        if name is None and not re.fullmatch(r"fs-[a-z0-9.-]+", host):
            continue
        if name is None:
            reason, remedy = cut_name(host), f"write {host.partition('.')[0]}.fsx.{cluster.region}.amazonaws.com"
        elif name.service == "efs":
            reason, remedy = (
                "this is the DNS name of an EFS file system, not of an FSx one",
                "mount it as an nfs file system with existing.server, or specify the DNS name of an FSx file system",
            )
        elif name.region != cluster.region:
            reason = f"the file system is in {name.region}, but the cluster is in {cluster.region}"
            remedy = (
                f"specify a file system in {cluster.region}, as listed by `aws fsx describe-file-systems "
                f"--region {cluster.region}`"
            )
        elif name.id != id and re.fullmatch(r"fs-[0-9a-f]{8,17}", id):
            reason = f"the DNS name belongs to {name.id}, but id is {id}"
            remedy = f"copy both from the same entry of `aws fsx describe-file-systems --region {cluster.region}`"
        else:
            continue
        yield Problem(path=(*path, "existing", "dns_name"), value=host, reason=reason, remedy=remedy)


@rule("HPC-QTA-007", Level.WARNING)
def lustre_capacity(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The quota for Lustre storage must cover the cluster's file systems.

    Source: FSx for Lustre user guide, "Quotas".
    """
    needs: dict[str, QuotaSum] = {}
    for name, system in cluster.storage.items():
        if isinstance(system, Lustre) and system.size and system.existing is None and system.storage == "ssd":
            key = "lustre.scratch" if system.deployment.startswith("scratch") else f"lustre.{system.deployment}"
            need = needs.setdefault(key, QuotaSum(service_quota(key)))
            need.parts.append((int(system.size.lustre_gib), name, ("storage", name, "size")))
    for need in needs.values():
        allowed = need.quota.default
        if allowed is not None and need.total > allowed:
            yield Problem(
                path=need.path,
                value=need.total,
                reason=f"{need.text}: {need.total:,} GiB of Lustre storage in total, but a new account is limited to "
                f"{allowed:,} GiB",
                remedy=f"request a quota of {need.total:,} GiB ({need.quota.code}, {need.quota.name}) in "
                f"{cluster.region}",
                about=about_quota(need.quota, cluster.region),
            )
