"""Public SSH keys that Azure puts on machines."""

import re

from hpc_components.catalog.ssh_key import key_parts

_LEAST_RSA_BITS = 2048


def wrong_ssh_key(text: str) -> tuple[str, str] | None:
    """Reason and remedy where Azure would not make a machine with this public key; the text itself is not repeated.

    Source: Azure documentation, "Create and manage SSH keys for authentication to a Linux VM", supported formats: RSA
    of 2048 bits or more, ED25519; RFC 4253, 6.6, and RFC 8709, 4, for how they are written.
    """
    line, remedy = text.strip(), "write the line that is in id_ed25519.pub"
    if "PRIVATE KEY" in line:
        return "a private key stands here, which nobody else may see", f"{remedy}, and make a new pair"
    if re.fullmatch(r"[~./\w-]*\.(pub|pem)", line):
        return "the name of a file stands here", f"{remedy}, not its name"
    match = re.fullmatch(r"(\S+) (\S+)( .*)?", line)
    if match is None or not match[1].startswith(("ssh-", "ecdsa-", "sk-")):
        return "this is no public SSH key", f"{remedy}: ssh-ed25519 AAAA..."
    kind, key = match[1], match[2]
    if kind not in ("ssh-ed25519", "ssh-rsa"):
        return f"Azure takes no key of type {kind}", "use one of type ssh-ed25519 or ssh-rsa: ssh-keygen -t ed25519"
    parts = key_parts(key)
    if not parts or parts[0] != kind.encode() or len(parts) != (2 if kind == "ssh-ed25519" else 3):
        return "the key is cut off, or not copied right", f"{remedy}, all of it"
    if kind == "ssh-rsa" and (bits := int.from_bytes(parts[2]).bit_length()) < _LEAST_RSA_BITS:
        return f"the RSA key has {bits} bits, and Azure takes {_LEAST_RSA_BITS} at least", "use ssh-keygen -t ed25519"
    return None
