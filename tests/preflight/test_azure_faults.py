"""Subscriptions of Azure with exactly one fault each: the fault is found at its key, and nothing else is."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hpc_components.preflight.asked import Asked
from hpc_components.spec.account_rules import AccountFault as Fault

from . import sound_azure as sound
from .conftest import ask_azure
from .rest_account import RestAccount
from .sound_azure import arm

Prepare = Callable[[RestAccount], None]

HERE, COMPUTE = sound.HERE, sound.COMPUTE
USAGES = f"{COMPUTE}/locations/{sound.REGION}/usages"
PERMISSIONS = f"{HERE}/providers/Microsoft.Authorization/permissions"
HPC_IMAGE = (
    f"{sound.PUBLISHERS}/microsoft-dsvm/artifacttypes/vmimage/offers/ubuntu-hpc/skus/2404/versions/24.04.2026072901"
)


def having(path: str, document: Any) -> Prepare:
    return lambda azure: azure.documents.update({path: document})


def setting(path: str, **values: Any) -> Prepare:
    return lambda azure: azure.documents.update({path: azure.documents[path] | values})


def lacking(path: str) -> Prepare:
    return lambda azure: azure.documents.pop(path)


def _restricted(kind: str, reason: str, *zones: str) -> Prepare:
    restriction = {"type": kind, "reasonCode": reason, "restrictionInfo": {"zones": list(zones)}}
    record = sound.size("Standard_HB176rs_v4", restrictions=[restriction])
    return having(f"{COMPUTE}/skus", sound.sizes(Standard_HB176rs_v4=record))


def _taken(query: Mapping[str, str], body: Any) -> Any:
    return {"nameAvailable": False, "reason": "AlreadyExists"}


AT = "network.existing"
RESERVED = "queues[1].purchase.reservation"
FAILED = {"provisioningState": "Failed"}

FAULTS: dict[str, tuple[Prepare, Fault, str, str]] = {
    "subscription disabled": (setting(HERE, state="Disabled"), Fault.ACCOUNT, "error", "hpc:cluster"),
    "region closed": (having(f"{HERE}/locations", {"value": [{"name": "westus"}]}), Fault.PLACE, "error", "region"),
    "zone missing": (
        having(f"{HERE}/locations", {"value": [{"name": "eastus", "availabilityZoneMappings": []}]}),
        Fault.PLACE, "error", "zone",
    ),
    "machine restricted for the subscription": (
        _restricted("Location", "NotAvailableForSubscription"), Fault.MACHINE, "error", "queues[0].machine",
    ),
    "machine restricted in the zone": (
        _restricted("Zone", "NotAvailableForSubscription", "1"), Fault.MACHINE, "error", "queues[0].machine",
    ),
    "machine sold in another zone": (
        having(f"{COMPUTE}/skus", sound.sizes(Standard_D8s_v5=sound.size("Standard_D8s_v5", ("2", "3")))),
        Fault.MACHINE, "error", "head_node.machine",
    ),
    "quota of a family too low": (
        having(USAGES, sound.usages(sound.USAGES, standardHBv4Family=(176, 0))),
        Fault.QUOTA, "error", "queues[0].max",
    ),
    "quota of a family in use": (
        having(USAGES, sound.usages(sound.USAGES, standardDSv5Family=(10, 8))),
        Fault.QUOTA, "warning", "head_node.machine",
    ),
    "provider not registered": (
        setting(f"{HERE}/providers/Microsoft.StorageCache", registrationState="NotRegistered"),
        Fault.SERVICE, "error", "hpc:cluster",
    ),
    "permission missing": (
        having(PERMISSIONS, {"value": [{"actions": ["*"], "notActions": ["Microsoft.StorageCache/*/write"]}]}),
        Fault.RIGHTS, "error", "storage",
    ),
    "roles may not be assigned": (
        having(PERMISSIONS, {"value": [{"actions": ["*"], "notActions": ["Microsoft.Authorization/*/Write"]}]}),
        Fault.RIGHTS, "error", "hpc:cluster",
    ),
    "image missing": (lacking(arm(sound.IMAGE)), Fault.IMAGE, "error", "queues[1].image"),
    "image failed": (setting(arm(sound.IMAGE), properties=FAILED), Fault.IMAGE, "error", "queues[1].image"),
    "public image missing": (lacking(HPC_IMAGE), Fault.IMAGE, "error", "queues[0].machine"),
    "public image to be deprecated": (
        having(HPC_IMAGE, sound.public_image(imageDeprecationStatus={"imageState": "ScheduledForDeprecation"})),
        Fault.IMAGE, "warning", "queues[0].machine",
    ),
    "image of another architecture": (
        having(HPC_IMAGE, sound.public_image(architecture="Arm64")), Fault.IMAGE_FIT, "error", "queues[0].machine",
    ),
    "terms not accepted": (
        having(sound.PLAN, {"properties": {"accepted": False}}), Fault.TERMS, "error", "queues[1].image",
    ),
    "network missing": (lacking(arm(sound.VNET)), Fault.NETWORK, "error", f"{AT}.vnet"),
    "network elsewhere": (setting(arm(sound.VNET), location="West US"), Fault.NETWORK_FIT, "error", f"{AT}.vnet"),
    "subnet missing": (lacking(arm(sound.SUBNET)), Fault.NETWORK, "error", f"{AT}.private.eastus.id"),
    "subnet with another range": (
        having(arm(sound.SUBNET), {"properties": {"addressPrefix": "10.20.0.0/21"}}),
        Fault.NETWORK_FIT, "error", f"{AT}.private.eastus.id",
    ),
    "subnet nearly full": (
        having(
            arm(sound.SUBNET),
            {"properties": {"addressPrefix": "10.20.0.0/20", "ipConfigurations": [{"id": "x"}] * 4090}},
        ),
        Fault.ADDRESSES, "warning", f"{AT}.private.eastus.id",
    ),
    "reservation missing": (lacking(arm(sound.RESERVATIONS)), Fault.RESERVATION, "error", RESERVED),
    "reservation group empty": (
        setting(arm(sound.RESERVATIONS), properties={"capacityReservations": []}),
        Fault.RESERVATION, "error", RESERVED,
    ),
    "reservation of another machine": (
        setting(arm(sound.RESERVATION), sku={"name": "Standard_D2s_v5", "capacity": 4}),
        Fault.RESERVATION_FIT, "error", RESERVED,
    ),
    "reservation in another zone": (
        setting(arm(sound.RESERVATION), zones=["2"]), Fault.RESERVATION_FIT, "error", RESERVED,
    ),
    "reservation too small": (
        setting(arm(sound.RESERVATION), sku={"name": "Standard_F64as_v6", "capacity": 2}),
        Fault.RESERVATION_FIT, "warning", RESERVED,
    ),
    "storage account missing": (lacking(arm(sound.ACCOUNT)), Fault.BUCKET, "error", "storage.scratch.link.bucket"),
    "storage account elsewhere": (
        setting(arm(sound.ACCOUNT), location="westeurope"),
        Fault.BUCKET_PLACE, "warning", "storage.scratch.link.bucket",
    ),
    "storage account name taken": (
        having(f"{HERE}/providers/Microsoft.Storage/checkNameAvailability", _taken),
        Fault.TAKEN, "error", "buckets.results.name",
    ),
    "resource group there already": (
        having(f"{HERE}/resourceGroups/cfd-nodes", {"location": "eastus"}), Fault.TAKEN, "info", "name",
    ),
    "resource group elsewhere": (
        setting(arm(sound.GROUP), location="westus"), Fault.NAMED, "error", "resource_group",
    ),
    "budgets forbidden": (
        having(sound.POLICIES, sound.denying("Microsoft.Consumption/budgets", "type")),
        Fault.POLICY, "error", "budget",
    ),
    "budgets perhaps forbidden": (
        having(sound.POLICIES, sound.denying("Microsoft.Consumption/budgets", "type", "properties.amount")),
        Fault.POLICY, "warning", "budget",
    ),
    "size forbidden": (
        having(
            sound.POLICIES,
            sound.denying(
                "Microsoft.Compute/virtualMachines", "type", "properties.hardwareProfile.vmSize",
                size="Standard_F64as_v6",
            ),
        ),
        Fault.POLICY, "error", "queues[1].machine",
    ),
    "identity missing": (lacking(arm(sound.IDENTITY)), Fault.NAMED, "error", "head_node.identity"),
    "disk encryption set failed": (
        setting(arm(sound.SET), properties=FAILED), Fault.NAMED, "error", "head_node.root.encryption_set",
    ),
}  # fmt: skip


def test_a_sound_subscription_has_no_finding(azure: RestAccount, sound_azure: tuple[Any, Asked]) -> None:
    done = ask_azure(azure, sound_azure[1])
    assert done.findings == ()
    assert [each.check for each in done.left_out] == ["quotas of storagecache"]
    assert len(done.answered) == 28


@pytest.mark.parametrize("fault", FAULTS)
def test_a_single_fault_is_found_at_its_key(azure: RestAccount, sound_azure: tuple[Any, Asked], fault: str) -> None:
    prepare, id, level, path = FAULTS[fault]
    prepare(azure)
    (found, *others) = ask_azure(azure, sound_azure[1]).findings
    assert {each.id for each in others} <= {id}, others  # the same fault at a second place
    assert (found.id, str(found.level), found.path) == (id, level, path)
    assert found.line is not None
    assert found.reason
    assert found.remedy
