import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cached_property
from importlib import import_module
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hpc_components.products import product_modules

if TYPE_CHECKING:
    from hpc_components.catalog.by_kind import RecordsByKind
    from hpc_components.preview.ingress import Ingress
    from hpc_components.preview.inputs.input_facts import InputFacts
    from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed
    from hpc_components.preview.resources import Resource, Resources
    from hpc_components.preview.uses import MachineUse, QuotaNeed, ServiceUse


class PlanReader:
    """Interprets a cloud's recorded resources in cloud-neutral terms.

    A cloud's `plan_reader` part is an instance of a subclass. Its methods receive all resources of a plan, pick out
    the types they recognize (e.g. `resources.of_type("aws:ec2/instance:Instance")`), and ignore the others. They must
    not assume that resources were created by our components, because a user's program may have resources of any type.

    An input may be missing, `<unknown>` or `<secret>`, in which case `Resource.text` and `Resource.number` return
    None. If the cloud has a default for a missing input, methods must use that default. Plans keep the order in which
    methods yield items, so the order must depend only on the resources. By default, methods return nothing.
    """

    region_input = "region"
    """Name of the region key, both in the provider's inputs and in the stack configuration (`aws:region`)."""

    secrets: Mapping[str, re.Pattern[str]] = MappingProxyType({})
    r"""Maps each kind of credential, e.g. `an access key`, to a pattern that finds such credentials in a text.

    Begin patterns with literal letters rather than `\b`, because searching is then twenty times as fast.
    """

    def machines(self, resources: "Resources") -> Iterable["MachineUse"]:
        """Return everything that is a machine or launches machines: instances, scaling groups and queue fleets."""
        return ()

    def services(self, resources: "Resources") -> Iterable["ServiceUse"]:
        """Return everything, except machines, that is billed by the hour or month regardless of usage. Disks are
        included.
        """
        return ()

    def not_counted(self, resources: "Resources") -> Iterable[str]:
        """Return names for the costs that a plan can't predict because they depend on usage, e.g. `logs` or `data
        through NAT gateways`.
        """
        return ()

    def budgets(self, resources: "Resources") -> Iterable[Decimal]:
        """Return the cluster's monthly budgets in USD."""
        return ()

    def quotas(self, resources: "Resources") -> Iterable["QuotaNeed"]:
        """Return everything that counts against a quota when all queues are full. The caller drops needs of 0."""
        return ()

    def files(self, resource: "Resource") -> Iterable[tuple[str, str]]:
        """Return (name, content) for each text file that the resource contains.

        The name is the file's key in its bucket. For the script that a machine runs at first boot, the name is
        `files.USER_DATA`, and the content is decoded.
        """
        return ()

    def network(self, resources: "Resources") -> "Network":
        """Return the network and its subnets for the picture."""
        from hpc_components.preview.picture.cards import Network

        return Network(title="Network")

    def standing(self, resources: "Resources") -> Iterable["Placed"]:
        """Return everything in a subnet except fleets: gateways, load balancers, head node, login nodes and other
        machines.
        """
        return ()

    def fleets(self, resources: "Resources") -> Iterable["Fleet"]:
        """Return the queues, in URN order."""
        return ()

    def file_systems(self, resources: "Resources") -> Iterable["Placed"]:
        """Return the file systems, together with their linked buckets."""
        return ()

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> Iterable["Card"]:
        """Return cards for everything in the region but outside the network, starting with buckets.

        `linked` contains the `links` of all file systems. A linked bucket gets a card even if it is not part of the
        plan.
        """
        return ()

    def ssh_sources(self, resources: "Resources") -> Iterable[str]:
        """Return the address ranges outside the network that can reach port 22."""
        return ()

    def ingress(self, resource: "Resource") -> Iterable["Ingress"]:
        """Return the resource's network rules that allow TCP access. A rule with unknown ports is treated as a rule
        for all ports.
        """
        return ()

    def wildcard_actions(self, resource: "Resource") -> Iterable[str]:
        """Return phrases that describe what a resource's permissions allow through wildcards. Unknown policies are
        ignored.
        """
        return ()

    def holds_data(self, resource: "Resource") -> bool:
        """Return whether deleting the resource would delete user files."""
        return False

    def inputs(self) -> "InputFacts":
        """Return facts about valid inputs that go beyond what the SDK's classes declare."""
        from hpc_components.preview.inputs.input_facts import NO_FACTS

        return NO_FACTS

    def changes(self) -> "RecordsByKind | None":
        """Return the records of the kinds `property` and `resource`, which `review.table` uses to explain changes."""
        return None

    def answers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the results, in wire names, of the calls that the cloud's components make even in a plan without a
        cloud, such as a list of resources, which is empty then.
        """
        return MappingProxyType({})

    def standin_text(self, id: str, output: str) -> str | None:
        """Return a stand-in for an output that programs parse, such as an ARN, or None if the output has no
        particular form.

        `id` is the resource's own stand-in id.
        """
        return None


class CloudReader(PlanReader):
    """Combines the results of a cloud's product readers.

    Subclasses that override these methods add their own results to those of `super()`.
    """

    package: str
    """The cloud's package. Each folder in the package that has a `plan` module is a product, and `READER` in that
    module is the product's reader."""

    def services(self, resources: "Resources") -> Iterable["ServiceUse"]:
        return chain.from_iterable(each.services(resources) for each in self._products)

    def not_counted(self, resources: "Resources") -> Iterable[str]:
        return chain.from_iterable(each.not_counted(resources) for each in self._products)

    def quotas(self, resources: "Resources") -> Iterable["QuotaNeed"]:
        return chain.from_iterable(each.quotas(resources) for each in self._products)

    def file_systems(self, resources: "Resources") -> Iterable["Placed"]:
        return chain.from_iterable(each.file_systems(resources) for each in self._products)

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> Iterable["Card"]:
        return chain.from_iterable(each.service_cards(resources, linked) for each in self._products)

    def answers(self) -> Mapping[str, Mapping[str, Any]]:
        return {call: result for each in self._products for call, result in each.answers().items()}

    def holds_data(self, resource: "Resource") -> bool:
        return any(each.holds_data(resource) for each in self._products)

    def inputs(self) -> "InputFacts":
        return self._inputs

    def own_inputs(self) -> "InputFacts":
        """Return facts about inputs of resources that don't belong to a product."""
        return super().inputs()

    @cached_property
    def _inputs(self) -> "InputFacts":
        return self.own_inputs().joined(*(each.inputs() for each in self._products))

    @cached_property
    def _products(self) -> tuple[PlanReader, ...]:
        return tuple(import_module(name).READER for name in product_modules(self.package, "plan"))
