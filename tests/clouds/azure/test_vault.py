import json
from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, NETWORK, TAGS, ZONES
from hpc_components.azure.components.vault import NodeVault, NodeVaultArgs
from hpc_components.azure.ports import Network
from hpc_components.preview.record import Recording, record

TENANT = "99999999-8888-7777-6666-555555555555"
PRIVATE = Network(
    id=NETWORK.id,
    cidr=NETWORK.cidr,
    subnets=NETWORK.subnets,
    private_zones={"vault": f"{ZONES}/privatelink.vaultcore.azure.net"},
)


def make(name: str = "cfd-vault", **change: Any) -> None:
    usual = {"group": GROUP, "tenant_id": TENANT, "tags": TAGS}
    made = NodeVault(name, NodeVaultArgs(**{**usual, **change}))
    pulumi.export("secrets", {each.name: [each.vault, each.id] for each in (made.munge, made.jwt, made.host_keys)})


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


def test_only_roles_give_access_to_the_vault(usual):
    vault = usual.one("azure-native:keyvault:Vault")
    properties = vault.inputs["properties"]
    assert (properties["enableRbacAuthorization"], "accessPolicies" in properties) == (True, False)
    assert (properties["enablePurgeProtection"], properties["softDeleteRetentionInDays"]) == (True, 90)
    assert (properties["sku"], properties["tenantId"]) == ({"family": "A", "name": "standard"}, TENANT)
    doors = ("enabledForDeployment", "enabledForDiskEncryption", "enabledForTemplateDeployment")
    assert not any(properties.get(door) for door in doors)
    assert "vaultName" not in vault.inputs, "the end is Pulumi's, new each time: a deleted vault keeps its name"


def test_a_throw_away_cluster_leaves_its_vault_for_a_week():
    properties = record(lambda: make(retain=False)).one("Vault").inputs["properties"]
    assert properties["softDeleteRetentionInDays"] == 7
    assert "enablePurgeProtection" not in properties, "Azure refuses False"


def test_no_secret_has_a_value(usual):
    secrets = {each.inputs["secretName"]: each for each in usual.all("azure-native:keyvault:Secret")}
    assert set(secrets) == {"munge", "jwt", "ssh-host"}
    for each in secrets.values():
        assert each.inputs["properties"] == {"contentType": "hpc/unset", "value": "unset"}


def test_nothing_of_a_secret_is_ever_updated(usual):
    """An update would replace the nodes' key by a new version with the value `unset`."""
    for each in usual.all("azure-native:keyvault:Secret"):
        assert set(each.inputs) - set(each.ignore_changes) == {"resourceGroupName", "secretName", "vaultName"}


def test_secrets_go_with_their_vault(usual):
    """Otherwise, destroying the cluster would need a role that allows deleting secrets."""
    vault = usual.one("Vault").urn
    assert {each.deleted_with for each in usual.all("Secret")} == {vault}


def test_the_outputs_say_where_secrets_are():
    secrets = record(make, preview=False).outputs["secrets"]
    assert set(secrets) == {"munge", "jwt", "ssh-host"}
    assert len({vault for vault, _ in secrets.values()}) == 1
    assert all(name in id for name, (_, id) in secrets.items())


def test_it_is_inside_a_network_with_a_zone_for_vaults(usual):
    assert not usual.all("PrivateEndpoint")
    endpoint = record(lambda: make(network=PRIVATE)).one("PrivateEndpoint").inputs
    assert endpoint["privateLinkServiceConnections"][0]["groupIds"] == ["vault"]


@pytest.mark.parametrize("name", ["cfd-vault", "a-very-long-cluster-name-of-a-site-vault", "a--b-vault"])
def test_with_its_random_end_no_name_is_too_long(name):
    vault = record(lambda: make(name)).one("Vault").name
    assert len(vault) + 8 <= 24
    assert "--" not in vault
    assert not vault.endswith("-")


def test_no_two_names_begin_alike():
    long = "a-very-long-cluster-name"
    assert record(lambda: make(f"{long}-1")).one("Vault").name != record(lambda: make(f"{long}-2")).one("Vault").name


def test_the_plan_has_no_other_secret(usual):
    assert "secret" not in json.dumps([each.inputs for each in usual.all("Vault")]).lower()


def test_throw_away_may_change_on_a_cluster_that_is_there(usual):
    """Azure refuses to change the days later, and users set `throw_away` before they destroy a stack."""
    assert usual.one("azure-native:keyvault:Vault").ignore_changes == ("properties.softDeleteRetentionInDays",)
