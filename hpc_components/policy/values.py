from collections.abc import Mapping
from typing import Any

from pulumi_policy import PolicyResource, ResourceValidationArgs, proxy
from pulumi_policy.deserialize import serialize_properties

from hpc_components.preview.resources import UNKNOWN, Resource, Resources

_MARKS = {value for name, value in vars(proxy).items() if name.startswith("UNKNOWN_") and name.endswith("_VALUE")}
"""Pulumi's placeholders for values that are unknown until the update, one for each type."""


def resource_of(args: ResourceValidationArgs) -> Resource:
    """Return the resource that a policy validates. Its dependencies are missing, because Pulumi doesn't pass them."""
    return Resource(
        urn=args.urn,
        type=args.resource_type,
        name=args.name,
        parent=args.opts.parent,
        inputs=_plain(serialize_properties(args.props)),
        protect=args.opts.protect,
    )


def resources_of(shown: list[PolicyResource]) -> Resources:
    """Return all resources of the stack. Pulumi passes only their outputs, which include the inputs."""
    return Resources(_in_stack(each) for each in shown)


def _in_stack(shown: PolicyResource) -> Resource:
    return Resource(
        urn=shown.urn,
        type=shown.resource_type,
        name=shown.name,
        parent=shown.parent.urn if shown.parent else None,
        inputs=_plain(serialize_properties(shown.props)),
        depends_on=tuple(sorted(each.urn for each in shown.dependencies)),
        property_dependencies={
            name: tuple(each.urn for each in found) for name, found in shown.property_dependencies.items()
        },
        protect=shown.opts.protect,
    )


def _plain(value: Any) -> Any:
    """Return the value with unknowns replaced by a plan's placeholder and integral floats converted to ints."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return UNKNOWN if isinstance(value, str) and value in _MARKS else value
