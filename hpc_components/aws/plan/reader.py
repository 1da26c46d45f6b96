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


class AwsPlanReader(CloudReader):
    """The plan reader for AWS. Modules are imported on first use, because most commands need only some of them."""

    package = "hpc_components.aws"
    secrets: Mapping[str, re.Pattern[str]] = {
        "an AWS access key": re.compile(r"A[KS]IA[A-Z2-7]{16}\b"),
        "an AWS secret key": re.compile(r"(?i)aws_?secret_?(?:access_?)?key\W{1,5}[A-Za-z0-9/+]{40}\b"),
    }

    def machines(self, resources: "Resources") -> "Iterator[MachineUse]":
        from hpc_components.aws.plan.machines import machine_uses

        return machine_uses(resources)

    def services(self, resources: "Resources") -> "Iterator[ServiceUse]":
        from hpc_components.aws.plan.services import service_uses

        return chain(service_uses(resources), super().services(resources))

    def not_counted(self, resources: "Resources") -> Iterator[str]:
        from hpc_components.aws.plan.services import not_counted

        # remove duplicates: several products may mention file system backups
        return iter(dict.fromkeys(not_counted(resources, super().not_counted(resources))))

    def budgets(self, resources: "Resources") -> "Iterator[Decimal]":
        from hpc_components.aws.plan.services import monthly_budgets

        return monthly_budgets(resources)

    def quotas(self, resources: "Resources") -> "Iterator[QuotaNeed]":
        from hpc_components.aws.plan.quotas import quota_needs

        return chain(quota_needs(resources), super().quotas(resources))

    def files(self, resource: "Resource") -> Iterator[tuple[str, str]]:
        from hpc_components.aws.plan.files import texts

        return texts(resource)

    def network(self, resources: "Resources") -> "Network":
        from hpc_components.aws.plan.network import network

        return network(resources)

    def standing(self, resources: "Resources") -> "Iterator[Placed]":
        from hpc_components.aws.plan.network import placed
        from hpc_components.aws.plan.standing import standing_cards

        return placed(resources, standing_cards(resources))

    def fleets(self, resources: "Resources") -> "Iterator[Fleet]":
        from hpc_components.aws.plan.fleets import fleets_of

        return (each.fleet for each in fleets_of(resources))

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> "Iterator[Card]":
        from hpc_components.aws.plan.storage import service_cards

        return chain(service_cards(resources, linked), super().service_cards(resources, linked))

    def ssh_sources(self, resources: "Resources") -> Iterator[str]:
        from hpc_components.aws.plan.network import ssh_sources

        return ssh_sources(resources)

    def ingress(self, resource: "Resource") -> "Iterator[Ingress]":
        from hpc_components.aws.plan.access import ingress

        return ingress(resource)

    def wildcard_actions(self, resource: "Resource") -> Iterator[str]:
        from hpc_components.aws.plan.access import wildcard_actions

        return wildcard_actions(resource)

    def holds_data(self, resource: "Resource") -> bool:
        from hpc_components.aws.plan.types import DATA

        return resource.type in DATA or super().holds_data(resource)

    def own_inputs(self) -> "InputFacts":
        from hpc_components.aws.plan.inputs import FACTS

        return FACTS

    def changes(self) -> "RecordsByKind":
        from hpc_components.catalog.by_kind import RecordsByKind

        return RecordsByKind("changes", __file__).joined(product_files(self.package, "changes.json"))

    def standin_text(self, id: str, output: str) -> str | None:
        return f"arn:aws:standin:us-east-1:123456789012:{id}/{output}" if output.lower().endswith("arn") else None


READER = AwsPlanReader()
