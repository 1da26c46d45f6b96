"""Permissions for each kind of node: narrow roles on single buckets and secrets.

Each grant applies to one resource, except for writing logs, which can only be granted on an entire project.
"""

from collections.abc import Sequence

from pulumi import Input

from hpc_components.boot.manifest import PUBLISHED
from hpc_components.gcp.identity.roles import Grant, objects_that_begin_with
from hpc_components.gcp.ports import ConfigStore, SecretRef, Services

READ, WRITE, ADD, ACCESS = (
    "roles/storage.objectViewer",
    "roles/storage.objectUser",
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
        *_publishes(services.config),
        *_sets_secret(services.munge),
        *_sets_secret(services.jwt),
        _writes_logs(project),
    ]


def _reads_config(config: ConfigStore) -> Grant:
    return Grant(name="reads-config", role=READ, on="bucket", resource=config.bucket)


def _publishes(config: ConfigStore) -> Sequence[Grant]:
    """Return the grant to publish files for all nodes, which read them as they read the configuration.

    Replacing an object requires the permission to delete it, which `roles/storage.objectCreator` lacks. Source: Cloud
    Storage JSON API, "Objects: insert", required permissions, read 2026-11-25.
    """
    if not config.publishes:
        return []
    only = objects_that_begin_with(PUBLISHED)
    return [Grant(name="publishes", role=WRITE, on="bucket", resource=config.bucket, condition=only)]


def _reads_secret(secret: SecretRef) -> Grant:
    return Grant(name=f"reads-{secret.name}", role=ACCESS, on="secret", resource=secret.id)


def _sets_secret(secret: SecretRef) -> Sequence[Grant]:
    """Return grants to read the secret and add versions, but not to disable or destroy versions."""
    adds = Grant(name=f"sets-{secret.name}", role=ADD, on="secret", resource=secret.id)
    return [_reads_secret(secret), adds]


def _writes_logs(project: Input[str]) -> Grant:
    return Grant(name="writes-logs", role="roles/logging.logWriter", on="project", resource=project)
