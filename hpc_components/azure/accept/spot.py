"""How `hpc accept --spot` has Azure take a spot machine away: it simulates an eviction, with its notice.

Sources: Azure Virtual Machines, "Deploy Spot Virtual Machines using the Azure CLI", simulate an eviction; Azure CLI
reference, az vm simulate-eviction, az vm list, az vmss simulate-eviction.
"""

from collections.abc import Mapping
from typing import Any

from hpc_components.accept.interruption import Interruption, Order, SpotMachine
from hpc_components.azure.reach import PROGRAMS, group_of

NOTICE_WITHIN_SECONDS = 35 * 60
""""The eviction will occur within 30 minutes of calling the API" (Azure PowerShell reference, Set-AzVM,
-SimulateEviction; Azure SDK, VirtualMachines_SimulateEviction), and the notice comes 30 s before."""


def interruption(access: Mapping[str, Any], head: Mapping[str, Any], machine: SpotMachine) -> Interruption:
    """See `CloudSpot`. Only machines of flexible scale sets are listed by `az vm`; a queue with a fabric has uniform
    ones, which are left to the user.

    cloud-init's id is the machine's `vmId`. Source: cloud-init, DataSourceAzure.py, _iid.
    """
    subscription, group = group_of(head)
    place = ("--subscription", subscription, "--resource-group", group)
    chosen = f"[?vmId=='{machine.id.lower()}' && priority=='Spot'].name"
    take = ("az", "vm", "simulate-eviction", *place, "--name")
    return Interruption(
        order=Order(
            program=PROGRAMS[0],
            find=("az", "vm", "list", *place, "--query", chosen, "--output", "tsv"),
            take=(*take, "{0}"),
        ),
        by_hand=f"{' '.join(take)} MACHINE, with the name of the machine whose vmId is {machine.id}; or if the queue"
        f" has a fabric, az vmss simulate-eviction {' '.join(place)} --name SCALE_SET --instance-id ID",
    )
