"""Defines the interface of a cloud's `plan_reader` part, which interprets the cloud's resources."""

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
    """A reader that interprets a cloud's recorded resources in cloud-neutral terms.

    A cloud's `plan_reader` part is an instance of a subclass. Its methods receive all resources of a plan, look up
    the types that they know (e.g. `resources.of_type("aws:ec2/instance:Instance")`), and ignore the others. They must
    not assume that resources were created by our components, because a user's own program may have resources of any
    type.

    An input may be missing, `<unknown>` or `<secret>`, in which case `Resource.text` and `Resource.number` return
    None. If the cloud has a default for a missing input, methods must use it. The plan keeps the order in which
    methods yield items, so that order must depend only on the resources. Methods that are not overridden return
    nothing.
    """

    region_input = "region"
    """Name of the region key in the provider's inputs and in a stack's configuration, as in `aws:region`."""

    secrets: Mapping[str, re.Pattern[str]] = MappingProxyType({})
    """Maps each kind of credential, e.g. `an access key`, to a pattern that finds it in a text.

    Searching for a pattern that begins with literal letters rather than `\\b` is twenty times as fast.
    """

    def machines(self, resources: "Resources") -> Iterable["MachineUse"]:
        """Return everything that is a machine or launches machines: instances, scaling groups and queues' fleets."""
        return ()

    def services(self, resources: "Resources") -> Iterable["ServiceUse"]:
        """Return everything else that is billed by the hour or month regardless of usage, including machines'
        disks."""
        return ()

    def not_counted(self, resources: "Resources") -> Iterable[str]:
        """Return what is billed by usage, since a plan can't know the usage, e.g. `logs` or `data through NAT
        gateways`."""
        return ()

    def budgets(self, resources: "Resources") -> Iterable[Decimal]:
        """Return the cluster's monthly budgets in USD."""
        return ()

    def quotas(self, resources: "Resources") -> Iterable["QuotaNeed"]:
        """Return everything that counts against a quota if every queue is full. The caller removes needs of 0."""
        return ()

    def files(self, resource: "Resource") -> Iterable[tuple[str, str]]:
        """Return (name, content) for each text file that a resource contains.

        The name is the key in the bucket. For the script that a machine runs at first boot, the name is
        `files.USER_DATA`, and the content is decoded.
        """
        return ()

    def network(self, resources: "Resources") -> "Network":
        """Return the network with its subnets, for the picture."""
        from hpc_components.preview.picture.cards import Network

        return Network(title="Network")

    def standing(self, resources: "Resources") -> Iterable["Placed"]:
        """Return everything in a subnet except fleets: gateways, load balancers, the head node, login nodes and other
        machines.
        """
        return ()

    def fleets(self, resources: "Resources") -> Iterable["Fleet"]:
        """Return the queues, in URN order."""
        return ()

    def file_systems(self, resources: "Resources") -> Iterable["Placed"]:
        """Return the file systems, along with the buckets that they are linked to."""
        return ()

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> Iterable["Card"]:
        """Return the cards of everything in the region but outside the network, beginning with buckets.

        `linked` contains the `links` of all file systems. A linked bucket gets a card even if it is not a resource in
        the plan.
        """
        return ()

    def ssh_sources(self, resources: "Resources") -> Iterable[str]:
        """Return the address ranges that are allowed to reach port 22, except those in the network itself."""
        return ()

    def ingress(self, resource: "Resource") -> Iterable["Ingress"]:
        """Return the network rules of a resource that allow TCP access. If ports are not known yet, all ports count
        as allowed.
        """
        return ()

    def wildcard_actions(self, resource: "Resource") -> Iterable[str]:
        """Return phrases for what a resource's permissions allow by wildcard. Policies that are not known yet are
        ignored."""
        return ()

    def holds_data(self, resource: "Resource") -> bool:
        """Return whether deleting the resource would delete users' files."""
        return False

    def inputs(self) -> "InputFacts":
        """Return facts, missing from the SDK's classes, about inputs that the provider or the cloud would refuse."""
        from hpc_components.preview.inputs.input_facts import NO_FACTS

        return NO_FACTS

    def changes(self) -> "RecordsByKind | None":
        """Return the records that `review.table` uses to say what changes mean: those of the kinds `property` and
        `resource`."""
        return None

    def standin_text(self, id: str, output: str) -> str | None:
        """Return a stand-in for an output that programs parse, such as an ARN. `id` is the resource's own stand-in
        id.

        Return None if the output has no particular form.
        """
        return None


class CloudReader(PlanReader):
    """A cloud's reader that combines the results of its products' readers.

    Subclasses that override these methods add their own results to those of `super()`.
    """

    package: str
    """The cloud's package. Each of its folders that contains a module `plan` is a product, whose reader is
    `READER`."""

    def services(self, resources: "Resources") -> Iterable["ServiceUse"]:
        """Yield the products' billed services."""
        return chain.from_iterable(each.services(resources) for each in self._products)

    def not_counted(self, resources: "Resources") -> Iterable[str]:
        """Yield what products bill by usage, since a plan can't know the usage."""
        return chain.from_iterable(each.not_counted(resources) for each in self._products)

    def quotas(self, resources: "Resources") -> Iterable["QuotaNeed"]:
        """Yield the quotas that the products need."""
        return chain.from_iterable(each.quotas(resources) for each in self._products)

    def file_systems(self, resources: "Resources") -> Iterable["Placed"]:
        """Yield the products' file systems."""
        return chain.from_iterable(each.file_systems(resources) for each in self._products)

    def holds_data(self, resource: "Resource") -> bool:
        """Return whether any product's reader reports that the resource holds users' files."""
        return any(each.holds_data(resource) for each in self._products)

    def inputs(self) -> "InputFacts":
        """Return the facts about all inputs, including those of products."""
        return self._inputs

    def own_inputs(self) -> "InputFacts":
        """Return the facts about inputs of resources that don't belong to a product."""
        return super().inputs()

    @cached_property
    def _inputs(self) -> "InputFacts":
        return self.own_inputs().joined(*(each.inputs() for each in self._products))

    @cached_property
    def _products(self) -> tuple[PlanReader, ...]:
        return tuple(import_module(name).READER for name in product_modules(self.package, "plan"))
