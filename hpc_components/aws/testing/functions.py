"""Stand-in for Lambda, limited to what the node reaper needs."""

import json
from collections.abc import Mapping
from typing import Any

from hpc_components.aws.testing.instances import elastic_instances
from hpc_components.testing._values import mentions, open_secrets
from hpc_components.testing.stand_in_cloud import StandInCloud, Thing

FUNCTION = "aws:lambda/function:Function"
INVOCATION = "aws:lambda/invocation:Invocation"
_ROLE = "aws:iam/role:Role"
_GRANTS = ("aws:iam/rolePolicy:RolePolicy", "aws:iam/rolePolicyAttachment:RolePolicyAttachment")


def run_function(cloud: StandInCloud, inputs: Mapping[str, Any], *, action: str) -> str | None:
    """Run an `Invocation`'s function. Return the error, or None on success.

    When an invocation with life-cycle scope CRUD is deleted, the function acts as a node reaper: it terminates the
    elastic instances with a tag value that occurs in the function's input or environment, except those whose
    `hpc:config` tag names a different bucket. As in the real cloud, the function, its role and the role's policy must
    still exist at that time.
    """
    plain = open_secrets(inputs)
    if action == "delete" and plain.get("lifecycleScope") != "CRUD":
        return None
    function = _find(cloud, FUNCTION, plain["functionName"])
    if function is None:
        return f"ResourceNotFoundException: Function not found: {plain['functionName']}"
    role = _find(cloud, _ROLE, function.inputs["role"].rpartition("/")[2])
    if role is None or not cloud.mentioning(role.id, *_GRANTS):
        return f"function {function.id} has lost its permissions: its role or the role's policies no longer exist"
    if action == "delete":
        environment = (function.inputs.get("environment") or {}).get("variables", {})
        told = [json.loads(plain.get("input", "{}")), environment]
        for instance in elastic_instances(cloud):
            tags = instance.inputs.get("tags", {})
            elsewhere = "hpc:config" in tags and not mentions(told, tags["hpc:config"])
            if not elsewhere and any(mentions(told, value) for value in tags.values()):
                cloud.remove(instance.type, instance.id)
    return None


def _find(cloud: StandInCloud, type_: str, name: str) -> Thing | None:
    """Return the resource whose id is `name` or, if `name` is an ARN, the last part of the ARN."""
    return next((each for each in cloud.things(type_) if name in (each.id,) or name.endswith(f":{each.id}")), None)
