from collections.abc import Mapping
from typing import Any

from hpc_components.preview.resources import SECRET, UNKNOWN

_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""Pulumi's placeholder for a value that is not yet known. Source: pulumi, sdk/go/common/resource/plugin/rpc.go."""

_BLINDED = "[secret]"
"""Pulumi's placeholder for a secret in previews and logs. Source: pulumi, pkg/backend/display/json.go,
massagePropertyValue.
"""

_ELIDED = "<contents elided>"
"""Pulumi's placeholder for an asset's text in logs. Source: pulumi, pkg/engine/events.go, filterAsset."""

_SIGNATURE = "4dabf18193072939515e22adb298388d"
"""Key that marks a value that is not plain JSON. The key's value is one of the constants below.

Source: pulumi, sdk/go/common/resource/sig/sig.go.
"""
_SECRET = "1b47061264138c4ac30d75fd1eb44270"
_ASSET = "c44067f5952c0a294b673a41bacd8c17"
_ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7"
_RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e"
_OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"


def plain(value: Any) -> Any:
    """Return `value` in the notation of plans, with the placeholders `<secret>` and `<unknown>`.

    A file becomes `{"asset": ...}`. Keys that begin with two underscores are left out, because providers use them for
    bookkeeping.
    """
    if isinstance(value, Mapping):
        if _SIGNATURE in value:
            return _signed(value)
        return {key: plain(each) for key, each in value.items() if not key.startswith("__")}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return {_UNKNOWN: UNKNOWN, _BLINDED: SECRET}.get(value, value) if isinstance(value, str) else value


def _signed(value: Mapping[str, Any]) -> Any:
    match value[_SIGNATURE]:
        case kind if kind == _SECRET:
            return SECRET
        case kind if kind in (_ASSET, _ARCHIVE):
            return {"asset" if kind == _ASSET else "archive": _file(value)}
        case kind if kind == _RESOURCE:
            return value.get("urn", UNKNOWN)
        case kind if kind == _OUTPUT:
            return SECRET if value.get("secret") else plain(value.get("value", _UNKNOWN))
    return UNKNOWN


def _file(value: Mapping[str, Any]) -> dict[str, Any]:
    """If an archive has members, only the members have hashes."""
    members = value.get("assets")
    if members and isinstance(members, Mapping):
        return {"assets": {name: plain(each) for name, each in members.items()}}
    found = {key: value[key] for key in ("text", "path", "uri") if value.get(key) and value[key] != _ELIDED}
    return found | ({"sha256": value["hash"]} if value.get("hash") else {})


def defaults_of(inputs: Any) -> frozenset[str]:
    """Return the names of inputs that a bridged provider filled in with defaults.

    Source: pulumi-terraform-bridge, pkg/tfbridge, `defaultsKey`.
    """
    names = inputs.get("__defaults") if isinstance(inputs, Mapping) else None
    return frozenset(each for each in names if isinstance(each, str)) if isinstance(names, list) else frozenset()
