from importlib.resources import files
from types import ModuleType
from typing import TYPE_CHECKING

from hpc_components.cloud import Cloud, ExampleMachines, Words
from hpc_components.elastic.drivers.aws.limits import LIMITS

if TYPE_CHECKING:
    from hpc_components.accept.interruption import CloudSpot
    from hpc_components.aws.cluster import Cluster
    from hpc_components.aws.convert.parallelcluster import ParallelCluster
    from hpc_components.aws.plan.reader import AwsPlanReader
    from hpc_components.aws.preflight.part import AwsPart
    from hpc_components.aws.price_list import AwsPriceList
    from hpc_components.aws.rehearse import NetworkServices
    from hpc_components.aws.spec import AwsClusterSpec
    from hpc_components.aws.tags import Tags
    from hpc_components.aws.testing import AwsStandIn
    from hpc_components.bill.compare.formats import CostExport
    from hpc_components.boot.cloud_part import CloudBoot
    from hpc_components.catalog.clouds import CloudCatalog
    from hpc_components.first_cluster.answers import FirstCluster
    from hpc_components.operate.cloud_log import CloudActivity
    from hpc_components.operate.ways import CloudReach


class AwsParts:
    """See `CloudParts`."""

    @property
    def catalog(self) -> "CloudCatalog":
        from hpc_components.aws.catalog import CATALOG

        return CATALOG

    @property
    def model(self) -> "type[AwsClusterSpec]":
        from hpc_components.aws.spec import AwsClusterSpec

        return AwsClusterSpec

    @property
    def rules(self) -> ModuleType:
        from hpc_components.aws import rules

        return rules

    @property
    def plan_rules(self) -> ModuleType:
        from hpc_components.aws.plan import rules

        return rules

    @property
    def tags(self) -> "type[Tags]":
        from hpc_components.aws.tags import Tags

        return Tags

    @property
    def boot(self) -> "CloudBoot":
        from hpc_components.aws import boot

        return boot

    @property
    def cluster(self) -> "type[Cluster]":
        from hpc_components.aws.cluster import Cluster

        return Cluster

    @property
    def plan_reader(self) -> "AwsPlanReader":
        from hpc_components.aws.plan.reader import READER

        return READER

    @property
    def stand_in(self) -> "AwsStandIn":
        from hpc_components.aws.testing import STAND_IN

        return STAND_IN

    @property
    def first_cluster(self) -> "FirstCluster":
        from hpc_components.aws import first_cluster

        return first_cluster

    @property
    def convert(self) -> "ParallelCluster":
        from hpc_components.aws.convert import FORMAT

        return FORMAT

    @property
    def cost_export(self) -> "CostExport":
        from hpc_components.aws.cost_export import COST_EXPORT

        return COST_EXPORT

    @property
    def preflight(self) -> "AwsPart":
        from hpc_components.aws.preflight import PART

        return PART

    @property
    def price_list(self) -> "AwsPriceList":
        from hpc_components.aws.price_list import PRICE_LIST

        return PRICE_LIST

    @property
    def bucket_api(self) -> str:
        return (files("hpc_components.aws.accept") / "bucket_api.py").read_text(encoding="utf-8")

    @property
    def spot(self) -> "CloudSpot":
        from hpc_components.aws.accept import spot

        return spot

    @property
    def activity(self) -> "CloudActivity":
        from hpc_components.aws import activity

        return activity

    @property
    def reach(self) -> "CloudReach":
        from hpc_components.aws import reach

        return reach

    def network_services(self) -> "NetworkServices":
        from hpc_components.aws.rehearse import NetworkServices

        return NetworkServices()


CLOUD = Cloud(
    name="aws",
    title="AWS",
    package="hpc_components.aws",
    sdk="pulumi_aws",
    pulumi_package="aws",
    parts=AwsParts(),
    words=Words(
        compute="EC2",
        fabric="EFA",
        placement="cluster placement group",
        network="VPC",
        # Amazon VPC user guide, "Enable internet access for a VPC using an internet gateway"
        internet="internet gateway",
        quotas="Service Quotas",
        reservations="`aws ec2 describe-capacity-reservations`",
        shell="Session Manager",
        image_id="ami-...",
        subnet_id="subnet-...",
        machines=ExampleMachines(
            queue="c7i.48xlarge",
            fabric="hpc7a.96xlarge",
            head="m7i.xlarge",
            login="m7i.large",
            least="c7i.large (4 GiB)",
        ),
    ),
    zonal_subnets=True,
    widest_subnet=16,  # Amazon VPC user guide, "Subnet CIDR blocks"
    narrowest_subnet=28,  # Amazon VPC user guide, "Subnet CIDR blocks"
    kept_addresses=(4, 1),  # Amazon VPC user guide, "Subnet CIDR blocks"
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="s3",
)
