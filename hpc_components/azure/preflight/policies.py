"""What Azure Policy says about resources that do not exist yet.

Only types, locations and sizes are asked about. A policy whose answer depends on other properties is uncertain.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.preflight.account import Action, Demand, Forbidden
from hpc_components.preflight.asked import Asked
from hpc_components.spec.rules._fleet import uses

_MACHINE = "Microsoft.Compute/virtualMachines"
_ASKED = ("type", "location", "properties.hardwareprofile.vmsize")
"""Paths of properties that demands have, in lower case."""


def demands(asked: Asked, actions: Iterable[Action]) -> Iterator[Demand]:
    """Yield the types of the plan's resources with their locations, and the sizes of machines."""
    places: dict[str, set[str]] = {}
    for made in asked.made:
        location = made.inputs.get("location")
        places.setdefault(made.type, set()).update([location] if isinstance(location, str) else ())
    seen = set()
    for action in actions:
        name, _, verb = action.name.rpartition("/")
        if verb != "write" or name in seen:
            continue
        seen.add(name)
        for location in sorted(places.get(action.type, ())) or [None]:
            where = {"location": location} if location else {}
            yield Demand(
                path=asked.path_of(action.key),
                policy=name.partition("/")[0],
                value={"type": name, **where},
                words=f"{name} in {location}" if location else name,
            )
    for use in uses(asked.cluster):
        size = {"hardwareProfile": {"vmSize": use.name}}
        yield Demand(
            path=use.path,
            policy="Microsoft.Compute",
            value={"type": _MACHINE, "location": asked.cluster.region, "properties": size},
            words=f"machines of size {use.name}",
            remedy="use a size that the policy allows, or have an administrator permit this one",
        )


def policy_that_denies(answer: Mapping[str, Any], content: Mapping[str, Any]) -> Forbidden | None:
    """Return the policy that denies a resource, by the response of `checkPolicyRestrictions`. A certain one is
    preferred. Source: Azure REST API reference, Policy Restrictions - Check At Subscription Scope.
    """
    found: list[Forbidden] = []
    for each in answer.get("contentEvaluationResult", {}).get("policyEvaluations", ()):
        effect = each.get("effectDetails", {}).get("policyEffect", "deny")
        if each.get("evaluationResult") != "NonCompliant" or effect.lower() != "deny":
            continue
        assignment = str(each.get("policyInfo", {}).get("policyAssignmentId", "")).rpartition("/")[2]
        expressions = each.get("evaluationDetails", {}).get("evaluatedExpressions", ())
        paths = {str(one.get("path", "")).lower() for one in expressions}
        found.append(Forbidden(by=f"policy assignment {assignment}", certain=bool(paths) and paths <= set(_ASKED)))
    return max(found, key=lambda each: each.certain, default=None)
