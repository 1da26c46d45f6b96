import re
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.name_form import NameForm
from hpc_components.gcp.catalog.limits import reserved_users, service_limit

NameOf = Literal[
    "resource", "template", "service_account", "project", "bucket", "secret", "custom_role", "lustre",
    "lustre_filesystem", "filestore", "file_share", "database", "budget",
]  # fmt: skip
"""What a name is for. `resource` covers Compute Engine instances, networks, subnets, disks and policies."""


def wrong_name(kind: NameOf, name: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if Google would refuse `name`.

    A valid name can still be taken, because the names of some kinds, such as buckets and projects, must be globally
    unique. Source: the documentation of each kind, as listed in the catalogue; Cloud Storage documentation, "Bucket
    naming requirements": no `goog` prefix, no `google` anywhere, no IP addresses, no consecutive dots.
    """
    if wrong := _forms()[kind].mistake(name):
        # otherwise the name in the remedy would be refused as well
        if kind == "bucket" and (kept := _wrong_bucket(name.lower())):
            return wrong[0], f"use lower-case letters, and {kept[1]}"
        return wrong
    if kind == "bucket":
        return _wrong_bucket(name)
    if kind == "project" and re.search("google|ssl|null|undefined", name):
        return (
            f"{name!r} contains a word that Google reserves",
            "use the project id that the console shows",
        )
    return None


def longest_name(kind: NameOf) -> int:
    return _forms()[kind].longest


def instance_name(cluster: str, node: str) -> str:
    return f"{cluster}-{node}"


def wrong_admin_user(name: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if an administrator's Linux account can't have this name.

    Source: useradd(8); the accounts in Google's images.
    """
    most = service_limit("admin_user.length")
    if name in reserved_users():
        return f"an account named {name!r} already exists on every node", "use another name, e.g. hpcadmin"
    if not re.fullmatch(rf"[a-z_][a-z0-9_-]{{0,{most - 1}}}", name):
        return (
            f"{name!r} is not a valid account name",
            f"use at most {most} lower-case letters, digits, - and _, starting with a letter, e.g. hpcadmin",
        )
    return None


def _wrong_bucket(name: str) -> tuple[str, str] | None:
    if name.startswith("goog") or re.search("g[o0]{2}gle", name):
        return f"Google reserves names such as {name!r}", "use a name that doesn't begin with goog or contain google"
    if re.fullmatch(r"\d+(\.\d+){3}", name) or ".." in name:
        return (
            f"{name!r} is not a valid bucket name",
            "use a name that is not an IP address and has no consecutive dots",
        )
    if "." in name:
        return (
            f"{name!r} is a domain name, so you would have to verify that you own the domain",
            f"use {name.replace('.', '-')}",
        )
    return None


@cache
def _forms() -> dict[str, NameForm]:
    return {record["kind"]: NameForm(**record) for record in records("names", __file__)}
