from collections.abc import Sequence

import pulumi
from pulumi import Output

from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.azure.identity.grants import (
    DEPLOY_ACTIONS,
    LAUNCH_ACTIONS,
    MACHINE_ACTIONS,
    SEE_LOGIN_NODES_ACTIONS,
    USE_ACTIONS,
    use_grants,
)
from hpc_components.azure.identity.roles import Grant, grant, make_role
from hpc_components.azure.ports import FleetRef, Group, Identity


def make_head_roles(
    name: str,
    *,
    identity: Identity,
    group: Group,
    nodes_group: Group,
    fleets: Sequence[FleetRef],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Create two custom roles and assign them to the head node's identity.

    Do nothing if there are no fleets, or if the identity has no principal id. The roles are custom because Azure has
    no built-in role that is limited to scale sets.
    """
    if not fleets or identity.principal_id is None:
        return []
    launch = make_role(
        f"{name}-launch",
        title=Output.concat("HPC head node: launch compute nodes in ", nodes_group.id),
        description="Launches and ends the compute nodes of one cluster.",
        scope=nodes_group.id,
        actions=_launch_actions(fleets),
        assignable=[nodes_group.id],
        opts=opts,
    )
    elsewhere = _given(fleets)
    use = make_role(
        f"{name}-use",
        title=Output.concat("HPC head node: use what compute nodes are made with in ", nodes_group.id),
        description="Puts the compute nodes of one cluster into their subnet, with their identities, and lists its "
        "login nodes.",
        scope=group.id,
        actions=(*USE_ACTIONS, *SEE_LOGIN_NODES_ACTIONS),
        assignable=[group.id, nodes_group.id, *dict.fromkeys(map(_group_of, elsewhere))],
        opts=opts,
    )
    grants = [
        Grant(name="launches-nodes", role=launch, scope=nodes_group.id, why="The head node launches compute nodes"),
        Grant(
            name="uses-group",
            role=use,
            scope=group.id,
            why="The head node launches compute nodes with it",
        ),
        # proximity placement groups live in this resource group
        Grant(
            name="uses-nodes-group",
            role=use,
            scope=nodes_group.id,
            why="The head node launches compute nodes with it",
        ),
        *use_grants(use, elsewhere),
    ]
    return grant(name, identity, grants, opts)


def _launch_actions(fleets: Sequence[FleetRef]) -> tuple[str, ...]:
    named = any(fleet.availability_sets for fleet in fleets)
    ordinary = named or any(fleet.flexible for fleet in fleets)
    return (*LAUNCH_ACTIONS, *(MACHINE_ACTIONS if ordinary else ()), *(DEPLOY_ACTIONS if named else ()))


def _given(fleets: Sequence[FleetRef]) -> list[str]:
    """Return the resource ids that are plain text, without duplicates. The resources may be in other resource
    groups.
    """
    every = (each for fleet in fleets for each in (*fleet.subnets, *fleet.identities, *fleet.parts))
    return [each for each in dict.fromkeys(every) if isinstance(each, str)]


def _group_of(id: str) -> str:
    found = arm_id(id)
    if found is None:
        raise ValueError(f"FleetRef: {id!r} is not a resource id; write /subscriptions/.../resourceGroups/...")
    return f"/subscriptions/{found.subscription}/resourceGroups/{found.group}"
