"""A cluster on Google Cloud, from the description in the stack file. Reads top-down, as the cluster is built."""

import pulumi
import pulumi_gcp

from hpc_components import gcp as hpc
from hpc_components.gcp import from_spec as to
from hpc_components.gcp.described import (
    after,
    make_bucket,
    make_fleet,
    make_identities,
    make_mount,
    make_network,
)
from hpc_components.gcp.ports import Services
from hpc_components.gcp.spec import GcpClusterSpec
from hpc_components.gcp.tags import Tags
from hpc_components.program import described_cluster
from hpc_components.spec.bucket_access import LOGIN


def main(cluster: GcpClusterSpec) -> None:
    """Make the cluster."""
    name, tags = cluster.name, Tags(cluster.name, cluster.tags)
    provider = pulumi_gcp.Provider("gcp", project=cluster.project, region=cluster.region, zone=cluster.zone)
    apis = hpc.ProjectServices(f"{name}-apis", to.apis_args(cluster), pulumi.ResourceOptions(provider=provider))
    opts = after(pulumi.ResourceOptions(provider=provider), apis)

    buckets = [make_bucket(cluster, key, bucket, tags, opts) for key, bucket in cluster.buckets.items()]
    head, login = cluster.head_node, cluster.login_nodes
    as_head, _ = make_identities(
        cluster, "head", head.service_account, buckets, opts, people=None if login else LOGIN
    )
    as_login = None
    if login:
        as_login, _ = make_identities(cluster, "login", login.service_account, buckets, opts, people=LOGIN)
    as_nodes = [
        make_identities(cluster, queue.name, queue.service_account, buckets, opts, people=queue.name)
        for queue in cluster.queues
    ]

    network, ground = make_network(cluster, tags, opts)
    on_ground = after(opts, *ground)
    stores = [
        make_mount(cluster, key, storage, network, as_head, tags, on_ground)
        for key, storage in cluster.storage.items()
    ]
    mounts, file_systems = [mount for mount, _ in stores], [made for _, ours in stores for made in ours]
    firewall_args = to.firewall_args(cluster, network, as_head, as_login, [own for own, _ in as_nodes])
    firewall = hpc.FirewallRules(name, firewall_args, opts)
    secrets = hpc.NodeSecrets(f"{name}-secrets", to.secrets_args(cluster, tags), opts)
    logs = hpc.NodeLogs(f"{name}-logs", to.logs_args(cluster, tags), opts)
    config_args = to.config_args(cluster, mounts, secrets.made, tags, buckets)
    config = hpc.ConfigBucket(f"{name}-config", config_args, opts)
    services = Services(config=config.store, munge=secrets.munge, jwt=secrets.jwt, host_keys=secrets.host_keys)

    # Nodes boot when what they fetch and mount is there: a new node gives up long before a file system is made.
    # A destroy goes the other way round: first the object that says that the cluster is to be; then the head node,
    # which deletes the compute nodes, also those that no stack knows, when it shuts down without it; then the rest.
    on_all = after(opts, *ground, *file_systems, firewall, secrets, logs, config)
    fleets = [
        make_fleet(cluster, queue, network, as_node, services, tags, on_all)
        for queue, (as_node, _) in zip(cluster.queues, as_nodes, strict=True)
    ]
    refs = tuple(fleet.fleet for fleet in fleets)
    head_args = to.head_args(cluster, network, as_head, services, refs, tags)
    identities = [made for _, ours in as_nodes for made in ours]
    made = hpc.SlurmHeadNode(f"{name}-head", head_args, after(on_all, *fleets, *identities))
    hpc.NodeReaper(f"{name}-reaper", to.reaper_args(config.store, tags), after(opts, made))
    pulumi.export(
        "head_node", {"instance_id": made.instance_id, "private_ip": made.private_ip, "public_ip": made.public_ip}
    )
    if login and as_login:
        login_args = to.login_args(cluster, login, network, as_login, services, tags)
        pulumi.export("login", hpc.LoginNodeNLB(f"{name}-login", login_args, on_all).address)
    if cluster.budget and cluster.billing_account:
        budget_args = to.budget_args(cluster, cluster.budget, config.project_number, tags)
        # The Budget API answers people with 403 unless they name the project whose quota they use. Only here: nothing
        # else needs it, and APIs of a new project could not be enabled so. Source: pulumi_gcp, Budget, warning.
        billing = pulumi_gcp.Provider(
            "gcp-billing", project=cluster.project, user_project_override=True, billing_project=cluster.project
        )
        with_billing = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(provider=billing))
        hpc.ClusterBudget(f"{name}-budget", budget_args, with_billing)
    if buckets:
        pulumi.export("buckets", {bucket.name: bucket.url for bucket in buckets})


if __name__ == "__main__":  # `hpc init --program` copies this file to be a stack's own program
    main(described_cluster(GcpClusterSpec))
