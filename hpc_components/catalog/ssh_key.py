"""Decodes public SSH keys, which are encoded in the same way on every cloud."""

import base64
import binascii


def key_parts(key: str) -> list[bytes]:
    """Return the length-prefixed fields of a base64-encoded public key, or an empty list if the key is malformed.

    Source: RFC 4253, 6.6, and RFC 4251, 5 (`string`).
    """
    try:
        rest = base64.b64decode(key, validate=True)
    except binascii.Error:
        return []
    found = []
    while rest:
        length = int.from_bytes(rest[:4])
        if len(rest) < 4 + length:
            return []
        found.append(rest[4 : 4 + length])
        rest = rest[4 + length :]
    return found
