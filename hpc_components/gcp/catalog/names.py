"""What is called how on Google Cloud, decided in one place."""

import re
from ipaddress import IPv4Address

__all__ = ["LONGEST_BUCKET", "RANDOM_END", "wrong_admin_user", "wrong_bucket"]

LONGEST_BUCKET = 63
"""Characters of a bucket's name. Source: Cloud Storage documentation, "About Cloud Storage buckets"."""

RANDOM_END = 8
"""What Pulumi appends to a name: a hyphen and seven hexadecimal digits."""

_USERS = frozenset(
    "root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc nobody sshd ubuntu debian"
    " adm ftp systemd-network systemd-resolve messagebus".split()
)
"""Accounts that a system has already."""


def wrong_bucket(name: str) -> tuple[str, str] | None:
    """Reason and remedy where no bucket can have that name.

    Source: Cloud Storage documentation, "About Cloud Storage buckets", bucket names.
    """
    most = LONGEST_BUCKET if "." not in name else 222
    if not 3 <= len(name) <= most:
        return f"{name!r} has {len(name)} characters", f"a bucket's name has 3 to {most}"
    if bad := re.search(r"[^a-z0-9._-]", name):
        proposed = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-_.")
        like = f": {proposed}" if len(proposed) >= 3 and not wrong_bucket(proposed) else ""
        return f"a bucket's name can't have {bad[0]!r} in it", f"use small letters, digits, - and _{like}"
    if not re.fullmatch(r"[a-z0-9].*[a-z0-9]", name):
        return "a bucket's name begins and ends with a letter or digit", f"use {name.strip('-_.') or 'another name'}"
    if _is_address(name):
        return f"{name} is an IP address", "use a name with letters"
    if name.startswith("goog") or re.search(r"g[o0]{2}g[l1]e", name):
        return "Google keeps names with google in them for itself", "use a name without it"
    if any(len(part) > LONGEST_BUCKET or not part for part in name.split(".")):
        return "between dots a bucket's name has 1 to 63 characters", f"use {name.replace('.', '-')[:LONGEST_BUCKET]}"
    return None


def wrong_admin_user(name: str) -> tuple[str, str] | None:
    """Reason and remedy where no administrator's account can have that name.

    Source: useradd(8): 32 characters; accounts of Ubuntu's and Debian's images.
    """
    if name in _USERS:
        return f"machines have an account called {name} already", "use another name, e.g. hpcadmin"
    if not re.fullmatch(r"[a-z_][a-z0-9_-]{0,31}", name):
        return (
            f"{name!r} can't be an account's name",
            "use at most 32 small letters, digits, - and _, beginning with a letter, e.g. hpcadmin",
        )
    return None


def _is_address(name: str) -> bool:
    try:
        IPv4Address(name)
    except ValueError:
        return False
    return True
