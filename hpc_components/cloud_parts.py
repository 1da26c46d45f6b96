"""Defines the parts that a cloud's package provides to cloud-independent code."""

from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from hpc_components.boot.cloud_part import CloudBoot
    from hpc_components.catalog.clouds import CloudCatalog
    from hpc_components.catalog.online.price_list import PriceList
    from hpc_components.convert.formats import SourceFormat
    from hpc_components.first_cluster.answers import FirstCluster
    from hpc_components.ports import Tags
    from hpc_components.preview.reader import PlanReader
    from hpc_components.program.described import DescribedCluster
    from hpc_components.rehearse.cluster.network_services import NetworkServices
    from hpc_components.spec.cluster import ClusterSpec
    from hpc_components.testing.facts import StandIn


class CloudParts(Protocol):
    """The parts of a cloud.

    Each cloud's module `cloud` has a class with these members. A member imports its part only when it is used, so
    that reading facts doesn't load the models, and judging a description doesn't load an SDK. A part may be None only
    if its type allows it. `ty check` reports any other missing part, and parts of the wrong type, as errors.
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
        """The package whose modules register the rules on descriptions that are specific to this cloud."""
        ...

    @property
    def plan_rules(self) -> ModuleType | None:
        """The package whose modules register the plan rules that are specific to this cloud, or None if the cloud
        has no such rules."""
        ...

    @property
    def tags(self) -> "type[Tags]":
        """The class that encodes tags in a form that the cloud accepts."""
        ...

    @property
    def boot(self) -> "CloudBoot":
        """What this cloud adds to a node's first boot; usually the module `boot`."""
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
        """What `hpc init` proposes, checks and writes for this cloud; usually the module `first_cluster`."""
        ...

    @property
    def convert(self) -> "SourceFormat | None":
        """Converts another tool's configuration, or None if no such tool is supported for this cloud."""
        ...

    @property
    def price_list(self) -> "PriceList | None":
        """Fetches current prices for `hpc catalog refresh`, or None if the cloud has no price list that can be
        fetched."""
        ...

    def network_services(self) -> "NetworkServices":
        """Return a new simulation of the metadata service and the name server, for use in a single rehearsal."""
        ...
