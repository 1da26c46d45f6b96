"""What the picture of a plan on Azure shows, and which texts its files are."""

import base64
from collections.abc import Iterable
from typing import Any

import pytest

from hpc_components.azure.plan import READER
from hpc_components.azure.plan.files import texts
from hpc_components.azure.plan.network import network, placed, ssh_sources, zones_of
from hpc_components.azure.plan.standing import standing_cards
from hpc_components.azure.plan.storage import file_system_cards, service_cards
from hpc_components.preview.files import USER_DATA, generated_files
from hpc_components.preview.picture.cards import Card, Placed
from hpc_components.preview.picture.layout import draw
from hpc_components.preview.picture.scene import describe, scene_of
from hpc_components.preview.resources import SECRET, UNKNOWN, Resource, Resources
from on_azure.plan.made import made
from on_azure.plan.planned import planned

RULES = "network:NetworkSecurityGroup"
STACKS = ("azure-dev", "azure-hbv4", "azure-nd", "azure-university")


def standing(*resources: Resource) -> list[Card]:
    return [card for _, card in standing_cards(Resources(resources))]


def titled(cards: Iterable[Card | Placed]) -> dict[str, Card]:
    plain = (each.card if isinstance(each, Placed) else each for each in cards)
    return {each.title: each for each in plain}


@pytest.mark.parametrize("stack", STACKS)
def test_the_picture_of_every_stack_is_drawn(stack: str) -> None:
    scene = scene_of(planned(stack).resources, "azure", planned(stack).region)
    seen = describe(scene)
    for queue in (each.text("queue") for each in planned(stack).resources.of("hpc:azure:InfinibandComputeFleet")):
        assert queue
        assert queue in seen
    assert draw(scene).boxes


class TestReferenceCluster:
    """What stands where in azure-hbv4."""

    def test_its_network(self) -> None:
        found = network(planned("azure-hbv4").resources)
        assert found.title == "Virtual network 10.120.0.0/16"
        assert {each.zone for each in found.subnets} == {None}, "subnets are of the region"
        assert len({each.cidr for each in found.subnets}) == len(found.subnets) > 3

    def test_who_is_let_in(self) -> None:
        assert set(ssh_sources(planned("azure-hbv4").resources)) == {"203.0.113.0/24"}

    def test_what_stands_in_it(self) -> None:
        cards = titled(READER.standing(planned("azure-hbv4").resources))
        assert set(cards) == {"NAT gateway", "Head node"}
        assert cards["Head node"].lines[0] == "Standard_D8s_v5"
        assert cards["Head node"].lines[1].startswith("10.120.")
        assert cards["Head node"].chips == ("public address",)

    def test_its_file_systems(self) -> None:
        found = list(READER.file_systems(planned("azure-hbv4").resources))
        cards = titled(found)
        assert cards["/fsx"].lines == ("Managed Lustre · 8 TiB · 250 MB/s per TiB",)
        assert cards["/fsx"].links == ("linked container",) or "/" in cards["/fsx"].links[0]
        assert cards["/home"].lines == ("Azure Files · 1,024 GiB",)
        assert {each.chips for each in cards.values()} == {("kept when the stack goes",)}
        assert [each.zones for each in found if each.card.title == "/fsx"] == [("eastus-1",)]

    def test_what_the_region_holds(self) -> None:
        cards = titled(READER.service_cards(planned("azure-hbv4").resources, ["myhpcdata/runs"]))
        assert cards["myhpcdata/runs"].lines == ("Blob container that is there already",)
        assert cards["Budget"].lines == ("20,000 monthly",)
        assert cards["3 secrets"].lines == ("Key Vault",)
        assert "Nodes' resource group" in cards
        assert [each for each in cards.values() if each.lines == ("storage account, configuration of the nodes",)]


def test_the_homes_of_netapp_say_their_level() -> None:
    cards = titled(READER.file_systems(planned("azure-university").resources))
    assert cards["/home"].lines == ("NetApp Files · 8,192 GiB · premium",)


def test_login_nodes_and_bastion() -> None:
    cards = titled(READER.standing(planned("azure-nd").resources))
    assert cards["Login nodes"].lines == ("2 to 4 × Standard_D8s_v5",)
    assert cards["Load balancer"].lines == ("open to the internet",)
    assert "Bastion" in cards
    inside = titled(READER.standing(planned("azure-university").resources))
    assert inside["Load balancer"].lines == ("inside the network",)


class TestOwnPrograms:
    def test_a_machine_a_scale_set_and_a_balancer(self) -> None:
        assert standing(
            made("compute:VirtualMachine", "tools", hardwareProfile={"vmSize": "Standard_D2s_v5"}),
            made("compute:VirtualMachine", "later", hardwareProfile={"vmSize": UNKNOWN}),
            made("compute:VirtualMachineScaleSet", "web", sku={"name": "Standard_D2s_v5", "capacity": 3}),
            made("network:LoadBalancer", "front"),
        ) == [
            Card(kind="balancer", title="Load balancer", lines=("inside the network",)),
            Card(kind="server", title="later", lines=("virtual machine",)),
            Card(kind="server", title="tools", lines=("Standard_D2s_v5",)),
            Card(kind="login", title="web", lines=("3 × Standard_D2s_v5",)),
        ]

    def test_a_network_that_is_there_already(self) -> None:
        assert network(Resources([])).title == "Virtual network that is there already"
        assert network(Resources([])).subnets == ()

    def test_zones_are_those_of_the_resource_or_of_what_is_below_it(self) -> None:
        home = made("hpc:azure:HomeFilesystem", "home", mount="/home")
        zoned = made("compute:Disk", "state", below=home, location="eastus", zones=["2"])
        card = Card(kind="nfs", title="/home")
        (found,) = placed(Resources([home, zoned]), [(home, card)])
        assert found.zones == ("eastus-2",)
        (found,) = placed(Resources([home]), [(home, card)])
        assert found.zones == (None,)
        assert zones_of(made("compute:Disk", "d", location=UNKNOWN, zones=["1"])) == ()

    def test_a_linked_file_system_names_the_account_of_the_program_or_the_container(self) -> None:
        account = made("storage:StorageAccount", "data", accountName="mydata")
        container = "/subscriptions/1/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a1/blobServices/default/containers/runs"
        hsm = {"settings": {"container": container}}
        own = made("storagecache:AmlFilesystem", "own", needs=(account,), hsm={"settings": {"container": UNKNOWN}})
        theirs = made("storagecache:AmlFilesystem", "theirs", hsm=hsm)
        plain = made("storagecache:AmlFilesystem", "plain")
        cards = {card.title: card.links for _, card in file_system_cards(Resources([account, own, theirs, plain]))}
        assert cards == {"own": ("mydata",), "theirs": ("a1/runs",), "plain": ()}

    def test_a_bucket_of_the_program_is_not_drawn_twice(self) -> None:
        account = made("storage:StorageAccount", "data", accountName="mydata")
        cards = list(service_cards(Resources([account]), ["mydata", "a1/runs", "a1/runs"]))
        assert [(each.kind, each.title) for each in cards] == [("bucket", "mydata"), ("bucket", "a1/runs")]

    def test_a_budget_of_which_the_amount_is_not_known(self) -> None:
        budget = made("consumption:Budget", "money", amount=UNKNOWN, timeGrain="Monthly")
        assert titled(service_cards(Resources([budget]), []))["Budget"].lines == ("limit not known yet",)


def rule(**changes: Any) -> dict[str, Any]:
    whole = {"access": "Allow", "direction": "Inbound", "destinationPortRange": "22"}
    return whole | {"sourceAddressPrefix": "198.51.100.0/24"} | changes


@pytest.mark.parametrize(
    ("rules", "sources"),
    [
        ([rule()], ["198.51.100.0/24"]),
        ([rule(destinationPortRange="443")], []),
        ([rule(access="Deny")], []),
        ([rule(direction="Outbound")], []),
        ([rule(sourceAddressPrefix="VirtualNetwork")], []),
        ([rule(sourceAddressPrefix=UNKNOWN)], []),
        ([rule(sourceAddressPrefix="10.0.1.0/24")], []),  # a subnet of the plan's own
        ([rule(destinationPortRange=None, destinationPortRanges=["22", "443"])], ["198.51.100.0/24"]),
        ([rule(sourceAddressPrefix=None, sourceAddressPrefixes=["192.0.2.0/24", "10.0.1.0/24"])], ["192.0.2.0/24"]),
        (UNKNOWN, []),
    ],
)
def test_who_reaches_port_22(rules: Any, sources: list[str]) -> None:
    subnet = made("network:Subnet", "login", addressPrefix="10.0.1.0/24")
    assert list(ssh_sources(Resources([made(RULES, "guard", securityRules=rules), subnet]))) == sources


class TestFiles:
    def test_the_texts_of_a_stack(self) -> None:
        files = {each.name: each for each in generated_files(planned("azure-hbv4").resources, "azure")}
        assert "ClusterName=cfd" in next(each.text for name, each in files.items() if name.endswith("/slurm.conf"))
        assert files[USER_DATA].text.startswith("#")
        assert len(files[USER_DATA].used_by) == 3, "head and two queues boot from one text"

    def test_a_blob_has_its_name_or_that_of_the_resource(self) -> None:
        source = {"asset": {"text": "hello"}}
        assert list(texts(made("storage:Blob", "b", source=source, blobName="head/x"))) == [("head/x", "hello")]
        assert list(texts(made("storage:Blob", "b", source=source, blobName=UNKNOWN))) == [("b", "hello")]
        assert list(texts(made("storage:Blob", "b", source=SECRET))) == []

    def test_custom_data_of_machines_and_scale_sets_is_decoded(self) -> None:
        encoded = base64.b64encode(b"#!/bin/sh\n").decode()
        vm = made("compute:VirtualMachine", "vm", osProfile={"customData": encoded})
        own = made("compute:VirtualMachineScaleSet", "s", virtualMachineProfile={"osProfile": {"customData": encoded}})
        assert [*texts(vm), *texts(own)] == [(USER_DATA, "#!/bin/sh\n")] * 2
        assert list(texts(made("compute:VirtualMachine", "vm", osProfile={"customData": UNKNOWN}))) == []
