"""Builds URNs in the same way as the engine, and determines a resource's former URNs."""

from typing import Any

from hpc_components.preview.recording import RecordedResource

_STACK = "pulumi:pulumi:Stack"


def make_urn(stack: str, project: str, parent: str, type: str, name: str) -> str:
    """Return `urn:pulumi:<stack>::<project>::<types>::<name>`, where <types> are the types of the resource's
    ancestors and its own, joined by `$`."""
    above = parent.split("::")[2] if parent else ""
    qualified = f"{above}${type}" if above not in ("", _STACK) else type
    return f"urn:pulumi:{stack}::{project}::{qualified}::{name}"


def alias_urns(stack: str, project: str, request: Any, parent: RecordedResource | None) -> tuple[str, ...]:
    """Return a resource's former URNs, which are its own aliases and those that follow from its parent's aliases.

    The engine uses only the parent's alias that it finds in the state. There is no state here, so all of them count.
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
    """Return a child's former URN. If its name begins with the parent's name, that part is replaced by the parent's
    former name.
    """
    _, _, qualified, name = urn.split("::", 3)
    former = parent_alias.split("::", 3)[3]
    renamed = former + name.removeprefix(parent_name) if name.startswith(parent_name) else name
    return make_urn(stack, project, parent_alias, qualified.rpartition("$")[2], renamed)
