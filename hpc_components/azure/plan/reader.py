"""What a plan reads off Azure's resources."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from hpc_components.azure.plan.access import ingress, wildcard_actions
from hpc_components.azure.plan.files import texts
from hpc_components.azure.plan.fleets import fleets_of
from hpc_components.azure.plan.machines import machine_uses
from hpc_components.azure.plan.quotas import quota_needs
from hpc_components.azure.plan.services import monthly_budgets, not_counted, service_uses
from hpc_components.azure.plan.types import DATA
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.preview.reader import PlanReader

if TYPE_CHECKING:
    from hpc_components.preview.inputs.facts import InputFacts
    from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed
    from hpc_components.preview.resources import Resource, Resources

__all__ = ["READER"]


class AzurePlanReader(PlanReader):
    """Imports what draws a picture, and what checks inputs, when it is asked for."""

    region_input = "location"
    secrets: Mapping[str, re.Pattern[str]] = {
        "a key of a storage account": re.compile(r"(?i)account_?key\W{1,5}[A-Za-z0-9/+]{86}=="),
        "a shared access signature": re.compile(r"[?&]sig=[A-Za-z0-9%/+]{40,}"),
        # `Q~` is a version mark that Microsoft's scanners look for
        "a secret of an application": re.compile(r"Q~[A-Za-z0-9_~.-]{31,34}\b"),
    }

    machines = staticmethod(machine_uses)
    services = staticmethod(service_uses)
    not_counted = staticmethod(not_counted)
    budgets = staticmethod(monthly_budgets)
    quotas = staticmethod(quota_needs)
    files = staticmethod(texts)
    ingress = staticmethod(ingress)
    wildcard_actions = staticmethod(wildcard_actions)

    def network(self, resources: "Resources") -> "Network":
        from hpc_components.azure.plan.network import network

        return network(resources)

    def standing(self, resources: "Resources") -> "Iterator[Placed]":
        from hpc_components.azure.plan.network import placed
        from hpc_components.azure.plan.standing import standing_cards

        return placed(resources, standing_cards(resources))

    def fleets(self, resources: "Resources") -> "Iterator[Fleet]":
        return (each.fleet for each in fleets_of(resources))

    def file_systems(self, resources: "Resources") -> "Iterator[Placed]":
        from hpc_components.azure.plan.network import placed
        from hpc_components.azure.plan.storage import file_system_cards

        return placed(resources, file_system_cards(resources))

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> "Iterator[Card]":
        from hpc_components.azure.plan.storage import service_cards

        return service_cards(resources, linked)

    def ssh_sources(self, resources: "Resources") -> Iterator[str]:
        from hpc_components.azure.plan.network import ssh_sources

        return ssh_sources(resources)

    def holds_data(self, resource: "Resource") -> bool:
        return resource.type in DATA

    def inputs(self) -> "InputFacts":
        from hpc_components.azure.plan.inputs import FACTS

        return FACTS

    def changes(self) -> RecordsByKind:
        return RecordsByKind("changes", __file__)


READER = AzurePlanReader()
