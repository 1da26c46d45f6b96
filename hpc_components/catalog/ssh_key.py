"""How a public SSH key is written, on every cloud."""

import base64
import binascii

__all__ = ["key_parts"]


def key_parts(key: str) -> list[bytes]:
    """The fields of a public key in base64, each of which has its length before it; none if that is not so.

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
