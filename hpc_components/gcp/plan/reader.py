"""What a plan reads off Google Cloud's resources."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.gcp.plan.access import ingress, wildcard_actions
from hpc_components.gcp.plan.files import texts
from hpc_components.gcp.plan.fleets import fleets_of
from hpc_components.gcp.plan.machines import machine_uses
from hpc_components.gcp.plan.quotas import quota_needs
from hpc_components.gcp.plan.services import monthly_budgets, not_counted, service_uses
from hpc_components.gcp.plan.types import DATA
from hpc_components.preview.reader import PlanReader

if TYPE_CHECKING:
    from hpc_components.preview.inputs.facts import InputFacts
    from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed
    from hpc_components.preview.resources import Resource, Resources

__all__ = ["READER"]


class GcpPlanReader(PlanReader):
    """Imports what draws a picture, and what checks inputs, when it is asked for."""

    secrets: Mapping[str, re.Pattern[str]] = {
        "a key of a service account": re.compile(r"-----BEGIN (?:RSA )?PRIVATE KEY-----"),
        "an API key": re.compile(r"AIza[0-9A-Za-z_-]{35}\b"),
        "an OAuth token": re.compile(r"ya29\.[0-9A-Za-z_-]{20,}"),
        "an OAuth client's secret": re.compile(r"GOCSPX-[0-9A-Za-z_-]{28}\b"),
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
        from hpc_components.gcp.plan.network import network

        return network(resources)

    def standing(self, resources: "Resources") -> "Iterator[Placed]":
        from hpc_components.gcp.plan.network import placed
        from hpc_components.gcp.plan.standing import standing_cards

        return placed(resources, standing_cards(resources))

    def fleets(self, resources: "Resources") -> "Iterator[Fleet]":
        return (each.fleet for each in fleets_of(resources))

    def file_systems(self, resources: "Resources") -> "Iterator[Placed]":
        from hpc_components.gcp.plan.network import placed
        from hpc_components.gcp.plan.storage import file_system_cards

        return placed(resources, file_system_cards(resources))

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> "Iterator[Card]":
        from hpc_components.gcp.plan.storage import service_cards

        return service_cards(resources, linked)

    def ssh_sources(self, resources: "Resources") -> Iterator[str]:
        from hpc_components.gcp.plan.network import ssh_sources

        return ssh_sources(resources)

    def holds_data(self, resource: "Resource") -> bool:
        return resource.type in DATA

    def inputs(self) -> "InputFacts":
        from hpc_components.gcp.plan.inputs import FACTS

        return FACTS

    def changes(self) -> RecordsByKind:
        return RecordsByKind("changes", __file__)


READER = GcpPlanReader()
