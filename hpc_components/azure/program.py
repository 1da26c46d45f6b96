"""A cluster on Azure, from the description in the stack file. Reads top-down, as the cluster is built."""

import pulumi
import pulumi_azure_native as azure_native

from hpc_components import azure as hpc
from hpc_components.azure import from_spec as to
from hpc_components.azure.described import (
    after,
    make_bucket,
    make_fleet,
    make_group,
    make_identities,
    make_mount,
    make_network,
    make_queue_identities,
)
from hpc_components.azure.ports import Services
from hpc_components.azure.spec import AzureClusterSpec
from hpc_components.azure.tags import Tags
from hpc_components.program import described_cluster
from hpc_components.spec.bucket_access import LOGIN


def main(cluster: AzureClusterSpec) -> None:
    """Make the cluster."""
    name, tags = cluster.name, Tags(cluster.name, cluster.tags)
    opts = pulumi.ResourceOptions(provider=azure_native.Provider("azure", location=cluster.region))

    group = make_group(cluster, tags, opts)
    network, ground = make_network(cluster, group, tags, opts)
    on_ground = after(opts, *ground)
    stores = [
        make_mount(cluster, key, storage, network, group, tags, on_ground) for key, storage in cluster.storage.items()
    ]
    mounts, file_systems = [mount for mount, _ in stores], [made for _, ours in stores for made in ours]
    buckets = [
        make_bucket(cluster, key, bucket, network, group, tags, on_ground) for key, bucket in cluster.buckets.items()
    ]

    head, login = cluster.head_node, cluster.login_nodes
    shared = buckets, group, tags, opts
    as_head, tenant, _ = make_identities(cluster, "head", head.identity, *shared, people=None if login else LOGIN)
    as_nodes = [make_queue_identities(cluster, queue, *shared) for queue in cluster.queues]
    identities = [made for _, ours in as_nodes for made in ours]
    vault = hpc.NodeVault(f"{name}-vault", to.vault_args(cluster, tenant, network, group, tags), opts)
    logs = hpc.NodeLogs(f"{name}-logs", to.logs_args(cluster, group, tags), opts)
    config_args = to.config_args(cluster, mounts, network, group, tags, buckets)
    config = hpc.ConfigBucket(f"{name}-config", config_args, opts)
    services = Services(
        config=config.store, munge=vault.munge, jwt=vault.jwt, host_keys=vault.host_keys, logs=logs.logs
    )

    # Nodes boot when what they fetch and mount is there: a new node gives up long before a file system is made.
    # A destroy goes the other way round: the head node first, then the compute nodes with their resource group, also
    # those that no stack knows, then the rest.
    on_all = after(opts, *ground, *file_systems, config, vault, logs)
    reaper = hpc.NodeReaper(f"{name}-reaper", to.reaper_args(cluster, tags), after(on_all, *identities))
    nodes = reaper.group
    fleets = [
        make_fleet(cluster, queue, network, as_node, services, nodes, tags, opts)
        for queue, (as_node, _) in zip(cluster.queues, as_nodes, strict=True)
    ]
    refs = tuple(fleet.fleet for fleet in fleets)
    head_args = to.head_args(cluster, network, as_head, services, refs, group, nodes, tags)
    made = hpc.SlurmHeadNode(f"{name}-head", head_args, after(opts, reaper, *fleets))
    pulumi.export("head_node", {"vm_id": made.vm_id, "private_ip": made.private_ip, "public_ip": made.public_ip})
    if login:
        as_login, _, _ = make_identities(cluster, "login", login.identity, *shared, people=LOGIN)
        login_args = to.login_args(cluster, login, network, as_login, services, group, tags)
        pulumi.export("login", hpc.LoginNodeNLB(f"{name}-login", login_args, on_all).address)
    if cluster.budget:
        hpc.ClusterBudget(f"{name}-budget", to.budget_args(cluster.budget, group, nodes), opts)
    if buckets:
        pulumi.export("buckets", {bucket.name: bucket.url for bucket in buckets})


if __name__ == "__main__":  # `hpc init --program` copies this file to be a stack's own program
    main(described_cluster(AzureClusterSpec))
