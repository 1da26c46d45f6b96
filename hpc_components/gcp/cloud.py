from importlib.resources import files
from types import ModuleType
from typing import TYPE_CHECKING

from hpc_components.cloud import Cloud, ExampleMachines, Words
from hpc_components.elastic.drivers.gcp.limits import LIMITS

if TYPE_CHECKING:
    from hpc_components.accept.interruption import CloudSpot
    from hpc_components.bill.compare.formats import CostExport
    from hpc_components.boot.cloud_part import CloudBoot
    from hpc_components.catalog.clouds import CloudCatalog
    from hpc_components.first_cluster.answers import FirstCluster
    from hpc_components.gcp.cluster import Cluster
    from hpc_components.gcp.plan.reader import GcpPlanReader
    from hpc_components.gcp.preflight.part import GcpPart
    from hpc_components.gcp.price_list import GcpPriceList
    from hpc_components.gcp.rehearse import NetworkServices
    from hpc_components.gcp.spec import GcpClusterSpec
    from hpc_components.gcp.tags import Tags
    from hpc_components.gcp.testing import GcpStandIn
    from hpc_components.operate.cloud_log import CloudActivity
    from hpc_components.operate.ways import CloudReach


class GcpParts:
    """See `CloudParts`."""

    convert = None

    @property
    def catalog(self) -> "CloudCatalog":
        from hpc_components.gcp.catalog import CATALOG

        return CATALOG

    @property
    def model(self) -> "type[GcpClusterSpec]":
        from hpc_components.gcp.spec import GcpClusterSpec

        return GcpClusterSpec

    @property
    def rules(self) -> ModuleType:
        from hpc_components.gcp import rules

        return rules

    @property
    def plan_rules(self) -> ModuleType:
        from hpc_components.gcp.plan import rules

        return rules

    @property
    def tags(self) -> "type[Tags]":
        from hpc_components.gcp.tags import Tags

        return Tags

    @property
    def boot(self) -> "CloudBoot":
        from hpc_components.gcp import boot

        return boot

    @property
    def cluster(self) -> "type[Cluster]":
        from hpc_components.gcp.cluster import Cluster

        return Cluster

    @property
    def plan_reader(self) -> "GcpPlanReader":
        from hpc_components.gcp.plan.reader import READER

        return READER

    @property
    def stand_in(self) -> "GcpStandIn":
        from hpc_components.gcp.testing import STAND_IN

        return STAND_IN

    @property
    def first_cluster(self) -> "FirstCluster":
        from hpc_components.gcp import first_cluster

        return first_cluster

    @property
    def cost_export(self) -> "CostExport":
        from hpc_components.gcp.cost_export import COST_EXPORT

        return COST_EXPORT

    @property
    def preflight(self) -> "GcpPart":
        from hpc_components.gcp.preflight import PART

        return PART

    @property
    def price_list(self) -> "GcpPriceList":
        from hpc_components.gcp.price_list import PRICE_LIST

        return PRICE_LIST

    @property
    def bucket_api(self) -> str:
        return (files("hpc_components.gcp.accept") / "bucket_api.py").read_text(encoding="utf-8")

    @property
    def spot(self) -> "CloudSpot":
        from hpc_components.gcp.accept import spot

        return spot

    @property
    def activity(self) -> "CloudActivity":
        from hpc_components.gcp import activity

        return activity

    @property
    def reach(self) -> "CloudReach":
        from hpc_components.gcp import reach

        return reach

    def network_services(self) -> "NetworkServices":
        from hpc_components.gcp.rehearse import NetworkServices

        return NetworkServices()


CLOUD = Cloud(
    name="gcp",
    title="Google Cloud",
    package="hpc_components.gcp",
    sdk="pulumi_gcp",
    pulumi_package="gcp",
    parts=GcpParts(),
    words=Words(
        compute="Compute Engine",
        fabric="Cloud RDMA",
        placement="compact placement policy",
        network="VPC network",
        # the next hop of the default route. Source: VPC documentation, "Routes"
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
    widest_subnet=8,  # as in 10.0.0.0/8. Source: VPC documentation, "Subnets", IPv4 subnet range limits
    narrowest_subnet=29,  # Source: the same page
    kept_addresses=(2, 2),  # Source: VPC documentation, "Subnets", "Unusable addresses in IPv4 subnet ranges"
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    # Source: Compute Engine documentation, "Spot VMs", preemption process; Compute API, Scheduling
    spot_shutdown_seconds=30,
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="gs",
    # networks and service accounts are named after the cluster, and their names must be unique within a project
    names_by_region=False,
    machines_by_name="project",  # see head/head_roles.py. Source: IAM, "Attribute reference for IAM Conditions"
)
