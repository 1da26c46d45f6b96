"""AWS, as the rest of the house knows it."""

from hpc_components.cloud import Cloud

__all__ = ["CLOUD"]

CLOUD = Cloud(
    name="aws",
    title="AWS",
    package="hpc_components.aws",
    sdk="pulumi_aws",
    pulumi_package="aws",
    kept_addresses=(4, 1),  # Amazon VPC user guide, "Subnet CIDR blocks"
    spot_notice_seconds=120,
    list_lag_seconds=120,
    launch_size=1000,
    bucket_scheme="s3",
)
