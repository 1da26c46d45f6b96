"""Azure id formats, and the formats that each component argument accepts."""

import re
from typing import get_args

from hpc_components.azure.catalog.arm_ids import ArmKind, arm_form, arm_id, vault_url
from hpc_components.catalog.id_forms import IdForm, IdForms

_GUID = "01234567-89ab-cdef-0123-456789abcdef"
_DIGITS = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)


def _arm(kind: ArmKind) -> IdForm:
    return IdForm(
        title=f"an Azure {kind.replace('_', ' ')} id",
        example=arm_form(kind),
        matches=lambda text: arm_id(text, kind) is not None,
    )


def _url(title: str, example: str, pattern: str) -> IdForm:
    return IdForm(title=title, example=example, matches=lambda text: re.fullmatch(pattern, text) is not None)


_FORMS = {
    **{kind: _arm(kind) for kind in get_args(ArmKind)},
    "subscription": IdForm(
        title="the id of a subscription",
        example=f"/subscriptions/{_GUID}",
        matches=lambda text: text.startswith("/subscriptions/") and _DIGITS.fullmatch(text[15:]) is not None,
    ),
    "guid": IdForm(title="a GUID", example=_GUID, matches=lambda text: _DIGITS.fullmatch(text) is not None),
    "key_url": IdForm(
        title="the URL of a key",
        example="https://<vault>.vault.azure.net/keys/<name>",
        matches=lambda text: vault_url(text, "keys") is not None,
    ),
    "secret_url": IdForm(
        title="the URL of a secret",
        example="https://<vault>.vault.azure.net/secrets/<name>",
        matches=lambda text: vault_url(text, "secrets") is not None,
    ),
    "blob_url": _url(
        "the URL of a container",
        "https://<account>.blob.core.windows.net/<container>",
        r"https://[^/]+\.blob\.core\.[^/]+/\S+",
    ),
    "name": IdForm(title="a plain name", example="mydata"),
}

_IMAGE = ("image", "gallery_image", "gallery_image_version")
_FIELDS: dict[str, tuple[str, ...]] = {
    "BakedImageArgs.gallery_name": ("name",),
    "BucketRef.account": ("name",),
    "BucketRef.container": ("name",),
    "BucketRef.id": ("container",),
    "BucketRef.url": ("blob_url",),
    "ClusterBudgetArgs.action_groups": ("action_group",),
    "ClusterBudgetArgs.groups": ("name",),
    "ClusterBudgetArgs.subscription": ("subscription",),
    "ConfigStore.address": ("name",),
    "ConfigStore.container_id": ("container",),
    "ConfigStore.nodes_container_id": ("container",),
    "DataBucketArgs.account_name": ("name",),
    "FleetRef.availability_sets": ("availability_set",),
    "FleetRef.identities": ("identity",),
    "FleetRef.parts": (
        "security_group",
        "proximity_group",
        "capacity_reservation_group",
        "disk_encryption_set",
        *_IMAGE,
    ),
    "FleetRef.scale_sets": ("scale_set",),
    "FleetRef.subnets": ("subnet",),
    "Group.id": ("resource_group",),
    "ImageBuilderArgs.network_group_id": ("resource_group",),
    "ImageRetentionArgs.gallery_name": ("name",),
    "Group.name": ("name",),
    "Identity.client_id": ("guid",),
    "Identity.id": ("identity",),
    "Identity.principal_id": ("guid",),
    "InfinibandComputeFleetArgs.image": _IMAGE,
    "InfinibandComputeFleetArgs.proximity_group": ("proximity_group",),
    "InfinibandComputeFleetArgs.reservation_id": ("capacity_reservation_group",),
    "LogStore.rule_id": ("data_rule",),
    "LoginNodeNLBArgs.image": _IMAGE,
    "LustreEncryption.identity_id": ("identity",),
    "LustreEncryption.key_url": ("key_url",),
    "LustreEncryption.vault_id": ("key_vault",),
    "LustreFilesystemArgs.subnet_id": ("subnet",),
    "LustreLink.account_id": ("storage_account",),
    "LustreLink.bucket": ("blob_url",),
    "LustreLink.log_bucket": ("blob_url",),
    "LustreLink.principal_id": ("guid",),
    "MetricsWorkspaceArgs.workspace": ("monitor_workspace",),
    "Network.id": ("virtual_network",),
    "Network.private_zones": ("private_dns_zone",),
    "Network.security_groups": ("security_group",),
    "Network.subnets": ("subnet",),
    "NodeReaperArgs.group_name": ("name",),
    "NodeVaultArgs.tenant_id": ("guid",),
    "RootDisk.encryption_set": ("disk_encryption_set",),
    "SecretRef.id": ("vault_secret",),
    "SecretRef.vault": ("name",),
    "SlurmHeadNodeArgs.image": _IMAGE,
    "SlurmHeadNodeArgs.security_group_id": ("security_group",),
    "SlurmHeadNodeArgs.subnet_id": ("subnet",),
    "StateDisk.encryption_set": ("disk_encryption_set",),
}

ID_FORMS = IdForms(forms=_FORMS, fields=_FIELDS)
