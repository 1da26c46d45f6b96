"""Public SSH keys that machines get by their metadata."""

import re

from hpc_components.catalog.ssh_key import key_parts

_FIELDS = {
    "ssh-ed25519": 2,
    "ssh-rsa": 3,
    "ecdsa-sha2-nistp256": 3,
    "ecdsa-sha2-nistp384": 3,
    "ecdsa-sha2-nistp521": 3,
}
"""The kinds of key, and how many fields one has."""

_LEAST_RSA_BITS = 2048


def wrong_ssh_key(text: str) -> tuple[str, str] | None:
    """Reason and remedy where nobody could log in with this public key; the text itself is not repeated.

    Source: Compute Engine documentation, "Create SSH keys" and "Add SSH keys to VMs": `user:key` in metadata; RFC
    4253, 6.6, RFC 5656, 3.1, and RFC 8709, 4, for how keys are written.
    """
    line, remedy = text.strip(), "write the line that is in id_ed25519.pub"
    if "PRIVATE KEY" in line:
        return "a private key stands here, which nobody else may see", f"{remedy}, and make a new pair"
    if re.fullmatch(r"[~./\w-]*\.(pub|pem)", line):
        return "the name of a file stands here", f"{remedy}, not its name"
    if re.match(r"[a-z_][a-z0-9_-]*:(ssh-|ecdsa-)", line):
        return "a user's name stands before the key", f"{remedy}; the user is admin_user"
    if "\n" in line:
        return "several lines stand here", f"{remedy}, one key"
    match = re.fullmatch(r"(\S+) (\S+)( .*)?", line)
    if match is None or not match[1].startswith(("ssh-", "ecdsa-", "sk-")):
        return "this is no public SSH key", f"{remedy}: ssh-ed25519 AAAA..."
    kind, key = match[1], match[2]
    if kind not in _FIELDS:
        return f"sshd takes no key of type {kind}", "use one of type ssh-ed25519: ssh-keygen -t ed25519"
    parts = key_parts(key)
    if not parts or parts[0] != kind.encode() or len(parts) != _FIELDS[kind]:
        return "the key is cut off, or not copied right", f"{remedy}, all of it"
    if kind == "ssh-rsa" and (bits := int.from_bytes(parts[2]).bit_length()) < _LEAST_RSA_BITS:
        return f"the RSA key has {bits} bits, and {_LEAST_RSA_BITS} are safe", "use ssh-keygen -t ed25519"
    return None
