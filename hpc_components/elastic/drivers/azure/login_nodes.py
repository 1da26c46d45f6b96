"""Lists the cluster's login nodes, which are in a uniform scale set of their own.

Sources: REST API reference, "List all NICs in a set"; Azure/azure-sdk-for-js, arm-network-rest, sample
networkInterfacesListVirtualMachineScaleSetNetworkInterfaces; Azure/AgentBaker, e2e/utils/azure/models.go, read
2026-11-29.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.elastic.drivers.azure.arm import INSTANCES, SETS, Arm
from hpc_components.elastic.drivers.azure.machines import RUNNING, machines_in
from hpc_components.elastic.drivers.azure.scale_sets import tagged
from hpc_components.elastic.model import LoginNode

INTERFACES_VERSION = "2018-10-01"
"""API version of a scale set's network interfaces, which belong to Microsoft.Network."""


def read_login_nodes(arm: Arm, group: str, cluster: str, config: str) -> Iterator[LoginNode]:
    """Yield the running machines of the scale sets with the role `login` in a resource group, whose id is `group`.
    They may raise ArmError or OSError."""
    place = f"{group}/providers/Microsoft.Compute/virtualMachineScaleSets"
    for scale_set in tagged(arm.pages(place, bucket=SETS), cluster, config, role="login"):
        zones = _zones_of_running(arm, scale_set)
        for interface in arm.pages(
            f"{scale_set['id']}/networkInterfaces", bucket="interfaces", version=INTERFACES_VERSION
        ):
            instance, address = _owner_and_address(interface)
            if instance in zones and address:
                yield LoginNode(address=address, machine=scale_set["sku"]["name"], zone=zones[instance])


def _zones_of_running(arm: Arm, scale_set: Mapping[str, Any]) -> Mapping[str, str]:
    """Map the instance id of each running machine to its zone, or to the region if the machine has no zone."""
    place, bucket = f"{scale_set['id']}/virtualMachines", f"{INSTANCES}:{scale_set['name']}"
    zones: dict[str, str] = {}
    for raw in arm.pages(place, bucket=bucket, **{"$expand": "instanceView"}):
        if any(machine.power in RUNNING for machine in machines_in([raw])):
            zones[raw["instanceId"]] = "-".join((raw["location"], *(raw.get("zones") or ())))
    return zones


def _owner_and_address(interface: Mapping[str, Any]) -> tuple[str, str]:
    """Return the instance id of the interface's machine, and the interface's first address, or an empty string if it
    has no address yet. The interface's id is `.../virtualMachines/<instance id>/networkInterfaces/<name>`."""
    owner = interface["id"].rpartition("/networkInterfaces/")[0].rpartition("/")[2]
    configurations = interface["properties"].get("ipConfigurations") or [{"properties": {}}]
    return owner, configurations[0]["properties"].get("privateIPAddress", "")
