"""The login nodes of the stand-in for Azure, in the resource group of the head node."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

OWN_GROUP = "/subscriptions/s-1/resourceGroups/cfd"
OWN_COMPUTE = f"{OWN_GROUP}/providers/Microsoft.Compute"


@dataclass
class LoginSet:
    """A uniform scale set of login nodes, in one zone."""

    name: str
    tags: Mapping[str, str]
    machine: str
    nodes: dict[str, str] = field(default_factory=dict)
    """Power states by address."""

    @property
    def id(self) -> str:
        return f"{OWN_COMPUTE}/virtualMachineScaleSets/{self.name}"

    def shown(self) -> dict[str, Any]:
        """As Azure shows it, in what a driver may look at."""
        sku = {"name": self.machine, "tier": "Standard", "capacity": len(self.nodes)}
        return {"id": self.id, "name": self.name, "location": "eastus", "tags": self.tags, "sku": sku}

    def machines(self) -> list[Callable[[], dict[str, Any]]]:
        """Each as what shows it."""
        return [partial(self._machine, str(number), power) for number, power in enumerate(self.nodes.values())]

    def interfaces(self) -> list[Callable[[], dict[str, Any]]]:
        """Each as what shows it."""
        return [partial(self._interface, str(number), address) for number, address in enumerate(self.nodes)]

    def _machine(self, instance: str, power: str) -> dict[str, Any]:
        statuses = [{"code": "ProvisioningState/succeeded"}, {"code": f"PowerState/{power}"}]
        properties = {"vmId": f"login-{instance}", "provisioningState": "Succeeded"}
        return {
            "instanceId": instance, "name": f"{self.name}_{instance}", "location": "eastus", "zones": ["1"],
            "properties": {**properties, "instanceView": {"statuses": statuses}},
        }  # fmt: skip

    def _interface(self, instance: str, address: str) -> dict[str, Any]:
        configuration = {"name": "inside", "properties": {"privateIPAddress": address, "primary": True}}
        return {
            "id": f"{self.id}/virtualMachines/{instance}/networkInterfaces/card",
            "properties": {"primary": True, "ipConfigurations": [configuration]},
        }
