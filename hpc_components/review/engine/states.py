from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.cloud import UnknownCloudError, cloud_named
from hpc_components.preview.clouds import reader_of
from hpc_components.preview.resources import Resource, Resources
from hpc_components.review.engine.values import plain

State = Mapping[str, Any]
"""A resource in the form of `apitype.ResourceV3` in Pulumi's Go SDK."""

_PROVIDER = "pulumi:providers:"


def split_urn(urn: str) -> tuple[str, str, tuple[str, ...], str]:
    """Return the stack, project, types (outermost first) and name from a URN such as `urn:pulumi:S::P::A$B::N`."""
    stack, project, types, name = urn.removeprefix("urn:pulumi:").split("::", 3)
    return stack, project, tuple(types.split("$")), name


def is_counted(state: State) -> bool:
    """Return whether a plan would include the resource.

    Plans omit the stack, default providers, and resources that are only read.
    """
    if state.get("external") or state.get("viewOf") or state["type"] == "pulumi:pulumi:Stack":
        return False
    is_unasked = state["type"].startswith(_PROVIDER) and split_urn(state["urn"])[3].startswith("default")
    return not (is_unasked and not state.get("parent"))


def resource_of(state: State) -> Resource:
    parent = state.get("parent") or ""
    return Resource(
        urn=state["urn"],
        type=state["type"],
        name=split_urn(state["urn"])[3],
        parent=None if "::pulumi:pulumi:Stack::" in parent else parent or None,
        inputs=plain(state.get("inputs") or {}),
        depends_on=tuple(sorted(state.get("dependencies") or ())),
        protect=bool(state.get("protect")),
        retain=bool(state.get("retainOnDelete")),
        component=not state.get("custom", False),
        property_dependencies={
            name: tuple(urns) for name, urns in (state.get("propertyDependencies") or {}).items() if urns
        },
        ignore_changes=tuple(state.get("ignoreChanges") or ()),
        replace_on_changes=tuple(state.get("replaceOnChanges") or ()),
        deleted_with=state.get("deletedWith") or None,
        aliases=tuple(state.get("aliases") or ()),
    )


def resources_of(states: Iterable[State]) -> Resources:
    """Return the resources that a plan would include, along with the components that contain them, even components
    that are known only by their URN.
    """
    found = [resource_of(each) for each in states if is_counted(each)]
    known = {each.urn for each in found}
    return Resources([*found, *_around(found, known)])


def _around(found: Iterable[Resource], known: set[str]) -> Iterator[Resource]:
    """Yield components that contain resources but are missing from the document.

    A URN lists the types of all outer components, but only the innermost name. That name is also used for the outer
    components, because only their types matter.
    """
    for each in found:
        urn = each.parent
        while urn and urn not in known:
            known.add(urn)
            stack, project, types, name = split_urn(urn)
            outer = f"urn:pulumi:{stack}::{project}::{'$'.join(types[:-1])}::{name}" if types[1:] else None
            yield Resource(urn=urn, type=types[-1], name=name, parent=outer, component=True)
            urn = outer


def region_of(states: Iterable[State], cloud: str, config: Mapping[str, str]) -> str:
    """Return the region of the stack's own provider, or the region in the configuration if the stack has no provider.
    Return "" if the region is unknown.
    """
    try:
        package = cloud_named(cloud).pulumi_package
    except UnknownCloudError:
        package = cloud
    key = reader_of(cloud).region_input
    for each in states:
        region = (each.get("inputs") or {}).get(key)
        if each["type"] == f"{_PROVIDER}{package}" and isinstance(region, str):
            return region
    return config.get(f"{package}:{key}", "")
