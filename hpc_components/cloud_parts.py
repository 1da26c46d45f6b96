"""Defines the parts that a cloud's package provides to cloud-independent code."""

from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from hpc_components.accept.interruption import CloudSpot
    from hpc_components.bill.compare.formats import CostExport
    from hpc_components.boot.cloud_part import CloudBoot
    from hpc_components.catalog.clouds import CloudCatalog
    from hpc_components.catalog.online.price_list import PriceList
    from hpc_components.convert.formats import SourceFormat
    from hpc_components.first_cluster.answers import FirstCluster
    from hpc_components.operate.cloud_log import CloudActivity
    from hpc_components.operate.ways import CloudReach
    from hpc_components.ports import Tags
    from hpc_components.preflight.account import AccountPart
    from hpc_components.preview.reader import PlanReader
    from hpc_components.program.described import DescribedCluster
    from hpc_components.rehearse.cluster.network_services import NetworkServices
    from hpc_components.spec.cluster import ClusterSpec
    from hpc_components.testing.facts import StandIn


class CloudParts(Protocol):
    """The parts of a cloud.

    Each cloud's `cloud` module has a class with these members. Members import their parts lazily, so that reading
    facts doesn't load the models, and validating a description doesn't load an SDK. `ty check` reports parts that are
    missing or have the wrong type.
    """

    @property
    def catalog(self) -> "CloudCatalog":
        """Facts about machines, regions, prices, quotas and id formats."""
        ...

    @property
    def model(self) -> "type[ClusterSpec]":
        """The class that parses and validates descriptions for this cloud."""
        ...

    @property
    def rules(self) -> ModuleType:
        """The package whose modules register this cloud's own rules for descriptions."""
        ...

    @property
    def plan_rules(self) -> ModuleType | None:
        """The package whose modules register this cloud's own plan rules, or None if the cloud has no such rules."""
        ...

    @property
    def tags(self) -> "type[Tags]":
        """The class that encodes tags in a form that the cloud accepts."""
        ...

    @property
    def boot(self) -> "CloudBoot":
        """Additions to a node's first boot, usually the cloud's `boot` module."""
        ...

    @property
    def cluster(self) -> "type[DescribedCluster[Any]]":
        """The component that creates a whole cluster."""
        ...

    @property
    def plan_reader(self) -> "PlanReader":
        """Interprets recorded resources for a plan."""
        ...

    @property
    def stand_in(self) -> "StandIn":
        """Facts for the stand-in provider and the test assertions."""
        ...

    @property
    def first_cluster(self) -> "FirstCluster":
        """What `hpc init` proposes, checks and writes for this cloud, usually the cloud's `first_cluster` module."""
        ...

    @property
    def convert(self) -> "SourceFormat | None":
        """Converter for another tool's configuration, or None if this cloud has no converter."""
        ...

    @property
    def cost_export(self) -> "CostExport | None":
        """Format of the files in which the cloud exports its charges, or None if it has no such export."""
        ...

    @property
    def preflight(self) -> "AccountPart | None":
        """What `hpc preflight` asks, or None if it can't ask this cloud."""
        ...

    @property
    def price_list(self) -> "PriceList | None":
        """Price list for `hpc catalog refresh`, or None if the cloud doesn't publish prices that can be fetched
        online.
        """
        ...

    @property
    def bucket_api(self) -> str | None:
        """The program `bucket_api.py` with which `hpc accept` uses a bucket on nodes, or None if this cloud has none.

        Its class `Bucket` takes a URL of `/etc/hpc/buckets`; its methods are `list_one`, `put`, `get` and `delete`.
        """
        ...

    @property
    def spot(self) -> "CloudSpot | None":
        """How `hpc accept --spot` has a spot machine taken away, or None if this cloud has no spot machines."""
        ...

    @property
    def activity(self) -> "CloudActivity | None":
        """How `hpc audit` reads the cloud's own log of changes, or None if this cloud has no such log."""
        ...

    @property
    def reach(self) -> "CloudReach":
        """The cloud's own way to a head node without a public address, usually the cloud's `reach` module."""
        ...

    def network_services(self) -> "NetworkServices":
        """Create a simulated metadata service and name server for a single rehearsal."""
        ...
