"""Storage accounts, the base of containers and file shares."""

import hashlib
import re

import pulumi
import pulumi_azure_native as azure_native

from hpc_components.azure.components.short_names import former_names
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags

RANDOM_CHARACTERS = 8
"""What Pulumi adds to a name, without asking what the name may have. Source: pulumi-azure-native, getDefaultName."""

LONGEST_NAME = 24
"""Of a storage account. Source: Azure Resource Manager documentation, "Naming rules and restrictions"."""


def account_stem(name: str) -> str:
    """`cfd-results` as the beginning of an account's name, `cfdresults1c09`.

    That takes neither hyphens nor capitals, and few characters; the last four tell names apart that would be one
    without them.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()[:4]
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    return plain[: LONGEST_NAME - RANDOM_CHARACTERS - len(digest)] + digest


def make_storage_account(
    name: str,
    *,
    group: Group,
    kind: "azure_native.storage.Kind",
    sku: "azure_native.storage.SkuName",
    account_name: str | None = None,
    shared_keys: bool = False,
    https_only: bool = True,
    public: bool = True,
    network_rules: "azure_native.storage.NetworkRuleSetArgs | None" = None,
    tags: Tags,
    said: pulumi.ResourceOptions | None,
    opts: pulumi.ResourceOptions,
) -> "azure_native.storage.StorageAccount":
    """A storage account without anonymous access, encrypted with Azure's key.

    Without `account_name` it gets one that begins like `name`. `public`: whether it has an address outside the
    network at all; who may do what there, identities and `network_rules` say. `said` are the options of the component
    called `name`, whose former names the account follows.
    """
    storage = azure_native.storage
    access = storage.PublicNetworkAccess
    return storage.StorageAccount(
        account_stem(name),
        account_name=account_name,
        resource_group_name=group.name,
        location=group.location,
        kind=kind,
        sku=storage.SkuArgs(name=sku),
        minimum_tls_version=storage.MinimumTlsVersion.TLS1_2,
        enable_https_traffic_only=https_only,
        allow_blob_public_access=False,
        allow_shared_key_access=shared_keys,
        allow_cross_tenant_replication=False,
        default_to_o_auth_authentication=True,
        public_network_access=access.ENABLED if public else access.DISABLED,
        network_rule_set=network_rules,
        tags=tags.for_resource(name),
        opts=pulumi.ResourceOptions.merge(opts, former_names(said, account_stem)),
    )
