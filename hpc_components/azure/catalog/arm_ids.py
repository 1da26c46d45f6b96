import re
from dataclasses import dataclass
from typing import Literal

from hpc_components.azure.catalog.names import wrong_name

ArmKind = Literal[
    "resource_group", "virtual_network", "subnet", "private_dns_zone", "security_group", "identity",
    "scale_set", "virtual_machine",
    "capacity_reservation_group", "proximity_group", "image", "gallery_image", "gallery_image_version",
    "disk_encryption_set", "key_vault", "storage_account", "container", "workspace", "data_rule",
    "monitor_workspace",
    "availability_set", "vault_secret", "action_group",
]  # fmt: skip

_TYPES: dict[ArmKind, str] = {
    "resource_group": "",
    "virtual_network": "Microsoft.Network/virtualNetworks",
    "subnet": "Microsoft.Network/virtualNetworks/subnets",
    "private_dns_zone": "Microsoft.Network/privateDnsZones",
    "security_group": "Microsoft.Network/networkSecurityGroups",
    "identity": "Microsoft.ManagedIdentity/userAssignedIdentities",
    "scale_set": "Microsoft.Compute/virtualMachineScaleSets",
    "virtual_machine": "Microsoft.Compute/virtualMachines",
    "capacity_reservation_group": "Microsoft.Compute/capacityReservationGroups",
    "proximity_group": "Microsoft.Compute/proximityPlacementGroups",
    "image": "Microsoft.Compute/images",
    "gallery_image": "Microsoft.Compute/galleries/images",
    "gallery_image_version": "Microsoft.Compute/galleries/images/versions",
    "disk_encryption_set": "Microsoft.Compute/diskEncryptionSets",
    "key_vault": "Microsoft.KeyVault/vaults",
    "storage_account": "Microsoft.Storage/storageAccounts",
    "container": "Microsoft.Storage/storageAccounts/blobServices/containers",
    "workspace": "Microsoft.OperationalInsights/workspaces",
    "monitor_workspace": "Microsoft.Monitor/accounts",
    "data_rule": "Microsoft.Insights/dataCollectionRules",
    "availability_set": "Microsoft.Compute/availabilitySets",
    "vault_secret": "Microsoft.KeyVault/vaults/secrets",
    "action_group": "Microsoft.Insights/actionGroups",
}
"""Resource type of each kind. Source: Azure Resource Manager documentation, "Resource providers for Azure services";
read 2026-11."""

_GUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmId:
    """The id of a resource. Azure ignores case in ids."""

    subscription: str
    """GUID of the subscription."""
    group: str
    type: str
    """Type, such as `Microsoft.Network/virtualNetworks/subnets`; empty for a resource group."""
    names: tuple[str, ...]
    """Names of the resource and its parents, such as a network and its subnet; empty for a resource group."""

    @property
    def name(self) -> str:
        """Last of `names`, or the name of the resource group if `names` is empty."""
        return self.names[-1] if self.names else self.group

    def parent(self) -> "ArmId":
        """Return the id of the parent resource, or of the resource group if the resource has no parent.

        For a resource group, return its own id.
        """
        nested = len(self.names) > 1
        return ArmId(
            subscription=self.subscription,
            group=self.group,
            type=self.type.rpartition("/")[0] if nested else "",
            names=self.names[:-1] if nested else (),
        )

    def same_as(self, other: "ArmId") -> bool:
        return str(self).lower() == str(other).lower()

    def __str__(self) -> str:
        group = f"/subscriptions/{self.subscription}/resourceGroups/{self.group}"
        if not self.names:
            return group
        provider, *kinds = self.type.split("/")
        parts = "/".join(f"{kind}/{name}" for kind, name in zip(kinds, self.names, strict=True))
        return f"{group}/providers/{provider}/{parts}"


def arm_id(text: str, kind: ArmKind | None = None) -> ArmId | None:
    """Parse `/subscriptions/<guid>/resourceGroups/<group>/providers/<provider>/<type>/<name>...`.

    Return None for any other text. If `kind` is given, also return None for the ids of other kinds of resources.
    Known types are returned in Azure's own spelling, regardless of the case in `text`.
    """
    match = re.fullmatch(
        rf"/subscriptions/({_GUID})/resourceGroups/([^/]+)(?:/providers/([\w.]+)((?:/[^/\s?#]+){{2,}}))?", text, re.I
    )
    if match is None or wrong_name("resource_group", match[2]):
        return None
    subscription, group, provider, rest = match.groups()
    words = rest.split("/")[1:] if rest else []
    if len(words) % 2:
        return None
    found = "/".join([provider, *words[::2]]) if provider else ""
    known = {type.lower(): type for type in _TYPES.values()}
    if kind is not None and found.lower() != _TYPES[kind].lower():
        return None
    return ArmId(
        subscription=subscription, group=group, type=known.get(found.lower(), found), names=tuple(words[1::2])
    )


def wrong_arm_id(text: str, kind: ArmKind) -> tuple[str, str] | None:
    """Return a reason and a remedy if `text` is not a valid id for this kind of resource. The remedy shows the
    expected format.
    """
    if arm_id(text, kind) is not None:
        return None
    other = arm_id(text)
    named = kind.replace("_", " ")
    reason = (
        f"{text!r} is the id of a {other.type or 'resource group'}" if other else f"{text!r} is not a resource id"
    )
    return reason, f"write an Azure {named} id: {arm_form(kind)}"


def arm_form(kind: ArmKind) -> str:
    """Return the format of this kind of id, with placeholders."""
    parts = [f"{part}/<name>" for part in _TYPES[kind].split("/")[1:]]
    providers = f"/providers/{_TYPES[kind].split('/')[0]}/{'/'.join(parts)}" if parts else ""
    return f"/subscriptions/<subscription>/resourceGroups/<group>{providers}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultUrl:
    vault: str
    kind: Literal["keys", "secrets"]
    name: str
    version: str | None = None
    suffix: str = "vault.azure.net"

    def __str__(self) -> str:
        version = f"/{self.version}" if self.version else ""
        return f"https://{self.vault}.{self.suffix}/{self.kind}/{self.name}{version}"


def vault_url(text: str, kind: Literal["keys", "secrets"]) -> VaultUrl | None:
    """Parse `https://<vault>.vault.azure.net/<kind>/<name>[/<version>]`; return None for any other text."""
    ends = r"vault\.(?:azure\.net|usgovcloudapi\.net|azure\.cn)"
    match = re.fullmatch(rf"https://([^/.]+)\.({ends})/{kind}/([^/?#]+)(?:/([0-9a-f]{{32}}))?/?", text)
    if match is None or wrong_name("key_vault", match[1]) or wrong_name("secret", match[3]):
        return None
    return VaultUrl(vault=match[1], kind=kind, name=match[3], version=match[4], suffix=match[2])


def wrong_vault_url(text: str, kind: Literal["keys", "secrets"]) -> tuple[str, str] | None:
    """Return a reason and a remedy if `vault_url` would return None."""
    if vault_url(text, kind) is not None:
        return None
    what = "key" if kind == "keys" else "secret"
    return (
        f"{text!r} is not the URL of a {what} in a Key Vault",
        f"write https://<vault>.vault.azure.net/{kind}/<name>",
    )
