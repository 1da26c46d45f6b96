"""Permissions for each kind of node: narrow roles on single buckets and secrets.

Each grant applies to one resource, except for writing logs, which can only be granted on an entire project.
"""

from collections.abc import Sequence

from pulumi import Input

from hpc_components.gcp.identity.roles import Grant
from hpc_components.gcp.ports import ConfigStore, SecretRef, Services

READ, ADD, ACCESS = (
    "roles/storage.objectViewer",
    "roles/secretmanager.secretVersionAdder",
    "roles/secretmanager.secretAccessor",
)


def compute_grants(services: Services, project: str) -> list[Grant]:
    return [_reads_config(services.config), _reads_secret(services.munge), _writes_logs(project)]


def login_grants(services: Services, project: str) -> list[Grant]:
    return [
        _reads_config(services.config),
        _reads_secret(services.munge),
        *_sets_secret(services.host_keys),
        _writes_logs(project),
    ]


def head_grants(services: Services, project: str) -> list[Grant]:
    """Return the head node's grants, except those for launching nodes (see `head/head_roles.py`)."""
    return [
        _reads_config(services.config),
        *_sets_secret(services.munge),
        *_sets_secret(services.jwt),
        _writes_logs(project),
    ]


def _reads_config(config: ConfigStore) -> Grant:
    return Grant(name="reads-config", role=READ, on="bucket", resource=config.bucket)


def _reads_secret(secret: SecretRef) -> Grant:
    return Grant(name=f"reads-{secret.name}", role=ACCESS, on="secret", resource=secret.id)


def _sets_secret(secret: SecretRef) -> Sequence[Grant]:
    """Return grants to read the secret and add versions, but not to disable or destroy versions."""
    adds = Grant(name=f"sets-{secret.name}", role=ADD, on="secret", resource=secret.id)
    return [_reads_secret(secret), adds]


def _writes_logs(project: Input[str]) -> Grant:
    return Grant(name="writes-logs", role="roles/logging.logWriter", on="project", resource=project)
