import re

from hpc_components.catalog.ssh_key import TAKE_LINE, wrong_public_key


def wrong_ssh_key(text: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if a public key is invalid. Neither contains the key.

    Source: Compute Engine documentation, "Create SSH keys" and "Add SSH keys to VMs": `user:key` in metadata.
    """
    if re.match(r"[a-z_][a-z0-9_-]*:(ssh-|ecdsa-|sk-)", text.strip()):
        return "the key begins with a user name", f"{TAKE_LINE}, and specify the user name in admin_user"
    return wrong_public_key(text)
