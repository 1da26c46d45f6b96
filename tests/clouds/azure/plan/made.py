"""Resources as in users' own programs, written by hand."""

from typing import Any

from hpc_components.preview.resources import Resource


def made(
    type: str,
    name: str,
    *,
    below: Resource | None = None,
    needs: tuple[Resource, ...] = (),
    retain: bool = False,
    **inputs: Any,
) -> Resource:
    """Return a resource that uses the outputs of `needs`."""
    token = type if ":" in type.partition(":")[2] and type.startswith("hpc:") else f"azure-native:{type}"
    chain = f"{below.urn.split('::')[2]}${token}" if below else token
    return Resource(
        urn=f"urn:pulumi:own::hpc::{chain}::{name}",
        type=token,
        name=name,
        parent=below.urn if below else None,
        inputs=inputs,
        depends_on=tuple(sorted(each.urn for each in needs)),
        retain=retain,
    )
