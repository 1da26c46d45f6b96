from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_gcp
from pulumi import ResourceOptions

from hpc_components.gcp import from_spec
from hpc_components.gcp.apis.component import ProjectServices
from hpc_components.gcp.audit.component import AuditTrail
from hpc_components.gcp.budget.component import ClusterBudget
from hpc_components.gcp.config_bucket.component import ConfigBucket
from hpc_components.gcp.data_bucket.component import DataBucket
from hpc_components.gcp.firewall.component import FirewallRules
from hpc_components.gcp.fleet.component import CompactComputeFleet
from hpc_components.gcp.fleet.model import GcpQueue
from hpc_components.gcp.head.component import SlurmHeadNode
from hpc_components.gcp.home.component import HomeFilesystem
from hpc_components.gcp.identity.component import NodeIdentity
from hpc_components.gcp.image_builder.component import BakedImage
from hpc_components.gcp.image_builder.of_cluster import images_of_cluster
from hpc_components.gcp.login.component import LoginNodeNLB
from hpc_components.gcp.lustre.component import LustreFilesystem
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.network.component import Vpc
from hpc_components.gcp.node_logs.component import NodeLogs
from hpc_components.gcp.node_reaper.component import NodeReaper
from hpc_components.gcp.placement.component import PlacementGroup
from hpc_components.gcp.ports import BucketRef, Identities, Identity, Network, Services
from hpc_components.gcp.reach import access
from hpc_components.gcp.secrets.component import NodeSecrets
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import AnyBucket, AnyFileSystem
from hpc_components.gcp.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.program.described import DescribedCluster
from hpc_components.resource_options import depends_on
from hpc_components.spec.bucket_access import LOGIN
from hpc_components.spec.queue_defaults import placement


class Cluster(DescribedCluster[GcpClusterSpec]):
    """A whole cluster on Google Cloud: network, storage, queues, head node, login nodes and budget.

    `Cluster("cfd", {"project": "fluids", "region": "us-central1", "zone": "us-central1-a", ...})` takes the same
    mapping as `hpc:cluster` in a stack file; `Cluster("cfd")` reads the mapping from the stack file. All resources
    are children of the cluster and use the provider in `opts`. If the cluster has a budget and you pass your own
    provider, set the provider's `user_project_override` and `billing_project`, because the Budget API requires a
    quota project.
    """

    network: Network
    """The network, which you can pass to other components."""
    head_node: SlurmHeadNode
    """The head node."""
    login: LoginNodeNLB | None
    """The login nodes, or None if the cluster has none."""
    buckets: Mapping[str, BucketRef]
    """The buckets, keyed by their names in the description."""

    images: Mapping[str, BakedImage]
    """Images that the stack makes, keyed by their recipes' names in the description."""

    _model = GcpClusterSpec
    _cloud = "gcp"

    def _make(self, cluster: GcpClusterSpec) -> Mapping[str, Any]:
        name, self._tags = cluster.name, Tags(cluster.name, cluster.tags)
        tags = self._tags
        by_provider = self._child_options(
            lambda name, opts: pulumi_gcp.Provider(
                name, project=cluster.project, region=cluster.region, zone=cluster.zone, opts=opts
            )
        )
        apis = ProjectServices(f"{name}-apis", from_spec.apis_args(cluster), by_provider)
        opts = self._child = depends_on(by_provider, apis)

        self.buckets = {key: self._make_bucket(key, bucket) for key, bucket in cluster.buckets.items()}
        head, login = cluster.head_node, cluster.login_nodes
        as_head, _ = self._make_identities("head", head.service_account, people=None if login else LOGIN)
        as_login = None
        if login:
            as_login, _ = self._make_identities("login", login.service_account, people=LOGIN)
        as_nodes = [
            self._make_identities(queue.name, queue.service_account, people=queue.name) for queue in cluster.queues
        ]

        self.network, ground = self._make_network()
        on_ground = depends_on(opts, *ground)
        stores = [self._make_mount(key, storage, as_head, on_ground) for key, storage in cluster.storage.items()]
        mounts, file_systems = [mount for mount, _ in stores], [made for _, ours in stores for made in ours]
        firewall_args = from_spec.firewall_args(
            cluster, self.network, as_head, as_login, [own for own, _ in as_nodes]
        )
        firewall = FirewallRules(name, firewall_args, opts)
        secrets = NodeSecrets(f"{name}-secrets", from_spec.secrets_args(cluster, tags), opts)
        logs = NodeLogs(f"{name}-logs", from_spec.logs_args(cluster, tags), opts)
        trail = []
        if cluster.audit:
            trail = [AuditTrail(f"{name}-audit", from_spec.audit_args(cluster, cluster.audit, tags), opts)]
        buckets = list(self.buckets.values())
        config_args = from_spec.config_args(cluster, mounts, secrets.made, tags, buckets)
        config = ConfigBucket(f"{name}-config", config_args, opts)
        services = Services(config=config.store, munge=secrets.munge, jwt=secrets.jwt, host_keys=secrets.host_keys)

        # Create nodes only after everything that they fetch and mount, because a new node gives up long before a file
        # system is ready. A destroy deletes resources in reverse order: first the object that marks the cluster as
        # existing, then the head node. While the head node shuts down, it notices that the object is missing and
        # deletes all compute nodes, which are not part of any stack.
        on_all = depends_on(opts, *ground, *file_systems, firewall, secrets, logs, *trail, config)
        made = self._images = images_of_cluster(cluster, self.network, config.store, tags, on_ground)
        self.images = made.images
        fleets = [
            self._make_fleet(queue, as_node, services, on_all)
            for queue, (as_node, _) in zip(cluster.queues, as_nodes, strict=True)
        ]
        refs = tuple(fleet.fleet for fleet in fleets)
        head_args = from_spec.head_args(cluster, self.network, as_head, services, refs, tags, made.ids)
        identities = [made for _, ours in as_nodes for made in ours]
        self.head_node = SlurmHeadNode(f"{name}-head", head_args, depends_on(on_all, *fleets, *identities))
        NodeReaper(f"{name}-reaper", from_spec.reaper_args(config.store, tags), depends_on(opts, self.head_node))
        self.login = None
        if login and as_login:
            login_args = from_spec.login_args(cluster, login, self.network, as_login, services, tags, made.ids)
            self.login = LoginNodeNLB(f"{name}-login", login_args, on_all)
        if cluster.budget and cluster.billing_account:
            budget_args = from_spec.budget_args(cluster, cluster.budget, config.project_number, tags)
            ClusterBudget(f"{name}-budget", budget_args, self._with_quota_project())
        return self._outputs()

    def _with_quota_project(self) -> ResourceOptions:
        """Return the options for the budget, with a provider that specifies a quota project.

        Without a quota project, the Budget API responds with 403. Only the budget uses this provider: no other
        resource needs a quota project, and this provider couldn't enable the APIs of a new project. Source:
        pulumi_gcp, Budget, warning.
        """
        if not self._has_own_provider:
            return self._child
        project = self.description.project
        billing = pulumi_gcp.Provider(
            f"{self.description.name}-billing",
            project=project,
            user_project_override=True,
            billing_project=project,
            opts=ResourceOptions(parent=self),
        )
        return ResourceOptions.merge(self._child, ResourceOptions(provider=billing))

    def _outputs(self) -> dict[str, Any]:
        head, network = self.head_node, self.network
        outputs: dict[str, Any] = {
            "access": access(self.description),
            "head_node": {
                "instance_id": head.instance_id,
                "private_ip": head.private_ip,
                "public_ip": head.public_ip,
            },
            "network": {"network_id": network.id, "subnets": dict(network.subnets)},
        }
        if self.login is not None:
            outputs["login"] = self.login.address
        if self.images:
            outputs["images"] = self._images.outputs
        if self.buckets:
            outputs["buckets"] = {key: bucket.url for key, bucket in self.buckets.items()}
        return outputs

    def _make_network(self) -> tuple[Network, list[pulumi.Resource]]:
        """Return the network and the resources created for it."""
        cluster = self.description
        if cluster.network.existing is not None:
            return from_spec.existing_network(cluster, cluster.network.existing), []
        vpc = Vpc(cluster.name, from_spec.vpc_args(cluster, self._tags), self._child)
        return vpc.network, [vpc]

    def _make_identities(
        self, place: str, own: str | None, *, people: str | None
    ) -> tuple[Identities, list[pulumi.Resource]]:
        """Return the service accounts for one kind of node, and the resources created for them.

        `own` is the email of the user's own service account, if any. The cluster grants no roles to that account.
        `people` is the name under which the node's users or jobs are listed in bucket descriptions, or None if the
        nodes have no users or jobs.
        """
        if own is not None:
            return Identities(own=Identity(email=own, is_ours=False)), []
        identity_args = from_spec.identity_args(self.description, people, list(self.buckets.values()))
        made = NodeIdentity(f"{self.description.name}-{place}", identity_args, self._child)
        return made.identities, [made]

    def _make_mount(
        self, key: str, storage: AnyFileSystem, as_head: Identities, opts: ResourceOptions
    ) -> tuple[FileSystemMount, list[pulumi.Resource]]:
        """Return the mount for a file system, and the resources created for it."""
        cluster, network, tags = self.description, self.network, self._tags
        name = f"{cluster.name}-{key}"
        if storage.existing is not None:
            return from_spec.existing_mount(key, storage), []
        if isinstance(storage, Lustre):
            made = LustreFilesystem(name, from_spec.lustre_args(cluster, storage, network, as_head, tags), opts)
        else:
            made = HomeFilesystem(name, from_spec.home_args(cluster, storage, network, tags), opts)
        return made.mount, [made]

    def _make_bucket(self, key: str, bucket: AnyBucket) -> BucketRef:
        bucket_args = from_spec.bucket_args(self.description, bucket, self._tags)
        return DataBucket(f"{self.description.name}-{key}", bucket_args, self._child).bucket(key)

    def _make_fleet(
        self, queue: GcpQueue, identities: Identities, services: Services, opts: ResourceOptions
    ) -> CompactComputeFleet:
        """Create a queue's fleet, with a spread policy if needed. Compact policies are created by the daemon."""
        cluster, tags = self.description, self._tags
        name, policy = f"{cluster.name}-{queue.name}", None
        if placement(queue) == "spread":
            policy = PlacementGroup(name, from_spec.placement_args(cluster, tags), opts).policy_id
        args = from_spec.fleet_args(
            cluster, queue, self.network, identities, services, tags, policy, self._images.ids
        )
        return CompactComputeFleet(name, args, opts)
