"""What the roles of a Google Cloud cluster's nodes allow: the one table by which the emulators let calls through.

The components make these bindings; `test_gcp_rights.py` compares them with the plan's. Names of predefined roles and
their permissions are Google's. Source: IAM, "IAM roles and permissions index".
"""

from collections.abc import Collection, Mapping, Sequence

from elastic.drivers.gce_rights import CALLS, TEMPLATE
from elastic.drivers.gce_shapes import PROJECT

OBJECT_GET, OBJECT_LIST = "storage.objects.get", "storage.objects.list"
OBJECT_CREATE, OBJECT_DELETE = "storage.objects.create", "storage.objects.delete"
SECRET_ACCESS, SECRET_ADD = "secretmanager.versions.access", "secretmanager.versions.add"
LOG_WRITE = "logging.logEntries.create"
TOKEN = "iam.serviceAccounts.getAccessToken"

_ON = {
    "instance": "machine",
    "disk": "machine",
    "project": "project",
    "subnet": "subnet/nodes",
    "account": "account/debug",
}
_PARTS = ("labels", "metadata", "serviceAccount", "disk labels", "subnetwork")


def _taken(*parts: Mapping[str, Sequence[str]]) -> Collection[tuple[str, str]]:
    return {(each, on) for part in parts for kind, on in _ON.items() for each in part.get(kind, ())}


LAUNCH_PERMISSIONS: Mapping[str, Collection[tuple[str, str]]] = {
    **{call: _taken(needs) for call, needs in CALLS.items()},
    "launch": _taken(CALLS["launch"], *(TEMPLATE[part] for part in _PARTS)),
}
"""What a request to Compute Engine takes, and on what, by the emulator's word for it. `_PARTS` are what the lab's
templates have."""

ROLES: Mapping[str, Collection[str]] = {
    "roles/storage.objectViewer": {OBJECT_GET, OBJECT_LIST},
    "roles/storage.objectCreator": {OBJECT_CREATE},
    "roles/storage.objectUser": {OBJECT_GET, OBJECT_LIST, OBJECT_CREATE, OBJECT_DELETE},
    "roles/secretmanager.secretAccessor": {SECRET_ACCESS},
    "roles/secretmanager.secretVersionAdder": {SECRET_ADD},
    "roles/logging.logWriter": {LOG_WRITE},
    "roles/iam.serviceAccountTokenCreator": {TOKEN},
    "roles/iam.serviceAccountUser": {"iam.serviceAccounts.actAs"},
    "roles/compute.networkUser": {"compute.subnetworks.use", "compute.subnetworks.useExternalIp"},
    "roles/compute.imageUser": {"compute.images.useReadOnly"},
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
            ("launch", "project/lab-*"),
            ("place", "project"),
            ("use", "subnet/nodes"),
            ("roles/iam.serviceAccountUser", "account/debug"),
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
"""Role and scope of each binding, by whose account it is for; `data` is lent to people and jobs. What holds only for
names that begin so is at `project/lab-*`."""

PUBLISH = ("roles/storage.objectUser", "bucket/config/published/*")

PEOPLE_GRANTS: Mapping[str, frozenset[tuple[str, str]]] = {**GRANTS, "head": GRANTS["head"] | {PUBLISH}}
"""The same in a cluster with people, which the head node publishes."""
