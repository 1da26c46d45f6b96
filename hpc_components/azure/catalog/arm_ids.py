"""Ids of resources in Azure Resource Manager, and of keys and secrets in Key Vault."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["ArmId", "ArmKind", "VaultUrl", "arm_id", "vault_url", "wrong_arm_id", "wrong_vault_url"]

ArmKind = Literal[
    "resource_group", "virtual_network", "subnet", "security_group", "identity", "scale_set", "virtual_machine",
    "capacity_reservation_group", "proximity_group", "image", "gallery_image", "disk_encryption_set", "key_vault",
    "storage_account", "container", "workspace", "data_rule",
]  # fmt: skip
"""A kind of resource that descriptions or tags name by id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmId:
    """The id of a resource; Azure compares ids without case."""

    subscription: str
    """A GUID."""
    group: str
    """Its resource group."""
    type: str
    """As in `Microsoft.Network/virtualNetworks/subnets`; empty for a resource group itself."""
    names: tuple[str, ...]
    """One for each part of the type: network and subnet. Empty for a resource group itself."""

    @property
    def name(self) -> str:
        """The last of its names; of a resource group its own."""
        return self.names[-1] if self.names else self.group

    def parent(self) -> "ArmId":
        """The resource that it is a part of, or else its resource group."""
        raise NotImplementedError

    def same_as(self, other: "ArmId") -> bool:
        """Whether both mean the same resource."""
        return str(self).lower() == str(other).lower()

    def __str__(self) -> str:
        raise NotImplementedError


def arm_id(text: str, kind: ArmKind | None = None) -> ArmId | None:
    """The parts of `/subscriptions/<guid>/resourceGroups/<group>/providers/<provider>/<type>/<name>...`; None for
    another text, and with `kind` for an id of another kind of resource."""
    raise NotImplementedError


def wrong_arm_id(text: str, kind: ArmKind) -> tuple[str, str] | None:
    """Reason and remedy where the text is no id of such a resource. The remedy shows the form."""
    raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultUrl:
    """A key or secret of a Key Vault."""

    vault: str
    kind: Literal["keys", "secrets"]
    name: str
    version: str | None = None
    suffix: str = "vault.azure.net"

    def __str__(self) -> str:
        version = f"/{self.version}" if self.version else ""
        return f"https://{self.vault}.{self.suffix}/{self.kind}/{self.name}{version}"


def vault_url(text: str, kind: Literal["keys", "secrets"]) -> VaultUrl | None:
    """The parts of `https://<vault>.vault.azure.net/<kind>/<name>[/<version>]`; None for another text."""
    raise NotImplementedError


def wrong_vault_url(text: str, kind: Literal["keys", "secrets"]) -> tuple[str, str] | None:
    """Reason and remedy where `vault_url` is None."""
    raise NotImplementedError
