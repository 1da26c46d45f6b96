"""Checks public SSH keys, which are encoded in the same way on every cloud."""

import base64
import binascii
import re

_FIELDS = {
    "ssh-ed25519": 2,
    "ssh-rsa": 3,
    "ecdsa-sha2-nistp256": 3,
    "ecdsa-sha2-nistp384": 3,
    "ecdsa-sha2-nistp521": 3,
    "sk-ssh-ed25519@openssh.com": 3,
    "sk-ecdsa-sha2-nistp256@openssh.com": 4,
}
"""Number of fields in each type of key that sshd accepts. Source: RFC 4253, 6.6; RFC 5656, 3.1; RFC 8709, 4; OpenSSH,
PROTOCOL.u2f."""

_MIN_RSA_BITS = 2048

TAKE_LINE = "use the line in id_ed25519.pub"
NEW_KEY = "use an ssh-ed25519 key: ssh-keygen -t ed25519"


def wrong_public_key(text: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if `text` is not a public key that sshd accepts. Neither contains the key."""
    line = text.strip()
    if "PRIVATE KEY" in line:
        return "this is a private key, which must stay secret", f"generate a new key pair, and {TAKE_LINE}"
    if re.fullmatch(r"[~./\w-]*\.(pub|pem)", line):
        return "this is a file name", f"{TAKE_LINE}, not the file name"
    if "\n" in line:
        return "the text has more than one line", f"{TAKE_LINE}, and specify only one key"
    match = re.fullmatch(r"(\S+) (\S+)( .*)?", line)
    if match is None or not match[1].startswith(("ssh-", "ecdsa-", "sk-")):
        return "this is not a public SSH key", f"{TAKE_LINE}: ssh-ed25519 AAAA..."
    kind, key = match[1], match[2]
    if kind not in _FIELDS:
        return f"sshd does not accept {kind} keys", NEW_KEY
    parts = key_parts(key)
    if not parts or parts[0] != kind.encode() or len(parts) != _FIELDS[kind]:
        return "the key is incomplete or damaged", f"{TAKE_LINE}, and copy the whole line"
    if kind == "ssh-rsa" and (bits := int.from_bytes(parts[2]).bit_length()) < _MIN_RSA_BITS:
        return f"the RSA key has only {bits} bits, but at least {_MIN_RSA_BITS} bits are needed to be safe", NEW_KEY
    return None


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
