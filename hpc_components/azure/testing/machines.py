"""Starts machines outside Pulumi's state, as the elastic daemon does."""

from uuid import uuid4

from hpc_components.testing.stand_in_cloud import StandInCloud, Thing

_MACHINE = "azure-native:compute:VirtualMachine"
_INSTANCE = "azure-native:compute:VirtualMachineScaleSetVM"


def run_machine(cloud: StandInCloud, group: str, *, subnet: str) -> str:
    """Start a virtual machine outside Pulumi, like the machines of Flexible scale sets, and return its id.

    `group` and `subnet` are resource ids.
    """
    return _put(cloud, _MACHINE, f"{group}/providers/Microsoft.Compute/virtualMachines/{uuid4().hex[:8]}", subnet)


def run_scale_set_machine(cloud: StandInCloud, scale_set: str, *, subnet: str) -> str:
    """Start an instance of a Uniform scale set outside Pulumi, and return its id.

    `scale_set` and `subnet` are resource ids.
    """
    return _put(cloud, _INSTANCE, f"{scale_set}/virtualMachines/{uuid4().hex[:8]}", subnet)


def _put(cloud: StandInCloud, type_: str, id_: str, subnet: str) -> str:
    interface = {"ipConfigurations": [{"subnet": {"id": subnet}}]}
    cloud.put(Thing(id=id_, type=type_, urn=None, inputs={"networkProfile": {"networkInterfaces": [interface]}}))
    return id_
