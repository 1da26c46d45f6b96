"""The interface of a cloud's part `plan_reader`, which interprets the resources of that cloud."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cached_property
from importlib import import_module
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from hpc_components.products import product_modules

if TYPE_CHECKING:
    from hpc_components.catalog.by_kind import RecordsByKind
    from hpc_components.preview.ingress import Ingress
    from hpc_components.preview.inputs.input_facts import InputFacts
    from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed
    from hpc_components.preview.resources import Resource, Resources
    from hpc_components.preview.uses import MachineUse, QuotaNeed, ServiceUse


class PlanReader:
    """Interpretation of one cloud's recorded resources in cloud-neutral terms.

    A cloud's part `plan_reader` is an instance of a subclass. Its methods get all resources of a plan, look up the
    types they know (`resources.of_type("aws:ec2/instance:Instance")`), and ignore the others: a user's own program
    may have resources of any type, whether made by our components or not.

    An input may be missing, or read `<unknown>` or `<secret>`; `Resource.text` and `Resource.number` are None then.
    Where the cloud has a default, the default counts. What a method yields keeps its order in the plan, so the order
    must depend on the resources alone. A method that is not overridden returns nothing.
    """

    region_input = "region"
    """Name of the region in the provider's inputs and in a stack's configuration (`aws:region`)."""

    secrets: Mapping[str, re.Pattern[str]] = MappingProxyType({})
    """Patterns of the cloud's credentials in a text, by what they are: `an access key`.

    A pattern that begins with literal letters, without `\\b`, is found twenty times as fast.
    """

    def machines(self, resources: "Resources") -> Iterable["MachineUse"]:
        """Return everything that is a machine or launches machines: instances, scaling groups, fleets of queues."""
        return ()

    def services(self, resources: "Resources") -> Iterable["ServiceUse"]:
        """Return everything else that is billed by the hour or month regardless of usage, including the disks of
        machines.
        """
        return ()

    def not_counted(self, resources: "Resources") -> Iterable[str]:
        """Return what is billed by usage, which no plan can know: `logs`, `data through NAT gateways`."""
        return ()

    def budgets(self, resources: "Resources") -> Iterable[Decimal]:
        """Return the monthly budgets for the cluster, in USD."""
        return ()

    def quotas(self, resources: "Resources") -> Iterable["QuotaNeed"]:
        """Return everything that counts against a quota if every queue is full; needs of 0 are left out later."""
        return ()

    def files(self, resource: "Resource") -> Iterable[tuple[str, str]]:
        """Return the text files that one resource contains: name and content.

        The name is the key in the bucket. The script that a machine runs at first boot is called `files.USER_DATA`,
        and decoded.
        """
        return ()

    def network(self, resources: "Resources") -> "Network":
        """Return the network with its subnets, for the picture."""
        from hpc_components.preview.picture.cards import Network

        return Network(title="Network")

    def standing(self, resources: "Resources") -> Iterable["Placed"]:
        """Return what stands in a subnet, except fleets: gateways, load balancers, head node, login nodes, other
        machines.
        """
        return ()

    def fleets(self, resources: "Resources") -> Iterable["Fleet"]:
        """Return the queues, in the order of their URNs."""
        return ()

    def file_systems(self, resources: "Resources") -> Iterable["Placed"]:
        """Return the file systems, with the buckets that they are linked to."""
        return ()

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> Iterable["Card"]:
        """Return what the region has outside the network, buckets first; `linked` are the `links` of the file
        systems.

        A linked bucket has a card even if no resource of the plan is that bucket.
        """
        return ()

    def ssh_sources(self, resources: "Resources") -> Iterable[str]:
        """Return the address ranges that are allowed to reach port 22, except those of the network itself."""
        return ()

    def ingress(self, resource: "Resource") -> Iterable["Ingress"]:
        """Return the rules of a resource that allow access by TCP. Ports that are not known yet count as all
        ports.
        """
        return ()

    def wildcard_actions(self, resource: "Resource") -> Iterable[str]:
        """Return what a resource's permissions allow by a wildcard, in words. Policies not known yet pass."""
        return ()

    def holds_data(self, resource: "Resource") -> bool:
        """Return whether deleting the resource deletes files of users."""
        return False

    def inputs(self) -> "InputFacts":
        """Return facts about inputs that the provider or the cloud would refuse, beyond what the SDK's
        classes say.
        """
        from hpc_components.preview.inputs.input_facts import NO_FACTS

        return NO_FACTS

    def changes(self) -> "RecordsByKind | None":
        """Return the table of what changes mean: records `property` and `resource`, as `review.table` reads them."""
        return None

    def standin_text(self, id: str, output: str) -> str | None:
        """Return the value of an output that programs parse, such as an ARN, for a resource with the stand-in id
        `id`.

        None for outputs without such a form.
        """
        return None


class CloudReader(PlanReader):
    """A cloud's reader that includes the readers of its products.

    These methods yield the results of the products; a cloud's own methods add theirs to those of `super()`.
    """

    package: str
    """The cloud's package. A folder of it with a module `plan` is a product, whose `READER` is asked."""

    def services(self, resources: "Resources") -> Iterable["ServiceUse"]:
        """Yield the billed services of the products."""
        return chain.from_iterable(each.services(resources) for each in self._products)

    def not_counted(self, resources: "Resources") -> Iterable[str]:
        """Yield usage of the products that no plan can know."""
        return chain.from_iterable(each.not_counted(resources) for each in self._products)

    def quotas(self, resources: "Resources") -> Iterable["QuotaNeed"]:
        """Yield the quotas that products need."""
        return chain.from_iterable(each.quotas(resources) for each in self._products)

    def file_systems(self, resources: "Resources") -> Iterable["Placed"]:
        """Yield the file systems of the products."""
        return chain.from_iterable(each.file_systems(resources) for each in self._products)

    def holds_data(self, resource: "Resource") -> bool:
        """Return whether a product says that the resource holds data."""
        return any(each.holds_data(resource) for each in self._products)

    def inputs(self) -> "InputFacts":
        """Return facts about all inputs, including those of products."""
        return self._inputs

    def own_inputs(self) -> "InputFacts":
        """Return facts about inputs of resources that belong to no product."""
        return super().inputs()

    @cached_property
    def _inputs(self) -> "InputFacts":
        return self.own_inputs().joined(*(each.inputs() for each in self._products))

    @cached_property
    def _products(self) -> tuple[PlanReader, ...]:
        return tuple(import_module(name).READER for name in product_modules(self.package, "plan"))
