"""The component that creates a whole Azure cluster from its description."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, ResourceOptions

from hpc_components.azure import from_spec
from hpc_components.azure.buckets.component import DataBucket
from hpc_components.azure.budget.component import ClusterBudget
from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.azure.components.node_logs import NodeLogs
from hpc_components.azure.components.vault import NodeVault
from hpc_components.azure.config_bucket.component import ConfigBucket
from hpc_components.azure.fleet.component import InfinibandComputeFleet
from hpc_components.azure.fleet.model import AzureQueue
from hpc_components.azure.fleet.placement_group import PlacementGroup, PlacementGroupArgs
from hpc_components.azure.head.component import SlurmHeadNode
from hpc_components.azure.home.component import HomeFilesystem
from hpc_components.azure.identity.component import NodeIdentity
from hpc_components.azure.image_builder.component import BakedImage
from hpc_components.azure.image_builder.of_cluster import images_of_cluster
from hpc_components.azure.login.component import LoginNodeNLB
from hpc_components.azure.lustre.component import LustreFilesystem
from hpc_components.azure.lustre.model import Lustre
from hpc_components.azure.metrics.component import MetricsWorkspace
from hpc_components.azure.network.addresses import Place
from hpc_components.azure.network.component import Vpc
from hpc_components.azure.network.endpoints import PrivateZones
from hpc_components.azure.network.model import AzureExistingNetwork, Service
from hpc_components.azure.network.security_groups import SecurityGroups
from hpc_components.azure.node_reaper.component import NodeReaper
from hpc_components.azure.ports import BucketRef, Group, Identities, Identity, Network, Services
from hpc_components.azure.reach import access
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.storage import AnyBucket, AnyFileSystem
from hpc_components.azure.tags import Tags
from hpc_components.ports import FileSystemMount
from hpc_components.program.described import DescribedCluster
from hpc_components.resource_options import depends_on
from hpc_components.spec.bucket_access import LOGIN
from hpc_components.spec.queue_defaults import fabric_on, placement


class Cluster(DescribedCluster[AzureClusterSpec]):
    """A whole cluster on Azure: network, storage, queues, head node, login nodes and budget.

    `Cluster("cfd", {"region": "eastus", "zone": "eastus-1", ...})` takes the same mapping as `hpc:cluster` in a stack
    file; `Cluster("cfd")` reads it from the stack file. All resources are children of the cluster and use the
    provider in `opts`.
    """

    group: Group
    """Resource group that contains everything except the compute nodes."""
    network: Network
    """The network, as an argument for other components."""
    head_node: SlurmHeadNode
    """The head node."""
    login: LoginNodeNLB | None
    """The login nodes, or None if the cluster has no login nodes."""
    buckets: Mapping[str, BucketRef]
    """The buckets, keyed by their names in the description."""

    images: Mapping[str, BakedImage]
    """Images that the stack makes, keyed by their recipes' names in the description."""

    metrics: MetricsWorkspace | None
    """The workspace to which the head node sends metrics, or None if the description has none."""

    _model = AzureClusterSpec
    _cloud = "azure"

    def _make(self, cluster: AzureClusterSpec) -> Mapping[str, Any]:
        name, self._tags = cluster.name, Tags(cluster.name, cluster.tags)
        tags = self._tags
        opts = self._child = self._child_options(
            lambda name, opts: azure_native.Provider(name, location=cluster.region, opts=opts)
        )

        group = self.group = self._make_group()
        self.network, ground = self._make_network()
        on_ground = depends_on(opts, *ground)
        stores = [self._make_mount(key, storage, on_ground) for key, storage in cluster.storage.items()]
        mounts, file_systems = [mount for mount, _ in stores], [made for _, ours in stores for made in ours]
        self.buckets = {key: self._make_bucket(key, bucket, on_ground) for key, bucket in cluster.buckets.items()}

        head, login = cluster.head_node, cluster.login_nodes
        as_head, tenant, _ = self._make_identities("head", head.identity, people=None if login else LOGIN)
        as_nodes = [self._make_queue_identities(queue) for queue in cluster.queues]
        identities = [made for _, ours in as_nodes for made in ours]
        vault = NodeVault(f"{name}-vault", from_spec.vault_args(cluster, tenant, self.network, group, tags), opts)
        logs = NodeLogs(f"{name}-logs", from_spec.logs_args(cluster, group, tags), opts)
        buckets = list(self.buckets.values())
        self.metrics = self._make_metrics(as_head)
        config_args = from_spec.config_args(cluster, mounts, self.network, group, tags, buckets, self.metrics)
        config = ConfigBucket(f"{name}-config", config_args, opts)
        services = Services(
            config=config.store, munge=vault.munge, jwt=vault.jwt, host_keys=vault.host_keys, logs=logs.logs
        )

        # Nodes are created after everything that they fetch or mount, because a node gives up long before a new file
        # system is ready. A destroy runs in reverse order: first the head node, then the resource group with all
        # compute nodes (including those that are not in Pulumi's state), then the rest.
        sends = [self.metrics] if self.metrics else []
        on_all = depends_on(opts, *ground, *file_systems, config, vault, logs, *sends)
        reaper_args = from_spec.reaper_args(cluster, tags)
        reaper = NodeReaper(f"{name}-reaper", reaper_args, depends_on(on_all, *identities))
        nodes = reaper.group
        in_group = ResourceOptions.merge(
            depends_on(opts, *ground, reaper), ResourceOptions(deleted_with=reaper.everything)
        )
        made = self._images = images_of_cluster(cluster, self.network, config.store, group, nodes, tags, in_group)
        self.images = made.images
        fleets = [
            self._make_fleet(queue, as_node, services, nodes)
            for queue, (as_node, _) in zip(cluster.queues, as_nodes, strict=True)
        ]
        refs = tuple(fleet.fleet for fleet in fleets)
        head_args = from_spec.head_args(cluster, self.network, as_head, services, refs, group, nodes, tags, made.ids)
        self.head_node = SlurmHeadNode(f"{name}-head", head_args, depends_on(opts, reaper, *fleets))
        self.login = None
        if login:
            as_login, _, _ = self._make_identities("login", login.identity, people=LOGIN)
            login_args = from_spec.login_args(cluster, login, self.network, as_login, services, group, tags, made.ids)
            self.login = LoginNodeNLB(f"{name}-login", login_args, on_all)
        made.keep_after([*fleets, self.head_node, *([self.login] if self.login else [])])
        if cluster.budget:
            ClusterBudget(f"{name}-budget", from_spec.budget_args(cluster.budget, group, nodes), opts)
        return self._outputs()

    def _outputs(self) -> dict[str, Any]:
        head, network = self.head_node, self.network
        outputs: dict[str, Any] = {
            "access": access(self.description, self._bastion, self.group.name),
            "head_node": {"vm_id": head.vm_id, "private_ip": head.private_ip, "public_ip": head.public_ip},
            "network": {
                "vnet_id": network.id,
                "subnets": dict(network.subnets),
                "security_groups": dict(self._security_groups),
            },
        }
        if self.login is not None:
            outputs["login"] = self.login.address
        if self.images:
            outputs["images"] = self._images.outputs
        if self.metrics:
            outputs["metrics"] = {"workspace": self.metrics.workspace_id, "query_url": self.metrics.query_url}
        if self.buckets:
            outputs["buckets"] = {key: bucket.url for key, bucket in self.buckets.items()}
        return outputs

    def _make_metrics(self, head: Identities) -> MetricsWorkspace | None:
        """Create the workspace to which the head node sends metrics, if the description has one."""
        cluster = self.description
        if cluster.monitoring is None or cluster.monitoring.remote_write is None:
            return None
        args = from_spec.metrics_args(cluster, cluster.monitoring.remote_write, head.own, self.group, self._tags)
        return MetricsWorkspace(f"{cluster.name}-metrics", args, self._child)

    def _make_group(self) -> Group:
        """Return the cluster's resource group. A new group is retained unless `throw_away` is set, because deleting a
        group deletes everything in it.
        """
        cluster = self.description
        if cluster.resource_group is not None:
            found = arm_id(cluster.resource_group, "resource_group")
            assert found is not None, "a rule checks that this is the id of a resource group"
            return Group(name=found.group, id=cluster.resource_group, location=cluster.region)
        kept = ResourceOptions(protect=not cluster.throw_away, retain_on_delete=not cluster.throw_away)
        made = azure_native.resources.ResourceGroup(
            cluster.name,
            resource_group_name=cluster.name,
            location=cluster.region,
            tags=self._tags.for_resource(cluster.name),
            opts=ResourceOptions.merge(self._child, kept),
        )
        return Group(name=made.name, id=made.id, location=cluster.region)

    def _make_network(self) -> tuple[Network, list[pulumi.Resource]]:
        """Return the network, and the resources created for it."""
        cluster = self.description
        if cluster.network.existing is not None:
            return self._adopt_network(cluster.network.existing)
        vpc = Vpc(cluster.name, from_spec.vpc_args(cluster, self.group, self._tags), self._child)
        self._security_groups, self._bastion = vpc.security_group_ids, vpc.bastion_name
        return vpc.network, [vpc]

    def _adopt_network(self, existing: AzureExistingNetwork) -> tuple[Network, list[pulumi.Resource]]:
        """Return the existing network as a component argument, and the resources created for it."""
        cluster, opts = self.description, self._child
        self._bastion: pulumi.Output[str] | None = None
        wanted = cluster.network.endpoints
        zones: dict[Service, Input[str]] = {each: id for each, id in existing.dns_zones.items() if each in wanted}
        guards: dict[Place, Input[str]] = {}
        added: list[pulumi.Resource] = []
        if made := [each for each in wanted if each not in zones]:
            own = PrivateZones(
                cluster.name, made, group=self.group, network_id=existing.vnet, tags=self._tags, opts=opts
            )
            zones |= own.ids
            added.append(own)
        if existing.security_groups:
            groups_args = from_spec.security_groups_args(cluster, existing, self.group, self._tags)
            groups = SecurityGroups(cluster.name, groups_args, opts)
            guards |= groups.ids
            added.append(groups)
        self._security_groups = guards
        return from_spec.existing_network(existing, guards, zones), added

    def _make_identities(
        self, place: str, own: str | None, *, people: str | None
    ) -> tuple[Identities, Input[str], list[pulumi.Resource]]:
        """Return the identities of the nodes at `place`, the tenant id, and the resources created for the nodes.

        `own` is the id of an existing identity, which is granted no roles. `people` is the name by which bucket
        access lists refer to the users or jobs on these nodes, or None if these nodes have neither users nor jobs.
        """
        name, opts = f"{self.description.name}-{place}", self._child
        if own is None:
            identity_args = from_spec.identity_args(
                self.description, people, list(self.buckets.values()), self.group, self._tags
            )
            made = NodeIdentity(name, identity_args, opts)
            return made.identities, made.tenant_id, [made]
        found = azure_native.managedidentity.UserAssignedIdentity.get(f"{name}-existing-identity", own, opts=opts)
        return Identities(own=Identity(id=own, client_id=found.client_id)), found.tenant_id, []

    def _make_queue_identities(self, queue: AzureQueue) -> tuple[Identities, list[pulumi.Resource]]:
        """Return the identities of a queue's nodes, and the resources created for them.

        If the queue has an existing identity, only jobs use that identity. Nodes boot with a separate one, because
        the tokens of the boot identity give access to the munge key.
        """
        people = queue.name if queue.identity is None else None
        identities, _, ours = self._make_identities(queue.name, None, people=people)
        if queue.identity is None:
            return identities, ours
        name = f"{self.description.name}-{queue.name}-existing-identity"
        found = azure_native.managedidentity.UserAssignedIdentity.get(name, queue.identity, opts=self._child)
        return replace(identities, lent=Identity(id=queue.identity, client_id=found.client_id)), ours

    def _make_mount(
        self, key: str, storage: AnyFileSystem, opts: ResourceOptions
    ) -> tuple[FileSystemMount, list[pulumi.Resource]]:
        """Return a file system's mount, and the resources created for it."""
        cluster, network, group, tags = self.description, self.network, self.group, self._tags
        name = f"{cluster.name}-{key}"
        if storage.existing is not None:
            return from_spec.existing_mount(key, storage), []
        if isinstance(storage, Lustre):
            made = LustreFilesystem(name, from_spec.lustre_args(cluster, storage, network, group, tags), opts)
        else:
            made = HomeFilesystem(name, from_spec.home_args(cluster, storage, network, group, tags), opts)
        return made.mount, [made]

    def _make_bucket(self, key: str, bucket: AnyBucket, opts: ResourceOptions) -> BucketRef:
        bucket_args = from_spec.bucket_args(self.description, bucket, self.network, self.group, self._tags)
        return DataBucket(f"{self.description.name}-{key}", bucket_args, opts).bucket(key)

    def _make_fleet(
        self, queue: AzureQueue, identities: Identities, services: Services, nodes_group: Group
    ) -> InfinibandComputeFleet:
        """Create a queue's fleet, with a proximity placement group if the queue requests one."""
        cluster, tags = self.description, self._tags
        name, near = f"{cluster.name}-{queue.name}", None
        if placement(queue) == "cluster" and not fabric_on(queue):
            zones = cluster.queue_zones(queue)
            zone = zones[0] if len(zones) == 1 else None
            # retained, because it is deleted along with its resource group, like the scale sets that use it
            kept = ResourceOptions.merge(self._child, ResourceOptions(retain_on_delete=True))
            group_args = PlacementGroupArgs(group=nodes_group, zone=zone, machines=queue.machines, tags=tags)
            near = PlacementGroup(name, group_args, kept).group_id
        args = from_spec.fleet_args(
            cluster, queue, self.network, identities, services, nodes_group, tags, near, self._images.ids
        )
        return InfinibandComputeFleet(name, args, self._child)
