"""A cluster on AWS, from the description in the stack file. Reads top-down, as the cluster is built."""

import pulumi
import pulumi_aws as aws

from hpc_components import aws as hpc
from hpc_components.aws import from_spec as to
from hpc_components.aws.described import after, make_bucket, make_fleet, make_mount, make_network
from hpc_components.aws.spec import AwsClusterSpec
from hpc_components.program import described_cluster


def main(cluster: AwsClusterSpec) -> None:
    """Make the cluster."""
    name, tags = cluster.name, hpc.Tags(cluster.name, cluster.tags)
    opts = pulumi.ResourceOptions(provider=aws.Provider("aws", region=cluster.region))

    network, ground = make_network(cluster, tags, opts)
    # FSx refuses a file system whose security group does not have its rules yet.
    on_ground = after(opts, *ground)
    stores = [make_mount(cluster, key, storage, network, tags, on_ground) for key, storage in cluster.storage.items()]
    mounts, file_systems = [mount for mount, _ in stores], [made for _, ours in stores for made in ours]
    buckets = [make_bucket(cluster, key, bucket, tags, opts) for key, bucket in cluster.buckets.items()]
    config = hpc.ConfigBucket(f"{name}-config", to.config_args(cluster, mounts, tags, buckets), opts)
    fleets = [make_fleet(cluster, queue, network, config.store, buckets, tags, opts) for queue in cluster.queues]
    if cluster.budget:
        hpc.ClusterBudget(f"{name}-budget", to.budget_args(cluster, cluster.budget, tags), opts)

    # Nodes boot when what they fetch and mount is there: a new node gives up long before a file system is made.
    # A destroy goes the other way round: the head node first, then the reaper ends its compute nodes, then the rest.
    on_all = after(opts, *ground, *file_systems, config)
    reaper = hpc.NodeReaper(f"{name}-reaper", to.reaper_args(cluster, config.store, tags), after(on_all, *fleets))
    refs = tuple(fleet.fleet for fleet in fleets)
    head_args = to.head_args(cluster, network, config.store, refs, tags, buckets)
    head = hpc.SlurmHeadNode(f"{name}-head", head_args, after(opts, reaper))
    addresses = {"private_ip": head.private_ip, "public_ip": head.public_ip}
    pulumi.export("head_node", {"instance_id": head.instance_id, **addresses})
    if cluster.login_nodes:
        login_args = to.login_args(cluster, cluster.login_nodes, network, config.store, tags, buckets)
        pulumi.export("login", hpc.LoginNodeNLB(f"{name}-login", login_args, on_all).dns_name)
    if buckets:
        pulumi.export("buckets", {bucket.name: list(bucket.buckets) for bucket in buckets})


if __name__ == "__main__":  # `hpc init --program` copies this file to be a stack's own program
    main(described_cluster(AwsClusterSpec))
