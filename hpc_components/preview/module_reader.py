"""A `PlanReader` whose readings are functions in the modules of a cloud's part `plan`."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hpc_components.preview.reader import PlanReader

if TYPE_CHECKING:
    from hpc_components.catalog.by_kind import RecordsByKind
    from hpc_components.preview.ingress import Ingress
    from hpc_components.preview.inputs.facts import InputFacts
    from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed
    from hpc_components.preview.resources import Resource, Resources
    from hpc_components.preview.uses import MachineUse, QuotaNeed, ServiceUse

__all__ = ["ModuleReader"]


class ModuleReader(PlanReader):
    """Imports each reading where it is asked for: a plan in JSON draws no picture.

    A cloud with other modules or functions overrides the reading.
    """

    def __init__(self, package: str) -> None:
        """`package` is the Python package that has the modules, a cloud's part `plan`."""
        self._package = package

    def machines(self, resources: "Resources") -> Iterable["MachineUse"]:
        """What `machines.machine_uses` says."""
        return self._function("machines", "machine_uses")(resources)

    def services(self, resources: "Resources") -> Iterable["ServiceUse"]:
        """What `services.service_uses` says."""
        return self._function("services", "service_uses")(resources)

    def not_counted(self, resources: "Resources") -> Iterable[str]:
        """What `services.not_counted` says."""
        return self._function("services", "not_counted")(resources)

    def budgets(self, resources: "Resources") -> Iterable[Decimal]:
        """What `services.monthly_budgets` says."""
        return self._function("services", "monthly_budgets")(resources)

    def quotas(self, resources: "Resources") -> Iterable["QuotaNeed"]:
        """What `quotas.quota_needs` says."""
        return self._function("quotas", "quota_needs")(resources)

    def files(self, resource: "Resource") -> Iterable[tuple[str, str]]:
        """What `files.texts` says."""
        return self._function("files", "texts")(resource)

    def network(self, resources: "Resources") -> "Network":
        """What `network.network` says."""
        return self._function("network", "network")(resources)

    def standing(self, resources: "Resources") -> Iterable["Placed"]:
        """What `standing.standing_cards` has, where `network.placed` puts it."""
        return self._placed(resources, self._function("standing", "standing_cards")(resources))

    def fleets(self, resources: "Resources") -> Iterable["Fleet"]:
        """The `fleet` of each of `fleets.fleets_of`."""
        return (each.fleet for each in self._function("fleets", "fleets_of")(resources))

    def file_systems(self, resources: "Resources") -> Iterable["Placed"]:
        """What `storage.file_system_cards` has, where `network.placed` puts it."""
        return self._placed(resources, self._function("storage", "file_system_cards")(resources))

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> Iterable["Card"]:
        """What `storage.service_cards` says."""
        return self._function("storage", "service_cards")(resources, linked)

    def ssh_sources(self, resources: "Resources") -> Iterable[str]:
        """What `network.ssh_sources` says."""
        return self._function("network", "ssh_sources")(resources)

    def ingress(self, resource: "Resource") -> Iterable["Ingress"]:
        """What `access.ingress` says."""
        return self._function("access", "ingress")(resource)

    def wildcard_actions(self, resource: "Resource") -> Iterable[str]:
        """What `access.wildcard_actions` says."""
        return self._function("access", "wildcard_actions")(resource)

    def holds_data(self, resource: "Resource") -> bool:
        """Whether its type is one of `types.DATA`."""
        return resource.type in import_module(f"{self._package}.types").DATA

    def inputs(self) -> "InputFacts":
        """`inputs.FACTS`."""
        return import_module(f"{self._package}.inputs").FACTS

    def changes(self) -> "RecordsByKind":
        """The records of `data/changes.json`."""
        from hpc_components.catalog.by_kind import RecordsByKind

        return RecordsByKind("changes", str(import_module(self._package).__file__))

    def _placed(self, resources: "Resources", cards: Iterable[Any]) -> Iterable["Placed"]:
        return self._function("network", "placed")(resources, cards)

    def _function(self, module: str, name: str) -> Callable[..., Any]:
        return getattr(import_module(f"{self._package}.{module}"), name)
