"""The toy cloud, as the rest of the house knows it."""

from clouds.toy.drivers.toy.limits import LIMITS
from hpc_components.cloud import Cloud

__all__ = ["CLOUD"]

CLOUD = Cloud(
    name="toy",
    title="the toy cloud",
    package="clouds.toy",
    sdk="pulumi_gcp",
    pulumi_package="gcp",
    kept_addresses=(2, 2),
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="pond",
)
