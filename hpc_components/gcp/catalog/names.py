"""What the resources of a cluster can be called, decided in one place."""

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
"""A kind of resource. `resource` is for all of Compute Engine: instances, networks, subnets, disks, policies."""


def wrong_name(kind: NameOf, name: str) -> tuple[str, str] | None:
    """Reason and remedy where Google would not take `name`; None if it would.

    Names unique in the world (buckets, projects) may still be taken by somebody else.
    Source: the documentation of each kind, as in the catalogue; Cloud Storage documentation, "Bucket naming
    requirements": neither `goog` at the beginning nor `google` anywhere, no address, no two dots in a row.
    """
    if wrong := _forms()[kind].mistake(name):
        if kind == "bucket" and (kept := _wrong_bucket(name.lower())):  # else the remedy would be refused next
            return wrong[0], f"use small letters, and {kept[1]}"
        return wrong
    if kind == "bucket":
        return _wrong_bucket(name)
    if kind == "project" and re.search("google|ssl|null|undefined", name):
        return (
            f"{name!r} has a word in it that Google keeps for itself",
            "use the project's id as the console shows it",
        )
    return None


def longest_name(kind: NameOf) -> int:
    """Most characters of a name."""
    return _forms()[kind].longest


def instance_name(cluster: str, node: str) -> str:
    """The name of a node's instance: `cfd-compute-queue-12` of node `compute-queue-12` in cluster `cfd`."""
    return f"{cluster}-{node}"


def wrong_admin_user(name: str) -> tuple[str, str] | None:
    """Reason and remedy where no administrator's account can have that name on a Linux machine.

    Source: useradd(8); the accounts that images have already.
    """
    most = service_limit("admin_user.length")
    if name in reserved_users():
        return f"there is an account {name!r} on every node already", "use another name, e.g. hpcadmin"
    if not re.fullmatch(rf"[a-z_][a-z0-9_-]{{0,{most - 1}}}", name):
        return (
            f"{name!r} can't be an account's name",
            f"use at most {most} small letters, digits, - and _, beginning with a letter, e.g. hpcadmin",
        )
    return None


def _wrong_bucket(name: str) -> tuple[str, str] | None:
    if name.startswith("goog") or re.search("g[o0]{2}gle", name):
        return f"Google keeps names such as {name!r} for itself", "leave out google, and goog at the beginning"
    if re.fullmatch(r"\d+(\.\d+){3}", name) or ".." in name:
        return f"{name!r} is no bucket's name", "use no address, and no two dots in a row"
    if "." in name:
        return f"{name!r} is a domain, which you must prove to own", f"use {name.replace('.', '-')}"
    return None


@cache
def _forms() -> dict[str, NameForm]:
    return {record["kind"]: NameForm(**record) for record in records("names", __file__)}
