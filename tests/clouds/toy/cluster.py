"""A cluster on the toy cloud as one component, from its description."""

import json
from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_gcp as gcp

from clouds.toy.components.compute_fleet import ComputeFleet
from clouds.toy.components.config_bucket import ConfigBucket
from clouds.toy.components.network import Network
from clouds.toy.components.node import Node
from clouds.toy.ports import Subnet
from clouds.toy.spec import Bucket, ToyClusterSpec
from clouds.toy.tags import Tags
from hpc_components.boot import user_data
from hpc_components.boot.files import boot_files
from hpc_components.program.described import DescribedCluster
from hpc_components.spec.addresses import head_address
from hpc_components.spec.queue_defaults import fabric_on, purchase_kind


class Cluster(DescribedCluster[ToyClusterSpec]):
    """A whole cluster on the toy cloud."""

    _model = ToyClusterSpec
    _cloud = "toy"

    def _make(self, cluster: ToyClusterSpec) -> Mapping[str, Any]:
        name, region, tags = cluster.name, cluster.region, Tags(cluster.name, cluster.tags)
        opts = self._child_options(lambda name, opts: gcp.Provider(name, region=region, project="toy", opts=opts))
        subnet = _subnet(cluster, opts)
        config = ConfigBucket(f"{name}-config", files=_files(cluster), region=region, tags=tags, opts=opts)
        common = {
            "config": config.bucket,
            "subnet": subnet,
            "user_data": user_data(cluster.cloud),
            "tags": tags,
            "opts": opts,
        }
        for key, described in cluster.buckets.items():
            bucket = f"{name}-{key}"
            gcp.storage.Bucket(
                bucket,
                location=region,
                versioning=gcp.storage.BucketVersioningArgs(enabled=described.versioning),
                lifecycle_rules=_lifecycle(described),
                labels=tags.for_resource(bucket),
                opts=opts,
            )
        for queue in cluster.queues:
            ComputeFleet(
                f"{name}-{queue.name}",
                queue=queue.name,
                machines=queue.machines,
                zones=cluster.queue_zones(queue),
                least=queue.min,
                most=queue.max,
                purchase=purchase_kind(queue),
                fabric=fabric_on(queue),
                max_spot_price=queue.max_spot_price,
                **common,
            )
        head, login = cluster.head_node, cluster.login_nodes
        made = Node(
            f"{name}-head",
            role="head",
            machine=head.machine,
            zone=cluster.zone,
            root=head.root,
            state=head.state,
            public=head.public,
            address=str(head_address(cluster)),
            **common,
        )
        for number in range(1, login.min + 1 if login else 1):
            Node(
                f"{name}-login-{number}",
                role="login",
                machine=login.machine,
                zone=(login.zones or (cluster.zone,))[0],
                root=login.root,
                public=login.public,
                address=None,
                **common,
            )
        if cluster.budget:
            units = gcp.billing.BudgetAmountSpecifiedAmountArgs(
                currency_code="USD", units=f"{cluster.budget.monthly:.0f}"
            )
            gcp.billing.Budget(
                f"{name}-budget",
                billing_account="000000-TOYTOY-000000",
                amount=gcp.billing.BudgetAmountArgs(specified_amount=units),
                opts=opts,
            )
        return {"head_node": made.address}


def _subnet(cluster: ToyClusterSpec, opts: pulumi.ResourceOptions) -> Subnet:
    existing = cluster.network.existing
    if existing is not None:
        return Subnet(id=existing.private[cluster.region].id)
    ours = cluster.network
    return Network(
        cluster.name,
        cidr=str(ours.cidr),
        region=cluster.region,
        ssh_from=[str(cidr) for cidr in ours.ssh_from],
        nat=ours.nat == "one",
        opts=opts,
    ).subnet


def _lifecycle(bucket: Bucket) -> "list[gcp.storage.BucketLifecycleRuleArgs]":
    """What happens to objects at some age."""
    actions = [({"type": "SetStorageClass", "storage_class": kind}, age) for kind, age in bucket.archive.items()]
    actions += [({"type": "Delete"}, bucket.expire)] if bucket.expire else []
    return [
        gcp.storage.BucketLifecycleRuleArgs(
            action=gcp.storage.BucketLifecycleRuleActionArgs(**action),
            condition=gcp.storage.BucketLifecycleRuleConditionArgs(age=int(age.days)),
        )
        for action, age in actions
    ]


def _files(cluster: ToyClusterSpec) -> dict[str, str]:
    mounts = [
        {"type": one.type, "mount": one.mount, "from": one.mounted_from, "options": "hard,_netdev"}
        for one in cluster.storage.values()
    ]
    return {**boot_files(cluster), "common/mounts.json": json.dumps(mounts), "common/buckets": ""}
