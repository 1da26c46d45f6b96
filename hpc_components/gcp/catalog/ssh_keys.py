"""Checks public SSH keys that are put into machines' metadata."""

import re

from hpc_components.catalog.ssh_key import key_parts

_FIELDS = {
    "ssh-ed25519": 2,
    "ssh-rsa": 3,
    "ecdsa-sha2-nistp256": 3,
    "ecdsa-sha2-nistp384": 3,
    "ecdsa-sha2-nistp521": 3,
}
"""Number of fields in a key of each type."""

_MIN_RSA_BITS = 2048


def wrong_ssh_key(text: str) -> tuple[str, str] | None:
    """Return the reason and remedy if a public key is invalid, without quoting the key, or None if it is valid.

    Source: Compute Engine documentation, "Create SSH keys" and "Add SSH keys to VMs": `user:key` in metadata; RFC
    4253, 6.6, RFC 5656, 3.1, and RFC 8709, 4, for the formats of keys.
    """
    line, remedy = text.strip(), "write the line in id_ed25519.pub"
    if "PRIVATE KEY" in line:
        return "this is a private key, which must stay secret", f"{remedy}, and generate a new key pair"
    if re.fullmatch(r"[~./\w-]*\.(pub|pem)", line):
        return "this is the name of a file", f"{remedy}, not its name"
    if re.match(r"[a-z_][a-z0-9_-]*:(ssh-|ecdsa-)", line):
        return "the key begins with a user name", f"{remedy}; the user is admin_user"
    if "\n" in line:
        return "there are several lines", f"{remedy}, one key"
    match = re.fullmatch(r"(\S+) (\S+)( .*)?", line)
    if match is None or not match[1].startswith(("ssh-", "ecdsa-", "sk-")):
        return "this is not a public SSH key", f"{remedy}: ssh-ed25519 AAAA..."
    kind, key = match[1], match[2]
    if kind not in _FIELDS:
        return f"sshd does not accept keys of type {kind}", "use one of type ssh-ed25519: ssh-keygen -t ed25519"
    parts = key_parts(key)
    if not parts or parts[0] != kind.encode() or len(parts) != _FIELDS[kind]:
        return "the key is truncated, or damaged", f"{remedy}, all of it"
    if kind == "ssh-rsa" and (bits := int.from_bytes(parts[2]).bit_length()) < _MIN_RSA_BITS:
        return (
            f"the RSA key has {bits} bits, fewer than the {_MIN_RSA_BITS} that are safe",
            "use ssh-keygen -t ed25519",
        )
    return None
