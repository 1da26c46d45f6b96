"""What a cloud does when something is to be deleted: it refuses while others hold on to it, or runs a function."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from hpc_components.testing._cloud import Cloud, Thing
from hpc_components.testing._types import type_facts
from hpc_components.testing._values import mentions, open_secrets

__all__ = ["FUNCTION", "INVOCATION", "delete", "refusal", "run_function"]

FUNCTION = "aws:lambda/function:Function"
INVOCATION = "aws:lambda/invocation:Invocation"
_ROLE = "aws:iam/role:Role"
_GRANTS = ("aws:iam/rolePolicy:RolePolicy", "aws:iam/rolePolicyAttachment:RolePolicyAttachment")


def refusal(cloud: Cloud, type_: str, id_: str, inputs: Mapping[str, Any]) -> str | None:
    """Why the cloud does not delete this now, or None. Instances made outside of Pulumi's state count."""
    holders = type_facts(type_).held_by
    if holders is None or (holders.unless and inputs.get(holders.unless) is True):
        return None
    held = _mentioning(cloud, id_, holders.types)
    return f"{holders.error.format(id=id_)} (held by {', '.join(each.id for each in held)})" if held else None


def delete(cloud: Cloud, type_: str, id_: str) -> None:
    """Delete it, and what goes with it."""
    for each in _mentioning(cloud, id_, type_facts(type_).takes_along):
        cloud.remove(each.type, each.id)
    cloud.remove(type_, id_)


def run_function(cloud: Cloud, inputs: Mapping[str, Any], *, action: str) -> str | None:
    """Run the function of an `Invocation`; returns why it failed, or None.

    At a deletion with the life-cycle scope CRUD the function is taken for one that terminates the elastic instances
    of its cluster: those with a tag whose value is in its input or its environment, but none whose tag `hpc:config`
    names a bucket that is not. As in the real cloud it must still exist then, and its role with a policy as well.
    """
    plain = open_secrets(inputs)
    if action == "delete" and plain.get("lifecycleScope") != "CRUD":
        return None
    function = _find(cloud, FUNCTION, plain["functionName"])
    if function is None:
        return f"ResourceNotFoundException: Function not found: {plain['functionName']}"
    role = _find(cloud, _ROLE, function.inputs["role"].rpartition("/")[2])
    if role is None or not _mentioning(cloud, role.id, _GRANTS):
        return f"the function {function.id} lost its permissions: its role or the role's policies are gone already"
    if action == "delete":
        environment = (function.inputs.get("environment") or {}).get("variables", {})
        told = [json.loads(plain.get("input", "{}")), environment]
        for instance in cloud.elastic_instances():
            tags = instance.inputs.get("tags", {})
            elsewhere = "hpc:config" in tags and not mentions(told, tags["hpc:config"])
            if not elsewhere and any(mentions(told, value) for value in tags.values()):
                cloud.remove(instance.type, instance.id)
    return None


def _mentioning(cloud: Cloud, id_: str, types: Collection[str]) -> list[Thing]:
    if not types:
        return []
    return [each for each in cloud.things(*types) if mentions(each.inputs, id_)]


def _find(cloud: Cloud, type_: str, name: str) -> Thing | None:
    """By name, as an id, or by ARN, which ends in the name."""
    return next((each for each in cloud.things(type_) if name in (each.id,) or name.endswith(f":{each.id}")), None)
