"""What a plan reads off Azure's resources: see `PlanReader`, whose answers these are."""

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

from hpc_components.preview.reader import PlanReader

if TYPE_CHECKING:
    from hpc_components.catalog.by_kind import RecordsByKind
    from hpc_components.preview.inputs.facts import InputFacts
    from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed
    from hpc_components.preview.resources import Resource, Resources
    from hpc_components.preview.uses import MachineUse, QuotaNeed, ServiceUse

__all__ = ["READER"]


class AzurePlanReader(PlanReader):
    """Imports each reading where it is asked for: a plan in JSON draws no picture."""

    region_input = "location"

    def machines(self, resources: "Resources") -> Iterable["MachineUse"]:
        from hpc_components.azure.plan.machines import machine_uses

        return machine_uses(resources)

    def services(self, resources: "Resources") -> Iterable["ServiceUse"]:
        from hpc_components.azure.plan.services import service_uses

        return service_uses(resources)

    def not_counted(self, resources: "Resources") -> Iterable[str]:
        from hpc_components.azure.plan.services import not_counted

        return not_counted(resources)

    def budgets(self, resources: "Resources") -> Iterable[Decimal]:
        from hpc_components.azure.plan.services import monthly_budgets

        return monthly_budgets(resources)

    def quotas(self, resources: "Resources") -> Iterable["QuotaNeed"]:
        from hpc_components.azure.plan.quotas import quota_needs

        return quota_needs(resources)

    def files(self, resource: "Resource") -> Iterable[tuple[str, str]]:
        from hpc_components.azure.plan.files import texts

        return texts(resource)

    def network(self, resources: "Resources") -> "Network":
        from hpc_components.azure.plan.network import network

        return network(resources)

    def standing(self, resources: "Resources") -> Iterable["Placed"]:
        from hpc_components.azure.plan.network import placed
        from hpc_components.azure.plan.standing import standing_cards

        return placed(resources, standing_cards(resources))

    def fleets(self, resources: "Resources") -> Iterable["Fleet"]:
        from hpc_components.azure.plan.fleets import fleets_of

        return (each.fleet for each in fleets_of(resources))

    def file_systems(self, resources: "Resources") -> Iterable["Placed"]:
        from hpc_components.azure.plan.network import placed
        from hpc_components.azure.plan.storage import file_system_cards

        return placed(resources, file_system_cards(resources))

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> Iterable["Card"]:
        from hpc_components.azure.plan.storage import service_cards

        return service_cards(resources, linked)

    def ssh_sources(self, resources: "Resources") -> Iterable[str]:
        from hpc_components.azure.plan.network import ssh_sources

        return ssh_sources(resources)

    def inputs(self) -> "InputFacts":
        from hpc_components.azure.plan.inputs import FACTS

        return FACTS

    def changes(self) -> "RecordsByKind":
        from hpc_components.catalog.by_kind import RecordsByKind

        return RecordsByKind("changes", __file__)


READER = AzurePlanReader()
