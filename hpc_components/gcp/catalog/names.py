"""Checks the names of a cluster's resources."""

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
"""A kind of name. `resource` covers Compute Engine's instances, networks, subnets, disks and policies."""


def wrong_name(kind: NameOf, name: str) -> tuple[str, str] | None:
    """Return the reason and remedy if Google would not accept `name`, or None if it would.

    Names that must be globally unique (buckets, projects) may still be taken.
    Source: the documentation of each kind, as in the catalogue; Cloud Storage documentation, "Bucket naming
    requirements": neither `goog` at the beginning nor `google` anywhere, no address, no two dots in a row.
    """
    if wrong := _forms()[kind].mistake(name):
        if kind == "bucket" and (kept := _wrong_bucket(name.lower())):  # otherwise its remedy would be refused too
            return wrong[0], f"use lower-case letters, and {kept[1]}"
        return wrong
    if kind == "bucket":
        return _wrong_bucket(name)
    if kind == "project" and re.search("google|ssl|null|undefined", name):
        return (
            f"{name!r} contains a word that Google reserves",
            "use the project's id as the console shows it",
        )
    return None


def longest_name(kind: NameOf) -> int:
    """Return the maximum length of a name in characters."""
    return _forms()[kind].longest


def instance_name(cluster: str, node: str) -> str:
    """Return the name of a node's instance, e.g. `cfd-compute-queue-12` for `compute-queue-12` in cluster `cfd`."""
    return f"{cluster}-{node}"


def wrong_admin_user(name: str) -> tuple[str, str] | None:
    """Return the reason and remedy if an administrator's Linux account can't have this name, or None if it can.

    Source: useradd(8); the accounts in Google's images.
    """
    most = service_limit("admin_user.length")
    if name in reserved_users():
        return f"every node already has an account {name!r}", "use another name, e.g. hpcadmin"
    if not re.fullmatch(rf"[a-z_][a-z0-9_-]{{0,{most - 1}}}", name):
        return (
            f"{name!r} is not a valid account name",
            f"use at most {most} lower-case letters, digits, - and _, beginning with a letter, e.g. hpcadmin",
        )
    return None


def _wrong_bucket(name: str) -> tuple[str, str] | None:
    if name.startswith("goog") or re.search("g[o0]{2}gle", name):
        return f"Google reserves names such as {name!r}", "leave out google, and goog at the beginning"
    if re.fullmatch(r"\d+(\.\d+){3}", name) or ".." in name:
        return (
            f"{name!r} is not a valid bucket name",
            "use a name that is not an IP address and has no two dots in a row",
        )
    if "." in name:
        return f"{name!r} is a domain name, whose ownership you must verify", f"use {name.replace('.', '-')}"
    return None


@cache
def _forms() -> dict[str, NameForm]:
    return {record["kind"]: NameForm(**record) for record in records("names", __file__)}
