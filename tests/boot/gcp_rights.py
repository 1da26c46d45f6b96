"""What the roles of a Google Cloud cluster's nodes allow: the one table by which the emulators let calls through.

The components make these bindings; `test_gcp_rights.py` compares them with the plan's. Names of predefined roles and
their permissions are Google's. Source: IAM, "IAM roles and permissions index".
"""

from collections.abc import Collection, Mapping

__all__ = [
    "ACCOUNTS", "GRANTS", "LOG_WRITE", "OBJECT_GET", "OBJECT_LIST", "PROJECT", "ROLES", "SECRET_ACCESS", "SECRET_ADD",
    "TOKEN",
]  # fmt: skip

PROJECT = "lab-project"

OBJECT_GET, OBJECT_LIST = "storage.objects.get", "storage.objects.list"
SECRET_ACCESS, SECRET_ADD = "secretmanager.versions.access", "secretmanager.versions.add"
LOG_WRITE = "logging.logEntries.create"
TOKEN = "iam.serviceAccounts.getAccessToken"

ROLES: Mapping[str, Collection[str]] = {
    "roles/storage.objectViewer": {OBJECT_GET, OBJECT_LIST},
    "roles/storage.objectUser": {OBJECT_GET, OBJECT_LIST, "storage.objects.create", "storage.objects.delete"},
    "roles/secretmanager.secretAccessor": {SECRET_ACCESS},
    "roles/secretmanager.secretVersionAdder": {SECRET_ADD},
    "roles/logging.logWriter": {LOG_WRITE},
    "roles/iam.serviceAccountTokenCreator": {TOKEN},
}
"""What they allow, as far as nodes call services. The cluster's own roles are in its plan."""

ACCOUNTS: Mapping[str, str] = {
    role: f"lab-{role}@{PROJECT}.iam.gserviceaccount.com" for role in ("head", "login", "compute", "data")
}
"""Email of the service account of each kind of node, and of that which nodes lend."""

_ALL = {
    ("roles/storage.objectViewer", "bucket/config"),
    ("roles/secretmanager.secretAccessor", "secret/lab-munge"),
    ("roles/logging.logWriter", "project"),
}

GRANTS: Mapping[str, frozenset[tuple[str, str]]] = {
    "head": frozenset(
        {
            *_ALL,
            ("roles/secretmanager.secretVersionAdder", "secret/lab-munge"),
            ("roles/secretmanager.secretAccessor", "secret/lab-jwt"),
            ("roles/secretmanager.secretVersionAdder", "secret/lab-jwt"),
        }
    ),
    "login": frozenset(
        {
            *_ALL,
            ("roles/secretmanager.secretAccessor", "secret/lab-ssh-host"),
            ("roles/secretmanager.secretVersionAdder", "secret/lab-ssh-host"),
            ("roles/iam.serviceAccountTokenCreator", "account/data"),
        }
    ),
    "compute": frozenset({*_ALL, ("roles/iam.serviceAccountTokenCreator", "account/data")}),
    "data": frozenset({("roles/storage.objectUser", "bucket/data")}),
}
"""Role and scope of each binding, by whose account it is for; `data` is lent to people and jobs."""
