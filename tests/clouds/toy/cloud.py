"""The toy cloud, as the rest of the house knows it."""

from clouds.toy.drivers.toy.limits import LIMITS
from hpc_components.cloud import Cloud, ExampleMachines, Words

__all__ = ["CLOUD"]

CLOUD = Cloud(
    name="toy",
    title="the toy cloud",
    package="clouds.toy",
    sdk="pulumi_gcp",
    pulumi_package="gcp",
    words=Words(
        compute="the toy cloud",
        fabric="Current",
        placement="raft",
        network="pool",
        internet="mouth of the pool",
        quotas="the toy cloud's manual",
        reservations="the harbour master",
        shell="the toy cloud's window",
        image_id="images/...",
        subnet_id="subnets/...",
        machines=ExampleMachines(
            queue="shell-32", fabric="tide-64", head="pebble-4", login="pebble-4", least="pebble-4 (16 GiB)"
        ),
    ),
    zonal_subnets=False,
    widest_subnet=8,
    narrowest_subnet=29,
    kept_addresses=(2, 2),
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="pond",
)
