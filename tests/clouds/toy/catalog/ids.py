"""How the toy cloud writes its ids: `images/dune`, `pools/ours`."""

import re

from hpc_components.catalog.mistake import Mistake

_KINDS = {"image": "images", "network": "pools", "subnet": "subnets", "secret": "secrets", "lease": "l"}


def id_mistake(kind: str, id: str, region: str) -> Mistake | None:
    """See `CloudCatalog.id_mistake`. A lease is `l-1`."""
    if kind not in _KINDS or re.fullmatch(rf"{_KINDS[kind]}{'-' if kind == 'lease' else '/'}[a-z0-9-]+", id):
        return None
    what = "this" if kind == "secret" else repr(id)
    example = f"{_KINDS[kind]}{'-1' if kind == 'lease' else '/ours'}"
    return Mistake(f"{what} is no {kind}", f"write it like {example}", may_be_secret=kind == "secret")
