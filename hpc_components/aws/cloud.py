"""The descriptor of AWS."""

from hpc_components.cloud import Cloud
from hpc_components.elastic.drivers.aws.limits import LIMITS

__all__ = ["CLOUD"]

CLOUD = Cloud(
    name="aws",
    title="AWS",
    package="hpc_components.aws",
    sdk="pulumi_aws",
    pulumi_package="aws",
    kept_addresses=(4, 1),  # Amazon VPC user guide, "Subnet CIDR blocks"
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="s3",
)
