import re

from hpc_components.catalog.ssh_key import key_parts

_MIN_RSA_BITS = 2048


def wrong_ssh_key(text: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if Azure does not accept this public key. Neither text quotes the key.

    Source: Azure documentation, "Create and manage SSH keys for authentication to a Linux VM", supported formats: RSA
    with at least 2048 bits, ED25519; RFC 4253, 6.6, and RFC 8709, 4, for the encoding.
    """
    line, remedy = text.strip(), "copy the line from id_ed25519.pub"
    if "PRIVATE KEY" in line:
        return "this is a private key, which must stay secret", f"create a new key pair, then {remedy}"
    if re.fullmatch(r"[~./\w-]*\.(pub|pem)", line):
        return "this is a file name, not a key", f"{remedy} instead of the file name"
    match = re.fullmatch(r"(\S+) (\S+)( .*)?", line)
    if match is None or not match[1].startswith(("ssh-", "ecdsa-", "sk-")):
        return "this is not a public SSH key", f"{remedy}: ssh-ed25519 AAAA..."
    kind, key = match[1], match[2]
    if kind not in ("ssh-ed25519", "ssh-rsa"):
        return (
            f"Azure does not accept keys of type {kind}",
            "use an ssh-ed25519 or ssh-rsa key, e.g. from ssh-keygen -t ed25519",
        )
    parts = key_parts(key)
    if not parts or parts[0] != kind.encode() or len(parts) != (2 if kind == "ssh-ed25519" else 3):
        return "the key is incomplete or damaged", f"{remedy} in full"
    if kind == "ssh-rsa" and (bits := int.from_bytes(parts[2]).bit_length()) < _MIN_RSA_BITS:
        return (
            f"the RSA key has {bits} bits, but Azure requires at least {_MIN_RSA_BITS}",
            "create a key with ssh-keygen -t ed25519",
        )
    return None
