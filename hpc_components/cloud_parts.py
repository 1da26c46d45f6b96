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

__all__ = ["CloudParts"]


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
        """The model of the cloud's clusters, which a description with this `cloud` is read as."""
        ...

    @property
    def rules(self) -> ModuleType:
        """The package whose modules register the rules of a description that hold on this cloud alone."""
        ...

    @property
    def plan_rules(self) -> ModuleType | None:
        """The package whose modules register the rules of the plan that hold on this cloud alone."""
        ...

    @property
    def tags(self) -> "type[Tags]":
        """The class that writes tags as the cloud allows them."""
        ...

    @property
    def boot(self) -> "CloudBoot":
        """The cloud's share of what nodes run at first boot: usually the module `boot`."""
        ...

    @property
    def cluster(self) -> "type[DescribedCluster[Any]]":
        """The component that is a whole cluster."""
        ...

    @property
    def plan_reader(self) -> "PlanReader":
        """What recorded resources mean in a plan."""
        ...

    @property
    def stand_in(self) -> "StandIn":
        """What the stand-in provider and the matchers for tests know of the cloud."""
        ...

    @property
    def first_cluster(self) -> "FirstCluster":
        """What `hpc init` proposes, checks and writes: usually the module `first_cluster`."""
        ...

    @property
    def convert(self) -> "SourceFormat | None":
        """Another tool's configuration that can be converted to a description of a cluster on this cloud."""
        ...

    @property
    def price_list(self) -> "PriceList | None":
        """Today's prices, which `hpc catalog refresh` reads over the network."""
        ...

    def network_services(self) -> "NetworkServices":
        """Return a new simulation of the metadata service and the name server, for one rehearsal."""
        ...
