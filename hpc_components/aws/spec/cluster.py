from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Literal, cast

from hpc_components.aws.buckets.model import ExpressBucket
from hpc_components.aws.catalog.arns import read_arn
from hpc_components.aws.fleet.model import AwsQueue
from hpc_components.aws.head.model import AwsHeadNode
from hpc_components.aws.identity.model import Iam
from hpc_components.aws.login.model import AwsLoginNodes
from hpc_components.aws.metrics.model import AwsMonitoring
from hpc_components.aws.network.addresses import ZoneSubnets, plan_subnets
from hpc_components.aws.network.model import AwsNetwork
from hpc_components.aws.organizations.model import AwsOrganization
from hpc_components.aws.session_manager.model import Sessions
from hpc_components.aws.spec import billed_services
from hpc_components.aws.spec.storage import AnyBucket, AnyFileSystem
from hpc_components.spec.billed_services import AddressNeed, PaidService
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.identities import NodeIdentity, node_places
from hpc_components.spec.queues import Queue


class AwsClusterSpec(ClusterSpec):
    """A cluster on AWS."""

    cloud: Literal["aws"]
    """Name of the cloud."""
    zone: str
    """Zone id of the head node, the storage and, by default, the compute nodes."""
    network: AwsNetwork
    """The cluster's network."""
    head_node: AwsHeadNode
    """The node that runs Slurm's controller."""
    login_nodes: AwsLoginNodes | None = None
    """Nodes that users log in to."""
    queues: tuple[AwsQueue, ...]
    """Slurm partitions; the first is the default."""
    storage: dict[str, AnyFileSystem] = {}
    """File systems, keyed by name."""
    buckets: dict[str, AnyBucket] = {}
    """Buckets, keyed by name."""
    organizations: dict[str, AwsOrganization] = {}
    """Organizations that share the cluster, keyed by name. Default: all users see each other's jobs."""
    session_manager: Sessions | None = None
    """Sessions of users under their own accounts with AWS Systems Manager Session Manager. Default: only people with
    permissions of their own can start sessions, as ssm-user."""
    monitoring: AwsMonitoring | None = None
    """Metrics of the cluster, and alerts. Default: none are kept."""
    iam: Iam = Iam()
    """Your organisation's rules for roles."""

    @property
    def head_subnet(self) -> IPv4Network:
        if not self.head_node.public:
            return self.node_subnet(self.zone)
        if self.network.existing is not None:
            return self.network.existing.public[self.zone].cidr
        return self._planned(self.zone).public

    def node_subnet(self, zone: str) -> IPv4Network:
        if self.network.existing is not None:
            return self.network.existing.private[zone].cidr
        return self._planned(zone).private

    def mentioned_zones(self) -> Iterator[tuple[Path, str]]:
        """Yield all zones in the description, including those of directory buckets and existing subnets."""
        yield from super().mentioned_zones()
        for name, bucket in self.buckets.items():
            if isinstance(bucket, ExpressBucket) and bucket.zone is not None:
                yield ("buckets", name, "zone"), bucket.zone
        if existing := self.network.existing:
            for kind, subnets in (("private", existing.private), ("public", existing.public)):
                for zone in subnets:
                    yield ("network", "existing", kind, zone), zone

    def node_identities(self) -> Iterator[NodeIdentity]:
        """Yield each instance profile together with its role. By default, a role has the same name as its profile.

        IAM names are case-insensitive, and role paths are ignored. Source: IAM user guide, "IAM and AWS STS quotas",
        IAM name requirements.
        """
        for path, node in node_places(self):
            profile, role = getattr(node, "instance_profile", None), getattr(node, "instance_role", None)
            if profile is not None:
                yield NodeIdentity(
                    path=(*path, "instance_profile"),
                    written=profile,
                    known_as=frozenset(
                        {f"profile {_iam_name(profile)}", f"role {_iam_name(profile if role is None else role)}"}
                    ),
                    removed_with=() if role is None else ((*path, "instance_role"),),
                    for_jobs=path[0] == "queues",
                )

    def paid_services(self) -> Iterator[PaidService]:
        return billed_services.paid_services(self)

    def node_services(self, queue: Queue, machine: str) -> Iterator[PaidService]:
        return billed_services.node_services(cast(AwsQueue, queue), machine)

    def other_addresses(self) -> Iterator[AddressNeed]:
        return billed_services.other_addresses(self)

    def other_logins(self) -> Iterator[str]:
        if self.session_manager:
            yield self.session_manager.in_words(self)

    def _planned(self, zone: str) -> ZoneSubnets:
        if self.network.cidr is None:
            raise ValueError("the description specifies neither network.cidr nor network.existing")
        return plan_subnets(self.network.cidr, [zone])[zone]


def _iam_name(text: str) -> str:
    arn = read_arn(text)
    return (arn.resource if arn else text).rpartition("/")[2].lower()
