"""Rules of the plan on Azure: for each, programs that break it and programs that keep it."""

from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_azure_native as azure
import pytest
from plan_rules import found_in

Program = Callable[[], object]

KEYS = {"linux_configuration": {"disable_password_authentication": True}}


def fleet(name: str = "Standard_HB176rs_v4", os: Any = KEYS, **args: Any) -> Program:
    return lambda: azure.compute.VirtualMachineScaleSet(
        "s", resource_group_name="g", sku={"name": name}, virtual_machine_profile={"os_profile": os}, **args
    )


def machine(**os: Any) -> Program:
    return lambda: azure.compute.VirtualMachine("m", resource_group_name="g", os_profile=os)


def with_image(offer: str, sku: str, publisher: str = "Canonical", **args: Any) -> Program:
    image = {"publisher": publisher, "offer": offer, "sku": sku, "version": "latest"}
    storage = {"image_reference": image}
    return lambda: azure.compute.VirtualMachine(
        "m", resource_group_name="g", os_profile=KEYS, storage_profile=storage, **args
    )


CIS = ("cis-ubuntu", "cis-ubuntulinux2404-l1-gen2", "center-for-internet-security-inc")
PLAN = {"name": CIS[1], "product": CIS[0], "publisher": CIS[2]}
FREE = ("ubuntu-24_04-lts", "server")


def windows_machine() -> object:
    return machine(admin_password=pulumi.Output.secret("b"), windows_configuration={"provision_vm_agent": True})()


def group(**rule: Any) -> Program:
    told = {"access": "Allow", "direction": "Inbound", "protocol": "Tcp", "priority": 100, "source_port_range": "*"}
    return lambda: azure.network.NetworkSecurityGroup("n", resource_group_name="g", security_rules=[told | rule])


def account(**args: Any) -> Program:
    return lambda: azure.storage.StorageAccount(
        "a", resource_group_name="g", kind="StorageV2", sku={"name": "Standard_LRS"}, opts=PROTECTED, **args
    )


def container(**args: Any) -> Program:
    return lambda: azure.storage.BlobContainer("c", resource_group_name="g", account_name="a", **args)


def lustre(opts: pulumi.ResourceOptions | None = None) -> Program:
    return lambda: azure.storagecache.AmlFilesystem(
        "l",
        resource_group_name="g",
        filesystem_subnet="s",
        storage_capacity_ti_b=16,
        zones=["1"],
        sku={"name": "AMLFS-Durable-Premium-250"},
        maintenance_window={"day_of_week": "Monday", "time_of_day_utc": "03:00"},
        opts=opts,
    )


PROTECTED = pulumi.ResourceOptions(protect=True)
GROUP = "NetworkSecurityGroup n: securityRules[0].sourceAddressPrefix"
FLAG = "linuxConfiguration.disablePasswordAuthentication"
SET = "VirtualMachineScaleSet s"


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (group(source_address_prefix="Internet", destination_port_range="22"), {("HPC-PLN-001", GROUP)}),
        (group(source_address_prefixes=["0.0.0.0/0"], destination_port_range="2049"), {("HPC-PLN-002", GROUP)}),
        (group(source_address_prefix="*", destination_port_range="*"),
         {("HPC-PLN-001", GROUP), ("HPC-PLN-002", GROUP)}),
        (lustre(), {("HPC-PLN-004", "AmlFilesystem l")}),
        (machine(admin_username="a", admin_password="b"),
         {("HPC-PLN-012", f"VirtualMachine m: osProfile.{FLAG}"),
          ("HPC-PLN-022", "VirtualMachine m: osProfile.adminPassword")}),
        (machine(linux_configuration={"disable_password_authentication": False}),
         {("HPC-PLN-012", f"VirtualMachine m: osProfile.{FLAG}")}),
        (fleet("Standard_D8as_v5", {"admin_username": "a"}),
         {("HPC-PLN-012", f"{SET}: virtualMachineProfile.osProfile.{FLAG}")}),
        (fleet(single_placement_group=False), {("HPC-PLN-013", f"{SET}: singlePlacementGroup")}),
        (fleet(zones=["1", "2"]), {("HPC-PLN-013", f"{SET}: zones")}),
        (fleet(upgrade_policy={"mode": "Automatic"}), {("HPC-PLN-014", f"{SET}: upgradePolicy")}),
        (fleet(upgrade_policy={"automatic_os_upgrade_policy": {"enable_automatic_os_upgrade": True}}),
         {("HPC-PLN-014", f"{SET}: upgradePolicy")}),
        (account(allow_blob_public_access=True), {("HPC-PLN-015", "StorageAccount a: allowBlobPublicAccess")}),
        (with_image(*CIS), {("HPC-PLN-024", "VirtualMachine m: storageProfile.imageReference")}),
        (with_image(*FREE, plan=PLAN), {("HPC-PLN-024", "VirtualMachine m: plan")}),
        (container(public_access="Blob"), {("HPC-PLN-015", "BlobContainer c: publicAccess")}),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_found(program: Program, found: set[tuple[str, str]]) -> None:
    assert found_in(program) == found


@pytest.mark.parametrize(
    "program",
    [
        group(source_address_prefix="203.0.113.0/24", destination_port_range="22"),
        group(source_address_prefix="*", destination_port_range="443"),
        group(source_address_prefix="*", destination_port_range="22", access="Deny"),
        lustre(PROTECTED),
        machine(**KEYS),
        windows_machine,
        with_image(*CIS, plan=PLAN),
        with_image(*FREE),
        with_image("theirs", "unknown", "somebody"),
        fleet(single_placement_group=True, zones=["1"], upgrade_policy={"mode": "Manual"}),
        fleet("Standard_D8as_v5", single_placement_group=False, zones=["1", "2"]),
        fleet(orchestration_mode="Flexible", zones=["1", "2"]),
        fleet("Standard_D8as_v5", upgrade_policy={"mode": "Automatic"}),
        account(allow_blob_public_access=False),
        account(),
        container(public_access="None"),
        container(),
    ],
)
def test_what_keeps_the_rules_is_not(program: Program) -> None:
    assert found_in(program) == set()
