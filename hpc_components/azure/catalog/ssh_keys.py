import re

from hpc_components.catalog.ssh_key import NEW_KEY, wrong_public_key


def wrong_ssh_key(text: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if Azure does not accept this public key. Neither text quotes the key.

    Source: Azure documentation, "Create and manage SSH keys for authentication to a Linux VM", supported formats: RSA
    with at least 2048 bits, ED25519.
    """
    kind = re.match(r"((?:ssh|ecdsa|sk)-\S+) \S", text.strip())
    if kind is not None and kind[1] not in ("ssh-ed25519", "ssh-rsa"):
        return f"Azure does not accept keys of type {kind[1]}", NEW_KEY
    return wrong_public_key(text)
