"""The descriptor of Google Cloud."""

from hpc_components.cloud import Cloud, ExampleMachines, Words
from hpc_components.elastic.drivers.gcp.limits import LIMITS

__all__ = ["CLOUD"]

CLOUD = Cloud(
    name="gcp",
    title="Google Cloud",
    package="hpc_components.gcp",
    sdk="pulumi_gcp",
    pulumi_package="gcp",
    words=Words(
        compute="Compute Engine",
        fabric="Cloud RDMA",
        placement="compact placement policy",
        network="VPC network",
        # VPC documentation, "Routes": next hop of the default route
        internet="default internet gateway",
        quotas="IAM & Admin, Quotas",
        reservations="`gcloud compute reservations list`",
        shell="IAP (`gcloud compute ssh --tunnel-through-iap`)",
        image_id="projects/...",
        subnet_id="projects/...",
        machines=ExampleMachines(
            queue="c3-standard-88",
            fabric="h4d-standard-192",
            head="n2-standard-4",
            login="n2-standard-2",
            least="n2-standard-2 (8 GiB)",
        ),
    ),
    zonal_subnets=False,
    widest_subnet=8,  # of a range like 10.0.0.0/8. Source: VPC documentation, "Subnets", IPv4 subnet range limits
    narrowest_subnet=29,  # the same page
    kept_addresses=(2, 2),  # VPC documentation, "Subnets", "Unusable addresses in IPv4 subnet ranges"
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    spot_shutdown_seconds=30,  # Compute Engine documentation, "Spot VMs", preemption process; Compute API, Scheduling
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="gs",
    names_by_region=False,  # a network and service accounts, which begin with the cluster's name, are the project's
    machines_by_name="project",  # components/head_roles.py. Source: IAM, "Attribute reference for IAM Conditions"
)
