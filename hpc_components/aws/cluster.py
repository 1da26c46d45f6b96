"""A component that creates a whole AWS cluster from a description. `_make` creates the parts in dependency order."""

from collections.abc import Mapping
from typing import Any, cast

import pulumi
import pulumi_aws as aws
from pulumi import ResourceOptions

from hpc_components.aws.audit.args import audit_args
from hpc_components.aws.audit.component import AuditTrail
from hpc_components.aws.buckets.args import bucket_args, express_bucket_args
from hpc_components.aws.buckets.component import DataBucket, ExpressDataBucket
from hpc_components.aws.budget.args import budget_args
from hpc_components.aws.budget.component import ClusterBudget
from hpc_components.aws.config_bucket.args import config_args
from hpc_components.aws.config_bucket.component import ConfigBucket
from hpc_components.aws.fleet.args import fleet_args
from hpc_components.aws.fleet.component import EfaComputeFleet
from hpc_components.aws.fleet.model import AwsQueue, Placement
from hpc_components.aws.fleet.placement_group import PlacementGroup, PlacementGroupArgs
from hpc_components.aws.head.args import head_args
from hpc_components.aws.head.component import SlurmHeadNode
from hpc_components.aws.home.args import existing_home, home_args
from hpc_components.aws.home.component import HomeFilesystem
from hpc_components.aws.home.model import Nfs
from hpc_components.aws.identity.args import existing_identity, identity_args
from hpc_components.aws.identity.component import NodeIdentity
from hpc_components.aws.image_builder.component import BakedImage
from hpc_components.aws.image_builder.of_cluster import images_of_cluster
from hpc_components.aws.login.args import login_args
from hpc_components.aws.login.component import LoginNodeNLB
from hpc_components.aws.lustre.args import existing_lustre, lustre_args
from hpc_components.aws.lustre.component import LustreFilesystem
from hpc_components.aws.lustre.model import Lustre
from hpc_components.aws.metrics.args import metrics_args
from hpc_components.aws.metrics.component import MetricsWorkspace
from hpc_components.aws.network.args import existing_network, security_groups_args, vpc_args
from hpc_components.aws.network.component import Vpc
from hpc_components.aws.network.model import AwsExistingNetwork
from hpc_components.aws.node_reaper.args import reaper_args
from hpc_components.aws.node_reaper.component import NodeReaper
from hpc_components.aws.organizations.args import organization_args
from hpc_components.aws.organizations.component import Organization
from hpc_components.aws.organizations.model import with_roles
from hpc_components.aws.ports import BucketRef, ConfigStore, Identities, Network, SecurityGroupIds
from hpc_components.aws.reach import access
from hpc_components.aws.security_groups.component import SecurityGroups
from hpc_components.aws.session_manager.args import session_manager_args
from hpc_components.aws.session_manager.component import SessionManager
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import AnyBucket, AnyFileSystem
from hpc_components.aws.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.program.described import DescribedCluster
from hpc_components.resource_options import depends_on
from hpc_components.spec.bucket_access import LOGIN
from hpc_components.spec.queue_defaults import placement


class Cluster(DescribedCluster[AwsClusterSpec]):
    """A whole cluster on AWS: network, storage, queues, head node, login nodes and budget.

    `Cluster("cfd", {"region": "us-east-2", "zone": "use2-az2", ...})` takes the same mapping as `hpc:cluster` in a
    stack file; `Cluster("cfd")` reads that mapping from the stack file. All resources are children of the cluster and
    use the provider in `opts`.
    """

    network: Network
    """The network, to pass to other components."""
    head_node: SlurmHeadNode
    """The head node."""
    login: LoginNodeNLB | None
    """The login nodes, or None if the cluster has none."""
    session_manager: SessionManager | None
    """Sessions of users with Session Manager, or None if the description has none."""
    buckets: Mapping[str, BucketRef]
    """Buckets, keyed by their names in the description."""
    images: Mapping[str, BakedImage]
    """Images that the stack makes, keyed by their recipes' names in the description."""
    metrics: MetricsWorkspace | None
    """The workspace to which the head node sends metrics, or None if the description has none."""
    organizations: Mapping[str, Organization]
    """Resources of organizations that have some of their own, keyed by their names in the description."""

    _model = AwsClusterSpec
    _cloud = "aws"

    def _make(self, cluster: AwsClusterSpec) -> Mapping[str, Any]:
        name, self._tags = cluster.name, Tags(cluster.name, cluster.tags)
        tags = self._tags
        opts = self._child = self._child_options(
            lambda name, opts: aws.Provider(name, region=cluster.region, opts=opts)
        )

        self.network, ground = self._make_network()
        # FSx refuses to create a file system before its security group's rules exist.
        on_ground = depends_on(opts, *ground)
        stores = [self._make_mount(key, storage, on_ground) for key, storage in cluster.storage.items()]
        mounts, file_systems = [mount for mount, _ in stores], [made for _, ours in stores for made in ours]
        self.buckets = {key: self._make_bucket(key, bucket) for key, bucket in cluster.buckets.items()}
        buckets = list(self.buckets.values())
        head, login = cluster.head_node, cluster.login_nodes
        as_head, _ = self._make_identities("head", head.instance_profile, people=None if login else LOGIN)
        made_for = {
            queue.name: self._make_identities(
                queue.name, queue.instance_profile, queue.instance_role, people=queue.name
            )
            for queue in cluster.queues
        }
        identities = [made for _, ours in made_for.values() for made in ours]
        as_login = self._make_identities("login", login.instance_profile, people=LOGIN)[0] if login else as_head
        as_nodes = {queue: as_node for queue, (as_node, _) in made_for.items()}
        self.organizations = {
            key: Organization(
                f"{name}-{key}", organization_args(cluster, key, buckets, {LOGIN: as_login, **as_nodes}, tags), opts
            )
            for key in with_roles(cluster)
        }
        self.metrics = self._make_metrics(as_head)
        for_config = config_args(cluster, mounts, tags, buckets, self.organizations, self.metrics)
        config = ConfigBucket(f"{name}-config", for_config, opts)
        made = self._images = images_of_cluster(cluster, self.network, config.store, tags, depends_on(opts, *ground))
        self.images = made.images
        fleets = [self._make_fleet(queue, as_nodes[queue.name], config.store) for queue in cluster.queues]
        trail = self._make_trail({"head": as_head, **as_nodes, **({"login": as_login} if login else {})})
        if cluster.budget:
            ClusterBudget(f"{name}-budget", budget_args(cluster, cluster.budget, as_head.own, tags), opts)

        # Nodes boot only after everything that they fetch or mount exists, because creating a file system can take
        # longer than a node waits. Resources are destroyed in reverse order: first the head node, then the reaper,
        # which terminates the compute nodes, and then the rest.
        sends = [self.metrics] if self.metrics else []
        on_all = depends_on(opts, *ground, *file_systems, config, *trail, *sends)
        for_reaper = reaper_args(cluster, config.store, tags)
        reaper = NodeReaper(f"{name}-reaper", for_reaper, depends_on(on_all, *identities, *fleets))
        refs = tuple(fleet.fleet for fleet in fleets)
        for_head = head_args(cluster, self.network, as_head, config.store, refs, tags, made.ids)
        self.head_node = SlurmHeadNode(f"{name}-head", for_head, depends_on(opts, reaper))
        people = {"head": as_head.own}
        self.login = None
        if login:
            people["login"] = as_login.own
            for_login = login_args(cluster, login, self.network, as_login, config.store, tags, made.ids)
            self.login = LoginNodeNLB(f"{name}-login", for_login, on_all)
        self.session_manager = None
        if cluster.session_manager:
            for_sessions = session_manager_args(cluster, cluster.session_manager, config.store, people, tags)
            self.session_manager = SessionManager(f"{name}-sessions", for_sessions, opts)
        made.keep_after([*fleets, self.head_node, *([self.login] if self.login else [])])
        return self._outputs()

    def _make_metrics(self, head: Identities) -> MetricsWorkspace | None:
        """Create the workspace to which the head node sends metrics, if the description has one."""
        cluster = self.description
        if cluster.monitoring is None or cluster.monitoring.remote_write is None:
            return None
        args = metrics_args(cluster, cluster.monitoring.remote_write, head.own, self._tags)
        return MetricsWorkspace(f"{cluster.name}-metrics", args, self._child)

    def _make_trail(self, nodes: Mapping[str, Identities]) -> list[pulumi.Resource]:
        """Create the audit trail, if the description has one. `nodes` are the identities of all nodes."""
        cluster = self.description
        if cluster.audit is None:
            return []
        own = {key: each.own for key, each in nodes.items()}
        args = audit_args(cluster, cluster.audit, own, self._tags)
        return [AuditTrail(f"{cluster.name}-audit", args, self._child)]

    def _outputs(self) -> dict[str, Any]:
        head, network = self.head_node, self.network
        groups = network.security_groups
        outputs: dict[str, Any] = {
            "access": access(self.description),
            "head_node": {
                "instance_id": head.instance_id,
                "private_ip": head.private_ip,
                "public_ip": head.public_ip,
            },
            "network": {
                "vpc_id": network.id,
                "private_subnets": dict(network.private_subnets),
                "public_subnets": dict(network.public_subnets),
                "security_groups": {
                    role: list(getattr(groups, role)) for role in ("head", "login", "compute", "storage")
                },
            },
        }
        if self.login is not None:
            outputs["login"] = self.login.dns_name
        if sessions := self.session_manager:
            outputs["session_manager"] = {
                "document": sessions.document_name,
                "log_group": sessions.log_group_name,
                "user_policy": sessions.user_policy,
                "administrator_policy": sessions.administrator_policy,
            }
        if self.metrics:
            outputs["metrics"] = {"workspace": self.metrics.arn, "query_url": self.metrics.query_url}
        if self.buckets:
            outputs["buckets"] = {key: list(bucket.buckets) for key, bucket in self.buckets.items()}
        if self.images:
            outputs["images"] = self._images.outputs
        if self.organizations:
            outputs["organizations"] = {key: _organization(one) for key, one in self.organizations.items()}
        return outputs

    def _make_network(self) -> tuple[Network, list[pulumi.Resource]]:
        """Create or adopt the network. Return the network and the resources created for it."""
        cluster = self.description
        if cluster.network.existing is not None:
            return self._adopt_network(cluster.network.existing)
        vpc = Vpc(cluster.name, vpc_args(cluster, self._tags), self._child)
        return vpc.network, [vpc]

    def _adopt_network(self, existing: AwsExistingNetwork) -> tuple[Network, list[pulumi.Resource]]:
        """Return the existing network and the resources added to it.

        Block volumes need zone names, which differ between accounts, so the names are looked up from the subnets.
        """
        cluster = self.description
        names = {
            zone: aws.ec2.Subnet.get(f"{cluster.name}-existing-{zone}", subnet.id, opts=self._child).availability_zone
            for zone, subnet in existing.private.items()
        }
        own = existing.security_groups
        if own is not None:
            ids = SecurityGroupIds(head=own.head, login=own.login, compute=own.compute, storage=own.storage)
            return existing_network(existing, ids, names), []
        groups_args = security_groups_args(cluster, existing, self._tags)
        groups = SecurityGroups(cluster.name, groups_args, self._child)
        return existing_network(existing, groups.ids, names), [groups]

    def _make_identities(
        self, place: str, own: str | None, role: str | None = None, *, people: str | None
    ) -> tuple[Identities, list[pulumi.Resource]]:
        """Return the identities for the nodes at `place` and the resources created for those identities.

        `own` is an existing instance profile, and `role` is the ARN of its role; no policies are added to an existing
        role. `people` is the name that bucket permissions use for the nodes' users or jobs, or None if the nodes have
        no users.
        """
        if own is not None:
            return Identities(own=existing_identity(own, role)), []
        buckets = list(self.buckets.values())
        for_identity = identity_args(self.description, people, buckets, self._tags, launches=place == "head")
        made = NodeIdentity(f"{self.description.name}-{place}", for_identity, self._child)
        return made.identities, [made]

    def _make_mount(
        self, key: str, storage: AnyFileSystem, opts: ResourceOptions
    ) -> tuple[FileSystemMount, list[pulumi.Resource]]:
        """Return a file system's mount and the resources created for the file system."""
        cluster, network = self.description, self.network
        name = f"{cluster.name}-{key}"
        if isinstance(storage, Nfs) and storage.existing is not None:
            return existing_home(key, storage), []
        if isinstance(storage, Lustre) and storage.existing is not None:
            return existing_lustre(key, storage), []
        if isinstance(storage, Lustre):
            made = LustreFilesystem(name, lustre_args(cluster, storage, network, self._tags), opts)
        else:
            made = HomeFilesystem(name, home_args(cluster, storage, network, self._tags), opts)
        return made.mount, [made]

    def _make_bucket(self, key: str, bucket: AnyBucket) -> BucketRef:
        """Create a general purpose bucket, or directory buckets if the description's type is `s3_express`."""
        name = f"{self.description.name}-{key}"
        if bucket.type == "s3":
            made = DataBucket(name, bucket_args(self.description, bucket, self._tags), self._child)
            return BucketRef(name=key, buckets=(made.bucket_name,), arns=(made.arn,))
        fast_args = express_bucket_args(self.description, key, bucket, self._tags)
        fast = ExpressDataBucket(name, fast_args, self._child)
        return BucketRef(name=key, buckets=fast.bucket_names, arns=fast.arn_patterns, express=True)

    def _make_fleet(self, queue: AwsQueue, identities: Identities, config: ConfigStore) -> EfaComputeFleet:
        """Create a queue's fleet, and its placement group if the queue uses one."""
        name, tags = f"{self.description.name}-{queue.name}", self._tags
        strategy = cast(Placement, placement(queue))  # `AwsQueue` allows no other values
        group = None
        if strategy != "none":
            group = PlacementGroup(name, PlacementGroupArgs(strategy=strategy, tags=tags), self._child).group_name
        for_fleet = fleet_args(
            self.description, queue, self.network, identities, config, tags, group, self._images.ids
        )
        return EfaComputeFleet(name, for_fleet, self._child)


def _organization(one: Organization) -> dict[str, Any]:
    return {
        "role": one.role_arn,
        "bucket": None if one.bucket is None else one.bucket.buckets[0],
        "external_trust": one.external_trust,
        "aws_config": one.aws_config,
    }
