"""The interface of a cloud's part `plan_reader`, which reads the resources of that cloud."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hpc_components.catalog.by_kind import RecordsByKind
    from hpc_components.preview.ingress import Ingress
    from hpc_components.preview.inputs.input_facts import InputFacts
    from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed
    from hpc_components.preview.resources import Resource, Resources
    from hpc_components.preview.uses import MachineUse, QuotaNeed, ServiceUse

__all__ = ["PlanReader"]


class PlanReader:
    """Reads the recorded resources of one cloud, and says in neutral terms what they are.

    A cloud's part `plan_reader` is an instance of a subclass. Its methods get all resources of a plan, look up the
    types they know (`resources.of_type("aws:ec2/instance:Instance")`), and ignore the others: a user's own program
    may have resources of any type, whether made by our components or not.

    An input may be missing, or read `<unknown>` or `<secret>`; `Resource.text` and `Resource.number` then say None.
    Where the cloud has a default, the default counts. What a method yields keeps its order in the plan, so the order
    must follow from the resources alone. A method that is not overridden says that there is nothing.
    """

    region_input = "region"
    """What the provider calls the region, as its input and in a stack's configuration (`aws:region`)."""

    secrets: Mapping[str, re.Pattern[str]] = MappingProxyType({})
    """What the cloud's credentials look like in a text, by what they are: `an access key`.

    A form that begins with letters of its own, without `\\b`, is found twenty times as fast.
    """

    def machines(self, resources: "Resources") -> Iterable["MachineUse"]:
        """Everything that is a machine or launches machines: instances, scaling groups, the fleets of queues."""
        return ()

    def services(self, resources: "Resources") -> Iterable["ServiceUse"]:
        """Everything else that is paid by the hour or month for being there, the disks of machines among it."""
        return ()

    def not_counted(self, resources: "Resources") -> Iterable[str]:
        """What is paid by use, which no plan can know: `logs`, `data through NAT gateways`."""
        return ()

    def budgets(self, resources: "Resources") -> Iterable[Decimal]:
        """The monthly budgets in USD that watch over the cluster."""
        return ()

    def quotas(self, resources: "Resources") -> Iterable["QuotaNeed"]:
        """All that counts against a quota of the account when every queue is full; needs of 0 are left out later."""
        return ()

    def files(self, resource: "Resource") -> Iterable[tuple[str, str]]:
        """The text files that one resource puts somewhere: name and content.

        The name is the key in the bucket. What a machine runs at first boot is called `files.USER_DATA`, and decoded.
        """
        return ()

    def network(self, resources: "Resources") -> "Network":
        """The network with its subnets, as it is drawn."""
        from hpc_components.preview.picture.cards import Network

        return Network(title="Network")

    def standing(self, resources: "Resources") -> Iterable["Placed"]:
        """What stands in a subnet, fleets apart: gateways, load balancers, head node, login nodes, other machines."""
        return ()

    def fleets(self, resources: "Resources") -> Iterable["Fleet"]:
        """The queues, in the order of their URNs."""
        return ()

    def file_systems(self, resources: "Resources") -> Iterable["Placed"]:
        """The file systems, with the buckets that they are linked to."""
        return ()

    def service_cards(self, resources: "Resources", linked: Iterable[str]) -> Iterable["Card"]:
        """What the region holds outside of the network, buckets first; `linked` are the `links` of the file systems.

        A linked bucket has a card even if no resource of the plan is that bucket.
        """
        return ()

    def ssh_sources(self, resources: "Resources") -> Iterable[str]:
        """The address ranges that are let in on port 22, but for those of the network itself."""
        return ()

    def ingress(self, resource: "Resource") -> Iterable["Ingress"]:
        """The rules of a resource that let somebody in by TCP. Ports that are not known yet count as all ports."""
        return ()

    def wildcard_actions(self, resource: "Resource") -> Iterable[str]:
        """What a resource's permissions allow with a wildcard, in words. Policies that are not known yet pass."""
        return ()

    def holds_data(self, resource: "Resource") -> bool:
        """Whether files of users are gone with the resource."""
        return False

    def inputs(self) -> "InputFacts":
        """What the provider or the cloud refuses in an input, beyond what the SDK's classes say."""
        from hpc_components.preview.inputs.input_facts import NO_FACTS

        return NO_FACTS

    def changes(self) -> "RecordsByKind | None":
        """What changes mean: records `property` and `resource`, as `review.table` reads them."""
        return None

    def standin_text(self, id: str, output: str) -> str | None:
        """The form of an output that programs take apart, such as an ARN, for a resource with the stand-in id `id`.

        None for outputs that have no such form.
        """
        return None
