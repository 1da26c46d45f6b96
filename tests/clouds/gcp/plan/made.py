"""Resources as users' own programs register them."""

from typing import Any

from hpc_components.preview.resources import Resource


def made(
    type: str, name: str, /, *, below: Resource | None = None, needs: tuple[Resource, ...] = (), **inputs: Any
) -> Resource:
    """Return a resource; `needs` are those whose outputs it uses. `compute/Disk` is short for the whole token."""
    service, _, kind = type.partition("/")
    token = type if ":" in type else f"gcp:{service}/{kind[0].lower()}{kind[1:]}:{kind}"
    chain = f"{below.urn.split('::')[2]}${token}" if below else token
    return Resource(
        urn=f"urn:pulumi:own::hpc::{chain}::{name}",
        type=token,
        name=name,
        parent=below.urn if below else None,
        inputs=inputs,
        depends_on=tuple(sorted(each.urn for each in needs)),
    )
