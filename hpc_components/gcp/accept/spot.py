"""How `hpc accept --spot` has Google Cloud take a spot machine away.

A simulated host maintenance preempts a spot machine, since such machines are never migrated. Sources: Compute Engine
documentation, "Simulate a host maintenance event" ("test how your applications handle preemption ... when using Spot
VMs") and "Spot VMs"; gcloud reference, compute instances simulate-maintenance-event, compute instances list, topic
filters.
"""

from collections.abc import Mapping
from typing import Any

from hpc_components.accept.interruption import Interruption, Order, SpotMachine
from hpc_components.gcp.reach import PROGRAMS, machine_of

NOTICE_WITHIN_SECONDS = 600
"""No source states how soon a simulated event begins."""


def interruption(access: Mapping[str, Any], head: Mapping[str, Any], machine: SpotMachine) -> Interruption:
    """See `CloudSpot`. A machine is named after its cluster and node; its zone is one of the queue's."""
    project, name = f"--project={machine_of(head)['project']}", f"{machine.cluster}-{machine.node}"
    chosen = f"name={name} AND networkInterfaces[0].networkIP={machine.address} AND scheduling.provisioningModel=SPOT"
    find = (
        "gcloud", "compute", "instances", "list", project, f"--filter={chosen}",
        "--format=value(name,zone.basename())",
    )  # fmt: skip
    take = ("gcloud", "compute", "instances", "simulate-maintenance-event")
    return Interruption(
        order=Order(program=PROGRAMS[0], find=find, take=(*take, "{0}", project, "--zone={1}", "--async")),
        by_hand=f"{' '.join(take)} {name} {project} --zone=ZONE",
    )
