"""The picture and the text files of a plan on Azure."""

import base64
from collections.abc import Iterable
from typing import Any

import pytest

from clouds.azure.plan.made import made
from hpc_components.azure.lustre.plan import READER
from hpc_components.azure.plan.files import texts
from hpc_components.azure.plan.network import network, placed, ssh_sources, zones_of
from hpc_components.azure.plan.standing import standing_cards
from hpc_components.azure.plan.storage import service_cards
from hpc_components.preview.files import USER_DATA
from hpc_components.preview.picture.cards import Card, Placed
from hpc_components.preview.resources import SECRET, UNKNOWN, Resource, Resources

RULES = "network:NetworkSecurityGroup"


def standing(*resources: Resource) -> list[Card]:
    return [card for _, card in standing_cards(Resources(resources))]


def titled(cards: Iterable[Card | Placed]) -> dict[str, Card]:
    plain = (each.card if isinstance(each, Placed) else each for each in cards)
    return {each.title: each for each in plain}


class TestOwnPrograms:
    def test_machines_scale_sets_and_balancers_have_cards(self) -> None:
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

    def test_an_existing_network_has_a_title_of_its_own(self) -> None:
        assert network(Resources([])).title == "Existing virtual network"
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
        account_id = "/subscriptions/1/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a1"
        container = f"{account_id}/blobServices/default/containers/runs"
        hsm = {"settings": {"container": container}}
        own = made("storagecache:AmlFilesystem", "own", needs=(account,), hsm={"settings": {"container": UNKNOWN}})
        theirs = made("storagecache:AmlFilesystem", "theirs", hsm=hsm)
        plain = made("storagecache:AmlFilesystem", "plain")
        cards = {
            each.card.title: each.card.links for each in READER.file_systems(Resources([account, own, theirs, plain]))
        }
        assert cards == {"own": ("mydata",), "theirs": ("a1/runs",), "plain": ()}

    def test_a_bucket_of_the_program_is_not_drawn_twice(self) -> None:
        account = made("storage:StorageAccount", "data", accountName="mydata")
        cards = list(service_cards(Resources([account]), ["mydata", "a1/runs", "a1/runs"]))
        assert [(each.kind, each.title) for each in cards] == [("bucket", "mydata"), ("bucket", "a1/runs")]

    def test_a_budget_of_unknown_amount_is_shown_as_such(self) -> None:
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
        ([rule(protocol="Udp")], []),
        ([rule(sourceAddressPrefix="VirtualNetwork")], []),
        ([rule(sourceAddressPrefix="*")], ["0.0.0.0/0"]),
        ([rule(sourceAddressPrefix="Internet", destinationPortRange="20-30")], ["0.0.0.0/0"]),
        ([rule(destinationPortRange="*")], ["198.51.100.0/24"]),
        ([rule(sourceAddressPrefix=UNKNOWN)], []),
        ([rule(sourceAddressPrefix="10.0.1.0/24")], []),  # a subnet in the plan
        ([rule(destinationPortRange=None, destinationPortRanges=["22", "443"])], ["198.51.100.0/24"]),
        ([rule(sourceAddressPrefix=None, sourceAddressPrefixes=["192.0.2.0/24", "10.0.1.0/24"])], ["192.0.2.0/24"]),
        (UNKNOWN, []),
    ],
)
def test_sources_that_reach_port_22_are_found(rules: Any, sources: list[str]) -> None:
    subnet = made("network:Subnet", "login", addressPrefix="10.0.1.0/24")
    assert list(ssh_sources(Resources([made(RULES, "guard", securityRules=rules), subnet]))) == sources


def test_a_rule_that_stands_alone_counts_as_well() -> None:
    assert list(ssh_sources(Resources([made("network:SecurityRule", "ssh", **rule())]))) == ["198.51.100.0/24"]


class TestFiles:
    def test_a_blob_has_its_name_or_that_of_the_resource(self) -> None:
        source = {"asset": {"text": "hello"}}
        assert list(texts(made("storage:Blob", "b", source=source, blobName="head/x"))) == [("head/x", "hello")]
        assert list(texts(made("storage:Blob", "b", source=source, blobName=UNKNOWN))) == [("b", "hello")]
        assert list(texts(made("storage:Blob", "b", source=SECRET))) == []

    def test_custom_data_of_machines_and_scale_sets_is_decoded(self) -> None:
        encoded = base64.b64encode(b"#!/bin/sh\n").decode()
        vm = made("compute:VirtualMachine", "vm", osProfile={"customData": encoded})
        own = made(
            "compute:VirtualMachineScaleSet", "s", virtualMachineProfile={"osProfile": {"customData": encoded}}
        )
        assert [*texts(vm), *texts(own)] == [(USER_DATA, "#!/bin/sh\n")] * 2
        assert list(texts(made("compute:VirtualMachine", "vm", osProfile={"customData": UNKNOWN}))) == []
