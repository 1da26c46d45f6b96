import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from hpc_components.preview.reader import CloudReader
from hpc_components.products import product_files

if TYPE_CHECKING:
    from decimal import Decimal

    from hpc_components.catalog.by_kind import RecordsByKind
    from hpc_components.preview.ingress import Ingress
    from hpc_components.preview.inputs.input_facts import InputFacts
    from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed
    from hpc_components.preview.resources import Resource, Resources
    from hpc_components.preview.uses import MachineUse, QuotaNeed, ServiceUse


class GcpPlanReader(CloudReader):
    """Reads Google Cloud resources from a plan.

    Modules are imported on first use, because no command needs all of them. For example, a plan printed as JSON
    contains no picture.
    """

    package = "hpc_components.gcp"
    secrets: Mapping[str, re.Pattern[str]] = {
        "a service account key": re.compile(r"-----BEGIN (?:RSA )?PRIVATE KEY-----"),
        "an API key": re.compile(r"AIza[0-9A-Za-z_-]{35}\b"),
        "an OAuth token": re.compile(r"ya29\.[0-9A-Za-z_-]{20,}"),
        "an OAuth client secret": re.compile(r"GOCSPX-[0-9A-Za-z_-]{28}\b"),
    }

    def machines(self, resources: "Resources") -> "Iterator[MachineUse]":
        from hpc_components.gcp.plan.machines import machine_uses

        return machine_uses(resources)

    def services(self, resources: "Resources") -> "Iterator[ServiceUse]":
        from hpc_components.gcp.plan.services import secret_uses, service_uses

        return chain(service_uses(resources), super().services(resources), secret_uses(resources))

    def not_counted(self, resources: "Resources") -> Iterator[str]:
        from hpc_components.gcp.plan.services import not_counted

        return chain(not_counted(resources), super().not_counted(resources))

    def budgets(self, resources: "Resources") -> "Iterator[Decimal]":
        from hpc_components.gcp.plan.services import monthly_budgets

        return monthly_budgets(resources)

    def quotas(self, resources: "Resources") -> "Iterator[QuotaNeed]":
        from hpc_components.gcp.plan.quotas import quota_needs

        return chain(quota_needs(resources), super().quotas(resources))

    def files(self, resource: "Resource") -> Iterator[tuple[str, str]]:
        from hpc_components.gcp.plan.files import texts

        return texts(resource)

    def network(self, resources: "Resources") -> "Network":
        from hpc_components.gcp.plan.network import network

        return network(resources)

    def standing(self, resources: "Resources") -> "Iterator[Placed]":
        from hpc_components.gcp.plan.network import placed
        from hpc_components.gcp.plan.standing import standing_cards

        return placed(resources, standing_cards(resources))

    def fleets(self, resources: "Resources") -> "Iterator[Fleet]":
        from hpc_components.gcp.plan.fleets import fleets_of

        return (each.fleet for each in fleets_of(resources))

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> "Iterator[Card]":
        from hpc_components.gcp.plan.storage import service_cards

        return service_cards(resources, linked)

    def ssh_sources(self, resources: "Resources") -> Iterator[str]:
        from hpc_components.gcp.plan.network import ssh_sources

        return ssh_sources(resources)

    def ingress(self, resource: "Resource") -> "Iterator[Ingress]":
        from hpc_components.gcp.plan.access import ingress

        return ingress(resource)

    def wildcard_actions(self, resource: "Resource") -> Iterator[str]:
        from hpc_components.gcp.plan.access import wildcard_actions

        return wildcard_actions(resource)

    def own_inputs(self) -> "InputFacts":
        from hpc_components.gcp.plan.inputs import FACTS

        return FACTS

    def changes(self) -> "RecordsByKind":
        from hpc_components.catalog.by_kind import RecordsByKind

        return RecordsByKind("changes", __file__).joined(product_files(self.package, "changes.json"))


READER = GcpPlanReader()
