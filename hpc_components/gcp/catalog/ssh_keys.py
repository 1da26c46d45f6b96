import re

from hpc_components.catalog.ssh_key import key_parts

_FIELDS = {
    "ssh-ed25519": 2,
    "ssh-rsa": 3,
    "ecdsa-sha2-nistp256": 3,
    "ecdsa-sha2-nistp384": 3,
    "ecdsa-sha2-nistp521": 3,
}
"""Number of fields in each type of key."""

_MIN_RSA_BITS = 2048


def wrong_ssh_key(text: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if a public key is invalid. Neither contains the key.

    Source: Compute Engine documentation, "Create SSH keys" and "Add SSH keys to VMs": `user:key` in metadata; key
    formats: RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4.
    """
    line, remedy = text.strip(), "use the line in id_ed25519.pub"
    if "PRIVATE KEY" in line:
        return "this is a private key, which must stay secret", f"generate a new key pair, and {remedy}"
    if re.fullmatch(r"[~./\w-]*\.(pub|pem)", line):
        return "this is a file name", f"{remedy}, not the file name"
    if re.match(r"[a-z_][a-z0-9_-]*:(ssh-|ecdsa-)", line):
        return "the key begins with a user name", f"{remedy}, and specify the user name in admin_user"
    if "\n" in line:
        return "the text has more than one line", f"{remedy}, and specify only one key"
    match = re.fullmatch(r"(\S+) (\S+)( .*)?", line)
    if match is None or not match[1].startswith(("ssh-", "ecdsa-", "sk-")):
        return "this is not a public SSH key", f"{remedy}: ssh-ed25519 AAAA..."
    kind, key = match[1], match[2]
    if kind not in _FIELDS:
        return f"sshd does not accept {kind} keys", "use an ssh-ed25519 key: ssh-keygen -t ed25519"
    parts = key_parts(key)
    if not parts or parts[0] != kind.encode() or len(parts) != _FIELDS[kind]:
        return "the key is incomplete or damaged", f"{remedy}, and copy the whole line"
    if kind == "ssh-rsa" and (bits := int.from_bytes(parts[2]).bit_length()) < _MIN_RSA_BITS:
        return (
            f"the RSA key has only {bits} bits, but at least {_MIN_RSA_BITS} bits are needed to be safe",
            "use an ssh-ed25519 key: ssh-keygen -t ed25519",
        )
    return None
