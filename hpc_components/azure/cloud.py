"""Describes Azure to cloud-independent code."""

from importlib.resources import files
from types import ModuleType
from typing import TYPE_CHECKING

from hpc_components.cloud import Cloud, ExampleMachines, Words
from hpc_components.elastic.drivers.azure.limits import LIMITS

if TYPE_CHECKING:
    from hpc_components.accept.interruption import CloudSpot
    from hpc_components.azure.cluster import Cluster
    from hpc_components.azure.plan.reader import AzurePlanReader
    from hpc_components.azure.preflight.part import AzurePart
    from hpc_components.azure.price_list import AzurePriceList
    from hpc_components.azure.rehearse import NetworkServices
    from hpc_components.azure.spec import AzureClusterSpec
    from hpc_components.azure.tags import Tags
    from hpc_components.azure.testing import AzureStandIn
    from hpc_components.bill.compare.formats import CostExport
    from hpc_components.boot.cloud_part import CloudBoot
    from hpc_components.catalog.clouds import CloudCatalog
    from hpc_components.first_cluster.answers import FirstCluster
    from hpc_components.operate.cloud_log import CloudActivity
    from hpc_components.operate.ways import CloudReach


class AzureParts:
    """See `CloudParts`."""

    convert = None

    @property
    def catalog(self) -> "CloudCatalog":
        from hpc_components.azure.catalog import CATALOG

        return CATALOG

    @property
    def model(self) -> "type[AzureClusterSpec]":
        from hpc_components.azure.spec import AzureClusterSpec

        return AzureClusterSpec

    @property
    def rules(self) -> ModuleType:
        from hpc_components.azure import rules

        return rules

    @property
    def plan_rules(self) -> ModuleType:
        from hpc_components.azure.plan import rules

        return rules

    @property
    def tags(self) -> "type[Tags]":
        from hpc_components.azure.tags import Tags

        return Tags

    @property
    def boot(self) -> "CloudBoot":
        from hpc_components.azure import boot

        return boot

    @property
    def cluster(self) -> "type[Cluster]":
        from hpc_components.azure.cluster import Cluster

        return Cluster

    @property
    def plan_reader(self) -> "AzurePlanReader":
        from hpc_components.azure.plan.reader import READER

        return READER

    @property
    def stand_in(self) -> "AzureStandIn":
        from hpc_components.azure.testing import STAND_IN

        return STAND_IN

    @property
    def first_cluster(self) -> "FirstCluster":
        from hpc_components.azure import first_cluster

        return first_cluster

    @property
    def cost_export(self) -> "CostExport":
        from hpc_components.azure.cost_export import COST_EXPORT

        return COST_EXPORT

    @property
    def preflight(self) -> "AzurePart":
        from hpc_components.azure.preflight import PART

        return PART

    @property
    def price_list(self) -> "AzurePriceList":
        from hpc_components.azure.price_list import PRICE_LIST

        return PRICE_LIST

    @property
    def bucket_api(self) -> str:
        return (files("hpc_components.azure.accept") / "bucket_api.py").read_text(encoding="utf-8")

    @property
    def spot(self) -> "CloudSpot":
        from hpc_components.azure.accept import spot

        return spot

    @property
    def activity(self) -> "CloudActivity":
        from hpc_components.azure import activity

        return activity

    @property
    def reach(self) -> "CloudReach":
        from hpc_components.azure import reach

        return reach

    def network_services(self) -> "NetworkServices":
        from hpc_components.azure.rehearse import NetworkServices

        return NetworkServices()


CLOUD = Cloud(
    name="azure",
    title="Azure",
    package="hpc_components.azure",
    sdk="pulumi_azure_native",
    pulumi_package="azure-native",
    parts=AzureParts(),
    words=Words(
        compute="Azure",
        fabric="InfiniBand",
        placement="single placement group",
        network="virtual network",
        # Resources on the internet reach Azure resources through public IP addresses. Source: Azure documentation,
        # "Public IP addresses".
        internet="public IP addresses",
        quotas="Quotas in the Azure portal",
        reservations="`az capacity reservation group list`",
        shell="Azure Bastion",
        image_id="publisher:offer:sku:version",
        subnet_id="/subscriptions/...",
        machines=ExampleMachines(
            queue="Standard_D96as_v5",
            fabric="Standard_HB176rs_v4",
            head="Standard_D4s_v5",
            login="Standard_D2s_v5",
            least="Standard_D2s_v5 (8 GiB)",
        ),
    ),
    zonal_subnets=False,
    # the size of 10.0.0.0/8, the largest private range; the Azure Virtual Network FAQ specifies no maximum
    widest_subnet=8,
    narrowest_subnet=29,  # Azure Virtual Network FAQ, "How small and how large can virtual networks and subnets be"
    kept_addresses=(4, 1),  # Azure Virtual Network FAQ, "Are there any restrictions on using IP addresses"
    spot_notice_seconds=LIMITS.spot_notice_seconds,
    list_lag_seconds=LIMITS.list_lag_seconds,
    launch_size=LIMITS.launch_size,
    bucket_scheme="https",
    names_by_region=False,  # the cluster's name is also its resource group's name, which is unique in a subscription
)
