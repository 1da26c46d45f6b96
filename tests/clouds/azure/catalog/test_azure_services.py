"""Facts about networks, roles, rate limits, other limits, and prices of services."""

import re
from ipaddress import IPv4Network

import pytest
from catalog.present import held, present

from hpc_components.azure.catalog.limits import log_retention_days, service_limit
from hpc_components.azure.catalog.networks import endpoint_services, fabric_range, private_dns_zone, subnet_need
from hpc_components.azure.catalog.prices import regional_price, service_price
from hpc_components.azure.catalog.roles import role_definition_id, role_id, role_names
from hpc_components.azure.catalog.throttles import throttle, throttles
from hpc_components.azure.disks.model import AzureDisk
from hpc_components.azure.home.offer import netapp_levels
from hpc_components.azure.lustre.offer import lustre_tiers
from hpc_components.azure.network.addresses import plan_subnets
from hpc_components.catalog import all_machines, price, reserved_mount
from hpc_components.spec.values import Size


def test_infiniband_has_a_range_of_its_own():
    assert fabric_range() == IPv4Network("172.16.0.0/16")


def test_the_subnets_of_the_address_plan_are_large_enough():
    plan = plan_subnets(IPv4Network("10.0.0.0/20"))
    assert plan.netapp.prefixlen <= present(subnet_need("netapp")).longest_prefix
    assert plan.bastion.prefixlen <= present(subnet_need("bastion")).longest_prefix
    assert present(subnet_need("bastion")).name == "AzureBastionSubnet"
    assert present(subnet_need("netapp")).delegation == "Microsoft.NetApp/volumes"
    assert subnet_need("nodes") is None


def test_each_endpoint_service_has_its_private_zone():
    assert {service: private_dns_zone(service) for service in endpoint_services()} == {
        "blob": "privatelink.blob.core.windows.net", "file": "privatelink.file.core.windows.net",
        "monitor": "privatelink.monitor.azure.com", "vault": "privatelink.vaultcore.azure.net",
    }  # fmt: skip
    with pytest.raises(KeyError):
        private_dns_zone("s3")


def test_each_role_has_an_id_of_its_own():
    ids = [role_id(name) for name in role_names()]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", each) for each in ids)
    assert role_id("Key Vault Secrets User") == "4633458b-17de-408a-b874-0445c86b69e6"
    assert role_definition_id("Key Vault Secrets Officer", "sub") == (
        "/subscriptions/sub/providers/Microsoft.Authorization/roleDefinitions/b86a8fe4-44ce-4948-aee5-eccb2c155cd7"
    )
    with pytest.raises(KeyError):
        role_id("Owner of the world")


def test_a_scale_set_takes_four_changes_a_minute():
    update = throttle("scale_set.update", "resource")
    assert (update.burst, update.per_minute) == (12, 4)
    assert all(each.burst >= each.per_minute > 0 for each in throttles())
    with pytest.raises(KeyError):
        throttle("scale_set.update", "planet")  # ty: ignore[invalid-argument-type]


def test_services_have_the_limits_of_azure():
    assert (30 in log_retention_days(), 730 in log_retention_days(), 731 in log_retention_days()) == (
        True,
        True,
        False,
    )
    assert (service_limit("custom_data.bytes"), service_limit("budgets.notifications")) == (65535, 5)
    with pytest.raises(KeyError):
        service_limit("nothing")


@pytest.mark.parametrize("path", ["/opt/microsoft", "/opt/microsoft/ndv5", "/mnt/resource_nvme", "/var/lib/waagent"])
def test_directories_of_azures_software_are_reserved(path):
    assert reserved_mount("azure", path)


def test_other_directories_may_be_mounted_over():
    assert reserved_mount("azure", "/opt/apps") is None
    assert reserved_mount("azure", "/mnt/data") is None


@pytest.mark.parametrize(
    ("name", "region", "usd"),
    [
        ("Standard_HB176rs_v4", "eastus", 7.2), ("Standard_HB176rs_v4", "southcentralus", 8.64),
        ("Standard_D4s_v5", "westeurope", 0.23), ("Standard_ND96isr_H200_v5", "eastus2", 84.8),
    ],
)  # fmt: skip
def test_a_size_has_the_price_of_its_region(name, region, usd):
    found = present(price(held("azure", name), region, "on_demand"))
    assert (found.usd, found.exact_region, found.as_of) == (usd, True, "2026-06-18")
    assert not found.unsure


def test_every_machine_has_a_price_wherever_it_is_sold():
    for machine in all_machines("azure"):
        assert all(present(price(machine, region, "on_demand")).exact_region for region in machine.offered), (
            machine.name
        )
    assert regional_price("Standard_HB176rs_v4", "westus") is None
    assert regional_price("nothing", "eastus") is None


def test_spot_prices_are_doubtful_and_those_of_h100_are_not_known():
    found = present(price(held("azure", "Standard_HB176rs_v4"), "eastus", "spot"))
    assert (found.usd, found.unsure) == (1.8, True)
    assert price(held("azure", "Standard_ND96isr_H100_v5"), "eastus", "spot") is None


def test_a_service_has_the_price_of_its_region():
    assert present(service_price("public_address.hour", "eastus")).usd == 0.005
    assert not present(service_price("nat_gateway.hour", "eastus")).exact_region
    assert service_price("nothing", "eastus") is None
    for item in [f"lustre.{tier.throughput}" for tier in lustre_tiers()] + [
        f"netapp.{each}" for each in netapp_levels()
    ]:
        assert present(service_price(item, "eastus")).unit == "USD/GiB-month"
        assert present(service_price(item, "eastus")).unsure  # from memory


def disk_usd(type, gib):
    """Return the monthly price of a disk in USD."""
    part = AzureDisk(type=type, size=Size.gib(gib)).paid_service()
    return present(service_price(part.item, "eastus")).usd * part.quantity


def test_a_disk_has_the_price_of_its_tier():
    assert disk_usd("Premium_LRS", 100) == 19.71  # billed as 128 GiB
    assert disk_usd("StandardSSD_LRS", 1024) == 76.8
    assert AzureDisk(type="PremiumV2_LRS", size=Size.gib(100)).paid_service().quantity == 100  # billed by the GiB
