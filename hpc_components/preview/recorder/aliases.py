from typing import Any

from hpc_components.preview.recording import RecordedResource

_STACK = "pulumi:pulumi:Stack"


def make_urn(stack: str, project: str, parent: str, type: str, name: str) -> str:
    """Return `urn:pulumi:<stack>::<project>::<types>::<name>`.

    <types> lists the types of the resource's ancestors, followed by the resource's own type, joined by `$`.
    """
    above = parent.split("::")[2] if parent else ""
    qualified = f"{above}${type}" if above not in ("", _STACK) else type
    return f"urn:pulumi:{stack}::{project}::{qualified}::{name}"


def alias_urns(stack: str, project: str, request: Any, parent: RecordedResource | None) -> tuple[str, ...]:
    """Return a resource's former URNs, from its own aliases and from its parent's.

    The engine uses only the parent alias that it finds in the state. Because there is no state here, all of the
    parent's aliases are used.
    """
    own = [_alias_urn(stack, project, request, alias) for alias in request.aliases] + list(request.aliasURNs)
    if parent is None:
        return tuple(dict.fromkeys(own))
    itself = make_urn(stack, project, request.parent, request.type, request.name)
    inherited = [
        _below_alias(stack, project, alias, parent.name, urn) for alias in parent.aliases for urn in (itself, *own)
    ]
    return tuple(dict.fromkeys([*own, *inherited]))


def _alias_urn(stack: str, project: str, request: Any, alias: Any) -> str:
    if alias.urn:
        return alias.urn
    spec = alias.spec
    parent = "" if spec.noParent else spec.parentUrn or request.parent
    return make_urn(
        spec.stack or stack, spec.project or project, parent, spec.type or request.type, spec.name or request.name
    )


def _below_alias(stack: str, project: str, parent_alias: str, parent_name: str, urn: str) -> str:
    """Return a child's former URN under `parent_alias`.

    If the child's name begins with the parent's name, that prefix is replaced by the parent's former name.
    """
    _, _, qualified, name = urn.split("::", 3)
    former = parent_alias.split("::", 3)[3]
    renamed = former + name.removeprefix(parent_name) if name.startswith(parent_name) else name
    return make_urn(stack, project, parent_alias, qualified.rpartition("$")[2], renamed)
