import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.gcp.tags import Tags

SSH = 22

PROBE_SECONDS = 5
"""Interval and timeout of health checks, in seconds."""

DRAIN_SECONDS = 3600
"""Maximum duration of sessions on a removed node, in seconds. This is the longest that Google allows. Source: Cloud
Load Balancing documentation, "Enabling connection draining"."""


def make_balancer(
    name: str,
    *,
    group: Input[str],
    project: str,
    region: str,
    subnet: Input[str] | None,
    network: Input[str],
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> Output[str]:
    """Create a load balancer for an instance group, and return the load balancer's fixed address.

    The address is in `subnet`, or public if `subnet` is None. Packets keep their source address, so firewall rules
    apply to users' own addresses.
    """
    compute = gcp.compute
    scheme = "EXTERNAL" if subnet is None else "INTERNAL"
    address = compute.Address(
        f"{name}-address",
        address_type=scheme,
        subnetwork=subnet,
        labels=tags.for_resource(f"{name}-address"),
        project=project,
        region=region,
        opts=opts,
    )
    check = compute.RegionHealthCheck(
        f"{name}-sshd",
        check_interval_sec=PROBE_SECONDS,
        timeout_sec=PROBE_SECONDS,
        healthy_threshold=2,
        unhealthy_threshold=2,
        tcp_health_check=compute.RegionHealthCheckTcpHealthCheckArgs(port=SSH),
        project=project,
        region=region,
        opts=opts,
    )
    service = compute.RegionBackendService(
        f"{name}-nodes",
        load_balancing_scheme=scheme,
        protocol="TCP",
        session_affinity="CLIENT_IP",
        connection_draining_timeout_sec=DRAIN_SECONDS,
        health_checks=check.id,
        backends=[compute.RegionBackendServiceBackendArgs(group=group, balancing_mode="CONNECTION")],
        project=project,
        region=region,
        opts=opts,
    )
    compute.ForwardingRule(
        f"{name}-ssh",
        load_balancing_scheme=scheme,
        ip_protocol="TCP",
        ports=[str(SSH)],
        ip_address=address.address,
        backend_service=service.id,
        network=None if subnet is None else network,
        subnetwork=subnet,
        labels=tags.for_resource(f"{name}-ssh"),
        project=project,
        region=region,
        opts=opts,
    )
    return address.address
