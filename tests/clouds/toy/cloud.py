"""The toy cloud, as the rest of the house knows it."""

from types import ModuleType
from typing import TYPE_CHECKING

from clouds.toy.drivers.toy.limits import LIMITS
from hpc_components.cloud import Cloud, ExampleMachines, Words

if TYPE_CHECKING:
    from clouds.toy.cluster import Cluster
    from clouds.toy.plan import ToyPlanReader
    from clouds.toy.rehearse import NetworkServices
    from clouds.toy.spec import ToyClusterSpec
    from clouds.toy.tags import Tags
    from clouds.toy.testing import ToyStandIn
    from hpc_components.boot.cloud_part import CloudBoot
    from hpc_components.catalog.clouds import CloudCatalog
    from hpc_components.first_cluster.answers import FirstCluster
    from hpc_components.operate.ways import CloudReach


class ToyParts:
    """See `CloudParts`."""

    activity = None
    bucket_api = None
    convert = None
    cost_export = None
    preflight = None
    price_list = None
    spot = None

    @property
    def catalog(self) -> "CloudCatalog":
        from clouds.toy.catalog import CATALOG

        return CATALOG

    @property
    def model(self) -> "type[ToyClusterSpec]":
        from clouds.toy.spec import ToyClusterSpec

        return ToyClusterSpec

    @property
    def rules(self) -> ModuleType:
        from clouds.toy import rules

        return rules

    @property
    def plan_rules(self) -> ModuleType:
        from clouds.toy.plan import rules

        return rules

    @property
    def tags(self) -> "type[Tags]":
        from clouds.toy.tags import Tags

        return Tags

    @property
    def boot(self) -> "CloudBoot":
        from clouds.toy import boot

        return boot

    @property
    def cluster(self) -> "type[Cluster]":
        from clouds.toy.cluster import Cluster

        return Cluster

    @property
    def plan_reader(self) -> "ToyPlanReader":
        from clouds.toy.plan import READER

        return READER

    @property
    def stand_in(self) -> "ToyStandIn":
        from clouds.toy.testing import STAND_IN

        return STAND_IN

    @property
    def first_cluster(self) -> "FirstCluster":
        from clouds.toy import first_cluster

        return first_cluster

    @property
    def reach(self) -> "CloudReach":
        from clouds.toy import reach

        return reach

    def network_services(self) -> "NetworkServices":
        from clouds.toy.rehearse import NetworkServices

        return NetworkServices()


CLOUD = Cloud(
    name="toy",
    title="the toy cloud",
    package="clouds.toy",
    sdk="pulumi_gcp",
    pulumi_package="gcp",
    parts=ToyParts(),
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
