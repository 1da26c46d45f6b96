"""The interface between a cloud's package and the core: the parts that the core asks a `Cloud` for."""

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
    """The parts of one cloud.

    A cloud's module `cloud` has a class with these members. Each member imports its part when it is used, so that
    reading facts loads no models, and judging a description loads no SDK. A part may be None only where the type says
    so; `ty check` refuses a cloud that lacks another part, or has one of another type.
    """

    @property
    def catalog(self) -> "CloudCatalog":
        """Facts: machines, regions, prices, quotas, and how the cloud writes ids."""
        ...

    @property
    def model(self) -> "type[ClusterSpec]":
        """The class that parses and validates a description with this `cloud`."""
        ...

    @property
    def rules(self) -> ModuleType:
        """The package whose modules register the rules of a description that are specific to this cloud."""
        ...

    @property
    def plan_rules(self) -> ModuleType | None:
        """The package whose modules register the rules of the plan that are specific to this cloud."""
        ...

    @property
    def tags(self) -> "type[Tags]":
        """The class that encodes tags as the cloud allows them."""
        ...

    @property
    def boot(self) -> "CloudBoot":
        """What this cloud adds to the first boot of nodes: usually the module `boot`."""
        ...

    @property
    def cluster(self) -> "type[DescribedCluster[Any]]":
        """The component for a whole cluster."""
        ...

    @property
    def plan_reader(self) -> "PlanReader":
        """The interpretation of recorded resources in a plan."""
        ...

    @property
    def stand_in(self) -> "StandIn":
        """Facts for the stand-in provider and the test matchers."""
        ...

    @property
    def first_cluster(self) -> "FirstCluster":
        """What `hpc init` proposes, checks and writes: usually the module `first_cluster`."""
        ...

    @property
    def convert(self) -> "SourceFormat | None":
        """Converter for another tool's configuration; None if this cloud has no such tool."""
        ...

    @property
    def price_list(self) -> "PriceList | None":
        """Reader of current prices over the network, for `hpc catalog refresh`; None if prices can't be read."""
        ...

    def network_services(self) -> "NetworkServices":
        """Return a new simulation of the metadata service and the name server, for one rehearsal."""
        ...
