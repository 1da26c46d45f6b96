import hashlib
import re

import pulumi
import pulumi_azure_native as azure_native

from hpc_components.azure.components.short_names import former_names
from hpc_components.azure.ports import Group
from hpc_components.azure.tags import Tags

RANDOM_CHARACTERS = 8
"""Number of characters that Pulumi appends to a name, regardless of naming rules. Source: pulumi-azure-native,
getDefaultName."""

MAX_ACCOUNT_NAME_LENGTH = 24
"""Maximum length of a storage account's name. Source: Azure Resource Manager documentation, "Naming rules and
restrictions"."""


def account_stem(name: str) -> str:
    """Return the prefix of an account's name, e.g. `cfdresults1c09` for `cfd-results`.

    Account names must be short and can't contain hyphens or capitals. The last four characters distinguish names that
    would otherwise be equal.
    """
    digest = hashlib.sha256(name.encode()).hexdigest()[:4]
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    return plain[: MAX_ACCOUNT_NAME_LENGTH - RANDOM_CHARACTERS - len(digest)] + digest


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
    """Create a storage account without anonymous access, encrypted with Azure's key.

    If `account_name` is None, the account's name is derived from `name`. If `public` is true, the account has a
    public endpoint, and identities and `network_rules` restrict access to it. The account's aliases are derived from
    `said`, the options of the component `name`.
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
